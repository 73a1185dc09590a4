// How the scans load and store vectors, of which a thread has R in registers.
#pragma once

#include "reduction.cuh"

__device__ int4 vector_of(int);
__device__ uint4 vector_of(unsigned);
__device__ longlong2 vector_of(long long);
__device__ float4 vector_of(float);
__device__ double2 vector_of(double);
using CudaVector = decltype(vector_of(T()));

// Nobody reads it soon: it need not push out of the L2 cache what is still to be read.
__device__ __forceinline__ void store_streaming(T* out, unsigned i, const Vector& v) {
    __stcs(reinterpret_cast<CudaVector*>(out) + i, reinterpret_cast<const CudaVector&>(v));
}

// From vector i on, `stride` apart. `whole`: all of the tile's exist. It is asked once for all of them, so that the loads
// follow one another; else what lies past the end is the identity.
template <unsigned R>
__device__ __forceinline__ void load_vectors(const T* in, unsigned i, unsigned stride, unsigned n, bool whole,
                                             T (&v)[R][Vector::size]) {
    for (unsigned r = 0; r < R; ++r) {
        const unsigned at = i + r * stride, first = at * Vector::size;
        if (whole || first + Vector::size <= n) {
            const Vector loaded = reinterpret_cast<const Vector*>(in)[at];
            for (unsigned k = 0; k < Vector::size; ++k)
                v[r][k] = map(loaded[k]);
        } else {
            for (unsigned k = 0; k < Vector::size; ++k)
                v[r][k] = first + k < n ? map(in[first + k]) : identity;
        }
    }
}

template <unsigned R>
__device__ __forceinline__ void store_vectors(T* out, unsigned i, unsigned stride, unsigned n, bool whole,
                                              const T (&v)[R][Vector::size]) {
    if (whole) {
        for (unsigned r = 0; r < R; ++r) {
            Vector stored;
            for (unsigned k = 0; k < Vector::size; ++k)
                stored[k] = v[r][k];
            store_streaming(out, i + r * stride, stored);
        }
        return;
    }
    for (unsigned r = 0; r < R; ++r)
        for (unsigned k = 0; k < Vector::size; ++k) {
            const unsigned at = (i + r * stride) * Vector::size + k;
            if (at < n)
                out[at] = v[r][k];
        }
}
