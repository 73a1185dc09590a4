// What exact-sum and exact-dot share: numbers as integers in limbs, sums of doubles that do not round, and the one rounding at the
// end. With EXACT_PRODUCTS defined the terms are products of two elements, else they are elements.
#pragma once

#include "flagged.cuh"
#include "last_block.cuh"

#ifdef EXACT_PRODUCTS
constexpr bool products = true;
#else
constexpr bool products = false;
#endif

// The exact sum is an integer times the least number that a term can have, 2^-149 or 2^-1074, or the square of these. It has a bit
// for each power of two from there to the largest term, 31 for adding up to 2^31 of these, and a sign: 309 or 2130, and
// of products 586 or 4228. It is kept in limbs of 32 bits, limb k counting multiples of 2^(32 k). A limb is a 64-bit integer, so
// that 2^31 additions do not overflow it: carries wait until the end.
constexpr bool narrow = sizeof(T) == 4;
constexpr unsigned limbs = narrow ? (products ? 19 : 11) : (products ? 133 : 67);
constexpr int mantissa = narrow ? 24 : 53;          // bits
constexpr int least_number = narrow ? -149 : -1074; // its exponent
constexpr int least_exponent = products ? 2 * least_number : least_number;
constexpr Word infinity = narrow ? Word(0x7F800000) : Word(0x7FF0000000000000);
constexpr Word sign_bit = ~(Word(-1) >> 1);

