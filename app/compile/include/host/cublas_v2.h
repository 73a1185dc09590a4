// A part of cuBLAS, computed by the host: vectors and matrices are fetched from the device and put back. Sums are taken in
// double precision in ascending order, so that the last digits may differ from a GPU's.
#pragma once

#include "warptree/cublas_types.h"

#include "host/library.h"

#include <cmath>

struct __warptree_cublas {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
};

__WARPTREE_CALL cublasStatus_t cublasCreate(cublasHandle_t* to) {
    *to = new __warptree_cublas;
    return CUBLAS_STATUS_SUCCESS;
}
__WARPTREE_CALL cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
__WARPTREE_CALL cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
__WARPTREE_CALL cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* to) {
    *to = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}
// Pointers say themselves where they point.
__WARPTREE_CALL cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}
__WARPTREE_CALL cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* to) {
    *to = handle->mode;
    return CUBLAS_STATUS_SUCCESS;
}
__WARPTREE_CALL cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
__WARPTREE_CALL cublasStatus_t cublasGetVersion(cublasHandle_t, int* to) {
    *to = 120000;
    return CUBLAS_STATUS_SUCCESS;
}
inline const char* cublasGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS         ? "CUBLAS_STATUS_SUCCESS"
           : status == CUBLAS_STATUS_INVALID_VALUE ? "CUBLAS_STATUS_INVALID_VALUE"
           : status == CUBLAS_STATUS_NOT_SUPPORTED ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                                   : "CUBLAS_STATUS_EXECUTION_FAILED";
}
#define cublasGetStatusName cublasGetStatusString

// Copies between host and device, with strides of elements.
__WARPTREE_CALL cublasStatus_t __warptree_status(cudaError_t error) {
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
__WARPTREE_CALL cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* from, int from_rows, void* to,
                                               int to_rows) {
    return __warptree_status(cudaMemcpy2D(to, static_cast<size_t>(to_rows) * bytes, from,
                                          static_cast<size_t>(from_rows) * bytes, static_cast<size_t>(rows) * bytes,
                                          columns, cudaMemcpyHostToDevice));
}
__WARPTREE_CALL cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* from, int from_rows, void* to,
                                               int to_rows) {
    return __warptree_status(cudaMemcpy2D(to, static_cast<size_t>(to_rows) * bytes, from,
                                          static_cast<size_t>(from_rows) * bytes, static_cast<size_t>(rows) * bytes,
                                          columns, cudaMemcpyDeviceToHost));
}
__WARPTREE_CALL cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void* from, int from_rows,
                                                    void* to, int to_rows, cudaStream_t) {
    return cublasSetMatrix(rows, columns, bytes, from, from_rows, to, to_rows);
}
__WARPTREE_CALL cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void* from, int from_rows,
                                                    void* to, int to_rows, cudaStream_t) {
    return cublasGetMatrix(rows, columns, bytes, from, from_rows, to, to_rows);
}
__WARPTREE_CALL cublasStatus_t cublasSetVector(int n, int bytes, const void* from, int from_step, void* to, int to_step) {
    return cublasSetMatrix(1, n, bytes, from, from_step, to, to_step);
}
__WARPTREE_CALL cublasStatus_t cublasGetVector(int n, int bytes, const void* from, int from_step, void* to, int to_step) {
    return cublasGetMatrix(1, n, bytes, from, from_step, to, to_step);
}

