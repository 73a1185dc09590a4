// What a kernel file is called with, by name: as state strings and columns of the Compare screen say it, beside the
// options that strategies have too.
#pragma once

#include "app/base/options.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::session {

// False: it is none of them. Throws OptionError for a value that cannot be.
bool set_kernel_option(RunOptions& options, std::string_view name, std::string_view value);
// Those that were asked for.
std::vector<std::pair<std::string, std::string>> asked_kernel_options(const RunOptions& options);
std::string kernel_option_names(); // "kernel, grid, block, shared, expect, arg.NAME and parameter.NAME"

} // namespace warptree::session
