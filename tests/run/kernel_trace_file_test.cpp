// Trace files of kernels: unchanged by saving and loading; damaged ones are refused without harm.
#include "app/trace/explain/report.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

namespace warptree::tests {
namespace {

// A bit of everything: shuffles, votes, branches, barriers, a race, a variable, print, several outputs.
constexpr const char* kBusy =
    "#include <cstdio>\n__device__ int count;\n"
    "__global__ void busy(const float* in, float* out, int* ballots, int n) {\n"
    "  __shared__ float s[128]; int t = threadIdx.x, i = blockIdx.x * 128 + t;\n"
    "  s[t] = i < n ? in[i] : 0; __syncthreads();\n"
    "  for (int d = 64; d > 16; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
    "  float v = s[t & 31]; for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);\n"
    "  unsigned b = __ballot_sync(~0u, t % 3 == 0); __syncwarp();\n"
    "  if (t < 5) printf(\"%d \", t); else s[t ^ 1] = v;\n"
    "  if (t % 32 == 0) { ballots[i / 32] = b; atomicAdd(&count, 1); }\n"
    "  if (t == 0) out[blockIdx.x] = v;\n}";

Trace busy() {
    return run_text(kBusy, [](RunOptions& o) {
        o.block = 128;
        o.n = 500;
        o.kernel.grid = "4";
    });
}

TEST(KernelTraceFile, LoadsAsItWasSaved) {
    const Trace trace = busy();
    ASSERT_FALSE(trace.launches.front().findings.empty());
    ASSERT_FALSE(trace.launches.front().votes.empty());
    ASSERT_FALSE(trace.launches.front().watches.empty());
    const TemporaryFolder folder;
    save(trace, folder.path() / "busy.wtrace");
    const Trace loaded = load(folder.path() / "busy.wtrace");
    EXPECT_EQ(loaded.launches.front().requests, trace.launches.front().requests);
    EXPECT_EQ(loaded.launches.front().findings, trace.launches.front().findings);
    EXPECT_EQ(loaded.launches.front().nodes, trace.launches.front().nodes);
    EXPECT_EQ(loaded.launches.front(), trace.launches.front());
    EXPECT_EQ(report_text(loaded), report_text(trace));
    save(loaded, folder.path() / "again.wtrace");
    const auto read = [&](const char* name) {
        std::ifstream in(folder.path() / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    EXPECT_EQ(read("busy.wtrace"), read("again.wtrace"));
}

// Not as one number made of its bytes.
TEST(KernelTraceFile, KeepsRecordsByTheirMembers) {
    const Trace trace = run_text("struct Best { float value; short low; unsigned index; double half; };\n"
                                 "__global__ void k(const int* in, Best* out) {\n"
                                 "  int t = threadIdx.x; out[t] = {0.5f, (short)-t, t + 1u, in[t] / 2.0}; }");
    EXPECT_THAT(report_text(trace), testing::HasSubstr("out = {0.5, 0, 1, 0} {0.5, -1, 2, 0.5} {0.5, -2, 3, 1} "));
    EXPECT_THAT(report_text(trace), testing::HasSubstr("… (32 in all)"));
    const TemporaryFolder folder;
    save(trace, folder.path() / "records.wtrace");
    EXPECT_EQ(report_text(load(folder.path() / "records.wtrace")), report_text(trace));
}

TEST(KernelTraceFile, ShowsTheFirstMembersOfLargeRecords) {
    const Trace trace = run_text("struct Large { double first; int rest[2000]; };\n"
                                 "__global__ void k(const int* in, Large* out) { out[threadIdx.x].first = 0.5; }");
    const TemporaryFolder folder;
    save(trace, folder.path() / "large.wtrace");
    EXPECT_EQ(report_text(load(folder.path() / "large.wtrace")), report_text(trace));
    ASSERT_FALSE(trace.outputs.empty());
    for (const std::string& record : trace.outputs.front().records) {
        EXPECT_EQ(record, "{0.5, …}");
    }
}

TEST(KernelTraceFile, DamagedIsRefusedOrReadable) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "busy.wtrace";
    save(busy(), path);
    std::ifstream in(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    std::mt19937 random(7);
    unsigned refused = 0;
    for (int k = 0; k < 400; ++k) {
        std::string bytes = whole;
        if (k % 4 == 0) {
            bytes.resize(random() % bytes.size());
        } else {
            for (unsigned d = 0; d < 1 + random() % 8; ++d) {
                bytes[random() % bytes.size()] = static_cast<char>(random());
            }
        }
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        try {
            const Trace trace = load(path);
            report_text(trace); // an accepted trace can be reported
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 300U);
}

} // namespace
} // namespace warptree::tests
