#include "app/shell/window.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/option_values.hpp"
#include "app/features/deck/deck.hpp"
#include "app/features/deck/panels/page_state.hpp"
#include "app/run/kernel_path.hpp"

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
    auto launch = std::make_shared<std::string>();
    CLI::Option* of_program = app.add_option("--launch", *launch,
                                             "Of a program: the launch to show, from 1 (default: the first that is "
                                             "wrong, else the one with the most combines)");
    app.callback([&app, &action, files, state, launch, asked, of_program] {
        if (!app.get_subcommands().empty() && asked->count() + of_program->count() > 0) {
            action = [name = asked->count() > 0 ? "--state" : "--launch"]() -> int {
                throw OptionError(fmt::format("{} is for the window; leave it out, or the command", name));
            };
        } else if (app.get_subcommands().empty()) {
            action = [files, state, launch, given = asked->count() > 0] {
                if (!launch->empty()) {
                    count_of("--launch", *launch, 1, ~0U - 1);
                    if (given || files->size() != 1) {
                        throw OptionError("--launch is for one FILE; with --state, launch=K says the same");
                    }
                }
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
                if (!launch->empty()) {
                    const std::string& file = files->front();
                    const bool read = runs::is_kernel_path(file) || file.ends_with(".wtrace");
                    if (!read) {
                        throw OptionError(
                            fmt::format("--launch is for a CUDA file or a .wtrace file, not for {}", printable(file)));
                    }
                    session::StateString shown{
                        "explore", "", {{"file", file}, {"launch", *launch}, {"frame", "values"}}};
                    request.state = session::to_string(shown);
                    request.files.clear();
                }
                return run_window(request);
            };
        }
    });
}

} // namespace warptree::commands
