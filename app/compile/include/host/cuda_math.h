// What the CUDA Math API has for the host beyond the C library.
#pragma once

// Smaller and larger of two of one type, or of two that become one.
#define __WARPTREE_HOST_EXTREMES(A, B, R)                                                                              \
    inline R min(A a, B b) { return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); }   \
    inline R max(A a, B b) { return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); }
#define __WARPTREE_HOST_EXTREMES_OF_INTEGER(T)                                                                         \
    __WARPTREE_HOST_EXTREMES(T, T, T)                                                                                  \
    __WARPTREE_HOST_EXTREMES(unsigned T, unsigned T, unsigned T)                                                       \
    __WARPTREE_HOST_EXTREMES(T, unsigned T, unsigned T)                                                                \
    __WARPTREE_HOST_EXTREMES(unsigned T, T, unsigned T)
__WARPTREE_HOST_EXTREMES_OF_INTEGER(int)
__WARPTREE_HOST_EXTREMES_OF_INTEGER(long)
__WARPTREE_HOST_EXTREMES_OF_INTEGER(long long)
#undef __WARPTREE_HOST_EXTREMES_OF_INTEGER
#undef __WARPTREE_HOST_EXTREMES
// A NaN gives the other.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline float sinpif(float x) { return static_cast<float>(sin(M_PI * fmod(static_cast<double>(x), 2.0))); }
inline double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
inline float cospif(float x) { return static_cast<float>(cos(M_PI * fmod(static_cast<double>(x), 2.0))); }
inline double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
inline float normcdff(float x) { return 0.5F * erfcf(-x * static_cast<float>(M_SQRT1_2)); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
