#include "app/measure/clocks/step_marks.hpp"

#include <algorithm>
#include <set>

namespace warptree::clocks {

StepMarks::StepMarks(const Launch& launch)
    : first_(launch.window_first), blocks_(launch.window_count), warps_(launch.warps()),
      all_(std::size_t{blocks_} * warps_) {
    const auto at = [&](std::uint32_t block, std::uint32_t warp) -> OfWarp& {
        return all_[std::size_t{block - first_} * warps_ + warp];
    };
    std::set<std::uint32_t> touching; // lines of requests, shuffles, votes; elsewhere a __syncwarp is the kernel's own
    for (const Request& request : launch.requests) {
        touching.insert(request.line.packed);
    }
    for (const Shuffle& shuffle : launch.shuffles) {
        touching.insert(shuffle.line.packed);
    }
    for (const Vote& vote : launch.votes) {
        touching.insert(vote.line.packed);
    }
    std::vector<int> last(all_.size(), -1); // step of the previous mark
    for (const WarpBarrier& mark : launch.warp_barriers) {
        if (touching.count(mark.line.packed) == 0) {
            continue;
        }
        at(mark.block, mark.warp).lines[mark.line.packed].push_back(mark.step);
        int& before = last[std::size_t{mark.block - first_} * warps_ + mark.warp];
        const bool known = std::find(beginnings_.begin(), beginnings_.end(), mark.line.packed) != beginnings_.end();
        if (before >= 0 && before != mark.step && !known) {
            beginnings_.push_back(mark.line.packed);
        }
        before = mark.step;
    }
    const auto begins = [&](std::uint32_t block, std::uint32_t warp, std::uint16_t step) {
        std::optional<std::uint16_t>& first = at(block, warp).first;
        first = first ? std::min(*first, step) : step;
    };
    for (const Request& request : launch.requests) {
        begins(request.block, request.warp, request.step);
    }
    for (const Shuffle& shuffle : launch.shuffles) {
        begins(shuffle.block, shuffle.warp, shuffle.step);
    }
    for (const Arrival& arrival : launch.arrivals) {
        const Barrier& barrier = launch.barriers[arrival.barrier];
        at(barrier.block, arrival.warp).barriers.push_back(barrier.step);
        begins(barrier.block, arrival.warp, barrier.step);
    }
}

const StepMarks::OfWarp* StepMarks::of(std::uint32_t block, std::uint32_t warp) const {
    if (blocks_ == 0 || warp >= warps_) {
        return nullptr;
    }
    const std::uint32_t kept = block >= first_ && block - first_ < blocks_ ? block - first_ : blocks_ - 1;
    return &all_[std::size_t{kept} * warps_ + warp];
}

std::vector<std::uint32_t> StepMarks::beginnings() const { return beginnings_; }

} // namespace warptree::clocks
