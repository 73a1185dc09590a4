// Programs that see several devices, and what each of them has for itself.
#include "tests/run/program_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warptree {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ProgramDevices : public Program {
  protected:
    RanProgram run_on(std::uint32_t devices, const std::string& body) {
        runs::ProgramRequest request;
        request.files = {file("#include <cstdio>\n#include <vector>\n#include <thread>\n__device__ int calls = 100;\n"
                              "__constant__ int scale;\n"
                              "__global__ void sum(const int* a, int* out, int n) {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    if (i == 0) ++calls;\n    if (i < n) atomicAdd(out, a[i] * scale);\n}\n"
                              "__global__ void set(int* a) { a[threadIdx.x] = threadIdx.x + 1; }\n"
                              "int main() {\n" +
                              body + "\n}\n")};
        request.devices = devices;
        return run_files(request);
    }
};

// The work is shared out; each device scales by its own constant, and counts its own calls.
TEST_F(ProgramDevices, ShareTheWork) {
    const std::string body = R"(    int count;
    cudaGetDeviceCount(&count);
    const int n = 4096, part = n / count;
    std::vector<int> h(n, 1), *p = &h;
    std::vector<int*> d(count), out(count);
    std::vector<cudaStream_t> s(count);
    for (int g = 0; g < count; ++g) {
        cudaSetDevice(g);
        int by = g + 1;
        cudaMemcpyToSymbol(scale, &by, sizeof by);
        cudaStreamCreate(&s[g]);
        cudaMalloc(&d[g], part * sizeof(int));
        cudaMalloc(&out[g], sizeof(int));
        cudaMemsetAsync(out[g], 0, sizeof(int), s[g]);
        cudaMemcpyAsync(d[g], p->data() + g * part, part * sizeof(int), cudaMemcpyHostToDevice, s[g]);
        for (int r = 0; r <= g; ++r) sum<<<(part + 255) / 256, 256, 0, s[g]>>>(d[g], out[g], part);
    }
    for (int g = 0; g < count; ++g) {
        cudaSetDevice(g);
        cudaDeviceSynchronize();
        int r, c;
        cudaMemcpy(&r, out[g], sizeof r, cudaMemcpyDeviceToHost);
        cudaMemcpyFromSymbol(&c, calls, sizeof c);
        printf("%d %d, ", r, c);
        cudaFree(d[g]); cudaFree(out[g]); cudaStreamDestroy(s[g]);
    })";
    // Device g of G: 4096 / G ones, g + 1 times, each times g + 1.
    for (const std::uint32_t devices : {1U, 2U, 4U}) {
        std::string expected;
        for (unsigned g = 0; g < devices; ++g) {
            expected += fmt::format("{} {}, ", 4096 / devices * (g + 1) * (g + 1), 100 + g + 1);
        }
        const RanProgram ran = run_on(devices, body);
        EXPECT_EQ(ran.out, expected);
        EXPECT_THAT(ran.kinds(), IsEmpty()) << ran.first_text();
    }
}

