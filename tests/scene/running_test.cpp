// The running line is found in the file it was traced in.
#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/views/running.hpp"
#include "app/views/views.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace warptree::scene {
namespace {

class RunningIn : public testing::TestWithParam<tests::Case> {};
INSTANTIATE_TEST_SUITE_P(Traces, RunningIn, testing::ValuesIn(tests::cases()));

TEST_P(RunningIn, ARowOfTheSource) {
    const Trace& trace = tests::trace_of(GetParam());
    const auto rows = source_rows(trace);
    ASSERT_FALSE(rows.empty());
    for (session::Moment moment : tests::moments(trace)) {
        for (const float phase : {0.1F, 0.5F, 0.9F, 1.0F}) {
            moment.phase = phase;
            const SourceLine now = running_line(trace, moment);
            const std::uint32_t row = row_of(rows, trace, now);
            if (moment.launch == trace.launches.size()) {
                EXPECT_FALSE(now.known());
                EXPECT_EQ(row, kNone);
                continue;
            }
            if (tests::is_untraced_finish(trace, moment)) {
                continue;
            }
            ASSERT_NE(row, kNone) << written_at(trace, now) << " at step " << moment.step << ", phase " << phase;
            EXPECT_EQ(rows[row].line, now.line());
        }
    }
}

// Each request, shuffle and barrier points to a line of code, in a file of the trace, that performs it.
TEST_P(RunningIn, EveryRequestIsAtCodeThatTouchesMemory) {
    const Trace& trace = tests::trace_of(GetParam());
    const auto rows = source_rows(trace);
    for (const Launch& l : trace.launches) {
        for (const Request& it : l.requests) {
            const std::uint32_t row = row_of(rows, trace, it.line);
            ASSERT_NE(row, kNone) << written_at(trace, it.line);
            const std::string text(rows[row].text);
            EXPECT_THAT(text, testing::Not(testing::StartsWith("//")));
            EXPECT_THAT(text, testing::AnyOf(testing::HasSubstr("["), testing::HasSubstr("("), testing::HasSubstr("*"),
                                             testing::HasSubstr("= ticket"), testing::HasSubstr("end_seen"),
                                             testing::HasSubstr("complete ="), testing::HasSubstr("gap ="),
                                             testing::HasSubstr("kept"), testing::HasSubstr("partial =")));
        }
        for (const Shuffle& it : l.shuffles) {
            const std::uint32_t row = row_of(rows, trace, it.line);
            ASSERT_NE(row, kNone) << written_at(trace, it.line);
            EXPECT_THAT(std::string(rows[row].text), testing::HasSubstr("_sync("));
        }
        for (const Barrier& it : l.barriers) {
            const std::uint32_t row = row_of(rows, trace, it.line);
            ASSERT_NE(row, kNone) << written_at(trace, it.line);
            EXPECT_THAT(std::string(rows[row].text),
                        testing::AnyOf(testing::HasSubstr("__syncthreads"), testing::HasSubstr("bar.sync"),
                                       testing::HasSubstr("barrier.sync"), testing::HasSubstr("cluster.sync")));
        }
    }
}

TEST(Running, IsInTheSharedHeaderWhereThatCombines) {
    const Trace trace = runs::run_any(tests::options_of({"block-shuffle", 64, 64}));
    const auto rows = source_rows(trace);
    const SourceLine line = running_line(trace, {0, 1, 0.5F});
    const std::uint32_t row = row_of(rows, trace, line);
    ASSERT_NE(row, kNone);
    EXPECT_EQ(rows[row].file, "warp_reduce.cuh");
    EXPECT_THAT(written_at(trace, line), testing::HasSubstr(" of warp_reduce.cuh"));
}

// A trace from elsewhere shows the text it was recorded from, and says if this build's text differs.
TEST(Running, ShowsTheTextOfTheTrace) {
    Trace trace = runs::run_any(tests::options_of({"block-shuffle", 64, 64}));
    const auto before = source_rows(trace);
    EXPECT_EQ(source_note(trace, SourceLine::none()), "") << "the same text: nothing to say";
    trace.sources[0].text = "of another build\n" + trace.sources[0].text;
    auto rows = source_rows(trace);
    ASSERT_EQ(rows.size(), before.size() + 1);
    EXPECT_EQ(rows[0].text, "of another build");
    EXPECT_EQ(row_of(rows, trace, SourceLine::of(0, 1)), 0U);
    EXPECT_THAT(source_note(trace, SourceLine::none()), testing::HasSubstr("As recorded"));
    trace.sources.clear();
    EXPECT_TRUE(source_rows(trace).empty());

    trace = runs::run_any(tests::options_of({"block-shuffle", 64, 64}));
    trace.options.strategy = "one that this build lacks";
    trace.sources[0] = {"reduce/no_such.hpp", "gone\n"};
    rows = source_rows(trace);
    EXPECT_EQ(rows[0].text, "gone");
    EXPECT_EQ(row_of(rows, trace, SourceLine::of(0, 1)), 0U);
}

// The view says whose text it shows, however far down the running line is.
TEST(Running, TheViewSaysWhoseTextItShows) {
    Trace trace = runs::run_any(tests::options_of({"sequential", 64, 64}));
    const tests::EvenMeasure measure;
    const Rect area{0, 0, 700, 300};
    const auto says = [&](const char* part) {
        const Drawing d = draw_source(tests::context_of(trace, {0, 2, 1}, measure), area, 0);
        return std::any_of(d.layers.begin(), d.layers.end(), [&](const Layer& layer) {
            return std::any_of(layer.texts.begin(), layer.texts.end(),
                               [&](const Text& t) { return t.text.find(part) != std::string::npos; });
        });
    };
    EXPECT_FALSE(says("As recorded"));
    trace.sources[0].text += "\n";
    EXPECT_TRUE(says("As recorded: this program's text differs."));
}

} // namespace
} // namespace warptree::scene
