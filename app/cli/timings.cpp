#include "app/base/error.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"
#include "app/cli/timing_options.hpp"
#include "app/features/theory/figure.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace warptree::commands {

namespace {
struct TableWords {
    TimingWords timings;
    bool json = false, csv = false, markdown = false;
};

std::string to_text(const session::Timings& t) {
    Table table;
    table.columns = {{"strategy"},        {"series"},          {"B", true},    {"choice"},           {"time", true},
                     {"bandwidth", true}, {"% of peak", true}, {"step", true}, {"cumulative", true}, {"noise", true}};
    std::string remarks;
    const auto shown = t.shown_series();
    const auto text = [](const std::optional<double>& value, auto to_text) {
        return value ? to_text(*value) : std::string();
    };
    for (const timing::Row& r : t.rows()) {
        const timing::Point& p = *r.point;
        table.rows.push_back({p.what.variant, shown[r.series].name,
                              p.what.block == 0 ? "" : std::to_string(p.what.block), timing::choice_text(p.what),
                              r.seconds ? timing::time_text(*r.seconds) : "not measured",
                              text(r.bytes_per_second, timing::rate_text), text(r.share, timing::share_text),
                              text(r.step, timing::factor_text), text(r.cumulative, timing::factor_text),
                              r.summary ? timing::share_text(r.summary->noise) : ""});
        const std::string& remark = p.skipped.empty() ? p.remark : p.skipped;
        remarks += remark.empty() ? "" : fmt::format("{}, {}: {}\n", p.what.variant, shown[r.series].name, remark);
    }
    std::string sources;
    for (const timing::Series& s : shown) {
        const timing::Provenance& p = s.provenance;
        sources += fmt::format("{}: {}\n", s.name, p.source.empty() ? p.device + ", " + p.date : p.source);
    }
    return fmt::format("{}\n\n{}\n{}{}", timing::to_string(t.conditions()), table_text(table),
                       remarks.empty() ? "" : remarks + "\n", sources);
}

int timings_command(const TableWords& words) {
    if (words.json + words.csv + words.markdown > 1) {
        throw OptionError("--json, --csv and --markdown exclude one another; take one of them");
    }
    const session::Timings t = words.timings.make();
    if (t.rows().empty()) {
        std::string has;
        for (std::size_t i = 0; i < t.count(); ++i) {
            const timing::Series& s = t.series(i);
            if (!s.points.empty()) {
                const auto& w = s.points.front().what;
                has += fmt::format("{}'{}' (as in {} {} {})", has.empty() ? "" : ", ", s.name, timing::count_text(w.n),
                                   name(w.type), name(w.quantity));
            }
        }
        throw OptionError(fmt::format("no series has a kernel of {} at {}; there are {}", name(t.conditions().kernels),
                                      timing::to_string(t.conditions()),
                                      has.empty() ? "none: name a result file" : has));
    }
    print(words.json       ? timing::to_json(timing::shown_points(t.shown_series(), t.rows()))
          : words.csv      ? timing::to_csv(t.shown_series(), t.rows())
          : words.markdown ? timing::to_markdown(t.shown_series(), t.rows())
                           : to_text(t));
    return kDone;
}
} // namespace

void add_timings(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("timings", "Recorded and published timings as a table");
    auto words = std::make_shared<TableWords>();
    command->add_option("FILE", words->timings.files, "Result files beside those that ship");
    words->timings.add_to(*command);
    command->add_flag("--json", words->json, "The rows' points as a result file");
    command->add_flag("--csv", words->csv, "As CSV, SI units");
    command->add_flag("--markdown", words->markdown, "As Markdown");
    command->callback([&action, words] { action = [words] { return timings_command(*words); }; });
}

} // namespace warptree::commands
