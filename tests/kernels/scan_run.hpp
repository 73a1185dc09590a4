// Scans run by the interpreter, and what the standard library says to the same input.
#pragma once

#include "kernels/input.hpp"
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace warptree::tests {

inline RunOptions cpu(std::string_view id, std::uint64_t n, std::uint32_t block = 64) {
    RunOptions o;
    o.strategy = id;
    o.n = n;
    o.block = block;
    o.backend = Backend::cpu;
    o.window = {0, 1U << 20};
    return o;
}

inline std::vector<std::string> scans() {
    std::vector<std::string> ids;
    for (const StrategyInfo& s : strategies()) {
        if (is_scan(s)) {
            ids.emplace_back(s.id);
        }
    }
    return ids;
}

// The output, from the values that leave the blocks; each element exactly once.
template <class T> std::vector<T> output_of(const Trace& t) {
    const Launch& l = t.launches.front();
    std::vector<T> values(l.outputs_total);
    std::vector<bool> there(l.outputs_total);
    for (const Output& o : l.outputs) {
        EXPECT_FALSE(there.at(o.index)) << "element " << o.index << " leaves twice";
        there[o.index] = true;
        values[o.index] = Scalar{t.options.type, l.nodes.at(o.node).bits}.as<T>();
    }
    EXPECT_EQ(std::count(there.begin(), there.end(), true), static_cast<std::ptrdiff_t>(t.options.n));
    return values;
}

inline std::uint64_t tile_of(const RunOptions& o) {
    const StrategyInfo& info = require_strategy(o.strategy);
    return info.answer == Answer::scan ? o.n
                                       : outputs_per_block(info, {o.n, *o.block, arguments(info, o.parameters, o.n)});
}

template <class T> std::vector<T> expected_of(const RunOptions& o) {
    const Elements input = make_input(o);
    const T* x = input.as<T>();
    const std::uint64_t tile = tile_of(o);
    std::vector<T> y(o.n);
    const auto plus = [](T a, T b) -> T {
        if constexpr (std::is_integral_v<T>) { // signed overflow would be undefined
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        } else {
            return a + b;
        }
    };
    const auto asked = o.parameters.find("exclusive");
    const bool exclusive = asked != o.parameters.end() && asked->second != 0;
    for (std::uint64_t first = 0; first < o.n; first += tile) {
        const std::uint64_t end = std::min(o.n, first + tile);
        if (exclusive) {
            std::exclusive_scan(x + first, x + end, y.begin() + static_cast<std::ptrdiff_t>(first), T(0), plus);
        } else {
            std::inclusive_scan(x + first, x + end, y.begin() + static_cast<std::ptrdiff_t>(first), plus);
        }
    }
    return y;
}

} // namespace warptree::tests
