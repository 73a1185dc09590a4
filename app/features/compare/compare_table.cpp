#include "app/features/compare/compare_table.hpp"

#include "app/features/compare/compare_timing.hpp"
#include "app/measure/timing/table.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/model/metrics.hpp"
#include "app/views/parts.hpp"
#include "app/views/summary_kernel.hpp"
#include "app/views/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace warptree::scene {

namespace {
enum class Better : std::uint8_t { less, more, neither };
constexpr const char* kMinus = "\u2212"; // a sign as wide as a plus

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// A row with one value per column.
class TableRow {
  public:
    TableRow(std::string id, std::string label, std::string meaning, Better better)
        : row_{std::move(id), std::move(label), std::move(meaning), {}}, better_(better) {}

    TableRow& count(std::optional<std::uint64_t> value) {
        return cell(value ? grouped(*value) : "", value ? std::optional(static_cast<double>(*value)) : std::nullopt);
    }
    TableRow& share(std::optional<double> value) {
        share_ = true;
        return cell(value ? percent(*value) : "", value);
    }
    TableRow& cell(const std::string& text, std::optional<double> value) {
        CompareCell cell{value || !text.empty() ? text : "\u2013", value, "", Verdict::none};
        const std::optional<double> first = row_.cells.empty() ? std::nullopt : row_.cells.front().value;
        if (first && value) {
            compare(cell, *first);
        }
        row_.cells.push_back(std::move(cell));
        return *this;
    }
    // No column has a value: the row is left out.
    bool empty() const {
        return std::none_of(row_.cells.begin(), row_.cells.end(), [](const CompareCell& c) { return c.value; });
    }
    bool zero() const {
        return std::all_of(row_.cells.begin(), row_.cells.end(),
                           [](const CompareCell& c) { return !c.value || *c.value == 0; });
    }
    CompareRow take() { return std::move(row_); }

  private:
    void compare(CompareCell& cell, double first) const {
        const double by = *cell.value - first;
        const double least = share_ ? 0.0005 : 0; // what rounds to zero counts as zero
        if (std::abs(by) <= least) {
            cell.delta = "=";
            cell.verdict = Verdict::same;
            return;
        }
        const char* sign = by > 0 ? "+" : kMinus;
        cell.delta = share_ ? fmt::format("{}{:.1f}", sign, 100 * std::abs(by))
                            : sign + grouped(static_cast<std::uint64_t>(std::llround(std::abs(by))));
        cell.verdict = better_ == Better::neither              ? Verdict::other
                       : (by > 0) == (better_ == Better::more) ? Verdict::better
                                                               : Verdict::worse;
    }
    CompareRow row_;
    Better better_;
    bool share_ = false;
};

// The step that a column is in; null at the host's combine, while it waits, and before its first step.
const Step* step_of(const Trace& trace, const session::ColumnMoment& at) {
    if (at.waits || at.moment.launch >= trace.launches.size()) {
        return nullptr;
    }
    const auto& steps = trace.launches[at.moment.launch].steps;
    return at.moment.step < steps.size() ? &steps[at.moment.step] : nullptr;
}

// Registers per thread of the trace's kernel, if recorded.
std::optional<std::uint64_t> registers(const theory::ResourceTable* kernels, const Trace& trace) {
    if (kernels == nullptr) {
        return std::nullopt;
    }
    for (const auto& k : theory::select(*kernels, trace.options.type, trace.options.op, trace.block())) {
        if (k.strategy == trace.options.strategy) {
            return k.registers;
        }
    }
    return std::nullopt;
}

std::string duration(double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.1f} \u00b5s", 1e6 * seconds) : fmt::format("{:.3f} ms", 1e3 * seconds);
}

// Times measured elsewhere, at another size; the row says where and at which.
void time_row(CompareTable& table, std::span<const ComparedTrace> columns, const timing::Series& series) {
    const MeasuredTimes times = measured_times(columns, series);
    if (times.known() == 0) {
        return;
    }
    CompareRow row{"measured_seconds", "measured at n = " + timing::count_text(times.n), times.where, {}};
    for (const auto& seconds : times.seconds) {
        CompareCell cell{seconds ? duration(*seconds) : "\u2013", seconds, "", Verdict::none};
        if (const auto first = row.cells.empty() ? std::nullopt : row.cells.front().value; first && seconds) {
            const double ratio = *first / *seconds;
            cell.verdict = ratio > 1.0005 ? Verdict::better : ratio < 0.9995 ? Verdict::worse : Verdict::same;
            cell.delta = cell.verdict == Verdict::same     ? "="
                         : cell.verdict == Verdict::better ? fmt::format("{:.3g}\u00d7", ratio)
                                                           : fmt::format("{:.3g}\u00d7", 1 / ratio);
        }
        row.cells.push_back(std::move(cell));
    }
    table.run.insert(table.run.end() - 1, std::move(row));
}

