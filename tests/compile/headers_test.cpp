// The device headers: they exist, have the documented types, and compile to the expected instructions.
#include "app/compile/front_end/files.hpp"
#include "tests/support/compile_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace warptree::tests {
namespace {

using namespace compile;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kParameters =
    "(float* f, double* d, int* i, unsigned* u, long long* l, unsigned long long* q, __half* h)";

std::string kernel(const std::string& body) {
    return "#include <cuda_fp16.h>\n__global__ void k" + std::string(kParameters) + " { __shared__ float s[64]; " +
           body + " }\n";
}

// Names of the functions that the body calls, and of its loads, stores and atomics.
std::vector<std::string> operations(const std::string& body) {
    const Compiled c = compile_text(kernel(body));
    EXPECT_THAT(errors(c), IsEmpty()) << body;
    std::vector<std::string> result;
    if (c.module == nullptr || c.kernels.empty()) return result;
    for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol))) {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(&in);
        if (call != nullptr && call->getCalledFunction() != nullptr)
            result.push_back(call->getCalledFunction()->getName().str());
        else if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst,
                           llvm::FenceInst>(in))
            result.push_back(in.getOpcodeName());
    }
    return result;
}

std::size_t blocks(const std::string& body) {
    const Compiled c = compile_text(kernel(body));
    EXPECT_THAT(errors(c), IsEmpty()) << body;
    return c.module == nullptr ? 0 : c.module->getFunction(c.kernels[0].symbol)->size();
}

TEST(Headers, AreEmbeddedInOrder) {
    const auto& headers = embedded_headers();
    EXPECT_GT(headers.size(), 100);
    EXPECT_TRUE(std::ranges::is_sorted(headers, {}, &EmbeddedHeader::path));
    for (const EmbeddedHeader& header : headers) EXPECT_FALSE(header.text.empty()) << header.path;
}

TEST(Headers, CompileEachByItselfAndTwiceAfterAnyMacro) {
    std::string all;
    for (const EmbeddedHeader& header : embedded_headers()) {
        if (header.path.starts_with("host/")) continue; // of the host's half
        const std::string line = "#include <" + std::string(header.path) + ">\n";
        if (header.path != "helper_math.h") all += line + line; // it names components, as a file's x cannot be
        const Compiled c = compile_text(line + line + "__global__ void k(int* a) { a[0] = 1; }\n");
        EXPECT_THAT(c.diagnostics, IsEmpty())
            << header.path << ": " << (c.diagnostics.empty() ? "" : c.diagnostics[0].message);
    }
    std::string macros;
    for (const char* name :
         {"T",  "U",    "N",    "M",     "A",    "B",      "n",       "x",    "y",    "a",     "b",
          "op", "mask", "lane", "BLOCK", "WARP", "result", "address", "rest", "tile", "group", "condition"})
        macros += std::string("#define ") + name + " @@@\n";
    EXPECT_THAT(errors(compile_text(macros + all)), IsEmpty());
}

TEST(Headers, VectorTypesAreAsDocumented) {
    std::string text;
    const auto expect = [&](const std::string& type, int size, int alignment) {
        text += "static_assert(sizeof(" + type + ") == " + std::to_string(size) + " && alignof(" + type +
                ") == " + std::to_string(alignment) + ", \"" + type + "\");\n";
    };
    const auto vectors = [&](const std::string& name, int scalar, int two, int four) {
        for (const std::string& sign : {std::string(), std::string("u")}) {
            expect(sign + name + "1", scalar, scalar);
            expect(sign + name + "2", 2 * scalar, two);
            expect(sign + name + "3", 3 * scalar, scalar);
            expect(sign + name + "4", 4 * scalar, four);
        }
    };
    vectors("char", 1, 2, 4);
    vectors("short", 2, 4, 8);
    vectors("int", 4, 8, 16);
    vectors("long", 8, 16, 16);
    vectors("longlong", 8, 16, 16);
    expect("float1", 4, 4);
    expect("float2", 8, 8);
    expect("float3", 12, 4);
    expect("float4", 16, 16);
    expect("double1", 8, 8);
    expect("double2", 16, 16);
    expect("double3", 24, 8);
    expect("double4", 32, 16);
    expect("dim3", 12, 4);
    expect("__half", 2, 2);
    expect("__half2", 4, 4);
    expect("size_t", 8, 8);
    expect("uint64_t", 8, 8);
    text += "static_assert(warpSize == 32); static_assert(__CUDA_ARCH__ == 900);\n"
            "__global__ void k(float4* p) { p[0] = make_float4(1, 2, 3, 4); dim3 g(2); p[1].x = g.x + g.y + g.z; }\n";
    EXPECT_THAT(errors(compile_text(text)), IsEmpty());
}

