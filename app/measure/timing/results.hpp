// Measured and published timings of kernels: the model that is written to result files, drawn and compared.
#pragma once

#include "app/base/element.hpp"
#include "app/base/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::timing {

// The state of the L2 cache when a sample begins. cold: a buffer larger than the cache was overwritten before each
// sample; warm: the previous run used the same data; unstated: a published figure that does not state it.
enum class Mode : std::uint8_t { cold, warm, unstated };
// What a sample's time covers. kernel: the launch or launches on the device, without launch latency; pipeline: the same
// plus copying the partials and the host's combine, on the host's clock; launch: an empty kernel of that grid.
enum class Quantity : std::uint8_t { kernel, pipeline, launch };
// Which criterion ended the sampling of a point. none: it was not sampled (published, skipped or refused).
enum class Stop : std::uint8_t { none, noise_low, noise_stable, time_limit, cancelled };

std::string_view name(Mode mode);         // "cold", "warm", "unstated"
std::string_view name(Quantity quantity); // "kernel", "pipeline", "launch"
std::string_view name(Stop stop);         // "none", "noise-low", "noise-stable", "time-limit", "cancelled"
std::optional<Mode> mode_from(std::string_view text);
std::optional<Quantity> quantity_from(std::string_view text);
std::optional<Stop> stop_from(std::string_view text);

// What was measured: points with equal Configuration are the same experiment.
struct Configuration {
    std::string variant;     // a strategy's id, or a peer's: "cub-reduce", "cub-scan", "device-copy", "device-read"
    std::uint64_t n = 0;     // elements
    std::uint32_t block = 0; // threads per block; 0: the peer's own choice
    std::uint32_t grid = 0;  // blocks requested instead of the strategy's rule; 0: by the rule
    ElementType type = ElementType::i32;
    Operator op = Operator::sum;
    Finish finish = Finish::host;
    ParameterValues parameters; // the strategy's own, each at the value used
    Mode mode = Mode::cold;
    Quantity quantity = Quantity::kernel;
    friend bool operator==(const Configuration&, const Configuration&) = default;
};

struct Point {
    Configuration what;
    std::uint64_t bytes = 0;           // that must move: each input read once, each output written once
    std::vector<double> samples;       // seconds, in the order taken; empty: published or skipped
    std::vector<std::uint32_t> rounds; // of each sample: the harness's round in which it was taken
    Stop stop = Stop::none;
    double min_time = 0;   // requested minimum of seconds spent on the point; 0: not known
    double noise = 0;      // standard deviation / mean of the samples
    bool verified = false; // the result was checked against the reference before timing
    std::string skipped;   // why nothing was measured; empty: it was, or it is published
    // As published, where there are no samples; a source may give one of the two.
    std::optional<double> published_seconds, published_bytes_per_second;
    std::string remark; // for a published figure: what its source does differently or leaves out
    friend bool operator==(const Point&, const Point&) = default;
};

// Where and how a series was measured; empty text: not known.
struct Provenance {
    std::string device, compute_capability, driver, toolkit, compiler_flags, commit, date; // date: ISO 8601
    std::string source; // of published figures: author, title, year
    int multiprocessors = 0, core_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
    std::uint64_t l2_bytes = 0, flush_bytes = 0; // flush_bytes: overwritten before each cold sample
    std::uint64_t seed = 0;                      // of the random input
    double theoretical_bytes_per_second = 0;     // 0: not known
    friend bool operator==(const Provenance&, const Provenance&) = default;
};

// The measurements of one device in one run, or a published table.
struct Series {
    std::string name; // "NVIDIA H200 (recorded)", "G80, 2007 (published)"
    Provenance provenance;
    std::vector<Point> points;
    friend bool operator==(const Series&, const Series&) = default;
};

} // namespace warptree::timing
