// What one run may take: memory, processor time, instructions, printed text, sizes of files. A limit that is reached is
// told, and nothing is cut short in silence.
#include "app/base/error.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace warptree::tests {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The message of the refusal; "ran" without one.
std::string refusal(const std::string& text, const std::function<void(RunOptions&)>& change) {
    try {
        run_text(text, change);
        return "ran";
    } catch (const Error& e) {
        return e.what();
    }
}

std::string told(const Trace& trace, FindingKind kind) {
    const Finding* const f = first_of(trace, kind);
    return f == nullptr ? "nothing" : sentence(trace, trace.launches.front(), *f);
}

TEST(Limits, EndADeviceHeapThatGrows) {
    const auto grows = [](const std::string& use, std::uint64_t memory) {
        return run_text("__global__ void k(int* out) {\n  for (int i = 0; i < 300; ++i) {\n"
                        "    char* p = (char*)malloc(1 << 12);\n    if (p == nullptr) return;\n" +
                            use + "\n    out[threadIdx.x] = i + (int)((size_t)p & 1);\n  }\n}",
                        [&](RunOptions& o) {
                            o.block = 1;
                            o.limits.memory = memory;
                        });
    };
    const Trace trace = grows("", 1U << 20);
    EXPECT_THAT(told(trace, FindingKind::limit), AllOf(HasSubstr("line 3"), HasSubstr("malloc() of 4096 bytes"),
                                                       HasSubstr("1 MB"), HasSubstr("--memory")));
    EXPECT_FALSE(trace.completed());
    // Who stored what takes more than the memory itself.
    std::string refused;
    try {
        refused = told(grows("p[i] = 1;", 4U << 20), FindingKind::limit);
    } catch (const OptionError& e) { // what blocks stored is put together when they have ended
        refused = e.what();
    }
    EXPECT_THAT(refused, AllOf(HasSubstr("array malloc"), HasSubstr("4 MB"), HasSubstr("--memory")));
    EXPECT_TRUE(grows("p[i] = 1;", 1U << 30).completed());
}

// As on a GPU: more than the whole heap is not there; what is freed may be taken again.
TEST(Limits, AllowWhatIsFreedAndRefuseTheImpossible) {
    const Trace trace = run_text("__global__ void k(int* out) {\n  for (int i = 0; i < 500; ++i) {\n"
                                 "    char* p = (char*)malloc(1 << 16);\n    p[i] = 1;\n    free(p);\n  }\n"
                                 "  out[0] = malloc(1ULL << 40) == nullptr ? 7 : 8;\n}",
                                 [](RunOptions& o) {
                                     o.block = 1;
                                     o.limits.memory = 24U << 20;
                                 });
    EXPECT_THAT(kinds(trace), testing::IsEmpty());
    EXPECT_EQ(values<int>(trace, "out")[0], 7);
}

TEST(Limits, TellOfMoreAllocationsThanThereMayBe) {
    const Trace trace = run_text("__global__ void k(int* out) {\n  for (int i = 0; i < 5000; ++i) {\n"
                                 "    int* p = (int*)malloc(4);\n    *p = i;\n    out[0] = *p;\n  }\n}",
                                 [](RunOptions& o) { o.block = 1; });
    EXPECT_THAT(told(trace, FindingKind::limit), HasSubstr("4096 arrays and allocations"));
}

// Held at once, that is: a list that frees its nodes may be as long as it likes, and who gets freed memory next does not
// race with who had it.
TEST(Limits, CountOnlyTheAllocationsThatAreHeld) {
    const Trace trace = run_text("__global__ void k(int* out) {\n  int sum = 0;\n  for (int i = 0; i < 300; ++i) {\n"
                                 "    int* p = (int*)malloc(4);\n    *p = i;\n    sum += *p;\n    free(p);\n  }\n"
                                 "  out[threadIdx.x] = sum;\n}",
                                 [](RunOptions& o) { o.block = 32; });
    EXPECT_THAT(kinds(trace), testing::IsEmpty());
    EXPECT_THAT(values<int>(trace, "out"), testing::Each(299 * 300 / 2));
}

// However many cores there are: how far other blocks have come by then is not told.
TEST(Limits, EndARunTheSameWayOnAnyNumberOfCores) {
    std::vector<std::string> told_of;
    for (const unsigned workers : {1U, 2U, 5U}) {
        const Trace trace = run_text("__global__ void k(const int* in, int* out, int n) {\n"
                                     "  int sum = 0;\n"
                                     "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 0)\n"
                                     "    sum += in[i];\n"
                                     "  out[blockIdx.x] = sum;\n}",
                                     [&](RunOptions& o) { o.workers = workers; });
        std::string all = told(trace, FindingKind::endless);
        for (const Allocation& a : trace.launches.front().allocations) {
            all += " " + a.name + " " + std::to_string(a.reached);
        }
        told_of.push_back(all);
    }
    EXPECT_THAT(told_of, testing::Each(told_of.front()));
    EXPECT_THAT(told_of.front(), HasSubstr("in 0"));
}

