#if WARPTREE_HAS_CUDA

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/check.hpp"

namespace warptree::cuda {

namespace {
struct Found {
    std::string why_not;
    std::vector<Gpu> gpus;
};

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Gpu describe(int device) {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
    Gpu g;
    g.name = p.name;
    g.compute_major = p.major;
    g.compute_minor = p.minor;
    g.multiprocessors = p.multiProcessorCount;
    g.core_clock_khz = attribute(cudaDevAttrClockRate, device);
    g.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, device);
    g.memory_bus_bits = p.memoryBusWidth;
    g.memory_bytes = p.totalGlobalMem;
    g.l2_bytes = static_cast<std::uint64_t>(p.l2CacheSize);
    g.shared_per_block = p.sharedMemPerBlock;
    g.shared_per_block_optin = p.sharedMemPerBlockOptin;
    g.shared_per_multiprocessor = p.sharedMemPerMultiprocessor;
    g.threads_per_block = p.maxThreadsPerBlock;
    g.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    g.blocks_per_multiprocessor = p.maxBlocksPerMultiProcessor;
    g.registers_per_block = p.regsPerBlock;
    g.registers_per_multiprocessor = p.regsPerMultiprocessor;
    return g;
}

Found look() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorInsufficientDriver) {
        const int driver = driver_version();
        if (driver == 0) {
            return {"no NVIDIA driver on this machine; --backend cpu runs without one", {}};
        }
        return {"the NVIDIA driver is for CUDA " + version_text(driver) + ", older than the toolkit " +
                    version_text(runtime_version()) + " of this build; update the driver, or take --backend cpu",
                {}};
    }
    if (status != cudaSuccess || count == 0) {
        return {std::string("no usable NVIDIA GPU: ") +
                    (status != cudaSuccess ? cudaGetErrorString(status) : "none found") +
                    "; --backend cpu runs without one",
                {}};
    }
    Found found;
    for (int i = 0; i < count; ++i) {
        found.gpus.push_back(describe(i));
    }
    return found;
}

const Found& found() {
    static const Found once = look();
    return once;
}
} // namespace

bool usable() { return !found().gpus.empty(); }
std::string why_not() { return found().why_not; }
Device device() {
    if (!usable()) {
        throw MissingDevice(why_not());
    }
    const Gpu& g = found().gpus.front();
    return {g.name, g.compute_major, g.compute_minor};
}
std::vector<Gpu> gpus() { return found().gpus; }
int driver_version() {
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}
int runtime_version() { return CUDART_VERSION; }

} // namespace warptree::cuda

#endif
