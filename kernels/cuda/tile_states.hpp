// Where the blocks of a launch tell each other what stands before a tile: memory behind the output, all zero before the
// launch. The ticket's counter, then by tile a flag, the aggregate and the inclusive prefix.
#pragma once

#include "kernels/simt/host_device.hpp"

#include <cstdint>

namespace warptree::cuda {

enum TileFlag : std::uint32_t { nothing_yet = 0, aggregate_there = 1, prefix_there = 2 };

// Offsets in bytes from the output.
struct TileLayout {
    std::uint64_t counter, flags, aggregates, prefixes, end;

    WARPTREE_HD static TileLayout make(std::uint64_t n, std::uint64_t tiles, std::uint64_t element_bytes) {
        TileLayout l{};
        l.counter = aligned(n * element_bytes);
        l.flags = l.counter + 16;
        l.aggregates = l.flags + aligned(tiles * sizeof(std::uint32_t));
        l.prefixes = l.aggregates + aligned(tiles * element_bytes);
        l.end = l.prefixes + aligned(tiles * element_bytes);
        return l;
    }

  private:
    WARPTREE_HD static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }
};

} // namespace warptree::cuda
