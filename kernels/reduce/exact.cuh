// What exact-sum and exact-dot share: terms that are added in double, and how what threads and then blocks have found becomes one
// number. No addition rounds, but for the last.
#pragma once

#include "limbs.cuh"

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

// Counts the terms of a tile one by one. All lanes of the warp call it. Returns what it has seen.
template <class Term>
__device__ __noinline__ unsigned count_terms(const Term* terms) {
    const Place place = place_of_this_lane();
    unsigned seen = 0;
#pragma unroll 1
    for (unsigned k = 0; k < tile_size; ++k) {
        Term x = terms[k];
        if (is_special(x)) {
            seen |= special(x);
            x = 0;
        }
        seen |= count(place, x);
    }
    return seen;
}

// Likewise, where `wide`.
template <class Term>
__device__ __forceinline__ unsigned count_each(const Term (&terms)[tile_size], bool wide) {
    Term copy[tile_size]; // in local memory, so that the terms can stay in registers
    for (unsigned k = 0; k < tile_size; ++k)
        copy[k] = wide ? terms[k] : 0;
    return count_terms(copy);
}

// Adds the tiles of this block, as vectorized does: where each block has one, a thread's loads are a grid's width apart; else
// a block's, and a block draws its next tile while its loads are under way. Returns this thread's sum, but for what is in limbs.
// Tile: `load(first, stride)`, the loads of load_tile, and `sum(exact)`, which sums them exactly to the numbers of `exact`,
// or counts them, and returns what it has seen.
template <class Tile>
__device__ __forceinline__ Expansion add_tiles(Tile tile, unsigned n, unsigned* drawn, unsigned& seen) {
    __shared__ unsigned next[2]; // in turns, so that one barrier does
    const unsigned tid = threadIdx.x, B = blockDim.x, vectors = n / Vector::size + (n % Vector::size != 0);
    const unsigned tiles = (vectors + loads * B - 1) / (loads * B);
    const bool one_each = tiles <= gridDim.x;
    tile.load((one_each ? blockIdx.x * B : blockIdx.x * (loads * B)) + tid, one_each ? gridDim.x * B : B);

    if (tid % 32 == 0)
        cleared[tid / 32] = false;
    __syncwarp();
    Expansion sum;
    unsigned turn = 0;
    bool is_first = true;
    for (;;) {
        unsigned asked = 0; // by thread 0
        if (!one_each && tid == 0)
            asked = draw(drawn, tiles);
        double exact[Tile::parts]; // step: tiles: Additions that do not round, so that their order does not matter.
        seen |= tile.sum(exact);
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
            if (__any_sync(0xFFFFFFFF, any))
#pragma unroll
                for (unsigned k = 0; k < Tile::parts; ++k)
                    seen |= count_out_of_line(exact[k]);
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
    return sum;
}

// An integer of 128 bits in pieces of 22, so that 512 of them add up in 32 bits each, without carries; the highest has the sign.
struct Pieces {
    unsigned piece[5];
};

__device__ __forceinline__ Pieces pieces_of(const Fixed& x) {
    const unsigned mask = (1 << 22) - 1;
    return {unsigned(x.low) & mask, unsigned(x.low >> 22) & mask, unsigned(x.low >> 44 | x.high << 20) & mask,
            unsigned(x.high >> 2) & mask, unsigned(x.high >> 24)};
}

__device__ __forceinline__ Pieces sum_of_lanes(Pieces x) {
    for (unsigned& piece : x.piece)
        piece = sum_of_lanes(piece);
    return x;
}

__device__ __forceinline__ Fixed fixed(const Pieces& x, int unit) {
    const unsigned long long lower = x.piece[0] + ((unsigned long long)x.piece[1] << 22);
    const unsigned long long low = lower + ((unsigned long long)x.piece[2] << 44);
    const long long high = ((long long)int(x.piece[4]) << 24) + ((long long)x.piece[3] << 2) + (x.piece[2] >> 20);
    return {low, high + (low < lower), unit};
}

// Sums over the block what its threads have found, each a few terms, of which the first are `used`, as integers of one unit. All
// threads call it, and get the sum, but for what is in limbs, and what was seen.
template <class Term, unsigned many>
__device__ __forceinline__ Fixed sum_of_block(const Term (&terms)[many], unsigned& seen, unsigned used = many) {
    struct Found {
        Pieces sum;
        unsigned seen;
    };
    __shared__ int units[16]; // by warp
    __shared__ Found found[16];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool of_warp = lane < blockDim.x / 32; // a lane also stands for the warp of its number
    int unit = no_unit;
    for (unsigned k = 0; k < many; ++k)
        unit = max(unit, fixed(terms[k]).unit);
    unit = most_of_lanes(unit); // step: unit: The largest exponent says of what all are multiples.
    if (lane == 0)
        units[warp] = unit;
    __syncthreads();
    unit = most_of_lanes(of_warp ? units[lane] : no_unit); // step: unit
    Fixed sum = {0, 0, unit};
    seen |= add_or_count(sum, terms, used);
    // step: lanes: Each warp adds the integers of its lanes, in pieces.
    const Found of_lanes = {sum_of_lanes(pieces_of(sum)), or_of_lanes(seen)};
    if (lane == 0)
        found[warp] = of_lanes;
    __syncthreads();
    const Found of_warps = of_warp ? found[lane] : Found{};
    seen = or_of_lanes(of_warps.seen); // step: seen
    return fixed(sum_of_lanes(of_warps.sum), unit); // step: warps: Each warp adds those of all, so that every thread has the sum.
}

// A block's sum and what it has seen are published as one word of 128 bits. This is its first half, which is not 0.
__device__ __forceinline__ unsigned long long first_half(const Fixed& sum, unsigned seen) {
    return (unsigned long long)sum.high << 24 | (sum.unit & 0xFFFF) << 8 | 128 | seen;
}

// Waits for a block's word. Returns its sum, and adds to what was seen.
__device__ __forceinline__ Fixed wait_for(const ulonglong2* word, unsigned& seen) {
    unsigned long long first, second;
    do
        load_relaxed(word, first, second);
    while (first == 0);
    seen |= first % 32;
    return {second, (long long)first >> 24, short(first >> 8)};
}

// The sum of what the tiles hold, rounded once, to *out. `words`: one a block; `totals`: a limb each; `drawn`: a number; all 0 when
// the grid begins. The first block waits for the others, which wait for none: so each ends, in whichever order they run.
template <class Tile>
__device__ __forceinline__ void exact_total(Tile tile, T* out, ulonglong2* words, unsigned long long* totals,
                                            unsigned* drawn, unsigned n) {
    __shared__ long long total[limbs];
    __shared__ unsigned seen_of_sum;
    const unsigned tid = threadIdx.x, B = blockDim.x;
    const bool is_first = blockIdx.x == 0;
    unsigned seen = 0;
    const Expansion found = add_tiles(tile, n, drawn, seen);
    bool more = false; // than a tile has
    for (unsigned k = Tile::parts; k < Expansion::parts; ++k)
        more |= found.part[k] != 0;
    more = __any_sync(0xFFFFFFFF, more);
    Fixed sum = sum_of_block(found.part, seen, more ? Expansion::parts : Tile::parts);
    if (!is_first && seen < in_totals) {
        if (tid == 0)
            // step: publish: Every block publishes its sum and what it has seen as one word.
            __stcg(words + blockIdx.x, make_ulonglong2(first_half(sum, seen), sum.low));
        return;
    }
    if (is_first && gridDim.x > 1) {
        if (tid != 0)
            // step: words: The first block waits for the others and adds their sums.
            sum = tid < gridDim.x ? wait_for(words + tid, seen) : zero();
        __syncwarp();
        for (unsigned i = tid + B; i - tid % 32 < gridDim.x; i += B) {
            Fixed next = i < gridDim.x ? wait_for(words + i, seen) : zero();
            __syncwarp();
            if (next.unit > sum.unit) {
                const Fixed less = sum;
                sum = next;
                next = less;
            }
            seen |= add_or_count<Fixed, 1>(sum, {next});
        }
        if (seen & in_totals)
            __threadfence(); // whoever has seen that word also sees what was added before
        sum = sum_of_block<Fixed, 1>({sum}, seen);
    }
    if (is_first && seen < in_totals) {
        if (tid == 0)
            out[0] = rounded(sum, seen); // step: total: The one rounding.
        return;
    }

    // Something is in limbs: the sum is added to them.
    const unsigned of_sum = count_out_of_line(tid == 0 ? sum : zero()); // by all warps, as each clears its own
    if (tid == 0)
        seen_of_sum = of_sum;
    __syncthreads();
    seen |= seen_of_sum;
    constexpr unsigned threads = columns / 16; // that sum a limb
    // one step: columns: Each limb is summed over the columns.
    for (unsigned first = 0; first < limbs; first += B / threads) {
        const unsigned k = first + tid / threads;
        const long long of_limb = sum_of_columns(k, tid % threads, seen);
        if (k < limbs && tid % threads == 0) {
            if (is_first)
                total[k] = of_limb;
            else if (of_limb != 0)
                atomicAdd(totals + k, (unsigned long long)of_limb); // step: totals: Blocks add their limbs, in any order.
        }
    }
    __syncthreads();
    if (!is_first) {
        if (tid == 0) {
            __threadfence(); // what the block has added comes before its word
            atomicExch(&words[blockIdx.x].x, first_half(zero(), seen % in_totals | in_totals)); // step: publish
        }
        return;
    }
    if (tid >= 32) // one warp finishes
        return;
    if (seen & in_totals)
        for (unsigned k = tid; k < limbs; k += 32) // past the L1 cache
            total[k] += (long long)__ldcg(totals + k);
    __syncwarp();
    const T result = rounded(total, seen); // step: round: Carries, the sign, and the one rounding.
    if (tid == 0)
        out[0] = result; // step: total
}