__device__ __forceinline__ unsigned bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned long long bits_of(double x) { return __double_as_longlong(x); }
__device__ __forceinline__ float number_of(unsigned bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double number_of(unsigned long long bits) { return __longlong_as_double(bits); }

// Which terms there are, beside those that the limbs count; and from bit `first_group` on, which limbs are counted in, a bit
// for each group of them.
enum Seen : unsigned { plus_infinity = 1, minus_infinity = 2, not_a_number = 4, not_minus_zero = 8 };
constexpr unsigned first_group = 4;
constexpr unsigned group = limbs <= 4 * 28 ? 4 : 8;

__device__ __forceinline__ bool is_special(double term) { return term - term != 0; } // infinite or no number
// Which of the first three it then is.
__device__ __forceinline__ unsigned special(double term) {
    return term != term ? not_a_number : term > 0 ? plus_infinity : minus_infinity;
}

// The limbs of a block, in columns: a column is one thread's, or, where shared memory has no room for so many, that of
// several lanes of a warp, which take turns.
constexpr unsigned columns = narrow ? 256 : products ? 32 : 64;
__shared__ long long counts[limbs * columns]; // of limb k, those of a column: k * columns + column

struct Place {
    long long* column;
    unsigned turn, turns; // this lane's, and how many there are
};

__device__ __forceinline__ Place place_of_this_lane() {
    const unsigned most = columns / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    unsigned own = min(most * 4, 32u); // columns of a warp
    while (own * warps > columns)
        own /= 2;
    return {counts + threadIdx.x / 32 * own + lane % own, lane / own, 32 / own};
}

// Adds m times 2^at, of which bits below the least number's are 0, to the limbs of this lane; at counts from the least number.
// m is below 2^53 in size. All lanes of the warp call it. Returns which limbs these are.
__device__ __forceinline__ unsigned count(const Place& place, long long m, int at) {
    const bool any = m != 0;
    const unsigned shift = at % 32;
    const unsigned long long low = (unsigned long long)m << shift;
    const long long high = m >> 1 >> (63 - shift); // with the sign
    long long* const limb = place.column + at / 32 * columns;
    for (unsigned turn = 0; turn < place.turns; ++turn) {
        if (turn == place.turn && any) {
            const long long a = limb[0], b = limb[columns], c = limb[2 * columns];
            limb[0] = a + (low & 0xFFFFFFFF);
            limb[columns] = b + (low >> 32);
            limb[2 * columns] = c + high;
        }
        __syncwarp();
    }
    return any ? 1u << (first_group + at / (32 * group)) | 1u << (first_group + (at / 32 + 2) / group) : 0;
}

// The mantissa of a number and the power of two that it is multiplied with.
struct Scaled {
    unsigned long long m;
    int exponent; // of the last bit of m
};

__device__ __forceinline__ Scaled scaled(double x) {
    const unsigned long long word = bits_of(x);
    const int exponent = int(word >> 52 & 0x7FF);
    return {(word & ((1ull << 52) - 1)) | (unsigned long long)(exponent != 0) << 52, max(exponent, 1) - 1075};
}

// Likewise for x, finite and a multiple of the least number.
__device__ __forceinline__ unsigned count(const Place& place, double x) {
    Scaled s = scaled(x);
    int at = s.exponent - least_exponent;
    if (least_exponent > -1074 && at < 0) { // the bits below are 0
        s.m >>= min(-at, 63);
        at = 0;
    }
    return count(place, x < 0 ? -(long long)s.m : (long long)s.m, at);
}

// a + b rounded, and its error: together exactly a + b (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B).
__device__ __forceinline__ double two_sum(double a, double b, double& error) {
    const double sum = a + b, of_b = sum - a;
    error = (a - (sum - of_b)) + (b - of_b);
    return sum;
}

// The unevaluated sum of a few doubles, each of which holds 53 bits that those before it have no room for.
struct Expansion {
    static constexpr unsigned parts = products && !narrow ? 4 : 3;
    double part[parts];
    // Returns what has no room.
    __device__ __forceinline__ double add(double x) {
        for (unsigned k = 0; k < parts; ++k)
            part[k] = two_sum(part[k], x, x);
        return x;
    }
};

// The largest and the least exponent of terms, from the upper halves of their sizes, which are in the order of the sizes.
struct Exponents {
    unsigned most = 0, least = ~0u; // least: of those that are not 0, less 1
    __device__ __forceinline__ void see(unsigned upper) {
        most = max(most, upper);
        least = min(least, upper - 1);
    }
    // Of which, at bit `at`, the exponent is.
    __device__ __forceinline__ int high(int at) const { return int(most >> at); }
    __device__ __forceinline__ int low(int at) const { return int((least + 1) >> at); }
};

// Adds `term` to sums[0] as far as it is a multiple of 2^(high - 46), and the rest to sums[1]; `rounder` is that of `high`. Adding
// and subtracting a number near 2^(high + 6) rounds to these multiples. 16 terms below 2^(high + 1) have an exact sum of such
// multiples, below 2^(high + 5); a rest is at most 2^(high - 47).
__device__ __forceinline__ void add_in_two(double (&sums)[2], double term, double rounder) {
    const double rounded = (term + rounder) - rounder;
    sums[0] += rounded;
    sums[1] += term - rounded;
}
__device__ __forceinline__ double rounder_of(int high) {
    return __longlong_as_double((long long)(high + 6) << 52 | 1ll << 51);
}

// Element i of the input in vectors; what lies past its end is `filler`.
__device__ __forceinline__ Vector load_vector(const T* in, unsigned i, unsigned n, T filler) {
    if (i < n / Vector::size)
        return reinterpret_cast<const Vector*>(in)[i];
    Vector v;
    for (unsigned k = 0; k < Vector::size; ++k)
        v[k] = i <= n / Vector::size && i * Vector::size + k < n ? in[i * Vector::size + k] : filler;
    return v;
}

constexpr unsigned loads = products ? 4 : 8; // of 16 bytes, of a thread and an array, in flight
constexpr unsigned tile_size = loads * Vector::size;

// The 16-byte loads of a thread's tile: `first`, and then one every `stride`.
__device__ __forceinline__ void load_tile(T (&v)[tile_size], const T* in, unsigned n, unsigned first, unsigned stride,
                                          T filler) {
    if (first - threadIdx.x + (loads - 1) * stride + blockDim.x <= n / Vector::size) // all threads have all of them
        for (unsigned u = 0; u < loads; ++u)
            reinterpret_cast<Vector&>(v[u * Vector::size]) = reinterpret_cast<const Vector*>(in)[first + u * stride];
    else
        for (unsigned u = 0; u < loads; ++u)
            reinterpret_cast<Vector&>(v[u * Vector::size]) = load_vector(in, first + u * stride, n, filler);
}

// Counts terms one by one, where `wide`. All lanes of the warp call it. Returns what it has seen.
template <class Term>
__device__ __forceinline__ unsigned count_each(const Place& place, const Term (&terms)[tile_size], bool wide) {
    Term copy[tile_size]; // in local memory, so that the terms can stay in registers
    for (unsigned k = 0; k < tile_size; ++k)
        copy[k] = wide ? terms[k] : 0;
    unsigned seen = 0;
#pragma unroll 1
    for (unsigned k = 0; k < tile_size; ++k) {
        Term x = copy[k];
        if (is_special(x)) {
            seen |= special(x);
            x = 0;
        }
        seen |= count(place, x);
    }
    return seen;
}

// Adds the tiles of this block, as vectorized does: where each block has one, a thread's loads are a grid's width apart; else
// a block's, and a block draws its next tile while its loads are under way. Returns what it has seen.
// Tile: `load(first, stride)`, the loads of load_tile, and `sum(exact, place)`, which sums them exactly to the numbers of `exact`,
// or counts them, and returns what it has seen.
template <class Tile> __device__ __forceinline__ unsigned add_tiles(Tile tile, unsigned n, unsigned* drawn) {
    __shared__ unsigned next[2]; // in turns, so that one barrier does
    const unsigned tid = threadIdx.x, B = blockDim.x, vectors = n / Vector::size + (n % Vector::size != 0);
    const unsigned tiles = (vectors + loads * B - 1) / (loads * B);
    const bool one_each = tiles <= gridDim.x;
    tile.load((one_each ? blockIdx.x * B : blockIdx.x * (loads * B)) + tid, one_each ? gridDim.x * B : B);

    for (unsigned i = tid; i < limbs * columns; i += B) // step: clear
        counts[i] = 0;
    __syncthreads();
    const Place place = place_of_this_lane();
    Expansion sum;
    unsigned turn = 0, seen = 0;
    bool is_first = true;
    for (;;) {
        unsigned asked = 0; // by thread 0
        if (!one_each && tid == 0)
            asked = draw(drawn, tiles);
        double exact[Tile::parts]; // step: tiles: Additions that do not round, so that their order does not matter.
        seen |= tile.sum(exact, place);
        if (is_first) {
            for (unsigned k = 0; k < Expansion::parts; ++k)
                sum.part[k] = k < Tile::parts ? exact[k] : 0;
            is_first = false;
        } else {
            bool any = false;
            for (double& x : exact) {
                x = sum.add(x);
                any |= x != 0;
            }
            if (__any_sync(0xFFFFFFFF, any)) {
#pragma unroll
                for (unsigned k = 0; k < Tile::parts; ++k)
                    seen |= count(place, exact[k]);
            }
        }
        if (one_each)
            break;
        if (tid == 0)
            next[turn] = gridDim.x + asked;
        __syncthreads();
        const unsigned drawn_tile = next[turn];
        if (drawn_tile >= tiles)
            break;
        turn ^= 1;
        tile.load(drawn_tile * (loads * B) + tid, B);
    }
#pragma unroll
    // one step: to integers: What each thread has found becomes integers.
    for (unsigned k = 0; k < Expansion::parts; ++k)
        if (__any_sync(0xFFFFFFFF, sum.part[k] != 0))
            seen |= count(place, sum.part[k]);
    return seen;
}

// The number that the limbs stand for, rounded to the nearest, ties to even. For one warp; lane 0 has it.
__device__ __forceinline__ T rounded(long long* total, unsigned seen) {
    if (seen & (plus_infinity | minus_infinity | not_a_number)) {
        const bool plus = seen & plus_infinity, minus = seen & minus_infinity;
        const Word special = seen & not_a_number || (plus && minus) ? infinity | infinity >> 1 // the quiet NaN
                             : plus                                 ? infinity
                                                                    : infinity | sign_bit;
        return number_of(special);
    }

    // The limbs that are not 0.
    int lowest = int(limbs), top = -1;
    for (unsigned k = 0; k < limbs; k += 32) {
        const unsigned i = k + threadIdx.x % 32;
        const unsigned used = __ballot_sync(0xFFFFFFFF, i < limbs && total[i] != 0);
        if (used != 0) {
            lowest = min(lowest, int(k) + __ffs(used) - 1);
            top = int(k) + 31 - __clz(used);
        }
    }
    __syncwarp();
    if (threadIdx.x % 32 != 0)
        return 0;

    long long carry = 0; // then a limb is 32 bits of the sum, in two's complement
    int end = lowest;    // of the limbs that are known
    // one step: round
    while (end <= top || (carry != 0 && carry != -1)) {
        carry += total[end];
        total[end++] = carry & 0xFFFFFFFF;
        carry >>= 32;
    }
    const bool negative = carry < 0;
    top = -1; // the highest limb that is not 0
    carry = 1;
    // one step: round
    for (int k = lowest; k < end; ++k) {
        if (negative) {
            carry += ~total[k] & 0xFFFFFFFF;
            total[k] = carry & 0xFFFFFFFF;
            carry >>= 32;
        }
        if (total[k] != 0)
            top = k;
    }
    if (top < 0) { // IEEE 754: the sum of -0 alone is -0, any other that is 0 is +0
        const Word zero = seen & not_minus_zero ? 0 : sign_bit;
        return number_of(zero);
    }

    const int highest = 32 * top + 31 - __clz(int(total[top])); // bit
    constexpr int first = least_number - least_exponent;        // bit of the type's least number
    Word word = Word(total[0] | total[1] << 32);                // as it is, if no bit is rounded off
    if (first > 0 || highest >= mantissa) {
        const int last = max(highest - mantissa + 1, first); // bit of the mantissa; the one below decides
        const int k = (last - 1) / 32, shift = (last - 1) % 32;
        unsigned long long bits = (unsigned long long)total[k] >> shift;
        if (k < top)
            bits |= (unsigned long long)total[k + 1] << (32 - shift);
        if (k + 1 < top && shift > 0)
            bits |= (unsigned long long)total[k + 2] << (64 - shift);
        bool below = (total[k] & ((1ll << shift) - 1)) != 0;
        // one step: round
        for (int j = lowest; j < k; ++j)
            below |= total[j] != 0;
        const bool up = bits & 1 && (below || bits & 2);
        // The mantissa with its leading 1 makes the exponent one more than the bits left out, and rounding up to a power of two one
        // more still.
        word = min(Word(bits >> 1) + up + (Word(last - first) << (mantissa - 1)), infinity);
    }
    if (negative)
        word |= sign_bit;
    return number_of(word);
}

__device__ __forceinline__ unsigned or_of_lanes(unsigned v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xFFFFFFFF, v);
#else
    for (unsigned width = 16; width > 0; width /= 2)
        v |= __shfl_xor_sync(0xFFFFFFFF, v, width);
    return v;
#endif
}

