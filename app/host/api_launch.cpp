// Launches, and what the object registers before main.
#include "app/host/api.hpp"

#include <algorithm>
#include <map>

using namespace warptree::host;

namespace {

struct Kernel {
    std::uint64_t number = 0;
    std::vector<std::uint32_t> sizes; // of its arguments, bytes
};
std::map<const void*, Kernel>& kernels() {
    static std::map<const void*, Kernel> all;
    return all;
}
std::map<const void*, std::uint64_t>& variables() {
    static std::map<const void*, std::uint64_t> all;
    return all;
}

struct Managed {
    void* home = nullptr; // in this process
    std::uint64_t device = 0;
    std::size_t bytes = 0;
};
std::vector<Managed>& managed() {
    static std::vector<Managed> all;
    return all;
}

// What <<<>>> gives, between the call's place and the stub.
struct Configuration {
    dim3 grid, block;
    std::size_t shared = 0;
    void* stream = nullptr;
    const void* from = nullptr;
};
thread_local Configuration pushed;

// `returned`: the program gets its error at once. `later`: the launch is only prepared, with its arguments as they are now.
// cluster: as the launch says; 0: it does not.
cudaError_t launch(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream,
                   bool cooperative, bool returned, const void* from, std::function<cudaError_t()>* later = nullptr,
                   std::uint64_t cluster = 0) {
    const auto found = kernels().find(stub);
    if (found == kernels().end()) return refused(static_cast<cudaError_t>(98), from); // cudaErrorInvalidDeviceFunction
    const Kernel& kernel = found->second;
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
        const auto* const value = static_cast<const std::byte*>(arguments[i]);
        bytes.insert(bytes.end(), value, value + kernel.sizes[i]);
    }
    const auto work = [=, number_of_it = kernel.number, bytes = std::move(bytes)] {
        pass_managed(true, from);
        const cudaError_t error = error_of(
            ask(Call::launch,
                {number_of_it | (cooperative ? 1ULL << 63 : 0) | (returned ? 1ULL << 62 : 0), pair(grid.x, grid.y),
                 pair(grid.z, block.x), pair(block.y, block.z), shared, stream_number(stream), cluster},
                from, bytes));
        pass_managed(false, from);
        return error;
    };
    if (later != nullptr) {
        *later = work;
        return cudaSuccess;
    }
    return in_order(stream, work, from);
}

} // namespace

namespace warptree::host {

cudaError_t prepare_launch(const cudaKernelNodeParams& p, const void* from, std::function<cudaError_t()>& later) {
    if (p.kernelParams == nullptr) return refused(cudaErrorNotSupported, from);
    return launch(p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes, nullptr, false, true, from, &later);
}

std::uint64_t kernel_number(const void* stub) {
    const auto found = kernels().find(stub);
    return found == kernels().end() ? ~0ULL : found->second.number;
}
void pass_managed(bool to_device, const void* from) {
    for (const Managed& m : managed()) pass_bytes(m.device, m.home, m.bytes, to_device, from);
}
std::uint64_t variable_number(const void* shadow) {
    const auto found = variables().find(shadow);
    return found == variables().end() ? ~0ULL : found->second;
}

} // namespace warptree::host

extern "C" {

// Of the object, before main: see Clang's CGCUDANV.cpp.
void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const void* stub, char*, const char* symbol, int, void*, void*, void*, void*,
                            int*) {
    const auto* const text = reinterpret_cast<const std::byte*>(symbol);
    const Reply reply = ask(Call::kernel, {}, nullptr, {text, std::strlen(symbol)});
    if (reply.error() != cudaSuccess) return;
    Kernel& kernel = kernels()[stub];
    kernel.number = reply.word(0);
    kernel.sizes.resize(reply.bytes.size() / sizeof(std::uint32_t));
    if (!kernel.sizes.empty()) // a kernel may have no parameters
        std::memcpy(kernel.sizes.data(), reply.bytes.data(), kernel.sizes.size() * sizeof(std::uint32_t));
}
void __cudaRegisterVar(void**, void* shadow, char*, const char* symbol, int, std::size_t bytes, int, int) {
    const auto* const text = reinterpret_cast<const std::byte*>(symbol);
    const Reply reply = ask(Call::variable, {bytes}, nullptr, {text, std::strlen(symbol)});
    if (reply.error() != cudaSuccess) return;
    variables()[shadow] = reply.word(0);
    if (loaded == nullptr || !loaded->lies_in("warptree_managed", shadow)) return;
    const Reply place = ask(Call::symbol_address, {reply.word(0)}, nullptr);
    if (place.error() != cudaSuccess || place.word(1) != bytes) return;
    managed().push_back({shadow, place.word(0), bytes});
    pass_bytes(place.word(0), shadow, bytes, false, nullptr); // what it begins with
}
void __cudaRegisterManagedVar(void**, void**, void*, const char*, std::size_t, unsigned) {}
void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
    pushed = {grid, block, shared, stream, WARPTREE_CALLER};
    return 0;
}
unsigned __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    std::memcpy(stream, &pushed.stream, sizeof pushed.stream);
    return 0;
}

cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
    // Called by a stub, whose caller has pushed the configuration, or by the program itself.
    const bool returned = pushed.from == nullptr;
    const void* const from = returned ? WARPTREE_CALLER : pushed.from;
    pushed.from = nullptr;
    return launch(stub, grid, block, arguments, shared, stream, false, returned, from);
}
cudaError_t __warptree_launch_cooperative(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                          cudaStream_t stream) {
    return launch(stub, grid, block, arguments, shared, stream, true, true, WARPTREE_CALLER);
}

cudaError_t __warptree_launch_with(const void* stub, const cudaLaunchConfig_t* config, void** arguments) {
    bool cooperative = false;
    std::uint64_t cluster = 0;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& a = config->attrs[i];
        cooperative |= a.id == cudaLaunchAttributeCooperative && a.val.cooperative != 0;
        if (a.id == cudaLaunchAttributeClusterDimension) {
            const auto part = [](unsigned blocks) { return std::uint64_t{std::min(blocks, 0xFFFFU)}; };
            cluster =
                part(a.val.clusterDim.x) | part(a.val.clusterDim.y) << 16 | part(a.val.clusterDim.z) << 32 | 1ULL << 63;
        }
    }
    return launch(stub, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                  cooperative, true, WARPTREE_CALLER, nullptr, cluster);
}

cudaError_t __warptree_function_attribute(const void* stub, int attribute, int value) {
    const std::uint64_t kernel = kernel_number(stub);
    if (kernel == ~0ULL) return refused(static_cast<cudaError_t>(98), WARPTREE_CALLER);
    return error_of(ask(Call::function_attribute,
                        {kernel, static_cast<std::uint64_t>(attribute), static_cast<std::uint64_t>(value)},
                        WARPTREE_CALLER));
}
cudaError_t __warptree_function_attributes(cudaFuncAttributes* to, const void* stub) {
    const std::uint64_t kernel = kernel_number(stub);
    if (kernel == ~0ULL) return refused(static_cast<cudaError_t>(98), WARPTREE_CALLER);
    const Reply reply = ask(Call::function_facts, {kernel}, WARPTREE_CALLER);
    *to = {};
    to->sharedSizeBytes = reply.word(0);
    to->constSizeBytes = reply.word(1);
    to->localSizeBytes = reply.word(2);
    to->maxThreadsPerBlock = static_cast<int>(reply.word(3) & 0xFFFFFFFF);
    to->numRegs = static_cast<int>(reply.word(3) >> 32);
    to->ptxVersion = to->binaryVersion = 90;
    to->maxDynamicSharedSizeBytes = 49152 - static_cast<int>(std::min<std::uint64_t>(reply.word(0), 49152));
    return error_of(reply);
}
cudaError_t __warptree_occupancy(int* blocks, const void* stub, int threads, std::size_t shared) {
    const std::uint64_t kernel = kernel_number(stub);
    if (kernel == ~0ULL) return refused(static_cast<cudaError_t>(98), WARPTREE_CALLER);
    const Reply reply = ask(Call::occupancy, {kernel, static_cast<std::uint64_t>(threads), shared}, WARPTREE_CALLER);
    *blocks = static_cast<int>(reply.word(0));
    return error_of(reply);
}
cudaError_t __warptree_best_block(int* least_grid, int* block, const void* stub, std::size_t shared, int limit) {
    const std::uint64_t kernel = kernel_number(stub);
    if (kernel == ~0ULL) return refused(static_cast<cudaError_t>(98), WARPTREE_CALLER);
    // The largest block of those with the most resident threads.
    int most = 0;
    cudaError_t error = cudaSuccess;
    for (int threads = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; threads >= 32; threads -= 32) {
        const Reply reply =
            ask(Call::occupancy, {kernel, static_cast<std::uint64_t>(threads), shared}, WARPTREE_CALLER);
        error = error_of(reply);
        if (const int resident = static_cast<int>(reply.word(0)) * threads; resident > most) {
            most = resident;
            *block = threads;
            *least_grid = static_cast<int>(reply.word(0) * reply.word(1));
        }
    }
    return error;
}
}
