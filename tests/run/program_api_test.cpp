// What whole programs may call, beside what every program does: each case computes what it checks on the host, too.
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
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

// A line says it long before the time is up; here that ends the run.
TEST_F(ProgramApi, SaysEarlyThatALaunchWillNotBeDoneInTime) {
    runs::ProgramRequest request;
    request.files = {file("__global__ void one(int* a) { for (int i = 0; i < 40; ++i) a[threadIdx.x] += i; }\n"
                          "int main() { int* a; cudaMalloc(&a, 256); cudaMemset(a, 0, 256);\n"
                          "one<<<1 << 24, 64>>>(a);\ncudaDeviceSynchronize(); }\n")};
    request.time = std::chrono::seconds(300);
    RunControl control;
    std::vector<std::string> said;
    request.warn = [&](const std::string& text) {
        said.push_back(text);
        control.cancel = true;
    };
    const auto unheard = [](std::string_view) {};
    EXPECT_THROW(runs::run_program(request, control, unheard, unheard), Cancelled);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_THAT(said[0], HasSubstr("launch 1, one<<<16777216, 64>>> in line 3: 1.1e+09 threads take about "));
    EXPECT_THAT(said[0], HasSubstr("; --time "));
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

TEST_F(ProgramApi, RunsGraphsThatItCapturedOrBuilt) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void add(int* a, int v) { a[threadIdx.x] += v; }
void said(void* p) { printf("host %d\n", *static_cast<int*>(p)); }
int main() {
    int h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaStream_t s, other;
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 4, 0, s>>>(d, 1);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(other, fork, 0);
    add<<<1, 4, 0, other>>>(d, 10);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(s, join, 0);
    cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &graph);
    printf("%d\n", h[0]); // nothing has run
    cudaGraphExec_t made;
    cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(made, s);
    cudaStreamSynchronize(s);
    printf("%d %d\n", h[0], h[3]);
    // A kernel that depends on a set that was added after it; its arguments are those of when it was added.
    cudaGraph_t built;
    cudaGraphCreate(&built, 0);
    cudaGraphNode_t kernel, set, copy, last;
    int v = 5;
    void* arguments[] = {&d, &v};
    cudaKernelNodeParams k = {};
    k.func = (void*)add;
    k.gridDim = dim3(1);
    k.blockDim = dim3(4);
    k.kernelParams = arguments;
    cudaMemsetParams zeros = {};
    zeros.dst = d;
    zeros.elementSize = 1;
    zeros.width = sizeof h;
    zeros.height = 1;
    cudaGraphAddKernelNode(&kernel, built, nullptr, 0, &k);
    v = 6;
    cudaGraphAddMemsetNode(&set, built, nullptr, 0, &zeros);
    cudaGraphAddDependencies(built, &set, &kernel, 1);
    cudaGraphAddMemcpyNode1D(&copy, built, &kernel, 1, h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaHostNodeParams say = {said, h};
    cudaGraphAddHostNode(&last, built, &copy, 1, &say);
    cudaGraphExec_t second;
    cudaGraphInstantiate(&second, built);
    cudaGraphLaunch(second, s);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "1\n34 37\nhost 5\n");
    EXPECT_EQ(ran.result.trace.launches.size(), 7U);
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramApi, SharesManagedVariables) {
    const RanProgram ran = run(R"(#include <cstdio>
__managed__ int total = 3;
__device__ __managed__ float table[100];
__global__ void put() { total += 42; table[99] = table[98] + 1; }
int main() {
    table[98] = 6;
    total++;
    put<<<1, 1>>>();
    cudaDeviceSynchronize();
    printf("%d %g\n", total, table[99]);
})");
    EXPECT_EQ(ran.out, "46 7\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramApi, MultipliesAndAddsWithCublas) {
    const RanProgram ran = run(R"(#include <cstdio>
#include <cublas_v2.h>
const int m = 3, n = 2, k = 4;
template <class T, class Gemm> void product(cublasHandle_t handle, Gemm gemm, bool turn_a, bool turn_b) {
    T a[m * k], b[k * n], c[m * n], *da, *db, *dc, alpha = 2, beta = 3;
    for (int i = 0; i < m * k; ++i) a[i] = i * i % 7;
    for (int i = 0; i < k * n; ++i) b[i] = i - 3;
    for (int i = 0; i < m * n; ++i) c[i] = i;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dc, sizeof c);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cublasSetVector(k * n, sizeof(T), b, 1, db, 1);
    cublasSetMatrix(m, n, sizeof(T), c, m, dc, m);
    gemm(handle, turn_a ? CUBLAS_OP_T : CUBLAS_OP_N, turn_b ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, da,
         turn_a ? k : m, db, turn_b ? n : k, &beta, dc, m);
    T got[m * n];
    cublasGetMatrix(m, n, sizeof(T), dc, m, got, m);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            T sum = 0;
            for (int p = 0; p < k; ++p) sum += (turn_a ? a[i * k + p] : a[p * m + i]) * (turn_b ? b[p * n + j] : b[j * k + p]);
            if (got[j * m + i] != 2 * sum + 3 * c[j * m + i]) printf("wrong at %d %d: %g\n", i, j, (double)got[j * m + i]);
        }
    cudaFree(da), cudaFree(db), cudaFree(dc);
}
int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    for (int turn = 0; turn < 4; ++turn) {
        product<float>(handle, cublasSgemm, turn & 1, turn & 2);
        product<double>(handle, cublasDgemm, turn & 1, turn & 2);
    }
    float x[6] = {1, -2, 3, -4, 5, -6}, *dx, *dr, host, device, alpha = 10;
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cublasSdot(handle, 3, dx, 2, dx + 1, -2, &host); // 1 * -6 + 3 * -4 + 5 * -2
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasSasum(handle, 6, dx, 1, dr);
    cudaMemcpy(&device, dr, sizeof device, cudaMemcpyDeviceToHost);
    int largest;
    cublasIsamax(handle, 6, dx, 1, &largest);
    cublasSaxpy(handle, 3, &alpha, dx + 3, 1, dx, 1);
    cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost);
    printf("%g %g %d: %g %g %g %g\n", host, device, largest, x[0], x[1], x[2], x[3]);
    float *copied, *made, zero = 0, one = 1, got[4]; // neither was ever written, and neither is read
    cudaMalloc(&copied, sizeof got);
    cudaMalloc(&made, sizeof got);
    cublasScopy(handle, 4, dx, 1, copied, 1);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 1, &one, copied, 2, dx + 4, 1, &zero, made, 2);
    cudaMemcpy(got, made, sizeof got, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", got[0], got[1], got[2], got[3]);
    cublasDestroy(handle);
    cudaFree(dx), cudaFree(dr), cudaFree(copied), cudaFree(made);
})");
    EXPECT_EQ(ran.out, "-28 21 6: -39 48 -57 -4\n-195 240 234 -288\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
    const std::vector<StoryEvent>& story = ran.result.trace.program.events;
    EXPECT_TRUE(std::any_of(story.begin(), story.end(), [](const StoryEvent& e) {
        return e.kind == StoryKind::copy && e.other == "dx" && e.name == "the library" && e.line.line() == 43;
    }));
}

