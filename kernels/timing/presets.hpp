// Plans with a name: the tables and curves that courses and this program show.
#pragma once

#include "kernels/timing/plan.hpp"

namespace warptree::timing {

struct Preset {
    std::string_view name; // "ladder"
    std::string_view what; // one phrase
    std::vector<Axes> (*axes)();
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);
// The peers that belong beside these variants: the vendor's reduction or scan, and always copy and read.
std::vector<std::string> peers_of(std::span<const std::string> variants);

} // namespace warptree::timing
