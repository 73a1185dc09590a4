// title: Exact sum
// family: shuffles and atomics
// launch: reduce<<<min(ceil(n * sizeof(T) / (B * 128)), blocks), B>>>(in, out, words, totals, drawn, n)
// blocks: multiples of 32, 32 to 512
// block: 256
// parameter: blocks = 396, 1 to 65536: most blocks of the grid
// types: f32, f64
// op: sum
// arg: words = zeros:2 * G
// arg: totals = zeros:67
// arg: drawn = zeros:1
// finish: last-block
// expect: sum
// result: Thread 0 of block 0, in a register.
// lesson: A sum of floating-point numbers depends on the order of its additions, because each one rounds. This one is
//   the exact sum, rounded once: the same bits for every order, block and grid, on every GPU. Additions that do not
//   round may be done in any order, so each step is one of these. A thread's 128 bytes add exactly in double if their
//   exponents are near one another; the error of a double addition is itself a double, so a sum is kept as three that
//   add up to it; and at the end these become integers, multiples of one power of two, which the block adds, and then
//   the first block those of all. A number with bits too far below the others' is counted in limbs, integers that are 32
//   bits of the sum each, which the blocks add with atomics. It needs more arithmetic than vectorized, and takes as
//   long for a large input: memory is what a reduction waits for.
#include "exact.cuh"

constexpr int upper_half = narrow ? 0 : 32;   // bit from which the upper 32 of a number begin,
constexpr int exponent_at = narrow ? 23 : 20; // and in these the exponent

struct Tile {
    static constexpr unsigned parts = narrow ? 1 : 2;
    const T* in;
    unsigned n;
    T v[tile_size];

    __device__ __forceinline__ void load(unsigned first, unsigned stride) {
        load_tile(v, in, n, first, stride, T(-0.0)); // which changes no sum
    }

    // Sums the elements: exactly to what `exact` adds up to, or, where their exponents are too far from one another, by counting
    // them. All lanes of the warp call it. Returns what it has seen.
    __device__ __forceinline__ unsigned sum(double (&exact)[parts]) const {
        Exponents exponents;
        for (const T& x : v) { // a subnormal number whose upper half is 0 counts as 1, which has the same exponent
            const Word size = bits_of(x) & ~sign_bit;
            exponents.see(unsigned(size >> upper_half) |
                          unsigned(!narrow && unsigned(size) != 0 && size >> upper_half == 0));
        }
        // All elements are below 2^(high + 1) and multiples of 2^(low - 23) or 2^(low - 52).
        const int high = exponents.high(exponent_at), low = exponents.low(exponent_at);
        bool wide;
        double sums[2][2] = {}; // side by side, as additions take long to end
        if constexpr (narrow) {
            // 32 of them are below 2^(high + 6). If that is at most 2^53 times what they are multiples of, no sum rounds.
            wide = high > low + 24 || high == 255;
            if (!wide)
#pragma unroll
                for (unsigned k = 0; k < tile_size; ++k)
                    sums[k % 2][0] += double(v[k]);
        } else {
            // The rests are multiples of 2^(low - 52): their sum is exact as well for exponents this near. Large ones are left
            // out, as sums of them may overflow.
            wide = high > low + 44 || high > 1023 + 980;
            const double rounder = rounder_of(high);
            if (!wide)
#pragma unroll
                for (unsigned k = 0; k < tile_size; ++k)
                    add_in_two(sums[k % 2], v[k], rounder);
        }
        for (unsigned k = 0; k < parts; ++k)
            exact[k] = sums[0][k] + sums[1][k];

        unsigned seen = not_minus_zero;
        if (exponents.most == 0) {
            seen = 0;
            for (const T& x : v)
                if (bits_of(x) == 0)
                    seen = not_minus_zero;
        }
        if (__any_sync(0xFFFFFFFF, wide))
            seen |= count_each(v, wide);
        return seen;
    }
};

__global__ void reduce(const T* in, T* out, ulonglong2* words, unsigned long long* totals, unsigned* drawn,
                       unsigned n) {
    exact_total(Tile{in, n}, out, words, totals, drawn, n);
}
