// What goes wrong on purpose: wrong in the way a plain simulation of the order predicts, named, and never hanging.
#include "kernels/error.hpp"
#include "kernels/input.hpp"
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"
#include "kernels/trace/check.hpp"
#include "kernels/trace/explain.hpp"
#include "kernels/trace/file.hpp"
#include "kernels/trace/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace warptree {
namespace {

using testing::HasSubstr;

RunOptions exhibit(std::string_view id, std::uint64_t n, std::uint32_t block, WarpOrder order = WarpOrder::in_order) {
    RunOptions o;
    o.strategy = id;
    o.n = n;
    o.block = block;
    o.order = order;
    o.input = InputKind::random;
    o.backend = Backend::cpu;
    o.window = {0, 1000};
    return o;
}

std::uint16_t step(const Launch& l, std::string_view label) {
    const auto found = std::find_if(l.steps.begin(), l.steps.end(), [&](const Step& s) { return s.label == label; });
    EXPECT_NE(found, l.steps.end()) << label;
    return static_cast<std::uint16_t>(found - l.steps.begin());
}

// Threads in the order in which a launch of one block runs them, when it does not run them in turns.
std::vector<unsigned> threads(unsigned block, WarpOrder order) {
    std::vector<unsigned> all(block);
    std::iota(all.begin(), all.end(), 0U);
    if (order == WarpOrder::reverse) {
        std::reverse(all.begin(), all.end());
    }
    return all;
}

// The tree without barriers as plain loops.
std::int32_t without_barriers(std::vector<std::int32_t> s, WarpOrder order) {
    const auto block = static_cast<unsigned>(s.size());
    if (order == WarpOrder::lockstep) {
        for (unsigned warp = 0; warp < block; warp += kWarpSize) {
            for (unsigned stride = block / 2; stride > 0; stride /= 2) {
                const std::vector<std::int32_t> before = s;
                for (unsigned t = warp; t < std::min(stride, warp + kWarpSize); ++t) {
                    s[t] = before[t] + before[t + stride];
                }
            }
        }
        return s[0];
    }
    for (const unsigned t : threads(block, order)) {
        for (unsigned stride = block / 2; stride > 0; stride /= 2) {
            if (t < stride) {
                s[t] += s[t + stride];
            }
        }
    }
    return s[0];
}

std::int32_t sum(const std::vector<std::int32_t>& x) { return std::accumulate(x.begin(), x.end(), 0); }

std::vector<std::int32_t> input_of(const RunOptions& o) {
    const Elements e = make_input(resolve(o));
    return {e.as<std::int32_t>(), e.as<std::int32_t>() + e.size()};
}

class Orders : public testing::TestWithParam<WarpOrder> {};
INSTANTIATE_TEST_SUITE_P(Exhibits, Orders, testing::ValuesIn(kWarpOrders), [](const auto& info) {
    std::string text(name(info.param));
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

TEST_P(Orders, MissingBarrierIsAsWrongAsItsOrderMakesIt) {
    for (const std::uint32_t block : {128U, 256U, 1024U}) {
        const RunOptions o = exhibit("missing-barrier", block, block, GetParam());
        const Trace t = run(o);
        EXPECT_EQ(t.reference.as<std::int32_t>(), sum(input_of(o)));
        EXPECT_EQ(t.pass, t.result == t.reference);
        if (GetParam() != WarpOrder::random) {
            EXPECT_EQ(t.result.as<std::int32_t>(), without_barriers(input_of(o), GetParam())) << block;
            EXPECT_EQ(t.pass, GetParam() == WarpOrder::reverse) << block;
        }
        // Step s reads the words s … 2s - 1, which other threads combined in the step before.
        const Launch& l = t.launches.front();
        for (std::uint32_t s = block / 4; s > 0; s /= 2) {
            EXPECT_EQ(l.steps[step(l, "s = " + std::to_string(s))].counters.hazards, s);
        }
        EXPECT_EQ(l.totals().hazards, block / 2 - 1);
    }
}

TEST(Exhibits, SomeSeedsOfARaceAreRightAndSomeWrong) {
    RunOptions o = exhibit("missing-barrier", 128, 128, WarpOrder::random);
    unsigned right = 0;
    for (o.seed = 1; o.seed <= 64; ++o.seed) {
        const Trace t = run(o);
        right += t.pass ? 1 : 0;
        EXPECT_EQ(run(o), t) << "not repeatable, seed " << o.seed;
    }
    EXPECT_GT(right, 0U);
    EXPECT_LT(right, 64U);
}

TEST(Exhibits, MissingBarrierNamesReaderAndWriter) {
    const Trace t = run(exhibit("missing-barrier", 128, 128));
    const Launch& l = t.launches.front();
    unsigned found = 0;
    for (const Hazard& h : l.hazards) {
        if (h.second_step != step(l, "s = 32")) {
            continue;
        }
        ++found;
        const Race race = race_of(h);
        EXPECT_EQ(race.word, race.first.thread);
        EXPECT_EQ(race.first.step, step(l, "s = 64"));
        EXPECT_TRUE(race.first.writes);
        EXPECT_EQ(race.second.thread, race.word - 32);
        EXPECT_FALSE(race.second.writes);
        EXPECT_EQ(race.first.line, race.second.line);
        EXPECT_EQ(wrong_orders(race), (std::vector{WarpOrder::in_order, WarpOrder::lockstep}));
    }
    EXPECT_EQ(found, 32U);
    const Hazard* leading = leading_hazard(l, step(l, "s = 32"), 0);
    ASSERT_NE(leading, nullptr);
    const std::string text = explain(l, *leading, "exhibits/missing_barrier.hpp");
    EXPECT_THAT(text, HasSubstr("Thread 0 reads word 32 in step s = 32, line "));
    EXPECT_THAT(text, HasSubstr("; thread 32, of another warp, writes it in step s = 64, line "));
    EXPECT_THAT(text, HasSubstr("The write has to come first, but nothing orders the two: in-order and lockstep run "
                                "the read first."));
    EXPECT_EQ(leading_hazard(l, step(l, "load"), 0), nullptr);
}

class Tails : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Exhibits, Tails, testing::Values("missing-syncwarp", "volatile-tail"), [](const auto& info) {
    return info.param == "volatile-tail" ? std::string("volatile_tail") : std::string("missing_syncwarp");
});

TEST_P(Tails, AreRightInLockstepOnly) {
    for (const WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::lockstep}) {
        const RunOptions o = exhibit(GetParam(), 128, 64, order);
        const std::vector<std::int32_t> x = input_of(o);
        std::vector<std::uint32_t> s(64); // unsigned: the sum of what was read too early overflows
        for (unsigned t = 0; t < 64; ++t) {
            s[t] = static_cast<std::uint32_t>(x[t]) + static_cast<std::uint32_t>(x[t + 64]);
        }
        for (const unsigned t : threads(32, order)) {
            for (unsigned stride = 32; stride > 0; stride /= 2) {
                s[t] += s[t + stride];
            }
        }
        const Trace t = run(o);
        EXPECT_EQ(t.result.as<std::int32_t>(), order == WarpOrder::lockstep ? sum(x) : static_cast<std::int32_t>(s[0]))
            << name(order);
        EXPECT_EQ(t.pass, order == WarpOrder::lockstep) << name(order);
    }
}

// Larger blocks, several of them, every type: lockstep stays right.
TEST_P(Tails, LockstepIsRightForEveryTypeAndBlock) {
    for (const ElementType type : kElementTypes) {
        for (const std::uint32_t block : {64U, 256U, 1024U}) {
            RunOptions o = exhibit(GetParam(), 5000, block, WarpOrder::lockstep);
            o.type = type;
            o.window = {0, 1};
            EXPECT_TRUE(run(o).pass) << name(type) << " " << block;
        }
    }
}

TEST_P(Tails, NameTheLanesThatRace) {
    const Trace t = run(exhibit(GetParam(), 128, 64));
    const Launch& l = t.launches.front();
    // Lane w - s reads word w, which lane w has stored; words past 31 are only read.
    for (const std::uint32_t s : {16U, 8U, 4U, 2U, 1U}) {
        EXPECT_EQ(l.steps[step(l, "s = " + std::to_string(s))].counters.hazards, 32 - s);
    }
    EXPECT_EQ(l.totals().hazards, 129U);
    const auto found = std::find_if(l.hazards.begin(), l.hazards.end(), [&](const Hazard& h) {
        return h.word == 16 && h.second_step == step(l, "s = 16");
    });
    ASSERT_NE(found, l.hazards.end());
    const Race race = race_of(*found);
    EXPECT_EQ(race.first.thread, 16U);
    EXPECT_EQ(race.first.step, step(l, "s = 32"));
    EXPECT_TRUE(race.first.writes);
    EXPECT_EQ(race.second.thread, 0U);
    EXPECT_FALSE(race.second.writes);
    EXPECT_EQ(wrong_orders(race), std::vector{WarpOrder::in_order}) << "lanes of one warp keep step in lockstep";
}

// What threads do, apart from the values they find, does not depend on the order; so neither does what is reported.
TEST(Exhibits, HazardsAreTheSameUnderEveryOrder) {
    for (const char* id : {"missing-barrier", "missing-syncwarp", "volatile-tail"}) {
        const Launch first = run(exhibit(id, 1000, 128)).launches.front();
        EXPECT_FALSE(first.hazards.empty());
        for (const WarpOrder order : kWarpOrders) {
            const Launch other = run(exhibit(id, 1000, 128, order)).launches.front();
            EXPECT_EQ(other.hazards, first.hazards) << id << " " << name(order);
            EXPECT_EQ(other.requests, first.requests) << id << " " << name(order);
            EXPECT_EQ(other.warp_steps, first.warp_steps) << id << " " << name(order);
        }
    }
}

class TraceOfFault : public testing::Test {
  protected:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("warptree-exhibit-" + std::to_string(getpid()) + ".wtrace");
    void TearDown() override { std::filesystem::remove(path_); }
};

// Under a race a combine may take a value of a later step.
TEST_F(TraceOfFault, SurvivesAFile) {
    for (const char* id : {"missing-barrier", "missing-syncwarp", "barrier-in-branch"}) {
        for (const WarpOrder order : kWarpOrders) {
            const Trace t = run(exhibit(id, 300, 128, order));
            save(t, path_);
            EXPECT_EQ(load(path_), t) << id << " " << name(order);
        }
    }
}

TEST(Exhibits, AValueThatDependsOnItselfIsNoTrace) {
    Trace t = run(exhibit("missing-syncwarp", 128, 64, WarpOrder::reverse));
    check(t);
    auto& nodes = t.launches.front().nodes;
    const auto last = std::find_if(nodes.rbegin(), nodes.rend(), [&](const Node& n) {
        return n.kind == NodeKind::combine && n.left != kNone && nodes[n.left].kind == NodeKind::combine;
    });
    ASSERT_NE(last, nodes.rend());
    nodes[last->left].right = static_cast<std::uint32_t>(&*last - nodes.data());
    EXPECT_THROW(check(t), CorruptTrace);
}

TEST_P(Orders, BarrierInBranchNeverHangs) {
    for (const auto& [n, block] : {std::pair{1U, 2U}, {31U, 32U}, {128U, 128U}, {1000U, 128U}, {3000U, 1024U}}) {
        const Trace t = run(exhibit("barrier-in-branch", n, block, GetParam()));
        const Launch& l = t.launches.front();
        EXPECT_FALSE(t.completed());
        EXPECT_FALSE(t.pass);
        EXPECT_EQ(l.stalled_blocks, l.grid);
        EXPECT_EQ(l.totals().barriers, l.grid) << "only the one after the load";
        EXPECT_TRUE(l.outputs.empty());
        const auto groups = stall_groups(l);
        ASSERT_EQ(groups.size(), 2 * l.grid);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            const StallGroup &in = groups[2 * b], &after = groups[2 * b + 1];
            EXPECT_EQ(in.step, step(l, "s = " + std::to_string(block / 2)));
            EXPECT_EQ(in.threads, (std::vector{std::pair{0U, block / 2 - 1}}));
            EXPECT_EQ(after.step, step(l, "store"));
            EXPECT_EQ(after.threads, (std::vector{std::pair{block / 2, block - 1}}));
            EXPECT_LT(in.line, after.line);
            EXPECT_EQ(in.waiting, block / 2);
            EXPECT_EQ(in.expected, block);
            EXPECT_EQ(after.expected, block);
        }
    }
}

