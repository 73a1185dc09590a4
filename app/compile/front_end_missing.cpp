#include "app/compile/front_end_missing.hpp"

namespace warptree::compile {
namespace {

struct Known {
    std::string_view prefix, what;
};
constexpr Known kHeaders[] = {
    {"curand", "this part of cuRAND is not part of warptree; <curand_kernel.h> is"},
    {"thrust/", "Thrust is not part of warptree; only kernels of the file itself are shown"},
    {"cub/", "CUB is not part of warptree; only kernels whose source is in the file can be shown"},
    {"cuda/pipeline", "cuda::pipeline is not part of warptree; __pipeline_memcpy_async of <cuda_pipeline.h> is"},
    {"cuda/barrier", "cuda::barrier is not part of warptree; __syncthreads and bar.sync are"},
    {"cuda/", "this part of libcu++ is not part of warptree"},
    {"nv/", "this part of libcu++ is not part of warptree"},
    {"cooperative_groups/", "this part of cooperative groups is not part of warptree"},
    {"mma", "tensor cores (wmma, wgmma) are not part of warptree"},
    {"cutlass/", "CUTLASS is not part of warptree"},
    {"cute/", "CUTLASS is not part of warptree"},
    {"cuda_fp8", "8-bit floating point is not part of warptree; __half and float are"},
    {"texture", "textures are not part of warptree; read the array itself"},
    {"surface", "surfaces are not part of warptree; write the array itself"},
    {"cublas", "cuBLAS is not part of warptree; only kernels of the file itself are shown"},
    {"cufft", "cuFFT is not part of warptree; only kernels of the file itself are shown"},
    {"cusparse", "cuSPARSE is not part of warptree; only kernels of the file itself are shown"},
    {"cusolver", "cuSOLVER is not part of warptree; only kernels of the file itself are shown"},
    {"cudnn", "cuDNN is not part of warptree; only kernels of the file itself are shown"},
    {"npp", "NPP is not part of warptree; only kernels of the file itself are shown"},
    {"nccl", "NCCL is not part of warptree; only kernels of the file itself are shown"},
    {"torch/", "PyTorch is not part of warptree; only kernels of the file itself are shown"},
    {"ATen/", "PyTorch is not part of warptree; only kernels of the file itself are shown"},
};

// Prefixes of names, each with its explanation.
constexpr Known kNames[] = {
    {"curand", "this part of cuRAND is not part of warptree; <curand_kernel.h> is"},
    {"thrust", "Thrust is not part of warptree"},
    {"cub", "CUB is not part of warptree"},
    {"cufft", "cuFFT is not part of warptree"},
    {"cublas", "cuBLAS is not part of warptree"},
    {"wmma", "tensor cores (wmma, wgmma) are not part of warptree"},
    {"nvcuda", "tensor cores (wmma, wgmma) are not part of warptree"},
    {"__nv_fp8", "8-bit floating point is not part of warptree"},
    {"barrier", "cuda::barrier is not part of warptree; __syncthreads and bar.sync are"},
    {"pipeline", "cuda::pipeline is not part of warptree; __pipeline_memcpy_async is"},
    {"cluster_group", "clusters of blocks are not part of warptree"},
    {"this_cluster", "clusters of blocks are not part of warptree"},
    {"multi_grid_group", "launches on several devices are not part of warptree"},
    {"this_multi_grid", "launches on several devices are not part of warptree"},
    {"__vadd", "arithmetic on packed bytes is not part of warptree"},
    {"__vsub", "arithmetic on packed bytes is not part of warptree"},
    {"__vabs", "arithmetic on packed bytes is not part of warptree"},
    {"__vmin", "arithmetic on packed bytes is not part of warptree"},
    {"__vmax", "arithmetic on packed bytes is not part of warptree"},
};
const Known* known_header(std::string_view header) {
    for (const Known& known : kHeaders)
        if (header.starts_with(known.prefix)) return &known;
    return nullptr;
}

} // namespace

std::string about_missing(std::string_view header, std::string_view refusal) {
    std::string line(header);
    if (!refusal.empty()) return line + ": not read: " + std::string(refusal);
    if (const Known* known = known_header(header)) return line + ": " + std::string(known->what);
    if (header.starts_with("/"))
        return line + ": only headers in the folder of the file are read, by their relative name";
    if (header.starts_with("../") || header.find("/../") != std::string_view::npos)
        return line + ": only headers in the folder of the file, and below it, are read";
    return line + ": not in the folder of the file, and not part of warptree";
}

bool brings(std::string_view header, std::string_view message) {
    const Known* known = known_header(header);
    return known != nullptr && message.find(known->what.substr(0, known->what.find(';'))) != std::string_view::npos;
}

std::string explained(std::string message) {
    if (message.starts_with("reference to __global__ function") && message.ends_with("in __global__ function"))
        return message + "; dynamic parallelism (kernels that launch kernels) is not part of warptree";
    const std::size_t begin = message.find('\'') + 1, end = message.find('\'', begin);
    if (begin == 0 || end == std::string::npos) return message;
    std::string_view name = std::string_view(message).substr(begin, end - begin);
    if (const std::size_t scope = name.rfind("::"); scope != std::string_view::npos) name.remove_prefix(scope + 2);
    for (const Known& known : kNames)
        if (name.starts_with(known.prefix)) return message + "; " + std::string(known.what);
    return message;
}

} // namespace warptree::compile
