#include "kernels/launch.hpp"

#include "kernels/reduce/last_block_finish.hpp"

#include <algorithm>

namespace warptree {

std::uint32_t shared_elements(std::uint32_t of_strategy, const LaunchRequest& request) {
    return *request.options.finish == Finish::last_block
               ? std::max(of_strategy, last_block_words(request.geometry.block))
               : of_strategy;
}

LaunchRequest make_launch(const RunOptions& options, const Elements& input, const std::vector<PartialMeta>* partials) {
    const StrategyInfo& info = require_strategy(options.strategy);
    const bool later = partials != nullptr && info.relaunch_block != 0;
    const Geometry geometry{input.size(), later ? info.relaunch_block : *options.block,
                            arguments(info, options.parameters, options.n), bytes(options.type)};
    return {options,
            input,
            partials,
            geometry,
            static_cast<std::uint32_t>(grid_for(info, geometry)),
            outputs_for(info, geometry)};
}

} // namespace warptree
