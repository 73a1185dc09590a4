#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/trace_options.hpp"
#include "app/trace/io/file.hpp"

#include <CLI/CLI.hpp>

namespace warptree::commands {

void add_record(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("record", "Write a trace file, to open here or on another machine");
    auto id = std::make_shared<std::string>();
    auto out = std::make_shared<std::string>();
    command->add_option("id", *id, "A strategy, or a file of CUDA")->required();
    command->add_option("-o", *out, "The file to write, FILE.wtrace")->required();
    auto options = TraceOptions::add_to(*command);
    command->callback([&action, id, out, options] {
        action = [id, out, options] {
            const Trace trace = trace_of(*id, *options);
            RunControl control;
            const Interrupt interrupt(control); // Ctrl+C leaves no partial file
            save(trace, *out, &control);
            return trace.pass ? kDone : kWrong;
        };
    });
}

} // namespace warptree::commands
