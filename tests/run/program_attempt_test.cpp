// A program of which only what it prints and what is found is wanted (warptree run) prints and is told the same as one whose
// launches are traced, though its launches are first attempted without a history.
#include "app/base/error.hpp"
#include "app/trace/explain/findings.hpp"
#include "tests/run/field_case.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace warptree {
namespace {

class ProgramAttempt : public Program {
  protected:
    // All that is told of it.
    std::string said(const std::string& path, bool in_full, const std::vector<std::string>& arguments = {}) {
        runs::ProgramRequest request;
        request.files = {path};
        request.arguments = arguments;
        request.in_full = in_full;
        request.time = std::chrono::minutes(20); // of the clock; of the processor it has as usual
        std::string text;
        try {
            const RanProgram ran = run_files(request);
            const Trace& trace = ran.result.trace;
            text = ran.out + ran.err + std::to_string(ran.result.exit) + ' ' + ran.result.said + '\n';
            for (const Launch& launch : trace.launches) {
                for (const Finding& f : launch.findings) {
                    text += launch.kernel + ": " + title(f) + ": " + sentence(trace, launch, f) + '\n';
                }
            }
            for (const Finding& f : trace.program.findings) {
                text += title(f) + ": " + sentence(trace, f) + '\n';
            }
        } catch (const Error& error) {
            text = error.what();
        }
        return text;
    }
    std::string said_of(const std::string& text, bool in_full) { return said(file(text), in_full); }
};

TEST_F(ProgramAttempt, TellsTheSameOfEveryCase) {
    if (tests::kSanitized) {
        GTEST_SKIP() << "runs every case twice";
    }
    unsigned with_launches = 0, told = 0;
    for (const std::string& name : field::cases()) {
        if (name == "long_dot") { // in full it is cut short, after ten seconds of the processor
            continue;
        }
        const std::string path = (tests::source_dir() / "tests/field" / (name + ".cu")).string();
        if (const std::string text = read_text(path);
            text.find("<<<") == std::string::npos || text.find("clock") != std::string::npos) {
            continue;
        }
        const std::string full = said(path, true);
        if (full.find("still running") != std::string::npos) { // how far it came is chance
            continue;
        }
        EXPECT_EQ(said(path, false), full) << name;
        ++with_launches;
        told += full.find("race") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(with_launches, 10U);
    EXPECT_GT(told, 1U);
}

// How far the others came before one thread ended the launch is chance.
TEST_F(ProgramAttempt, DoesNotSayWhatALaunchThatEndedEarlyLeftOut) {
    const std::string text = R"(
__global__ void copy(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + n] = in[i];
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 1000 * sizeof(int));
    cudaMalloc(&out, 1000 * sizeof(int));
    cudaMemset(in, 1, 1000 * sizeof(int));
    copy<<<3, 256>>>(in, out, 1000);
    cudaDeviceSynchronize();
}
)";
    for (const bool in_full : {false, true}) {
        const std::string said = said_of(text, in_full);
        EXPECT_NE(said.find("out of bounds"), std::string::npos) << said;
        EXPECT_EQ(said.find("does not cover"), std::string::npos) << said;
    }
}

TEST_F(ProgramAttempt, UndoesWhatItStored) {
    // Block 9 of 16 has two threads that store to one element: only then is anything to be told.
    const std::string text = R"(#include <cstdio>
__global__ void next(int* a, int* twice, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
    atomicAdd(&twice[1], 1);
    if (i == 9 * 64 || i == 9 * 64 + 40) twice[0] = i;
}
int main() {
    int *a, *t, h[1024], both[2] = {-1, 100};
    for (int i = 0; i < 1024; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&t, sizeof both);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(t, both, sizeof both, cudaMemcpyHostToDevice);
    next<<<16, 64>>>(a, t, 1024);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(both, t, sizeof both, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < 1024; ++i) wrong += h[i] != i + 1;
    printf("%d wrong, %d threads\n", wrong, both[1] - 100);
    cudaFree(a);
    cudaFree(t);
})";
    const std::string told = said_of(text, false);
    EXPECT_NE(told.find("0 wrong, 1024 threads\n"), std::string::npos) << told;
    EXPECT_NE(told.find("race"), std::string::npos) << told;
    EXPECT_EQ(told, said_of(text, true));
}