TEST(Exhibits, ADeadlockIsReported) {
    RunOptions o = exhibit("barrier-in-branch", 256, 128);
    const Trace t = run(o);
    const auto r = nlohmann::json::parse(report_json(t));
    EXPECT_TRUE(r["result"].is_null());
    EXPECT_EQ(r["completed"], false);
    EXPECT_EQ(r["pass"], false);
    ASSERT_EQ(r["stalls"].size(), 4U);
    EXPECT_EQ(r["stalls"][0]["step"], "s = 64");
    EXPECT_EQ(r["stalls"][0]["waiting"], 64);
    EXPECT_EQ(r["stalls"][0]["expected"], 128);
    EXPECT_EQ(r["stalls"][1]["threads"], nlohmann::json::parse("[[64, 127]]"));
    EXPECT_THAT(report_text(t), HasSubstr("threads 0-63 wait at line"));
    EXPECT_THAT(report_text(t), HasSubstr("until all 128 threads of the block have come"));
    EXPECT_THAT(report_text(t), HasSubstr("result none"));
    o.finish = Finish::relaunch;
    EXPECT_EQ(run(o).launches.size(), 1U);
    o.finish = Finish::atomic;
    EXPECT_FALSE(run(o).completed());
    o.window = {0, 0};
    EXPECT_FALSE(run(o).completed()) << "though no block is kept";
    o.backend = Backend::cuda;
    EXPECT_THROW(resolve(o), OptionError);
}

