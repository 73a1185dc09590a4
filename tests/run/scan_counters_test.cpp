// The counters of the scans compared with closed forms.
#include "tests/run/scan_run.hpp"

#include <bit>
#include <map>

namespace warptree {
namespace {

using namespace tests;

class ScanBlocks : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Counters, ScanBlocks, testing::Values(1, 2, 4, 32, 64, 256, 1024));

std::uint64_t log2(std::uint64_t x) { return static_cast<std::uint64_t>(std::bit_width(x)) - 1; }

TEST_P(ScanBlocks, HillisSteeleClosedForms) {
    const std::uint64_t B = GetParam(), G = 3;
    for (const auto& [id, barriers] : std::map<std::string, std::uint64_t>{
             {"scan-global", 1 + 2 * log2(B)}, {"scan-shared", 1 + 2 * log2(B)}, {"scan-double-buffer", 1 + log2(B)}}) {
        const Trace t = runs::run_any(scan_options(id, B * G, GetParam()));
        const Counters c = t.launches.front().totals();
        EXPECT_EQ(c.combines, G * (B * log2(B) - B + 1)) << id;
        EXPECT_EQ(c.useful_combines, c.combines) << id;
        EXPECT_EQ(c.barriers, G * barriers) << id;
        EXPECT_EQ(t.tree.depth, log2(B)) << id;
    }
}

// Per thread one load of the input and one store, then per combine one load of the partner's element and one store.
TEST_P(ScanBlocks, GlobalGoesToMemoryEveryStage) {
    const std::uint64_t B = GetParam();
    const Trace t = runs::run_any(scan_options("scan-global", B, GetParam()));
    for (std::uint64_t s = 1; s < B; s *= 2) {
        const Step& step = t.launches.front().steps.at(2 + log2(s)); // after load and store
        std::uint64_t warps = 0;                                     // with a thread t >= s
        for (std::uint64_t first = 0; first < B; first += 32) {
            warps += std::min(B, first + 32) > s ? 1 : 0;
        }
        EXPECT_EQ(step.label, "offset = " + std::to_string(s));
        EXPECT_EQ(step.counters.global_load_requests, warps);
        EXPECT_EQ(step.counters.global_store_requests, warps);
        EXPECT_EQ(step.counters.shared_load_requests, 0U);
    }
}

TEST_P(ScanBlocks, BlellochClosedForms) {
    const std::uint64_t B = GetParam(), G = 3;
    const Trace t = runs::run_any(scan_options("scan-blelloch", B * G, GetParam()));
    const Counters c = t.launches.front().totals();
    EXPECT_EQ(c.combines, G * 2 * (B - 1));
    EXPECT_EQ(c.barriers, G * (2 + 2 * log2(B)));
    EXPECT_EQ(t.launches.front().steps.size(), 3 + 2 * log2(B)) << "load, up, the root, down, store";
    std::uint64_t sweeps = 0;
    for (const Step& s : t.launches.front().steps) {
        if (s.label.starts_with("up: s = ") || s.label.starts_with("down: s = ")) {
            ++sweeps;
            EXPECT_EQ(s.counters.combines, G * B / (2 * std::stoull(s.label.substr(s.label.rfind(' '))))) << s.label;
        }
    }
    EXPECT_EQ(sweeps, 2 * log2(B));
}

// A: 129 combines per warp. C: W log W - W + 1, rounded up to a power of two in depth. D: all warps but the first.
TEST(ScanCounters, WarpClosedForms) {
    for (const std::uint64_t W : {1, 2, 4, 8, 32}) {
        const Trace t = runs::run_any(scan_options("scan-warp", 32 * W, static_cast<std::uint32_t>(32 * W)));
        const Counters c = t.launches.front().totals();
        EXPECT_EQ(c.combines, 129 * W + (W * log2(W) - W + 1) + 32 * (W - 1)) << W;
        EXPECT_EQ(c.barriers, 2U);
        EXPECT_EQ(c.shuffles, 5 * W + log2(W));
        EXPECT_EQ(t.tree.depth, 5 + (W > 2 ? log2(W) : 0) + (W > 1 ? 1 : 0)); // the last total is not used
    }
}

// Per batch: K - 1 combines per thread to scan it, and as many to add the prefix, except in the first thread.
TEST(ScanCounters, CoarsenedClosedForms) {
    constexpr std::uint64_t B = 128, W = 4;
    for (const std::uint32_t K : {1U, 2U, 4U, 8U, 16U}) {
        RunOptions o = scan_options("scan-coarsened", B * K, B);
        o.parameters["batch"] = K;
        const Trace t = runs::run_any(o);
        const std::uint64_t totals = 129 * W + (W * log2(W) - W + 1) + 32 * (W - 1);
        EXPECT_EQ(t.launches.front().grid, 1U);
        EXPECT_EQ(t.launches.front().totals().combines, (K - 1) * B + totals + (K - 1) * (B - 1)) << K;
        EXPECT_TRUE(t.pass);
        o.n = 3 * B * K + 5;
        o.input = InputKind::random;
        const Trace many = runs::run_any(o);
        EXPECT_EQ(many.launches.front().grid, 4U);
        EXPECT_EQ(output_of<std::int32_t>(many), expected_of<std::int32_t>(o)) << K;
    }
}

// A batch of 16 bytes is coalesced: one request touches 16 sectors, instead of four requests of one element per lane
// that touch 16 sectors each.
TEST(Vectors, LoadAndStoreSixteenBytesALane) {
    RunOptions o = scan_options("scan-coarsened", 4 * 128, 128);
    const auto counts = [&] { return runs::run_any(o).launches.front().totals(); };
    const Counters apart = counts();
    o.parameters["vectors"] = 1;
    const Counters together = counts();
    EXPECT_EQ(apart.global_load_requests, 16U);
    EXPECT_EQ(apart.global_load_sectors, 16U * 16);
    EXPECT_EQ(together.global_load_requests, 4U);
    EXPECT_EQ(together.global_load_sectors, 4U * 16);
    EXPECT_EQ(together.global_store_requests, 4U);
    EXPECT_EQ(together.global_store_sectors, 4U * 16);
    o.parameters["batch"] = 2;
    EXPECT_TRUE(refusal(o).has_value());
    o.strategy = "scan-lookback";
    o.parameters = {{"vectors", 5}};
    EXPECT_TRUE(refusal(o).has_value());
}

} // namespace
} // namespace warptree
