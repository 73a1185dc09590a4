// Our declarations of the driver and NVRTC APIs, checked against cuda.h and nvrtc.h if a toolkit is installed.
#include "app/gpu/driver_api.hpp"

#include <gtest/gtest.h>

#if WARPTREE_CUDA_HEADERS
#include <cuda.h>
#include <nvrtc.h>

#include <type_traits>

namespace warptree::gpu {
namespace {

// Passed the same way: pointers to any type; integers and enumerations of one size; the same floating-point type.
template <class A, class B>
inline constexpr bool alike = std::is_pointer_v<A> ? std::is_pointer_v<B>
                              : std::is_floating_point_v<A>
                                  ? std::is_same_v<A, B>
                                  : sizeof(A) == sizeof(B) && !std::is_pointer_v<B> && !std::is_floating_point_v<B>;
// The callee may write through a pointer, so the sizes of pointees matter, too.
template <class A, class B> constexpr bool pointees_alike() {
    if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
        using P = std::remove_pointer_t<A>;
        using Q = std::remove_pointer_t<B>;
        if constexpr (std::is_void_v<P> || std::is_void_v<Q>) {
            return std::is_void_v<P> && std::is_void_v<Q>;
        } else if constexpr (std::is_class_v<P> || std::is_class_v<Q>) {
            return std::is_class_v<P> && std::is_class_v<Q>; // handles
        } else {
            return alike<P, Q> && pointees_alike<P, Q>();
        }
    }
    return true;
}

template <class A, class B> struct Same;
template <class R, class... As, class S, class... Bs> struct Same<R (*)(As...), S (*)(Bs...)> {
    static constexpr bool value = [] {
        if constexpr (sizeof...(As) != sizeof...(Bs)) {
            return false;
        } else {
            return alike<R, S> && ((alike<As, Bs> && pointees_alike<As, Bs>()) && ...);
        }
    }();
};

#define WARPTREE_SAME(field, symbol, result, parameters)                                                               \
    static_assert(Same<decltype(Functions::field), decltype(&::symbol)>::value, #symbol " is declared otherwise");
namespace of_driver {
using Functions = api::DriverFunctions;
WARPTREE_DRIVER_FUNCTIONS(WARPTREE_SAME)
} // namespace of_driver
namespace of_nvrtc {
using Functions = api::NvrtcFunctions;
WARPTREE_NVRTC_FUNCTIONS(WARPTREE_SAME)
} // namespace of_nvrtc

TEST(DriverApi, ConstantsAreThoseOfTheToolkit) {
    EXPECT_EQ(api::kSuccess, CUDA_SUCCESS);
    EXPECT_EQ(api::kInvalidValue, CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(api::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(api::kDeinitialized, CUDA_ERROR_DEINITIALIZED);
    EXPECT_EQ(api::kNoDevice, CUDA_ERROR_NO_DEVICE);
    EXPECT_EQ(api::kInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(api::kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(api::kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
    EXPECT_EQ(api::kInvalidPtx, CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(api::kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    EXPECT_EQ(api::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(api::kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EXPECT_EQ(api::kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_EQ(api::kAssert, CUDA_ERROR_ASSERT);
    EXPECT_EQ(api::kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
    EXPECT_EQ(api::kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
    EXPECT_EQ(api::kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
    EXPECT_EQ(api::kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
    EXPECT_EQ(api::kInvalidPc, CUDA_ERROR_INVALID_PC);
    EXPECT_EQ(api::kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(api::kNotFound, CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(api::kNotReady, CUDA_ERROR_NOT_READY);
    EXPECT_EQ(api::kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
    EXPECT_EQ(api::kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
    EXPECT_EQ(api::kUnknown, CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(api::kRtcCompilation, NVRTC_ERROR_COMPILATION);

    EXPECT_EQ(int{api::kMaxThreadsPerBlock}, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    EXPECT_EQ(int{api::kSharedPerBlock}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    EXPECT_EQ(int{api::kRegistersPerBlock}, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    EXPECT_EQ(int{api::kClockRate}, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    EXPECT_EQ(int{api::kMultiprocessors}, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    EXPECT_EQ(int{api::kMemoryClockRate}, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    EXPECT_EQ(int{api::kMemoryBusWidth}, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    EXPECT_EQ(int{api::kL2CacheSize}, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    EXPECT_EQ(int{api::kThreadsPerMultiprocessor}, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    EXPECT_EQ(int{api::kComputeMajor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    EXPECT_EQ(int{api::kComputeMinor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    EXPECT_EQ(int{api::kSharedPerMultiprocessor}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    EXPECT_EQ(int{api::kRegistersPerMultiprocessor}, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    EXPECT_EQ(int{api::kSharedPerBlockOptin}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    EXPECT_EQ(int{api::kBlocksPerMultiprocessor}, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);

    EXPECT_EQ(int{api::kSharedReservedPerBlock}, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);

    EXPECT_EQ(int{api::kSharedCarveout}, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    EXPECT_EQ(int{api::kStaticSharedBytes}, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    EXPECT_EQ(int{api::kLocalBytes}, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    EXPECT_EQ(int{api::kRegisters}, CU_FUNC_ATTRIBUTE_NUM_REGS);
    EXPECT_EQ(int{api::kMaxDynamicSharedBytes}, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    EXPECT_EQ(int{api::kInfoLogBuffer}, CU_JIT_INFO_LOG_BUFFER);
    EXPECT_EQ(int{api::kInfoLogBytes}, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
    EXPECT_EQ(int{api::kErrorLogBuffer}, CU_JIT_ERROR_LOG_BUFFER);
    EXPECT_EQ(int{api::kErrorLogBytes}, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    EXPECT_EQ(api::kHostAllocMapped, unsigned{CU_MEMHOSTALLOC_DEVICEMAP});
    EXPECT_EQ(api::kStreamDefault, unsigned{CU_STREAM_DEFAULT});
}

} // namespace
} // namespace warptree::gpu

#else

TEST(DriverApi, ConstantsAreThoseOfTheToolkit) {
    GTEST_SKIP() << "cuda.h and nvrtc.h were not here when this was built";
}

#endif