TEST_F(ProgramAttempt, ForgetsWhatItMarkedAsWritten) {
    // The array's first half is written by the kernel, its second half is read by the last block.
    const std::string text = R"(
__global__ void half(int* a, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) a[i] = i; else out[i] = a[i];
}
int main() {
    int *a, *out;
    cudaMalloc(&a, 512 * sizeof(int));
    cudaMalloc(&out, 512 * sizeof(int));
    half<<<8, 64>>>(a, out, 512);
    half<<<8, 64>>>(a, out, 512);
    cudaFree(a);
    cudaFree(out);
})";
    const std::string told = said_of(text, false);
    EXPECT_NE(told.find("ninitialised"), std::string::npos) << told;
    EXPECT_EQ(told, said_of(text, true));
}

// Each: what a kernel does, and whether two of its threads race.
TEST_F(ProgramAttempt, SeesOrder) {
    const struct {
        const char* body;
        bool races;
    } cases[] = {
        {"s[t] = a[t]; __syncthreads(); out[t] = s[63 - t];", false},
        {"s[t] = a[t]; out[t] = s[63 - t];", true},
        {"s[t] = a[t]; __syncthreads(); int x = s[63 - t]; s[t] = x; __syncthreads(); out[t] = s[t];", true},
        {"s[t] = a[t]; __syncthreads(); int x = s[63 - t]; __syncthreads(); s[t] = x; out[t] = s[t];", false},
        {"s[t] = a[t]; __syncwarp(); out[t] = s[t ^ 1];", false},
        {"s[t] = a[t]; __syncwarp(); out[t] = s[t ^ 32];", true},
        {"s[t] = a[t]; __syncwarp(); int x = s[t] + s[t ^ 1]; __syncwarp(); s[t] = x; __syncwarp(); out[t] = s[t ^ 2];",
         false},
        {"s[t] = a[t]; __syncwarp(); int x = s[t] + s[t ^ 1]; s[t] = x; __syncwarp(); out[t] = s[t ^ 2];", true},
        {"if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(&s[0], a[t]); __syncthreads(); out[t] = s[0];", false},
        {"if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(&s[0], a[t]); out[t] = s[0];", true},
        {"if (t == 0) s[0] = 0; atomicAdd(&s[0], a[t]); __syncthreads(); out[t] = s[0];", true},
        {"if (t == 0) s[0] = 0; __syncthreads(); if (t == 0) s[0] = 5; atomicAdd(&s[0], a[t]); out[t] = 0;", true},
        {"out[t] = a[t]; out[t] += out[t];", false},
        {"out[t] = a[t]; __syncthreads(); out[t] += out[t + 1 & 63];", true},
        {"out[t] = a[t]; __syncthreads(); int x = out[t + 1 & 63]; __syncthreads(); out[t] += x;", false},
        {"out[b * 64 + t] = a[t]; __syncthreads(); out[t] = 1;", true},
        {"int x = out[t]; out[b * 64 + t] = x;", true},
        {"atomicAdd(&out[t], 1);", false},
        {"atomicAdd(&out[t], 1); __syncthreads(); if (b == 1) out[t] = 4;", true},
        {"atomicAdd(&out[t], 1); if (b == 3) a[t] = out[t];", true},
        {"if (b == 0) out[t] = 1; else atomicAdd(&out[t], 1);", true},
    };
    for (const auto& c : cases) {
        const std::string text =
            std::string("__global__ void k(int* a, int* out) { __shared__ int s[64]; int t = "
                        "threadIdx.x, b = blockIdx.x; if (b < 0) s[t] = 0;\n") +
            c.body + R"(
}
int main() {
    int *a, *out;
    cudaMalloc(&a, 1024);
    cudaMalloc(&out, 1024);
    cudaMemset(a, 1, 1024);
    cudaMemset(out, 0, 1024);
    k<<<)" +
            (std::string(c.body).find("b ") != std::string::npos || std::string(c.body).find("atomicAdd(&out") == 0
                 ? "4"
                 : "1") +
            R"(, 64>>>(a, out);
    cudaFree(a);
    cudaFree(out);
})";
        const std::string told = said_of(text, false);
        EXPECT_EQ(told.find("race") != std::string::npos, c.races) << c.body << '\n' << told;
        EXPECT_EQ(told, said_of(text, true)) << c.body;
    }
}

