// What is said of a run as names and values: in a state string, in a column of Compare, in settings. Of a strategy and of
// a kernel file alike.
#pragma once

#include "app/catalogue/strategy.hpp"
#include "app/request/option.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::request {

// How a run of it is called where nothing is said.
RunOptions usual(const StrategyInfo& info);

// The options that a strategy obeys, with what it takes of them as choices; its own parameters stand after the finish.
std::vector<Option> options_of(const StrategyInfo& info);

enum class Spelling : std::uint8_t { command_line, state, column };
// "--n '0' is not usable; take 1 to 2147483648", "n=0 in a state is not usable; …", "n=0 is not usable; …".
[[noreturn]] void refuse(Spelling spelling, std::string_view id, std::string_view value, std::string_view works);
// Throws OptionError if the value is not usable.
void set(RunOptions& options, const Option& option, std::string_view value, Spelling spelling);
// The option of that name at this place, a strategy's own parameters, and of a kernel file arg.NAME and parameter.NAME.
// False: there is none. Throws OptionError if the value is not usable.
bool set(RunOptions& options, std::string_view id, std::string_view value, Spelling spelling);
// The names that it takes: "block, type, finish, …".
std::string names(const RunOptions& options, Spelling spelling);

using Said = std::vector<std::pair<std::string, std::string>>;
// What set() makes these options of, from the usual ones: in the order of options().
Said said(const RunOptions& options, Spelling spelling);

} // namespace warptree::request
