// Writing result files; reading them is in results_file.cpp.
#include "app/measure/timing/results_file.hpp"

#include "app/base/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace warptree::timing {

namespace {
using Json = nlohmann::ordered_json;

constexpr double kASecond = 1e9, kMost = 1e15; // nanoseconds

// The samples, if each is a whole number of nanoseconds; else empty.
std::vector<std::uint64_t> nanoseconds_of(const std::vector<double>& samples) {
    std::vector<std::uint64_t> all;
    for (const double s : samples) {
        const double ns = std::round(s * kASecond);
        if (!(ns >= 1 && ns <= kMost) || ns / kASecond != s) {
            return {};
        }
        all.push_back(static_cast<std::uint64_t>(ns));
    }
    return all;
}

// Samples per round, from round 0, if round numbers never decrease and are less than twice the samples; else empty.
std::vector<std::uint64_t> turns_of(const std::vector<std::uint32_t>& rounds) {
    if (rounds.empty() || rounds.back() >= 2 * rounds.size() || !std::is_sorted(rounds.begin(), rounds.end())) {
        return {};
    }
    std::vector<std::uint64_t> turns(std::size_t{rounds.back()} + 1);
    for (const std::uint32_t round : rounds) {
        ++turns[round];
    }
    return turns;
}

Json json_of(const Point& p) {
    const Configuration &c = p.what, none;
    const Point blank;
    Json out{{"variant", c.variant}, {"n", c.n}, {"type", name(c.type)}};
    const auto put = [&out](const char* key, const auto& value, const auto& otherwise) {
        if (!(value == otherwise)) {
            out[key] = value;
        }
    };
    put("block", c.block, none.block);
    put("grid", c.grid, none.grid);
    put("op", name(c.op), name(none.op));
    out["finish"] = name(c.finish);
    put("parameters", c.parameters, none.parameters);
    out["mode"] = name(c.mode);
    out["quantity"] = name(c.quantity);
    out["bytes"] = p.bytes;
    put("stop", name(p.stop), name(blank.stop));
    put("min_time", p.min_time, blank.min_time);
    put("noise", p.noise, blank.noise);
    put("verified", p.verified, blank.verified);
    put("skipped", p.skipped, blank.skipped);
    if (p.published_seconds) {
        out["published_seconds"] = *p.published_seconds;
    }
    if (p.published_bytes_per_second) {
        out["published_bytes_per_second"] = *p.published_bytes_per_second;
    }
    put("remark", p.remark, blank.remark);
    if (const auto whole = nanoseconds_of(p.samples); !whole.empty()) {
        out["nanoseconds"] = whole;
    } else {
        put("samples", p.samples, blank.samples);
    }
    if (const auto turns = turns_of(p.rounds); !turns.empty()) {
        out["turns"] = turns;
    } else {
        put("rounds", p.rounds, blank.rounds);
    }
    return out;
}

Json json_of(const Provenance& p) {
    Json out = Json::object();
    for (const auto& [key, text] :
         std::initializer_list<std::pair<const char*, const std::string&>>{{"device", p.device},
                                                                           {"compute_capability", p.compute_capability},
                                                                           {"driver", p.driver},
                                                                           {"toolkit", p.toolkit},
                                                                           {"compiler_flags", p.compiler_flags},
                                                                           {"commit", p.commit},
                                                                           {"date", p.date},
                                                                           {"source", p.source}}) {
        if (!text.empty()) {
            out[key] = text;
        }
    }
    const auto put = [&out](const char* key, auto value) {
        if (value != 0) {
            out[key] = value;
        }
    };
    put("multiprocessors", p.multiprocessors);
    put("core_clock_khz", p.core_clock_khz);
    put("memory_clock_khz", p.memory_clock_khz);
    put("memory_bus_bits", p.memory_bus_bits);
    put("l2_bytes", p.l2_bytes);
    put("flush_bytes", p.flush_bytes);
    put("seed", p.seed);
    put("theoretical_bytes_per_second", p.theoretical_bytes_per_second);
    return out;
}
} // namespace

std::string to_json(std::span<const Series> series) {
    std::string out =
        fmt::format("{{\"format\": \"warptree.timings\", \"version\": {}, \"series\": [", kResultsVersion);
    for (std::size_t s = 0; s < series.size(); ++s) {
        out += fmt::format("{}\n {{\"name\": {},\n  \"provenance\": {},\n  \"points\": [", s == 0 ? "" : ",",
                           json_text(Json(series[s].name)), json_text(json_of(series[s].provenance)));
        for (std::size_t p = 0; p < series[s].points.size(); ++p) {
            out += (p == 0 ? "\n   " : ",\n   ") + json_text(json_of(series[s].points[p]));
        }
        out += "\n  ]}";
    }
    return out + "\n]}\n";
}

} // namespace warptree::timing
