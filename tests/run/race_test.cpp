// Which accesses race by CUDA's memory model: kernels of the classes that public suites of GPU bugs have (scoped fences
// and atomics, locks, flags, guards, barriers, masks), right ones beside wrong ones, each in every order.
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/model/metrics.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warptree {
namespace {

using testing::ElementsAreArray;

struct RaceCase {
    const char* name;
    const char* block;
    const char* grid;
    const char* text;              // lines that matter are marked /*A*/, /*B*/ …
    std::vector<const char*> race; // "A-B" or "A-B risk": all races that there are, sides in alphabetical order
};
void PrintTo(const RaceCase& c, std::ostream* out) { *out << c.name; }

// Message passing: block 0 stores data, then a flag; block 1 waits for the flag, then loads the data.
#define PASS(release, set, see, acquire)                                                                               \
    "__global__ void k(int* data, int* flag, int* out) {\n"                                                            \
    "    volatile int* seen = flag;\n"                                                                                 \
    "    if (threadIdx.x != 0) return;\n"                                                                              \
    "    if (blockIdx.x == 0) {\n"                                                                                     \
    "        *data = 42; /*A*/\n"                                                                                      \
    "        " release "\n"                                                                                            \
    "        " set " /*F*/\n"                                                                                          \
    "    } else {\n"                                                                                                   \
    "        while (" see " == 0) {} /*G*/\n"                                                                          \
    "        " acquire "\n"                                                                                            \
    "        out[0] = *data; /*B*/\n"                                                                                  \
    "    }\n"                                                                                                          \
    "}\n"
// The same between the warps of one block, by way of shared memory.
#define PASS_IN_BLOCK(release, acquire)                                                                                \
    "__global__ void k(int* out) {\n"                                                                                  \
    "    __shared__ int data, flag;\n"                                                                                 \
    "    volatile int* seen = &flag;\n"                                                                                \
    "    if (threadIdx.x == 0) flag = 0;\n"                                                                            \
    "    __syncthreads();\n"                                                                                           \
    "    if (threadIdx.x == 32) {\n"                                                                                   \
    "        data = 42; /*A*/\n"                                                                                       \
    "        " release "\n"                                                                                            \
    "        *seen = 1; /*S*/\n"                                                                                       \
    "    } else if (threadIdx.x == 0) {\n"                                                                             \
    "        while (*seen == 0) {} /*T*/\n"                                                                            \
    "        " acquire "\n"                                                                                            \
    "        out[0] = data; /*B*/\n"                                                                                   \
    "    }\n"                                                                                                          \
    "}\n"
#define LOCK(take, acquire, release, give)                                                                             \
    "__global__ void k(int* lock, int* count) {\n"                                                                     \
    "    if (threadIdx.x != 0) return;\n"                                                                              \
    "    while (" take "(lock, 0, 1) != 0) {} /*L*/\n"                                                                 \
    "    " acquire "\n"                                                                                                \
    "    *count += 1; /*A*/\n"                                                                                         \
    "    " release "\n"                                                                                                \
    "    " give " /*U*/\n"                                                                                             \
    "}\n"
#define REF "cuda::atomic_ref<int>(*flag)"
#define REF_BLOCK "cuda::atomic_ref<int, cuda::thread_scope_block>(*flag)"

const RaceCase kRaces[] = {
    {"FlagWithBothFences", "32", "2", PASS("__threadfence();", "*seen = 1;", "*seen", "__threadfence();"), {}},
    {"FlagWithSystemFences",
     "32",
     "2",
     PASS("__threadfence_system();", "*seen = 1;", "*seen", "__threadfence_system();"),
     {}},
    {"FlagWithoutRelease", "32", "2", PASS("", "*seen = 1;", "*seen", "__threadfence();"), {"A-B", "F-G"}},
    {"FlagWithoutAcquire", "32", "2", PASS("__threadfence();", "*seen = 1;", "*seen", ""), {"A-B"}},
    {"FlagWithFencesOfTheBlock",
     "32",
     "2",
     PASS("__threadfence_block();", "*seen = 1;", "*seen", "__threadfence_block();"),
     {"A-B"}},
    {"FlagReleasedForTheBlockOnly",
     "32",
     "2",
     PASS("__threadfence_block();", "*seen = 1;", "*seen", "__threadfence();"),
     {"A-B"}},
    {"FlagAcquiredForTheBlockOnly",
     "32",
     "2",
     PASS("__threadfence();", "*seen = 1;", "*seen", "__threadfence_block();"),
     {"A-B"}},
    {"FlagThatIsPlain",
     "32",
     "2",
     PASS("__threadfence();", "*flag = 1;", "atomicAdd(flag, 0)", "__threadfence();"),
     {"A-B", "F-G"}},
    {"FlagByAtomics",
     "32",
     "2",
     PASS("__threadfence();", "atomicExch(flag, 1);", "atomicAdd(flag, 0)", "__threadfence();"),
     {}},
    {"FlagByAtomicsOfTheBlock",
     "32",
     "2",
     PASS("__threadfence();", "atomicExch_block(flag, 1);", "atomicAdd(flag, 0)", "__threadfence();"),
     {"A-B", "F-G"}},
    {"FlagByAtomicsWithoutFences", "32", "2", PASS("", "atomicExch(flag, 1);", "atomicAdd(flag, 0)", ""), {"A-B"}},
    {"FlagBehindTheFenceButDataToo",
     "32",
     "2",
     PASS("__threadfence(); data[0] = 43; /*D*/", "*seen = 1;", "*seen", "__threadfence();"),
     {"B-D", "F-G"}}, // the store no longer follows the fence directly: it is no flag
    {"FlagInOneBlock", "64", "1", PASS_IN_BLOCK("__threadfence_block();", "__threadfence_block();"), {}},
    {"FlagInOneBlockWithoutRelease", "64", "1", PASS_IN_BLOCK("", "__threadfence_block();"), {"A-B", "S-T"}},
    {"FlagInOneBlockWithoutAcquire", "64", "1", PASS_IN_BLOCK("__threadfence_block();", ""), {"A-B"}},
    {"LockWithBothFences",
     "32",
     "4",
     LOCK("atomicCAS", "__threadfence();", "__threadfence();", "atomicExch(lock, 0);"),
     {}},
    {"LockWithoutAcquire", "32", "4", LOCK("atomicCAS", "", "__threadfence();", "atomicExch(lock, 0);"), {"A-A"}},
    {"LockWithoutRelease", "32", "4", LOCK("atomicCAS", "__threadfence();", "", "atomicExch(lock, 0);"), {"A-A"}},
    {"LockWithNoFence", "32", "4", LOCK("atomicCAS", "", "", "atomicExch(lock, 0);"), {"A-A"}},
    {"LockWithFencesOfTheBlock",
     "32",
     "4",
     LOCK("atomicCAS", "__threadfence_block();", "__threadfence_block();", "atomicExch(lock, 0);"),
     {"A-A"}},
    {"LockOfTheBlock",
     "32",
     "4",
     LOCK("atomicCAS_block", "__threadfence();", "__threadfence();", "atomicExch(lock, 0);"),
     {"A-A", "L-L", "L-U"}},
    {"LockGivenBackByAVolatileStore",
     "32",
     "4",
     LOCK("atomicCAS", "__threadfence();", "__threadfence();", "*(volatile int*)lock = 0;"),
     {}},
    {"DataOfAllThreadsByOneFlag",
     "64",
     "2",
     "__global__ void k(int* data, int* flag, int* out) {\n"
     "    int t = threadIdx.x;\n"
     "    if (blockIdx.x == 0) {\n"
     "        data[t] = t;\n"
     "        __syncthreads();\n"
     "        if (t == 0) { __threadfence(); atomicExch(flag, 1); }\n"
     "    } else {\n"
     "        if (t == 0) { while (atomicAdd(flag, 0) == 0) {} __threadfence(); }\n"
     "        __syncthreads();\n"
     "        out[t] = data[63 - t];\n"
     "    }\n"
     "}\n",
     {}},
    {"DataOfAllThreadsByOneFlagTooEarly",
     "64",
     "2",
     "__global__ void k(int* data, int* flag, int* out) {\n"
     "    int t = threadIdx.x;\n"
     "    if (blockIdx.x == 0) {\n"
     "        data[t] = t; /*A*/\n"
     "        if (t == 0) { __threadfence(); atomicExch(flag, 1); }\n"
     "    } else {\n"
     "        if (t == 0) { while (atomicAdd(flag, 0) == 0) {} __threadfence(); }\n"
     "        __syncthreads();\n"
     "        out[t] = data[63 - t]; /*B*/\n"
     "    }\n"
     "}\n",
     {"A-B"}},
    {"LastBlockResetsTheCounter", // which it has seen at its last value, by an atomic
     "64",
     "4",
     "__global__ void k(volatile int* part, int* count, int* out) {\n"
     "    __shared__ bool last;\n"
     "    if (threadIdx.x == 0) {\n"
     "        part[blockIdx.x] = 1;\n"
     "        __threadfence();\n"
     "        last = atomicAdd(count, 1) == gridDim.x - 1; /*A*/\n"
     "    }\n"
     "    __syncthreads();\n"
     "    if (last && threadIdx.x == 33) {\n"
     "        int sum = 0;\n"
     "        for (int b = 0; b < gridDim.x; ++b) sum += part[b];\n"
     "        out[0] = sum;\n"
     "        *count = 0; /*R*/\n"
     "    }\n"
     ""
     "}\n",
     {}},
#define LAST_BLOCK(before, behind, reader)                                                                             \
    "__global__ void k(int* part, int* count, int* out) {\n"                                                           \
    "    __shared__ bool last;\n"                                                                                      \
    "    if (threadIdx.x == 0) {\n"                                                                                    \
    "        part[blockIdx.x] = 1; /*A*/\n"                                                                            \
    "        " before "\n"                                                                                             \
    "        last = atomicAdd(count, 1) == gridDim.x - 1;\n"                                                           \
    "    }\n"                                                                                                          \
    "    __syncthreads();\n"                                                                                           \
    "    if (last) {\n"                                                                                                \
    "        " behind "\n"                                                                                             \
    "        if (threadIdx.x == " reader ") {\n"                                                                       \
    "            int sum = 0;\n"                                                                                       \
    "            for (int b = 0; b < gridDim.x; ++b) sum += part[b]; /*B*/\n"                                          \
    "            out[0] = sum;\n"                                                                                      \
    "        }\n"                                                                                                      \
    "    }\n"                                                                                                          \
    "}\n"
    {"LastBlockFencesBehindItsBarrier", "64", "4", LAST_BLOCK("__threadfence();", "__threadfence();", "0"), {}},
    {"AnotherThreadOfTheLastBlockFences", "64", "4", LAST_BLOCK("__threadfence();", "__threadfence();", "33"), {}},
    {"LastBlockDoesNotFence", "64", "4", LAST_BLOCK("__threadfence();", "", "0"), {"A-B"}},
    {"OnlyTheLastBlockFences", "64", "4", LAST_BLOCK("", "__threadfence();", "0"), {"A-B"}},
    {"LastBlockFencesForItself", "64", "4", LAST_BLOCK("__threadfence();", "__threadfence_block();", "0"), {"A-B"}},
    {"ABlockResetsTheCounterUnseen",
     "64",
     "4",
     "__global__ void k(int* count) {\n"
     "    if (threadIdx.x == 0) { __threadfence(); atomicAdd(count, 1); } /*A*/\n"
     "    __syncthreads();\n"
     "    if (blockIdx.x == 2 && threadIdx.x == 0) *count = 0; /*R*/\n"
     "}\n",
     {"A-R"}},
    {"LastBlockSums",
     "32",
     "4",
     "__global__ void k(const int* in, int* part, unsigned* ticket, int* out) {\n"
     "    if (threadIdx.x != 0) return;\n"
     "    part[blockIdx.x] = in[blockIdx.x];\n"
     "    __threadfence();\n"
     "    if (atomicAdd(ticket, 1u) != gridDim.x - 1) return;\n"
     "    __threadfence();\n"
     "    int sum = 0;\n"
     "    for (int b = 0; b < gridDim.x; ++b) sum += part[b];\n"
     "    *out = sum;\n"
     "}\n",
     {}},
    {"LastBlockSumsWithoutAFence",
     "32",
     "4",
     "__global__ void k(const int* in, int* part, unsigned* ticket, int* out) {\n"
     "    if (threadIdx.x != 0) return;\n"
     "    part[blockIdx.x] = in[blockIdx.x]; /*A*/\n"
     "    if (atomicAdd(ticket, 1u) != gridDim.x - 1) return;\n"
     "    int sum = 0;\n"
     "    for (int b = 0; b < gridDim.x; ++b) sum += part[b]; /*B*/\n"
     "    *out = sum;\n"
     "}\n",
     {"A-B"}},
    {"AtomicRefAcquiresAndReleases",
     "32",
     "2",
     "#include <cuda/atomic>\n" PASS("", REF ".store(1, cuda::std::memory_order_release);",
                                     REF ".load(cuda::std::memory_order_acquire)", ""),
     {}},
    {"AtomicRefRelaxed",
     "32",
     "2",
     "#include <cuda/atomic>\n" PASS("", REF ".store(1, cuda::std::memory_order_relaxed);",
                                     REF ".load(cuda::std::memory_order_relaxed)", ""),
     {"A-B"}},
    {"AtomicRefForTheBlockAcquiresAndReleases",
     "32",
     "2",
     "#include <cuda/atomic>\n" PASS("", REF_BLOCK ".store(1, cuda::std::memory_order_release);",
                                     REF_BLOCK ".load(cuda::std::memory_order_acquire)", ""),
     {"A-B", "F-G"}},
    {"AtomicRefForTheBlockStores",
     "32",
     "2",
     "#include <cuda/atomic>\n" PASS("__threadfence();", REF_BLOCK ".store(1, cuda::std::memory_order_relaxed);",
                                     REF ".load(cuda::std::memory_order_relaxed)", "__threadfence();"),
     {"A-B", "F-G"}},
    {"AtomicRefForTheBlockInOneBlock",
     "64",
     "1",
     "#include <cuda/atomic>\n"
     "using Flag = cuda::atomic_ref<int, cuda::thread_scope_block>;\n"
     "__global__ void k(int* data, int* flag, int* out) {\n"
     "    if (threadIdx.x == 0) {\n"
     "        data[0] = 42;\n"
     "        Flag(*flag).store(1, cuda::memory_order_release);\n"
     "    } else if (threadIdx.x == 32) {\n"
     "        while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {}\n"
     "        out[0] = data[0];\n"
     "    }\n"
     "}\n",
     {}},
    {"AtomicsOfEachScopeCount",
     "32",
     "4",
     "#include <cuda/atomic>\n"
     "__global__ void k(cuda::atomic<unsigned, cuda::thread_scope_block>* a,\n"
     "                  cuda::atomic<unsigned, cuda::thread_scope_device>* b,\n"
     "                  cuda::atomic<unsigned, cuda::thread_scope_system>* c, cuda::std::atomic<unsigned>* d, float* "
     "e) {\n"
     "    a->fetch_add(1); /*A*/\n"
     "    ++*b;\n"
     "    c->fetch_max(7, cuda::memory_order_relaxed);\n"
     "    unsigned old = d->load();\n"
     "    while (!d->compare_exchange_weak(old, old + 1)) {}\n"
     "    cuda::atomic_ref<float, cuda::thread_scope_block>(*e) += 1.0f; /*E*/\n"
     "    cuda::atomic_ref<float, cuda::thread_scope_device>(e[1]) += 1.0f;\n"
     "}\n",
     {"A-A", "E-E"}},
    {"AtomicOfTheBlockInSharedMemory",
     "64",
     "4",
     "#include <cuda/atomic>\n"
     "__global__ void k(int* out) {\n"
     "    __shared__ cuda::atomic<int, cuda::thread_scope_block> s;\n"
     "    if (threadIdx.x == 0) s.store(0);\n"
     "    __syncthreads();\n"
     "    s.fetch_add(1);\n"
     "    __syncthreads();\n"
     "    if (threadIdx.x == 0) out[blockIdx.x] = s;\n"
     "}\n",
     {}},
    {"GuardBeforeAtomicMax",
     "64",
     "2",
     "__global__ void k(const int* in, int* most) {\n"
     "    int x = in[blockIdx.x * blockDim.x + threadIdx.x];\n"
     "    if (x > *most) /*A*/\n"
     "        atomicMax(most, x); /*B*/\n"
     "}\n",
     {"A-B"}},
    {"HistogramWithoutItsBarrier",
     "64",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int bins[64];\n"
     "    bins[threadIdx.x] = 0; /*A*/\n"
     "    atomicAdd(&bins[in[threadIdx.x] * 7 % 64], 1); /*B*/\n"
     "    __syncthreads();\n"
     "    out[threadIdx.x] = bins[threadIdx.x];\n"
     "}\n",
     {"A-B"}},
    {"HistogramReadTooEarly",
     "64",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int bins[64];\n"
     "    bins[threadIdx.x] = 0;\n"
     "    __syncthreads();\n"
     "    atomicAdd(&bins[in[threadIdx.x] * 7 % 64], 1); /*A*/\n"
     "    out[threadIdx.x] = bins[threadIdx.x]; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"Histogram",
     "64",
     "2",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int bins[64];\n"
     "    bins[threadIdx.x] = 0;\n"
     "    __syncthreads();\n"
     "    atomicAdd(&bins[in[threadIdx.x] * 7 % 64], 1);\n"
     "    __syncthreads();\n"
     "    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);\n"
     "}\n",
     {}},
    {"AtomicsOfTheBlockInOneBlock", "64", "1", "__global__ void k(int* hits) { atomicAdd_block(hits, 1); }\n", {}},
    {"EqualValuesInOneBlock",
     "64",
     "1",
     "__global__ void k(const int* in, int* found) {\n"
     "    if (in[threadIdx.x] >= 0)\n"
     "        *found = 1; /*A*/\n"
     "}\n",
     {"A-A risk"}},
    {"EqualValuesInSeveralBlocks",
     "32",
     "4",
     "__global__ void k(const int* in, int* found) {\n"
     "    if (threadIdx.x == 0)\n"
     "        *found = 1; /*A*/\n"
     "}\n",
     {"A-A risk"}},
    {"EqualValuesReadAfterwards",
     "64",
     "1",
     "__global__ void k(int* out) {\n"
     "    __shared__ int s;\n"
     "    s = 7; /*A*/\n"
     "    out[threadIdx.x] = s; /*B*/\n"
     "}\n",
     {"A-A risk", "A-B risk"}},
    {"EqualValuesReadByOthers",
     "64",
     "1",
     "__global__ void k(int* out) {\n"
     "    __shared__ int s;\n"
     "    if (threadIdx.x == 0) s = 0;\n"
     "    __syncthreads();\n"
     "    if (threadIdx.x > 50) s = 7; /*A*/\n"
     "    if (threadIdx.x < 40) out[threadIdx.x] = s; /*B*/\n"
     "}\n",
     {"A-A risk", "A-B"}},
    {"ScatterCollides", "64", "1", "__global__ void k(int* a) { a[threadIdx.x / 2] = threadIdx.x; /*A*/ }\n", {"A-A"}},
    {"ShiftBetweenBlocks",
     "32",
     "4",
     "__global__ void k(int* a, int n) {\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    int v = a[i + 1]; /*A*/\n"
     "    __syncthreads();\n"
     "    a[i] = v; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"ShiftInOneBlock",
     "64",
     "1",
     "__global__ void k(int* a) {\n"
     "    int v = a[threadIdx.x + 1];\n"
     "    __syncthreads();\n"
     "    a[threadIdx.x] = v;\n"
     "}\n",
     {}},
    {"StencilWithoutItsSecondBarrier",
     "64",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[65];\n"
     "    int v = in[threadIdx.x];\n"
     "    if (threadIdx.x == 0) s[64] = 0;\n"
     "    for (int k = 0; k < 3; ++k) {\n"
     "        s[threadIdx.x] = v; /*A*/\n"
     "        __syncthreads();\n"
     "        v += s[threadIdx.x + 1]; /*B*/\n"
     "    }\n"
     "    out[threadIdx.x] = v;\n"
     "}\n",
     {"A-B"}},
    {"VolatileOrdersNoLanes",
     "32",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int room[64];\n"
     "    volatile int* s = room;\n"
     "    int t = threadIdx.x;\n"
     "    s[t] = in[t]; /*A*/\n"
     "    out[t] = s[31 - t]; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"ShuffleOrdersNoMemory",
     "32",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[32];\n"
     "    int t = threadIdx.x;\n"
     "    s[t] = in[t]; /*A*/\n"
     "    int v = __shfl_xor_sync(~0u, t, 1);\n"
     "    out[t] = s[31 - t] + v; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"SyncwarpOfEachQuarter",
     "64",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[64];\n"
     "    int t = threadIdx.x, base = t / 8 * 8;\n"
     "    s[t] = in[t];\n"
     "    __syncwarp(0xffu << t % 32 / 8 * 8);\n"
     "    out[t] = s[base + 7 - t % 8];\n"
     "}\n",
     {}},
    {"SyncwarpOfEachQuarterReadByAnother",
     "32",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[32];\n"
     "    int t = threadIdx.x;\n"
     "    s[t] = in[t]; /*A*/\n"
     "    __syncwarp(0xffu << t / 8 * 8);\n"
     "    out[t] = s[31 - t]; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"SyncwarpByWayOfAnotherLane",
     "32",
     "1",
     "__global__ void k(int* out) {\n"
     "    __shared__ int s;\n"
     "    int t = threadIdx.x;\n"
     "    if (t == 0) s = 5;\n"
     "    if (t < 2) __syncwarp(3);\n"
     "    if (t == 1 || t == 2) __syncwarp(6);\n"
     "    if (t == 2) out[0] = s;\n"
     "}\n",
     {}},
    {"CoalescedGroup",
     "64",
     "1",
     "#include <cooperative_groups.h>\n"
     "namespace cg = cooperative_groups;\n"
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[64];\n"
     "    int t = threadIdx.x;\n"
     "    if (t % 2 == 0) {\n"
     "        cg::coalesced_group g = cg::coalesced_threads();\n"
     "        s[t] = in[t];\n"
     "        g.sync();\n"
     "        out[t] = s[t ^ 2];\n"
     "    }\n"
     "}\n",
     {}},
    {"TileOfFour",
     "64",
     "1",
     "#include <cooperative_groups.h>\n"
     "namespace cg = cooperative_groups;\n"
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[64];\n"
     "    int t = threadIdx.x;\n"
     "    auto tile = cg::tiled_partition<4>(cg::this_thread_block());\n"
     "    s[t] = in[t];\n"
     "    tile.sync();\n"
     "    out[t] = s[t ^ 3];\n"
     "}\n",
     {}},
    {"GridBarrier",
     "32",
     "4",
     "#include <cooperative_groups.h>\n"
     "__global__ void k(int* a, int* out) {\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    a[i] = i;\n"
     "    cooperative_groups::this_grid().sync();\n"
     "    out[i] = a[127 - i];\n"
     "}\n",
     {}},
    {"NoGridBarrier",
     "32",
     "4",
     "__global__ void k(int* a, int* out) {\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    a[i] = i; /*A*/\n"
     "    __syncthreads();\n"
     "    out[i] = a[127 - i]; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"ClusterBarrierOrdersItsBlocks",
     "32",
     "2",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* a, int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    a[i] = i;\n"
     "    cluster.sync();\n"
     "    out[i] = a[63 - i];\n"
     "}\n",
     {}},
    {"ClusterBarrierOrdersNoOtherCluster",
     "32",
     "4",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* a, int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    a[i] = i; /*A*/\n"
     "    cluster.sync();\n"
     "    out[i] = a[127 - i]; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"LastClusterSeesWhatAllBlocksStored",
     "32",
     "4",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* a, unsigned* count, int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    a[i] = i; /*A*/\n"
     "    cluster.sync();\n"
     "    __shared__ unsigned ticket;\n"
     "    if (cluster.block_rank() == 0 && t == 0) {\n"
     "        __threadfence(); ticket = atomicAdd(count, 1);\n"
     "        __threadfence();\n"
     "    }\n"
     "    if (cluster.block_rank() != 0) return;\n"
     "    __syncthreads();\n"
     "    if (ticket == 1) out[t] = a[t] + a[127 - t]; /*B*/\n"
     "}\n",
     {}},
    {"LastClusterWithoutAFence",
     "32",
     "4",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* a, unsigned* count, int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    a[i] = i; /*A*/\n"
     "    cluster.sync();\n"
     "    __shared__ unsigned ticket;\n"
     "    if (cluster.block_rank() == 0 && t == 0) {\n"
     "        ticket = atomicAdd(count, 1);\n"
     "        __threadfence();\n"
     "    }\n"
     "    if (cluster.block_rank() != 0) return;\n"
     "    __syncthreads();\n"
     "    if (ticket == 1) out[t] = a[t] + a[127 - t]; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"RemoteStoreBesideALoad",
     "32",
     "2",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    __shared__ int s[32];\n"
     "    s[t] = 0;\n"
     "    cluster.sync();\n"
     "    *cluster.map_shared_rank(&s[t], 1 - cluster.block_rank()) = i + 1; /*A*/\n"
     "    out[i] = s[t]; /*B*/\n"
     "    cluster.sync();\n"
     "}\n",
     {"A-B"}},
    {"RemoteStoreThenABarrier",
     "32",
     "2",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    __shared__ int s[32];\n"
     "    s[t] = 0;\n"
     "    cluster.sync();\n"
     "    *cluster.map_shared_rank(&s[t], 1 - cluster.block_rank()) = i + 1;\n"
     "    cluster.sync();\n"
     "    out[i] = s[t];\n"
     "}\n",
     {}},
    {"RemoteStoresToOneWord",
     "32",
     "2",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    __shared__ int s;\n"
     "    if (t == 0) s = 0;\n"
     "    cluster.sync();\n"
     "    if (t == 0) *cluster.map_shared_rank(&s, 0) = i + 1; /*A*/\n"
     "    cluster.sync();\n"
     "    if (i == 0) out[0] = s;\n"
     "}\n",
     {"A-A"}},
    {"RemoteAtomicsOnOneWord",
     "32",
     "2",
     "#include <cooperative_groups.h>\n"
     "__global__ void __cluster_dims__(2) k(int* out) {\n"
     "    auto cluster = cooperative_groups::this_cluster();\n"
     "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
     "    __shared__ int s;\n"
     "    if (t == 0) s = 0;\n"
     "    cluster.sync();\n"
     "    atomicAdd(cluster.map_shared_rank(&s, 0), 1);\n"
     "    cluster.sync();\n"
     "    if (i == 0) out[0] = s;\n"
     "}\n",
     {}},
    {"ProducerArrivesConsumerWaits",
     "64",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[32];\n"
     "    int t = threadIdx.x;\n"
     "    if (t < 32) {\n"
     "        s[t] = in[t];\n"
     "        asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");\n"
     "    } else {\n"
     "        asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n"
     "        out[t] = s[63 - t];\n"
     "    }\n"
     "}\n",
     {}},
    {"ProducerWritesOnAfterItHasArrived",
     "64",
     "1",
     "__global__ void k(const int* in, int* out) {\n"
     "    __shared__ int s[32];\n"
     "    int t = threadIdx.x;\n"
     "    if (t < 32) {\n"
     "        asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");\n"
     "        s[t] = in[t]; /*A*/\n"
     "    } else {\n"
     "        asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n"
     "        if (s[63 - t] >= 0) out[t] = 1; /*B*/\n"
     "    }\n"
     "}\n",
     {"A-B"}},
    {"NeighbouringBytes",
     "64",
     "2",
     "__global__ void k(unsigned char* a, short* b) {\n"
     "    __shared__ char s[64];\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    s[threadIdx.x] = i;\n"
     "    a[i] = s[threadIdx.x];\n"
     "    b[i] = i;\n"
     "}\n",
     {}},
    {"ByteOfAWord",
     "2",
     "1",
     "__global__ void k(int* a) {\n"
     "    if (threadIdx.x == 0) a[0] = 0x01020304; /*A*/\n"
     "    if (threadIdx.x == 1) ((char*)a)[1] = 9; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"TwoHalvesOfADouble",
     "2",
     "1",
     "__global__ void k(double* a) {\n"
     "    if (threadIdx.x == 0) a[0] = 1.5; /*A*/\n"
     "    if (threadIdx.x == 1) ((int*)a)[1] = 9; /*B*/\n"
     "}\n",
     {"A-B"}},
    {"RandomNumbersOfOneStateForTheBlock",
     "64",
     "1",
     "#include <curand_kernel.h>\n"
     "__global__ void k(curandStateMtgp32* state, float* out) {\n"
     "    out[threadIdx.x] = curand_uniform(&state[blockIdx.x]);\n"
     "    out[threadIdx.x] += curand_uniform(&state[blockIdx.x]);\n"
     "}\n",
     {}},
    {"LostUpdate", "64", "1", "__global__ void k(int* a) { a[0] += threadIdx.x; /*A*/ }\n", {"A-A"}},
    {"LostUpdateThatStoresTheSame", "64", "1", "__global__ void k(int* a) { a[threadIdx.x % 4]++; /*A*/ }\n", {"A-A"}},
    {"WorkTakenFromAQueue",
     "32",
     "4",
     "__global__ void k(const int* in, int* next, int* out) {\n"
     "    for (int i = atomicAdd(next, 1); i < 256; i = atomicAdd(next, 1)) out[i] = in[i];\n"
     "}\n",
     {}},
    {"WorkTakenFromAQueueOfTheBlock",
     "32",
     "4",
     "__global__ void k(const int* in, int* next, int* out) {\n"
     "    if (atomicAdd_block(next, 1) < 256) /*A*/\n"
     "        atomicAdd(out, 1);\n"
     "}\n",
     {"A-A"}},
};
#undef PASS
#undef PASS_IN_BLOCK
#undef LOCK
#undef REF
#undef REF_BLOCK