TEST_F(ProgramAttempt, RepeatsNoLaunchThatWouldDoTheSame) {
    const std::string text = R"(#include <cstdio>
__global__ void copy(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
__global__ void twice(int* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 2;
}
__global__ void count(int* c) { atomicAdd(c, 1); }
int main() {
    const int n = 1000, bytes = n * sizeof(int);
    int h[n], *in, *out, *c, got[n], counted;
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&in, bytes); cudaMalloc(&out, bytes); cudaMalloc(&c, 4); cudaMemset(c, 0, 4);
    cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
    for (int k = 0; k < 5; k++) { copy<<<4, 256>>>(in, out, n); cudaMemcpy(got, out, bytes, cudaMemcpyDeviceToHost); }
    printf("%d\n", got[999]);                                                     // 4 repeats
    twice<<<4, 256>>>(in, n); twice<<<4, 256>>>(in, n);                           // none
    copy<<<4, 256>>>(in, out, n);                                                 // what it reads has changed
    cudaMemset(out, 0, 8); copy<<<4, 256>>>(in, out, n); copy<<<4, 256>>>(in, out, n - 1);
    for (int k = 0; k < 5; k++) { count<<<1, 32>>>(c); copy<<<4, 256>>>(in, out, n - 1); } // 5
    cudaMemcpy(got, out, bytes, cudaMemcpyDeviceToHost); cudaMemcpy(&counted, c, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", got[0], got[999], counted);
    cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
    copy<<<4, 256>>>(in, out, n - 1);
    cudaMemcpy(got, out, bytes, cudaMemcpyDeviceToHost);
    printf("%d %d\n", got[998], got[999]);
    for (int k = 0; k < 4; k++) { cudaMemset(c, 0, 4); count<<<1, 64>>>(c); }     // 3: it finds what it found
    cudaMemcpy(&counted, c, 4, cudaMemcpyDeviceToHost); printf("%d\n", counted);
    cudaMemset(c, 1, 4); count<<<1, 64>>>(c);
    cudaMemcpy(&counted, c, 4, cudaMemcpyDeviceToHost); printf("%d\n", counted);
    cudaFree(in); cudaFree(out); cudaFree(c);
}
)";
    runs::ProgramRequest request;
    request.files = {file(text)};
    request.in_full = false;
    const RanProgram ran = run_files(request);
    EXPECT_EQ(ran.out, "1000\n1 3997 160\n999 3997\n64\n16843073\n");
    EXPECT_EQ(ran.result.repeats, 4U + 5U + 3U);
    EXPECT_EQ(ran.result.trace.launches.size(), 26U);
    EXPECT_EQ(said_of(text, false), said_of(text, true));
}

TEST_F(ProgramAttempt, RunsALaunchAgainWhereTheHostMayChangeWhatItReads) {
    const std::string text = R"(#include <cstdio>
__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
    int *in, *out, got[32];
    cudaMallocManaged(&in, 128);
    cudaMalloc(&out, 128);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 32; i++) in[i] = i * k;
        copy<<<1, 32>>>(in, out);
        cudaMemcpy(got, out, 128, cudaMemcpyDeviceToHost);
        printf("%d\n", got[31]);
    }
    cudaFree(in); cudaFree(out);
})";
    runs::ProgramRequest request;
    request.files = {file(text)};
    request.in_full = false;
    const RanProgram ran = run_files(request);
    EXPECT_EQ(ran.out, "0\n31\n62\n");
    EXPECT_EQ(ran.result.repeats, 0U);
}

} // namespace
} // namespace warptree