// Of types that are told: sums of small integers are exact in each, so that the host's loops give the same numbers.
TEST_F(ProgramApi, MultipliesMatricesOfToldTypes) {
    const RanProgram ran = run(R"(#include <cstdio>
#include <vector>
#include <cublas_v2.h>
template <class In, class Out, class Scalar>
int differ(cublasHandle_t blas, cudaDataType in, cudaDataType out, cublasComputeType_t type) {
    const int m = 5, n = 3, k = 7;
    std::vector<In> a(m * k), b(k * n);
    std::vector<Out> c(m * n), d(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = In(float(i % 5 - 2));
    for (int i = 0; i < k * n; ++i) b[i] = In(float(i % 3 - 1));
    for (int i = 0; i < m * n; ++i) c[i] = Out(float(i));
    In *da, *db;
    Out* dc;
    cudaMalloc(&da, a.size() * sizeof(In));
    cudaMalloc(&db, b.size() * sizeof(In));
    cudaMalloc(&dc, c.size() * sizeof(Out));
    cudaMemcpy(da, a.data(), a.size() * sizeof(In), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(In), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * sizeof(Out), cudaMemcpyHostToDevice);
    const Scalar two = Scalar(2.0f), one = Scalar(1.0f);
    int wrong = cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &two, da, in, m, db, in, n, &one, dc, out, m, type,
                             CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS;
    cudaMemcpy(d.data(), dc, d.size() * sizeof(Out), cudaMemcpyDeviceToHost);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            int sum = 0;
            for (int p = 0; p < k; ++p) sum += ((p * m + i) % 5 - 2) * ((p * n + j) % 3 - 1);
            wrong += float(d[j * m + i]) != float(2 * sum + j * m + i);
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return wrong;
}
int main() {
    cublasHandle_t blas;
    cublasCreate(&blas);
    printf("%d %d %d %d %d\n", differ<half, half, half>(blas, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F),
           differ<half, float, float>(blas, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F),
           differ<float, float, float>(blas, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32),
           differ<double, double, double>(blas, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F),
           differ<signed char, int, int>(blas, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I));
    cublasDestroy(blas);
})");
    EXPECT_EQ(ran.out, "0 0 0 0 0\n") << ran.err << ran.result.said;
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

// On the host, too, which has no function of its own for it.
TEST_F(ProgramApi, MakesBfloat16OnTheHost) {
    const RanProgram ran = run(R"(#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
int main() {
    for (float f : {1.0f, -3.14159f, 1.00390625f, 1.01171875f, 3.4e38f, 1e-40f, 0.0f})
        printf("%04x ", (unsigned)__bfloat16_as_ushort(__float2bfloat16(f)));
    printf("%d\n", (int)std::isnan(__bfloat162float(__float2bfloat16(NAN))));
})");
    // To the nearest of 8 bits, ties to even: 1 + 2^-8 lies between 3f80 and 3f81, 1 + 3 * 2^-8 between 3f81 and 3f82.
    EXPECT_EQ(ran.out, "3f80 c049 3f80 3f82 7f80 0001 0000 1\n") << ran.err << ran.result.said;
}

// The names of the C++ library's own are its own: its headers use them, too.
TEST_F(ProgramApi, TakesTheHeadersOfTheStandardLibrary) {
    const RanProgram ran = run(R"(#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <shared_mutex>
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() {
    std::once_flag once;
    for (int i = 0; i < 2; ++i) std::call_once(once, [] { std::cout << "once "; });
    int* a;
    cudaMalloc(&a, 128);
    k<<<1, 32>>>(a);
    cudaFree(a);
})");
    EXPECT_EQ(ran.out, "once ") << ran.err << ran.result.said;
}

TEST_F(ProgramApi, KeepsWhatStreamsAndTexturesWereMadeOf) {
    const RanProgram ran = run(R"(#include <cstdio>
int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamAttrValue value = {}, got = {};
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &got);
    cudaStreamDestroy(stream);
    float* data;
    cudaMalloc(&data, 256);
    cudaResourceDesc resource = {}, told = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 256;
    cudaTextureDesc texture = {}, as = {};
    texture.readMode = cudaReadModeElementType;
    texture.addressMode[0] = cudaAddressModeMirror;
    cudaTextureObject_t object;
    cudaCreateTextureObject(&object, &resource, &texture, nullptr);
    cudaGetTextureObjectResourceDesc(&told, object);
    cudaGetTextureObjectTextureDesc(&as, object);
    const bool same = told.res.linear.devPtr == data && as.addressMode[0] == cudaAddressModeMirror;
    cudaDestroyTextureObject(object);
    const cudaError_t gone = cudaGetTextureObjectResourceDesc(&told, object);
    printf("%zu %d %d %s\n", got.accessPolicyWindow.num_bytes, (int)got.accessPolicyWindow.hitProp, (int)same,
           cudaGetErrorName(gone));
    cudaFree(data);
})");
    EXPECT_EQ(ran.out, "4096 2 1 cudaErrorInvalidValue\n") << ran.err << ran.result.said;
}