TEST(Exhibits, ReportNamesTheRace) {
    const auto r = nlohmann::json::parse(report_json(run(exhibit("missing-barrier", 128, 128))));
    EXPECT_EQ(r["pass"], false);
    EXPECT_NE(r["result"], r["reference"]);
    EXPECT_EQ(r["order"], "in-order");
    EXPECT_FALSE(r["on_gpu"].get<std::string>().empty());
    ASSERT_EQ(r["hazards"].size(), 63U);
    const auto& h = r["hazards"][0];
    EXPECT_EQ(h["word"], 32);
    EXPECT_EQ(h["step"], "s = 32");
    EXPECT_EQ(h["reader"]["thread"], 0);
    EXPECT_EQ(h["reader"]["warp"], 0);
    EXPECT_EQ(h["writer"]["thread"], 32);
    EXPECT_EQ(h["writer"]["warp"], 1);
    EXPECT_EQ(h["writer"]["step"], "s = 64");
    EXPECT_EQ(h["writer"]["file"], "exhibits/missing_barrier.hpp");
    EXPECT_GT(h["writer"]["line"], 0);
    EXPECT_FALSE(nlohmann::json::parse(report_json(run(exhibit("sequential", 128, 128)))).contains("hazards"));
}

TEST(Exhibits, TwoOperandsInOneBankAreTwoRequests) {
    const Trace t = run(exhibit("two-operands-no-conflict", 1000, 32));
    EXPECT_TRUE(t.pass);
    const Launch& l = t.launches.front();
    std::vector<const Request*> loads;
    for (const Request& r : l.requests) {
        if (r.block == 0 && r.step == step(l, "s = 32") && r.kind == AccessKind::shared_load) {
            loads.push_back(&r);
        }
    }
    ASSERT_EQ(loads.size(), 2U);
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(l.indices[loads[0]->first_index + lane], lane);
        EXPECT_EQ(l.indices[loads[1]->first_index + lane], lane + 32);
    }
    EXPECT_EQ(loads[0]->wavefronts, 1U);
    EXPECT_EQ(loads[1]->wavefronts, 1U);
    EXPECT_EQ(l.totals().hazards, 0U);
}

