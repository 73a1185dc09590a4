#include "app/cli/json_command.hpp"

#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace warptree::commands {

void add_json_command(CLI::App& app, Action& action, const char* name, const char* help,
                      std::function<std::string()> as_text, std::function<std::string()> as_json) {
    CLI::App* command = app.add_subcommand(name, help);
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As JSON");
    command->callback([&action, json, as_text = std::move(as_text), as_json = std::move(as_json)] {
        action = [json, as_text, as_json] {
            print(*json ? as_json() : as_text());
            return kDone;
        };
    });
}

} // namespace warptree::commands
