#include "app/measure/timing/launches.hpp"

#include <algorithm>
#include <bit>

namespace warptree::timing {

namespace {
// Strategies that never shrink their input were refused before; this ends the loop in any case.
constexpr std::size_t kMostLaunches = 64;

} // namespace

bool is_known_peer(std::string_view variant) {
    return std::find(kPeers.begin(), kPeers.end(), variant) != kPeers.end();
}

std::vector<KernelLaunch> launches(const Configuration& what) {
    const StrategyInfo& info = require_strategy(what.variant);
    LaunchSize g{what.n, what.block != 0 ? what.block : info.default_block, what.type,
                 arguments(info, what.parameters, what.n)};
    std::vector<KernelLaunch> all;
    do {
        KernelLaunch l{g.n, g.block, static_cast<std::uint32_t>(grid_for(info, g)), outputs_for(info, g)};
        if (all.empty() && what.grid != 0) {
            l.grid = what.grid;
            l.outputs = std::uint64_t{what.grid} * outputs_per_block(info, g);
        }
        const std::uint64_t left = l.outputs;
        if (what.finish == Finish::atomic) {
            l.outputs = 1;
        }
        all.push_back(l);
        if (what.finish != Finish::relaunch || left <= left_for_host(info, g, {})) {
            break;
        }
        g.block = relaunch_block_for(info, g);
        g.n = left;
    } while (all.size() < kMostLaunches);
    return all;
}

Traffic traffic(const Configuration& what) {
    if (what.quantity == Quantity::launch) {
        return {};
    }
    const std::uint64_t array = what.n * bytes(what.type);
    if (!is_known_peer(what.variant) && find_strategy(what.variant) == nullptr) {
        return {array, 0}; // a file: unknown before it is compiled
    }
    const bool writes = is_known_peer(what.variant) ? what.variant == kVendorScan || what.variant == kCopy
                                                    : is_scan(require_strategy(what.variant));
    return {array, writes ? array : 0};
}

double ceiling(Mode mode, const Traffic& traffic, const Provenance& where) {
    const std::uint64_t stays = std::min(where.l2_bytes, mode == Mode::warm ? traffic.total() : traffic.written);
    if (traffic.total() <= stays) {
        return 0;
    }
    return where.theoretical_bytes_per_second * static_cast<double>(traffic.total()) /
           static_cast<double>(traffic.total() - stays);
}

std::uint64_t depth_bound(const Configuration& what) {
    if (is_known_peer(what.variant)) {
        // A thread's share is unknown; no library uses fewer than 2^14 threads for many elements.
        return what.n / (1U << 14) + 2 * log2_up(what.n) + 64;
    }
    const StrategyInfo& info = require_strategy(what.variant);
    constexpr std::uint64_t kMost = 16; // elements that a thread combines serially if it has few
    std::uint64_t depth = 0;
    for (const KernelLaunch& l : launches(what)) {
        const std::uint64_t threads = std::uint64_t{l.grid} * l.block;
        depth += l.n / threads + 2 * kMost + 2 * log2_up(l.block) + 8;
        // Atomics are serial; a look-back scan adds tile by tile; the last block strides.
        const std::uint64_t warps = (l.block + 31) / 32;
        depth += what.finish == Finish::atomic ? l.grid * warps
                 : info.answer == Answer::scan ? std::uint64_t{l.grid}
                                               : 0;
        depth += what.finish == Finish::last_block ? l.grid / l.block + log2_up(l.block) + 2 : 0;
    }
    return depth + 64; // for the host, which sums in double precision
}

} // namespace warptree::timing
