// What whole programs may call, beside what every program does: each case computes what it checks on the host, too.
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace warptree {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ProgramApi = Program;

TEST_F(ProgramApi, StopsAtALaunchOfAKernelThatCannotRun) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void first(int* a) { a[threadIdx.x] = 1; }
__global__ void nested(int* a) { if (a[0] > 1) nested<<<1, 1>>>(a); }
int main() {
    int* a;
    cudaMalloc(&a, 128);
    first<<<1, 32>>>(a);
    printf("before\n");
    nested<<<1, 32>>>(a);
    printf("after\n");
})");
    EXPECT_EQ(ran.out, "before\n");
    EXPECT_EQ(ran.result.exit, 2);
    EXPECT_EQ(ran.result.end, runs::ProgramEnd::unsupported);
    EXPECT_THAT(ran.result.said, HasSubstr("line 9: nested is launched, and cannot run: "));
    EXPECT_THAT(ran.result.said, HasSubstr("dynamic parallelism"));
    EXPECT_EQ(ran.result.trace.launches.size(), 1U);
    EXPECT_THAT(ran.kinds(), IsEmpty()); // nothing leaks from what was stopped
}

TEST_F(ProgramApi, IsStoppedWithinALaunchWhenItsTimeIsUp) {
    runs::ProgramRequest request;
    request.files = {file("__global__ void endless(int* a) { for (long i = 0; i < 1L << 40; ++i) atomicAdd(a, 1); }\n"
                          "int main() { int* a; cudaMalloc(&a, 4); cudaMemset(a, 0, 4); endless<<<2, 32>>>(a);\n"
                          "cudaDeviceSynchronize(); }\n")};
    request.time = std::chrono::milliseconds(500);
    const RanProgram ran = run_files(request);
    EXPECT_EQ(ran.result.end, runs::ProgramEnd::timed_out);
    EXPECT_EQ(ran.result.exit, 124);
    EXPECT_THAT(ran.result.said, HasSubstr("after 0.5 s, at endless<<<2, 32>>> in line 2, and was stopped"));
}

TEST_F(ProgramApi, TakesSmallerAndLargerOnTheHost) {
    const RanProgram ran = run(R"(#include <cstdio>
int main() {
    printf("%d %u %lld %g %g %zu\n", min(3, -4), max(3u, 4u), min(5LL, 6LL), max(2.0f, 2.5), min(1.5f, 0.5f),
           max(size_t{7}, size_t{8}));
})");
    EXPECT_EQ(ran.out, "-4 4 5 2.5 0.5 8\n");
}

// As the programs of some books are laid out.
TEST_F(ProgramApi, ReadsHeadersOfAFolderBeside) {
    std::filesystem::create_directories(folder_.string() + "/a/b");
    folder_.write("common/check.h", "#include \"number.h\"\n");
    folder_.write("common/number.h", "#define NUMBER 17\n");
    folder_.write("secret.txt", "#define NUMBER 18\n");
    const std::string text = "\n#include <cstdio>\nint main() { printf(\"%d\\n\", NUMBER); }\n";
    EXPECT_EQ(run_file(file("#include \"../common/check.h\"" + text, "a/x.cu")).out, "17\n");
    EXPECT_EQ(run_file(file(" #  include \"../../common/check.h\"" + text, "a/b/y.cu")).out, "17\n");
    // Nothing but code, and nothing where the request does not allow it.
    EXPECT_THROW(run_file(file("#include \"../secret.txt\"" + text, "a/z.cu")), Error);
    runs::ProgramRequest below;
    below.files = {folder_.string() + "/a/x.cu"};
    below.reaches_up = false;
    EXPECT_THROW(run_files(below), Error);
}

} // namespace
} // namespace warptree