TEST_F(ProgramDevices, HaveCudasErrors) {
    const RanProgram ran = run_on(2, R"(    int can, device = -1;
    cudaDeviceProp prop;
    printf("%d ", cudaSetDevice(2));
    printf("%d ", cudaSetDevice(-1));
    printf("%d %d ", cudaGetDeviceProperties(&prop, 1), cudaGetDeviceProperties(&prop, 2));
    cudaDeviceCanAccessPeer(&can, 0, 1); printf("%d", can);
    cudaDeviceCanAccessPeer(&can, 1, 1); printf("%d ", can);
    printf("%d ", cudaDeviceEnablePeerAccess(0, 0));
    printf("%d ", cudaDeviceEnablePeerAccess(1, 0));
    printf("%d ", cudaDeviceEnablePeerAccess(1, 0));
    printf("%d ", cudaDeviceDisablePeerAccess(1));
    printf("%d\n", cudaDeviceDisablePeerAccess(1));
    std::thread([&] { cudaSetDevice(1); }).join();
    cudaGetDevice(&device);
    printf("%d ", device);
    int *a, *b, h[32];
    cudaMalloc(&a, sizeof h);
    cudaSetDevice(1);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&b, sizeof h);
    cudaPointerAttributes facts;
    cudaPointerGetAttributes(&facts, b);
    printf("%d ", facts.device);
    set<<<1, 32, 0, s>>>(b);
    cudaDeviceSynchronize();
    printf("%d ", cudaMemcpyPeer(a, 0, b, 1, sizeof h));
    printf("%d ", cudaMemcpyPeer(a, 0, b, 2, sizeof h));
    cudaSetDevice(0);
    set<<<1, 32, 0, s>>>(a); // a stream of the other device
    printf("%d ", cudaGetLastError());
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d", h[31]);
    cudaFree(a); cudaFree(b);)");
    EXPECT_EQ(ran.out, "101 101 0 101 10 101 0 704 0 705\n0 1 0 101 400 32");
    EXPECT_THAT(ran.kinds(), IsEmpty()) << ran.first_text();
}

TEST_F(ProgramDevices, ReachOneAnothersMemoryOnlyWhereAllowed) {
    for (const bool allowed : {true, false}) {
        const RanProgram ran = run_on(2, fmt::format(R"(    int* a;
    cudaMalloc(&a, 128);
    cudaSetDevice(1);
    {}
    set<<<1, 32>>>(a);
    printf("%d", cudaDeviceSynchronize());
    cudaFree(a);)",
                                                     allowed ? "cudaDeviceEnablePeerAccess(0, 0);" : ""));
        EXPECT_EQ(ran.out, allowed ? "0" : "700");
        if (allowed) {
            EXPECT_THAT(ran.kinds(), IsEmpty()) << ran.first_text();
        } else {
            ASSERT_FALSE(ran.kinds().empty());
            EXPECT_THAT(ran.first_text(), HasSubstr("on device 1 is given a, memory of device 0"));
        }
    }
}

// Its default stream is its own: what another device does is not ordered before it.
TEST_F(ProgramDevices, AreNotOrderedByADefaultStream) {
    const RanProgram ran = run_on(2, R"(    int* a;
    cudaMalloc(&a, 128);
    cudaMemset(a, 0, 128);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    set<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);)");
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::race_global));
    EXPECT_THAT(ran.first_text(), HasSubstr("writes a, which the set in line"));
}

// What is small and documented of streams, events, registered memory and errors.
TEST_F(ProgramDevices, AreAskedInSmallWays) {
    const RanProgram ran = run_on(1, R"(    cudaStream_t s;
    unsigned flags; int priority;
    cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -9);
    cudaStreamGetFlags(s, &flags); cudaStreamGetPriority(s, &priority);
    printf("%u %d ", flags, priority);
    cudaEvent_t a, b; float ms;
    cudaEventCreate(&a); cudaEventCreateWithFlags(&b, cudaEventDisableTiming);
    cudaEventRecord(a); cudaEventRecord(b); cudaEventSynchronize(b);
    printf("%d ", cudaEventElapsedTime(&ms, a, b));
    static char page[8192];
    printf("%d ", cudaHostRegister(page, 4096, 0));
    printf("%d ", cudaHostRegister(page + 4000, 200, 0));
    printf("%d ", cudaHostRegister(page + 4096, 4096, 0));
    printf("%d ", cudaHostUnregister(page));
    printf("%d\n", cudaHostUnregister(page));
    int* null = nullptr;
    sum<<<1, 1>>>(null, null, 1);
    cudaDeviceSynchronize();
    int* d;
    printf("%d ", cudaMalloc(&d, 4));
    printf("%d", cudaDeviceReset() == cudaErrorIllegalAddress ? cudaMalloc(&d, 4) : 1);
    cudaFree(d);)");
    EXPECT_EQ(ran.out, "1 -5 400 0 712 0 0 713\n700 0");
}

} // namespace
} // namespace warptree
