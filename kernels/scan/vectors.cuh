// How the scans load and store vectors, of which a thread has R in registers.
#pragma once

#include "reduction.cuh"

// From vector i on, `stride` apart. `whole`: all of the tile's exist. It is asked once for all of them, so that the loads
// follow one another; else what lies past the end is the identity.
template <unsigned R>
__device__ __forceinline__ void load_vectors(const T* in, unsigned i, unsigned stride, unsigned n, bool whole,
                                             Vector (&v)[R]) {
    const Vector* vectors = reinterpret_cast<const Vector*>(in);
    if (whole) {
        for (unsigned r = 0; r < R; ++r)
            v[r] = vectors[i + r * stride];
        return;
    }
    for (unsigned r = 0; r < R; ++r) {
        const unsigned first = (i + r * stride) * Vector::size;
        if (first + Vector::size <= n) {
            v[r] = vectors[i + r * stride];
        } else {
            for (unsigned k = 0; k < Vector::size; ++k)
                v[r][k] = first + k < n ? in[first + k] : identity;
        }
    }
}

template <unsigned R>
__device__ __forceinline__ void store_vectors(T* out, unsigned i, unsigned stride, unsigned n, bool whole,
                                              const Vector (&v)[R]) {
    Vector* vectors = reinterpret_cast<Vector*>(out);
    if (whole) {
        for (unsigned r = 0; r < R; ++r)
            vectors[i + r * stride] = v[r];
        return;
    }
    for (unsigned r = 0; r < R; ++r) {
        const unsigned first = (i + r * stride) * Vector::size;
        if (first + Vector::size <= n) {
            vectors[i + r * stride] = v[r];
        } else {
            for (unsigned k = 0; k < Vector::size; ++k)
                if (first + k < n)
                    out[first + k] = v[r][k];
        }
    }
}
