// The prepared tree compared with the nodes it comes from.
#include "app/catalogue/strategy.hpp"
#include "app/views/tree/tree_index.hpp"

#include "app/views/lane_look.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace warptree::scene {
namespace {

class IndexOf : public testing::TestWithParam<tests::Case> {};
INSTANTIATE_TEST_SUITE_P(Traces, IndexOf, testing::ValuesIn(tests::cases()));

TEST_P(IndexOf, HoldsEveryNodeOfTheWindowInItsRow) {
    for (const Launch& launch : tests::trace_of(GetParam()).launches) {
        const TreeIndex index = make_tree_index(launch);
        std::size_t leaves = 0, seen = 0;
        for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
            const Node& node = launch.nodes[i];
            if (!launch.in_window(node.block)) {
                EXPECT_EQ(index.cell_of[i], kNone);
                continue;
            }
            ++seen;
            leaves += has_operands(node.kind) ? 0 : 1;
            const TreeRow& row = index.row(node.block, node.step);
            ASSERT_GE(index.cell_of[i], row.first_cell);
            ASSERT_LT(index.cell_of[i], row.first_cell + row.cells);
        }
        EXPECT_GT(seen, 0U);
        std::size_t counted = 0;
        for (const TreeCell& cell : index.cells) {
            counted += cell.leaves;
            EXPECT_LT(cell.column, index.columns);
        }
        EXPECT_EQ(counted, leaves);
        for (const TreeRow& row : index.rows) {
            for (std::uint32_t c = row.first_cell + 1; c < row.first_cell + row.cells; ++c) {
                EXPECT_LT(index.cells[c - 1].column, index.cells[c].column);
            }
        }
    }
}

// An operand is an edge, unless both ends are in one cell.
TEST_P(IndexOf, HasAnEdgeForEveryOperandFromAnotherCell) {
    for (const Launch& launch : tests::trace_of(GetParam()).launches) {
        const TreeIndex index = make_tree_index(launch);
        std::multiset<std::pair<std::uint32_t, std::uint32_t>> expected, found;
        for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
            for (const std::uint32_t operand : {launch.nodes[i].left, launch.nodes[i].right()}) {
                const bool set = index.scan && operand != kNone && launch.nodes[operand].kind == NodeKind::identity &&
                                 launch.nodes[operand].step != 0; // stored in a word during a scan
                if (operand != kNone && !set &&                   // of a leaf only what another block of a cluster made
                    index.cell_of[operand] != index.cell_of[i]) {
                    expected.emplace(index.cell_of[operand], index.cell_of[i]);
                }
            }
        }
        for (const TreeEdge& edge : index.edges) {
            found.emplace(edge.from, edge.to);
        }
        EXPECT_EQ(found, expected);
        for (const WarpLink& link : index.links) {
            EXPECT_LE(link.from_step, link.step);
        }
    }
}

// Written again as a recursion over parents on purpose.
TEST_P(IndexOf, FindsTheSubtreeThatAnIndependentWalkFinds) {
    for (const Launch& launch : tests::trace_of(GetParam()).launches) {
        std::vector<std::vector<std::uint32_t>> parents(launch.nodes.size());
        for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
            for (const std::uint32_t operand : {launch.nodes[i].left, launch.nodes[i].right()}) {
                if (operand != kNone) {
                    parents[operand].push_back(i);
                }
            }
        }
        const auto count = static_cast<std::uint32_t>(launch.nodes.size());
        for (const std::uint32_t root : {count - 1, count / 2, count * 2 / 3, 0U}) {
            std::map<std::uint32_t, bool> known;
            const std::function<bool(std::uint32_t)> below = [&](std::uint32_t node) {
                if (node == root) {
                    return true;
                }
                if (const auto it = known.find(node); it != known.end()) {
                    return it->second;
                }
                bool any = false;
                for (const std::uint32_t parent : parents[node]) {
                    any = any || below(parent);
                }
                return known[node] = any;
            };
            const auto flags = subtree(launch, root);
            ASSERT_EQ(flags.size(), launch.nodes.size());
            for (std::uint32_t i = 0; i < count; ++i) {
                ASSERT_EQ(flags[i] != 0, below(i)) << "node " << i << " under " << root;
            }
        }
    }
}

TEST(TreeIndex, NoticesThatALaunchChanged) {
    Trace trace = tests::trace_of({"sequential", 64, 64});
    const auto before = tree_index(trace, 0);
    EXPECT_EQ(tree_index(trace, 0), before) << "asked again, not made again";
    trace = tests::trace_of({"interleaved-modulo", 64, 64});
    const auto after = tree_index(trace, 0);
    EXPECT_NE(after->closest, before->closest);
}

