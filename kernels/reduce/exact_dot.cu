// title: Exact dot product
// family: applied reductions
// launch: dot<<<min(ceil(n * sizeof(T) / (B * 64)), blocks), B>>>(x, y, out, words, totals, drawn, n)
// blocks: multiples of 32, 32 to 512
// block: 256
// parameter: blocks = 396, 1 to 65536: most blocks of the grid
// types: f32, f64
// op: sum
// arg: x = random
// arg: y = random
// arg: words = zeros:2 * G
// arg: totals = zeros:133
// arg: drawn = zeros:1
// finish: last-block
// expect: dot
// result: Thread 0 of block 0, in a register.
// lesson: A product rounds, and so does a sum of products, in another way for every order. This is the exact dot product,
//   rounded once, made as the exact sum is. Of two floats the product is a double, and exact. Of two doubles it is two: the
//   rounded product, and its error, which a fused multiply-add finds, as it rounds once. So a term has 106 bits, and its exponent
//   twice the range: 133 integers of 32 bits hold any sum. It reads two arrays, and has twice the time for its arithmetic.
#define EXACT_PRODUCTS
#include "exact.cuh"

struct Tile {
    static constexpr unsigned parts = narrow ? 2 : 4;
    const T *a, *b;
    unsigned n;
    T x[tile_size], y[tile_size];

    __device__ __forceinline__ void load(unsigned first, unsigned stride) {
        load_tile(x, a, n, first, stride, T(-0.0));
        load_tile(y, b, n, first, stride, T(0)); // -0 * 0 is -0, which changes no sum
    }

    // The product of two elements, rounded to double, which is exact for floats.
    __device__ __forceinline__ static double product(T a, T b) { return __dmul_rn(a, b); }

    // Counts the exact products of doubles one by one. All lanes of the warp call it. Returns what it has seen.
    __device__ __noinline__ static unsigned count_products(const T* x, const T* y) {
        const Place place = place_of_this_lane();
        unsigned seen = 0;
#pragma unroll 1
        for (unsigned k = 0; k < tile_size; ++k) {
            T a = x[k], b = y[k];
            if (is_special(a) || is_special(b)) {
                seen |= special(product(a, b));
                a = 0;
                b = 0;
            }
            const Scaled p = scaled(a), q = scaled(b);
            const long long sign = (a < 0) != (b < 0) ? -1 : 1;
            const unsigned long long low = p.m * q.m, high = __umul64hi(p.m, q.m);
            const int at = p.exponent + q.exponent - least_exponent;
            seen |= count(place, sign * (long long)(low & ((1ull << 53) - 1)), at);
            seen |= count(place, sign * (long long)(high << 11 | low >> 53), at + 53);
        }
        return seen;
    }

    // Likewise, where `wide`.
    __device__ __forceinline__ unsigned count_each_product(bool wide) const {
        T copy[2][tile_size]; // in local memory, so that x and y can stay in registers
        for (unsigned k = 0; k < tile_size; ++k) {
            copy[0][k] = wide ? x[k] : T(0);
            copy[1][k] = wide ? y[k] : T(0);
        }
        return count_products(copy[0], copy[1]);
    }

    // Sums the products: exactly to what `exact` adds up to, or, where their exponents are too far from one another, by counting
    // them. All lanes of the warp call it. Returns what it has seen.
    __device__ __forceinline__ unsigned sum(double (&exact)[parts]) const {
        double term[tile_size];
        Exponents exponents;
        bool maybe_tiny = false, wide = false; // doubles: so small that an error may be no double, or 0
        constexpr unsigned least_upper = 54u << 20;
        for (unsigned k = 0; k < tile_size; ++k) {
            term[k] = product(x[k], y[k]);
            const unsigned upper = unsigned(bits_of(term[k]) >> 32 & 0x7FFFFFFF);
            exponents.see(upper);
            maybe_tiny |= !narrow && upper < least_upper;
        }
        if (maybe_tiny)
            for (unsigned k = 0; k < tile_size; ++k)
                wide |= x[k] != 0 && y[k] != 0 && fabs(term[k]) < number_of((unsigned long long)least_upper << 32);

        // All products are below 2^(high + 1) and multiples of 2^(low - 47), of doubles their rounded products of 2^(low - 52). An
        // error is at most 2^(high - 53) and a multiple of 2^(low - 105). So the sums of the rests that add_in_two leaves are
        // exact for exponents this near. Large ones are left out, as sums of them may overflow.
        const int high = exponents.high(20), low = exponents.low(20);
        wide |= high > low + 44 || high > 1023 + 980;
        double sums[2][2] = {{0, 0}, {0, 0}}, errors[2] = {0, 0}; // two side by side, as additions take long to end
        const double rounder = rounder_of(high), rounder_of_errors = rounder_of(high - 53);
        if (!wide)
#pragma unroll
            for (unsigned k = 0; k < tile_size; ++k) {
                add_in_two(sums[k % 2], term[k], rounder);
                if constexpr (!narrow) add_in_two(errors, __fma_rn(x[k], y[k], -term[k]), rounder_of_errors);
            }
        for (unsigned k = 0; k < parts; ++k)
            exact[k] = k < 2 ? sums[0][k] + sums[1][k] : errors[k - 2];

        unsigned seen = not_minus_zero;
        if (exponents.most == 0) {
            seen = 0;
            for (const double& t : term)
                if (bits_of(t) != bits_of(-0.0))
                    seen = not_minus_zero;
        }
        if (__any_sync(0xFFFFFFFF, wide)) {
            if constexpr (narrow)
                seen |= count_each(term, wide);
            else
                seen |= count_each_product(wide);
        }
        return seen;
    }
};

__global__ void dot(const T* x, const T* y, T* out, ulonglong2* words, unsigned long long* totals, unsigned* drawn,
                    unsigned n) {
    exact_total(Tile{x, y, n}, out, words, totals, drawn, n);
}
