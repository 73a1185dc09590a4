#include "app/window.hpp"

#include "app/commands/commands.hpp"

#include <CLI/CLI.hpp>

namespace warptree::commands {

void add_window(CLI::App& app, Action& action) {
    auto files = std::make_shared<std::vector<std::string>>();
    app.add_option("FILE", *files, "Trace files to open");
    app.callback([&app, &action, files] {
        if (app.get_subcommands().empty()) {
            action = [files] {
                WindowRequest request;
                request.files.assign(files->begin(), files->end());
                return run_window(request);
            };
        }
    });
}

} // namespace warptree::commands