TEST_F(ProgramApi, HasRandomNumbersOfTheDistributionsOfCurand) {
    const RanProgram ran = run(R"(#include <cmath>
#include <cstdio>
#include <curand.h>
#include <vector>
int main() {
    const int n = 20000;
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    std::vector<float> uniform(n), again(n), normal(n);
    curandGenerateUniform(generator, d, n);
    cudaMemcpy(uniform.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    curandGenerateUniform(generator, d, n);
    cudaMemcpy(again.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    curandGenerateNormal(generator, d, n, 5, 2);
    cudaMemcpy(normal.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    double mean = 0, of_normal = 0, square = 0;
    bool inside = true;
    for (int i = 0; i < n; ++i) {
        inside = inside && uniform[i] > 0 && uniform[i] <= 1 && uniform[i] == again[i];
        mean += uniform[i] / n;
        of_normal += normal[i] / n;
        square += (normal[i] - 5) * (normal[i] - 5) / n;
    }
    printf("%d %d %d %d %d\n", inside, std::fabs(mean - 0.5) < 0.01, std::fabs(of_normal - 5) < 0.1,
           std::fabs(std::sqrt(square) - 2) < 0.1, curandGenerateNormal(generator, d, 3, 0, 1) != CURAND_STATUS_SUCCESS);
    curandDestroyGenerator(generator);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "1 1 1 1 1\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramApi, TakesBracketsOfALaunchThatAreApart) {
    const RanProgram ran = run(R"(#include <cstdio>
#include <vector>
template <class T> struct Out {};
template <class T> int operator<<(Out<T>, int x) { return x; }
template <class T> __global__ void k(int* a, T x) { a[threadIdx.x] = x; }
int main() {
    std::vector<std::vector<int> > h(1, std::vector<int>(4));
    int* d;
    cudaMalloc(&d, 16);
    k<int> << <1, dim3(4) >> >(d, 5);
    k << < 1, 2 >> > (d, 6);
    cudaMemcpy(h[0].data(), d, 16, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0][1], h[0][3], operator<< <int>(Out<int>(), 3) >> 1);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "6 5 1\n");
}

// A launch may name the cluster, of a kernel that does not; what a GPU refuses is refused.
TEST_F(ProgramApi, LaunchesClusters) {
    const RanProgram ran = run(R"(#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void ring(int* out) {
    __shared__ int s;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) s = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(&s, (cluster.block_rank() + 1) % cluster.num_blocks());
    cluster.sync();
}
__global__ void __cluster_dims__(2) pairs(int* out) { out[blockIdx.x] = cg::this_cluster().block_rank(); }
template <class K> int launch(K kernel, int grid, int cluster, int* d) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    const int error = cudaLaunchKernelEx(&config, kernel, d);
    cudaGetLastError();
    return error;
}
int main() {
    int *d, h[16];
    cudaMalloc(&d, sizeof h);
    printf("%d:", launch(ring, 8, 4, d));
    cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) printf(" %d", h[i]);
    printf("\n%d %d", launch(ring, 6, 4, d), launch(ring, 16, 16, d));
    cudaFuncSetAttribute(ring, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    printf(" %d %d\n", launch(ring, 16, 16, d), launch(pairs, 8, 4, d));
    pairs<<<4, 32>>>(d);
    cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; ++i) printf(" %d", h[i]);
    pairs<<<3, 32>>>(d);
    printf("\n%s\n", cudaGetErrorName(cudaGetLastError()));
})");
    EXPECT_EQ(ran.out, "0: 1 2 3 0 5 6 7 4\n912 912 0 912\n 0 1 0 1\ncudaErrorInvalidClusterSize\n") << ran.err;
}

// labeled_partition() names its lanes by __fns().
TEST_F(ProgramApi, FindsTheNthBitAndGroupsByLabel) {
    const RanProgram ran = run(R"(#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void bits(int* o) {
    const unsigned m = 0b10110010;
    o[0] = __fns(m, 0, 1), o[1] = __fns(m, 0, 4), o[2] = __fns(m, 2, 1), o[3] = __fns(m, 7, -1);
    o[4] = __fns(m, 6, -2), o[5] = __fns(m, 0, 5), o[6] = __fns(m, 4, 0), o[7] = __fns(m, 3, 0);
}
__device__ int taken(int bucket, int* counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    auto group = cg::labeled_partition(active, bucket);
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(&counter[bucket], group.size());
    return group.shfl(first, 0) + group.thread_rank();
}
__global__ void place(int* to, int* counter) {
    for (int i = threadIdx.x; i < 64; i += 32)
        if (i % 3 < 2) to[i % 3 * 32 + taken(i % 3, counter)] = i;
}
int main() {
    int *d, h[64];
    cudaMalloc(&d, sizeof h);
    bits<<<1, 1>>>(d);
    cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) printf("%d ", h[i]);
    int* c;
    cudaMalloc(&c, 8);
    cudaMemset(c, 0, 8);
    place<<<1, 32>>>(d, c);
    int n[2];
    cudaMemcpy(n, c, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
    printf("%d %d: %d %d %d\n", n[0], n[1], h[0], h[1], h[2]);
    cudaFree(d), cudaFree(c);
})");
    EXPECT_EQ(ran.out, "1 7 4 7 4 -1 4 -1 22 21: 0 3 6\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramApi, IsToldOfAHostPointerInAStructure) {
    const RanProgram ran = run(R"(#include <cstdio>
struct Node { float x; Node* next; };
__global__ void follow(Node* n) { n->next->x = 1; }
int main() {
    Node second, first{0, &second}, *d;
    cudaMalloc(&d, sizeof(Node));
    cudaMemcpy(d, &first, sizeof first, cudaMemcpyHostToDevice);
    follow<<<1, 1>>>(d);
    printf("%d\n", cudaDeviceSynchronize());
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "700\n");
    EXPECT_THAT(ran.kinds(), ::testing::ElementsAre(FindingKind::host_pointer));
    EXPECT_THAT(ran.first_text(), HasSubstr("follow goes through an address of the host"));
    EXPECT_EQ(ran.first_line(), 8U);
}

TEST_F(ProgramApi, NeitherFreesNorLosesVariables) {
    const RanProgram ran = run(R"(#include <cstdio>
__constant__ float unused[8];
int main() {
    float h[8] = {};
    void* at;
    cudaMemcpyToSymbol(unused, h, sizeof h);
    cudaGetSymbolAddress(&at, unused);
    printf("%d\n", cudaFree(at));
})");
    EXPECT_EQ(ran.out, "1\n");
    EXPECT_THAT(ran.kinds(), ::testing::ElementsAre(FindingKind::bad_free));
}

TEST_F(ProgramApi, NamesTheFirstOfManyThatAreNeverFreed) {
    const RanProgram loop = run("int main() { int *d, *e;\n  for (int i = 0; i < 20; ++i) cudaMalloc(&d, 16);\n"
                                "  cudaMalloc(&e, 4);\n}\n");
    ASSERT_THAT(loop.kinds(), ::testing::ElementsAre(FindingKind::leak));
    EXPECT_EQ(loop.first_text(), "d (20 times, line 2), e are never freed (324 bytes)");
    std::string many = "int main() { int* d; ";
    for (int k = 0; k < 20; ++k) {
        many += "\n  cudaMalloc(&d, 16);";
    }
    EXPECT_EQ(run(many + "\n}\n").first_text(), "d, d, d, d, d, d, d, d and 12 more are never freed (320 bytes)");
}

TEST_F(ProgramApi, SaysWhereWhatIsUsedOrFreedAgainWasFreed) {
    const RanProgram ran =
        run("int main() {\n  int h, *d;\n  cudaMalloc(&d, 4);\n  cudaMemset(d, 0, 4);\n  cudaFree(d);\n"
            "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n}\n");
    ASSERT_THAT(ran.kinds(), ::testing::ElementsAre(FindingKind::use_after_free, FindingKind::bad_free));
    EXPECT_EQ(ran.result.trace.program.findings[0].text, "the copy reads d, which has been freed (line 5)");
    EXPECT_EQ(ran.result.trace.program.findings[1].text, "d is freed a second time (first in line 5)");
}

// What it starts or closes ends with it.
TEST_F(ProgramApi, EndsWhateverItLeavesBehind) {
    const RanProgram closed = run("#include <cstdio>\n#include <unistd.h>\n"
                                  "int main() { close(3); int* d; cudaMalloc(&d, 4); puts(\"still there\"); }\n");
    EXPECT_EQ(closed.result.exit, 126);
    EXPECT_EQ(closed.out, "");
    EXPECT_THAT(closed.err, HasSubstr("closed its connection to the device"));
    EXPECT_EQ(run("#include <chrono>\n#include <cstdio>\n#include <thread>\n"
                  "int main() { std::thread([] { for (;;) std::this_thread::sleep_for(std::chrono::seconds(1)); "
                  "}).detach();\n"
                  "puts(\"end\"); }\n")
                  .out,
              "end\n");
    runs::ProgramRequest stopped;
    stopped.files = {file("#include <csignal>\nint main() { raise(SIGSTOP); return 6; }\n")};
    stopped.time = std::chrono::milliseconds(500);
    EXPECT_EQ(run_files(stopped).result.exit, 124);
}

TEST_F(ProgramApi, SetsAndCopiesBoxes) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void k(float* a) { a[threadIdx.x] += 1; }
int main() {
    const int width = 5, height = 4, depth = 3;
    float h[depth][height][width];
    const cudaExtent box = make_cudaExtent(width * sizeof(float), height, depth);
    cudaPitchedPtr d;
    cudaMalloc3D(&d, box);
    cudaMemset3D(d, 0, box);
    cudaPitchedPtr second = d;
    second.ptr = static_cast<char*>(d.ptr) + d.pitch * height; // all but the first slice
    cudaMemset3DAsync(second, 1, make_cudaExtent(4 * sizeof(float), 2, 1), 0);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = d;
    copy.dstPtr = make_cudaPitchedPtr(h, width * sizeof(float), width, height);
    copy.extent = box;
    copy.kind = cudaMemcpyDeviceToHost;
    printf("%d\n", cudaMemcpy3DAsync(&copy));
    int ones = 0;
    for (auto& slice : h)
        for (auto& row : slice)
            for (float& x : row) ones += x != 0;
    int grid, block;
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, k, [](int threads) { return threads * sizeof(float); });
    printf("%d %d %d %d\n", ones, h[1][1][3] != 0, h[1][1][4] != 0, block >= 32 && grid > 0);
    cudaFree(d.ptr);
})");
    EXPECT_EQ(ran.out, "0\n8 1 0 1\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramApi, NamesWhatOfTheRuntimeApiIsMissing) {
    try {
        run("extern \"C\" cudaError_t cudaMallocMipmappedArray(void*);\n"
            "int main() { return cudaMallocMipmappedArray(nullptr); }\n");
        FAIL() << "they are part of it now: say so in docs/programs.md";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("several levels of detail are not part of warptree"));
    }
}

