// The subcommands. Each declares its options on the parser and stores what it will do in `action`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warptree::commands {

using Action = std::function<int()>; // returns an exit code, may throw Error

void add_list(CLI::App& app, Action& action);
void add_deck(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
// `arguments`: what follows "--", which is the program's own.
void add_run(CLI::App& app, Action& action, const std::vector<std::string>& arguments);
void add_record(CLI::App& app, Action& action);
void add_render(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_banks(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_theory(CLI::App& app, Action& action);
void add_device(CLI::App& app, Action& action);
void add_launch(CLI::App& app, Action& action);
void add_code(CLI::App& app, Action& action);
void add_counters(CLI::App& app, Action& action);
void add_clocks(CLI::App& app, Action& action);
void add_lessons(CLI::App& app, Action& action);
void add_timings(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_window(CLI::App& app, Action& action); // warptree without a command

} // namespace warptree::commands
