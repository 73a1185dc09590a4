// Scans run by the interpreter, and the standard library's results for the same input.
#pragma once

#include "app/catalogue/strategy.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace warptree::tests {

inline RunOptions scan_options(std::string_view id, std::uint64_t n, std::uint32_t block = 64) {
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
        if (is_scan(s) && !s.deadlocks) {
            ids.emplace_back(s.id);
        }
    }
    return ids;
}

// The output of at most kMaxPartialsKept elements.
template <class T> std::vector<T> output_of(const Trace& t) {
    const auto out =
        std::find_if(t.outputs.begin(), t.outputs.end(), [](const KernelOutput& o) { return o.name == "out"; });
    std::vector<T> values;
    if (out == t.outputs.end()) {
        ADD_FAILURE() << "the kernel has no array out";
        return values;
    }
    EXPECT_EQ(out->count, t.options.n);
    for (const std::uint64_t bits : out->values) {
        values.push_back(Scalar{t.options.type, bits}.as<T>());
    }
    return values;
}

inline std::uint64_t tile_of(const RunOptions& o) {
    const StrategyInfo& info = require_strategy(o.strategy);
    return info.answer == Answer::scan ? o.n : outputs_per_block(info, {o.n, *o.block, o.type, o.parameters});
}

template <class T> std::vector<T> expected_of(const RunOptions& o) {
    const Elements input = runs::make_input(o);
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
    y.resize(std::min<std::size_t>(y.size(), kMaxPartialsKept)); // what a trace keeps
    return y;
}

} // namespace warptree::tests