void run_rows(CompareTable& table, std::span<const ComparedTrace> columns, const theory::ResourceTable* kernels) {
    std::vector<Metrics> all;
    for (const ComparedTrace& column : columns) {
        all.push_back(metrics(*column.trace));
    }
    TableRow lanes("lane_efficiency", "lane efficiency", "lanes that combine, of those in active warps", Better::more);
    for (const Metrics& m : all) {
        lanes.share(m.lane_efficiency());
    }
    table.run.push_back(lanes.take());
    using Of = std::function<std::uint64_t(const Metrics&)>;
    const auto add = [&](TableRow row, const Of& of, bool always = true) {
        for (const Metrics& m : all) {
            row.count(of(m));
        }
        if (always || !row.zero()) {
            table.run.push_back(row.take());
        }
    };
    const auto of = [](std::uint64_t Counters::*field) {
        return [field](const Metrics& m) { return m.totals.*field; };
    };
    add({"diverging_warp_steps", "diverging warp-steps", "some lanes of the warp combine, others do not", Better::less},
        [](const Metrics& m) { return m.diverging_warp_steps; });
    add({"wavefronts", "shared wavefronts", "passes through shared memory", Better::less},
        [](const Metrics& m) { return m.shared_wavefronts(); });
    add({"excess_wavefronts", "of these, by bank conflicts", "beyond one pass per request", Better::less},
        [](const Metrics& m) { return m.excess_wavefronts(); });
    add({"barriers", "barriers", "block-wide, over all blocks", Better::less}, of(&Counters::barriers));
    for (std::size_t c = 1; c < all.size(); ++c) { // what orders threads is no cost beside the races that it mends
        CompareCell& cell = table.run.back().cells[c];
        if (cell.verdict == Verdict::worse && all[c].totals.hazards < all.front().totals.hazards) {
            cell.verdict = Verdict::other;
        }
    }
    add({"sectors", "global sectors", "of 32 bytes, loads and stores", Better::less},
        [](const Metrics& m) { return m.sectors(); });
    add({"shuffles", "shuffles", "instructions of a warp", Better::neither}, of(&Counters::shuffles), false);
    add({"atomics", "atomic operations", "one per lane", Better::less}, of(&Counters::atomics), false);
    const auto tree = [&](TableRow row, const std::function<std::uint64_t(const TreeTotals&)>& part) {
        for (const ComparedTrace& column : columns) {
            row.count(part(column.trace->tree));
        }
        table.run.push_back(row.take());
    };
    tree({"useful_combines", "useful combines", "the result depends on them; host included", Better::neither},
         [](const TreeTotals& t) { return t.useful_combines; });
    tree({"useless_combines", "useless combines", "the result does not depend on them", Better::less},
         [](const TreeTotals& t) { return t.combines - t.useful_combines - t.padding_combines; });
    if (std::any_of(columns.begin(), columns.end(),
                    [](const ComparedTrace& column) { return column.trace->tree.padding_combines != 0; })) {
        tree({"padding_combines", "padding", "combines that only fold in the identity", Better::less},
             [](const TreeTotals& t) { return t.padding_combines; });
    }
    add({"blocks", "blocks", "over all launches", Better::neither}, [](const Metrics& m) { return m.blocks; });
    add({"launches", "launches", "kernels started", Better::neither}, [](const Metrics& m) { return m.launches; });
    add({"hazards", "races", "how often threads race, by warp, element and step", Better::less}, of(&Counters::hazards),
        false);
    TableRow used("registers", "registers per thread",
                  kernels == nullptr ? "" : fmt::format("compiled for {}", kernels->architecture), Better::less);
    for (const ComparedTrace& column : columns) {
        used.count(registers(kernels, *column.trace));
    }
    if (!used.empty()) {
        table.run.push_back(used.take());
    }
    // What was cut off counts less of everything, which is not better.
    for (std::size_t c = 1; c < columns.size(); ++c) {
        for (CompareRow& row : table.run) {
            Verdict& verdict = row.cells[c].verdict;
            const bool judged = verdict == Verdict::better || verdict == Verdict::worse;
            const bool whole = columns[c].trace->completed() && columns.front().trace->completed();
            verdict = judged && !whole ? Verdict::other : verdict;
        }
    }
    CompareRow result{"result", "result", "against the reference", {}};
    CompareRow output{"output", "first output", "its first elements", {}};
    bool unchecked = false;
    for (const ComparedTrace& column : columns) {
        const Trace& t = *column.trace;
        output.cells.push_back(
            {t.outputs.empty() ? std::string() : first_values(t.outputs.front()), {}, "", Verdict::none});
        unchecked |= expects_nothing(t) && !t.outputs.empty();
        if (t.completed() && expects_nothing(t)) {
            result.cells.push_back({"not checked", {}, "", Verdict::none});
            continue;
        }
        result.cells.push_back({t.pass           ? "right"
                                : !t.completed() ? what_ended(t)
                                                 : "wrong",
                                t.pass ? 1.0 : 0.0, "", t.pass ? Verdict::none : Verdict::worse});
    }
    table.run.push_back(std::move(result));
    if (unchecked) {
        table.run.push_back(std::move(output));
    }
}
} // namespace

