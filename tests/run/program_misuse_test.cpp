// Mistakes of the host's half that a GPU does not report, or reports late: what is told of each, and not of what is right.
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/sanitizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ProgramMisuse : public Program {
  protected:
    // A constant of four numbers, of which `copy` sets some.
    RanProgram with_constant(const std::string& copy) {
        return run("__constant__ double c[4];\n__global__ void k(double* out) { out[threadIdx.x] = c[threadIdx.x]; }\n"
                   "int main() {\n    double h[4] = {1, 2, 3, 4}, *d;\n    cudaMalloc(&d, sizeof(h));\n    " +
                   copy +
                   "\n    k<<<1, 4>>>(d);\n    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);\n"
                   "    cudaFree(d);\n}\n");
    }
    // 512 managed ints; `kernel` changes some, and the host looks at `place` without a wait.
    RanProgram early(const std::string& kernel, const std::string& place) {
        return run("#include <cstdio>\n__global__ void k(int* p, int n) {\n    int i = blockIdx.x * blockDim.x + "
                   "threadIdx.x;\n    " +
                   kernel +
                   "\n}\nint main() {\n    int* p;\n    cudaMallocManaged(&p, 2048);\n"
                   "    for (int i = 0; i < 512; ++i) p[i] = i;\n    k<<<4, 128>>>(p, 512);\n"
                   "    long sum = 0;\n    " +
                   place + "\n    printf(\"%ld\\n\", sum);\n    cudaDeviceSynchronize();\n    cudaFree(p);\n}\n");
    }
};

TEST_F(ProgramMisuse, TellsOfConstantsThatAreNotSet) {
    EXPECT_THAT(with_constant("cudaMemcpyToSymbol(c, h, sizeof(h));").kinds(), IsEmpty());
    EXPECT_THAT(with_constant("cudaMemcpyToSymbol(c, h, sizeof(h));").result.trace.launches.front().findings,
                IsEmpty());

    const RanProgram never = with_constant("");
    EXPECT_THAT(never.kinds(), ElementsAre(FindingKind::uninitialised));
    EXPECT_THAT(never.first_text(), HasSubstr("constant memory that the program has not set"));

    const RanProgram part = with_constant("cudaMemcpyToSymbol(c, h, 4 * sizeof(float));");
    EXPECT_THAT(part.kinds(), ElementsAre(FindingKind::counted_copy));
    EXPECT_THAT(part.first_text(), HasSubstr("16 of the 32 bytes of c are copied: each of its 4 elements has 8 bytes"));
    const Trace& trace = part.result.trace;
    ASSERT_EQ(trace.launches.front().findings.size(), 1U);
    const Finding& f = trace.launches.front().findings[0];
    EXPECT_EQ(f.severity, Severity::risk);
    EXPECT_EQ(f.index, 2);
    EXPECT_THAT(sentence(trace, trace.launches.front(), f), HasSubstr("c[2] in line 2, which the program has not set"));

    EXPECT_THAT(with_constant("cudaMemcpyToSymbol(c, h, 4);").kinds(), ElementsAre(FindingKind::counted_copy));
}

TEST_F(ProgramMisuse, TellsOfASmallerTypesSize) {
    const auto copied = [&](const std::string& size) {
        return run("__global__ void k(double* d) { d[threadIdx.x] = 1; }\nint main() {\n    double h[64], *d;\n"
                   "    cudaMalloc(&d, sizeof(h));\n    k<<<1, 64>>>(d);\n    cudaMemcpy(h, d, " +
                   size + ", cudaMemcpyDeviceToHost);\n    cudaFree(d);\n}\n")
            .kinds();
    };
    EXPECT_THAT(copied("64 * sizeof(double)"), IsEmpty());
    EXPECT_THAT(copied("32 * sizeof(double)"), IsEmpty()); // half of it
    EXPECT_THAT(copied("64 * sizeof(float)"), ElementsAre(FindingKind::counted_copy));
    EXPECT_THAT(copied("sizeof(int) * 64"), ElementsAre(FindingKind::counted_copy));
    EXPECT_THAT(copied("4 * 16"), ElementsAre(FindingKind::counted_copy)) << "its elements, as sides of a plane";
    EXPECT_THAT(copied("8 * 8"), IsEmpty()) << "8 of its elements";
}

