// What a program may not do while a stream is captured.
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

} // namespace
} // namespace warptree
