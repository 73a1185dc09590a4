// Integer expressions of a kernel file's header and launch, and the names that they may use.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warptree::catalogue {

using Extent = std::array<std::uint32_t, 3>; // x, y, z
using Names = std::map<std::string, std::int64_t, std::less<>>;

// The value of an expression over these names, with ceil(a / b), min, max and sizeof(type); T is the element. Throws
// OptionError.
std::int64_t evaluate(std::string_view text, const Names& names, std::string_view element);
// "x", "x, y, z", "16x16", "dim3(x, y)": at most three, each 1 or more. `what` names it in errors. Throws OptionError.
Extent extent_of(std::string_view text, const Names& names, std::string_view element, const char* what);

// Throws OptionError if there is no such parameter or the value is out of range; `of` names the owner: "sequential".
void check_parameters(std::span<const ParameterText> declared, const ParameterValues& asked, std::string_view of);
bool takes(const ParameterText& parameter, std::uint32_t value);
// The header's parameters with the requested values; stop-at is stop_at in expressions.
void add_parameters(Names& names, const KernelHeader& header, const ParameterValues& asked, std::uint64_t n);
std::string name_of(const ParameterText& parameter);
void add_definitions(Names& names, const KernelHeader& header, std::string_view element);

// Threads per block, if requested as a single number.
std::optional<std::uint32_t> asked_block(const RunOptions& options);
// The requested number of elements, else the header's, else the fallback. Throws OptionError.
std::uint64_t n_of(const KernelHeader& header, const RunOptions& options, std::uint64_t fallback);

} // namespace warptree::catalogue