TEST(Headers, BuiltInVariablesAreSpecialRegisters) {
    EXPECT_THAT(operations("*u = threadIdx.x + blockIdx.y * blockDim.z + gridDim.x;"),
                ElementsAre("llvm.nvvm.read.ptx.sreg.tid.x", "llvm.nvvm.read.ptx.sreg.ctaid.y",
                            "llvm.nvvm.read.ptx.sreg.ntid.z", "llvm.nvvm.read.ptx.sreg.nctaid.x", "store"));
    EXPECT_THAT(operations("uint3 t = threadIdx; auto b = blockIdx; *u = t.x + b.x;"),
                Contains("llvm.nvvm.read.ptx.sreg.ctaid.x"));
    EXPECT_THAT(errors(compile_text(kernel("threadIdx.x = 3;"))), Contains(HasSubstr("no setter defined")));
}

TEST(Headers, ShufflesAreOnePrimitiveWhateverTheType) {
    for (const char* array : {"f", "i", "u"})
        for (const char* name : {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"})
            EXPECT_THAT(operations(std::string(array) + "[0] = " + name + "(~0u, " + array + "[1], 1);"),
                        ElementsAre("load", "__warptree_shuffle_32", "store"));
    for (const char* array : {"d", "l", "q"})
        EXPECT_THAT(operations(std::string(array) + "[0] = __shfl_down_sync(~0u, " + array + "[1], 1, 16);"),
                    ElementsAre("load", "__warptree_shuffle_64", "store"));
    EXPECT_THAT(operations("h[0] = __shfl_sync(~0u, h[1], 1);"), ElementsAre("load", "__warptree_shuffle_32", "store"));
    const Compiled c = compile_text(kernel("i[0] = __shfl_up_sync(0xff, i[1], 3, 8);"));
    for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol)))
        if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&in);
            call != nullptr && call->getCalledFunction()->getName() == "__warptree_shuffle_32") {
            const auto constant = [&](unsigned at) {
                return llvm::cast<llvm::ConstantInt>(call->getArgOperand(at))->getZExtValue();
            };
            EXPECT_EQ(constant(0), 1) << "mode: up";
            EXPECT_EQ(constant(1), 0xFF);
            EXPECT_EQ(constant(3), 3);
            EXPECT_EQ(constant(4), 8);
        }
}

TEST(Headers, AtomicsAreOneInstructionOfTheirScope) {
    for (const char* body :
         {"atomicAdd(i, 1);", "atomicMax(u, 1u);", "atomicMin(l, 1ll);", "atomicExch(f, 1.0f);", "atomicAdd(f, 1.0f);",
          "atomicAdd(d, 1.0);", "atomicAdd(h, h[0]);", "atomicSub(u, 1u);", "atomicXor(q, 1ull);", "atomicOr(i, 1);"})
        EXPECT_THAT(operations(body), Contains("atomicrmw")) << body;
    EXPECT_THAT(operations("atomicCAS(i, 1, 2);"), ElementsAre("cmpxchg"));
    EXPECT_THAT(operations("atomicCAS(q, 1ull, 2ull);"), ElementsAre("cmpxchg"));
    EXPECT_THAT(operations("atomicCAS((unsigned short*)u, (unsigned short)1, (unsigned short)2);"),
                ElementsAre("cmpxchg"));
    EXPECT_THAT(operations("atomicInc(u, 5u);"), ElementsAre(HasSubstr("inc")));
    EXPECT_THAT(operations("atomicAdd_block(i, 1);"), ElementsAre("llvm.nvvm.atomic.add.gen.i.cta.i32.p0"));
    EXPECT_THAT(operations("atomicMax_system(u, 1u);"), ElementsAre(HasSubstr("atomic.max.gen.i.sys")));
    EXPECT_THAT(operations("atomicCAS_block(q, 1ull, 2ull);"), ElementsAre(HasSubstr("atomic.cas.gen.i.cta")));
    const Compiled c = compile_text(kernel("atomicCAS(i, 1, 2); atomicAdd(i, 3);"));
    for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol))) {
        if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&in)) {
            EXPECT_EQ(swap->getSuccessOrdering(), llvm::AtomicOrdering::Monotonic);
        }
        if (const auto* add = llvm::dyn_cast<llvm::AtomicRMWInst>(&in)) {
            EXPECT_EQ(add->getOrdering(), llvm::AtomicOrdering::Monotonic);
        }
    }
    EXPECT_THAT(errors(compile_text(kernel("unsigned long* p = (unsigned long*)q; atomicAdd(p, 1ul);"))),
                Contains(HasSubstr("no matching function")))
        << "as nvcc has it";
}

