#include "app/views/thread_of.hpp"

#include <algorithm>

namespace warptree::scene {

std::uint32_t thread_of(const Launch& launch, const Target& target) {
    std::uint32_t thread = kNone;
    if (target.kind == Target::Kind::thread) {
        thread = target.index;
    } else if (target.kind == Target::Kind::node && target.index < launch.nodes.size()) {
        const Node& node = launch.nodes[target.index];
        const auto stores = [&](const Output& o) {
            return o.node == target.index && o.step == target.step && o.block == target.block;
        };
        const auto output =
            node.step == target.step ? launch.outputs.end() : std::ranges::find_if(launch.outputs, stores);
        thread = output == launch.outputs.end() ? node.thread : output->thread;
    }
    return thread < launch.block ? thread : kNone;
}

} // namespace warptree::scene
