// A command without options of its own that prints text or, with --json, JSON.
#pragma once

#include "app/cli/commands.hpp"

#include <functional>
#include <string>

namespace warptree::commands {

void add_json_command(CLI::App& app, Action& action, const char* name, const char* help,
                      std::function<std::string()> as_text, std::function<std::string()> as_json);

} // namespace warptree::commands
