// What the tree is framed on, and its note, compared with the columns in which the trace has work.
#include "app/views/tree/tree_frame.hpp"

#include "app/run/run.hpp"
#include "app/views/tree/tree_index.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warptree::scene {
namespace {

using tests::kMeasure;
constexpr Rect kTreeArea{20, 10, 900, 420};

// Threads whose cells of the moment's step are drawn.
std::set<std::uint32_t> threads(const Trace& trace, const Drawing& drawing, std::uint32_t step) {
    std::set<std::uint32_t> all;
    for (const Hit& hit : drawing.hits) {
        if (hit.target.kind == Target::Kind::node && hit.target.step == step) {
            all.insert(trace.launches[hit.target.launch].nodes[hit.target.index].thread);
        }
    }
    return all;
}
std::string note(const Drawing& drawing) {
    for (const Text& text : tests::texts(drawing)) {
        if (text.text.starts_with("each bar") || text.text.starts_with("where they are closest")) {
            return text.text;
        }
    }
    return {};
}

TEST(TreeFrame, AWarpOfAGridIsATreeOfItsOwnCells) {
    const Trace& trace = tests::trace_of({"sequential", 8192, 1024});
    for (const std::uint32_t block : {0U, 3U, 7U}) {
        for (const std::uint32_t warp : {0U, 1U, 15U}) {
            const auto context = tests::context_of(trace, {0, 1, 1}, kMeasure); // s = 512: warps 0 to 15 combine
            const Camera camera = camera_on(context, kTreeArea, Frame::warp, block, warp);
            const Drawing drawing = draw_tree(context, kTreeArea, camera);
            const auto seen = threads(trace, drawing, 1);
            for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
                EXPECT_TRUE(seen.contains(warp * kWarpSize + lane)) << block << " " << warp << " " << lane;
            }
            EXPECT_LE(seen.size(), 2 * kWarpSize) << "little besides it";
            for (const Hit& hit : drawing.hits) {
                if (hit.target.kind == Target::Kind::node) {
                    EXPECT_EQ(hit.target.block, block);
                }
            }
        }
    }
}

// Columns stay evenly spaced at any zoom, and the values of a warp are legible there.
TEST(TreeFrame, FarInColumnsAreEvenAndValuesWritten) {
    const Trace& trace = tests::trace_of({"interleaved-modulo", 8192, 1024});
    const auto context = tests::context_of(trace, {0, 0, 1}, kMeasure);
    const Camera camera = camera_on(context, kTreeArea, Frame::warp, 7, 31);
    EXPECT_GT(camera.zoom, 128);
    const Drawing drawing = draw_tree(context, kTreeArea, camera);
    std::vector<float> middles;
    for (const Hit& hit : drawing.hits) {
        if (hit.target.kind == Target::Kind::node && hit.target.step == 0 && hit.rect.w > 10) {
            middles.push_back(hit.rect.x + hit.rect.w / 2);
        }
    }
    std::sort(middles.begin(), middles.end());
    ASSERT_GE(middles.size(), 32U);
    for (std::size_t i = 2; i + 1 < middles.size(); ++i) {
        EXPECT_NEAR(middles[i] - middles[i - 1], middles[2] - middles[1], 0.02) << i;
    }
    EXPECT_EQ(note(drawing), "");
}

// As many columns as the longest value has room for, in every row.
TEST(TreeFrame, ValuesAreFramedSoThatTheyCanBeRead) {
    for (const char* strategy : {"kahan", "sequential", "welford"}) {
        RunOptions o = tests::options_of({strategy, 1024, 256});
        o.type = ElementType::f32;
        o.input = InputKind::random;
        const Trace trace = runs::run_any(o);
        for (const std::uint32_t step : {0U, 1U}) {
            const auto context = tests::context_of(trace, {0, step, 1}, kMeasure);
            const Camera camera = camera_on(context, kTreeArea, Frame::values, 0, 0);
            float least = 100;
            for (const Text& text : tests::texts(draw_tree(context, kTreeArea, camera))) {
                const bool value = text.face == Face::mono && text.text.find_first_of("0123456789") == 0;
                least = value ? std::min(least, text.size) : least;
            }
            EXPECT_GE(least, 9.5F) << strategy << " step " << step;
        }
    }
}

