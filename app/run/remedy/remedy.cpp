// The order in which changes are looked for, and their words.
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/text_difference.hpp"

#include "app/base/error.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptree::runs {

namespace {
bool wrong_elsewhere(const Trace& trace) {
    return std::ranges::any_of(trace.tried, [](const OtherLaunch& o) { return o.wrong; });
}

// What was told of another number of elements is a finding of a launch with so many.
std::optional<FoundRemedy> remedy_of_another_size(RunOptions options, const Trace& trace, RunControl& control) {
    const auto tried = std::ranges::find_if(trace.tried, [](const OtherLaunch& o) { return o.n != 0 && o.wrong; });
    if (tried == trace.tried.end() || !trace.program.entry.empty()) {
        return std::nullopt;
    }
    options.n = tried->n;
    options.kernel.n_given = true;
    try {
        auto found = first_remedy(options, run_any(options, control), std::nullopt, control);
        if (found) {
            found->what = Mended::other;
            found->place = {FindingPlace::kFailure, kNone};
            found->with = with_elements(tried->n);
        }
        return found;
    } catch (const OptionError&) {
        return std::nullopt;
    }
}
} // namespace

std::optional<FoundRemedy> find_remedy(const RunOptions& options, const Trace& trace, std::optional<FindingPlace> only,
                                       RunControl& control) {
    auto found = first_remedy(options, trace, only, control);
    const bool in_part = found && found->remedy.left != 0 && !only && fails(trace.program);
    if (found && !in_part) {
        return found;
    }
    if (auto ends = remedy_of_failure(options, trace, control); ends && (!found || ends->left < found->remedy.left)) {
        return FoundRemedy{Mended::failure, {FindingPlace::kFailure, kNone}, {}, std::move(*ends)};
    }
    if (found) {
        return found;
    }
    if (auto other = remedy_of_another_size(options, trace, control)) {
        return other;
    }
    if (auto begins = remedy_of_beginning(options, trace, control)) {
        return FoundRemedy{Mended::other, {FindingPlace::kFailure, kNone}, {}, std::move(*begins)};
    }
    if (wrong_elsewhere(trace)) {
        return std::nullopt;
    }
    if (auto cheaper = cheaper_remedy(options, trace, control)) {
        return FoundRemedy{Mended::cost, {FindingPlace::kCost, kNone}, {}, std::move(*cheaper)};
    }
    return std::nullopt;
}

std::string remedy_text(const Remedy& remedy, const std::string& before) {
    std::string out = remedy.words;
    if (remedy.left != 0) {
        out += fmt::format(", after which {} finding{} stay{}", remedy.left, remedy.left == 1 ? "" : "s",
                           remedy.left == 1 ? "s" : "");
    }
    out += ":\n";
    for (const DifferenceLine& line : difference(before, remedy.text)) {
        const char mark = line.kind == DifferenceLine::Kind::comes  ? '+'
                          : line.kind == DifferenceLine::Kind::goes ? '-'
                                                                    : ' ';
        out += fmt::format("{} {:>4}  {}\n", mark, line.line, line.text);
    }
    return out;
}

} // namespace warptree::runs
