// Sums that do not round, of any numbers: an integer of hundreds of bits, in limbs. With EXACT_PRODUCTS defined the numbers are
// products of two elements, else they are elements.
#pragma once

#include "fixed.cuh"

#ifdef EXACT_PRODUCTS
constexpr bool products = true;
#else
constexpr bool products = false;
#endif

// The exact sum is an integer times the least number that a term can have, 2^-149 or 2^-1074, or the square of these. It has a bit
// for each power of two from there to the largest term, 31 for adding up to 2^31 of these, and a sign: 309 or 2130, and
// of products 586 or 4228. It is kept in limbs of 32 bits, limb k counting multiples of 2^(32 k). A limb is a 64-bit integer, so
// that 2^31 additions do not overflow it: carries wait until the end. A number is added to three limbs, the last of which may be 0.
constexpr unsigned limbs = narrow ? (products ? 20 : 11) : (products ? 133 : 67);
constexpr int least_exponent = products ? 2 * least_number : least_number;

// Which terms there are, beside those that are counted; whether a block has added to `totals`; and from bit `first_group` on, which
// limbs this block counts in, a bit for each group of them.
enum Seen : unsigned { plus_infinity = 1, minus_infinity = 2, not_a_number = 4, not_minus_zero = 8, in_totals = 16 };
constexpr unsigned first_group = 5;
constexpr unsigned group = limbs <= 4 * 27 ? 4 : 8;

__device__ __forceinline__ bool is_special(double term) { return term - term != 0; } // infinite or no number
// Which of the first three it then is.
__device__ __forceinline__ unsigned special(double term) {
    return term != term ? not_a_number : term > 0 ? plus_infinity : minus_infinity;
}

// The limbs of a block, in columns: a column is one thread's, or, where shared memory has no room for so many, that of
// several lanes of a warp, which take turns.
constexpr unsigned columns = narrow ? 256 : products ? 32 : 64;
__shared__ long long counts[limbs * columns]; // of limb k, those of a column: k * columns + column
__shared__ bool cleared[16];                  // whether a warp has cleared its own; false when the block begins

// The columns that a warp has are 2 to this power.
__device__ __forceinline__ unsigned log_columns_of_warp() {
    unsigned log = columns >= 256 ? 5 : columns >= 64 ? 3 : 2;
    while (blockDim.x / 32 << log > columns)
        --log;
    return log;
}

struct Place {
    long long* column;
    unsigned turn, turns; // this lane's, and how many there are
};

// Where this lane counts. Most inputs need no limbs, so a warp clears its own when it first asks.
__device__ __forceinline__ Place place_of_this_lane() {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, log = log_columns_of_warp();
    const Place place = {counts + (warp << log) + (lane & ((1 << log) - 1)), lane >> log, 32u >> log};
    if (!cleared[warp]) {
        if (place.turn == 0)
#pragma unroll 4
            for (unsigned k = 0; k < limbs; ++k)
                place.column[k * columns] = 0;
        __syncwarp();
        if (lane == 0)
            cleared[warp] = true;
        __syncwarp();
    }
    return place;
}

