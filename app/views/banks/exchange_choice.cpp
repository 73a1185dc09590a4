// Which request or shuffle of the step to show, and those of one warp to choose from.
#include "app/views/parts.hpp"
#include "app/views/thread_of.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace warptree::scene {

namespace {
struct Requests {
    std::uint32_t first = 0, end = 0;
};
// Those of the block in the step, of all its warps or of one: requests are in that order.
Requests requests_of(const Launch& launch, std::uint32_t block, std::uint32_t step, std::uint32_t warp = kNone) {
    const auto key = [](const Request& r) { return std::tuple(r.block, std::uint32_t{r.step}, std::uint32_t{r.warp}); };
    const auto begin = launch.requests.begin(), end = launch.requests.end();
    const auto first = std::lower_bound(begin, end, std::tuple(block, step, warp == kNone ? 0 : warp),
                                        [&](const Request& r, const auto& wanted) { return key(r) < wanted; });
    const auto last = std::upper_bound(first, end, std::tuple(block, step, warp),
                                       [&](const auto& wanted, const Request& r) { return wanted < key(r); });
    return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(last - begin)};
}
} // namespace

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
        case Target::Kind::thread:
        case Target::Kind::node:
            if (const std::uint32_t thread = thread_of(*launch, preferred); thread != kNone) {
                warp = thread / kWarpSize;
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
    // The preferred warp first, then its block, then excess, then lanes.
    const auto best_of = [&](const Requests& among) {
        std::uint32_t best = kNone;
        int best_score = -1;
        for (std::uint32_t i = among.first; i < among.end; ++i) {
            const Request& it = launch->requests[i];
            const int score = (it.wavefronts - it.ideal) * 1000 + std::popcount(it.mask);
            if (it.step == step && is_shared(it.kind) && it.mask != 0 && score > best_score) {
                best_score = score;
                best = i;
            }
        }
        return best;
    };
    for (const std::uint32_t of : {warp, kNone}) {
        const std::uint32_t best = block == kNone ? kNone : best_of(requests_of(*launch, block, step, of));
        if (best != kNone) {
            return best;
        }
    }
    return best_of({0, static_cast<std::uint32_t>(launch->requests.size())});
}

std::vector<std::uint32_t> shared_requests(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                           std::uint32_t warp) {
    std::vector<std::uint32_t> found;
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || is_host(trace, moment)) {
        return found;
    }
    const std::uint32_t step = current_step(trace, moment);
    const auto [first, end] = requests_of(*launch, block, step, warp);
    for (std::uint32_t i = first; i < end; ++i) {
        if (launch->requests[i].mask != 0 && is_shared(launch->requests[i].kind)) {
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
    const auto [first, end] = requests_of(*launch, block, step, warp);
    for (std::uint32_t i = first; i < end; ++i) {
        if (launch->requests[i].mask != 0 &&
            !is_shared(launch->requests[i].kind) && // a remote one has no banks, or sectors
            !is_remote(launch->requests[i].kind)) {
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