// A vector of every step-th element; from its end if the step is negative. overwritten: nothing of it is read, so that nothing
// need have been written before; what lies between its elements is kept.
template <class _T> struct __warptree_vector {
    std::vector<_T> all;
    long n, step;
    bool right;
    __attribute__((always_inline, nodebug)) __warptree_vector(const _T* from, int n, int step,
                                                                       bool overwritten = false)
        : all(n <= 0 || step == 0 ? 0 : (n - 1) * std::labs(step) + 1), n(n > 0 ? n : 0), step(step),
          right(step != 0 && ((overwritten && std::labs(step) == 1) || __warptree_fetch(all, from))) {}
    _T& operator[](long i) { return all[static_cast<size_t>(step > 0 ? i * step : (i - n + 1) * step)]; }
};
// A matrix of columns that lie `leading` elements apart. overwritten: as above.
template <class _T> struct __warptree_matrix {
    std::vector<_T> all;
    long leading;
    bool right;
    __attribute__((always_inline, nodebug)) __warptree_matrix(const _T* from, long rows, long columns, long leading,
                                                                       bool overwritten = false)
        : all(rows <= 0 || columns <= 0 || leading < rows ? 0 : (columns - 1) * leading + rows), leading(leading),
          right(leading >= rows && ((overwritten && leading == rows) || __warptree_fetch(all, from))) {}
    _T& operator()(long row, long column) { return all[static_cast<size_t>(column * leading + row)]; }
    _T of(bool transposed, long row, long column) { return transposed ? (*this)(column, row) : (*this)(row, column); }
};
template <class _T> __WARPTREE_CALL cublasStatus_t __warptree_put(bool right, _T* to, const std::vector<_T>& all) {
    return right && __warptree_store(to, all) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
template <class _T> __WARPTREE_CALL bool __warptree_scalar(_T& to, const _T* from) {
    return __warptree_library_copy(&to, from, sizeof(_T)) == cudaSuccess;
}
template <class _T> __WARPTREE_CALL cublasStatus_t __warptree_result(bool right, _T* to, _T value) {
    return right && __warptree_library_copy(to, &value, sizeof(_T)) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                                  : CUBLAS_STATUS_EXECUTION_FAILED;
}

// A number of any type as a double, and back.
template <class _T> inline double __warptree_wide(_T value) { return static_cast<double>(value); }
inline double __warptree_wide(__half value) { return __half2float(value); }
inline double __warptree_wide(__nv_bfloat16 value) { return __bfloat162float(value); }
template <class _T> struct __warptree_narrow {
    static _T of(double value) { return static_cast<_T>(value); }
};
template <> struct __warptree_narrow<__half> {
    static __half of(double value) { return __float2half(static_cast<float>(value)); }
};
template <> struct __warptree_narrow<__nv_bfloat16> {
    static __nv_bfloat16 of(double value) { return __float2bfloat16(static_cast<float>(value)); }
};

// c = alpha * a * b + beta * c, of matrices of one type into one of another.
template <class _A, class _C, class _S>
__WARPTREE_CALL cublasStatus_t __warptree_gemm(cublasOperation_t a_op, cublasOperation_t b_op, int m, int n, int k,
                                               const _S* alpha, const _A* a, int a_rows, const _A* b, int b_rows,
                                               const _S* beta, _C* c, int c_rows) {
    const bool turn_a = a_op != CUBLAS_OP_N, turn_b = b_op != CUBLAS_OP_N;
    if (m < 0 || n < 0 || k < 0 || a_rows < (turn_a ? k : m) || b_rows < (turn_b ? n : k) || c_rows < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    _S given{}, kept{};
    bool right = __warptree_scalar(given, alpha) && __warptree_scalar(kept, beta);
    const double scale = __warptree_wide(given), keep = __warptree_wide(kept);
    __warptree_matrix<_A> left(a, turn_a ? k : m, turn_a ? m : k, a_rows),
        other(b, turn_b ? n : k, turn_b ? k : n, b_rows);
    __warptree_matrix<_C> to(c, m, n, c_rows, keep == 0);
    right = right && left.right && other.right && to.right;
    for (long j = 0; right && j < n; ++j)
        for (long i = 0; i < m; ++i) {
            double sum = 0;
            for (long p = 0; p < k; ++p)
                sum += __warptree_wide(left.of(turn_a, i, p)) * __warptree_wide(other.of(turn_b, p, j));
            to(i, j) = __warptree_narrow<_C>::of(scale * sum + (keep == 0 ? 0 : keep * __warptree_wide(to(i, j))));
        }
    return __warptree_put(right, c, to.all);
}

#define __WARPTREE_BLAS(_T, _L)                                                                                          \
    __WARPTREE_CALL cublasStatus_t cublas##_L##axpy(cublasHandle_t, int n, const _T* alpha, const _T* x, int x_step, _T* y,   \
                                                   int y_step) {                                                       \
        _T a{};                                                                                                         \
        bool right = __warptree_scalar(a, alpha);                                                                      \
        __warptree_vector<_T> from(x, n, x_step), to(y, n, y_step);                                                     \
        right = right && from.right && to.right;                                                                       \
        for (long i = 0; right && i < n; ++i) to[i] = a * from[i] + to[i];                                             \
        return __warptree_put(right, y, to.all);                                                                       \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##scal(cublasHandle_t, int n, const _T* alpha, _T* x, int step) {              \
        _T a{};                                                                                                         \
        bool right = __warptree_scalar(a, alpha);                                                                      \
        __warptree_vector<_T> to(x, n, step);                                                                           \
        right = right && to.right;                                                                                     \
        for (long i = 0; right && i < n; ++i) to[i] *= a;                                                              \
        return __warptree_put(right, x, to.all);                                                                       \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##copy(cublasHandle_t, int n, const _T* x, int x_step, _T* y, int y_step) {    \
        __warptree_vector<_T> from(x, n, x_step), to(y, n, y_step, true);                                               \
        for (long i = 0; from.right && to.right && i < n; ++i) to[i] = from[i];                                        \
        return __warptree_put(from.right && to.right, y, to.all);                                                      \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##dot(cublasHandle_t, int n, const _T* x, int x_step, const _T* y, int y_step,  \
                                                  _T* result) {                                                         \
        __warptree_vector<_T> a(x, n, x_step), b(y, n, y_step);                                                         \
        double sum = 0;                                                                                                \
        for (long i = 0; a.right && b.right && i < n; ++i) sum += static_cast<double>(a[i]) * b[i];                    \
        return __warptree_result(a.right && b.right, result, static_cast<_T>(sum));                                     \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##asum(cublasHandle_t, int n, const _T* x, int step, _T* result) {             \
        __warptree_vector<_T> a(x, n, step);                                                                            \
        double sum = 0;                                                                                                \
        for (long i = 0; a.right && i < n; ++i) sum += std::fabs(static_cast<double>(a[i]));                           \
        return __warptree_result(a.right, result, static_cast<_T>(sum));                                                \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##nrm2(cublasHandle_t, int n, const _T* x, int step, _T* result) {             \
        __warptree_vector<_T> a(x, n, step);                                                                            \
        double sum = 0;                                                                                                \
        for (long i = 0; a.right && i < n; ++i) sum += static_cast<double>(a[i]) * a[i];                               \
        return __warptree_result(a.right, result, static_cast<_T>(std::sqrt(sum)));                                     \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##gemv(cublasHandle_t, cublasOperation_t op, int m, int n, const _T* alpha,   \
                                                   const _T* a, int a_rows, const _T* x, int x_step, const _T* beta,      \
                                                   _T* y, int y_step) {                                                 \
        const bool transposed = op != CUBLAS_OP_N;                                                                     \
        const int rows = transposed ? n : m, columns = transposed ? m : n;                                             \
        _T scale{}, keep{};                                                                                             \
        bool right = __warptree_scalar(scale, alpha) && __warptree_scalar(keep, beta);                                 \
        __warptree_matrix<_T> matrix(a, m, n, a_rows);                                                                  \
        __warptree_vector<_T> from(x, columns, x_step), to(y, rows, y_step, keep == 0);                                 \
        right = right && matrix.right && from.right && to.right;                                                       \
        for (long i = 0; right && i < rows; ++i) {                                                                     \
            double sum = 0;                                                                                            \
            for (long j = 0; j < columns; ++j) sum += static_cast<double>(matrix.of(transposed, i, j)) * from[j];      \
            to[i] = static_cast<_T>(scale * sum + (keep == 0 ? 0 : static_cast<double>(keep) * to[i]));                 \
        }                                                                                                              \
        return __warptree_put(right, y, to.all);                                                                       \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublas##_L##gemm(cublasHandle_t, cublasOperation_t a_op, cublasOperation_t b_op, int m, \
                                                   int n, int k, const _T* alpha, const _T* a, int a_rows, const _T* b,   \
                                                   int b_rows, const _T* beta, _T* c, int c_rows) {                      \
        return __warptree_gemm(a_op, b_op, m, n, k, alpha, a, a_rows, b, b_rows, beta, c, c_rows);                     \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublasI##_L##amax(cublasHandle_t, int n, const _T* x, int step, int* result) {          \
        __warptree_vector<_T> a(x, n, step);                                                                            \
        int best = 0;                                                                                                  \
        for (int i = 1; a.right && i < n; ++i)                                                                         \
            if (std::fabs(a[i]) > std::fabs(a[best])) best = i;                                                        \
        return __warptree_result(a.right, result, n > 0 ? best + 1 : 0);                                               \
    }                                                                                                                  \
    __WARPTREE_CALL cublasStatus_t cublasI##_L##amin(cublasHandle_t, int n, const _T* x, int step, int* result) {          \
        __warptree_vector<_T> a(x, n, step);                                                                            \
        int best = 0;                                                                                                  \
        for (int i = 1; a.right && i < n; ++i)                                                                         \
            if (std::fabs(a[i]) < std::fabs(a[best])) best = i;                                                        \
        return __warptree_result(a.right, result, n > 0 ? best + 1 : 0);                                               \
    }
