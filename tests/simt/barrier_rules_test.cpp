// Barriers that not all threads reach: the interpreter against what a GPU did (script/barrier-rules), case by case, and
// what is said of each.
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/paths.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>

namespace warptree::tests {
namespace {

using testing::HasSubstr;

struct Case {
    std::string barrier, others, act, measured;
    bool completes() const { return measured.starts_with("completes"); }
    // How many threads the barrier counted; 0: it does not count.
    int counted() const {
        const auto at = measured.find("counted ");
        return at == std::string::npos ? 0 : std::stoi(measured.substr(at + 8));
    }
};

std::vector<Case> recorded() {
    std::ifstream in(golden_dir() / "barrier_rules/h100.csv");
    std::vector<Case> all;
    for (std::string line; std::getline(in, line);) {
        const auto a = line.find(','), b = line.find(',', a + 1), c = line.find(",\"", b + 1);
        if (line.starts_with('#') || c == std::string::npos) {
            continue;
        }
        all.push_back({line.substr(0, a), line.substr(a + 1, b - a - 1), line.substr(b + 1, c - b - 1),
                       line.substr(c + 2, line.size() - c - 3)});
    }
    return all;
}

std::string statement(const std::string& barrier) {
    static const std::map<std::string, std::string> calls{
        {"__syncthreads()", "__syncthreads();"},
        {"__syncthreads_count(1)", "counted = __syncthreads_count(1);"},
        {"bar.red.popc 1", "asm volatile(\"{ .reg .pred p; setp.eq.u32 p, 0, 0; bar.red.popc.u32 %0, 1, p; }\" : "
                           "\"=r\"(counted) :: \"memory\");"},
        {"__syncwarp()", "__syncwarp();"},
        {"grid.sync()", "cooperative_groups::this_grid().sync();"}};
    const auto found = calls.find(barrier);
    if (found != calls.end()) {
        return found->second;
    }
    std::string words = barrier; // "bar.sync 1 128"
    if (const auto count = words.find(' ', words.find(' ') + 1); count != std::string::npos) {
        words.insert(count, ",");
    }
    return "asm volatile(\"" + words + ";\" ::: \"memory\");";
}

// The case as bench/barrier_rules.cu has it.
std::string kernel_of(const Case& c) {
    const int team = c.barrier.ends_with(" 64") ? 64 : 128;
    const std::string other = c.others == "a whole warp"                ? fmt::format("t >= {}", team - 32)
                              : c.others == "odd lanes"                 ? "t % 2 == 1"
                              : c.others == "28 lanes of the last warp" ? fmt::format("t >= {}", team - 28)
                              : c.others == "odd blocks"                ? "blockIdx.x % 2 == 1"
                              : c.others == "thread 0 of block 1"       ? "blockIdx.x == 1 && t == 0"
                                                                        : "false";
    const std::string wait = statement(c.barrier);
    return fmt::format(
        "#include <cooperative_groups.h>\n__global__ void k(int* out, int* late) {{\n"
        "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, counted = 0;\n"
        "  if (t >= {}) return;\n  bool other = {};\n{}{}  if (!other) {{\n    {}\n    out[i] = counted;\n"
        "  }} else {{\n    late[i] = 1;\n    {}\n  }}\n{}{}}}\n",
        team, other, c.act == "return before it" ? "  if (other) return;\n" : "",
        c.act == "end 20 ms later" ? "  if (other) { late[i] = 2; return; }\n" : "", wait,
        c.act == "wait at another" ? wait : "", c.act == "wait at the next" ? "  " + wait + "\n" : "",
        c.act == "end in the other branch" ? "" : "  late[i] += 1;\n");
}

Trace run_case(const Case& c) {
    return run_text(kernel_of(c), [&](RunOptions& o) {
        o.block = 128;
        o.n = 512;
        o.kernel.grid = c.barrier == "grid.sync()" ? "4" : "1";
        o.kernel.arguments = {{"out", "zeros:512"}, {"late", "zeros:512"}};
    });
}

// The language wants all threads of a block at the same barrier; an H100 lets whole warps meet at different ones.
bool is_stricter(const Case& c) {
    return c.others == "a whole warp" && (c.act == "wait at another" || c.act == "wait at the next") &&
           c.barrier.starts_with("__syncthreads");
}

TEST(BarrierRules, AreThoseOfTheHardware) {
    const std::vector<Case> all = recorded();
    ASSERT_GT(all.size(), 200U);
    for (const Case& c : all) {
        if (c.barrier == "a spin lock") {
            continue;
        }
        const Trace trace = run_case(c);
        const std::string name = c.barrier + ", " + c.others + ": " + c.act;
        if (is_stricter(c)) {
            EXPECT_TRUE(c.completes()) << name;
            EXPECT_FALSE(trace.completed()) << name;
            const Finding* const f = first_of(trace, FindingKind::barrier_divergence);
            ASSERT_NE(f, nullptr) << name;
            EXPECT_THAT(sentence(trace, trace.launches.front(), *f), HasSubstr("An H100 lets whole warps pass so"));
            continue;
        }
        EXPECT_EQ(trace.completed(), c.completes()) << name << "\n" << kernel_of(c) << findings_text(trace);
        if (trace.completed() && c.counted() != 0) {
            EXPECT_EQ(values<int>(trace, "out")[0], c.counted()) << name;
        }
        // Whatever happens, something is said unless all threads arrive, or the barrier is no block's.
        const bool silent = c.others == "none" || c.barrier == "__syncwarp()" || c.act == "wait at another" ||
                            c.act == "wait at the next" || c.barrier.find(" 64") != std::string::npos ||
                            c.barrier.find("128") != std::string::npos;
        const std::set<FindingKind> found = kinds(trace);
        EXPECT_TRUE(silent || found.contains(FindingKind::barrier_divergence) || found.contains(FindingKind::deadlock))
            << name;
    }
}

TEST(BarrierRules, ASpinLockEndsAndIsARisk) {
    for (const Case& c : recorded()) {
        if (c.barrier != "a spin lock") {
            continue;
        }
        const int threads = std::stoi(c.others);
        const Trace trace = run_text("__global__ void guarded(unsigned* lock, volatile int* counter) {\n"
                                     "  while (atomicExch(lock, 1u) != 0u) {}\n"
                                     "  *counter = *counter + 1;\n  __threadfence();\n  atomicExch(lock, 0u);\n}",
                                     [&](RunOptions& o) {
                                         o.block = static_cast<std::uint32_t>(threads);
                                         o.kernel.arguments = {{"lock", "zeros:1"}, {"counter", "zeros:1"}};
                                     });
        EXPECT_TRUE(c.completes());
        ASSERT_TRUE(trace.completed()) << c.others;
        EXPECT_EQ(values<int>(trace, "counter").front(), threads);
        EXPECT_EQ(c.measured, fmt::format("completes, counter {}", threads));
        const Finding* const f = first_of(trace, FindingKind::lockstep);
        ASSERT_NE(f, nullptr) << c.others;
        EXPECT_EQ(f->severity, Severity::risk);
        EXPECT_EQ(f->line.line(), 2U);
        EXPECT_EQ(
            sentence(trace, trace.launches.front(), *f),
            "thread 1 spins in line 2 for what thread 0, of the same warp, does only behind the loop: endless where "
            "lanes run in lockstep, as on GPUs before Volta; since Volta they run on by themselves.");
    }
}

// What is said of a kernel in which `n` is 100, in blocks of 128 threads, or 64.
struct Said {
    const char* name;
    const char* text;
    Severity severity;
    const char* sentence;
    unsigned threads = 128;
};
void PrintTo(const Said& said, std::ostream* out) { *out << said.name; }

constexpr Said kSaid[] = {
    {"EarlyReturn",
     "__global__ void k(int* a, int n) {\n  if (threadIdx.x >= n) return;\n  a[threadIdx.x] = 1;\n  __syncthreads();\n"
     "  if (threadIdx.x + 1 < n) a[threadIdx.x] = 2;\n}",
     Severity::risk,
     "28 of the block's 128 threads end (line 2) before the barrier in line 4, at which thread 0 waits: a GPU since "
     "Volta "
     "waits only for threads that have not ended, but CUDA wants all threads of a block at the barrier."},
    {"InABranchAfterWhichNothingComes",
     "__global__ void k(int* a) {\n  int i = threadIdx.x;\n  if (i % 2 == 0) {\n    int v = a[i + 2];\n"
     "    __syncthreads();\n    a[i] = v;\n  }\n}",
     Severity::fault,
     "thread 0 waits at the barrier in line 5, which 64 of the block's 128 threads skip (line 3): all threads of a "
     "block "
     "must reach the same barrier. A GPU since Volta waits only for threads that have not ended, and these end."},
    {"InABranchAfterWhichSomethingComes",
     "__global__ void k(int* a) {\n  int i = threadIdx.x;\n  if (i % 2 == 0)\n    __syncthreads();\n  a[i] = 1;\n}",
     Severity::fault,
     "thread 0 waits at the barrier in line 4, which 64 of the block's 128 threads skip (line 3): all threads of a "
     "block "
     "must reach the same barrier. A GPU since Volta waits only for threads that have not ended, and these end."},
    {"InALoopOfDifferentLength",
     "__global__ void k(int* a, int n) {\n  for (int i = threadIdx.x; i < n; i += 64) {\n    a[i] = 1;\n"
     "    __syncthreads();\n  }\n}",
     Severity::fault,
     "thread 0 waits at the barrier in line 4, which 28 of the block's 64 threads skip (line 2): all threads of a "
     "block "
     "must reach the same barrier. A GPU since Volta waits only for threads that have not ended, and these end.",
     64},
    {"InABranchOfALoopThatAllRunOn",
     "__global__ void k(int* a) {\n  for (int s = 64; s > 32; s /= 2) {\n    if (threadIdx.x < s) {\n      a[s] = 1;\n"
     "      __syncthreads();\n    }\n  }\n  if (threadIdx.x == 0) a[0] = 2;\n}",
     Severity::fault,
     "thread 0 waits at the barrier in line 5, which 64 of the block's 128 threads skip (line 3): all threads of a "
     "block must reach the same barrier. A GPU since Volta waits only for threads that have not ended, and these end."},
    {"BeforeOneInALoop",
     "__global__ void k(int* a, int n) {\n  for (int i = 0; i < 2; ++i) {\n    if (threadIdx.x >= n) return;\n"
     "    a[i] = 1;\n    __syncthreads();\n  }\n}",
     Severity::risk,
     "28 of the block's 128 threads end (line 3) before the barrier in line 5, at which thread 0 waits: a GPU since "
     "Volta waits only for threads that have not ended, but CUDA wants all threads of a block at the barrier."},
    {"BehindOneInALoop",
     "__global__ void k(int* a, int n) {\n  for (int i = 0; i < 2; ++i) {\n    a[i] = 1;\n    __syncthreads();\n"
     "    if (threadIdx.x >= n) return;\n  }\n}",
     Severity::risk,
     "28 of the block's 128 threads end (line 5) before the barrier in line 4, at which thread 0 waits: a GPU since "
     "Volta waits only for threads that have not ended, but CUDA wants all threads of a block at the barrier."},
    {"InABranchAfterWhichAnotherComes",
     "__global__ void k(int* a, int n) {\n  if (threadIdx.x < n) {\n    for (int i = 0; i < 2; ++i) {\n      a[i] = "
     "1;\n"
     "      __syncthreads();\n    }\n  }\n  if (threadIdx.x == 0) a[0] = 2;\n}",
     Severity::fault,
     "thread 0 waits at the barrier in line 5, which 28 of the block's 128 threads skip (line 2): all threads of a "
     "block must reach the same barrier. A GPU since Volta waits only for threads that have not ended, and these end."},
    {"AtTwoBarriers",
     "__global__ void k(int* a) {\n  if (threadIdx.x < 32) {\n    __syncthreads();\n    a[0] = 1;\n  } else {\n"
     "    a[1] = 1;\n    __syncthreads();\n  }\n}",
     Severity::fault,
     "thread 0 waits at the barrier in line 3 and thread 32 at that in line 7: all threads of a block must meet at the "
     "same one. An H100 lets whole warps pass so, but not the lanes of one warp.",
     64},
};

class BarrierForSome : public testing::TestWithParam<Said> {};

TEST_P(BarrierForSome, SaysWhatTheRulesSayAndWhatHardwareDoes) {
    const Said& said = GetParam();
    const Trace trace = run_text(said.text, [&](RunOptions& o) {
        o.block = said.threads;
        o.n = 100;
        o.kernel.arguments["a"] = "iota:200";
    });
    const Finding* const f = first_of(trace, FindingKind::barrier_divergence);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->severity, said.severity);
    EXPECT_EQ(sentence(trace, trace.launches.front(), *f), said.sentence);
}

INSTANTIATE_TEST_SUITE_P(Each, BarrierForSome, testing::ValuesIn(kSaid),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BarrierRules, AllThreadsThatLoopEquallyOftenAreSilent) {
    const Trace trace = run_text("__global__ void k(int* a, int n) {\n  for (int i = threadIdx.x; i - threadIdx.x < n; "
                                 "i += 32) {\n    if (i < n) a[i] = i;\n    __syncthreads();\n  }\n"
                                 "  if (threadIdx.x >= 7) return;\n  a[threadIdx.x] = 1;\n}",
                                 [](RunOptions& o) {
                                     o.n = 100;
                                     o.kernel.arguments["a"] = "iota:100";
                                 });
    EXPECT_TRUE(kinds(trace).empty());
}

// Threads that have exited are expected nowhere: 128, 64, 32, 16, … of as many.
TEST(BarrierRules, CountWhoIsStillThere) {
    const Trace trace = run_text("__global__ void k(int* a) {\n  for (int s = 64; s > 0; s /= 2) {\n"
                                 "    if (threadIdx.x >= s) return;\n    __syncthreads();\n    a[s] = 1;\n  }\n}",
                                 [](RunOptions& o) {
                                     o.block = 128;
                                     o.kernel.arguments["a"] = "zeros:128";
                                 });
    ASSERT_TRUE(trace.completed());
    std::vector<std::uint32_t> expected;
    for (const Barrier& b : trace.launches.front().barriers) {
        expected.push_back(b.expected);
    }
    EXPECT_THAT(expected, testing::ElementsAre(64, 32, 16, 8, 4, 2, 1));
}

TEST(BarrierRules, AGridBarrierThatBlocksSkipNeverCompletes) {
    const Trace trace = run_text("#include <cooperative_groups.h>\n__global__ void half(int* a) {\n"
                                 "  auto grid = cooperative_groups::this_grid();\n  if (blockIdx.x % 2 == 0) {\n"
                                 "    if (threadIdx.x == 0) a[blockIdx.x] = 1;\n    grid.sync();\n  }\n}",
                                 [](RunOptions& o) { o.kernel.grid = "4"; });
    EXPECT_FALSE(trace.completed());
    const Finding* const f = first_of(trace, FindingKind::deadlock);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(sentence(trace, trace.launches.front(), *f),
              "thread 0 of block 0 in line 6 waits forever: it waits for all blocks of the grid, and 2 of 4 have ended "
              "without this barrier.");
}

} // namespace
} // namespace warptree::tests
