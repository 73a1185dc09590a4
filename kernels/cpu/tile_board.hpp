// What the blocks of a launch tell each other by tile, for kernels that look back.
//
// The interpreter runs such a launch on one thread, tile after tile, and lets a tile see what it would if kResident
// tiles were at work at a time and advanced together: all publish their aggregates, then all look back, then all publish
// their prefixes. Tile kResident * q + r thus reads r aggregates and then the prefix of tile kResident * q - 1; the first
// tile has a prefix from the start. The rule
// needs no clock: the same input gives the same trace, whatever the number of workers.
#pragma once

#include <cstdint>
#include <vector>

namespace warptree::cpu {

struct Published {
    std::uint64_t bits = 0;
    std::uint32_t depth = 0; // combines on the longest path to it
    bool there = false;
};

class TileBoard {
  public:
    static constexpr std::uint32_t kResident = 4;

    // `look_backs`: by tile, how many aggregates it reads before a prefix, as recorded elsewhere; empty: by the rule.
    TileBoard(std::uint32_t tiles, const std::vector<std::uint32_t>& look_backs)
        : aggregates_(tiles), prefixes_(tiles), look_backs_(look_backs) {}
    void publish(std::uint32_t tile, bool is_prefix, std::uint64_t bits, std::uint32_t depth) {
        (is_prefix ? prefixes_ : aggregates_)[tile] = {bits, depth, true};
    }
    // Whether `reader` sees the prefix of the earlier `tile`, and not only its aggregate.
    bool sees_prefix(std::uint32_t reader, std::uint32_t tile) const {
        if (reader < look_backs_.size()) {
            return reader - tile > look_backs_[reader];
        }
        return tile / kResident < reader / kResident || !aggregates_[tile].there;
    }
    const Published& at(std::uint32_t tile, bool is_prefix) const {
        return (is_prefix ? prefixes_ : aggregates_)[tile];
    }

  private:
    std::vector<Published> aggregates_, prefixes_;
    const std::vector<std::uint32_t>& look_backs_;
};

} // namespace warptree::cpu
