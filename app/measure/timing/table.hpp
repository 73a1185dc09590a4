// Timings as rows: one kernel of one series under chosen conditions, with the speed-ups of the lectures' tables.
#pragma once

#include "app/measure/timing/results.hpp"
#include "app/measure/timing/statistics.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::timing {

// Kernels whose times are comparable, because they do the same work. ladder: the seven of Harris's "Optimizing Parallel
// Reduction in CUDA"; reductions: all reductions to one value, and their peers; scans: scans of tiles or of the whole
// input, and their peers; others: everything else.
enum class Kernels : std::uint8_t { ladder, reductions, scans, others };
inline constexpr std::array kKernels{Kernels::ladder, Kernels::reductions, Kernels::scans, Kernels::others};
std::string_view name(Kernels kernels); // "ladder", "reductions", "scans", "others"
std::optional<Kernels> kernels_from(std::string_view text);
bool belongs(std::string_view variant, Kernels kernels);
// The peer that shows how fast memory can be read, or copied, for that work.
std::string_view ceiling_of(Kernels kernels); // "device-read", "device-copy"; empty for others
bool is_file(std::string_view variant);       // a kernel file, which belongs to every group
bool is_peer(std::string_view variant);       // neither a strategy of this program nor a file

// What is compared. nullopt: whichever is fastest. Quantity::kernel covers only part of a reduction that leaves its
// partials to the host, so those that do not are preferred.
struct Conditions {
    Kernels kernels = Kernels::ladder;
    std::uint64_t n = 1ULL << 22;
    ElementType type = ElementType::i32;
    Operator op = Operator::sum;
    std::optional<std::uint32_t> block = 128; // points without a block size match any
    Mode mode = Mode::cold;                   // unstated ones match any
    Quantity quantity = Quantity::kernel;
    std::optional<Finish> finish{};
    friend bool operator==(const Conditions&, const Conditions&) = default;
};
bool matches(const Point& point, const Conditions& conditions, bool any_n = false);
std::string to_string(const Conditions& conditions); // "2^22 i32 sum, B = 128, cold, kernel"

// Of the variant in the series, the point to show; nullptr: none matches. `fits`: how many matching points were not
// skipped.
const Point* best_point(const Series& series, std::string_view variant, const Conditions& conditions,
                        std::size_t* fits = nullptr);
// The same for each n, ascending; without those that were skipped.
std::vector<const Point*> along_n(const Series& series, std::string_view variant, const Conditions& conditions);
// Variants of the series that belong to the kernels: strategies in curriculum order, then files and then peers by name.
std::vector<std::string> variants_in(std::span<const Series> series, Kernels kernels);

struct Row {
    std::size_t series = 0; // index
    const Point* point = nullptr;
    std::size_t fits = 1;           // points that the conditions allow, of which this is the fastest
    std::optional<Summary> summary; // of samples
    std::optional<double> seconds;  // the median, or as published; nothing: skipped
    std::optional<double> bytes_per_second, elements_per_second;
    std::optional<double> share;          // of the theoretical peak
    std::optional<double> share_measured; // of the ceiling that a peer reached in the same series
    // Speed-ups within the series: over the previous rung of the ladder, if the row above is that rung; and over the
    // first row. Not for peers.
    std::optional<double> step, cumulative;
};
// Series by series in the order given; those without a matching point give none.
std::vector<Row> rows(std::span<const Series> series, const Conditions& conditions);

// Numbers with their unit: "8.054 ms", "40.2 µs", "62.67 GB/s", "72.5 %", "30.05×".
std::string time_text(double seconds);
std::string rate_text(double bytes_per_second);
std::string share_text(double share);
std::string factor_text(double factor);
std::string count_text(std::uint64_t n); // "2^22", "1000"
// The parts of the configuration that were chosen separately: "relaunch", "batch = 8, grid = 264"; empty: nothing.
// "partials left": Quantity::kernel of a reduction that leaves its partials to the host.
std::string choice_text(const Configuration& what);

// RFC 4180, SI units without prefixes, a header line; empty cells where nothing is known.
std::string to_csv(std::span<const Series> series, std::span<const Row> rows);
// A table for a document, with the units above.
std::string to_markdown(std::span<const Series> series, std::span<const Row> rows);
// The rows' points as a result file.
std::vector<Series> shown_points(std::span<const Series> series, std::span<const Row> rows);

} // namespace warptree::timing