TEST(Exhibits, ABroadcastTakesOneWavefront) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = run(exhibit("broadcast", 1000, block));
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        unsigned seen = 0;
        for (const Request& r : l.requests) {
            if (r.step == step(l, "store") && r.kind == AccessKind::shared_load) {
                EXPECT_EQ(r.mask, 0xFFFFFFFFU);
                EXPECT_EQ(r.wavefronts, 1U);
                ++seen;
            }
        }
        EXPECT_EQ(seen, l.grid * block / 32);
    }
}

// Paths of each warp in the step that branches, over all blocks of the first launch.
std::vector<unsigned> paths(const Launch& l, std::uint32_t block) {
    std::vector<unsigned> of_warp(l.warps(), 0);
    for (const Request& r : l.requests) {
        if (r.block == block && r.step == 1) {
            of_warp[r.warp] = std::max<unsigned>(of_warp[r.warp], r.path + 1U);
        }
    }
    return of_warp;
}

TEST(Exhibits, ABranchOnTheThreadPartsWarp0Only) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = run(exhibit("divergence-thread", 2000, block));
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        const Step& branch = l.steps[step(l, "s = " + std::to_string(block))];
        EXPECT_EQ(branch.counters.divergent_warps, l.grid);
        EXPECT_EQ(branch.counters.active_threads, l.grid * block);
        // Warp 0 makes each of its three accesses twice.
        EXPECT_EQ(branch.counters.shared_load_requests, 2 * (l.grid * block / 32 + l.grid));
        EXPECT_EQ(branch.counters.shared_store_requests, l.grid * block / 32 + l.grid);
        EXPECT_EQ(l.steps.back().counters.divergent_warps, 0U);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            std::vector<unsigned> expected(block / 32, 1);
            expected[0] = 2;
            EXPECT_EQ(paths(l, b), expected);
            EXPECT_EQ(l.warp_step(b, 1, 0).other_path, 0xFFFFFFF8U) << "lanes 3 to 31 are not with lane 0";
        }
    }
}

