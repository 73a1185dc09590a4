// Which request or shuffle of the step to show, and those of one warp to choose from.
#include "app/views/parts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warptree::scene {

std::uint32_t default_request(const Trace& trace, const session::Moment& moment, const Target& preferred) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || is_host(trace, moment)) {
        return kNone;
    }
    const std::uint32_t step = current_step(trace, moment);
    std::uint32_t warp = kNone;
    std::uint32_t block = kNone;
    if (preferred.kind != Target::Kind::none && preferred.launch == moment.launch) {
        block = preferred.block;
        switch (preferred.kind) {
        case Target::Kind::warp: warp = preferred.index; break;
        case Target::Kind::thread: warp = preferred.index / kWarpSize; break;
        case Target::Kind::node:
            if (preferred.index < launch->nodes.size()) {
                warp = launch->nodes[preferred.index].thread / kWarpSize;
            }
            break;
        case Target::Kind::request:
            if (preferred.index < launch->requests.size()) {
                warp = launch->requests[preferred.index].warp;
            }
            break;
        case Target::Kind::block: break;
        default: block = kNone; break;
        }
    }
    std::uint32_t best = kNone;
    int best_score = -1;
    for (std::uint32_t i = 0; i < launch->requests.size(); ++i) {
        const Request& it = launch->requests[i];
        if (it.step != step || !is_shared(it.kind) || it.mask == 0) {
            continue;
        }
        // The preferred place first, then excess, then lanes.
        const int place = (block == kNone      ? 0
                           : it.block == block ? 1
                                               : 0) +
                          (warp == kNone                          ? 0
                           : it.warp == warp && it.block == block ? 2
                                                                  : 0);
        const int score = place * 1'000'000 + (it.wavefronts - it.ideal) * 1000 + std::popcount(it.mask);
        if (score > best_score) {
            best_score = score;
            best = i;
        }
    }
    return best;
}

std::vector<std::uint32_t> shared_requests(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                           std::uint32_t warp) {
    std::vector<std::uint32_t> found;
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || is_host(trace, moment)) {
        return found;
    }
    const std::uint32_t step = current_step(trace, moment);
    for (std::uint32_t i = 0; i < launch->requests.size(); ++i) {
        const Request& it = launch->requests[i];
        if (it.step == step && it.block == block && it.warp == warp && it.mask != 0 && is_shared(it.kind)) {
            found.push_back(i);
        }
    }
    std::sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Request &x = launch->requests[a], &y = launch->requests[b];
        return std::pair(x.path, x.ordinal) < std::pair(y.path, y.ordinal);
    });
    return found;
}

std::vector<std::uint32_t> exchanges(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                     std::uint32_t warp) {
    std::vector<std::uint32_t> found = shared_requests(trace, moment, block, warp);
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || is_host(trace, moment)) {
        return found;
    }
    const std::uint32_t step = current_step(trace, moment);
    const auto requests = static_cast<std::uint32_t>(launch->requests.size());
    for (std::uint32_t i = 0; i < launch->shuffles.size(); ++i) {
        const Shuffle& it = launch->shuffles[i];
        if (it.step == step && it.block == block && it.warp == warp) {
            found.push_back(requests + i);
        }
    }
    const auto global = static_cast<std::ptrdiff_t>(found.size());
    for (std::uint32_t i = 0; i < requests; ++i) {
        const Request& it = launch->requests[i];
        if (it.step == step && it.block == block && it.warp == warp && it.mask != 0 && !is_shared(it.kind)) {
            found.push_back(i);
        }
    }
    std::sort(found.begin() + global, found.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Request &x = launch->requests[a], &y = launch->requests[b];
        return std::pair(x.path, x.ordinal) < std::pair(y.path, y.ordinal);
    });
    return found;
}

ExchangePlace place_of_exchange(const Launch& launch, std::uint32_t exchange) {
    if (exchange < launch.requests.size()) {
        return {launch.requests[exchange].block, launch.requests[exchange].warp};
    }
    const std::size_t shuffle = exchange - launch.requests.size();
    return shuffle < launch.shuffles.size()
               ? ExchangePlace{launch.shuffles[shuffle].block, launch.shuffles[shuffle].warp}
               : ExchangePlace{kNone, kNone};
}

std::uint32_t default_exchange(const Trace& trace, const session::Moment& moment, const Target& preferred) {
    if (const std::uint32_t best = default_request(trace, moment, preferred); best != kNone) {
        return best;
    }
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || is_host(trace, moment) || launch->window_count == 0) {
        return kNone;
    }
    const bool placed = preferred.kind != Target::Kind::none && launch->in_window(preferred.block);
    const std::uint32_t block = placed ? preferred.block : launch->window_first;
    const std::uint32_t first = preferred.kind == Target::Kind::warp     ? preferred.index
                                : preferred.kind == Target::Kind::thread ? preferred.index / kWarpSize
                                                                         : 0;
    if (const auto own = exchanges(trace, moment, block, first); !own.empty()) {
        return own.front();
    }
    for (std::uint32_t warp = 0; warp < launch->warps(); ++warp) {
        if (const auto all = exchanges(trace, moment, block, warp); !all.empty()) {
            return all.front();
        }
    }
    return kNone;
}

} // namespace warptree::scene
