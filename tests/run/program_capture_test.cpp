// What a program may not do while a stream is captured; copies from and to objects of the host that are too small.
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ProgramCapture : public Program {
  protected:
    RanProgram with(const std::string& call, const std::string& mode = "Global",
                    const std::string& create = "cudaStreamCreate(&s)") {
        return run("#include <cstdio>\n__global__ void add(int* x, int v) { x[threadIdx.x] += v; }\nint main() {\n"
                   "    int h[32] = {}, *d, *e = nullptr;\n    cudaMalloc(&d, sizeof h);\n"
                   "    cudaMemset(d, 0, sizeof h);\n    cudaStream_t s;\n    " +
                   create + ";\n    cudaGraph_t graph = nullptr;\n    cudaStreamBeginCapture(s, cudaStreamCaptureMode" +
                   mode + ");\n    add<<<1, 32, 0, s>>>(d, 1);\n    " + call +
                   ";\n    cudaError_t error = cudaGetLastError();\n"
                   "    cudaError_t ended = cudaStreamEndCapture(s, &graph);\n"
                   "    printf(\"%d %d %d\\n\", error, ended, graph != nullptr);\n"
                   "    cudaDeviceSynchronize();\n    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
                   "    printf(\"%d\\n\", h[0]);\n    cudaFree(d);\n    cudaFree(e);\n    cudaStreamDestroy(s);\n}\n");
    }
};

TEST_F(ProgramCapture, IsLostByTheDefaultStream) {
    for (const char* call : {"add<<<1, 32>>>(d, 10)", "cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)",
                             "cudaMemset(d, 1, sizeof h)", "cudaMemsetAsync(d, 0, sizeof h)"}) {
        const RanProgram ran = with(call);
        EXPECT_EQ(ran.out, "906 901 0\n0\n") << call;
        EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::failed_launch)) << call;
        EXPECT_EQ(ran.first_line(), 12U) << call;
        EXPECT_THAT(ran.first_text(), HasSubstr("cudaErrorStreamCaptureImplicit")) << call;
    }
    // A stream that does not wait for it is no matter.
    const RanProgram apart =
        with("add<<<1, 32>>>(d, 10)", "Global", "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)");
    EXPECT_EQ(apart.out, "0 0 1\n10\n");
    EXPECT_THAT(apart.kinds(), IsEmpty());
}

TEST_F(ProgramCapture, IsLostByWhatMayWait) {
    for (const char* call : {"cudaMalloc(&e, 4)", "cudaStreamSynchronize(s)", "cudaDeviceSynchronize()"}) {
        const RanProgram ran = with(call);
        EXPECT_EQ(ran.out, "900 901 0\n0\n") << call;
        EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::failed_launch)) << call;
    }
    EXPECT_EQ(with("cudaMalloc(&e, 4)", "Relaxed").out, "0 0 1\n0\n");
    EXPECT_THAT(with("cudaMallocAsync(&e, 4, s)").kinds(), IsEmpty());
}

TEST_F(ProgramCapture, EndsAndAnotherOneBegins) {
    const RanProgram ran = with("add<<<1, 32>>>(d, 10); cudaStreamEndCapture(s, &graph);\n"
                                "    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)");
    EXPECT_EQ(ran.out, "901 0 1\n0\n");
}

using ProgramObjects = Program;

TEST_F(ProgramObjects, OfTheHostThatAreSmallerThanACopyAreTold) {
    const auto copied = [&](const std::string& declared, const std::string& copy) {
        return run("#include <vector>\nint main() {\n    " + declared +
                   "\n    int* d;\n    cudaMalloc(&d, 400);\n"
                   "    cudaMemset(d, 0, 400);\n    " +
                   copy + "\n    cudaFree(d);\n}\n");
    };
    const RanProgram vector =
        copied("std::vector<int> v(100);", "cudaMemcpy(d, &v, v.size() * sizeof(int), cudaMemcpyHostToDevice);");
    ASSERT_THAT(vector.kinds(), ElementsAre(FindingKind::copy_out_of_bounds));
    EXPECT_EQ(vector.first_text(), "the copy reads 400 bytes from &v, an object of 24 bytes: the elements of a vector "
                                   "are at v.data()");
    EXPECT_EQ(vector.first_line(), 7U);
    const RanProgram number = copied("int sum = 0;", "cudaMemcpy(&sum, d, 400, cudaMemcpyDeviceToHost);");
    ASSERT_THAT(number.kinds(), ElementsAre(FindingKind::copy_out_of_bounds));
    EXPECT_EQ(number.first_text(), "the copy writes 400 bytes to &sum, an object of 4 bytes");
    EXPECT_EQ(number.result.exit, 0); // what lies beside it is spared
    for (const char* right :
         {"cudaMemcpy(d, v.data(), 400, cudaMemcpyHostToDevice);", "cudaMemcpy(&v[0], d, 400, cudaMemcpyDeviceToHost);",
          "cudaMemcpyAsync(v.data() + 50, d, 200, cudaMemcpyDeviceToHost);",
          "int a[2][50]; cudaMemcpy(a, d, 400, cudaMemcpyDeviceToHost);",
          "int a[2][50]; cudaMemcpy(a[0], d, sizeof a, cudaMemcpyDeviceToHost);",
          "struct { int n, a[99]; } r; cudaMemcpy(&r.n, d, 400, cudaMemcpyDeviceToHost);"}) {
        EXPECT_THAT(copied("std::vector<int> v(100);", right).kinds(), IsEmpty()) << right;
    }
}

} // namespace
} // namespace warptree