// The letter that marks the line.
char mark_of(const std::string& text, std::uint32_t line) {
    std::size_t begin = 0;
    for (std::uint32_t k = 1; k < line && begin != std::string::npos; ++k) {
        begin = text.find('\n', begin) + 1;
    }
    const std::string one = text.substr(begin, text.find('\n', begin) - begin);
    const std::size_t mark = one.rfind("/*");
    return mark == std::string::npos ? '?' : one[mark + 2];
}

class Races : public testing::TestWithParam<RaceCase> {};

TEST_P(Races, AreTheseInEveryOrder) {
    const RaceCase& c = GetParam();
    for (const WarpOrder order : kWarpOrders) {
        RunOptions o;
        o.strategy = "kernel.cu";
        o.backend = Backend::cpu;
        o.order = order;
        o.input = InputKind::iota;
        o.kernel.text = c.text;
        o.kernel.block = c.block;
        o.kernel.grid = c.grid;
        for (const char* zeros : {"flag", "lock", "count", "ticket", "next", "found", "most"}) {
            if (std::string(c.text).find(fmt::format("* {}", zeros)) != std::string::npos) {
                o.kernel.arguments[zeros] = "zeros";
            }
        }
        RunControl control;
        const Trace t = runs::run_kernel_file(o, control);
        std::set<std::string> found;
        for (const Finding& f : t.launches.front().findings) {
            const char one = mark_of(c.text, f.line.line()), other = mark_of(c.text, f.other_line.line());
            found.insert(is_race(f.kind) ? fmt::format("{}-{}{}", std::min(one, other), std::max(one, other),
                                                       f.severity == Severity::risk ? " risk" : "")
                                         : fmt::format("{} in line {}", name(f.kind), f.line.line()));
        }
        EXPECT_THAT(found, ElementsAreArray(std::set<std::string>(c.race.begin(), c.race.end()))) << name(order);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, Races, testing::ValuesIn(kRaces), [](const auto& info) { return info.param.name; });

// A race between blocks is told in the step of the store, whose operands other steps have combined.
TEST(Races, BetweenBlocksAreOfTheirStep) {
    const tests::TemporaryFolder folder;
    folder.write("k.cu", "// launch: k<<<4, 64>>>(in, out)\n"
                         "__global__ void k(const int* in, int* out) {\n"
                         "    __shared__ int s[64];\n"
                         "    const int t = threadIdx.x;\n"
                         "    s[t] = in[t];\n"
                         "    __syncthreads();\n"
                         "    for (int d = 32; d > 0; d /= 2) {\n"
                         "        if (t < d) s[t] += s[t + d];\n"
                         "        __syncthreads();\n"
                         "    }\n"
                         "    if (t == 0) out[0] = s[0];\n"
                         "}\n");
    RunOptions o;
    o.kernel.file = (folder.path() / "k.cu").string();
    RunControl control;
    const Trace t = runs::run_kernel_file(o, control);
    const Launch& l = t.launches.front();
    ASSERT_EQ(l.findings.size(), 1U);
    EXPECT_EQ(l.findings.front().kind, FindingKind::race_global);
    EXPECT_EQ(l.findings.front().step, l.steps.size() - 1);
}

TEST(Race, OfUpdatesHasNoRightOrder) {
    const Trace trace = tests::run_text("__global__ void k(const int* in, int* out) {\n    __shared__ int s[4];\n"
                                        "    if (threadIdx.x < 4) s[threadIdx.x] = 0;\n    __syncthreads();\n"
                                        "    s[in[threadIdx.x] & 3]++;\n    __syncthreads();\n"
                                        "    if (threadIdx.x < 4) out[threadIdx.x] = s[threadIdx.x];\n}\n");
    const Launch& launch = trace.launches.front();
    ASSERT_FALSE(launch.hazards.empty());
    const std::string text = explain(trace, launch, launch.hazards.front());
    EXPECT_NE(text.find("Each changes the value that it read"), std::string::npos) << text;
    EXPECT_EQ(text.find("has to come first"), std::string::npos) << text;
}

// However many places race on an element, it is counted once in a step; a comparison counts as findings do.
TEST(Race, IsCountedOnceAnElementAndStep) {
    const auto counted = [](const char* grid) {
        const Trace trace = tests::run_text("__global__ void k(const int* in, int* out) {\n    __shared__ int s[128];\n"
                                            "    int t = threadIdx.x;\n    s[t] = in[t];\n    s[t] += 1;\n"
                                            "    int a = s[127 - t];\n    int b = s[(t + 64) % 128];\n"
                                            "    out[t] = a + b;\n    out[127 - t] = a;\n}\n",
                                            [&](RunOptions& o) {
                                                o.n = 256;
                                                o.block = 128;
                                                o.kernel.grid = grid;
                                            });
        const Launch& launch = trace.launches.front();
        std::uint64_t times = 0;
        std::size_t races = 0;
        for (const Finding& f : launch.findings) {
            races += is_race(f.kind) ? 1 : 0;
            times += is_race(f.kind) ? f.times : 0;
        }
        EXPECT_GT(races, 3U);
        EXPECT_EQ(times, metrics(trace).totals.hazards);
        return std::pair(times, launch.totals().hazards);
    };
    const auto [one, of_steps] = counted("1");
    EXPECT_GT(one, 100U);
    EXPECT_EQ(one, of_steps);
    EXPECT_GT(counted("2").first, 2 * one) << "blocks race, too";
}

TEST(Race, NamesAnElementOfATileByRowAndColumn) {
    const auto said = [](const char* store) {
        const Trace trace = tests::run_text(std::string("__global__ void k(const int* in, int* out) {\n"
                                                        "    __shared__ int tile[16][17];\n"
                                                        "    int x = threadIdx.x % 16, y = threadIdx.x / 16;\n    ") +
                                                store + " = in[threadIdx.x];\n    out[threadIdx.x] = tile[x][y];\n}\n",
                                            [](RunOptions& o) { o.block = 256; });
        std::string all;
        for (const Finding& f : trace.launches.front().findings) {
            all += sentence(trace, trace.launches.front(), f) + '\n';
        }
        return all;
    };
    EXPECT_THAT(said("tile[y][x]"), ::testing::HasSubstr("thread 2 reads tile[2][0] in line 5"));
    EXPECT_THAT(said("tile[y + 1][x]"),
                ::testing::HasSubstr("thread 240 writes tile[16][0] in line 4, but tile has 16 x 17 elements."));
}

} // namespace
} // namespace warptree