// Adds m times 2^at to the limbs of this lane; at counts from the least number. All lanes of the warp call it. Returns which limbs
// these are.
__device__ __forceinline__ unsigned count(const Place& place, long long m, int at) {
    const bool any = m != 0;
    const unsigned shift = at % 32;
    const unsigned long long low = (unsigned long long)m << shift;
    const long long high = m >> 1 >> (63 - shift); // with the sign
    long long* const limb = place.column + at / 32 * columns;
#pragma unroll 1
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

// Likewise for an integer of 128 bits, which is below 2^126 in size.
__device__ __forceinline__ unsigned count(const Place& place, const Fixed& x) {
    Fixed of_least = {0, 0, max(x.unit, least_exponent)};
    add(of_least, x); // the bits below the least number's are 0
    const int at = of_least.unit - least_exponent;
    return count(place, (long long)(of_least.low & ~0ull >> 1), at) |
           count(place, of_least.high << 1 | (long long)(of_least.low >> 63), at + 63);
}

// Likewise. Out of line, for the places where terms are seldom counted: what most inputs need stays near together then, and its
// instructions are fetched sooner.
template <class Term>
__device__ __noinline__ unsigned count_out_of_line(Term x) {
    return count(place_of_this_lane(), x);
}

// Adds terms, of which the first are `used`, to a sum whose unit is not less than theirs; and one of which bits would be lost, to
// limbs. All lanes of the warp call it. Returns which limbs these are.
template <class Term, unsigned many>
__device__ __forceinline__ unsigned add_or_count(Fixed& sum, const Term (&terms)[many], unsigned used = many) {
    unsigned seen = 0;
    for (unsigned k = 0; k < many; ++k) {
        if (k >= used)
            continue;
        const bool added = add(sum, fixed(terms[k]));
        if (__any_sync(0xFFFFFFFF, !added)) {
            const Term left = added ? Term{} : terms[k];
            if constexpr (products) // which have more terms: a call would take so many registers that a block less has room
                seen |= count(place_of_this_lane(), left);
            else
                seen |= count_out_of_line(left);
        }
    }
    return seen;
}

// Sums limb k over the columns, 16 of them a thread. The threads of a limb are neighbours, and all get the sum.
__device__ __forceinline__ long long sum_of_columns(unsigned k, unsigned part, unsigned seen) {
    const unsigned used = blockDim.x / 32 << log_columns_of_warp();
    long long sum = 0;
    if (k < limbs && seen >> (first_group + k / group) & 1)
        for (unsigned c = 0; c < 16; ++c) {
            const unsigned column = part * 16 + (c + threadIdx.x) % 16; // another bank for each thread
            sum += column < used ? counts[k * columns + column] : 0;
        }
    // one step: columns
    for (unsigned width = columns / 32; width > 0; width /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, width);
    return sum;
}

// The result where there are infinities or no numbers.
__device__ __forceinline__ T special_result(unsigned seen) {
    const bool plus = seen & plus_infinity, minus = seen & minus_infinity;
    const Word special = seen & not_a_number || (plus && minus) ? infinity | infinity >> 1 // the quiet NaN
                         : plus                                 ? infinity
                                                                : infinity | sign_bit;
    return number_of(special);
}

// IEEE 754: the sum of -0 alone is -0, any other that is 0 is +0.
__device__ __forceinline__ T zero_result(unsigned seen) {
    const Word zero = seen & not_minus_zero ? 0 : sign_bit;
    return number_of(zero);
}

// The sum, rounded to the nearest number, ties to even.
__device__ __forceinline__ T rounded(const Fixed& sum, unsigned seen) {
    if (seen & (plus_infinity | minus_infinity | not_a_number))
        return special_result(seen);
    if ((sum.low | sum.high) == 0)
        return zero_result(seen);
    const bool negative = sum.high < 0;
    const unsigned long long low = negative ? -sum.low : sum.low;
    const unsigned long long high = negative ? ~sum.high + (sum.low == 0) : sum.high;
    return rounded(negative, high, low, sum.unit);
}

// Likewise the sum that the limbs stand for. For one warp; lane 0 has it.
__device__ __forceinline__ T rounded(long long* total, unsigned seen) {
    if (seen & (plus_infinity | minus_infinity | not_a_number))
        return special_result(seen);

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
    if (top < 0)
        return zero_result(seen);
    const int first = max(top - 3, 0); // of four limbs, which with a bit for those below are enough to round
    bool below = false;
    // one step: round
    for (int k = lowest; k < first; ++k)
        below |= total[k] != 0;
    const auto two = [&](int k) { return (unsigned long long)(total[k] | total[k + 1] << 32); };
    return rounded(negative, two(first + 2), two(first) | below, 32 * first + least_exponent);
}

