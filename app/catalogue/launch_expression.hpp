// Whole-number expressions of a kernel file's header and of its launch, and the names that they may use.
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
// "x", "x, y, z", "16x16", "dim3(x, y)": at most three, each 1 or more. `what` is it, in a refusal. Throws OptionError.
Extent extent_of(std::string_view text, const Names& names, std::string_view element, const char* what);

// Throws OptionError where there is no such parameter, or where it takes no such value; of says whose they are: "sequential".
void check_parameters(std::span<const ParameterText> declared, const ParameterValues& asked, std::string_view of);
bool takes(const ParameterText& parameter, std::uint32_t value);
// The header's parameters with the values asked for; stop_at is what an expression calls stop-at.
void add_parameters(Names& names, const KernelHeader& header, const ParameterValues& asked, std::uint64_t n);
std::string name_of(const ParameterText& parameter);
void add_definitions(Names& names, const KernelHeader& header, std::string_view element);

// Threads a block, where they were asked for as one number.
std::optional<std::uint32_t> asked_block(const RunOptions& options);
// Elements as asked for, else of the header, else the fallback. Throws OptionError.
std::uint64_t n_of(const KernelHeader& header, const RunOptions& options, std::uint64_t fallback);

} // namespace warptree::catalogue