TEST(Headers, HintedVectorsAreOneAccess) {
    EXPECT_THAT(operations("float4 v = __ldg((const float4*)f); f[8] = v.x + v.w;"), ElementsAre("load", "store"));
    EXPECT_THAT(operations("__stcs((int4*)i, __ldcs((const int4*)i + 1));"), ElementsAre("load", "store"));
    EXPECT_THAT(operations("__stwt((double2*)d, __ldcv((const double2*)d + 1));"), ElementsAre("load", "store"));
    const Compiled c = compile_text(kernel("f[0] = __ldcv(f + 1) + __ldcs(f + 2) + __ldg(f + 3);"));
    std::vector<std::string> how;
    for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol)))
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&in))
            how.emplace_back(load->isVolatile()                                     ? "volatile"
                             : load->hasMetadata(llvm::LLVMContext::MD_nontemporal) ? "streaming"
                                                                                    : "plain");
    EXPECT_THAT(how, ElementsAre("volatile", "streaming", "plain"));
}

TEST(Headers, BarriersVotesAndCopiesAreTheirInstructions) {
    EXPECT_THAT(operations("__syncthreads();"), ElementsAre("llvm.nvvm.barrier0"));
    EXPECT_THAT(
        operations("*i = __syncthreads_count(i[1]) + __syncthreads_and(1) + __syncthreads_or(0);"),
        ElementsAre("load", "llvm.nvvm.barrier0.popc", "llvm.nvvm.barrier0.and", "llvm.nvvm.barrier0.or", "store"));
    EXPECT_THAT(
        operations("__syncwarp(3); __threadfence(); __threadfence_block(); __threadfence_system();"),
        ElementsAre("llvm.nvvm.bar.warp.sync", "llvm.nvvm.membar.gl", "llvm.nvvm.membar.cta", "llvm.nvvm.membar.sys"));
    EXPECT_THAT(operations("*u = __ballot_sync(~0u, i[0]) + __any_sync(1, 1) + __all_sync(1, 0);"),
                ElementsAre("load", "llvm.nvvm.vote.ballot.sync", "llvm.nvvm.vote.any.sync", "llvm.nvvm.vote.all.sync",
                            "store"));
    EXPECT_THAT(operations("*i = __reduce_add_sync(~0u, i[1]);"),
                ElementsAre("load", "llvm.nvvm.redux.sync.add", "store"));
    EXPECT_THAT(operations("*u = __reduce_max_sync(~0u, u[1]);"),
                ElementsAre("load", "llvm.nvvm.redux.sync.umax", "store"));
    EXPECT_THAT(operations("__pipeline_memcpy_async(s, f, 16); __pipeline_commit(); __pipeline_wait_prior(1);"),
                ElementsAre("llvm.nvvm.cp.async.cg.shared.global.16", "llvm.nvvm.cp.async.commit.group",
                            "llvm.nvvm.cp.async.wait.group"));
    EXPECT_THAT(operations("__pipeline_memcpy_async(s, f, sizeof(double), 4);"),
                ElementsAre("llvm.nvvm.cp.async.ca.shared.global.8.s"));
}

