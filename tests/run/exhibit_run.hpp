// Runs exhibits for their tests.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace warptree {

// In the interpreter, with random input and every block kept.
inline RunOptions exhibit(std::string_view id, std::uint64_t n, std::uint32_t block,
                          WarpOrder order = WarpOrder::in_order) {
    RunOptions o;
    o.strategy = id;
    o.n = n;
    o.block = block;
    o.order = order;
    o.input = InputKind::random;
    o.backend = Backend::cpu;
    o.window = {0, 1000};
    return o;
}

// Index of the step with that label.
inline std::uint16_t step(const Launch& l, std::string_view label) {
    const auto found = std::find_if(l.steps.begin(), l.steps.end(), [&](const Step& s) { return s.label == label; });
    EXPECT_NE(found, l.steps.end()) << label;
    return static_cast<std::uint16_t>(found - l.steps.begin());
}

} // namespace warptree
