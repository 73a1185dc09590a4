#include "app/cli/compare.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/document/recordings.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/compare/compare_run.hpp"
#include "app/features/compare/compare_timing.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/movie/animation.hpp"
#include "app/run/kernel_path.hpp"
#include "app/run/run.hpp"
#include "app/trace/io/file.hpp"

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
    std::vector<RunOptions> wanted(parsed.size());
    std::vector<const RunOptions*> live(parsed.size()); // null: of a recorded trace
    for (std::size_t c = 0; c < parsed.size(); ++c) {
        if (const std::string& what = parsed[c].what; !parsed[c].is_file) {
            wanted[c] =
                session::apply(parsed[c], runs::is_kernel_path(what) ? options.parse_file(what) : options.parse(what));
            live[c] = &wanted[c];
        }
    }
    const std::uint32_t beside = session::block_beside(live);
    ComparedColumns all;
    std::uint64_t n = 0;
    for (std::size_t c = 0; c < parsed.size(); ++c) {
        const session::ColumnText& column = parsed[c];
        if (column.is_file) {
            all.traces.push_back(std::make_shared<const Trace>(load(column.what)));
            continue;
        }
        RunOptions o = std::move(wanted[c]);
        n = n == 0 ? o.n : n;
        o.n = n;
        o.kernel.usual_block = beside;
        o = runs::is_kernel_file(o) ? o : resolve(o);
        RunControl control;
        const Interrupt interrupt(control);
        Progress progress("tracing " + column.what);
        control.progress = [&](double fraction) { progress.show(fraction); };
        all.traces.push_back(std::make_shared<const Trace>(runs::run_any(o, control)));
    }
    for (std::size_t c = 0; c < parsed.size(); ++c) {
        const RunOptions& o = all.traces[c]->options;
        all.columns.push_back(
            {all.traces[c].get(),
             parsed[c].is_file ? std::filesystem::path(parsed[c].what).filename().string() : o.strategy,
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
    return std::all_of(all.traces.begin(), all.traces.end(), [](const auto& t) { return t->pass; }) ? kDone : kWrong;
}

namespace {
scene::CompareRun run_of(const ComparedColumns& all, session::Alignment alignment) {
    std::vector<scene::CompareRun::Column> columns;
    for (std::size_t c = 0; c < all.traces.size(); ++c) {
        columns.push_back({all.traces[c], all.columns[c].title, all.columns[c].note});
    }
    return scene::make_compare_run(std::move(columns), alignment, session::recorded_kernels(),
                                   scene::fitting_series(all.columns, session::recorded_timings()));
}
} // namespace

void render_compare(const ComparePicture& p, const TraceOptions& options) {
    const auto alignment = session::alignment_from(p.align);
    if (!alignment) {
        throw OptionError(
            fmt::format("--align '{}' is not usable; take stage, stride or combines", printable(p.align)));
    }
    const scene::CompareRun run = run_of(compared_columns(p.texts, options), *alignment);
    const auto draw = [&](const scene::TextMeasure& measure, std::uint32_t aligned_step, float phase) {
        return scene::compose_compare({&scene::theme(p.picture.theme), &measure, p.picture.scale},
                                      static_cast<float>(p.picture.width), static_cast<float>(p.picture.height), run,
                                      aligned_step, phase);
    };
    if (p.animation.animate) {
        const AnimationPlan plan = p.animation.parse(p.out);
        const auto frames = render::frames_of(static_cast<std::uint32_t>(run.aligned_steps.size()), plan.pace,
                                              plan.first, plan.last, "this comparison");
        write_film({static_cast<std::uint32_t>(frames.size()),
                    [&](std::uint32_t f, const scene::TextMeasure& measure) {
                        return draw(measure, frames[f].place, frames[f].phase);
                    }},
                   plan, p.picture, p.out);
        return;
    }
    std::uint32_t aligned_step = scene::telling_step(run);
    if (!p.step.empty()) {
        const auto step = parse_count(p.step);
        if (!step || *step >= run.aligned_steps.size()) {
            throw OptionError(fmt::format("--step '{}' is not usable; this comparison has steps 0 to {}",
                                          printable(p.step), run.aligned_steps.size() - 1));
        }
        aligned_step = static_cast<std::uint32_t>(*step);
    }
    render::write_drawing([&](const scene::TextMeasure& measure) { return draw(measure, aligned_step, 1); },
                          {p.picture.width, p.picture.height, p.out, "compare"});
}

} // namespace warptree::commands