std::vector<CompareRow> compare_step_rows(std::span<const ComparedTrace> columns,
                                          std::span<const session::ColumnMoment> at) {
    std::vector<CompareRow> rows;
    CompareRow label{"step", "step", "a column without a partner waits", {}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Step* step = step_of(*columns[c].trace, at[c]);
        label.cells.push_back({at[c].waits ? "waits" : step == nullptr ? "host" : step->label, {}, "", Verdict::none});
    }
    rows.push_back(std::move(label));
    using Of = std::function<std::optional<std::uint64_t>(const Counters&)>;
    const auto add = [&](TableRow row, const Of& of) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Step* step = step_of(*columns[c].trace, at[c]);
            row.count(step == nullptr ? std::nullopt : of(step->counters));
        }
        rows.push_back(row.take());
    };
    add({"step_active_threads", "threads active", "that combine; in load and store, that access memory",
         Better::neither},
        [](const Counters& s) { return s.active_threads; });
    TableRow lanes("step_lane_efficiency", "active lanes in active warps", "of all lanes of active warps",
                   Better::more);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Step* step = step_of(*columns[c].trace, at[c]);
        lanes.share(step == nullptr ? std::nullopt : lane_efficiency(step->counters, columns[c].trace->block()));
    }
    rows.push_back(lanes.take());
    add({"step_divergent_warps", "warps diverging", "warps without active lanes do not count", Better::less},
        [](const Counters& s) { return s.divergent_warps; });
    add({"step_wavefronts", "shared wavefronts", "passes through shared memory", Better::less},
        [](const Counters& s) { return s.shared_load_wavefronts + s.shared_store_wavefronts; });
    add({"step_excess_wavefronts", "of these, by bank conflicts", "beyond one pass per request", Better::less},
        [](const Counters& s) {
            return s.shared_load_wavefronts + s.shared_store_wavefronts - s.shared_load_ideal - s.shared_store_ideal;
        });
    add({"step_combines", "combines", "by all threads of the step", Better::neither},
        [](const Counters& s) { return s.combines; });
    return rows;
}

CompareTable make_compare_table(std::span<const ComparedTrace> columns, std::span<const session::ColumnMoment> at,
                                const theory::ResourceTable* kernels, const timing::Series* times) {
    CompareTable table;
    for (const ComparedTrace& column : columns) {
        const auto alike = std::count_if(columns.begin(), columns.end(),
                                         [&](const ComparedTrace& other) { return other.title == column.title; });
        table.columns.push_back(alike > 1 ? column.title + " (" + column.note + ")" : column.title);
    }
    if (!at.empty()) {
        table.step = compare_step_rows(columns, at);
    }
    run_rows(table, columns, kernels);
    if (times != nullptr) {
        time_row(table, columns, *times);
    }
    for (std::size_t c = 1; c < columns.size(); ++c) {
        const Trace &before = *columns[c - 1].trace, &after = *columns[c].trace;
        const std::string matters = what_matters({&before, table.columns[c - 1], ""}, {&after, table.columns[c], ""});
        table.changes.push_back(matters + (matters.empty() ? "" : " ") +
                                what_changed(before, after, compare_trees(before, after)));
    }
    return table;
}

} // namespace warptree::scene