TEST_F(ProgramApi, HasCudasErrorsAndTheirTexts) {
    EXPECT_EQ(run(R"(#include <cstdio>
int main() {
    for (const cudaError_t e : {cudaErrorMissingConfiguration, cudaErrorStreamCaptureUnjoined, cudaError(12345)})
        printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
    cudaEvent_t event;
    cudaMemPool_t pool;
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    cudaDeviceGetDefaultMemPool(&pool, 0);
    printf("%d %d %d %d\n", cudaInitDevice(0, 0, 0), cudaInitDevice(7, 0, 0),
           cudaEventCreate(&event, cudaEventDisableTiming), cudaMemPoolSetAccess(pool, &access, 1));
})")
                  .out,
              "cudaErrorMissingConfiguration: __global__ function call is not configured\n"
              "cudaErrorStreamCaptureUnjoined: capturing stream has unjoined work\n"
              "unrecognized error code: unrecognized error code\n0 101 0 0\n");
}

// What a program saves is kept nowhere, but it goes on.
TEST_F(ProgramApi, LetsAProgramSaveItsResults) {
    const RanProgram ran = run(R"(#include <cstdio>
#include <fstream>
int main() {
    FILE* file = fopen("saved.csv", "w");
    if (file == nullptr) return 1;
    fprintf(file, "%d\n", 5);
    const bool closed = fclose(file) == 0;
    std::ofstream other("other.txt");
    other << "text" << std::endl;
    FILE* both = fopen("both.txt", "w+"); // what is not kept cannot be read
    FILE* back = fopen("saved.csv", "r");
    printf("%d %d %d %d\n", closed, other.good(), both == nullptr, back == nullptr);
})");
    EXPECT_EQ(ran.out, "1 1 1 1\n");
    EXPECT_EQ(ran.result.exit, 0);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("not kept, what is written to the file saved.csv\n"),
                               HasSubstr("not kept, what is written to the file other.txt\n"),
                               HasSubstr("a system call that is not allowed: openat both.txt\n")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "saved.csv"));
}

