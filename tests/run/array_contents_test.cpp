// What arrays hold after a step, against what a run leaves in memory, closed forms, and what is known to be chance.
#include "app/trace/explain/array_contents.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::tests {
namespace {

ArrayPlace array_of(const Launch& launch, const std::string& name) {
    for (const ArrayPlace& a : arrays_of(launch)) {
        if (a.name == name) {
            return a;
        }
    }
    ADD_FAILURE() << "no array " << name;
    return {};
}

std::uint32_t step_of(const Launch& launch, const std::string& label) {
    for (std::uint32_t s = 0; s < launch.steps.size(); ++s) {
        if (launch.steps[s].label == label) {
            return s;
        }
    }
    ADD_FAILURE() << "no step " << label;
    return 0;
}

std::vector<ArrayElement> all_of(const Trace& trace, const std::string& name, std::uint32_t step,
                                 std::uint32_t block = 0, std::uint32_t launch = 0) {
    const ArrayPlace array = array_of(trace.launches[launch], name);
    return contents(trace, launch, array, block, step, 0, array.elements);
}

std::vector<std::int64_t> integers(const std::vector<ArrayElement>& held, std::size_t count) {
    std::vector<std::int64_t> values;
    for (std::size_t k = 0; k < count; ++k) {
        EXPECT_TRUE(held[k].has_value()) << k;
        values.push_back(static_cast<std::int32_t>(held[k].bits));
    }
    return values;
}

// At the end of a launch of which all blocks are recorded, arrays hold what is in memory.
std::size_t expect_outputs(const Trace& trace) {
    const Launch& last = trace.launches.back();
    std::size_t compared = 0;
    for (const KernelOutput& output : trace.outputs) {
        const std::vector<ArrayPlace> all = arrays_of(last);
        const auto array = std::find_if(all.begin(), all.end(), [&](const ArrayPlace& a) {
            return a.name == output.name && !a.is_shared() && a.type == output.type;
        });
        if (array == all.end() || last.window_count != last.grid) {
            continue;
        }
        const std::uint64_t count = std::min<std::uint64_t>(output.values.size(), array->elements);
        const std::vector<ArrayElement> held =
            contents(trace, static_cast<std::uint32_t>(trace.launches.size() - 1), *array, 0,
                     static_cast<std::uint32_t>(last.steps.size()), 0, count);
        for (std::uint64_t k = 0; k < count; ++k) {
            if (held[k].has_value()) {
                EXPECT_EQ(held[k].bits, output.values[k]) << output.name << "[" << k << "]";
                ++compared;
            } else {
                EXPECT_EQ(held[k].known, ArrayElement::Known::unset) << output.name << "[" << k << "]";
                EXPECT_EQ(output.values[k], 0U) << output.name << "[" << k << "]";
            }
        }
    }
    return compared;
}

const std::string kReduce = "__global__ void reduce(const int* in, int* out, int n) {\n"
                            "  __shared__ int s[64];\n  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
                            "  s[t] = i < n ? in[i] : 0;\n  __syncthreads();\n"
                            "  for (int d = 32; d > 0; d /= 2) {\n    if (t < d) s[t] += s[t + d];\n"
                            "    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = s[0];\n}";

TEST(ArrayContents, AreThoseOfAReductionStepByStep) {
    const Trace trace = run_text(kReduce, [](RunOptions& o) {
        o.n = 100;
        o.block = 64;
        o.kernel.grid = "2";
    });
    const Launch& l = trace.launches[0];
    for (const std::uint32_t block : {0U, 1U}) {
        std::vector<std::int64_t> s(64);
        for (std::uint32_t t = 0; t < 64; ++t) {
            s[t] = block * 64 + t < 100 ? block * 64 + t : 0;
        }
        EXPECT_EQ(integers(all_of(trace, "s", step_of(l, "load"), block), 64), s);
        for (int d = 32; d > 0; d /= 2) {
            for (int t = 0; t < d; ++t) {
                s[static_cast<std::size_t>(t)] += s[static_cast<std::size_t>(t + d)];
            }
            const std::uint32_t step = step_of(l, "d = " + std::to_string(d));
            const std::vector<ArrayElement> held = all_of(trace, "s", step, block);
            EXPECT_EQ(integers(held, 64), s) << d;
            for (std::uint32_t t = 0; t < 64; ++t) { // who stored it, and when
                EXPECT_EQ(held[t].thread, t);
                EXPECT_EQ(held[t].step == step, static_cast<int>(t) < d) << t;
            }
        }
    }
    const std::vector<ArrayElement> out = all_of(trace, "out", step_of(l, "d = 1"));
    EXPECT_FALSE(out[0].has_value()) << "not stored yet";
    EXPECT_EQ(integers(all_of(trace, "out", step_of(l, "store")), 2),
              (std::vector<std::int64_t>{64 * 63 / 2, 99 * 100 / 2 - 64 * 63 / 2}));
    EXPECT_EQ(all_of(trace, "in", 0)[99].known, ArrayElement::Known::before);
    EXPECT_EQ(all_of(trace, "in", 0)[99].bits, 99U);
}

TEST(ArrayContents, AreThoseOfMemoryAtTheEnd) {
    const char* const kKernels[] = {
        // atomics of shared memory, then of global memory, by several blocks
        "__global__ void k(const int* in, unsigned* bins, int n) {\n  __shared__ unsigned s[16];\n"
        "  if (threadIdx.x < 16) s[threadIdx.x] = 0;\n  __syncthreads();\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(&s[in[i] % 16], 1u);\n"
        "  __syncthreads();\n  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);\n}",
        // an atomic whose old value is used, and compare-and-swap
        "__global__ void k(const int* in, int* out, int* count, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n && in[i] % 3 == 1) out[atomicAdd(count, 1)] = "
        "in[i];\n"
        "  if (i < n) { int old = out[n + 1], was; do { was = old; old = atomicCAS(&out[n + 1], was, max(was, in[i])); "
        "} while "
        "(old != was); }\n}",
        // vectors, and elements of one, two and eight bytes
        "__global__ void k(const float4* in, float4* out, unsigned char* small, short* two, double* wide, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  float4 v = in[i]; v.x *= 2; out[i] "
        "= v;\n"
        "  small[i] = (unsigned char)(3 * i); two[i] = (short)(-i); wide[i] = i / 3.0;\n}",
        // in place, several times in one step
        "__global__ void k(int* a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) { a[i] += 1; a[i] *= 2; for (int k = 0; k < 3; ++k) a[i] += k; }\n}",
        // a copy by the hardware, and bytes set
        "#include <cuda_pipeline.h>\n__global__ void k(const int* in, int* out, char* c, int n) {\n  __shared__ int "
        "s[256];\n"
        "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  if (i < n) __pipeline_memcpy_async(&s[t], &in[i], "
        "4);\n"
        "  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();\n  if (i < n) out[i] = s[255 - t < n ? t : "
        "0];\n"
        "  if (i == 0) memset(c, 7, 20);\n}"};
    for (const char* const text : kKernels) {
        for (const WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::lockstep}) {
            const Trace trace = run_text(text, [&](RunOptions& o) {
                o.n = 300;
                o.block = 64;
                o.kernel.grid = "5";
                o.order = order;
            });
            ASSERT_TRUE(trace.completed()) << text;
            EXPECT_GT(expect_outputs(trace), 15U) << text;
        }
    }
}

