// Named plans: the tables and curves that courses and this program show.
#pragma once

#include "app/measure/timing/plan.hpp"

#include <array>

namespace warptree::timing {

struct Preset {
    std::string_view name; // "ladder"
    std::string_view what; // one phrase
    std::vector<Axes> (*axes)();
};

// Further grids for grid-stride kernels, in blocks per multiprocessor: the 64 blocks of 2007 were four, and sixteen of
// 128 threads fill a multiprocessor of today.
inline constexpr std::array<std::uint32_t, 2> kGridsPerMultiprocessor{4, 16};
// The block sizes compared, if the strategy supports them.
inline constexpr std::array<std::uint32_t, 4> kComparedBlocks{128, 256, 512, 1024};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);
// The peers that belong beside these variants: the vendor's reduction or scan, and always copy and read.
std::vector<std::string> peers_of(std::span<const std::string> variants);

} // namespace warptree::timing
