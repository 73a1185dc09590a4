// Where the blocks of a launch tell each other what stands before a tile: memory behind the output, all zero before the
// first launch. A counter, then a word a tile, of twice the element's size: a value and the flag that says which.
//
// The counter holds the tiles drawn so far and, above them, how many launches went before on this memory: a flag of an
// earlier launch says nothing, so that no launch has to clear what the one before it left.
#pragma once

#include "app/base/host_device.hpp"

#include <cstdint>

namespace warptree::cuda {

// Offsets in bytes from the output.
struct TileLayout {
    static constexpr std::uint64_t kApart = 256; // bytes: who polls the first words does not hold up who draws
    std::uint64_t counter, words, end;

    WARPTREE_HD static TileLayout make(std::uint64_t n, std::uint64_t tiles, std::uint64_t element_bytes) {
        TileLayout l{};
        l.counter = (n * element_bytes + 15) / 16 * 16;
        l.words = l.counter + kApart;
        l.end = l.words + tiles * 2 * element_bytes;
        return l;
    }
};

} // namespace warptree::cuda