#define cublasIsamax cublasISamax
#define cublasIdamax cublasIDamax
#define cublasIsamin cublasISamin
#define cublasIdamin cublasIDamin
__WARPTREE_BLAS(float, S)
__WARPTREE_BLAS(double, D)
#undef __WARPTREE_BLAS
__WARPTREE_CALL cublasStatus_t cublasHgemm(cublasHandle_t, cublasOperation_t a_op, cublasOperation_t b_op, int m, int n,
                                           int k, const __half* alpha, const __half* a, int a_rows, const __half* b,
                                           int b_rows, const __half* beta, __half* c, int c_rows) {
    return __warptree_gemm(a_op, b_op, m, n, k, alpha, a, a_rows, b, b_rows, beta, c, c_rows);
}

// Of matrices whose types are told; the scalars are of the type that is computed in. Templates, so that only who calls them
// compiles them.
template <int = 0>
__WARPTREE_CALL cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t a_op, cublasOperation_t b_op, int m, int n,
                                            int k, const void* alpha, const void* a, cudaDataType a_type, int a_rows,
                                            const void* b, cudaDataType b_type, int b_rows, const void* beta, void* c,
                                            cudaDataType c_type, int c_rows, cudaDataType scalar, cublasGemmAlgo_t) {
    const auto of = [&](auto element, auto result, auto factor) __attribute__((always_inline, nodebug)) {
        using _A = decltype(element);
        using _C = decltype(result);
        using _S = decltype(factor);
        return __warptree_gemm(a_op, b_op, m, n, k, static_cast<const _S*>(alpha), static_cast<const _A*>(a), a_rows,
                               static_cast<const _A*>(b), b_rows, static_cast<const _S*>(beta), static_cast<_C*>(c),
                               c_rows);
    };
    const auto are = [&](cudaDataType in, cudaDataType out, cudaDataType factor) __attribute__((always_inline, nodebug)) {
        return a_type == in && b_type == in && c_type == out && scalar == factor;
    };
    if (are(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F)) return of(__half{}, __half{}, __half{});
    if (are(CUDA_R_16F, CUDA_R_16F, CUDA_R_32F)) return of(__half{}, __half{}, 0.0F);
    if (are(CUDA_R_16F, CUDA_R_32F, CUDA_R_32F)) return of(__half{}, 0.0F, 0.0F);
    if (are(CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F)) return of(__nv_bfloat16{}, __nv_bfloat16{}, 0.0F);
    if (are(CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F)) return of(__nv_bfloat16{}, 0.0F, 0.0F);
    if (are(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F)) return of(0.0F, 0.0F, 0.0F);
    if (are(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F)) return of(0.0, 0.0, 0.0);
    if (are(CUDA_R_8I, CUDA_R_32I, CUDA_R_32I)) return of(static_cast<signed char>(0), 0, 0);
    if (are(CUDA_R_8I, CUDA_R_32F, CUDA_R_32F)) return of(static_cast<signed char>(0), 0.0F, 0.0F);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
template <int = 0>
__WARPTREE_CALL cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, int m,
                                            int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                                            int a_rows, const void* b, cudaDataType b_type, int b_rows, const void* beta,
                                            void* c, cudaDataType c_type, int c_rows, cublasComputeType_t type,
                                            cublasGemmAlgo_t algorithm) {
    const cudaDataType scalar = type == CUBLAS_COMPUTE_16F || type == CUBLAS_COMPUTE_16F_PEDANTIC   ? CUDA_R_16F
                                : type == CUBLAS_COMPUTE_64F || type == CUBLAS_COMPUTE_64F_PEDANTIC ? CUDA_R_64F
                                : type == CUBLAS_COMPUTE_32I || type == CUBLAS_COMPUTE_32I_PEDANTIC ? CUDA_R_32I
                                                                                                    : CUDA_R_32F;
    return cublasGemmEx(handle, a_op, b_op, m, n, k, alpha, a, a_type, a_rows, b, b_type, b_rows, beta, c, c_type, c_rows,
                        scalar, algorithm);
}
