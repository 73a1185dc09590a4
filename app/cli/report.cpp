#include "app/trace/explain/report.hpp"
#include "app/base/error.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/compare.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/trace_options.hpp"
#include "app/run/kernel_run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/run/run.hpp"
#include "app/run/tries/order_results.hpp"
#include "app/trace/explain/costs.hpp"
#include "app/trace/explain/findings.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::commands {

namespace {
// Where the result may depend on the order. A trace that was recorded is not run anew.
OrderResults tried_orders(const Trace& trace, bool recorded) {
    const std::uint32_t orders = recorded || !may_depend_on_order(trace) ? 0 : runs::affordable_orders(trace);
    if (orders == 0) {
        return {};
    }
    RunControl control;
    const Interrupt interrupt(control);
    Progress progress("trying orders");
    control.progress = [&](double fraction) { progress.show(fraction); };
    try {
        return runs::order_results(runs::in_same_block(trace), orders, control);
    } catch (const OptionError&) { // another order ends in a finding, which a check of all orders shows
        return {};
    }
}

// What to write, where runs of the changed file show that it mends a finding.
std::string mending(const Trace& trace) {
    if (!runs::is_kernel_file(trace.options) || trace.sources.empty()) {
        throw OptionError("--mend changes a kernel file of your own; name one that ends in .cu");
    }
    RunControl control;
    const Interrupt interrupt(control);
    const Progress progress("looking for what mends it");
    if (const auto found = runs::find_remedy(runs::in_same_block(trace), trace, std::nullopt, control)) {
        const std::string against = found->what == runs::Mended::cost    ? "what it costs"
                                    : found->what != runs::Mended::other ? "it"
                                    : found->with.empty()                ? "what is said of other launches"
                                                                         : "what is said of " + found->with;
        const std::string ends = found->what != runs::Mended::failure ? ""
                                 : trace.program.exit != 0            ? "with which the program ends with 0, "
                                 : fails(trace.program) ? "with which the program no longer says that it failed, "
                                                        : "";
        return fmt::format("\nto mend {}, {}{}", against, ends,
                           runs::remedy_text(found->remedy, trace.sources.front().text));
    }
    if (!runs::finding_places(trace).empty() ||
        std::ranges::any_of(trace.tried, [](const OtherLaunch& o) { return o.wrong; })) {
        return "\nto mend it: no change that was tried does\n";
    }
    return fmt::format(
        "\nto mend it: {}{}\n",
        trace.program.exit != 0
            ? fmt::format("no finding says what is wrong; the program itself ends with {}", trace.program.exit)
        : fails(trace.program) ? "no finding says what is wrong; the program itself says that it failed"
                               : "nothing was found that is wrong",
        costs(trace).empty() ? "" : "; no change that was tried makes what it costs less");
}
} // namespace

void add_report(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("report", "Per-step counts, and whether the result is right");
    auto what = std::make_shared<std::string>();
    auto compare = std::make_shared<std::vector<std::string>>();
    auto json = std::make_shared<bool>(false);
    auto format = std::make_shared<std::string>();
    command->add_option("id", *what, "A strategy, a kernel file (.cu) or a trace file (.wtrace)");
    command->add_option("--compare", *compare, "Two to four side by side instead: ID[:block=128,type=f32,…] or FILE")
        ->expected(1, -1);
    command->add_flag("--json", *json, "As JSON");
    command->add_option("--format", *format, "text, markdown, csv or json; markdown and csv: only the counts");
    auto no_findings = std::make_shared<bool>(false);
    command->add_flag("--no-findings", *no_findings, "End with 1 on any fault or risk, even if the result is right");
    auto mend = std::make_shared<bool>(false);
    command->add_flag("--mend", *mend, "Say what to write against the first finding that a small change mends");
    auto options = TraceOptions::add_to(*command);
    command->callback([&action, what, compare, json, format, no_findings, mend, options] {
        action = [what, compare, json, format, no_findings, mend, options]() -> int {
            if (what->empty() == compare->empty()) {
                throw OptionError("name one strategy or .wtrace file, or several after --compare");
            }
            const std::string as = *json ? "json" : format->empty() ? "text" : *format;
            if (as != "text" && as != "markdown" && as != "csv" && as != "json") {
                throw OptionError("--format '" + printable(as) + "' is not known; take text, markdown, csv or json");
            }
            if (!compare->empty()) {
                return report_compare(*compare, *options, as);
            }
            const Trace trace = trace_of(*what, *options, true);
            const OrderResults orders =
                as == "json" || as == "text" ? tried_orders(trace, what->ends_with(".wtrace")) : OrderResults{};
            print(as == "json"       ? report_json(trace, orders)
                  : as == "markdown" ? steps_text(trace, TableFormat::markdown)
                  : as == "csv"      ? steps_text(trace, TableFormat::csv)
                                     : report_text(trace, orders));
            if (*mend) {
                print(mending(trace));
            }
            const bool clean = std::ranges::all_of(trace.launches, [](const Launch& l) {
                return std::ranges::all_of(l.findings, [](const Finding& f) { return f.severity == Severity::cost; });
            });
            return trace.pass && (clean || !*no_findings) ? kDone : kWrong;
        };
    });
}

} // namespace warptree::commands
