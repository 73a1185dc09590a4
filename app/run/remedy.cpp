// A change is offered only when runs of the changed file show that it mends.
#include "app/run/remedy.hpp"

#include "app/base/error.hpp"
#include "app/compile/compiler.hpp"
#include "app/run/kernel_run.hpp"
#include "app/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

namespace warptree::runs {

namespace {
constexpr std::chrono::seconds kPatience{20}; // for what is tried against one finding

// What a finding is told apart by: lines move when the text changes.
using Kinds = std::multiset<std::tuple<FindingKind, Severity, std::string>>;

Kinds kinds_of(const Trace& trace) {
    Kinds all;
    for (const Finding& f : trace.program.findings) {
        all.insert({f.kind, f.severity, f.array});
    }
    for (const Launch& launch : trace.launches) {
        for (const Finding& f : launch.findings) {
            all.insert({f.kind, f.severity, f.array});
        }
    }
    return all;
}

// None that `before` has not, and one less of the one that is mended.
bool mends(const Kinds& before, const Kinds& after, const Finding& finding) {
    const auto key = std::tuple{finding.kind, finding.severity, finding.array};
    return std::includes(before.begin(), before.end(), after.begin(), after.end()) &&
           after.count(key) < before.count(key);
}

// The launch as it is where nobody states how large; nullopt: nobody has.
std::optional<RunOptions> without_sizes(const RunOptions& options) {
    if (!options.kernel.n_given && !options.block && options.kernel.block.empty()) {
        return std::nullopt;
    }
    RunOptions o = options;
    o.n = RunOptions{}.n;
    o.kernel.n_given = false;
    o.block.reset();
    o.kernel.block.clear();
    return o;
}

std::optional<Trace> tried(RunOptions options, const std::string& text, RunControl& control) {
    options.kernel.text = text;
    try {
        return run_any(options, control);
    } catch (const SourceError&) {
    } catch (const OptionError&) {
    } catch (const compile::CompileError&) {
    }
    return std::nullopt;
}
} // namespace

std::optional<Remedy> certain_remedy(const RunOptions& options, const Trace& trace, const Finding& finding,
                                     RunControl& control) {
    const std::vector<Remedy> possible = possible_remedies(trace, finding);
    if (possible.empty()) {
        return std::nullopt;
    }
    const Kinds before = kinds_of(trace);
    const bool judged = !trace.expected.empty() && trace.expected != "none";
    const auto end = std::chrono::steady_clock::now() + kPatience;
    // What mends the smallest launch that goes wrong may not do in a larger one.
    const std::optional<RunOptions> usual = without_sizes(options);
    const std::optional<Trace> unchanged =
        usual && !trace.sources.empty() ? tried(*usual, trace.sources.front().text, control) : std::nullopt;
    const auto mends_the_usual = [&](const Remedy& remedy) {
        if (!unchanged) {
            return true;
        }
        const Kinds was = kinds_of(*unchanged);
        const auto run = tried(*usual, remedy.text, control);
        return run && run->completed() &&
               (was.contains({finding.kind, finding.severity, finding.array})
                    ? mends(was, kinds_of(*run), finding)
                    : std::ranges::includes(was, kinds_of(*run)));
    };
    std::optional<Remedy> of_order;
    for (const Remedy& remedy : possible) {
        if (std::chrono::steady_clock::now() > end) {
            break;
        }
        bool mended = true, right = true;
        for (const WarpOrder order : {options.order, WarpOrder::reverse, WarpOrder::random}) {
            if (control.cancel) {
                throw Cancelled();
            }
            RunOptions in_order = options;
            in_order.order = order;
            const auto run = tried(in_order, remedy.text, control);
            mended = run && run->completed() && mends(before, kinds_of(*run), finding);
            right =
                right && mended && (!judged || run->pass || !kinds_of(*run).empty()); // else one more thing is wrong
            if (!mended || (!right && (!remedy.orders || of_order))) {
                break;
            }
        }
        mended = mended && mends_the_usual(remedy);
        if (mended && right) {
            return remedy;
        }
        if (mended && remedy.orders && !of_order) {
            of_order = remedy;
        }
    }
    return of_order;
}

std::optional<MendedFinding> first_remedy(const RunOptions& options, const Trace& trace,
                                          std::optional<FindingPlace> only, RunControl& control) {
    for (const Severity severity : {Severity::fault, Severity::risk}) {
        for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
            const Launch& launch = trace.launches[l];
            for (std::uint32_t f = 0; f < launch.findings.size(); ++f) {
                const FindingPlace place{l, f};
                if (launch.findings[f].severity != severity || (only && *only != place)) {
                    continue;
                }
                if (auto remedy = certain_remedy(options, trace, launch.findings[f], control)) {
                    return MendedFinding{place, std::move(*remedy)};
                }
            }
        }
    }
    return std::nullopt;
}

std::string remedy_text(const Remedy& remedy, const std::string& before) {
    std::string out = remedy.words + ":\n";
    for (const DifferenceLine& line : difference(before, remedy.text)) {
        const char mark = line.kind == DifferenceLine::Kind::comes  ? '+'
                          : line.kind == DifferenceLine::Kind::goes ? '-'
                                                                    : ' ';
        out += fmt::format("{} {:>4}  {}\n", mark, line.line, line.text);
    }
    return out;
}

} // namespace warptree::runs
