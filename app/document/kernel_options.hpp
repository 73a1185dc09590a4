// The launch options of a kernel file by name, as written in state strings and in columns of the Compare screen, beside
// the options that strategies also have.
#pragma once

#include "app/base/options.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::session {

// False: not one of these options. Throws OptionError for an unusable value.
bool set_kernel_option(RunOptions& options, std::string_view name, std::string_view value);
// The options that were stated.
std::vector<std::pair<std::string, std::string>> asked_kernel_options(const RunOptions& options);
std::string kernel_option_names(); // "kernel, grid, block, shared, expect, arg.NAME and parameter.NAME"

} // namespace warptree::session
