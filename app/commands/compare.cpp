#include "app/commands/compare.hpp"

#include "app/commands/exit_code.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "app/commands/progress.hpp"
#include "app/render/cairo_picture.hpp"
#include "app/scene/compare.hpp"
#include "app/scene/compare_timing.hpp"
#include "app/session/column_options.hpp"
#include "app/session/comparison.hpp"
#include "app/session/recordings.hpp"
#include "kernels/error.hpp"
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"
#include "kernels/trace/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace warptree::commands {

ComparedColumns compared_columns(const std::vector<std::string>& texts, const TraceOptions& options) {
    if (texts.size() < session::Comparison::kLeast || texts.size() > session::Comparison::kMost) {
        throw OptionError(fmt::format("a comparison takes {} to {} columns, not {}", session::Comparison::kLeast,
                                      session::Comparison::kMost, texts.size()));
    }
    std::vector<session::ColumnText> parsed;
    for (const std::string& text : texts) {
        parsed.push_back(session::parse_column(text));
    }
    if (options.given() && std::all_of(parsed.begin(), parsed.end(), [](const auto& c) { return c.is_file; })) {
        throw OptionError("recorded traces cannot be traced anew; leave the trace options out, or name a strategy");
    }
    ComparedColumns all;
    std::uint64_t n = 0;
    for (const session::ColumnText& column : parsed) {
        if (column.is_file) {
            all.traces.push_back(load(column.what));
            continue;
        }
        RunOptions o = session::apply(column, options.parse(column.what));
        n = n == 0 ? o.n : n;
        o.n = n;
        o = resolve(o);
        RunControl control;
        const Interrupt interrupt(control);
        Progress progress("tracing " + column.what);
        control.progress = [&](double fraction) { progress.show(fraction); };
        all.traces.push_back(run(o, control));
    }
    for (std::size_t c = 0; c < parsed.size(); ++c) {
        const RunOptions& o = all.traces[c].options;
        all.columns.push_back(
            {&all.traces[c], parsed[c].is_file ? std::filesystem::path(parsed[c].what).filename().string() : o.strategy,
             session::column_note(o)});
    }
    return all;
}

int report_compare(const std::vector<std::string>& texts, const TraceOptions& options, const std::string& format) {
    const ComparedColumns all = compared_columns(texts, options);
    const scene::CompareTable table = scene::make_compare_table(
        all.columns, {}, session::recorded_kernels(), scene::fitting_series(all.columns, session::recorded_timings()));
    print(format == "json"       ? scene::compare_json(all.columns, table)
          : format == "markdown" ? scene::compare_markdown(table)
          : format == "csv"      ? scene::compare_csv(table)
                                 : scene::compare_text(table));
    return std::all_of(all.traces.begin(), all.traces.end(), [](const Trace& t) { return t.pass; }) ? kDone : kWrong;
}

namespace {
// The step in which most goes wrong: warps that diverge, wavefronts beyond the ideal ones.
std::uint32_t telling_beat(const std::vector<Trace>& traces, const std::vector<session::Beat>& beats) {
    std::uint32_t best = 0;
    std::uint64_t most = 0;
    for (std::uint32_t b = 0; b < beats.size(); ++b) {
        std::uint64_t cost = 0;
        for (std::size_t c = 0; c < traces.size(); ++c) {
            const session::ColumnMoment at = session::column_moment(traces[c], beats, c, b, 1);
            if (!at.waits && at.moment.launch < traces[c].launches.size()) {
                const Counters& s = traces[c].launches[at.moment.launch].steps[at.moment.step].counters;
                cost += s.divergent_warps + s.shared_load_wavefronts - s.shared_load_ideal + s.shared_store_wavefronts -
                        s.shared_store_ideal;
            }
        }
        if (cost > most) {
            most = cost;
            best = b;
        }
    }
    return best;
}
} // namespace

void render_compare(const ComparePicture& p, const TraceOptions& options) {
    const auto alignment = session::alignment_from(p.align);
    if (!alignment) {
        throw OptionError(
            fmt::format("--align '{}' is not usable; take stage, stride or combines", printable(p.align)));
    }
    const ComparedColumns all = compared_columns(p.texts, options);
    std::vector<const Trace*> traces;
    for (const Trace& trace : all.traces) {
        traces.push_back(&trace);
    }
    const auto beats = session::align(traces, *alignment);
    std::uint32_t beat = telling_beat(all.traces, beats);
    if (!p.step.empty()) {
        const auto step = parse_count(p.step);
        if (!step || *step >= beats.size()) {
            throw OptionError(fmt::format("--step '{}' is not usable; this comparison has steps 0 to {}",
                                          printable(p.step), beats.size() - 1));
        }
        beat = static_cast<std::uint32_t>(*step);
    }
    std::vector<session::ColumnMoment> at;
    std::vector<scene::CompareColumn> columns;
    for (std::size_t c = 0; c < traces.size(); ++c) {
        at.push_back(session::column_moment(*traces[c], beats, c, beat, 1));
        bool named = false;
        for (std::size_t other = 0; other < traces.size(); ++other) {
            named = named || (other != c && compare_trees(*traces[c], *traces[other]) == Trees::same);
        }
        columns.push_back({traces[c], at[c], all.columns[c].title, all.columns[c].note, "", {}, {}, named, false});
    }
    const scene::CompareTable table = scene::make_compare_table(
        all.columns, at, session::recorded_kernels(), scene::fitting_series(all.columns, session::recorded_timings()));
    render::write_drawing(
        [&](const scene::TextMeasure& measure) {
            return scene::compose_compare({&scene::theme(p.theme), &measure, p.scale}, static_cast<float>(p.width),
                                          static_cast<float>(p.height), columns, table);
        },
        {p.width, p.height, p.out, "compare"});
}

} // namespace warptree::commands
