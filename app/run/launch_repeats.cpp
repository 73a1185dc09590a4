#include "app/run/launch_repeats.hpp"

#include <algorithm>
#include <utility>

namespace warptree::runs {

namespace {
bool has(const std::vector<bool>& set, std::uint32_t array) { return array < set.size() && set[array]; }
} // namespace

const LaunchRepeats::Made* LaunchRepeats::find(const Asked& asked) const {
    const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) { return m.asked == asked; });
    return found == made_.end() ? nullptr : &*found;
}

void LaunchRepeats::add(Made made) {
    const simt::Touched& t = made.touched;
    for (std::uint32_t array = 0; array < t.stored.size(); ++array) {
        if (t.stored[array] && has(t.loaded, array)) { // the next one reads something else
            return;
        }
    }
    if (made_.size() == kMost) {
        made_.pop_front();
    }
    made_.push_back(std::move(made));
}

void LaunchRepeats::wrote(std::uint32_t array) {
    made_.erase(
        std::remove_if(made_.begin(), made_.end(),
                       [&](const Made& m) { return has(m.touched.loaded, array) || has(m.touched.stored, array); }),
        made_.end());
}

} // namespace warptree::runs