// A standard class in the parameters of a template that only the host calls.
TEST_F(ProgramApi, HasSpansInBothHalves) {
    EXPECT_EQ(run(R"(#include <cstdio>
#include <span>
#include <vector>
template <class T> inline bool are_equal(std::span<const T> a, std::span<const T> b, T by = T(0)) {
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] - b[i] > by) return false;
    return a.size() == b.size();
}
__global__ void sum(const int* in, int* out, int n) {
    int all = 0;
    for (int x : std::span<const int>(in, n)) all += x;
    *out = all;
}
int main() {
    std::vector<int> h = {1, 2, 3}, same = h;
    int *in, *out, all;
    cudaMalloc(&in, 12);
    cudaMalloc(&out, 4);
    cudaMemcpy(in, h.data(), 12, cudaMemcpyHostToDevice);
    sum<<<1, 1>>>(in, out, 3);
    cudaMemcpy(&all, out, 4, cudaMemcpyDeviceToHost);
    printf("%d %d\n", all, are_equal<int>(h, same));
    cudaFree(in);
    cudaFree(out);
})")
                  .out,
              "6 1\n");
}

// abs() of a float is a float without <cmath>, as nvcc has it.
TEST_F(ProgramApi, HasTheMathOfCppInTheGlobalNamespace) {
    EXPECT_EQ(run("#include <stdio.h>\nint main() { float worst = 0; worst = max(worst, abs(0.5f - 1.25f));\n"
                  "printf(\"%g\\n\", worst); }\n")
                  .out,
              "0.75\n");
}

