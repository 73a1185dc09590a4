#include "app/run/program/launch_repeats.hpp"

#include <algorithm>
#include <utility>

namespace warptree::runs {

namespace {
bool has(const std::vector<bool>& set, std::uint32_t array) { return array < set.size() && set[array]; }
} // namespace

const LaunchRepeats::Made* LaunchRepeats::repeat(const Asked& asked, simt::Memory& memory) {
    const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) { return m.asked == asked; });
    if (found == made_.end()) {
        return nullptr;
    }
    for (const auto& [array, bytes] : found->touched.before) {
        if (!std::equal(bytes.begin(), bytes.end(), memory[array].data()) ||
            !memory[array].initialised(0, bytes.size())) {
            return nullptr;
        }
    }
    for (const auto& [array, bytes] : found->after) {
        std::copy(bytes.begin(), bytes.end(), memory[array].data());
        wrote(array); // which leaves this one
    }
    return &*found;
}

void LaunchRepeats::add(Made made) {
    const simt::Touched& t = made.touched;
    made_.remove_if([&](const Made& m) { return m.asked == made.asked; });
    for (std::uint32_t array = 0; array < t.stored.size(); ++array) {
        if (t.stored[array] && has(t.loaded, array) && !t.before.contains(array)) { // the next one reads something else
            return;
        }
    }
    if (made_.size() == kMost) {
        made_.pop_front();
    }
    made_.push_back(std::move(made));
}

void LaunchRepeats::wrote(std::uint32_t array) {
    made_.remove_if([&](const Made& m) {
        return (has(m.touched.loaded, array) || has(m.touched.stored, array)) && !m.touched.before.contains(array);
    });
}

} // namespace warptree::runs
