#include "kernels/trace/report.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/exit_code.hpp"
#include "app/commands/output.hpp"
#include "app/commands/trace_options.hpp"

#include <CLI/CLI.hpp>

namespace warptree::commands {

void add_report(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("report", "Per-step counts, and does the result check");
    auto what = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command->add_option("id", *what, "A strategy, or a .wtrace file")->required();
    command->add_flag("--json", *json, "As JSON");
    auto options = TraceOptions::add_to(*command);
    command->callback([&action, what, json, options] {
        action = [what, json, options] {
            const Trace trace = trace_of(*what, *options);
            print(*json ? report_json(trace) : report_text(trace));
            return trace.pass ? kDone : kWrong;
        };
    });
}

} // namespace warptree::commands
