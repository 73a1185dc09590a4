// The cost of one warp-level memory access: shared-memory wavefronts and global sectors. Measured on an H200
// (cc 9.0) with its hardware counters.
//
// Shared memory is 32 banks of 4 bytes; word w is in bank w % 32. A request is split into passes:
//   4 bytes per lane:  one pass, all lanes together
//   8 bytes, stores:   one pass per half-warp (lanes 0-15, 16-31)
//   16 bytes, stores:  one pass per quarter-warp (lanes 0-7, 8-15, ...)
//   8 bytes, loads:    one pass per half-warp; one for the whole warp if its lanes form pairs
//   16 bytes, loads:   one pass per quarter-warp; one per half-warp if the lanes form pairs
// The lanes form pairs if, for every active lane, the partner lane ^ 1 is inactive or accesses the same element; or if
// the same holds with lane ^ 2 as the partner of every lane.
// A pass takes as many wavefronts as the busiest bank has distinct words to serve; lanes that access the same word
// share it. A pass without active lanes costs nothing. script/bank-rules measures the patterns in
// bench/bank_patterns.hpp with Nsight Compute; a test compares the rules with the results
// (tests/golden/bank_patterns).
//
// Historic mode, 16 banks (cc 1.x): a half-warp at a time. Wider elements are compiled into 4-byte requests, one per
// word of the element (CUDA C Programming Guide 3.2, "Larger than 32-bit access": a double array read with stride one
// has two-way conflicts), so each half-warp makes 1, 2 or 4 passes. Words are shared by any number of lanes, as above;
// real cc 1.x hardware broadcasts only one word per wavefront.
#pragma once

#include <bit>
#include <cstdint>

