// Tiled matrix multiplication compared with three loops, and the loads that tiles save.
#include "app/base/error.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "tests/run/exhibit_run.hpp"

#include "tests/run/same_execution.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace warptree {
namespace {

struct Shape {
    std::uint32_t rows, columns, inner;
};
RunOptions matmul(const Shape& s, std::uint32_t tile, ElementType type = ElementType::i32) {
    RunOptions o = exhibit("tiled-matmul", 32, tile * tile);
    o.parameters = {{"rows", s.rows}, {"columns", s.columns}, {"inner", s.inner}};
    o.type = type;
    return o;
}

Elements factor(std::uint64_t elements, std::uint64_t seed, ElementType type) {
    RunOptions o;
    o.n = elements;
    o.type = type;
    o.input = InputKind::random;
    o.seed = seed;
    return runs::make_input(o);
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
                const Elements left = factor(s.rows * s.inner, o.seed, type);
                const Elements right = factor(s.inner * s.columns, o.seed + 1, type);
                const Trace t = runs::run_any(o);
                EXPECT_TRUE(t.pass);
                EXPECT_FALSE(t.first_wrong.has_value());
                const Launch& l = t.launches.front();
                ASSERT_EQ(l.outputs_total, s.rows * s.columns);
                for (std::uint32_t i = 0; i < l.partials.size(); ++i) {
                    const std::uint32_t row = i / s.columns, column = i % s.columns;
                    double sum = 0;
                    std::int64_t whole = 0;
                    for (std::uint32_t k = 0; k < s.inner; ++k) {
                        const std::size_t a = row * s.inner + k, b = k * s.columns + column;
                        if (type == ElementType::i32) {
                            whole += std::int64_t{left.as<std::int32_t>()[a]} * right.as<std::int32_t>()[b];
                        } else {
                            sum += left.as<double>()[a] * right.as<double>()[b];
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
            const Launch l = runs::run_any(o).launches.front();
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
                EXPECT_EQ(compute.combines, blocks * operations / 2) << "a product is none";
                EXPECT_EQ(compute.barriers, blocks);
                EXPECT_EQ(compute.shared_load_wavefronts, compute.shared_load_ideal);
                EXPECT_EQ(compute.hazards, 0U);
            }
            EXPECT_EQ(l.steps.back().counters.active_threads, n * n);
        }
    }
}

TEST(Matmul, ZeroFillPastTheEdgeLoadsNothing) {
    const Launch l = runs::run_any(matmul({17, 33, 5}, 16)).launches.front();
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
    EXPECT_THROW(runs::run_any(o), OptionError);
    o = matmul({16, 16, 16}, 16);
    o.op = Operator::max;
    EXPECT_THROW(runs::run_any(o), OptionError);
    o = matmul({4096, 4096, 4096}, 16);
    EXPECT_THROW(runs::run_any(o), OptionError);
    o = matmul({5000, 1, 1}, 16);
    EXPECT_THROW(runs::run_any(o), OptionError);
    o.parameters.clear();
    o.n = 1ULL << 31;
    EXPECT_THROW(runs::run_any(o), OptionError);
    o.n = 20; // stands for all three
    EXPECT_EQ(runs::run_any(o).launches.front().outputs_total, 400U);
}

TEST(Matmul, IsTheSameUnderEveryOrder) {
    for (const WarpOrder order : kWarpOrders) {
        RunOptions o = matmul({20, 18, 17}, 16);
        const Trace first = runs::run_any(o);
        o.order = order;
        tests::expect_same_execution(runs::run_any(o), first, name(order));
    }
}

} // namespace
} // namespace warptree
