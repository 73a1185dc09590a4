#include "app/compile/front_end/missing.hpp"

#include "app/compile/front_end/files.hpp"

#include <algorithm>

namespace warptree::compile {
namespace {

struct Known {
    std::string_view prefix, what;
};
constexpr Known kHeaders[] = {
    {"curand", "this part of cuRAND is not part of warptree; <curand_kernel.h> is"},
    {"thrust/", "this part of Thrust is not part of warptree; <thrust/device_vector.h>, reduce, scan and sort are"},
    {"cub/", "this part of CUB is not part of warptree; <cub/cub.cuh> has BlockReduce, BlockScan, WarpReduce, "
             "DeviceReduce, DeviceScan and DeviceRadixSort"},
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
    {"cublas", "this part of cuBLAS is not part of warptree; <cublas_v2.h> is, with vectors and gemm"},
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
    {"thrust", "Thrust is not part of warptree but for a part of it that host code calls"},
    {"cub", "this part of CUB is not part of warptree"},
    {"cufft", "cuFFT is not part of warptree"},
    {"cublas", "cuBLAS is not part of warptree"},
    {"wmma", "tensor cores (wmma, wgmma) are not part of warptree"},
    {"nvcuda", "tensor cores (wmma, wgmma) are not part of warptree"},
    {"__nv_fp8", "8-bit floating point is not part of warptree"},
    {"barrier",
     "a group's barrier is its sync(); cuda::barrier is not part of warptree, __syncthreads and bar.sync are"},
    {"pipeline", "cuda::pipeline is not part of warptree; __pipeline_memcpy_async is"},
    {"multi_grid_group", "launches on several devices are not part of warptree"},
    {"this_multi_grid", "launches on several devices are not part of warptree"},
    {"__vadd", "arithmetic on packed bytes is not part of warptree"},
    {"__vsub", "arithmetic on packed bytes is not part of warptree"},
    {"__vabs", "arithmetic on packed bytes is not part of warptree"},
    {"__vmin", "arithmetic on packed bytes is not part of warptree"},
    {"__vmax", "arithmetic on packed bytes is not part of warptree"},
};
// Names and the header that a file must include for them. A name that ends in * stands for all that begin so.
struct Declared {
    std::string_view header, names;
};
constexpr Declared kInStd[] = {
    {"algorithm",
     "all_of any_of binary_search clamp copy copy_n count count_if equal fill fill_n find find_if for_each "
     "generate is_sorted lower_bound max max_element min min_element minmax minmax_element none_of "
     "nth_element partial_sort remove remove_if replace reverse rotate shuffle sort stable_sort transform "
     "unique upper_bound"},
    {"array", "array"},
    {"atomic", "atomic atomic_* memory_order*"},
    {"bit", "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero has_single_bit popcount"},
    {"bitset", "bitset"},
    {"chrono", "chrono"},
    {"complex", "complex"},
    {"deque", "deque"},
    {"exception", "exception terminate"},
    {"fstream", "fstream ifstream ofstream"},
    {"functional", "bind function greater greater_equal hash less less_equal minus modulus multiplies not_fn plus ref"},
    {"initializer_list", "initializer_list"},
    {"iomanip", "put_time setfill setprecision setw"},
    {"iostream", "cerr cin clog cout"},
    {"ostream", "endl flush ostream"},
    {"iterator", "advance back_inserter begin distance end next prev"},
    {"limits", "numeric_limits"},
    {"list", "list"},
    {"map", "map multimap"},
    {"memory", "make_shared make_unique shared_ptr unique_ptr weak_ptr"},
    {"mutex", "lock_guard mutex once_flag scoped_lock unique_lock"},
    {"numeric", "accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm partial_sum "
                "reduce transform_reduce"},
    {"optional", "nullopt optional"},
    {"queue", "priority_queue queue"},
    {"random", "bernoulli_distribution default_random_engine discrete_distribution exponential_distribution "
               "geometric_distribution minstd_rand mt19937 mt19937_64 normal_distribution poisson_distribution "
               "random_device uniform_int_distribution uniform_real_distribution"},
    {"set", "multiset set"},
    {"span", "dynamic_extent span"},
    {"sstream", "istringstream ostringstream stringstream"},
    {"stack", "stack"},
    {"stdexcept", "domain_error invalid_argument logic_error out_of_range overflow_error range_error runtime_error"},
    {"string", "getline stod stof stoi stol string to_string"},
    {"string_view", "string_view"},
    {"thread", "this_thread thread"},
    {"tuple", "make_tuple tie tuple tuple_element tuple_size"},
    {"type_traits",
     "common_type common_type_t conditional conditional_t decay decay_t enable_if enable_if_t false_type "
     "integral_constant is_arithmetic is_arithmetic_v is_floating_point is_floating_point_v is_integral "
     "is_integral_v is_same is_same_v is_signed is_signed_v is_unsigned is_unsigned_v make_signed_t "
     "make_unsigned make_unsigned_t remove_cv_t remove_reference remove_reference_t true_type void_t"},
    {"typeinfo", "type_info"},
    {"unordered_map", "unordered_map unordered_multimap"},
    {"unordered_set", "unordered_set"},
    {"utility", "declval exchange forward integer_sequence make_pair move pair swap"},
    {"variant", "variant visit"},
    {"vector", "vector"},
};
constexpr Declared kAnywhere[] = {
    {"cooperative_groups.h", "cooperative_groups cluster_group coalesced_threads coalesced_group grid_group "
                             "this_cluster this_grid this_thread_block thread_block thread_block_tile "
                             "tiled_partition"},
    {"curand_kernel.h", "curand* CURAND_*"},
    {"cuda_fp16.h", "__half* half half2 half_raw __float2half* __double2half __int2half* __uint2half* __low2* __high2* "
                    "__lows2* __highs2* __h2* __hadd* __hsub* __hmul* __hfma* __hneg* __habs* __hdiv __hmax* __hmin* "
                    "__hgt* __hge* __hlt* __hle* __heq* __hne* __hisnan* __hisinf hexp* hlog* hsqrt hrsqrt hsin hcos "
                    "hrcp hceil hfloor hrint htrunc h2*"},
    {"cuda_bf16.h", "__nv_bfloat16* nv_bfloat16* __float2bfloat16* __bfloat162float* __bfloat1622float2 "
                    "__floats2bfloat162*"},
    {"cuda_fp8.h", "__nv_fp8*"},
    {"mma.h", "nvcuda wmma"},
    {"cub/cub.cuh", "cub"},
    {"thrust/device_vector.h", "thrust"},
    {"cufft.h", "cufft*"},
    {"cublas_v2.h", "cublas* CUBLAS_*"},
    {"cuComplex.h", "cuComplex cuFloatComplex cuDoubleComplex cuC* make_cuComplex make_cuFloatComplex "
                    "make_cuDoubleComplex"},
    {"cuda_pipeline.h", "__pipeline_*"},
    {"math_constants.h", "CUDART_*"},
    {"helper_math.h", "normalize lerp smoothstep fracf"},
    {"helper_cuda.h", "checkCudaErrors getLastCudaError findCudaDevice"},
    {"helper_timer.h", "StopWatchInterface sdk*Timer"},
    {"cassert", "assert"},
    {"cfloat", "DBL_* FLT_* LDBL_*"},
    {"climits",
     "CHAR_BIT CHAR_MAX INT_MAX INT_MIN LLONG_* LONG_* SCHAR_* SHRT_* UCHAR_MAX UINT_MAX ULLONG_MAX ULONG_MAX "
     "USHRT_MAX"},
    {"cstdio", "FILE fclose fflush fgets fopen fprintf fputs fread fscanf fwrite getchar perror printf putchar puts "
               "scanf snprintf sprintf sscanf stderr stdin stdout"},
    {"cstdlib", "EXIT_FAILURE EXIT_SUCCESS RAND_MAX abort abs atof atoi atol calloc exit free getenv malloc qsort rand "
                "realloc srand strtol strtoul system"},
    {"cstring", "memcmp memcpy memmove memset strcat strchr strcmp strcpy strlen strncmp strstr strtok"},
    {"cstdint", "int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintptr_t INT8_* INT16_* "
                "INT32_* INT64_* UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX"},
    {"cmath", "INFINITY M_PI* M_E M_SQRT2 NAN HUGE_VAL*"},
    {"ctime", "clock clock_t CLOCKS_PER_SEC time time_t"},
};

bool lists(std::string_view names, std::string_view wanted) {
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(' ', at), names.size());
        std::string_view name = names.substr(at, end - at);
        const bool matches = name.ends_with('*') ? wanted.starts_with(name.substr(0, name.size() - 1)) : name == wanted;
        if (matches) return true;
        at = end + 1;
    }
    return false;
}