// A warp that waits at a barrier in each iteration never runs for a whole turn.
TEST(Limits, EndALoopThatWaitsAtBarriers) {
    const Trace trace = run_text("__global__ void k(int* out) {\n"
                                 "  for (unsigned i = 128; i >= 0; i /= 2)\n"
                                 "    __syncthreads();\n}",
                                 [](RunOptions& o) {
                                     o.n = 64;
                                     o.block = 64;
                                     o.kernel.n_given = true;
                                     o.kernel.most_instructions = 100'000;
                                 });
    EXPECT_THAT(told(trace, FindingKind::endless), HasSubstr("at line 3, with i = 0"));
    const Finding* const f = first_of(trace, FindingKind::endless);
    ASSERT_NE(f, nullptr);
    EXPECT_LT(f->index, 110'000);
}

TEST(Limits, RefuseArraysThatDoNotFit) {
    const auto memory = [](std::uint64_t bytes) {
        return refusal("__global__ void k(const int* in, int* out, int n) { if (threadIdx.x < n) out[0] = in[0]; }",
                       [&](RunOptions& o) {
                           o.n = 1U << 20;
                           o.limits.memory = bytes;
                       });
    };
    EXPECT_THAT(memory(1U << 20), AllOf(HasSubstr("array in"), HasSubstr("1 MB of memory"), HasSubstr("--memory")));
    EXPECT_THAT(memory(8U << 20), HasSubstr("a copy of array in"));
    EXPECT_EQ(memory(256U << 20), "ran");
}

TEST(Limits, RefuseLargeFilesBeforeReadingThem) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "sparse.npy").string();
    {
        std::ofstream file(path, std::ios::binary);
        const std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (2147483648,), }\n";
        file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(head.size()) << '\0' << head;
    }
    std::filesystem::resize_file(path, 8ULL << 30); // takes no room
    EXPECT_THAT(refusal("__global__ void k(const int* in, int* out) { out[0] = in[0]; }",
                        [&](RunOptions& o) { o.kernel.arguments["in"] = path; }),
                AllOf(HasSubstr("it is 8 GB"), HasSubstr("--memory allows more")));
    EXPECT_THAT(refusal("__global__ void k(const int* in, int* out) { out[0] = in[0]; }",
                        [&](RunOptions& o) {
                            o.input = InputKind::file;
                            o.kernel.input_given = true;
                            o.input_file = path;
                        }),
                HasSubstr("it is 8 GB"));
}

// Of the processor, so a busy machine changes nothing.
TEST(Limits, EndARunThatTakesLong) {
    for (const char* const grid : {"1", "64"}) {
        const Trace trace = run_text("__global__ void k(int* out, int n) {\n  int v = 0;\n"
                                     "  for (int turn = 0; turn < n; ++turn) {\n    v = v * 3 + n;\n  }\n"
                                     "  out[0] = v;\n}",
                                     [&](RunOptions& o) {
                                         o.kernel.grid = grid;
                                         o.kernel.arguments["n"] = "2000000000";
                                         o.kernel.most_instructions = 1ULL << 50;
                                         o.limits.time = 100ms;
                                     });
        EXPECT_THAT(told(trace, FindingKind::limit),
                    AllOf(HasSubstr("turn = "), HasSubstr("0.1 s of processor time"), HasSubstr("--time allows more")));
    }
    const Trace many = run_text( // none of them takes long
        "__global__ void k(int* out) {\n  int v = blockIdx.x;\n  for (int i = 0; i < 100; ++i) v = v * 3 + 1;\n"
        "  if (threadIdx.x == 0) out[blockIdx.x] = v;\n}",
        [](RunOptions& o) {
            o.kernel.grid = "1000000";
            o.limits.time = 50ms;
        });
    EXPECT_THAT(told(many, FindingKind::limit), HasSubstr("0.05 s of processor time"));
}