TEST(Exhibits, ABranchOnTheBlockPartsNoWarp) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = run(exhibit("divergence-block", 16 * block, block)); // 8 whole blocks
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        ASSERT_EQ(l.grid, 8U);
        EXPECT_EQ(l.totals().divergent_warps, 0U);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            EXPECT_EQ(paths(l, b), std::vector<unsigned>(block / 32, 1));
        }
        // Blocks 0, 1 and 2 take the other side: other lines of the source.
        const auto line = [&](std::uint32_t b) {
            return std::find_if(l.requests.begin(), l.requests.end(),
                                [&](const Request& r) { return r.block == b && r.step == 1; })
                ->line;
        };
        EXPECT_EQ(line(0), line(2));
        EXPECT_EQ(line(3), line(7));
        EXPECT_NE(line(2), line(3));
    }
}

struct Shape {
    std::uint32_t rows, columns, inner;
};
RunOptions matmul(const Shape& s, std::uint32_t tile, ElementType type = ElementType::i32) {
    RunOptions o = exhibit("tiled-matmul", 32, tile * tile);
    o.parameters = {{"rows", s.rows}, {"columns", s.columns}, {"inner", s.inner}};
    o.type = type;
    return o;
}

TEST(Matmul, AgreesWithThreeLoops) {
    for (const std::uint32_t tile : {16U, 32U}) {
        for (const Shape& s :
             {Shape{1, 1, 1}, Shape{17, 33, 5}, Shape{16, 16, 16}, Shape{32, 32, 32}, Shape{31, 1, 40}}) {
            for (const ElementType type : {ElementType::i32, ElementType::f64}) {
                if (type == ElementType::f64 && s.inner != 5) {
                    continue;
                }
                const RunOptions o = matmul(s, tile, type);
                const Elements x = make_input(resolve(o));
                ASSERT_EQ(x.size(), s.rows * s.inner + s.inner * s.columns);
                const Trace t = run(o);
                EXPECT_TRUE(t.pass);
                EXPECT_FALSE(t.first_wrong.has_value());
                const Launch& l = t.launches.front();
                ASSERT_EQ(l.outputs_total, s.rows * s.columns);
                for (std::uint32_t i = 0; i < l.partials.size(); ++i) {
                    const std::uint32_t row = i / s.columns, column = i % s.columns;
                    double sum = 0;
                    std::int64_t whole = 0;
                    for (std::uint32_t k = 0; k < s.inner; ++k) {
                        const std::size_t a = row * s.inner + k, b = s.rows * s.inner + k * s.columns + column;
                        if (type == ElementType::i32) {
                            whole += std::int64_t{x.as<std::int32_t>()[a]} * x.as<std::int32_t>()[b];
                        } else {
                            sum += x.as<double>()[a] * x.as<double>()[b];
                        }
                    }
                    if (type == ElementType::i32) {
                        EXPECT_EQ(l.partials[i].as<std::int32_t>(), static_cast<std::int32_t>(whole)) << i;
                    } else {
                        EXPECT_NEAR(l.partials[i].as<double>(), sum, 1e-9) << i;
                    }
                }
            }
        }
    }
}