TEST(Headers, MathIsOneOperationByNamesThatTheLoweringKnows) {
    EXPECT_THAT(operations("f[0] = expf(f[1]);"), ElementsAre("load", "__nv_expf", "store"));
    EXPECT_THAT(operations("f[0] = exp(f[1]);"), ElementsAre("load", "__nv_expf", "store")) << "C++ overloads";
    EXPECT_THAT(operations("d[0] = exp(d[1]);"), ElementsAre("load", "__nv_exp", "store"));
    EXPECT_THAT(operations("d[0] = pow(f[1], 2);"), ElementsAre("load", "__nv_pow", "store"));
    EXPECT_THAT(operations("f[0] = __expf(f[1]);"), ElementsAre("load", "__nv_fast_expf", "store"));
    EXPECT_THAT(operations("f[0] = rsqrtf(f[1]);"), ElementsAre("load", "__nv_rsqrtf", "store"));
    EXPECT_THAT(operations("f[0] = sqrtf(f[1]);"), ElementsAre("load", "llvm.sqrt.f32", "store"));
    EXPECT_THAT(operations("f[0] = fmaxf(f[1], f[2]);"), ElementsAre("load", "load", "llvm.maxnum.f32", "store"));
    EXPECT_THAT(operations("i[0] = max(i[1], i[2]);"), ElementsAre("load", "load", "llvm.smax.i32", "store"));
    EXPECT_THAT(operations("u[0] = min(u[1], i[2]);"), ElementsAre("load", "load", "llvm.umin.i32", "store"));
    EXPECT_THAT(operations("f[0] = fmaf(f[1], f[2], f[3]);"), Contains("llvm.fma.f32"));
    EXPECT_THAT(operations("f[0] = __fadd_rz(f[1], f[2]);"), Contains("__nv_fadd_rz"));
    EXPECT_THAT(operations("i[0] = __popc(u[1]) + __clz(i[1]) + __ffs(i[2]);"),
                testing::IsSupersetOf({"llvm.ctpop.i32", "llvm.ctlz.i32", "llvm.cttz.i32"}));
    const Compiled c = compile_text(kernel("f[0] = __fadd_rn(f[1], f[2]); f[1] = f[2] + f[3];"));
    std::vector<bool> contract;
    for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol)))
        if (in.getOpcode() == llvm::Instruction::FAdd) contract.push_back(in.hasAllowContract());
    EXPECT_THAT(contract, ElementsAre(false, true)) << "what names its rounding is not fused";
}

// A branch in a header would make lanes diverge at a line without a branch.
TEST(Headers, HaveNoBranches) {
    for (const char* body :
         {"*i = __clz(i[1]) + __ffs(i[2]) + __brev(u[1]) + __byte_perm(u[1], u[2], u[3]);",
          "*i = isnan(f[1]) + isinf(d[1]);", "*i = signbit(f[1]) + isfinite(d[1]);",
          "*f = __double2float_rd(d[1]) + __int2float_ru(i[1]);", "*d = __ll2double_rz(l[1]) + __ull2double_ru(q[1]);",
          "*i = __float2int_rn(f[1]) + __double2int_ru(d[1]);",
          "*u = __funnelshift_lc(u[1], u[2], u[3]) + __usad(u[1], u[2], u[3]);", "*i = __dp4a(i[1], i[2], i[3]);",
          "atomicCAS(i, 1, 2);", "atomicCAS_block(i, 1, 2);", "*d = __shfl_xor_sync(~0u, d[1], 1);",
          "*f = fmodf(f[1], f[2]) + modff(f[1], f + 3);", "sincosf(f[1], f, f + 1);", "*h = __hmax(h[1], h[2]) + h[3];",
          "*f = norm3df(f[1], f[2], f[3]) + rcbrtf(f[4]);", "*i = abs(i[1]) + min(i[2], 3);", "*d = fdim(d[1], d[2]);"})
        EXPECT_EQ(blocks(body), 1) << body;
    EXPECT_GT(blocks("if (i[0]) f[0] = 1;"), 1);
}

TEST(Headers, AssertAndPrintfAreCallsOfTheDevice) {
    EXPECT_THAT(operations("assert(i[0] > 0);"), Contains("__assertfail"));
    EXPECT_THAT(operations("printf(\"%d %f\\n\", i[0], f[0]);"), Contains("vprintf"));
    EXPECT_THAT(operations("int* p = new int[4]; delete[] p; free(malloc(8));"),
                testing::IsSupersetOf({"malloc", "free"}));
    EXPECT_THAT(operations("*l = clock64() + clock() + __globaltimer();"), Contains("llvm.nvvm.read.ptx.sreg.clock64"));
}

