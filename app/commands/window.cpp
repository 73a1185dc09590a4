#include "app/window.hpp"

#include "app/commands/commands.hpp"
#include "app/commands/trace_options.hpp"
#include "kernels/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace warptree::commands {

void add_window(CLI::App& app, Action& action) {
    auto files = std::make_shared<std::vector<std::string>>();
    app.add_option("FILE", *files, "Trace files to open");
    app.callback([&app, &action, files] {
        if (app.get_subcommands().empty()) {
            action = [files] {
                for (const std::string& file : *files) {
                    if (!file.ends_with(".wtrace") && !std::filesystem::exists(file)) {
                        throw OptionError(fmt::format("'{}' is neither a command nor a file; see 'warptree --help'",
                                                      printable(file)));
                    }
                }
                WindowRequest request;
                request.files.assign(files->begin(), files->end());
                return run_window(request);
            };
        }
    });
}

} // namespace warptree::commands