TEST(TreeFrame, WorkIsWhereAWarpCombinesAndWhereFrom) {
    const Trace& trace = tests::trace_of({"interleaved-modulo", 1024, 1024});
    const Launch& launch = trace.launches[0];
    const auto index = tree_index(trace, 0);
    float before = 0;
    for (std::uint32_t step = 1; step + 1 < launch.steps.size(); ++step) {
        const auto context = tests::context_of(trace, {0, step, 1}, kMeasure);
        const Camera camera = camera_on(context, kTreeArea, Frame::work, 0, kNone);
        const auto stride = static_cast<float>(launch.steps[step].stride);
        if (stride < 16) {
            EXPECT_GT(camera.zoom, 20) << "within a warp: no closer than it";
        } else if (stride > 32) {
            EXPECT_LT(camera.zoom, before) << "as far as its operands lie apart";
        }
        before = camera.zoom;
    }
    for (const std::uint32_t step : {0U, static_cast<std::uint32_t>(launch.steps.size() - 1)}) {
        EXPECT_EQ(camera_on(tests::context_of(trace, {0, step, 1}, kMeasure), kTreeArea, Frame::work, 0, kNone),
                  Camera())
            << "nothing is combined: all of it";
    }
    const auto context = tests::context_of(trace, {0, 1, 1}, kMeasure);
    EXPECT_EQ(working_warp(context, 0), 0U);
    EXPECT_NE(camera_on(context, kTreeArea, Frame::work, 0, 5), camera_on(context, kTreeArea, Frame::work, 0, 0));
    EXPECT_EQ(camera_on(context, kTreeArea, Frame::block, 0, kNone), Camera()) << "there is but one";
}

TEST(TreeFrame, ASelectedThreadIsInSight) {
    const Trace& trace = tests::trace_of({"sequential", 1024, 256});
    auto context = tests::context_of(trace, {0, 0, 1}, kMeasure); // the load step, in which all threads have a cell
    const auto seen = [&](Frame frame, std::uint32_t warp) {
        return threads(trace, draw_tree(context, kTreeArea, camera_on(context, kTreeArea, frame, 0, warp)), 0);
    };
    EXPECT_FALSE(seen(Frame::values, 7).contains(250)) << "too far right";
    context.selected = {Target::Kind::thread, 0, 0, 250, 0};
    EXPECT_TRUE(seen(Frame::values, 7).contains(250));
    EXPECT_TRUE(seen(Frame::work, 7).contains(250));
    context.partner = {Target::Kind::thread, 0, 0, 200, 0};
    const auto both = seen(Frame::work, 7);
    EXPECT_TRUE(both.contains(200) && both.contains(250) && both.contains(225));
    EXPECT_LE(both.size(), 60U) << "little besides them";
}

TEST(TreeFrame, TheStepIsInSightWhereRowsGrow) {
    const Trace& trace = tests::trace_of({"sequential", 1024, 1024});
    const Rect low{0, 0, 700, 200};
    for (std::uint32_t step = 0; step < trace.launches[0].steps.size(); ++step) {
        const auto context = tests::context_of(trace, {0, step, 1}, kMeasure);
        const Camera camera = camera_on(context, low, Frame::warp, 0, 0);
        EXPECT_GT(row_zoom(camera), 1.5F);
        const Drawing drawing = draw_tree(context, low, camera);
        const bool seen = std::any_of(drawing.hits.begin(), drawing.hits.end(), [&](const Hit& hit) {
            return hit.target.kind == Target::Kind::node && hit.target.step == step;
        });
        EXPECT_TRUE(seen || step + 1 == trace.launches[0].steps.size()) << step;
    }
}

