// Compares two traces of one launch in different orders: what ran, and what was computed from what.
#pragma once

#include "app/trace/model/element_sets.hpp"
#include "app/trace/model/trace.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace warptree::tests {

// Equal except for the order of nodes, which is the order of execution.
inline void expect_same_execution(const Trace& a, const Trace& b, std::string_view what) {
    EXPECT_EQ(a.result, b.result) << what;
    EXPECT_EQ(a.pass, b.pass) << what;
    EXPECT_EQ(a.tree, b.tree) << what;
    EXPECT_EQ(compare_trees(a, b), compare_trees(b, b)) << what;
    ASSERT_EQ(a.launches.size(), b.launches.size()) << what;
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        const Launch &x = a.launches[i], &y = b.launches[i];
        EXPECT_EQ(x.steps, y.steps) << what;
        EXPECT_EQ(x.requests, y.requests) << what;
        EXPECT_EQ(x.indices, y.indices) << what;
        EXPECT_EQ(x.warp_steps, y.warp_steps) << what;
        EXPECT_EQ(x.shuffles, y.shuffles) << what;
        EXPECT_EQ(x.barriers, y.barriers) << what;
        EXPECT_EQ(x.outputs_total, y.outputs_total) << what;
        EXPECT_EQ(x.partials, y.partials) << what;
    }
}

} // namespace warptree::tests
