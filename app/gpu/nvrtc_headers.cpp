#include "app/gpu/nvrtc_headers.hpp"

#include <array>

namespace warptree::gpu {

namespace {
constexpr const char* kPrelude = R"(#pragma once
namespace std {
template <class T> struct numeric_limits { static constexpr bool is_specialized = false, is_integer = false; };
#define WARPTREE_INTEGER(type, least, most)                                                                            \
    template <> struct numeric_limits<type> {                                                                          \
        static constexpr bool is_specialized = true, is_integer = true, is_signed = least != 0;                       \
        __host__ __device__ static constexpr type min() { return least; }                                             \
        __host__ __device__ static constexpr type lowest() { return least; }                                          \
        __host__ __device__ static constexpr type max() { return most; }                                              \
        __host__ __device__ static constexpr type infinity() { return 0; }                                            \
    };
#define WARPTREE_FLOATING(type, least, most, step, huge, none)                                                        \
    template <> struct numeric_limits<type> {                                                                          \
        static constexpr bool is_specialized = true, is_integer = false, is_signed = true;                            \
        __host__ __device__ static constexpr type min() { return least; }                                             \
        __host__ __device__ static constexpr type lowest() { return -most; }                                          \
        __host__ __device__ static constexpr type max() { return most; }                                              \
        __host__ __device__ static constexpr type epsilon() { return step; }                                          \
        __host__ __device__ static constexpr type infinity() { return huge; }                                         \
        __host__ __device__ static constexpr type quiet_NaN() { return none; }                                        \
    };
WARPTREE_INTEGER(bool, 0, 1)
WARPTREE_INTEGER(char, -128, 127)
WARPTREE_INTEGER(signed char, -128, 127)
WARPTREE_INTEGER(unsigned char, 0, 255)
WARPTREE_INTEGER(short, -32768, 32767)
WARPTREE_INTEGER(unsigned short, 0, 65535)
WARPTREE_INTEGER(int, -2147483647 - 1, 2147483647)
WARPTREE_INTEGER(unsigned, 0, 4294967295U)
WARPTREE_INTEGER(long, -9223372036854775807L - 1, 9223372036854775807L)
WARPTREE_INTEGER(unsigned long, 0, 18446744073709551615UL)
WARPTREE_INTEGER(long long, -9223372036854775807LL - 1, 9223372036854775807LL)
WARPTREE_INTEGER(unsigned long long, 0, 18446744073709551615ULL)
WARPTREE_FLOATING(float, 1.17549435e-38F, 3.40282347e+38F, 1.1920929e-07F, __builtin_bit_cast(float, 0x7F800000), __builtin_bit_cast(float, 0x7FC00000))
WARPTREE_FLOATING(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 2.2204460492503131e-16,
                  __builtin_bit_cast(double, 0x7FF0000000000000LL), __builtin_bit_cast(double, 0x7FF8000000000000LL))
#undef WARPTREE_INTEGER
#undef WARPTREE_FLOATING
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
using ::abs; using ::fabs; using ::sqrt; using ::exp; using ::log; using ::pow; using ::sin; using ::cos; using ::tanh;
using ::floor; using ::ceil; using ::fmax; using ::fmin; using ::isnan; using ::isinf; using ::isfinite;
}
)";

constexpr const char* kIntegers = R"(#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t; using ::uint32_t; using ::int64_t;
using ::uint64_t; using ::intptr_t; using ::uintptr_t;
}
)";

constexpr const char* kLimits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

constexpr const char* kFloats = R"(#pragma once
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define FLT_EPSILON 1.1920929e-07F
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
)";

constexpr const char* kMath = R"(#pragma once
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7F800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7FC00000)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7FF0000000000000LL)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
)";

constexpr const char* kTypeTraits = R"(#pragma once
namespace std {
template <bool B> struct bool_constant { static constexpr bool value = B; };
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class T> struct remove_cv { using type = T; };
template <class T> struct remove_cv<const T> { using type = T; };
template <class T> struct remove_cv<volatile T> { using type = T; };
template <class T> struct remove_cv<const volatile T> { using type = T; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T>
inline constexpr bool is_integral_v = numeric_limits<remove_cv_t<T>>::is_specialized && numeric_limits<remove_cv_t<T>>::is_integer;
template <class T>
inline constexpr bool is_floating_point_v = numeric_limits<remove_cv_t<T>>::is_specialized && !numeric_limits<remove_cv_t<T>>::is_integer;
template <class T> inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T> inline constexpr bool is_signed_v = is_arithmetic_v<T> && remove_cv_t<T>(-1) < remove_cv_t<T>(0);
template <class T> inline constexpr bool is_unsigned_v = is_integral_v<T> && !is_signed_v<T>;
template <class T> struct is_integral : bool_constant<is_integral_v<T>> {};
template <class T> struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <class T> struct is_arithmetic : bool_constant<is_arithmetic_v<T>> {};
template <class T> struct is_signed : bool_constant<is_signed_v<T>> {};
template <class T> struct is_unsigned : bool_constant<is_unsigned_v<T>> {};
}
)";

constexpr const char* kAssert = R"(#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __trap())
#endif
)";

constexpr const char* kNothing = "#pragma once\n";

constexpr auto kHeaders = std::to_array<RtcHeader>({
    {kRtcPrelude, kPrelude},
    {"limits", kNothing},
    {"limits.h", kLimits},
    {"climits", kLimits},
    {"float.h", kFloats},
    {"cfloat", kFloats},
    {"stdint.h", kIntegers},
    {"cstdint", kIntegers},
    {"inttypes.h", kIntegers},
    {"cinttypes", kIntegers},
    {"math.h", kMath},
    {"cmath", kMath},
    {"assert.h", kAssert},
    {"cassert", kAssert},
    {"algorithm", kNothing},
    {"array", kNothing},
    {"chrono", kNothing},
    {"cstddef", kNothing},
    {"cstdio", kNothing},
    {"cstdlib", kNothing},
    {"cstring", kNothing},
    {"ctime", kNothing},
    {"cuda.h", kNothing},
    {"cuda_runtime.h", kNothing},
    {"cuda_runtime_api.h", kNothing},
    {"device_launch_parameters.h", kNothing},
    {"fstream", kNothing},
    {"functional", kNothing},
    {"helper_cuda.h", kNothing},
    {"helper_functions.h", kNothing},
    {"iomanip", kNothing},
    {"iostream", kNothing},
    {"malloc.h", kNothing},
    {"map", kNothing},
    {"memory", kNothing},
    {"numeric", kNothing},
    {"random", kNothing},
    {"sstream", kNothing},
    {"stddef.h", kNothing},
    {"stdio.h", kNothing},
    {"stdlib.h", kNothing},
    {"string", kNothing},
    {"string.h", kNothing},
    {"sys/time.h", kNothing},
    {"time.h", kNothing},
    {"type_traits", kTypeTraits},
    {"unistd.h", kNothing},
    {"utility", kNothing},
    {"vector", kNothing},
});
} // namespace

std::span<const RtcHeader> nvrtc_headers() { return kHeaders; }

} // namespace warptree::gpu