TEST(TreeFrame, TheWayThereIsSteady) {
    const Trace& trace = tests::trace_of({"sequential", 8192, 1024});
    const auto context = tests::context_of(trace, {0, 1, 1}, kMeasure);
    const Camera from, to = camera_on(context, kTreeArea, Frame::warp, 5, 3);
    EXPECT_EQ(between(from, to, 1), to);
    EXPECT_EQ(between(from, to, 0).zoom, from.zoom);
    // The fixed point stays at one place on screen.
    const float fixed = (from.pan_x - to.pan_x) / (to.zoom - from.zoom);
    float zoom = from.zoom;
    for (float part = 0.1F; part < 1; part += 0.1F) {
        const Camera camera = between(from, to, part);
        EXPECT_GT(camera.zoom, zoom) << "ever closer";
        EXPECT_NEAR(camera.pan_x + camera.zoom * fixed, from.pan_x + from.zoom * fixed, 0.5F) << part;
        zoom = camera.zoom;
    }
}

TEST(TreeFrame, SaysWhatIsNotDrawnOneByOne) {
    const auto said = [](const char* strategy, std::uint64_t n, std::uint32_t block, std::uint32_t step,
                         float width = 900) {
        const Trace& trace = tests::trace_of({strategy, n, block});
        return note(draw_tree(tests::context_of(trace, {0, step, 1}, kMeasure), {0, 0, width, 420}, {}));
    };
    EXPECT_EQ(said("sequential", 32, 32, 1), "");
    EXPECT_EQ(said("sequential", 256, 256, 1, 1200).substr(0, 32), "where they are closest, 1 line o");
    EXPECT_EQ(said("sequential", 1024, 1024, 1), "each bar is a warp; its stripes are the active lanes");
    EXPECT_EQ(said("sequential", 8192, 1024, 1, 1400), "each bar is a block; its stripes are the active warps");
    EXPECT_EQ(said("sequential", 8192, 1024, 1), "each bar is a block; brighter means more active threads");
    const Trace& trace = tests::trace_of({"sequential", 8192, 1024});
    EXPECT_TRUE(is_crowded(tests::context_of(trace, {0, 1, 1}, kMeasure), kTreeArea));
    EXPECT_FALSE(
        is_crowded(tests::context_of(tests::trace_of({"sequential", 32, 32}), {0, 1, 1}, kMeasure), kTreeArea));
}

TEST(TreeMap, FramesWhatIsInSightAndItsHitsAreWarps) {
    const Trace& trace = tests::trace_of({"sequential", 8192, 1024});
    const auto context = tests::context_of(trace, {0, 1, 1}, kMeasure);
    const Rect map{100, 500, 400, 28};
    const auto seen = [&](const Camera& camera) {
        const Drawing drawing = draw_map(context, kTreeArea, camera, map);
        for (const Layer& layer : drawing.layers) {
            for (const Box& box : layer.boxes) {
                EXPECT_GE(box.rect.x, map.x - 0.01F);
                EXPECT_LE(box.rect.right(), map.right() + 0.01F);
            }
        }
        return drawing.layers.back().boxes.back().rect;
    };
    EXPECT_GT(seen({}).w, map.w * 0.95F);
    for (const std::uint32_t block : {0U, 4U, 7U}) {
        const Rect r = seen(camera_on(context, kTreeArea, Frame::block, block, kNone));
        EXPECT_NEAR(r.x + r.w / 2, map.x + map.w * (static_cast<float>(block) + 0.5F) / 8, map.w / 32) << block;
        EXPECT_LT(r.w, map.w / 5);
        const Target there = draw_map(context, kTreeArea, {}, map).at({r.x + r.w / 2, map.y + 10});
        EXPECT_EQ(there.kind, Target::Kind::warp);
        EXPECT_EQ(there.block, block);
        // A click in the map centres that place.
        const Camera near = camera_on(context, kTreeArea, Frame::warp, 0, 0);
        const Rect moved = seen(centred(context, kTreeArea, near, map, {r.x + r.w / 2, map.y + 10}));
        EXPECT_NEAR(moved.x + moved.w / 2, r.x + r.w / 2, 4);
    }
}

