// The recorder's tables in canonical order.
#include "kernels/simt/phase_label.hpp"
#include "kernels/trace/recorder.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace warptree {

void Recorder::FullBlock::renumber(const std::vector<std::uint16_t>& steps, std::size_t count, unsigned warps) {
    std::vector<Masks> moved(count * warps);
    for (std::size_t id = 0; id * warps < masks.size(); ++id) {
        std::copy_n(masks.begin() + static_cast<std::ptrdiff_t>(id * warps), warps,
                    moved.begin() + static_cast<std::ptrdiff_t>(std::size_t{steps[id]} * warps));
    }
    masks = std::move(moved);
    const auto change = [&](std::uint16_t& step) { step = steps[step]; };
    std::for_each(nodes.leaves.begin(), nodes.leaves.end(), [&](auto& l) { change(l.step); });
    std::for_each(nodes.combines.begin(), nodes.combines.end(), [&](auto& c) { change(c.step); });
    std::for_each(outputs.begin(), outputs.end(), [&](auto& o) { change(o.step); });
    std::for_each(barriers.begin(), barriers.end(), [&](auto& b) { change(b.step); });
    std::for_each(requests.begin(), requests.end(), [&](auto& r) { change(r.request.step); });
    std::for_each(shuffles.begin(), shuffles.end(), [&](auto& s) { change(s.step); });
    std::for_each(stalls.begin(), stalls.end(), [&](auto& s) { change(s.step); });
    for (Hazard& h : hazards) {
        change(h.first_step);
        change(h.second_step);
    }
}

void Recorder::append(Recorder&& other) {
    std::vector<std::uint16_t> map(other.steps_.size());
    std::uint16_t last = 0;
    for (const std::uint16_t id : other.steps_.order()) {
        if (id != 0) {
            const StepTable::Entry& step = other.steps_[id];
            last = steps_.advance(last, step.kind, step.stride, step.phase);
        }
        map[id] = last;
    }
    if (steps_.size() > step_capacity_) {
        grow();
    }
    for (std::size_t id = 0; id < map.size(); ++id) {
        counters_[map[id]] += other.counters_[id];
    }
    stalled_blocks_ += other.stalled_blocks_;
    reads_partials_ = reads_partials_ || other.reads_partials_;
    reached_ = {reached_.leaves + other.reached_.leaves, std::max(reached_.depth, other.reached_.depth)};
    for (FullBlock& block : other.kept_) {
        block.renumber(map, steps_.size(), warps_);
        kept_.push_back(std::move(block));
    }
}

void Recorder::finish(Launch& launch) {
    launch.look_backs = look_backs_;
    const std::vector<std::uint16_t> order = steps_.order();
    write_steps(launch, order);
    std::vector<std::uint16_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        rank[order[i]] = static_cast<std::uint16_t>(i);
    }
    std::sort(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.block < b.block; });
    for (FullBlock& block : kept_) {
        block.renumber(rank, order.size(), warps_);
        write_block(launch, block);
    }
    write_nodes(launch, kept_);
    launch.stalled_blocks = stalled_blocks_;
    kept_.clear();
}

void Recorder::write_steps(Launch& launch, const std::vector<std::uint16_t>& order) const {
    std::map<std::pair<Phase, std::uint32_t>, unsigned> met;
    unsigned loads = 0, stores = 0;
    for (const std::uint16_t id : order) {
        Step step{steps_[id].kind, steps_[id].stride, "load", counters_[id], steps_[id].phase, {}};
        if (step.kind == StepKind::load && ++loads > 1) {
            step.label = reads_partials_ ? "load partials" : "load (" + std::to_string(loads) + ")";
        } else if (step.kind == StepKind::store) {
            step.label = ++stores == 1     ? "store"
                         : reads_partials_ ? "store total"
                                           : "store (" + std::to_string(stores) + ")";
        } else if (step.kind == StepKind::stage) {
            step.label = stage_label(step.phase, step.stride);
            if (const unsigned times = ++met[{step.phase, step.stride}]; times > 1) {
                step.label += " (" + std::to_string(times) + ")";
            }
        }
        launch.steps.push_back(std::move(step));
    }
}

