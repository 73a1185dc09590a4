// What is to be measured: the product of axes, each combination a configuration.
#pragma once

#include "app/measure/timing/launches.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::timing {

struct Axes {
    std::vector<std::string> variants; // strategies and peers
    std::vector<std::uint64_t> sizes;  // elements
    std::vector<ElementType> types{ElementType::i32};
    std::vector<std::uint32_t> blocks; // threads per block; empty: each strategy's default
    std::vector<std::uint32_t> grids;  // blocks, for strategies with a grid-stride loop; empty: each strategy's rule
    std::vector<std::uint32_t> grids_per_multiprocessor; // the same, in blocks per multiprocessor
    std::vector<Operator> ops{Operator::sum};
    std::vector<Finish> finishes; // empty: each strategy's own
    bool whole = false;           // if `finishes` is empty: only finishes that leave no partials to the host
    std::map<std::string, std::vector<std::uint32_t>> parameters; // by name, for strategies that have them
    std::vector<Mode> modes{Mode::cold};
    std::vector<Quantity> quantities{Quantity::kernel};
};

struct Planned {
    Configuration what;
    std::string skipped; // why it cannot be measured anywhere; empty: it can
};

// In the order of the axes, type and n outermost, each configuration once. Impossible ones are listed with the reason.
// `multiprocessors` is the default of the parameter for their number (sms). Throws OptionError for a variant that is
// neither strategy nor peer.
std::vector<Planned> plan(std::span<const Axes> axes, std::uint32_t multiprocessors);

// The finish with which the strategy yields one value, by itself or by relaunching; for a scan its only finish.
Finish whole_finish(const StrategyInfo& info);

// The strategies that can be timed: those that do not go wrong on purpose and are not a matrix product.
bool can_be_timed(const StrategyInfo& info);

} // namespace warptree::timing