TEST(TreeFrame, TheLaunchesStayAboveTheHostsStep) {
    RunOptions options = tests::options_of({"sequential", 1024, 256});
    options.finish = Finish::host;
    const Trace trace = runs::run_any(options);
    ASSERT_GT(trace.host_partials, 1U);
    const auto stages = [&](const session::Moment& moment) {
        std::set<float> at; // where each launch is drawn
        for (const Hit& hit : draw_tree(tests::context_of(trace, moment, kMeasure), kTreeArea, {}).hits) {
            if (hit.target.kind == Target::Kind::launch && hit.rect.y < kTreeArea.y + 30) {
                at.insert(hit.rect.x);
            }
        }
        return at;
    };
    EXPECT_EQ(stages({0, 0, 1}).size(), 2U);
    EXPECT_EQ(stages({1, 0, 1}), stages({0, 0, 1}));
}

// The two threads of a race among many lines: theirs are strong, with values though cells have no room for any.
TEST(TreeFrame, APairOfThreadsStandsOutAmongManyLines) {
    const Trace trace = tests::run_text(
        "__global__ void k(const int* in, int* out) {\n  __shared__ int s[128];\n  int t = threadIdx.x;\n"
        "  s[t] = 1000 + in[t];\n  __syncthreads();\n  int sum = 0;\n  for (int k = 0; k < 8; ++k) sum += s[(t + k) % "
        "128];\n"
        "  out[t] = sum;\n}",
        [](RunOptions& o) { o.n = o.block.emplace(128); });
    ViewContext context = tests::context_of(trace, tests::moment_at(trace, "k = 2"), kMeasure);
    const auto drawn = [&] { return draw_tree(context, {0, 0, 1240, 590}, {}); };
    const auto strong = [&](const Drawing& drawing) {
        std::size_t count = 0;
        for (const Layer& layer : drawing.layers) {
            count += static_cast<std::size_t>(std::ranges::count_if(
                layer.curves, [](const Curve& c) { return c.color == theme(ThemeName::dark).accent; }));
        }
        return count;
    };
    const auto says = [](const Drawing& drawing, const std::string& value) {
        const auto all = tests::texts(drawing);
        return std::ranges::any_of(all, [&](const Text& t) { return t.text == value; });
    };
    context.selected = {Target::Kind::thread, 0, 0, 3};
    const Drawing one = drawn();
    EXPECT_GT(strong(one), 50U);
    EXPECT_FALSE(says(one, "1003"));
    context.partner = {Target::Kind::thread, 0, 0, 60};
    const Drawing pair = drawn();
    EXPECT_LT(strong(pair), strong(one) / 2);
    for (const char* value : {"1003", "1060", "3012", "3183"}) { // what they load, and their sums of three
        EXPECT_TRUE(says(pair, value)) << value;
    }
}

TEST(TreeFrame, BarriersAreCountedInEachBlock) {
    const auto says = [](std::uint64_t n, const std::string& wanted) {
        const Trace& trace = tests::trace_of({"sequential", n, 64});
        const auto all = tests::texts(draw_tree(tests::context_of(trace, {0, 0, 1}, kMeasure), {0, 0, 1400, 700}, {}));
        return std::ranges::any_of(all, [&](const Text& t) { return t.text.starts_with(wanted); });
    };
    EXPECT_TRUE(says(64, "64 / 64"));
    EXPECT_TRUE(says(128, "64 / 64") || says(128, "64 of 64")) << "of each block";
    EXPECT_FALSE(says(128, "128"));
}

} // namespace
} // namespace warptree::scene
