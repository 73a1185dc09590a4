// What mends a program that fails by a check of its own, or a kernel that other launches show to be wrong.
#include "app/run/remedy/copies.hpp"
#include "app/run/remedy/failure.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/tokens.hpp"
#include "app/run/remedy/trial.hpp"

#include "app/base/error.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warptree::runs {

namespace {
std::ptrdiff_t wrong_launches(const Trace& trace) {
    return std::count_if(trace.tried.begin(), trace.tried.end(), [](const OtherLaunch& o) { return o.wrong; });
}
} // namespace

bool may_begin_otherwise(const Trace& trace) {
    return trace.program.entry.empty() && !trace.sources.empty() && trace.completed() &&
           finding_places(trace).empty() && wrong_launches(trace) != 0 &&
           !first_extremes(Statements(trace.sources.front().text)).empty();
}

std::optional<Remedy> remedy_of_beginning(const RunOptions& options, const Trace& trace, RunControl& control) {
    if (!may_begin_otherwise(trace)) {
        return std::nullopt;
    }
    const Statements code(trace.sources.front().text);
    std::uint64_t spent = 0;
    for (Change& change : first_extremes(code)) {
        if (control.cancel) {
            throw Cancelled();
        }
        Remedy remedy{change.words, edited(code.text(), std::move(change.edits))};
        const auto run = spent < kPatience ? run_with(options, remedy.text, false, control) : std::nullopt;
        spent += effort(run);
        if (run && run->completed() && finding_places(*run).empty() && wrong_launches(*run) < wrong_launches(trace) &&
            run->outputs == trace.outputs) {
            return remedy;
        }
    }
    return std::nullopt;
}

std::optional<Remedy> remedy_of_failure(const RunOptions& options, const Trace& trace, RunControl& control) {
    using Found = std::set<std::pair<FindingKind, std::string>>; // not how often, which another order of warps changes
    const auto found = [](const Trace& run) {
        Found all;
        for (const FindingPlace& place : finding_places(run)) {
            const Finding& f = finding_at(run, place);
            if (f.kind != FindingKind::leak) { // not told where it fails
                all.insert({f.kind, f.array});
            }
        }
        return all;
    };
    const Found before = found(trace);
    const bool failed = fails(trace.program);
    if (trace.program.entry.empty() || trace.sources.empty() || (!failed && (before.empty() || !trace.completed()))) {
        return std::nullopt;
    }
    const Statements code(trace.sources.front().text);
    std::vector<Change> changes = failure_changes(code);
    if (failed) { // or nothing would tell which is right
        const std::vector<Change> copies = copy_changes(code);
        changes.insert(changes.begin(), copies.begin(), copies.end()); // soon seen to be wrong
        std::set<std::uint32_t> lines;
        for (const FindingPlace& place : finding_places(trace)) {
            const Finding& f = finding_at(trace, place);
            if (f.line.known() && f.line.file() == 0 && place.launch != FindingPlace::kHost &&
                lines.insert(f.line.line()).second) {
                const std::vector<Change> more = token_changes(code, f.line.line());
                changes.insert(changes.end(), more.begin(), more.end());
            }
        }
    }
    std::uint64_t spent = 0;
    std::optional<Remedy> of_some; // findings stay
    for (Change& change : changes) {
        Remedy remedy{change.words, edited(code.text(), std::move(change.edits))};
        bool ends = spent < kPatience;
        for (const WarpOrder order : {options.order, WarpOrder::reverse, WarpOrder::random}) {
            if (control.cancel) {
                throw Cancelled();
            }
            RunOptions in_order = options;
            in_order.order = order;
            const auto run = ends ? run_with(in_order, remedy.text, true, control) : std::nullopt;
            spent += effort(run) + kHostEffort;
            const Found after = run ? found(*run) : before;
            ends = run && run->completed() && !fails(run->program) && std::ranges::includes(before, after) &&
                   (failed || after.size() < before.size());
            remedy.left = ends ? std::max(remedy.left, after.size()) : remedy.left;
            if (!ends) {
                break;
            }
        }
        if (ends && remedy.left == 0) {
            return remedy;
        }
        if (ends && (!of_some || remedy.left < of_some->left)) {
            of_some = remedy;
        }
    }
    return of_some;
}

} // namespace warptree::runs