// The header that declares a name; empty: not known. `in_std`: the name is looked for in namespace std.
std::string_view header_of(std::string_view name, bool in_std) {
    if (in_std)
        for (const Declared& d : kInStd)
            if (lists(d.names, name)) return d.header;
    for (const Declared& d : kAnywhere)
        if (lists(d.names, name)) return d.header;
    return {};
}

bool is_ours(std::string_view header) {
    const std::vector<EmbeddedHeader>& all = embedded_headers();
    return std::any_of(all.begin(), all.end(), [&](const EmbeddedHeader& h) { return h.path == header; });
}

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

std::string without_internal_suggestion(std::string message) {
    constexpr std::string_view kBegin = "; did you mean '";
    const std::size_t begin = message.find(kBegin);
    if (begin == std::string::npos) return message;
    const std::size_t name = begin + kBegin.size(), end = message.find('\'', name);
    if (end == std::string::npos) return message;
    const std::string_view suggested = std::string_view(message).substr(name, end - name);
    const std::string quoted = "'" + std::string(suggested) + "'";
    const bool itself = message.find(quoted) < begin;
    const bool internal = suggested.starts_with("__warptree") || suggested.find("::__") != std::string_view::npos;
    if (itself || internal) message.erase(begin, message.find('?', end) + 1 - begin);
    return message;
}

