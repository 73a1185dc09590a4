// What a launch needs of device memory for its output.
#pragma once

#include "kernels/cuda/tile_states.hpp"
#include "kernels/launch.hpp"

namespace warptree::cuda {

// Of `outputs` elements, and of what lies behind them for blocks that look back. All zero before each launch.
inline std::uint64_t output_bytes(const LaunchRequest& request, std::uint64_t outputs) {
    const RunOptions& o = request.options;
    const StrategyInfo& info = require_strategy(o.strategy);
    return info.looks_back ? TileLayout::make(outputs, tiles_for(info, request.geometry), bytes(o.type)).end
                           : outputs * bytes(o.type);
}

} // namespace warptree::cuda
