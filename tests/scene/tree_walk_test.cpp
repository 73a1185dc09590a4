// Compared with the nodes of the trace: up goes to an operand, down to a use, sideways through all cells of a step.
#include "app/views/tree/tree_walk.hpp"

#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warptree::scene {
namespace {

const Trace& trace_of(const char* strategy, std::uint64_t n, std::uint32_t block) {
    return tests::trace_of({strategy, n, block});
}

session::Moment last_moment(const Trace& trace) {
    return {0, static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1), 1};
}

// Directly, or through values that stay in the thread's column.
bool made_of(const Launch& l, std::uint32_t node, std::uint32_t operand) {
    const Node& n = l.nodes[node];
    for (const std::uint32_t side : {n.left, n.right()}) {
        if (side == operand || (side != kNone && l.nodes[side].step == n.step && l.nodes[side].thread == n.thread &&
                                made_of(l, side, operand))) {
            return true;
        }
    }
    return false;
}

TEST(TreeWalk, UpToAnOperandDownToAUse) {
    for (const char* strategy : {"interleaved-modulo", "sequential", "first-add", "warp-shuffle", "multiple-adds"}) {
        for (const std::uint64_t n : {1, 31, 32, 33, 100}) {
            const Trace& trace = trace_of(strategy, n, 32);
            const Launch& l = trace.launches[0];
            const session::Moment moment = last_moment(trace);
            Target at = walk_cells(trace, moment, {}, 0, Way::up);
            ASSERT_EQ(at.kind, Target::Kind::node) << strategy << n;
            for (int i = 0; i < 100; ++i) {
                const Target up = walk_cells(trace, moment, at, 0, Way::up);
                if (up == at) {
                    break;
                }
                ASSERT_TRUE(made_of(l, at.index, up.index)) << strategy << n << ": " << at.index << " " << up.index;
                ASSERT_LE(l.nodes[up.index].step, l.nodes[at.index].step);
                const Target down = walk_cells(trace, moment, up, 0, Way::down);
                EXPECT_TRUE(made_of(l, down.index, up.index)) << strategy << n;
                at = up;
            }
            EXPECT_NE(l.nodes[at.index].kind == NodeKind::combine && l.nodes[at.index].step > 0, true)
                << strategy << n << ": it ends at what was loaded";
        }
    }
}

TEST(TreeWalk, SidewaysThroughAllCellsOfAStepAndBack) {
    const Trace& trace = trace_of("sequential", 100, 32);
    const Launch& l = trace.launches[0];
    Target at = walk_cells(trace, {0, 0, 1}, {}, 0, Way::left);
    EXPECT_EQ(l.nodes[at.index].step, 0);
    const Target first = at;
    std::vector<Target> seen{at};
    for (Target next = walk_cells(trace, {0, 0, 1}, at, 0, Way::right); next != at;
         next = walk_cells(trace, {0, 0, 1}, at, 0, Way::right)) {
        at = next;
        seen.push_back(at);
        ASSERT_LE(seen.size(), 200U);
    }
    std::set<std::uint32_t> blocks;
    std::size_t loaded = 0;
    for (const Node& n : l.nodes) {
        loaded += n.step == 0 && n.kind != NodeKind::combine ? 1 : 0;
    }
    for (const Target& t : seen) {
        blocks.insert(t.block);
    }
    EXPECT_EQ(seen.size(), loaded);
    EXPECT_EQ(blocks.size(), l.window_count);
    for (std::size_t i = 1; i < seen.size(); ++i) {
        at = walk_cells(trace, {0, 0, 1}, at, 0, Way::left);
    }
    EXPECT_EQ(at, first);
}

TEST(TreeWalk, TheCameraFollows) {
    const Trace& trace = trace_of("sequential", 64, 64);
    const tests::EvenMeasure measure;
    const ViewContext context = tests::context_of(trace, {0, 0, 1}, measure);
    const Rect area{10, 20, 900, 500};
    Camera camera{1, 0, 0};
    const Target first = walk_cells(trace, context.moment, {}, 0, Way::left);
    reveal(context, area, camera, first);
    EXPECT_EQ(camera.pan_x, 0) << "everything is in sight";
    camera = {20, 0, 0};
    Target at = first;
    for (int i = 0; i < 40; ++i) {
        at = walk_cells(trace, context.moment, at, 0, Way::right);
        reveal(context, area, camera, at);
        const Drawing drawing = draw_tree(context, area, camera);
        const auto place = place_in_tree(context, area, camera, at);
        ASSERT_TRUE(place);
        EXPECT_EQ(drawing.at(place->middle), at) << "what is drawn there";
    }
}

TEST(TreeWalk, BarsByPlace) {
    const auto bar = [](float x, float y, std::uint32_t warp, std::uint32_t step) {
        return Hit{{x, y, 10, 10}, {Target::Kind::warp, 0, 0, warp, step}};
    };
    Drawing drawing;
    drawing.hits = {bar(0, 0, 0, 0),
                    bar(20, 0, 1, 0),
                    bar(0, 30, 0, 1),
                    bar(20, 30, 1, 1),
                    {{0, 60, 10, 10}, {Target::Kind::warp, 0, 0, 0}}}; // a label
    const session::Moment moment{0, 1, 1};
    Target at = walk_drawing(drawing, moment, {}, Way::right);
    EXPECT_EQ(at, drawing.hits[2].target) << "begins in the moment's step";
    at = walk_drawing(drawing, moment, at, Way::right);
    EXPECT_EQ(at, drawing.hits[3].target);
    EXPECT_EQ(walk_drawing(drawing, moment, at, Way::right), at);
    EXPECT_EQ(walk_drawing(drawing, moment, at, Way::down), at);
    at = walk_drawing(drawing, moment, at, Way::up);
    EXPECT_EQ(at, drawing.hits[1].target);
    EXPECT_EQ(walk_drawing(drawing, moment, at, Way::left), drawing.hits[0].target);
    EXPECT_EQ(walk_drawing({}, moment, at, Way::left).kind, Target::Kind::none);
}

} // namespace
} // namespace warptree::scene
