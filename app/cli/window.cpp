#include "app/shell/window.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/cli/commands.hpp"
#include "app/features/deck/deck.hpp"
#include "app/features/deck/panels/page_state.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace warptree::commands {

void add_window(CLI::App& app, Action& action) {
    auto files = std::make_shared<std::vector<std::string>>();
    auto state = std::make_shared<std::string>();
    app.add_option("FILE", *files, "CUDA files, traces, results of bench, lessons and decks to open");
    CLI::Option* asked = app.add_option("--state", *state,
                                        "What to show: SCREEN[/SUBJECT][?KEY=VALUE&...], as the "
                                        "window says (Ctrl+U)");
    app.callback([&app, &action, files, state, asked] {
        if (!app.get_subcommands().empty() && asked->count() > 0) {
            action = []() -> int { throw OptionError("--state is for the window; leave it out, or the command"); };
        } else if (app.get_subcommands().empty()) {
            action = [files, state, given = asked->count() > 0] {
                if (given) {
                    if (!files->empty()) {
                        throw OptionError("--state and a FILE both say what to show; leave one out");
                    }
                    pages::check_state(session::parse_state(*state));
                }
                for (const std::string& file : *files) {
                    std::error_code error;
                    if (!file.ends_with(".wtrace") && !std::filesystem::exists(file, error)) {
                        throw OptionError(fmt::format("'{}' is neither a command nor a file; see 'warptree --help'",
                                                      printable(file)));
                    }
                    if (session::is_deck_path(file)) {
                        session::load_deck(file, pages::check_state); // throws if it cannot be used
                    }
                }
                WindowRequest request;
                request.files.assign(files->begin(), files->end());
                request.state = *state;
                return run_window(request);
            };
        }
    });
}

} // namespace warptree::commands
