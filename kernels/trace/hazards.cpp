#include "kernels/trace/hazards.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warptree {

namespace {
bool races(const SharedAccess& a, const SharedAccess& b) {
    if (a.thread == b.thread || (!a.writes && !b.writes)) {
        return false;
    }
    const bool ordered = a.thread / kWarpSize == b.thread / kWarpSize && a.warp_epoch != b.warp_epoch;
    return !ordered;
}
// Of two lanes with a shuffle between, the one that touches the word before it is the first.
Hazard hazard(std::uint32_t block, SharedAccess first, SharedAccess second) {
    const bool across = first.thread / kWarpSize == second.thread / kWarpSize && first.shuffles != second.shuffles;
    if (across && first.step == second.step && second.shuffles < first.shuffles) {
        std::swap(first, second);
    }
    return {block,        second.word,   first.step, first.thread, second.step,         second.thread,
            first.writes, second.writes, first.line, second.line,  MemorySpace::shared, across};
}
} // namespace

void HazardFinder::end_interval(std::uint32_t block, const StepTable& steps, std::vector<Hazard>& found) {
    ++generation_;
    bool suspicious = false;
    for (const SharedAccess& a : log_) {
        if (a.word >= shadow_.size()) {
            shadow_.resize(a.word + 1U);
        }
        Shadow& s = shadow_[a.word];
        if (s.generation != generation_) {
            s = {generation_, a.thread, false, a.writes};
            continue;
        }
        s.several |= s.thread != a.thread;
        s.written |= a.writes;
        suspicious |= s.several && s.written;
    }
    if (suspicious) {
        std::vector<std::uint16_t> rank(steps.size());
        const auto order = steps.order();
        for (std::size_t i = 0; i < order.size(); ++i) {
            rank[order[i]] = static_cast<std::uint16_t>(i);
        }
        suspects_.clear();
        for (const SharedAccess& a : log_) {
            if (shadow_[a.word].several && shadow_[a.word].written) {
                suspects_.push_back(a);
            }
        }
        std::sort(suspects_.begin(), suspects_.end(), [&](const SharedAccess& a, const SharedAccess& b) {
            return std::tuple(a.word, rank[a.step], a.thread, a.writes, a.warp_epoch, a.shuffles, a.line) <
                   std::tuple(b.word, rank[b.step], b.thread, b.writes, b.warp_epoch, b.shuffles, b.line);
        });
        for (auto it = suspects_.cbegin(); it != suspects_.cend();) {
            const auto end = std::find_if(it, suspects_.cend(), [&](const auto& a) { return a.word != it->word; });
            check_word(block, it, end, rank, found);
            it = end;
        }
    }
    log_.clear();
}

void HazardFinder::check_word(std::uint32_t block, std::vector<SharedAccess>::const_iterator begin,
                              std::vector<SharedAccess>::const_iterator end, const std::vector<std::uint16_t>& rank,
                              std::vector<Hazard>& found) const {
    for (auto later = begin; later != end;) {
        const auto step_end = std::find_if(later, end, [&](const auto& a) { return a.step != later->step; });
        [&] {
            for (auto second = later; second != step_end; ++second) {
                for (auto first = second; first-- != begin;) { // the nearest one before
                    if (races(*first, *second)) {
                        found.push_back(hazard(block, *first, *second));
                        return;
                    }
                }
            }
        }();
        later = step_end;
    }
    (void)rank;
}

} // namespace warptree