TEST_P(IndexOf, CountsTheLanesOfItsWarps) {
    for (const Launch& launch : tests::trace_of(GetParam()).launches) {
        const TreeIndex index = make_tree_index(launch);
        const std::size_t all = std::size_t{launch.window_count} * launch.warps();
        for (std::uint32_t step = 0; step < launch.steps.size(); ++step) {
            for (const auto& [first, end] : {std::pair<std::size_t, std::size_t>{0, all}, {all / 3, all - all / 4}}) {
                std::uint32_t active = 0, existing = 0;
                for (std::size_t w = first; w < end; ++w) {
                    const WarpStep it =
                        lanes_at_work(launch, launch.window_first + static_cast<std::uint32_t>(w / launch.warps()),
                                      step, static_cast<unsigned>(w % launch.warps()));
                    active += static_cast<unsigned>(std::popcount(it.active));
                    existing += static_cast<unsigned>(std::popcount(it.existing));
                }
                EXPECT_EQ(index.lanes(step, first, end).active, active);
                EXPECT_EQ(index.lanes(step, first, end).existing, existing);
            }
        }
    }
}

TEST(TreeIndex, KnowsATraceAsLongAsItLives) {
    auto trace = std::make_shared<Trace>(tests::trace_of({"sequential", 64, 64}));
    know_trace(trace);
    const auto before = tree_index(*trace, 0);
    Launch& launch = trace->launches[0];
    const std::vector<Node> nodes = std::exchange(launch.nodes, {});
    EXPECT_EQ(tree_index(*trace, 0), before) << "not looked through again";
    launch.nodes = nodes;
    Trace copy = *trace;
    EXPECT_EQ(tree_index(copy, 0), before) << "another one is found by its contents";
    copy.launches[0].nodes.pop_back();
    trace.reset();
    const auto other = std::make_shared<const Trace>(copy); // in the same place, as allocators have it
    know_trace(other);
    EXPECT_NE(tree_index(*other, 0), before);
    EXPECT_EQ(tree_index(*other, 0)->cell_of.size(), other->launches[0].nodes.size());
}

bool same(const TreeIndex& a, const TreeIndex& b) {
    const auto cells = [](const TreeCell& x, const TreeCell& y) {
        return std::tuple(x.node, x.column, x.leaves) == std::tuple(y.node, y.column, y.leaves);
    };
    const auto edges = [](const TreeEdge& x, const TreeEdge& y) { return x.from == y.from && x.to == y.to; };
    return std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(), cells) &&
           std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(), edges) &&
           a.cell_of == b.cell_of && a.hazardous == b.hazardous && a.passed_to == b.passed_to &&
           a.first_elements == b.first_elements && a.scan == b.scan && a.by_thread == b.by_thread &&
           a.columns == b.columns && a.lead == b.lead;
}

// Changing a member of a launch that affects the index must give a new index.
TEST(TreeIndex, IsOfEveryMemberItIsMadeFrom) {
    const Trace scan = tests::trace_of({"scan-shared", 64, 32}), race = tests::trace_of({"missing-barrier", 256, 128});
    const auto leaf = [](Launch& l, std::size_t k) -> Node& {
        const auto of = [&](const Node& n) { return n.kind == NodeKind::leaf && k-- == 0; };
        return *std::find_if(l.nodes.begin(), l.nodes.end(), of);
    };
    const auto combine = [](Launch& l) -> Node& {
        return *std::find_if(l.nodes.begin(), l.nodes.end(), [](const Node& n) { return n.kind == NodeKind::combine; });
    };
    struct Change {
        const char* of;
        const Trace& trace;
        std::function<void(Launch&)> make;
    };
    const Change changes[] = {
        {"element", scan, [&](Launch& l) { std::swap(leaf(l, 0).right_or_element, leaf(l, 5).right_or_element); }},
        {"block of a node", scan, [&](Launch& l) { leaf(l, 3).block = 1; }},
        {"step of a node", scan, [&](Launch& l) { ++combine(l).step; }},
        {"operand", scan, [&](Launch& l) { combine(l).left = 7; }},
        {"kind", scan, [&](Launch& l) { leaf(l, 2).kind = NodeKind::partial; }},
        {"step of an output", scan, [](Launch& l) { l.outputs[3].step = 2; }},
        {"node of an output", scan, [](Launch& l) { std::swap(l.outputs[3].node, l.outputs[40].node); }},
        {"outputs", scan, [](Launch& l) { l.outputs.clear(); }},
        {"elements", scan, [](Launch& l) { l.elements = 65; }},
        {"grid", scan, [](Launch& l) { l.grid = 64; }},
        {"word of a node", race, [&](Launch& l) { std::swap(leaf(l, 0).word, leaf(l, 5).word); }},
        {"thread of a node", race, [&](Launch& l) { combine(l).word = kNone, combine(l).thread = 60; }},
        {"shuffles", race, [](Launch& l) { l.shuffles.emplace_back(); }},
        {"word of a hazard", race, [](Launch& l) { l.hazards[0].word += 1; }},
        {"step of a hazard", race, [](Launch& l) { l.hazards[0].second_step = 1; }},
        {"block of a hazard", race, [](Launch& l) { l.hazards[0].block = 1; }},
    };
    unsigned decide = 0;
    for (const Change& change : changes) {
        Trace trace = change.trace;
        const auto before = tree_index(trace, 0);
        change.make(trace.launches[0]);
        const TreeIndex anew = make_tree_index(trace.launches[0]);
        EXPECT_TRUE(same(*tree_index(trace, 0), anew)) << change.of;
        decide += same(*before, anew) ? 0 : 1;
    }
    EXPECT_GE(decide, 12U) << "too few of the changes matter at all";
}

