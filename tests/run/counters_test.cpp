// The counters of a step compared with closed forms.
#include "app/run/run.hpp"
#include "app/trace/model/trace.hpp"
#include "tests/run/cpu_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>

namespace warptree {
namespace {

const Step& step(const Trace& t, const std::string& label) {
    for (const Step& s : t.launches.front().steps) {
        if (s.label == label) {
            return s;
        }
    }
    throw std::runtime_error("no step " + label);
}

// Hardware counters for a block of 256: 95 load and 55 store wavefronts.
TEST(Counters, InterleavedModuloAgreesWithTheHardware) {
    RunOptions o = cpu("interleaved-modulo", 256);
    const Counters c = runs::run_any(o).launches.front().totals();
    EXPECT_EQ(c.shared_load_wavefronts, 95U);
    EXPECT_EQ(c.shared_store_wavefronts, 55U);
}

class BlockSizes : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Counters, BlockSizes, testing::Values(1, 2, 4, 16, 32, 64, 128, 256, 512, 1024));

TEST_P(BlockSizes, InterleavedModuloClosedForm) {
    const std::uint64_t B = GetParam(), W = (B + 31) / 32, G = 3;
    RunOptions o = cpu("interleaved-modulo", B * G);
    o.block = GetParam();
    const Trace t = runs::run_any(o);
    for (std::uint64_t s = 1; s < B; s *= 2) {
        const Counters& c = step(t, "s = " + std::to_string(s)).counters;
        const std::uint64_t warps = std::min(W, std::max<std::uint64_t>(1, B / (2 * s)));
        EXPECT_EQ(c.active_threads, G * B / (2 * s));
        EXPECT_EQ(c.active_warps, G * warps);
        EXPECT_EQ(c.divergent_warps, G * warps);
        EXPECT_EQ(c.combines, G * B / (2 * s));
        EXPECT_EQ(c.useful_combines, c.combines);
        EXPECT_EQ(c.shared_load_requests, 2 * G * warps);
        EXPECT_EQ(c.shared_load_wavefronts, 2 * G * warps); // the lanes of a warp read different banks
        EXPECT_EQ(c.barriers, G);
    }
    EXPECT_EQ(t.tree.combines, B * G - 1);
    EXPECT_EQ(t.tree.depth, static_cast<std::uint64_t>(std::bit_width(B) - 1 + 2));
}

TEST_P(BlockSizes, StridedClosedForm) {
    const std::uint64_t B = GetParam();
    RunOptions o = cpu("interleaved-strided", B);
    o.block = GetParam();
    const Trace t = runs::run_any(o);
    for (std::uint64_t s = 1; s < B; s *= 2) {
        const Counters& c = step(t, "s = " + std::to_string(s)).counters;
        const std::uint64_t active = B / (2 * s);
        std::uint64_t wavefronts = 0; // words 2st: lanes 32 / gcd(2s, 32) apart share a bank
        for (std::uint64_t first = 0; first < active; first += 32) {
            const std::uint64_t lanes = std::min<std::uint64_t>(32, active - first);
            const std::uint64_t period = 32 / std::gcd<std::uint64_t, std::uint64_t>(2 * s, 32);
            wavefronts += (lanes + period - 1) / period;
        }
        EXPECT_EQ(c.shared_store_wavefronts, wavefronts) << "s " << s;
        EXPECT_EQ(c.shared_load_wavefronts, 2 * wavefronts) << "s " << s;
        EXPECT_EQ(c.active_warps, (active + 31) / 32);
        EXPECT_EQ(c.divergent_warps, active % 32 != 0 ? (active < B || B % 32 != 0 ? 1U : 0U) : 0U);
    }
}

TEST_P(BlockSizes, SequentialHasNoConflictsAndDivergesOnlyInTheLastWarp) {
    const std::uint64_t B = GetParam();
    RunOptions o = cpu("sequential", B);
    o.block = GetParam();
    const Trace t = runs::run_any(o);
    for (std::uint64_t s = B / 2; s > 0; s /= 2) {
        const Counters& c = step(t, "s = " + std::to_string(s)).counters;
        EXPECT_EQ(c.shared_load_wavefronts, c.shared_load_ideal);
        EXPECT_EQ(c.active_warps, (s + 31) / 32);
        EXPECT_EQ(c.divergent_warps, s < 32 ? 1U : 0U);
    }
}

// 1024 threads: the first six steps do not diverge, the last five do.
TEST(Counters, ConvergingAt1024) {
    RunOptions o = cpu("converging", 2048);
    o.block = 1024;
    unsigned calm = 0, diverging = 0;
    const Trace ran = runs::run_any(o);
    for (const Step& s : ran.launches.front().steps) {
        if (s.kind == StepKind::stage) {
            (s.counters.divergent_warps == 0 ? calm : diverging) += 1;
        }
    }
    EXPECT_EQ(calm, 6U);
    EXPECT_EQ(diverging, 5U);
}

TEST(Counters, UnrolledTailHasUselessCombines) {
    RunOptions o = cpu("unroll-last-warp", 512);
    const Trace t = runs::run_any(o);
    for (const std::uint64_t s : {32, 16, 8, 4, 2, 1}) {
        const Counters& c = step(t, "s = " + std::to_string(s)).counters;
        EXPECT_EQ(c.combines, 32U);
        EXPECT_EQ(c.useful_combines, s);
        EXPECT_EQ(c.barriers, 0U);
    }
}

TEST(Counters, ThreadsPastTheEndShareTheirNeighboursStore) {
    const Trace t = runs::run_any(cpu("sequential", 1000));
    const Counters& c = step(t, "load").counters;
    EXPECT_EQ(c.active_threads, 1000U);
    EXPECT_EQ(c.divergent_warps, 1U);
    EXPECT_EQ(c.shared_store_requests, 32U);
    EXPECT_EQ(c.global_load_sectors, 125U);
}

TEST(Counters, EightByteElementsTakeTwoWavefronts) {
    RunOptions o = cpu("sequential", 256);
    o.type = ElementType::f64;
    const Counters c = step(runs::run_any(o), "load").counters;
    EXPECT_EQ(c.shared_store_wavefronts, 16U);
    EXPECT_EQ(c.shared_store_ideal, 16U);
    EXPECT_EQ(c.global_load_sectors, 64U);
}

TEST(Counters, ShuffleReductionUsesNoSharedMemory) {
    const Counters c = runs::run_any(cpu("warp-shuffle", 64)).launches.front().totals();
    EXPECT_EQ(c.shuffles, 10U);
    EXPECT_EQ(c.shared_load_requests + c.shared_store_requests + c.barriers, 0U);
    EXPECT_EQ(c.combines, 320U);
    EXPECT_EQ(c.useful_combines, 62U);
}

// Of a warp's lanes that store to one word in one instruction, one is seen by those that follow.
TEST(Counters, LostUpdatesAreOfNoUse) {
    for (const bool full : {true, false}) {
        RunOptions o;
        o.backend = Backend::cpu;
        o.kernel.text = "__global__ void sum(const int* in, int* out, int n) {\n"
                        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) *out += in[i];\n}\n";
        ask_for_elements(o, 1000);
        ask_for_block(o, 128);
        o.window.count = full ? 8 : 0;
        const Trace t = runs::run_any(o);
        EXPECT_EQ(t.tree.combines, 1000U);
        EXPECT_EQ(t.tree.useful_combines, 32U) << "one of each of the 32 warps that have elements";
        EXPECT_EQ(t.tree.leaves, 33U) << "and the word as it was";
    }
}

} // namespace
} // namespace warptree