namespace warptree::banks {

inline constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;

// How a request is split into passes.
struct PassRule {
    unsigned lanes; // consecutive lanes per pass
    unsigned parts; // passes per such group of lanes, one after another
    unsigned slots; // elements side by side across the banks: index % slots selects the banks
};

// Whether for every lane of `mask`, lane ^ `apart` is inactive or accesses the same element. apart: 1 or 2.
constexpr bool is_of_pairs(const std::uint32_t* index_by_lane, std::uint32_t mask, unsigned apart) {
    const std::uint32_t low = apart == 1 ? 0x55555555U : 0x33333333U; // lanes below their partner
    for (std::uint32_t rest = mask & (mask >> apart) & low; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (index_by_lane[lane] != index_by_lane[lane + apart]) {
            return false;
        }
    }
    return true;
}

// The unit that the banks serve: an element smaller than a word counts as the word that contains it.
constexpr std::uint32_t banked(std::uint32_t index, unsigned bytes) { return bytes < 4 ? index / (4 / bytes) : index; }

// index_by_lane: 32 element indices, as returned by banked(), read where `mask` is set; bytes: per element, 1, 2, 4, 8
// or 16; banks: 32 or 16.
constexpr PassRule pass_rule(const std::uint32_t* index_by_lane, std::uint32_t mask, unsigned bytes, int banks,
                             bool store) {
    const unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (banks == 16) {
        return {16, words, 16 / words};
    }
    const bool pairs =
        !store && words > 1 && (is_of_pairs(index_by_lane, mask, 1) || is_of_pairs(index_by_lane, mask, 2));
    return {(pairs ? 64 : 32) / words, 1, 32 / words};
}

// Maximum number of distinct indices in one slot, over the lanes of `mask`; `slots` is a power of two.
constexpr unsigned most_in_a_slot(const std::uint32_t* index_by_lane, std::uint32_t mask, unsigned slots) {
    if (mask == 0) {
        return 0;
    }
    // Evenly spaced indices, by far the most common, have a closed form.
    std::uint32_t rest = mask & (mask - 1);
    if (rest == 0) {
        return 1;
    }
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint32_t distance = index_by_lane[std::countr_zero(rest)] - index_by_lane[first];
    bool even = true;
    if (mask == kWholeWarp) {
        std::uint32_t off = 0;
        for (unsigned lane = 1; lane < 32; ++lane) {
            off |= (index_by_lane[lane] - index_by_lane[lane - 1]) ^ distance;
        }
        even = off == 0;
    } else {
        std::uint32_t expected = index_by_lane[first];
        for (; even && rest != 0; rest &= rest - 1) {
            expected += distance;
            even = index_by_lane[std::countr_zero(rest)] == expected;
        }
    }
    if (even) {
        if (distance == 0) {
            return 1;
        }
        // 32 steps of a distance that is a multiple of 2^27 could wrap around to an index seen before.
        if ((distance << 5) != 0) {
            const std::uint32_t common = distance & (~distance + 1); // largest power of two that divides it
            const unsigned period = common >= slots ? 1 : slots / common;
            return (static_cast<unsigned>(std::popcount(mask)) + period - 1) / period;
        }
    }

    // Per slot, a linked list of the lanes that added a distinct index.
    std::uint8_t newest[32] = {};
    std::uint8_t previous[32] = {};
    std::uint8_t count[32] = {};
    unsigned most = 0;
    for (rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t index = index_by_lane[lane];
        const unsigned slot = index & (slots - 1);
        unsigned met = newest[slot];
        unsigned left = count[slot];
        while (left != 0 && index_by_lane[met] != index) {
            met = previous[met];
            --left;
        }
        if (left == 0) {
            previous[lane] = newest[slot];
            newest[slot] = static_cast<std::uint8_t>(lane);
            ++count[slot];
            most = count[slot] > most ? count[slot] : most;
        }
    }
    return most;
}

constexpr std::uint32_t lanes_of_group(unsigned group, unsigned lanes) {
    return (lanes == 32 ? kWholeWarp : (1U << lanes) - 1U) << (group * lanes);
}

// Wavefronts of one shared-memory request; arguments as for pass_rule. 0 for an empty mask.
constexpr unsigned wavefronts(const std::uint32_t* index_by_lane, std::uint32_t mask, unsigned bytes, int banks,
                              bool store) {
    const PassRule rule = pass_rule(index_by_lane, mask, bytes, banks, store);
    unsigned sum = 0;
    for (unsigned group = 0; group * rule.lanes < 32; ++group) {
        sum += most_in_a_slot(index_by_lane, mask & lanes_of_group(group, rule.lanes), rule.slots);
    }
    return sum * rule.parts;
}

// Wavefronts that the same passes would take without conflicts: one per pass with active lanes, as no pass accesses
// more words than there are banks. Conflicts cost wavefronts - ideal_wavefronts.
constexpr unsigned ideal_wavefronts(const std::uint32_t* index_by_lane, std::uint32_t mask, unsigned bytes, int banks,
                                    bool store) {
    const PassRule rule = pass_rule(index_by_lane, mask, bytes, banks, store);
    unsigned passes = 0;
    for (unsigned group = 0; group * rule.lanes < 32; ++group) {
        passes += (mask & lanes_of_group(group, rule.lanes)) != 0 ? 1U : 0U;
    }
    return passes * rule.parts;
}

// Distinct 32-byte sectors of global memory that a request touches; element 0 starts a sector.
constexpr unsigned sectors(const std::uint32_t* index_by_lane, std::uint32_t mask, unsigned bytes) {
    const auto shift = static_cast<unsigned>(std::countr_zero(32U / bytes)); // log2 of the elements per sector
    if (mask == kWholeWarp) {
        // Ascending addresses, by far the most common: count the changes.
        std::uint32_t falls = 0;
        unsigned changes = 0;
        for (unsigned lane = 1; lane < 32; ++lane) {
            const std::uint32_t before = index_by_lane[lane - 1] >> shift;
            const std::uint32_t here = index_by_lane[lane] >> shift;
            falls |= here < before ? 1U : 0U;
            changes += here != before ? 1U : 0U;
        }
        if (falls == 0) {
            return changes + 1;
        }
    }
    std::uint32_t met[32] = {};
    unsigned count = 0;
    std::uint32_t highest = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint32_t sector = index_by_lane[std::countr_zero(rest)] >> shift;
        bool fresh = count == 0 || sector > highest; // ascending addresses need no search
        if (!fresh) {
            fresh = true;
            for (unsigned i = count; fresh && i-- != 0;) {
                fresh = met[i] != sector;
            }
        }
        if (fresh) {
            met[count++] = sector;
            highest = sector > highest ? sector : highest;
        }
    }
    return count;
}

} // namespace warptree::banks