TEST(TreeIndex, CountsColumnsInThreadsOnceValuesMoveByShuffles) {
    EXPECT_TRUE(make_tree_index(tests::trace_of({"block-shuffle", 256, 256}).launches[0]).by_thread);
    const TreeIndex pairs = make_tree_index(tests::trace_of({"adjacent-pairs", 64, 32}).launches[0]);
    EXPECT_FALSE(pairs.by_thread);
    EXPECT_EQ(pairs.columns, 64U) << "two words a thread";
}

// Finds the last element of each node of a scan with an independent walk. Full tiles only.
void expect_below_the_last(const Trace& trace, Answer answer) {
    const Launch& launch = trace.launches[0];
    const TreeIndex index = make_tree_index(launch);
    ASSERT_TRUE(index.scan);
    // A tile reads partials of other tiles, unless one block draws all tiles.
    const bool asks = std::any_of(launch.nodes.begin(), launch.nodes.end(),
                                  [](const Node& n) { return n.kind == NodeKind::partial; });
    EXPECT_TRUE(!asks || (answer == Answer::scan && launch.grid > 1));
    EXPECT_EQ(index.lead, asks ? 1U : 0U);
    std::map<std::uint32_t, std::uint32_t> first; // first element of each block
    for (const Node& n : launch.nodes) {
        if (n.kind == NodeKind::leaf) {
            first[n.block] = std::min(first.try_emplace(n.block, n.element()).first->second, n.element());
        }
    }
    for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
        if (launch.nodes[i].kind != NodeKind::combine || !launch.nodes[i].useful) {
            continue;
        }
        const auto flags = subtree(launch, i);
        std::uint32_t last = kNone;
        for (std::uint32_t k = 0; k < flags.size(); ++k) {
            if (flags[k] != 0 && launch.nodes[k].kind == NodeKind::leaf) {
                last = last == kNone ? launch.nodes[k].element() : std::max(last, launch.nodes[k].element());
            }
        }
        const std::uint32_t column = index.cells[index.cell_of[i]].column;
        EXPECT_EQ(column, last == kNone ? 0 : last - first.at(launch.nodes[i].block) + index.lead) << "node " << i;
    }
    for (const Output& output : launch.outputs) {
        if (output.allocation < launch.allocations.size() && launch.allocations[output.allocation].name != "out") {
            continue; // tickets, and what tiles publish
        }
        const std::uint32_t cell = index.cell_of.at(output.node);
        EXPECT_EQ(index.output_column(output.block, output.index), index.cells[cell].column);
    }
    for (const TreeEdge& edge : index.edges) {
        const TreeCell &from = index.cells[edge.from], &to = index.cells[edge.to];
        if (from.column != to.column) {
            EXPECT_LT(from.column, to.column) << "values go to the right";
            EXPECT_GE(index.passed_to[edge.from] + 1, launch.nodes[to.node].step);
        }
    }
}

TEST(ScanNetwork, PutsEachCombineBelowTheLastElementItCovers) {
    for (const StrategyInfo& info : strategies()) {
        if (is_scan(info) && !info.deadlocks) {
            SCOPED_TRACE(info.id);
            expect_below_the_last(tests::trace_of({std::string(info.id), 512, 64}), info.answer);
        }
    }
}

// With vectors in rows, threads load their elements in another order; and a block may process several tiles.
TEST(ScanNetwork, OrdersWhatLiesInRows) {
    RunOptions rows = tests::options_of({"scan-lookback", 2048, 64});
    rows.parameters = {{"vectors", 4}};
    expect_below_the_last(runs::run_any(rows), Answer::scan);
    for (const std::uint32_t blocks : {1U, 3U}) {
        RunOptions tiles = tests::options_of({"scan-pipelined", 6 * 256, 64});
        tiles.parameters = {{"blocks", blocks}};
        SCOPED_TRACE(blocks);
        expect_below_the_last(runs::run_any(tiles), Answer::scan);
    }
}

// The eight partial results of a cluster meet in its first block: seven of them come from others.
TEST(IndexOfACluster, HasAnEdgeFromEachOtherBlock) {
    const Launch& launch = tests::trace_of({"cluster", 1000, 64, Finish::atomic}).launches[0];
    const TreeIndex index = make_tree_index(launch);
    const auto block = [&](std::uint32_t cell) { return launch.nodes[index.cells[cell].node].block; };
    std::multiset<std::uint32_t> from;
    for (const TreeEdge& e : index.edges) {
        if (block(e.from) != block(e.to)) {
            EXPECT_EQ(block(e.to), 0U);
            from.insert(block(e.from));
        }
    }
    EXPECT_EQ(from, (std::multiset<std::uint32_t>{1, 2, 3, 4, 5, 6, 7}));
}

} // namespace
} // namespace warptree::scene