TEST(Headers, CooperativeGroupsAreThePrimitivesBelow) {
    const auto group = [](const std::string& body) {
        const Compiled c = compile_text(
            "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
            "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n" +
            kernel("auto block = cg::this_thread_block(); auto warp = cg::tiled_partition<32>(block); " + body));
        EXPECT_THAT(errors(c), IsEmpty()) << body;
        std::vector<std::string> calls;
        if (c.module == nullptr) return calls;
        for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol)))
            if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&in);
                call != nullptr && call->getCalledFunction() != nullptr)
                calls.push_back(call->getCalledFunction()->getName().str());
        return calls;
    };
    EXPECT_THAT(group("block.sync();"), ElementsAre("llvm.nvvm.barrier0"));
    EXPECT_THAT(group("warp.sync();"), Contains("llvm.nvvm.bar.warp.sync"));
    EXPECT_THAT(group("*f = warp.shfl_down(f[1], 4);"), Contains("__warptree_shuffle_32"));
    EXPECT_THAT(group("*d = warp.shfl_xor(d[1], 4);"), Contains("__warptree_shuffle_64"));
    EXPECT_THAT(group("*i = cg::reduce(warp, i[1], cg::plus<int>());"), Contains("llvm.nvvm.redux.sync.add"));
    EXPECT_THAT(group("*f = cg::reduce(warp, f[1], cg::plus<float>());"), Contains("__warptree_shuffle_32"));
    EXPECT_THAT(group("*i = cg::inclusive_scan(warp, i[1]);"), Contains("__warptree_shuffle_32"));
    EXPECT_THAT(group("cg::this_grid().sync();"), ElementsAre("__warptree_grid_sync"));
    EXPECT_THAT(group("cg::this_cluster().sync();"),
                ElementsAre("llvm.nvvm.barrier.cluster.arrive", "llvm.nvvm.barrier.cluster.wait"));
    EXPECT_THAT(group("__shared__ float one; one = f[1]; *f = *cg::this_cluster().map_shared_rank(&one, 3);"),
                ElementsAre("llvm.nvvm.mapa"));
    EXPECT_THAT(group("cg::thread_group g = cg::this_cluster(); g.sync(); *i = g.size() + g.thread_rank();"),
                Contains("llvm.nvvm.barrier.cluster.wait"));
    EXPECT_THAT(group("auto c = cg::coalesced_threads(); *i = c.size();"), Contains("llvm.nvvm.activemask"));
    EXPECT_THAT(
        group("auto tile = cg::tiled_partition<128>(block); *f = cg::reduce(tile, f[1], cg::greater<float>());"),
        Contains("llvm.nvvm.barrier.sync.cnt"));
    EXPECT_THAT(group("cg::thread_group g = block; g.sync(); *i = g.size() + g.thread_rank();"),
                Contains("llvm.nvvm.read.ptx.sreg.ntid.x"));
    EXPECT_THAT(errors(compile_text("__global__ void k() { cooperative_groups::this_thread_block().sync(); }")),
                Contains(HasSubstr("use of undeclared identifier 'cooperative_groups'")));
    EXPECT_THAT(
        errors(compile_text("#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::nothing(); }")),
        Contains(HasSubstr("no member named 'nothing' in namespace 'cooperative_groups'")));
}

TEST(Headers, CudaAtomicHasTheOrderOfItsName) {
    const Compiled c = compile_text(R"(
#include <cuda/atomic>
__global__ void k(int* a) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(a[0]);
    r.fetch_add(1, cuda::memory_order_relaxed);
    r.fetch_add(1);
    r.store(2, cuda::std::memory_order_release);
    a[1] = r.load(cuda::memory_order_acquire);
}
)");
    ASSERT_THAT(errors(c), IsEmpty());
    std::vector<llvm::AtomicOrdering> orders;
    for (const llvm::Instruction& in : llvm::instructions(*c.module->getFunction(c.kernels[0].symbol))) {
        if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&in)) orders.push_back(rmw->getOrdering());
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&in); load != nullptr && load->isAtomic())
            orders.push_back(load->getOrdering());
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&in); store != nullptr && store->isAtomic())
            orders.push_back(store->getOrdering());
    }
    using enum llvm::AtomicOrdering;
    EXPECT_THAT(orders, ElementsAre(Monotonic, AcquireRelease, Release, Acquire));
}

