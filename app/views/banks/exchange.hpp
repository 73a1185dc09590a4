// A warp's accesses other than shared memory: shuffles from lane to lane, global requests as 32-byte sectors.
#pragma once

#include "app/views/views.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree::scene {

// Shown for a warp without an exchange in the step: its lanes, and what the other warps of the block do.
Drawing draw_idle_warp(const ViewContext& context, Rect area, std::uint32_t block, std::uint32_t warp);

// Where one lane gets its value from in a shuffle.
struct LaneSource {
    enum class Kind : std::uint8_t {
        absent,    // the lane does not participate
        lane,      // from `lane`
        own,       // the source is out of range: the lane keeps its own value
        not_there, // the source lane does not participate: the value is undefined
        all        // a reduction: from every lane of the mask
    } kind = Kind::absent;
    unsigned lane = 0;
    friend bool operator==(const LaneSource&, const LaneSource&) = default;
};
// By lane, after the CUDA C++ Programming Guide, "Warp Shuffle Functions": the warp is split into segments of `width`
// lanes, a power of two from 1 to 32; up and down stay within one. Recorded source lanes take precedence.
std::array<LaneSource, kWarpSize> shuffle_sources(const Launch& launch, const Shuffle& shuffle);

// The sectors of a global request, and the words of one to constant memory or of an atomic.
struct SectorPlan {
    static constexpr unsigned kBytes = 32;
    struct Sector {
        std::uint64_t index = 0;   // byte address / 32, from the beginning of the array
        std::uint32_t touched = 0; // bytes: bit i stands for byte i of the sector
    };
    std::vector<Sector> sectors; // by index, unique
    std::array<std::uint32_t, kWarpSize> element{};
    unsigned ideal = 0;      // the fewest sectors that could hold the used bytes
    unsigned used_bytes = 0; // bytes of the sectors that lanes access
    unsigned words = 0;      // different ones that lanes access, by their first byte
    unsigned most = 0;       // lanes that access the word that most access
};
SectorPlan make_sector_plan(const Launch& launch, const Request& request);

// What an exchange is of, as not all ask banks: "Shuffle", "Global memory", "Constant memory", "Bank conflicts"; of kNone the last.
const char* exchange_heading(const Launch& launch, std::uint32_t exchange);
// Like draw_banks, for one exchange; it must be a shuffle or a global request.
void add_exchange(const ViewContext& context, const Launch& launch, std::uint32_t launch_id, std::uint32_t exchange,
                  Rect area, Drawing& drawing);

} // namespace warptree::scene
