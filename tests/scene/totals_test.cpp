// The totals of a run, against counts of the algorithms.
#include "app/views/totals.hpp"

#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptree::scene {
namespace {

std::string value(const RunTotals& totals, const std::string& label) {
    const auto found =
        std::find_if(totals.facts.begin(), totals.facts.end(), [&](const Fact& f) { return f.label == label; });
    return found == totals.facts.end() ? "" : found->value;
}

TEST(Totals, AreThoseOfTheAlgorithm) {
    const RunTotals t = totals(tests::trace_of({"sequential", 64, 64}));
    EXPECT_EQ(value(t, "combines"), "63");
    EXPECT_EQ(value(t, "barriers"), "7") << "after the load and after each of six strides";
    EXPECT_EQ(value(t, "sectors loaded"), "8") << "64 ints of 4 bytes in sectors of 32";
    EXPECT_EQ(value(t, "shuffles"), "");
    // 32 + 16 + 8 + 4 + 2 + 1 threads combine, one warp of 32 lanes in each of six steps.
    EXPECT_NE(t.limit.find("warps issue 192 lanes in steps that combine, and 63 combine"), std::string::npos)
        << t.limit;
}

TEST(Totals, SayWhatExceedsItsIdealMost) {
    // At block 1024 the strided index has up to 32 lanes on one bank.
    const RunTotals t = totals(tests::trace_of({"interleaved-strided", 1024, 1024}));
    const auto found =
        std::find_if(t.facts.begin(), t.facts.end(), [](const Fact& f) { return f.label == "wavefronts"; });
    ASSERT_NE(found, t.facts.end());
    EXPECT_TRUE(found->attention);
    EXPECT_NE(t.limit.find("bank conflicts"), std::string::npos) << t.limit;
}

} // namespace
} // namespace warptree::scene
