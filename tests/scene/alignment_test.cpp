// Comparisons stepped together: every step of every column, once and in order, with the right counterparts.
#include "app/features/compare/alignment.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warptree::session {
namespace {

using tests::trace_of;
using Traces = std::vector<const Trace*>;

std::uint32_t places_of(const Trace& trace) { return static_cast<std::uint32_t>(tests::moments(trace).size()); }

std::vector<Traces> sets() {
    const Trace &modulo = trace_of({"interleaved-modulo", 64, 64}),
                &strided = trace_of({"interleaved-strided", 64, 64});
    const Trace &sequential = trace_of({"sequential", 1000, 64}), &first = trace_of({"first-add", 1000, 64});
    const Trace &relaunch = trace_of({"sequential", 5000, 64, Finish::relaunch}),
                &last = trace_of({"last-block", 1000, 64, Finish::last_block}), &one = trace_of({"sequential", 1, 1});
    const Trace &scan = trace_of({"scan-blelloch", 64, 64}), &shared = trace_of({"scan-shared", 64, 64});
    return {{&modulo, &strided}, {&modulo, &sequential, &first},
            {&relaunch, &last},  {&sequential, &relaunch, &one, &scan},
            {&scan, &shared},    {&one, &one}};
}

TEST(Alignment, HasEveryStepOnceAndInOrder) {
    for (const Traces& traces : sets()) {
        for (const Alignment alignment : kAlignments) {
            const auto aligned_steps = align(traces, alignment);
            for (std::size_t c = 0; c < traces.size(); ++c) {
                std::uint32_t next = 0;
                for (const AlignedStep& aligned_step : aligned_steps) {
                    ASSERT_EQ(aligned_step.places.size(), traces.size());
                    if (aligned_step.places[c]) {
                        EXPECT_EQ(*aligned_step.places[c], next++) << name(alignment);
                    }
                }
                EXPECT_EQ(next, places_of(*traces[c])) << name(alignment);
            }
            for (const AlignedStep& aligned_step : aligned_steps) {
                EXPECT_TRUE(std::any_of(aligned_step.places.begin(), aligned_step.places.end(),
                                        [](auto p) { return p.has_value(); }));
                EXPECT_FALSE(aligned_step.label.empty());
            }
        }
    }
}

TEST(Alignment, ByStagePairsTheKthStages) {
    const Traces traces{&trace_of({"interleaved-modulo", 64, 64}), &trace_of({"sequential", 64, 64})};
    const auto aligned_steps = align(traces, Alignment::stage);
    ASSERT_EQ(aligned_steps.size(), 8U) << "load, six stages, store";
    for (const AlignedStep& aligned_step : aligned_steps) {
        EXPECT_EQ(aligned_step.places[0], aligned_step.places[1]);
    }
    EXPECT_EQ(aligned_steps[0].label, "load");
    EXPECT_EQ(aligned_steps[1].label, "#1") << "strides 1 and 32 have no name in common";
}

TEST(Alignment, ByStrideNeverGoesBack) {
    // Strides rise in one and fall in the other: only one of the six can be aligned.
    const Traces opposite{&trace_of({"interleaved-modulo", 64, 64}), &trace_of({"sequential", 64, 64})};
    const auto shared = [](const std::vector<AlignedStep>& aligned_steps) {
        return std::count_if(aligned_steps.begin(), aligned_steps.end(),
                             [](const AlignedStep& b) { return b.places[0] && b.places[1]; });
    };
    const auto aligned_steps = align(opposite, Alignment::stride);
    EXPECT_EQ(shared(aligned_steps), 3) << "load, one stride, store";
    EXPECT_EQ(aligned_steps.size(), 13U);
    const Traces falling{&trace_of({"first-add", 256, 128}), &trace_of({"unroll-last-warp", 256, 128})};
    for (const AlignedStep& aligned_step : align(falling, Alignment::stride)) {
        if (aligned_step.places[0] && aligned_step.places[1]) {
            const auto label = [&](std::size_t c) {
                return falling[c]->launches[0].steps[*aligned_step.places[c]].label;
            };
            EXPECT_EQ(label(0), label(1));
        }
    }
}

TEST(Alignment, ByCombinesPairsEqualCounts) {
    const Traces traces{&trace_of({"sequential", 256, 64}), &trace_of({"first-add", 256, 64})};
    const auto aligned_steps = align(traces, Alignment::combines);
    const auto done = [&](std::size_t c, std::uint32_t place) {
        const auto moments = tests::moments(*traces[c]);
        std::uint64_t sum = 0;
        for (std::uint32_t p = 0; p <= place; ++p) {
            sum += moments[p].launch < traces[c]->launches.size()
                       ? traces[c]->launches[moments[p].launch].steps[moments[p].step].counters.useful_combines
                       : traces[c]->host_partials - 1;
        }
        return sum;
    };
    std::uint64_t before = 0;
    bool together = false;
    for (const AlignedStep& aligned_step : aligned_steps) {
        for (std::size_t c = 0; c < 2; ++c) {
            if (aligned_step.places[c]) {
                EXPECT_GE(done(c, *aligned_step.places[c]), before);
                before = done(c, *aligned_step.places[c]);
            }
        }
        if (aligned_step.places[0] && aligned_step.places[1]) {
            EXPECT_EQ(done(0, *aligned_step.places[0]), done(1, *aligned_step.places[1]));
            together = true;
        }
    }
    EXPECT_TRUE(together);
    EXPECT_FALSE(aligned_steps[0].places[1]) << "first-add has combined 128 values when it has loaded";
}

TEST(Alignment, TellsWhoWaitsAndWhere) {
    const Traces traces{&trace_of({"sequential", 256, 64}), &trace_of({"first-add", 256, 64})};
    const auto aligned_steps = align(traces, Alignment::combines);
    const ColumnMoment before = column_moment(*traces[1], aligned_steps, 1, 0, 0.5F);
    EXPECT_TRUE(before.waits);
    EXPECT_FALSE(before.begun);
    EXPECT_EQ(before.moment.phase, 0);
    for (std::uint32_t b = 0; b < aligned_steps.size(); ++b) {
        for (std::size_t c = 0; c < 2; ++c) {
            const ColumnMoment at = column_moment(*traces[c], aligned_steps, c, b, 0.5F);
            EXPECT_EQ(at.waits, !aligned_steps[b].places[c].has_value());
            if (at.begun) {
                EXPECT_EQ(at.moment.phase, at.waits ? 1.0F : 0.5F);
            }
        }
    }
    const auto last = static_cast<std::uint32_t>(aligned_steps.size()) - 1;
    EXPECT_EQ(column_moment(*traces[0], aligned_steps, 0, last, 1).moment, tests::moments(*traces[0]).back());
}

} // namespace
} // namespace warptree::session