// The operand of an operator that is of a vector type of CUDA's, as float3; empty: none.
std::string_view vector_operand(std::string_view message) {
    if (!message.starts_with("invalid operands to binary expression") &&
        !message.starts_with("invalid argument type '"))
        return {};
    for (std::size_t begin = 0; (begin = message.find('\'', begin)) != std::string_view::npos;) {
        const std::size_t end = message.find('\'', ++begin);
        if (end == std::string_view::npos) break;
        std::string_view type = message.substr(begin, end - begin);
        if (type.starts_with("const ")) type.remove_prefix(6);
        for (const std::string_view scalar : {"float", "int", "uint"})
            if (type.size() == scalar.size() + 1 && type.starts_with(scalar) && type.back() >= '2' &&
                type.back() <= '4')
                return type;
        begin = end + 1;
    }
    return {};
}

std::string explained(std::string message, const Included& included) {
    if (message.starts_with("reference to __global__ function") && message.ends_with("in __global__ function"))
        return message + "; dynamic parallelism (kernels that launch kernels) is not part of warptree";
    if (const std::string_view vector = vector_operand(message); !vector.empty() && !included("helper_math.h"))
        return message + "; CUDA has no operators for " + std::string(vector) + ": #include <helper_math.h> has some";
    const std::size_t begin = message.find('\'') + 1, end = message.find('\'', begin);
    if (begin == 0 || end == std::string::npos) return message;
    const std::string whole = message.substr(begin, end - begin);
    std::string_view name = whole;
    const std::size_t scope = name.rfind("::");
    if (scope != std::string_view::npos) name.remove_prefix(scope + 2);
    const bool in_std = whole.starts_with("std::") || message.find("'std'") != std::string::npos;
    const std::string_view header = header_of(name, in_std);
    if (!header.empty() && is_ours(header) && !included(header))
        return message + "; #include <" + std::string(header) + "> is missing";
    for (const Known& known : kNames)
        if (name.starts_with(known.prefix) ||
            message.find("in namespace '" + std::string(known.prefix) + "'") != std::string::npos)
            return message + "; " + std::string(known.what);
    return message;
}

} // namespace warptree::compile
