#include "app/theory/occupancy.hpp"

#include <algorithm>

namespace warptree::theory {

namespace {
constexpr std::uint32_t kLanes = 32;

template <class T> T rounded_up(T value, T granule) { return (value + granule - 1) / granule * granule; }

std::uint32_t by_registers(const DeviceLimits& d, std::uint32_t registers, std::uint32_t warps) {
    if (d.register_unit == RegisterUnit::block) {
        const std::uint32_t block =
            rounded_up(rounded_up(warps, d.warp_granule) * kLanes * registers, d.register_granule);
        return d.registers / block;
    }
    const std::uint32_t warp = rounded_up(registers * kLanes, d.register_granule);
    // A multiprocessor has warp_granule partitions; a warp's registers all come from one.
    // Whether a block can launch at all is decided as if all Pascal devices had four partitions; cc 6.0 has two.
    const std::uint32_t parts = d.major == 6 ? 4 : d.warp_granule;
    if (warp * rounded_up(warps, parts) > d.registers_per_block) {
        return 0;
    }
    return d.registers / d.warp_granule / warp * d.warp_granule / warps;
}

std::uint32_t by_shared(const DeviceLimits& d, std::uint64_t bytes, std::uint32_t without) {
    const std::uint64_t block = rounded_up<std::uint64_t>(bytes + d.shared_reserved, d.shared_granule);
    return block == 0 ? without : static_cast<std::uint32_t>(d.shared / block);
}

std::string_view why_not(const DeviceLimits& d, const KernelNeeds& k) {
    return k.threads > d.threads_per_block        ? "a block has more threads than the device allows"
           : k.registers > d.registers_per_thread ? "a thread needs more registers than the device allows"
           : k.shared > d.shared_per_block        ? "a block needs more shared memory than the device allows"
                                                  : std::string_view{};
}
} // namespace

std::string_view name(Limit limit) {
    constexpr std::string_view kNames[]{"threads", "warps", "blocks", "registers", "shared memory"};
    return kNames[static_cast<std::size_t>(limit)];
}

Occupancy occupancy(const DeviceLimits& d, const KernelNeeds& k) {
    Occupancy result;
    const std::uint32_t warps = (std::max(1U, k.threads) + kLanes - 1) / kLanes;
    result.limits = {{Limit::threads, d.threads / (warps * kLanes)},
                     {Limit::warps, d.warps / warps},
                     {Limit::blocks, d.blocks},
                     {Limit::registers, by_registers(d, std::max(1U, k.registers), warps)},
                     {Limit::shared, by_shared(d, k.shared, d.blocks)}};
    result.why_none = why_not(d, k);
    if (result.why_none.empty()) {
        result.blocks = std::min_element(result.limits.begin(), result.limits.end(), [](auto& a, auto& b) {
                            return a.blocks < b.blocks;
                        })->blocks;
    }
    if (result.why_none.empty() && result.blocks == 0) {
        result.why_none = "one block needs more registers than the device allows";
    }
    for (const LimitedBlocks& l : result.limits) {
        // A block without shared memory is not limited by it.
        if (result.blocks > 0 && l.blocks == result.blocks &&
            !(l.limit == Limit::shared && k.shared + d.shared_reserved == 0)) {
            result.binding.push_back(l.limit);
        }
    }
    result.warps = result.blocks * warps;
    result.threads = result.blocks * k.threads;
    result.fraction = static_cast<double>(result.warps) / d.warps;
    return result;
}

std::uint64_t capacity(const DeviceLimits& d, Limit limit) {
    switch (limit) {
    case Limit::threads: return d.threads;
    case Limit::warps: return d.warps;
    case Limit::blocks: return d.blocks;
    case Limit::registers: return d.registers;
    case Limit::shared: break;
    }
    return d.shared;
}

std::uint64_t taken_by_block(const DeviceLimits& d, const KernelNeeds& k, Limit limit) {
    const std::uint32_t warps = (std::max(1U, k.threads) + kLanes - 1) / kLanes, registers = std::max(1U, k.registers);
    switch (limit) {
    case Limit::threads: return std::uint64_t{warps} * kLanes;
    case Limit::warps: return warps;
    case Limit::blocks: return 1;
    case Limit::registers:
        return d.register_unit == RegisterUnit::block
                   ? rounded_up(rounded_up(warps, d.warp_granule) * kLanes * registers, d.register_granule)
                   : std::uint64_t{rounded_up(registers * kLanes, d.register_granule)} * warps;
    case Limit::shared: break;
    }
    return rounded_up<std::uint64_t>(k.shared + d.shared_reserved, d.shared_granule);
}

} // namespace warptree::theory
