// Rows of the warp grid keep a height that can be read, and follow the step.
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warptree::scene {
namespace {

TEST(WarpRows, ThoseAroundTheStepAreShownWhereNotAllFit) {
    const Trace& trace = tests::trace_of({"sequential", 1024, 1024});
    const auto steps = static_cast<std::uint32_t>(trace.launches[0].steps.size());
    ASSERT_GE(steps, 12U);
    const tests::EvenMeasure measure;
    for (const float height : {30.0F, 70.0F, 100.0F, 144.0F, 600.0F}) {
        for (std::uint32_t step = 0; step < steps; ++step) {
            const Drawing d = draw_warps(tests::context_of(trace, {0, step, 1}, measure), {0, 0, 700, height}, 0);
            std::set<std::uint32_t> rows;
            for (const Hit& h : d.hits) {
                const bool lanes = h.target.kind == Target::Kind::warp || h.target.kind == Target::Kind::thread;
                if (lanes && h.target.step != kNone) { // not the labels above
                    rows.insert(h.target.step);
                    EXPECT_GE(h.rect.y, 0) << height << ", step " << step;
                    EXPECT_LE(h.rect.bottom(), height + 0.01F) << height << ", step " << step;
                    EXPECT_GE(h.rect.h, 10) << height << ", step " << step;
                }
            }
            EXPECT_TRUE(rows.contains(step)) << height << ", step " << step;
            EXPECT_TRUE(step + 1 == steps || height < 40 || rows.contains(step + 1)) << "and what comes next";
            EXPECT_EQ(rows.size(), *rows.rbegin() - *rows.begin() + 1) << "without gaps";
            EXPECT_EQ(rows.size() == steps, height >= 12 * static_cast<float>(steps)) << height;
        }
    }
}

} // namespace
} // namespace warptree::scene
