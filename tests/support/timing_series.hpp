// Made-up timings for tests: no claim about any device.
#pragma once

#include "app/measure/timing/results.hpp"
#include "app/measure/timing/table.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::tests {

// A point whose samples spread evenly by 2 % around `seconds`.
inline timing::Point timed(const std::string& variant, std::uint64_t n, double seconds, std::uint32_t block = 128,
                           timing::Mode mode = timing::Mode::cold) {
    timing::Point p;
    p.what.variant = variant;
    p.what.n = n;
    p.what.block = block;
    p.what.finish = Finish::relaunch;
    p.what.mode = mode;
    p.bytes = 4 * n;
    for (int i = 0; i < 25; ++i) {
        p.samples.push_back(seconds * (0.98 + 0.04 * ((i * 7) % 25) / 24));
        p.rounds.push_back(static_cast<std::uint32_t>(i / 5));
    }
    p.stop = timing::Stop::noise_low;
    p.noise = 0.012;
    p.verified = true;
    return p;
}

// The ladder, two peers and a scan, from 2^10 to 2^28, cold and warm; one kernel is refused at 2^22.
inline timing::Series made_up_series() {
    timing::Series s{"Made-up GPU (test)", {}, {}};
    s.provenance.device = "Made-up GPU";
    s.provenance.compute_capability = "9.0";
    s.provenance.commit = "0123abc";
    s.provenance.date = "2026-01-02";
    s.provenance.theoretical_bytes_per_second = 4e12;
    double rate = 4e11;
    for (const char* variant : {"interleaved-modulo", "interleaved-strided", "sequential", "first-add",
                                "unroll-last-warp", "unroll-complete", "multiple-adds", "cub-reduce", "device-read"}) {
        for (int e = 10; e <= 28; e += 3) {
            const std::uint64_t n = 1ULL << e;
            const bool refused = e == 22 && std::string_view(variant) == "unroll-complete";
            for (const auto mode : {timing::Mode::cold, timing::Mode::warm}) {
                const double reached = std::min(rate, 3.6e12) * (mode == timing::Mode::warm ? 1.1 : 1);
                if (refused) {
                    continue;
                }
                s.points.push_back(timed(variant, n, 2e-6 + 4.0 * static_cast<double>(n) / reached,
                                         timing::is_peer(variant) ? 0 : 128, mode));
            }
        }
        rate *= 1.5;
    }
    timing::Point refused = timed("unroll-complete", 1 << 22, 1);
    refused.samples.clear();
    refused.rounds.clear();
    refused.stop = timing::Stop::none;
    refused.skipped = "its result was wrong";
    s.points.push_back(refused);
    return s;
}

} // namespace warptree::tests
