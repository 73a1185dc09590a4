// A comparison of traces in numbers and in words: the same for the window, pictures, text and JSON.
#pragma once

#include "app/features/compare/alignment.hpp"
#include "app/measure/timing/results.hpp"
#include "app/theory/kernel_resources.hpp"
#include "app/trace/model/element_sets.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptree::scene {

struct ComparedTrace {
    const Trace* trace = nullptr;
    std::string title, note; // "sequential", "B = 64, i32"
};

// Compared with the first column. other: neither is better, such as more launches or blocks.
enum class Verdict : std::uint8_t { none, same, better, worse, other };
struct CompareCell {
    std::string text;            // "21", "93.8 %", "–" where there is no value
    std::optional<double> value; // as a number: a count, a fraction of 1, or seconds
    std::string delta;           // "+21", "−16", "="; empty in the first column and without values
    Verdict verdict = Verdict::none;
};
struct CompareRow {
    std::string id, label, meaning; // id: stable, for JSON
    std::vector<CompareCell> cells; // one per column
};
struct CompareTable {
    std::vector<std::string> columns; // titles; equal ones with their notes added
    std::vector<CompareRow> step;     // of the step each column is in, over all blocks; empty when not requested
    std::vector<CompareRow> run;      // of the whole run, over all launches and blocks
    std::vector<std::string> changes; // a sentence per column after the first: the changes from the one before
};

// `at`: a moment for each column, or empty for the whole run alone. `kernels`: registers, or null. `times`: the source
// of measured times, or null.
CompareTable make_compare_table(std::span<const ComparedTrace> columns, std::span<const session::ColumnMoment> at,
                                const theory::ResourceTable* kernels, const timing::Series* times = nullptr);

// The rows of the step alone: what changes as the comparison is stepped.
std::vector<CompareRow> compare_step_rows(std::span<const ComparedTrace> columns,
                                          std::span<const session::ColumnMoment> at);

// What matters most of two runs, by their titles: "sum_race.cu has 504 races, sum_ok.cu none.", "pad.cu asks for 256 sectors where
// naive.cu asks for 640 sectors, 2.5 times less global-memory traffic." Empty: nothing stands out.
std::string what_matters(const ComparedTrace& before, const ComparedTrace& after);
// "Same tree, same 63 combines, by other threads; warp 1 retires after the load; 21 extra wavefronts." Computed from
// the two traces alone; warps retire as in the first block traced in full.
std::string what_changed(const Trace& before, const Trace& after, Trees trees);

std::string compare_text(const CompareTable& table);     // columns of fixed width; every line ends in a newline
std::string compare_markdown(const CompareTable& table); // likewise
std::string compare_csv(const CompareTable& table);      // numbers as numbers, RFC 4180
std::string compare_json(std::span<const ComparedTrace> columns, const CompareTable& table);

} // namespace warptree::scene