// Sums limb k over the columns, 16 of them a thread. The threads of a limb are neighbours, and all get the sum.
__device__ __forceinline__ long long sum_of_columns(unsigned k, unsigned part, unsigned seen) {
    long long sum = 0;
    if (k < limbs && seen >> (first_group + k / group) & 1)
        for (unsigned c = 0; c < 16; ++c)
            sum += counts[k * columns + part * 16 + (c + threadIdx.x) % 16]; // another bank for each thread
    // one step: columns
    for (unsigned width = columns / 32; width > 0; width /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, width);
    return sum;
}

// The sum of what the tiles hold, rounded once, to *out. `totals`: a limb each and what was seen; `drawn`: a number; all 0 when the
// grid begins.
template <class Tile>
__device__ __forceinline__ void exact_total(Tile tile, T* out, unsigned long long* totals, unsigned* drawn,
                                            unsigned n) {
    __shared__ long long total[limbs];
    __shared__ unsigned seen;
    constexpr unsigned threads = columns / 16; // that sum a limb
    const unsigned tid = threadIdx.x, B = blockDim.x;
    if (tid == 0)
        seen = 0;
    unsigned seen_here = add_tiles(tile, n, drawn);
    seen_here = or_of_lanes(seen_here); // step: seen
    if (tid % 32 == 0)
        atomicOr(&seen, seen_here);
    __syncthreads();
    unsigned seen_by_all = seen; // of the block, and then of the grid

    // one step: columns: Each limb is summed over the columns.
    for (unsigned first = 0; first < limbs; first += B / threads) {
        const unsigned k = first + tid / threads;
        const long long sum = sum_of_columns(k, tid % threads, seen_by_all);
        if (k < limbs && tid % threads == 0) {
            if (gridDim.x == 1)
                total[k] = sum;
            else if (sum != 0)
                atomicAdd(totals + k, (unsigned long long)sum); // step: totals: Blocks add their limbs, in any order.
        }
    }
    if (gridDim.x > 1 && tid == 0)
        atomicOr(totals + limbs, (unsigned long long)seen_by_all);
    __syncthreads();
    if (tid >= 32)
        return;

    if (gridDim.x > 1) { // one warp finishes
        const bool is_last = tid == 0 && arrive(&arrived, gridDim.x - 1) == gridDim.x - 1;
        if (!__any_sync(0xFFFFFFFF, is_last))
            return;
        __syncwarp(); // what lane 0 may see by arriving, all may see: a vote alone orders no memory
        for (unsigned k = tid; k < limbs; k += 32) // past the L1 cache
            total[k] = (long long)__ldcg(totals + k);
        seen_by_all = unsigned(__ldcg(totals + limbs));
        __syncwarp();
    }
    const T result = rounded(total, seen_by_all); // step: round: Carries, the sign, and the one rounding.
    if (tid == 0) out[0] = result;                // step: total: One rounding.
}