void Recorder::write_block(Launch& launch, FullBlock& block) const {
    const std::size_t steps = launch.steps.size();
    std::vector<std::uint32_t> first_path(steps * warps_, 0);
    const Request* previous = nullptr;
    std::uint32_t previous_path = 0;
    for (const KeptRequest* kept : program_order(block.requests, block.sequences)) {
        Request r = kept->request;
        const bool same_warp = previous != nullptr && previous->step == r.step && previous->warp == r.warp;
        const bool same_path = same_warp && previous_path == kept->path;
        r.path = static_cast<std::uint16_t>(same_warp ? previous->path + (same_path ? 0 : 1) : 0);
        r.ordinal = static_cast<std::uint16_t>(same_path ? previous->ordinal + 1 : 0);
        const auto from = block.indices.begin() + r.first_index;
        r.first_index = static_cast<std::uint32_t>(launch.indices.size());
        launch.indices.insert(launch.indices.end(), from, from + std::popcount(r.mask));
        launch.requests.push_back(r);
        previous = &launch.requests.back();
        previous_path = kept->path;
        const Masks& m = block.masks[r.step * warps_ + r.warp];
        const std::uint32_t active = active_lanes(launch.steps[r.step].kind, m);
        if ((r.mask & active & (~active + 1)) != 0) {
            first_path[r.step * warps_ + r.warp] |= r.mask;
        }
    }
    for (std::size_t s = 0; s < steps; ++s) {
        for (unsigned w = 0; w < warps_; ++w) {
            const Masks& m = block.masks[s * warps_ + w];
            const StepKind kind = launch.steps[s].kind;
            const std::uint32_t active = active_lanes(kind, m), on_first = first_path[s * warps_ + w];
            const std::uint32_t other = kind == StepKind::stage ? m.beside_lowest()
                                        : on_first == 0         ? 0
                                                                : active & ~on_first;
            launch.warp_steps.push_back({existing_lanes(w), active, other});
        }
    }
    std::stable_sort(block.shuffles.begin(), block.shuffles.end(), [](const Shuffle& a, const Shuffle& b) {
        return std::tuple(a.step, a.warp) < std::tuple(b.step, b.warp);
    });
    launch.shuffles.insert(launch.shuffles.end(), block.shuffles.begin(), block.shuffles.end());
    launch.barriers.insert(launch.barriers.end(), block.barriers.begin(), block.barriers.end());
    std::sort(block.hazards.begin(), block.hazards.end(), [](const Hazard& a, const Hazard& b) {
        return std::tuple(a.second_step, a.space, a.word) < std::tuple(b.second_step, b.space, b.word);
    });
    launch.hazards.insert(launch.hazards.end(), block.hazards.begin(), block.hazards.end());
    std::stable_sort(block.stalls.begin(), block.stalls.end(), [](const Stall& a, const Stall& b) {
        return std::tuple(a.step, a.warp) < std::tuple(b.step, b.warp);
    });
    launch.stalls.insert(launch.stalls.end(), block.stalls.begin(), block.stalls.end());
}

void Recorder::write_nodes(Launch& launch, const std::vector<FullBlock>& blocks) {
    const auto by_place = [](const auto& items) {
        std::vector<std::uint32_t> order(items.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::tuple(items[a].step, items[a].thread) < std::tuple(items[b].step, items[b].thread);
        });
        return order;
    };
    std::vector<std::vector<std::uint32_t>> leaf_ids, combine_ids, combine_orders; // per block: new index by old one
    for (const FullBlock& b : blocks) {
        auto& ids = leaf_ids.emplace_back(b.nodes.leaves.size());
        for (const std::uint32_t i : by_place(b.nodes.leaves)) {
            const BlockNodes::Leaf& l = b.nodes.leaves[i];
            ids[i] = static_cast<std::uint32_t>(launch.nodes.size());
            launch.nodes.push_back({l.kind, l.useful, l.step, l.thread, b.block, kNone, kNone, l.element, l.detail.word,
                                    l.detail.line, l.detail.bits});
        }
    }
    auto next = static_cast<std::uint32_t>(launch.nodes.size());
    for (const FullBlock& b : blocks) {
        auto& ids = combine_ids.emplace_back(b.nodes.combines.size());
        for (const std::uint32_t i : combine_orders.emplace_back(by_place(b.nodes.combines))) {
            ids[i] = next++;
        }
    }
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const FullBlock& b = blocks[k];
        const auto index = [&](NodeRef ref) {
            return ref >= kIdentityRef ? kNone : is_leaf(ref) ? leaf_ids[k][ref & ~kLeafBit] : combine_ids[k][ref];
        };
        for (const std::uint32_t i : combine_orders[k]) {
            const BlockNodes::Combine& c = b.nodes.combines[i];
            const BlockNodes::Detail& d = b.nodes.details[i];
            const bool padding = c.operation == BlockNodes::Operation::padding;
            const bool product = c.operation == BlockNodes::Operation::product;
            launch.nodes.push_back({product ? NodeKind::product : NodeKind::combine, c.useful && !padding, c.step,
                                    c.thread, b.block, index(c.left), index(c.right), kNone, d.word, d.line, d.bits,
                                    padding});
        }
        std::vector<PendingOutput> outputs = b.outputs;
        std::stable_sort(outputs.begin(), outputs.end(), [](const PendingOutput& x, const PendingOutput& y) {
            return std::tuple(x.step, x.thread) < std::tuple(y.step, y.thread);
        });
        for (const PendingOutput& o : outputs) {
            launch.outputs.push_back(
                {b.block, o.step, o.thread, o.to == OutputTo::atomic_total, o.index, index(o.value.node), o.line});
        }
    }
}

} // namespace warptree