TEST(Headers, LetWholeStudentFilesParse) {
    const Compiled c = compile_text(R"(
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    std::cerr << __FILE__ << ":" << __LINE__ << " " << cudaGetErrorString(e) << std::endl; std::exit(1); } } while (0)
using namespace std;
__constant__ float weights[16];
__device__ unsigned int counter;
__managed__ int managed;
template <typename T> __global__ void reduce(const T* in, T* out, size_t n) {
    T best = std::numeric_limits<T>::lowest();
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) best = std::max(best, in[i]);
    std::swap(out[0], best);
}
struct Timer {
    cudaEvent_t start, stop;
    Timer() { cudaEventCreate(&start); cudaEventCreate(&stop); }
    ~Timer() { cudaEventDestroy(start); cudaEventDestroy(stop); }
    float ms() { float t = 0; cudaEventElapsedTime(&t, start, stop); return t; }
};
class Reducer {
  public:
    explicit Reducer(size_t n) : host_(n), size_(n) { CHECK(cudaMalloc(&device_, n * sizeof(float))); }
    virtual ~Reducer() { cudaFree(device_); }
    float run() const { reduce<float><<<1, 256>>>(device_, device_, size_); return host_.empty() ? 0 : host_[0]; }
  private:
    std::vector<float> host_; float* device_ = nullptr; size_t size_;
};
int main(int argc, char** argv) try {
    const size_t n = argc > 1 ? stoul(argv[1]) : 1 << 20;
    vector<float> h(n), partial{1, 2, 3};
    mt19937 gen(random_device{}()); uniform_real_distribution<float> dist(0.0f, 1.0f);
    generate(h.begin(), h.end(), [&] { return dist(gen); });
    iota(h.begin(), h.end(), 0.f); sort(h.begin(), h.end(), greater<float>());
    float sum = accumulate(h.begin(), h.end(), 0.0f), biggest = *max_element(h.begin(), h.end());
    cudaDeviceProp prop; CHECK(cudaGetDeviceProperties(&prop, 0));
    cout << prop.name << " " << prop.multiProcessorCount << fixed << setprecision(3) << sum << '\n' << flush;
    float *in = nullptr, *out; CHECK(cudaMalloc((void**)&in, n * sizeof(float))); CHECK(cudaMallocManaged(&out, 4));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(weights, partial.data(), sizeof(weights)));
    cudaStream_t stream; cudaStreamCreate(&stream); Timer timer; cudaEventRecord(timer.start, stream);
    dim3 block(128), grid((n + block.x - 1) / block.x);
    reduce<<<grid, block, 0, stream>>>(in, out, n);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    void* arguments[] = {&in, &out, (void*)&n};
    cudaLaunchCooperativeKernel((void*)reduce<float>, grid, block, arguments, 0, stream);
    int active = 0; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, reduce<float>, 128, 0);
    cudaFuncSetAttribute(reduce<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    auto t0 = chrono::high_resolution_clock::now(); this_thread::sleep_for(chrono::milliseconds(1));
    chrono::duration<double, milli> took = chrono::high_resolution_clock::now() - t0;
    auto us = chrono::duration_cast<chrono::microseconds>(chrono::steady_clock::now() - chrono::steady_clock::now()).count();
    map<string, double> results; results["gpu"] = took.count(); for (const auto& [name, value] : results) cout << name << value << us;
    unique_ptr<float[]> copy(new float[n]); auto owned = make_unique<Reducer>(n); cout << owned->run();
    function<float(float)> twice = [](float x) { return 2 * x; };
    ofstream file("out.csv"); file << twice(biggest) << ',' << timer.ms(); printf("%s %.3f\n", to_string(n).c_str(), sum);
    if (fabs(sum - 1) > 1e-5) throw runtime_error("wrong"); assert(n > 0);
    return EXIT_SUCCESS;
} catch (const exception& e) { cerr << e.what() << endl; return EXIT_FAILURE; }
)");
    EXPECT_THAT(c.diagnostics, IsEmpty())
        << (c.diagnostics.empty() ? "" : c.diagnostics[0].message + " at " + std::to_string(c.diagnostics[0].line));
    ASSERT_EQ(c.kernels.size(), 1);
    EXPECT_EQ(c.kernels[0].name, "reduce<float>");
    EXPECT_EQ(c.kernels[0].launched_block[0], 256) << "the first launch";
}

} // namespace
} // namespace warptree::tests
