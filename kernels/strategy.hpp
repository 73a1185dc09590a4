// The strategies there are, and what follows from what each states about itself.
#pragma once

#include "app/base/options.hpp"
#include "kernels/strategy_info.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree {

std::string_view title(Family family); // "Shared memory", "Shuffles and atomics", "Scans", "What goes wrong"
std::string_view name(Family family);  // "shared-memory", "shuffle-atomic", "scan", "exhibit"

// All strategies, in curriculum order.
std::span<const StrategyInfo> strategies();
// nullptr when there is none of that id.
const StrategyInfo* find_strategy(std::string_view id);
// Like find_strategy, but throws OptionError that names the nearest ids.
const StrategyInfo& require_strategy(std::string_view id);

std::string limits(const StrategyInfo& info); // "block: power of two, 64 to 1024; finish: host, relaunch, atomic"
std::vector<Finish> finishes(const StrategyInfo& info);
// The strategy's parameters, asked for or default; `n` is the request's, for those it stands in for (Parameter::as_n).
// Throws OptionError for one it does not have or out of range.
Arguments arguments(const StrategyInfo& info, const ParameterValues& asked, std::uint64_t n);
// Elements of the input of resolved options.
std::uint64_t inputs_for(const RunOptions& options);
// Those of `values` that the strategy has and that are in range, for a change of strategy.
ParameterValues parameters_of(const StrategyInfo& info, const ParameterValues& values);
// Whether the output is a scan, of tiles or of the whole.
inline bool is_scan(const StrategyInfo& info) {
    return info.answer == Answer::block_scan || info.answer == Answer::scan;
}
// Elements a block puts out.
std::uint32_t outputs_per_block(const StrategyInfo& info, const Geometry& geometry);
// Blocks of a launch; 64 bits, as a request may ask for more than a grid holds.
std::uint64_t grid_for(const StrategyInfo& info, const Geometry& geometry);
// Partials that relaunching leaves to the host: host_below, or what one block puts out where that is more.
std::uint64_t left_for_host(const StrategyInfo& info, const Geometry& geometry, const RunOptions& options);
std::uint64_t outputs_for(const StrategyInfo& info, const Geometry& geometry);
// Tiles of a launch that looks back: what a block puts out at a time, of which a block may have several.
std::uint64_t tiles_for(const StrategyInfo& info, const Geometry& geometry);

// Why `options` cannot run, as one line with what would work; nothing when it can. The strategy must exist.
std::optional<std::string> refusal(const RunOptions& options);
// The options with every default filled in. Throws OptionError when refused.
RunOptions resolve(RunOptions options);

} // namespace warptree