TEST_F(ProgramMisuse, TellsWhenTheHostLooksTooEarlyAtAPartOfAPage) {
    const std::string all = "for (int i = 0; i < 512; ++i) sum += p[i];";
    for (const auto& [kernel, place, element] :
         {std::tuple{"p[i]++;", "sum = p[0];", "p[0]"}, std::tuple{"if (i > 10) p[i]++;", "sum = p[11];", "p[11]"},
          std::tuple{"if (i > 10) p[i]++;", all.c_str(), "p[11]"},
          std::tuple{"if (i % 2 == 0) p[i]++;", "sum = p[2];", "p[2]"},
          std::tuple{"if (i < 50) p[i] = 5;", "sum = p[20];", "p[20]"},
          std::tuple{"if (i == 0) p[n - 1] = 5;", all.c_str(), "p[511]"},
          std::tuple{"if (i == 0) p[n - 1] = 5;", "p[511] = 1;", "p[511]"}}) {
        const RanProgram ran = early(kernel, place);
        EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::race_global)) << kernel << place;
        EXPECT_THAT(ran.first_text(), HasSubstr(element)) << kernel << place;
    }
    const RanProgram beside = early("if (i > 10) p[i]++;", "for (int i = 0; i <= 10; ++i) sum += p[i];");
    EXPECT_THAT(beside.kinds(), IsEmpty());
    EXPECT_EQ(beside.out, "55\n");
    EXPECT_THAT(early("p[i]++;", "cudaDeviceSynchronize(); " + all).kinds(), IsEmpty());
}

TEST_F(ProgramMisuse, EndsALaunchThatWaitsForTheGridWithoutACooperativeOne) {
    const auto launched = [&](const std::string& launch) {
        return run("#include <cooperative_groups.h>\n#include <cstdio>\n"
                   "__global__ void k(int* p) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    p[i] = i;\n"
                   "    cooperative_groups::this_grid().sync();\n    p[64 + i] = p[63 - i];\n}\n"
                   "int main() {\n    int* p;\n    cudaMalloc(&p, 512);\n    " +
                   launch + "\n    printf(\"%d\\n\", cudaDeviceSynchronize());\n    cudaFree(p);\n}\n");
    };
    const RanProgram plain = launched("k<<<2, 32>>>(p);");
    EXPECT_EQ(plain.out, "719\n"); // cudaErrorLaunchFailure, as on an H100
    ASSERT_EQ(plain.result.trace.launches.front().findings.size(), 1U);
    EXPECT_EQ(plain.result.trace.launches.front().findings[0].kind, FindingKind::trap);
    EXPECT_THAT(plain.result.trace.launches.front().findings[0].text, HasSubstr("cudaLaunchCooperativeKernel"));
    const RanProgram together =
        launched("void* args[] = {&p};\n    cudaLaunchCooperativeKernel((void*)k, 2, 32, args);");
    EXPECT_EQ(together.out, "0\n");
    EXPECT_THAT(together.result.trace.launches.front().findings, IsEmpty());
}

