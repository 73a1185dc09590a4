#include "app/features/explore/seen.hpp"

#include <algorithm>
#include <utility>

namespace warptree::session {

namespace {
// Keeps the records up to step `last`, in their order.
template <class T> void drop_later(std::vector<T>& all, std::uint32_t last) {
    std::erase_if(all, [last](const T& it) { return it.step > last; });
}

// By row, which one it is without the later ones; kNone: it is one of them.
template <class T> std::vector<std::uint32_t> moved_rows(const std::vector<T>& all, std::uint32_t last) {
    std::vector<std::uint32_t> moved;
    std::uint32_t kept = 0;
    for (const T& it : all) {
        moved.push_back(it.step <= last ? kept++ : kNone);
    }
    return moved;
}

void drop_later_barriers(Launch& launch, std::uint32_t last) {
    const std::vector<std::uint32_t> moved = moved_rows(launch.barriers, last);
    for (Arrival& a : launch.arrivals) {
        a.barrier = a.barrier < moved.size() ? moved[a.barrier] : kNone;
    }
    std::erase_if(launch.arrivals, [](const Arrival& a) { return a.barrier == kNone; });
    drop_later(launch.barriers, last);
}

std::vector<WarpStep> warp_steps_of(const Launch& launch, std::uint32_t last, std::size_t steps) {
    std::vector<WarpStep> all;
    all.reserve(launch.window_count * steps * launch.warps());
    for (std::uint32_t block = launch.window_first; block - launch.window_first < launch.window_count; ++block) {
        for (std::uint32_t step = 0; step < steps; ++step) {
            for (unsigned warp = 0; warp < launch.warps(); ++warp) {
                const WarpStep& it = launch.warp_step(block, std::min(step, last), warp);
                all.push_back(step <= last ? it : WarpStep{it.existing, 0, 0});
            }
        }
    }
    return all;
}

// Operands come before their results, so that none is dropped that is still needed.
void drop_later_nodes(Launch& launch, std::uint32_t last) {
    std::vector<std::uint32_t> moved(launch.nodes.size(), kNone);
    std::vector<Node> kept;
    for (std::size_t i = 0; i < launch.nodes.size(); ++i) {
        if (launch.nodes[i].step <= last) {
            moved[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(launch.nodes[i]);
        }
    }
    const auto place = [&](std::uint32_t node) { return node < moved.size() ? moved[node] : kNone; };
    for (Node& node : kept) {
        node.left = place(node.left);
        if (has_operands(node.kind)) {
            node.right_or_element = place(node.right());
        }
    }
    launch.nodes = std::move(kept);
    for (Output& output : launch.outputs) {
        output.node = place(output.node);
    }
}

void drop_later_requests(Launch& launch, std::uint32_t last) {
    const std::vector<std::uint32_t> moved = moved_rows(launch.requests, last);
    for (StoredLanes& s : launch.stored) {
        s.request = moved[s.request];
    }
    std::erase_if(launch.stored, [](const StoredLanes& s) { return s.request == kNone; });
    std::vector<std::uint64_t> values;
    for (StoredLanes& s : launch.stored) {
        const auto from = launch.stored_values.begin() + s.first_value;
        s.first_value = static_cast<std::uint32_t>(values.size());
        values.insert(values.end(), from, from + kept_numbers(s.shape, s.mask));
    }
    launch.stored_values = std::move(values);
    drop_later(launch.requests, last);
}

void cut(Launch& launch, std::uint32_t last, Later later) {
    std::vector<Step> steps(launch.steps.begin(), launch.steps.begin() + last + 1);
    if (later == Later::one) {
        steps.push_back({.kind = StepKind::store, .label = "?", .counters = {}, .purpose = {}});
    } else {
        for (std::size_t i = steps.size(); i < launch.steps.size(); ++i) {
            steps.push_back(launch.steps[i]);
            steps.back().counters = {};
            steps.back().purpose.clear();
        }
    }
    launch.warp_steps = warp_steps_of(launch, last, steps.size());
    launch.steps = std::move(steps);
    drop_later_requests(launch, last);
    drop_later(launch.shuffles, last);
    drop_later(launch.outputs, last);
    drop_later_barriers(launch, last);
    drop_later(launch.stalls, last);
    std::erase_if(launch.hazards, [last](const Hazard& h) { return std::max(h.first_step, h.second_step) > last; });
    drop_later_nodes(launch, last);
    launch.partials.clear();
    launch.stalled_blocks = 0;
}
} // namespace

Seen seen_until(std::shared_ptr<const Trace> trace, std::uint32_t launch, std::uint32_t step, Later later) {
    if (launch + 1 == trace->launches.size() && step + 1 == trace->launches[launch].steps.size() &&
        trace->host_partials < 2) {
        return {std::move(trace), kNone};
    }
    auto seen = std::make_shared<Trace>();
    seen->options = trace->options;
    seen->producer = trace->producer;
    seen->device = trace->device;
    seen->kernel = trace->kernel;
    seen->sources = trace->sources;
    seen->launches.assign(trace->launches.begin(), trace->launches.begin() + launch + 1);
    seen->result = seen->reference = {trace->result.type, 0};
    seen->pass = true;
    cut(seen->launches.back(), step, later);
    return {std::move(seen), step + 1};
}

} // namespace warptree::session