// Instructions that take as long as thousands of others.
TEST(Limits, EndARunWhoseInstructionsTakeLong) {
    const std::string wide = "\"" + std::string(2000, '-') + "%1000d%1000d%1000d\", turn, turn, turn",
                      much = std::string(2000, '%') + "d";
    for (const std::string& slow :
         {"printf(" + wide + ")", std::string("printf(\"%.0s%.0s\", text, text)"), "printf(\"" + much + "\", turn)",
          std::string("memcpy(to, from, size)"), std::string("memset(to, turn, size)")}) {
        const std::clock_t begin = std::clock();
        const Trace trace =
            run_text("#include <cstdio>\n#include <cstring>\n__device__ char text[1 << 20];\n"
                     "__global__ void k(char* to, const char* from, size_t size) {\n"
                     "  for (int i = threadIdx.x; i < (1 << 16) - 1; i += 32) text[i] = 'x';\n"
                     "  for (int turn = 0; turn >= 0; ++turn) {\n    " +
                         slow + ";\n  }\n}",
                     [](RunOptions& o) {
                         o.block = 32;
                         o.kernel.grid = "1";
                         o.kernel.arguments = {{"to", "zeros:2^24"}, {"from", "zeros:2^24"}, {"size", "2^24"}};
                         o.kernel.most_instructions = 1ULL << 50;
                         o.limits.time = 200ms;
                     });
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; // of the processor
        EXPECT_THAT(told(trace, FindingKind::limit), HasSubstr("0.2 s of processor time")) << slow.substr(0, 40);
        EXPECT_LT(seconds, 10) << slow.substr(0, 40);
    }
}

TEST(Limits, TellWhatIsStillRunningAndHowToLetIt) {
    const Trace trace = run_text("__global__ void k(int* out, int n) {\n  for (int turn = 0; turn < n; ++turn) {\n"
                                 "    out[threadIdx.x] = turn;\n  }\n}",
                                 [](RunOptions& o) {
                                     o.n = 1000000;
                                     o.kernel.most_instructions = 100000;
                                 });
    EXPECT_THAT(told(trace, FindingKind::endless),
                AllOf(HasSubstr("still running"), HasSubstr("turn = "), HasSubstr("instructions of its block so far"),
                      HasSubstr("--instructions")));
}

TEST(Limits, EndARecordingThatGrows) {
    const Trace trace = run_text("__global__ void k(const int* in, int* out, int n) {\n  int v = 0;\n"
                                 "  for (int turn = 0; turn < n; ++turn) {\n    v += in[turn & 31];\n  }\n"
                                 "  out[threadIdx.x] = v;\n}",
                                 [](RunOptions& o) {
                                     o.n = 1U << 20;
                                     o.kernel.arguments["in"] = "iota:32";
                                     o.limits.memory = 64U << 20;
                                 });
    EXPECT_THAT(told(trace, FindingKind::limit), AllOf(HasSubstr("turn = "), HasSubstr("recorded"), HasSubstr("64 MB"),
                                                       HasSubstr("--memory"), HasSubstr("--window")));
}

TEST(Limits, TellHowMuchOfWhatIsPrintedIsKept) {
    const auto printing = [](std::uint64_t kept) {
        return run_text("#include <cstdio>\n__global__ void k(int* out) {\n  printf(\"0123456789\");\n  out[0] = 1;\n}",
                        [&](RunOptions& o) {
                            o.kernel.grid = "4";
                            o.limits.printed = kept;
                        });
    };
    const Trace cut = printing(1005), whole = printing(1280);
    EXPECT_EQ(cut.launches.front().printed.size(), 1005U);
    EXPECT_EQ(cut.launches.front().printed, whole.launches.front().printed.substr(0, 1005));
    EXPECT_THAT(told(cut, FindingKind::print_limit),
                AllOf(HasSubstr("of 1280 bytes"), HasSubstr("the first 1005"), HasSubstr("--printed")));
    EXPECT_THAT(report_text(cut), HasSubstr("of 1280 bytes"));
    EXPECT_EQ(first_of(whole, FindingKind::print_limit), nullptr);
}

// What the program chooses is small enough to wait for.
TEST(Limits, BoundWhatIsChosen) {
    const auto chosen = [](const std::string& text) {
        RunOptions o;
        o.kernel.text = text;
        RunControl control;
        return runs::run_kernel_file(o, control);
    };
    const Trace columns = chosen("#define LENGTH (1 << 20)\nstruct Columns { float x[LENGTH], y[LENGTH]; };\n"
                                 "__global__ void k(Columns* from, Columns* to, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  if (i < n) { to->x[i] = from->x[i] + 1; to->y[i] = from->y[i] + 2; }\n}");
    EXPECT_TRUE(columns.completed());
    for (const KernelArgument& a : columns.arguments) {
        EXPECT_LE(a.count, 2U << 20) << a.name << ": one structure";
    }
    const Trace cube = chosen("#include <cstdio>\n__global__ void k(int* out) { out[threadIdx.x] = blockIdx.z; }\n"
                              "int main() { dim3 block(2, 2, 2), grid(2, 2, 2); int* a; k<<<grid, block>>>(a); }");
    EXPECT_LE(cube.launches.front().grid, 1U << 12);
}

} // namespace
} // namespace warptree::tests