// Of an array whose size nobody states, too: those that the kernel comes to.
TEST(ArrayContents, AreThoseThatAnArrayGrowsTo) {
    RunOptions o;
    o.kernel.text = "__global__ void matmul(const float* A, const float* B, float* C, int n) {\n"
                    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                    "  if (x >= n || y >= n) return;\n  float sum = 0;\n"
                    "  for (int k = 0; k < n; k++) sum += A[y * n + k] * B[k * n + x];\n  C[y * n + x] = sum;\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const Launch& launch = trace.launches.front();
    ASSERT_EQ(array_of(launch, "B").elements, trace.options.n * trace.options.n);
    const std::vector<ArrayElement> held = all_of(trace, "B", 0);
    for (std::size_t k = 0; k < held.size(); ++k) {
        ASSERT_EQ(held[k].known, ArrayElement::Known::before) << k;
    }
    for (std::uint32_t k = 0; k < launch.nodes.size(); ++k) {
        const Node& leaf = launch.nodes[k];
        if (leaf.kind == NodeKind::leaf && launch.allocations[leaf.allocation].name == "B") {
            ASSERT_EQ(held[leaf.element()].bits, leaf.bits) << leaf.element();
        }
    }
    EXPECT_EQ(all_of(trace, "C", 0)[35].known, ArrayElement::Known::unset);
}