TEST_F(ProgramMisuse, TellsOfASwappedGrid) {
    const auto covered = [&](const std::string& grid, const std::string& index = "y * w + x") {
        return run("__global__ void k(float* a, int w, int h) {\n"
                   "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                   "    if (x < w && y < h) a[" +
                   index +
                   "] = 1;\n}\nint main() {\n    float* d;\n    cudaMalloc(&d, 120 * 40 * 4);\n"
                   "    cudaMemset(d, 0, 120 * 40 * 4);\n    k<<<dim3(" +
                   grid + "), dim3(16, 16)>>>(d, 120, 40);\n    cudaFree(d);\n}\n");
    };
    EXPECT_THAT(covered("8, 3").kinds(), IsEmpty());
    EXPECT_THAT(covered("3, 3").kinds(), IsEmpty()); // a part, as it may be meant
    const RanProgram swapped = covered("3, 8");
    ASSERT_THAT(swapped.kinds(), ElementsAre(FindingKind::uncovered));
    EXPECT_THAT(swapped.first_text(),
                HasSubstr("48 threads in x and 128 in y, and d is 120 wide and 40 high: 2880 of its "
                          "4800 elements are not written"));
}

TEST_F(ProgramMisuse, SaysWhatAGridThatIsTooLargeIsAsAnInt) {
    const RanProgram ran =
        run("__global__ void k() {}\nint main() { int n = 60000; k<<<n * n / 100 - 1000, 32>>>(); }\n");
    ASSERT_THAT(ran.kinds(), ElementsAre(FindingKind::failed_launch));
    EXPECT_THAT(ran.first_text(), HasSubstr("as an int that is -"));
}

TEST_F(ProgramMisuse, TellsOfBytesThatAreSetForElements) {
    const auto set = [&](const std::string& type, const std::string& value) {
        return run("int main() {\n    " + type + "* d;\n    cudaMalloc(&d, 64 * sizeof(*d));\n    cudaMemset(d, " +
                   value + ", 64 * sizeof(*d));\n    cudaFree(d);\n}\n");
    };
    const RanProgram ones = set("int", "1");
    ASSERT_THAT(ones.kinds(), ElementsAre(FindingKind::doubtful_code));
    EXPECT_THAT(ones.first_text(), HasSubstr("each byte of d to 1, not each element: as an int that is 16843009"));
    EXPECT_THAT(set("double", "2").kinds(), ElementsAre(FindingKind::doubtful_code));
    for (const char* value : {"0", "-1", "0xFF", "0x7f"}) {
        EXPECT_THAT(set("int", value).kinds(), testing::IsEmpty()) << value;
    }
    EXPECT_THAT(set("unsigned char", "1").kinds(), testing::IsEmpty());
}

TEST_F(ProgramMisuse, IsToldOnceOfLaunchesInALoop) {
    const RanProgram ran = run("__global__ void k(int* a) { a[0] += 1; }\nint main() {\n    int* d;\n"
                               "    cudaMalloc(&d, 4);\n    cudaMemset(d, 0, 4);\n"
                               "    for (int i = 0; i < 3; ++i) k<<<1, 64>>>(d);\n    cudaFree(d);\n}\n");
    ASSERT_EQ(ran.result.trace.launches.size(), 3U);
    const std::string text = report_text(ran.result.trace);
    const std::size_t first = text.find("race: ");
    ASSERT_NE(first, std::string::npos);
    EXPECT_THAT(text, HasSubstr("(and again in 2 later launches)"));
    const std::string line = text.substr(first, text.find(" (", first) - first);
    EXPECT_EQ(text.find(line, first + 1), std::string::npos) << line;
}

TEST_F(ProgramMisuse, NamesTheCopyOfAVariableOfTheDevice) {
    const RanProgram ran =
        run("__constant__ float mask[3];\n__global__ void k(float* d) { d[threadIdx.x] = mask[0]; }\n"
            "int main() {\n    float h[3] = {1, 2, 3};\n"
            "    cudaMemcpy(mask, h, sizeof h, cudaMemcpyHostToDevice);\n}\n");
    ASSERT_THAT(ran.kinds(), ElementsAre(FindingKind::copy_direction));
    EXPECT_THAT(ran.first_text(), HasSubstr("mask is a variable of the device, which cudaMemcpyToSymbol copies"));
}

TEST_F(ProgramMisuse, ResultsThatNobodyReads) {
    const auto scale = [&](const std::string& back, const std::string& says = "std::printf(\"%f\\n\", h[5]);") {
        return run("#include <cstdio>\n__global__ void scale(float* x) { x[threadIdx.x] *= 3; }\n"
                   "__global__ void copy(const float* from, float* to) { to[threadIdx.x] = from[threadIdx.x]; }\n"
                   "int main() {\n    float h[32] = {1, 2}, *d, *e;\n    cudaMalloc(&d, sizeof h);\n"
                   "    cudaMalloc(&e, sizeof h);\n    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
                   "    scale<<<1, 32>>>(d);\n    " +
                   back + "\n    cudaDeviceSynchronize();\n    " + says + "\n    cudaFree(d);\n    cudaFree(e);\n}\n");
    };
    const RanProgram never = scale("");
    ASSERT_THAT(never.kinds(), ElementsAre(FindingKind::unread_results));
    EXPECT_EQ(sentence(never.result.trace, never.result.trace.program.findings.front()),
              "line 9: what scale stores to d is never read: no copy brings it to the host (cudaMemcpy with "
              "cudaMemcpyDeviceToHost).");
    EXPECT_EQ(never.result.trace.program.findings.front().severity, Severity::risk);
    for (const char* back :
         {"cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);",
          "copy<<<1, 32>>>(d, e); cudaMemcpy(h, e, sizeof h, cudaMemcpyDeviceToHost);",
          "cudaMemcpy(e, d, sizeof h, cudaMemcpyDeviceToDevice); cudaMemcpy(h, e, 4, cudaMemcpyDeviceToHost);"}) {
        EXPECT_THAT(scale(back).kinds(), testing::IsEmpty()) << back;
    }
    EXPECT_THAT(scale("", "").kinds(), testing::IsEmpty()) << "it says nothing, so needs no results";
}

TEST_F(ProgramMisuse, AFlagThatIsNeverReadBack) {
    const auto loop = [&](const std::string& set, const std::string& back) {
        return run(
            "#include <cstdio>\n__global__ void grow(int* x, int* changed) {\n"
            "    if (x[threadIdx.x] < 3) { ++x[threadIdx.x]; *changed = 1; }\n}\n"
            "int main() {\n    int h[32] = {}, *d, *c, changed;\n    cudaMalloc(&d, sizeof h);\n"
            "    cudaMalloc(&c, 4);\n    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n    int rounds = 0;\n"
            "    do {\n        changed = 0;\n        " +
            set + "\n        grow<<<1, 32>>>(d, c);\n        " + back +
            "\n    } while (changed || ++rounds < 2);\n    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
            "    std::printf(\"%d\\n\", h[0]);\n    cudaFree(d);\n    cudaFree(c);\n}\n");
    };
    const std::string copies = "cudaMemcpy(c, &changed, 4, cudaMemcpyHostToDevice);", sets = "cudaMemset(c, 0, 4);";
    for (const std::string& set : {copies, sets}) {
        const RanProgram never = loop(set, "");
        ASSERT_THAT(never.kinds(), ElementsAre(FindingKind::unread_results)) << set;
        EXPECT_EQ(never.first_text(),
                  "what grow stores to c is never read, though the host sets it before 2 launches: no "
                  "copy brings it back (cudaMemcpy with cudaMemcpyDeviceToHost)");
        EXPECT_EQ(never.first_line(), 14U);
        EXPECT_THAT(loop(set, "cudaMemcpy(&changed, c, 4, cudaMemcpyDeviceToHost);").kinds(), testing::IsEmpty());
    }
    // What only its atomics store, too; but not what they return.
    const auto by_atomics = [&](const std::string& change) {
        return run("#include <cstdio>\n__global__ void grow(int* x, int* changed) {\n"
                   "    if (x[threadIdx.x] < 3) { ++x[threadIdx.x]; " +
                   change +
                   " }\n}\nint main() {\n    int h[32] = {}, *d, *c, changed = 0;\n    cudaMalloc(&d, sizeof h);\n"
                   "    cudaMalloc(&c, 4);\n    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
                   "    cudaMemcpy(c, &changed, 4, cudaMemcpyHostToDevice);\n    grow<<<1, 32>>>(d, c);\n"
                   "    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
                   "    std::printf(\"%d\\n\", h[0]);\n    cudaFree(d);\n    cudaFree(c);\n}\n");
    };
    EXPECT_THAT(by_atomics("atomicExch(changed, 1);").kinds(), ElementsAre(FindingKind::unread_results));
    EXPECT_THAT(by_atomics("if (atomicAdd(changed, 1) > 40) x[0] = 0;").kinds(), testing::IsEmpty());
    // Where nothing at all is read that is one mistake, and none of a program that says nothing.
    const auto single = [&](const char* says) {
        return run(
            std::string("#include <cstdio>\n__global__ void one(int* x) { *x = 1; }\nint main() {\n    int h = 0, *d;\n"
                        "    cudaMalloc(&d, 4);\n    cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice);\n"
                        "    one<<<1, 1>>>(d);\n    cudaDeviceSynchronize();\n    ") +
            says + "\n    cudaFree(d);\n}\n");
    };
    EXPECT_THAT(single("std::printf(\"%d\\n\", h);").kinds(), ElementsAre(FindingKind::unread_results));
    EXPECT_THAT(single("").kinds(), testing::IsEmpty());
    const auto once = [&](const std::string& back) {
        return run("#include <cstdio>\n__global__ void grow(int* x, bool* changed) {\n"
                   "    if (x[threadIdx.x] < 3) { ++x[threadIdx.x]; *changed = true; }\n}\n"
                   "int main() {\n    int h[32] = {}, *d;\n    bool *c, changed;\n    cudaMalloc(&d, sizeof h);\n"
                   "    cudaMalloc(&c, sizeof(bool));\n    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
                   "    do {\n        changed = false;\n"
                   "        cudaMemcpy(c, &changed, sizeof(bool), cudaMemcpyHostToDevice);\n        grow<<<1, 32>>>(d, "
                   "c);\n        " +
                   back +
                   "\n    } while (changed);\n    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
                   "    std::printf(\"%d\\n\", h[0]);\n    cudaFree(d);\n    cudaFree(c);\n}\n");
    };
    const RanProgram first = once(""); // which ends with the first launch
    ASSERT_THAT(first.kinds(), ElementsAre(FindingKind::unread_results));
    EXPECT_THAT(first.first_text(), HasSubstr("c is never read, though the host sets it before the launch: "));
    EXPECT_THAT(once("cudaMemcpy(&changed, c, sizeof(bool), cudaMemcpyDeviceToHost);").kinds(), testing::IsEmpty());
}

// On an H100 (CUDA 13.0) what a kernel prints is seen once the host waits, in whatever way, and not at the program's end.
TEST_F(ProgramMisuse, PrintsOfAKernelAreSeenOnceTheHostWaits) {
    const auto hello = [&](const std::string& tail) {
        return run("#include <cstdio>\n__global__ void hello(int* d) { printf(\"hello %d\\n\", threadIdx.x); "
                   "d[threadIdx.x] = 1; }\n"
                   "__global__ void other(int* d) { d[2] = 5; }\nint main() {\n    int* d;\n    cudaMalloc(&d, 1024);\n"
                   "    hello<<<1, 2>>>(d);\n    " +
                   tail + "\n    return 0;\n}\n");
    };
    for (const char* waits : {"cudaDeviceSynchronize();", "int h; cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);",
                              "cudaStreamSynchronize(0);", "cudaDeviceReset();", "cudaFree(d);",
                              "cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e); cudaEventSynchronize(e);",
                              "int h = 1; cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice);"}) {
        const RanProgram ran = hello(waits);
        EXPECT_EQ(ran.out, "hello 0\nhello 1\n") << waits;
        EXPECT_THAT(ran.kinds(), Not(Contains(FindingKind::unseen_print))) << waits;
    }
    for (const char* goes_on : {"", "other<<<1, 1>>>(d);", "cudaMemset(d, 0, 4);", "int* q; cudaMalloc(&q, 4);",
                                "cudaGetLastError();", "cudaMemcpyAsync(d + 1, d, 4, cudaMemcpyDeviceToDevice);"}) {
        const RanProgram ran = hello(goes_on);
        EXPECT_EQ(ran.out, "") << goes_on;
        EXPECT_THAT(ran.kinds(), Contains(FindingKind::unseen_print)) << goes_on;
        const auto& findings = ran.result.trace.program.findings;
        const auto found = std::ranges::find(findings, FindingKind::unseen_print, &Finding::kind);
        ASSERT_NE(found, findings.end()) << goes_on;
        EXPECT_EQ(sentence(ran.result.trace, *found),
                  "line 7: what hello prints (2 lines) is not seen: the program ends "
                  "without waiting for it; cudaDeviceSynchronize() waits.");
    }
    EXPECT_EQ(hello("printf(\"host\\n\"); fflush(stdout); cudaDeviceSynchronize(); printf(\"end\\n\");").out,
              "host\nhello 0\nhello 1\nend\n");
}

// What the host reads before it writes is the same in each run: zeros, as in a process that has just begun.
TEST_F(ProgramMisuse, MemoryOfTheHostBeginsAsZeros) {
    const RanProgram ran = run(R"(#include <cstdio>
#include <cstdlib>
int main() {
    for (int round = 0; round < 3; ++round) {
        unsigned char* a = (unsigned char*)malloc(5000);
        int* b = new int[3000];
        long sum = 0;
        for (int i = 0; i < 5000; ++i) sum += a[i];
        for (int i = 0; i < 3000; ++i) sum += b[i];
        printf("%ld ", sum);
        for (int i = 0; i < 5000; ++i) a[i] = 7;
        for (int i = 0; i < 3000; ++i) b[i] = 7;
        free(a);
        delete[] b;
    }
})");
    EXPECT_EQ(ran.out, "0 0 0 ");
}

TEST_F(ProgramMisuse, SaysThatTheHostsMemoryIsUsedUp) {
    if (tests::kSanitized) {
        GTEST_SKIP() << "a sanitizer takes all addresses, so that they are not limited";
    }
    const RanProgram ran = run("#include <cstdio>\n#include <cstdlib>\nvoid* volatile kept;\nint main() {\n"
                               "    volatile size_t bytes = 1ull << 40;\n    kept = malloc(bytes);\n"
                               "    puts(kept == nullptr ? \"none\" : \"some\");\n    free(kept);\n}\n");
    EXPECT_EQ(ran.out, "none\n");
    EXPECT_THAT(ran.err, HasSubstr("malloc of 1099511627776 bytes gives a null pointer; --memory allows more"));
}

TEST_F(ProgramMisuse, SaysWhichArgumentIsANullPointerAndWhy) {
    const RanProgram ran =
        run("__global__ void z(char* d) { d[threadIdx.x] = 0; }\nint main() {\n    char* big = nullptr;\n"
            "    cudaMalloc(&big, 1ull << 40);\n    z<<<1, 32>>>(big);\n    cudaDeviceSynchronize();\n}\n");
    ASSERT_FALSE(ran.result.trace.launches.at(0).findings.empty());
    EXPECT_THAT(ran.result.trace.launches[0].findings[0].text,
                HasSubstr("a null pointer, as d is: no memory was left for big in line 4"));
}

TEST_F(ProgramMisuse, SaysWhichPartOfAnArrayTheHostHasWritten) {
    const RanProgram pointer =
        run("#include <cstdlib>\n__global__ void twice(float* v) { v[threadIdx.x] *= 2; }\nint main() {\n"
            "    float *h = (float*)calloc(64, 4), *d;\n    cudaMalloc(&d, 256);\n"
            "    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);\n    twice<<<1, 64>>>(d);\n"
            "    cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost);\n    cudaFree(d);\n    free(h);\n}\n");
    const Launch& launch = pointer.result.trace.launches.at(0);
    ASSERT_EQ(launch.findings.size(), 1U);
    EXPECT_THAT(
        sentence(pointer.result.trace, launch, launch.findings[0]),
        HasSubstr(
            "v[2] (buffer d) in line 2, which nothing has written before: line 6 has written 8 of its 256 bytes"));
    const auto with_rows = [this](const std::string& index) {
        return run(
            "__global__ void one(float* m, size_t p) {\n    m[" + index +
            "] += 1;\n}\nint main() {\n"
            "    float h[4][50] = {}, *d;\n    size_t p;\n    cudaMallocPitch(&d, &p, 200, 4);\n"
            "    cudaMemcpy2D(d, p, h, 200, 200, 4, cudaMemcpyHostToDevice);\n    one<<<1, dim3(50, 4)>>>(d, p);\n"
            "    cudaMemcpy2D(h, 200, d, p, 200, 4, cudaMemcpyDeviceToHost);\n    cudaFree(d);\n}\n");
    };
    const RanProgram packed = with_rows("threadIdx.y * 50 + threadIdx.x");
    const Launch& left = packed.result.trace.launches.at(0);
    ASSERT_FALSE(left.findings.empty());
    EXPECT_THAT(sentence(packed.result.trace, left, left.findings[0]),
                HasSubstr("rows of d begin 512 bytes apart, as cudaMallocPitch says, and have 200"));
    EXPECT_THAT(with_rows("threadIdx.y * (p / 4) + threadIdx.x").result.trace.launches.at(0).findings, IsEmpty());
}

TEST_F(ProgramMisuse, SaysThatInputAndOutputMayBeSwapped) {
    const auto with = [this](const std::string& arguments) {
        return run(
            "__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }\nint main() {\n"
            "    int h[64] = {1}, *din, *dout;\n    cudaMalloc(&din, sizeof h);\n    cudaMalloc(&dout, sizeof h);\n"
            "    cudaMemcpy(din, h, sizeof h, cudaMemcpyHostToDevice);\n    copy<<<1, 64>>>(" +
            arguments +
            ");\n"
            "    cudaMemcpy(h, dout, sizeof h, cudaMemcpyDeviceToHost);\n    cudaFree(din);\n    cudaFree(dout);\n}\n");
    };
    const RanProgram swapped = with("dout, din");
    EXPECT_THAT(swapped.kinds(), ElementsAre(FindingKind::uninitialised));
    EXPECT_THAT(swapped.first_text(),
                HasSubstr("line 7 gives it as in, and din, which has data, as out: the two may be swapped"));
    EXPECT_THAT(with("din, dout").kinds(), IsEmpty());
}

// Elements that a launch leaves out, and those that only others take.
class Uncovered : public Program {
  protected:
    // A kernel of an array of 1000 ints, whose launches stand in `calls`; out has as many.
    std::vector<FindingKind> of(const std::string& kernel, const std::string& calls) {
        return run(kernel +
                   "int main() {\n    const int n = 1000;\n    static int h[n];\n    int *in, *out;\n"
                   "    cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof h);\n    cudaMemset(out, 0, sizeof h);\n"
                   "    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);\n    " +
                   calls +
                   "\n    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);\n"
                   "    cudaFree(in); cudaFree(out);\n    return h[0];\n}\n")
            .kinds();
    }
    static std::string kernel(const std::string& parameters, const std::string& body) {
        return "__global__ void k(const int* in, int* out, int n" + parameters +
               ") {\n    int t = blockIdx.x * blockDim.x + threadIdx.x;\n    " + body + "\n}\n";
    }
};

TEST_F(Uncovered, AreNotWhatOtherLaunchesTake) {
    const std::string part = kernel(", int from", "int i = from + t; if (i < n) out[i] = in[i] + 1;");
    EXPECT_THAT(of(part, "for (int j = 0; j < 4; ++j) k<<<1, 256>>>(in, out, n, 256 * j);"), IsEmpty());
    EXPECT_THAT(of(part, "k<<<1, 256>>>(in, out, n, 0);"), ElementsAre(FindingKind::uncovered));
    const std::string plain = kernel("", "if (t < n) out[t] = in[t] + 1;");
    EXPECT_THAT(of(plain, "for (int at = 0; at < n; at += 256) k<<<1, 256>>>(in + at, out + at, n - at);"), IsEmpty());
    EXPECT_THAT(of(plain, "k<<<3, 256>>>(in, out, n);"), ElementsAre(FindingKind::uncovered));
    // The same again, and another kernel over the whole, take no rest.
    EXPECT_THAT(of(plain, "k<<<3, 256>>>(in, out, n); k<<<4, 256>>>(in, out, n);"),
                ElementsAre(FindingKind::uncovered));
    const std::string tail = "__global__ void tail(const int* in, int* out, int from, int n) {\n"
                             "    int i = from + threadIdx.x; if (i < n) out[i] = in[i] + 1;\n}\n";
    EXPECT_THAT(of(plain + tail, "k<<<3, 256>>>(in, out, n); tail<<<1, 256>>>(in, out, 768, n);"), IsEmpty());
}

// 31 blocks of 32 threads take 992 of 1000 elements; that nothing guards the threads is no reason to leave the others.
TEST_F(Uncovered, AreFoundWhereTheGuardIsMissing) {
    const std::string bare = kernel("", "out[t] = in[t] * in[t];");
    EXPECT_THAT(of(bare, "k<<<n / 32, 32>>>(in, out, n);"), ElementsAre(FindingKind::uncovered));
    EXPECT_THAT(of(bare, "k<<<n / 40, 40>>>(in, out, n);"), IsEmpty()) << "25 blocks of 40 are 1000";
    EXPECT_THAT(of(bare, "k<<<31, 32>>>(in, out, n); k<<<1, 8>>>(in + 992, out + 992, n);"), IsEmpty());
    EXPECT_THAT(of(kernel(", int from", "out[from + t] = in[from + t];"),
                   "k<<<31, 32>>>(in, out, n, 0); k<<<1, 8>>>(in, out, n, 992);"),
                IsEmpty());
    EXPECT_THAT(of(kernel("", "out[t] = in[t] * n;"), "k<<<n / 32, 32>>>(in, out, n);"), IsEmpty())
        << "n may be any number";
}

TEST_F(Uncovered, AreMeantWhereAnotherNumberBoundsTheThreads) {
    EXPECT_THAT(of(kernel(", int few", "if (t < few && t < n) out[t] = in[t];"), "k<<<1, 32>>>(in, out, n, 10);"),
                IsEmpty());
    EXPECT_THAT(of(kernel(", int to", "if (t >= to) return;\n    int s = 0;\n"
                                      "    for (int j = t - 2; j <= t + 2; ++j) if (j >= 0 && j < n) s += in[j];\n"
                                      "    out[t] = s;"),
                   "k<<<2, 256>>>(in, out, n, 512);"),
                IsEmpty());
    EXPECT_THAT(of(kernel(", int m", "if (t >= m) return;\n    int lo = 0, hi = n;\n"
                                     "    while (lo < hi) { int mid = (lo + hi) / 2; if (in[mid] < t) lo = mid + 1; "
                                     "else hi = mid; }\n    out[t] = lo;"),
                   "k<<<1, 64>>>(in, out, n, 50);"),
                IsEmpty());
    EXPECT_THAT(of("__global__ void blur(const int* in, int* out, int w, int h) {\n"
                   "    int x = blockIdx.x * 8 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;\n"
                   "    if (x < w - 1 && y < h - 1) out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1];\n}\n",
                   "blur<<<dim3(6, 2), dim3(8, 8)>>>(in, out, 50, 20);"),
                IsEmpty());
}

TEST_F(ProgramMisuse, IsNotThatTwoStreamsAddByAtomics) {
    const auto found = [&](const std::string& add) {
        return run("__global__ void k(const int* x, int* sum, int n) {\n    int i = blockIdx.x * blockDim.x + "
                   "threadIdx.x;\n"
                   "    if (i < n) " +
                   add +
                   ";\n}\nint main() {\n    int *x, *sum, h[512] = {1};\n    cudaMalloc(&x, sizeof(h));\n"
                   "    cudaMalloc(&sum, 4);\n    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);\n"
                   "    cudaMemset(sum, 0, 4);\n    cudaStream_t s[2];\n    for (auto& q : s) cudaStreamCreate(&q);\n"
                   "    for (int k2 = 0; k2 < 2; ++k2) k<<<1, 256, 0, s[k2]>>>(x + 256 * k2, sum, 256);\n"
                   "    cudaDeviceSynchronize();\n    for (auto& q : s) cudaStreamDestroy(q);\n    cudaFree(x);\n"
                   "    cudaFree(sum);\n}\n")
            .kinds();
    };
    EXPECT_THAT(found("atomicAdd(sum, x[i])"), IsEmpty());
    EXPECT_THAT(found("atomicMax(sum, x[i])"), IsEmpty());
    EXPECT_THAT(found("if (i == 0) *sum = x[i]"), Contains(FindingKind::race_global));
    EXPECT_THAT(found("atomicAdd_block(sum, x[i])"), Contains(FindingKind::race_global)) << "of one block only";
}

TEST_F(ProgramMisuse, IsNotThatNothingIsBetweenMembers) {
    const auto told = [&](const std::string& stores) {
        const RanProgram ran = run("struct Hit { double far; int id; };\n__global__ void k(Hit* hits, int n) {\n"
                                   "    int i = threadIdx.x;\n    if (i < n) {\n        " +
                                   stores +
                                   "\n    }\n}\nint main() {\n    Hit *d, h[100];\n    cudaMalloc(&d, sizeof(h));\n    "
                                   "k<<<1, 128>>>(d, 100);\n"
                                   "    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);\n    cudaFree(d);\n}\n");
        return ran.first_text();
    };
    EXPECT_EQ(told("hits[i].far = i;\n        hits[i].id = i;"), "");
    EXPECT_EQ(told("hits[i] = Hit{1.0 * i, i};"), "");
    EXPECT_THAT(
        told("hits[i].far = i;\n        if (i != 7) hits[i].id = i;"),
        HasSubstr("1 of the 100 elements of d that are copied to the host were never written, the first is d[7]"));
}

TEST_F(ProgramMisuse, SaysWhyAnArrayIsTooShort) {
    const auto told = [&](const std::string& type, const std::string& size, const std::string& n) {
        const RanProgram ran = run("__global__ void k(" + type +
                                   "* x, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n) x[i] = 1;\n}\nint main() {\n    const int n = 1000;\n    const "
                                   "size_t bytes = n * 4;\n    " +
                                   type + "* d;\n    cudaMalloc(&d, " + size + ");\n    k<<<16, 256>>>(d, " + n +
                                   ");\n    cudaFree(d);\n}\n");
        return report_text(ran.result.trace);
    };
    EXPECT_THAT(told("double", "n * sizeof(float)", "n"),
                HasSubstr("d has 500 elements: it was allocated with n * sizeof(float), 4000 bytes, and each of its "
                          "elements takes 8"));
    EXPECT_THAT(told("int", "n", "n"),
                HasSubstr("d has 250 elements: it was allocated with 1000 bytes, which is n, and n "
                          "elements take n * 4"));
    EXPECT_THAT(told("int", "bytes", "bytes"),
                HasSubstr("d has 1000 elements, and n = 4000 is the number of their bytes"));
    EXPECT_THAT(told("int", "n / 4 * sizeof(int)", "n"), Not(HasSubstr("it was allocated with")))
        << "1000 bytes by chance";
    const RanProgram pitched =
        run("__global__ void k(short* p, size_t pitch, int w, int h) {\n    int x = threadIdx.x, y = blockIdx.x;\n"
            "    if (x < w && y < h) p[y * pitch + x] = 1;\n}\nint main() {\n    short* d;\n    size_t pitch;\n"
            "    cudaMallocPitch(&d, &pitch, 160, 20);\n    k<<<20, 96>>>(d, pitch, 80, 20);\n    cudaFree(d);\n}\n");
    EXPECT_THAT(
        report_text(pitched.result.trace),
        HasSubstr("pitch = 512 counts the bytes of a row of d, not its elements: row y begins at (char*)d + y * "
                  "pitch"));
}

// Of a program that fails: the loop may swap what it forgot to.
TEST_F(ProgramMisuse, IsThatAllLaunchesOfALoopAreTheSame) {
    const auto told = [&](const std::string& after, int exit) {
        return run("#include <utility>\n__global__ void step(const float* u, float* v, int n) {\n    int i = "
                   "threadIdx.x;\n"
                   "    if (i < n) v[i] = u[i] + 1;\n}\nint main() {\n    float *u, *v, h[64] = {};\n    "
                   "cudaMalloc(&u, 256);\n"
                   "    cudaMalloc(&v, 256);\n    cudaMemcpy(u, h, 256, cudaMemcpyHostToDevice);\n"
                   "    for (int s = 0; s < 5; ++s) {\n        step<<<1, 64>>>(u, v, 64);\n        " +
                   after +
                   "\n    }\n    cudaMemcpy(h, v, 256, cudaMemcpyDeviceToHost);\n    cudaFree(u);\n    cudaFree(v);\n  "
                   "  return " +
                   std::to_string(exit) + ";\n}\n")
            .first_text();
    };
    EXPECT_EQ(told("", 1),
              "all 5 launches of step here are given the same, and nothing that they read changes between them: "
              "each stores what the first one did");
    EXPECT_EQ(told("", 0), "") << "as where the time is taken";
    EXPECT_EQ(told("std::swap(u, v);", 1), "");
    EXPECT_EQ(told("if (s == 3) std::swap(u, v);", 1), "") << "not all of them";
    EXPECT_EQ(told("cudaMemcpy(u, v, 256, cudaMemcpyDeviceToDevice);", 1), "");
}

TEST_F(ProgramMisuse, IsAGridOfOneDimensionForAKernelOfTwo) {
    const auto told = [&](const std::string& launch) {
        return run("__global__ void add(const float* a, float* c, int rows, int cols) {\n"
                   "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                   "    if (y < rows && x < cols) c[y * cols + x] = a[y * cols + x] + 1;\n}\nint main() {\n"
                   "    float *a, *c, h[1500] = {};\n    cudaMalloc(&a, sizeof(h));\n    cudaMalloc(&c, sizeof(h));\n"
                   "    cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);\n    cudaMemset(c, 0, sizeof(h));\n    "
                   "add<<<" +
                   launch +
                   ">>>(a, c, 30, 50);\n    cudaMemcpy(h, c, sizeof(h), cudaMemcpyDeviceToHost);\n    cudaFree(a);\n"
                   "    cudaFree(c);\n}\n")
            .first_text();
    };
    EXPECT_THAT(told("6, 256"),
                HasSubstr("c is 50 wide and 30 high: 1450 of its 1500 elements are not written; with a grid and "
                          "blocks of two dimensions, dim3, there are threads in y"));
    EXPECT_EQ(told("dim3(4, 2), dim3(16, 16)"), "");
}

} // namespace
} // namespace warptree