// Headers of others look for macros of CUDA's own, and curand_kernel.h brings cuRAND's host side along.
TEST_F(ProgramApi, IsKnownToOtherHeaders) {
    folder_.write("checks.h", "#ifdef __DRIVER_TYPES_H__\n#define CHECKED(call) printf(\"%d\\n\", call)\n#endif\n"
                              "#if defined(CURAND_H_) && defined(__CUDA_RUNTIME_H__)\n#define BOTH 1\n#endif\n");
    EXPECT_EQ(run("#include <cstdio>\n#include <curand_kernel.h>\n#include \"checks.h\"\n"
                  "int main() { curandGenerator_t g; CHECKED(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT)); "
                  "return BOTH - 1; }\n")
                  .out,
              "0\n");
}

// As with nvcc and GCC: what the function returns is undefined, but it returns.
TEST_F(ProgramApi, ReturnsFromAFunctionThatForgetsItsValue) {
    const RanProgram ran = run("#include <cstdio>\nint f(int x) { if (x > 0) return 1; puts(\"nothing\"); }\n"
                               "int main() { f(-1); puts(\"end\"); return 0; }\n");
    EXPECT_EQ(ran.out, "nothing\nend\n");
    EXPECT_EQ(ran.result.exit, 0);
}

} // namespace
} // namespace warptree