TEST(ArrayContents, AreThoseOfMemoryForEveryStrategy) {
    std::size_t compared = 0;
    for (const StrategyInfo& s : strategies()) {
        if (s.racy || s.deadlocks) {
            continue;
        }
        RunOptions o;
        o.strategy = s.id;
        o.n = 100;
        o.block = 64;
        o.window = {0, 64};
        if (refusal(o)) {
            continue;
        }
        SCOPED_TRACE(s.id);
        compared += expect_outputs(runs::run_any(o));
    }
    EXPECT_GT(compared, 1000U);
}

TEST(ArrayContents, SayWhatIsChance) {
    // All store their number; nothing says which one stays.
    const Trace trace = run_text("__global__ void k(int* out, int n) {\n  __shared__ int s[2];\n"
                                 "  s[0] = threadIdx.x;\n  s[1] = 5;\n  __syncthreads();\n"
                                 "  if (threadIdx.x == 0) out[blockIdx.x] = s[0] + s[1];\n}",
                                 [](RunOptions& o) { o.block = 64; });
    const std::vector<ArrayElement> s = all_of(trace, "s", 0);
    EXPECT_EQ(s[0].known, ArrayElement::Known::chance);
    EXPECT_EQ(s[1].known, ArrayElement::Known::stored) << "all store the same";
    EXPECT_EQ(s[1].bits, 5U);
}

TEST(ArrayContents, ComeBackFromAFile) {
    const Trace trace = run_text(kReduce, [](RunOptions& o) { o.block = 64; });
    const TemporaryFolder folder;
    save(trace, folder.path() / "a.wtrace");
    const Trace read = load(folder.path() / "a.wtrace");
    EXPECT_FALSE(trace.launches[0].stored.empty());
    EXPECT_FALSE(trace.launches[0].held.empty());
    EXPECT_EQ(read.launches[0].stored, trace.launches[0].stored);
    EXPECT_EQ(read.launches[0].stored_values, trace.launches[0].stored_values);
    EXPECT_EQ(read.launches[0].held, trace.launches[0].held);
}

// Thread 64 sets s[0], and thread 0 of another warp reads it, with no barrier between.
const char* const kRacing = "__global__ void k(const int* in, int* out) {\n  __shared__ int s[128];\n"
                            "  int t = threadIdx.x;\n  s[t] = in[t];\n"
                            "  for (int d = 64; d > 0; d /= 2) {\n    __syncthreads();\n"
                            "    if (t < d) s[t] += s[t + d];\n  }\n"
                            "  if (t == 0) out[0] = s[0];\n  if (t == 64) s[0] = 0;\n}\n";

TEST(ArrayContents, StepsThatRaceAreInTheOrderInWhichTheyRan) {
    for (const WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse}) {
        const Trace trace = run_text(kRacing, [&](RunOptions& o) {
            o.n = 128;
            o.block = 128;
            o.order = order;
        });
        const Launch& l = trace.launches.front();
        const bool sets_first = order == WarpOrder::reverse;
        const std::uint32_t sets = step_of(l, "line 10"), reads = step_of(l, "store"), last = step_of(l, "d = 1");
        EXPECT_EQ(sets < reads, sets_first) << name(order);
        EXPECT_EQ(sets < last, sets_first) << "it ran before thread 0 added the last two";
        // What thread 0 stores is what was there.
        const auto before = all_of(trace, "s", reads);
        EXPECT_EQ(before[0].bits, values<std::uint32_t>(trace, "out")[0]) << name(order);
        EXPECT_NE(before[0].race == warptree::kNone, !sets_first) << "until the other has run, too";
        EXPECT_EQ(all_of(trace, "s", static_cast<std::uint32_t>(l.steps.size()) - 1)[0].race, warptree::kNone);
    }
}

// Without any barrier the first warp runs all steps before the second begins: no order of steps is that of the run.
TEST(ArrayContents, ElementsThatRaceOverStepsAreMarked) {
    const Trace trace = run_text("__global__ void k(const int* in, int* out) {\n  __shared__ int s[128];\n"
                                 "  int t = threadIdx.x;\n  s[t] = in[t];\n  __syncthreads();\n"
                                 "  for (int d = 64; d > 0; d /= 2)\n    if (t < d) s[t] += s[t + d];\n"
                                 "  if (t == 0) out[0] = s[0];\n}\n",
                                 [](RunOptions& o) {
                                     o.n = 128;
                                     o.block = 128;
                                 });
    const auto held = all_of(trace, "s", step_of(trace.launches.front(), "d = 64"));
    EXPECT_NE(held[40].race, warptree::kNone) << "stored by the second warp, read before by the first";
    EXPECT_EQ(held[100].race, warptree::kNone);
}

} // namespace
} // namespace warptree::tests
