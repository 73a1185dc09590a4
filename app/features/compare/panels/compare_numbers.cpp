#include "app/features/compare/panels/compare_numbers.hpp"

#include "app/document/recordings.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/compare/compare_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace warptree::pages {

const RunOptions& options_of(const session::Comparison::Column& column) {
    return column.trace ? column.trace->options : column.options;
}

std::string title_of(const session::Comparison::Column& column) {
    if (column.launch != 0) {
        return fmt::format("launch {} of {}", column.launch,
                           std::filesystem::path(column.options.kernel.file).filename().string());
    }
    return !column.file.empty() ? column.file.filename().string()
                                : options_of(column).strategy + (column.saved ? " as saved" : "");
}

std::string note_of(const session::Comparison::Column& column) {
    return column.launch != 0 ? fmt::format("{}, B = {}", column.trace->kernel, column.trace->block())
                              : session::column_note(options_of(column));
}

std::vector<scene::ComparedTrace> CompareNumbers::compared() const {
    std::vector<scene::ComparedTrace> all;
    for (std::size_t i = 0; i < comparison_.size(); ++i) {
        const auto& column = comparison_[i];
        all.push_back({column.trace.get(), title_of(column), note_of(column)});
    }
    return all;
}

CompareNumbers::Change CompareNumbers::refresh() {
    if (!comparison_.ready()) {
        version_ = 0;
        return Change::none;
    }
    const std::uint32_t place = comparison_.playback.place();
    const bool fresh = version_ != comparison_.version();
    if (!fresh && place == place_) {
        return Change::none;
    }
    const auto all = compared();
    if (fresh) {
        table_ = scene::make_compare_table(all, {}, session::recorded_kernels(), chosen(all));
    }
    std::vector<session::ColumnMoment> at;
    for (std::size_t i = 0; i < comparison_.size(); ++i) {
        at.push_back(comparison_.moment(i));
    }
    table_.step = scene::compare_step_rows(all, at);
    version_ = comparison_.version();
    place_ = place;
    return fresh ? Change::all : Change::step;
}

const timing::Series* CompareNumbers::chosen(std::span<const scene::ComparedTrace> all) const {
    for (const timing::Series& s : session::recorded_timings()) {
        if (s.name == series) {
            return &s;
        }
    }
    return scene::fitting_series(all, session::recorded_timings());
}

std::string CompareNumbers::turn_series() {
    if (!comparison_.ready()) {
        return {};
    }
    const auto all = compared();
    std::vector<std::string> names;
    for (const timing::Series& s : session::recorded_timings()) {
        if (scene::measured_times(all, s).known() > 0) {
            names.push_back(s.name);
        }
    }
    if (names.empty()) {
        return "no timings of these kernels are recorded";
    }
    const timing::Series* now = chosen(all);
    const auto at = std::find(names.begin(), names.end(), now == nullptr ? "" : now->name);
    series = at == names.end() || std::next(at) == names.end() ? names.front() : *std::next(at);
    version_ = 0; // rebuild the table
    return "measured times of " + series;
}

} // namespace warptree::pages
