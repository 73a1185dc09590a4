// Expected outputs that are lists or statistics of the input: an index, moments, rows divided by their sum, counts.
// They are computed here in long double, in the order of the input, whatever the kernel does.
#pragma once

#include "app/run/judge/expectation.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warptree::runs {

// nullopt: no such name.
std::optional<Expected::List> list_from(std::string_view name);

// Throws OptionError if the arrays do not fit.
Verdict judge_list(const Expected& expected, const std::vector<Numbers>& inputs, const Numbers& output, std::uint64_t n,
                   std::uint64_t depth);

} // namespace warptree::runs
