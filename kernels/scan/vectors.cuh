// How the scans load and store vectors, of which a thread has R in registers.
#pragma once

#include "reduction.cuh"

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
    for (unsigned r = 0; r < R; ++r) {
        const unsigned at = i + r * stride, first = at * Vector::size;
        if (whole || first + Vector::size <= n) {
            Vector stored;
            for (unsigned k = 0; k < Vector::size; ++k)
                stored[k] = v[r][k];
            reinterpret_cast<Vector*>(out)[at] = stored;
        } else {
            for (unsigned k = 0; k < Vector::size; ++k)
                if (first + k < n)
                    out[first + k] = v[r][k];
        }
    }
}