// A phase of one block: 2 tile² loads for 2 tile³ operations.
TEST(Matmul, LoadsFallByTheWidthOfTheTile) {
    for (const auto& [tile, loads, operations] : {std::tuple{16U, 512U, 8192U}, {32U, 2048U, 65536U}}) {
        for (const std::uint32_t n : {tile, 32U}) {
            RunOptions o = matmul({n, n, n}, tile);
            o.window = {0, 1};
            const Launch l = run(o).launches.front();
            const std::uint32_t phases = n / tile, blocks = phases * phases;
            ASSERT_EQ(l.grid, blocks);
            ASSERT_EQ(l.steps.size(), 2 * phases + 1);
            std::uint64_t loaded = 0;
            for (const Node& node : l.nodes) {
                loaded += node.kind == NodeKind::leaf ? 1 : 0;
            }
            EXPECT_EQ(loaded, phases * loads) << "of one block";
            for (std::uint32_t p = 0; p < phases; ++p) {
                const Counters &load = l.steps[2 * p].counters, &compute = l.steps[2 * p + 1].counters;
                EXPECT_EQ(load.global_load_requests, blocks * loads / 32);
                EXPECT_EQ(load.barriers, blocks);
                EXPECT_EQ(compute.combines, blocks * operations);
                EXPECT_EQ(compute.barriers, blocks);
                EXPECT_EQ(compute.shared_load_wavefronts, compute.shared_load_ideal);
                EXPECT_EQ(compute.hazards, 0U);
            }
            EXPECT_EQ(l.steps.back().counters.active_threads, n * n);
        }
    }
}

TEST(Matmul, ZeroFillPastTheEdgeLoadsNothing) {
    const Launch l = run(matmul({17, 33, 5}, 16)).launches.front();
    EXPECT_EQ(l.grid, 2U * 3);
    // A is loaded once for each of the 3 columns of tiles, B once for each of the 2 rows.
    const std::uint64_t loading = [] {
        std::uint64_t threads = 0; // that load an element of A or of B
        for (unsigned by = 0; by < 2; ++by) {
            for (unsigned bx = 0; bx < 3; ++bx) {
                for (unsigned t = 0; t < 256; ++t) {
                    const unsigned y = t / 16, x = t % 16;
                    threads += (by * 16 + y < 17 && x < 5) || (y < 5 && bx * 16 + x < 33) ? 1 : 0;
                }
            }
        }
        return threads;
    }();
    EXPECT_EQ(l.steps.front().counters.active_threads, loading);
    std::uint64_t leaves = 0;
    for (const Node& node : l.nodes) {
        leaves += node.kind == NodeKind::leaf ? 1 : 0;
    }
    EXPECT_EQ(leaves, 17U * 5 * 3 + 5U * 33 * 2);
    EXPECT_EQ(l.steps.back().counters.active_threads, 17U * 33);
}

TEST(Matmul, RefusesWhatItCannotDo) {
    RunOptions o = matmul({16, 16, 16}, 16);
    o.block = 512;
    EXPECT_THROW(run(o), OptionError);
    o = matmul({16, 16, 16}, 16);
    o.op = Operator::max;
    EXPECT_THROW(run(o), OptionError);
    o = matmul({4096, 4096, 4096}, 16);
    EXPECT_THROW(run(o), OptionError);
    o = matmul({5000, 1, 1}, 16);
    EXPECT_THROW(run(o), OptionError);
    o.parameters.clear();
    o.n = 1ULL << 31;
    EXPECT_THROW(run(o), OptionError);
    o.n = 20; // stands for all three
    EXPECT_EQ(run(o).launches.front().elements, 800U);
}

TEST(Matmul, IsTheSameUnderEveryOrder) {
    for (const WarpOrder order : kWarpOrders) {
        RunOptions o = matmul({20, 18, 17}, 16);
        const Trace first = run(o);
        o.order = order;
        Trace other = run(o);
        other.options = first.options;
        EXPECT_EQ(other, first) << name(order);
    }
}

TEST(Exhibits, SayWhatGoesWrongAndWhatAGpuMayDo) {
    unsigned seen = 0;
    for (const StrategyInfo& s : strategies()) {
        EXPECT_EQ(s.hazard.empty(), s.family != Family::exhibit) << s.id;
        EXPECT_EQ(s.on_gpu.empty(), s.family != Family::exhibit) << s.id;
        seen += s.family == Family::exhibit ? 1 : 0;
    }
    EXPECT_EQ(seen, 9U);
}

} // namespace
} // namespace warptree
