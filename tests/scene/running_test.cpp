// The running line is found in the file it was traced in.
#include "app/scene/running.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warptree::scene {
namespace {

class RunningIn : public testing::TestWithParam<tests::Case> {};
INSTANTIATE_TEST_SUITE_P(Traces, RunningIn, testing::ValuesIn(tests::cases()));

// Neither missing nor ambiguous: exactly one row has this line and does what was done.
TEST_P(RunningIn, OneRowOfTheSource) {
    const Trace& trace = tests::trace_of(GetParam());
    const auto rows = source_rows(GetParam().strategy);
    ASSERT_FALSE(rows.empty());
    for (session::Moment moment : tests::moments(trace)) {
        for (const float phase : {0.1F, 0.5F, 0.9F, 1.0F}) {
            moment.phase = phase;
            const Running now = running(trace, moment);
            if (moment.launch == trace.launches.size()) {
                EXPECT_EQ(now.line, 0U);
                EXPECT_EQ(row_of(rows, now), kNone);
                continue;
            }
            const auto count =
                std::count_if(rows.begin(), rows.end(), [&](const SourceRow& r) { return fits(r, now); });
            EXPECT_EQ(count, 1) << "line " << now.line << " at step " << moment.step << ", phase " << phase;
        }
    }
}

TEST(Running, IsInTheSharedHeaderWhereThatCombines) {
    const Trace& trace = tests::trace_of({"block-shuffle", 64, 64});
    const auto rows = source_rows("block-shuffle");
    const std::uint32_t row = row_of(rows, running(trace, {0, 1, 0.5F}));
    ASSERT_NE(row, kNone);
    EXPECT_EQ(rows[row].file, "reduce/warp_reduce.hpp");
    EXPECT_NE(rows[row].text.find("combine("), std::string_view::npos);
}

} // namespace
} // namespace warptree::scene
