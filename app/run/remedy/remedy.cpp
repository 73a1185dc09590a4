// A change is offered only when runs of the changed file show that it mends.
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/copies.hpp"
#include "app/run/remedy/costs.hpp"
#include "app/run/remedy/failure.hpp"
#include "app/run/remedy/text_difference.hpp"
#include "app/run/remedy/tokens.hpp"

#include "app/base/error.hpp"
#include "app/compile/client/compiler.hpp"
#include "app/run/kernel_run.hpp"
#include "app/run/program/run.hpp"
#include "app/run/run.hpp"
#include "app/run/tries/unset_elements.hpp"
#include "app/trace/explain/costs.hpp"
#include "app/trace/model/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace warptree::runs {

namespace {
// For what is tried against one finding, in units of effort(). Not a time: the same text is offered the same mend however busy
// the machine is.
constexpr std::uint64_t kPatience = 64;

// The host's half of a program takes so much longer to compile.
constexpr std::uint64_t kHost = 3;

// A run that compiles and is small takes one, some 0.2 s; as many warp-level accesses to memory take as long again.
std::uint64_t effort(const std::optional<Trace>& run) {
    std::uint64_t requests = 0;
    for (std::size_t l = 0; run && l < run->launches.size(); ++l) {
        for (const Step& step : run->launches[l].steps) {
            const Counters& c = step.counters;
            requests +=
                c.global_load_requests + c.global_store_requests + c.shared_load_requests + c.shared_store_requests;
        }
    }
    return 1 + (requests >> 18);
}

// What a finding is told apart by: lines move when the text changes.
using Kinds = std::multiset<std::tuple<FindingKind, Severity, std::string>>;

// Of what ran up to a place: of a program the launches before are it, where what is mended ended it, as what comes after
// was hidden.
class Scope {
  public:
    Scope(const Trace& trace, FindingPlace place)
        : launches_(!trace.program.entry.empty() && place.launch != FindingPlace::kHost &&
                            ends_the_run(finding_at(trace, place))
                        ? place.launch + 1
                        : kAll),
          failed_(trace.program.exit != 0), fault_(finding_at(trace, place).severity == Severity::fault) {}

    Kinds kinds(const Trace& trace) const {
        Kinds all;
        each(trace, [&](const Finding& f) { all.insert({f.kind, f.severity, f.array}); });
        return all;
    }
    // How often what is told apart as `finding` is was found.
    std::uint64_t times(const Trace& trace, const Finding& finding) const {
        std::uint64_t sum = 0;
        each(trace, [&](const Finding& f) {
            sum += f.kind == finding.kind && f.severity == finding.severity && f.array == finding.array ? f.times : 0;
        });
        return sum;
    }
    bool completed(const Trace& trace) const {
        return launches_ == kAll ? trace.completed()
                                 : trace.launches.size() >= launches_ && trace.launches[launches_ - 1].completed();
    }

  private:
    template <class F> void each(const Trace& trace, const F& f) const {
        const auto unless_hidden = [&](const Finding& finding) {
            if (!hidden_before(finding.kind)) {
                f(finding);
            }
        };
        if (launches_ == kAll) {
            std::ranges::for_each(trace.program.findings, unless_hidden);
        }
        for (std::size_t l = 0; l < std::min(launches_, trace.launches.size()); ++l) {
            std::ranges::for_each(trace.launches[l].findings, unless_hidden);
        }
    }
    // What is not told of a program that fails, which need not free, nor beside a fault: it does not come with what mends that.
    bool hidden_before(FindingKind kind) const {
        return (kind == FindingKind::leak && failed_) ||
               (std::ranges::find(kExplaining, kind) != kExplaining.end() && fault_);
    }

    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    std::size_t launches_;
    bool failed_, fault_;
};

// None that `before` has not, and one less of the one that is mended, if that was there.
bool mends(const Kinds& before, const Kinds& after, const Finding& finding) {
    const auto key = std::tuple{finding.kind, finding.severity, finding.array};
    return std::ranges::includes(before, after) && (!before.contains(key) || after.count(key) < before.count(key));
}

// Whether the host reads back what no thread has written, and did not before.
bool leaves_unset(const Trace& after, const Trace& before) {
    return std::ranges::any_of(after.program.findings, [&](const Finding& f) {
        return (f.kind == FindingKind::uninitialised_copy || f.kind == FindingKind::uncovered) &&
               std::ranges::none_of(before.program.findings, [&](const Finding& other) {
                   return other.kind == f.kind && other.array == f.array;
               });
    });
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

std::optional<Trace> run_with(RunOptions options, const std::string& text, bool program, RunControl& control) {
    options.kernel.text = text;
    try {
        std::optional<Guess> none;
        return program ? run_shown(without_a_call(options), true, none, control) : run_any(options, control);
    } catch (const SourceError&) {
    } catch (const OptionError&) {
    } catch (const compile::CompileError&) {
    }
    return std::nullopt;
}
// The launch that a trace of a kernel file shows, again: another choice of the program's would hide what is still wrong.
class SameLaunch {
  public:
    SameLaunch(const RunOptions& options, const Trace& trace, RunControl& control)
        : options_(options), control_(control) {
        if (!is_kernel_file(options) || !trace.program.entry.empty() || trace.sources.empty()) {
            return;
        }
        unchanged_ = trace.sources.front().text;
        options_.kernel.text = unchanged_;
        try {
            run_kernel_file(options_, guess_, control_);
            guess_->ended = true; // this very launch, however it ended
        } catch (const Error&) {  // as where the trace is another launch's
            guess_.reset();
        }
        // Several warps, where the one shown may have but one at work.
        constexpr std::uint64_t kWarps = 4;
        larger_ = trace.options.n <= kWarpSize ? kWarps * kWarpSize : 2 * trace.options.n;
    }
    bool known() const { return guess_.has_value(); }
    std::optional<Trace> run(const std::string& text) { return with(options_, guess_, text); }
    // With more elements.
    std::optional<Trace> run_larger(const std::string& text) {
        RunOptions o = options_;
        auto guess = guess_;
        (o.kernel.n_given ? o.n : guess->choices.n) = larger_;
        return with(o, guess, text);
    }
    const std::optional<Trace>& unchanged_larger() {
        if (!unchanged_larger_) {
            unchanged_larger_ = run_larger(unchanged_);
        }
        return unchanged_larger_;
    }

  private:
    std::optional<Trace> with(RunOptions o, std::optional<Guess> guess, const std::string& text) {
        o.kernel.text = text;
        try {
            return run_kernel_file(o, guess, control_);
        } catch (const SourceError&) {
        } catch (const OptionError&) {
        } catch (const compile::CompileError&) {
        }
        return std::nullopt;
    }

    RunOptions options_;
    RunControl& control_;
    std::optional<Guess> guess_;
    std::string unchanged_;
    std::uint64_t larger_ = 0;
    std::optional<Trace> unchanged_larger_;
};

std::size_t occurrences(const std::string& text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}
} // namespace

std::optional<Remedy> certain_remedy(const RunOptions& options, const Trace& trace, FindingPlace place,
                                     RunControl& control) {
    const Finding& finding = finding_at(trace, place);
    const std::vector<Remedy> possible = possible_remedies(trace, place);
    if (possible.empty()) {
        return std::nullopt;
    }
    const Scope scope(trace, place);
    const bool program = !trace.program.entry.empty();
    const bool judged = !trace.expected.empty() && trace.expected != "none";
    std::uint64_t spent = 0;
    const auto tried = [&](const RunOptions& o, const std::string& text) {
        auto run = run_with(o, text, program, control);
        spent += effort(run) + (program ? kHost : 0);
        return run;
    };
    // What mends the smallest launch that goes wrong may not do in a larger one.
    const std::optional<RunOptions> usual = program ? std::nullopt : without_sizes(options);
    const std::string unchanged = trace.sources.empty() ? std::string() : trace.sources.front().text;
    struct Before { // of the unchanged text
        Kinds kinds;
        std::uint64_t times = 0;
    };
    std::map<WarpOrder, Before> before;
    before[options.order] = {scope.kinds(trace), scope.times(trace, finding)};
    const auto before_in = [&](const RunOptions& in_order) -> const Before& {
        const auto [at, absent] = before.try_emplace(in_order.order);
        if (absent) {
            const auto run = tried(in_order, unchanged);
            at->second = run ? Before{scope.kinds(*run), scope.times(*run, finding)} : before[options.order];
        }
        return at->second;
    };
    const std::optional<Trace> usually = usual ? tried(*usual, unchanged) : std::nullopt;
    const auto mends_the_usual = [&](const Remedy& remedy) {
        if (!usually) {
            return true;
        }
        const auto run = tried(*usual, remedy.text);
        return run && scope.completed(*run) && mends(scope.kinds(*usually), scope.kinds(*run), finding);
    };
    std::optional<SameLaunch> same;
    const auto mends_the_same = [&](const Remedy& remedy) {
        if (program) {
            return true;
        }
        if (!same) {
            same.emplace(options, trace, control);
            ++spent;
        }
        if (!same->known()) {
            return true;
        }
        const auto run = same->run(remedy.text);
        spent += effort(run);
        if (!run || !scope.completed(*run) || scope.times(*run, finding) >= before[options.order].times) {
            return false;
        }
        // A barrier of a warp, or of a block in global memory, that orders all that few elements have at work.
        const bool of_a_warp = occurrences(remedy.text, "__syncwarp") > occurrences(unchanged, "__syncwarp");
        const bool of_a_block = finding.kind == FindingKind::race_global &&
                                occurrences(remedy.text, "__syncthreads") > occurrences(unchanged, "__syncthreads");
        if (!of_a_warp && !of_a_block) {
            return true;
        }
        const std::optional<Trace>& larger = same->unchanged_larger();
        if (!larger || !scope.completed(*larger)) {
            return true;
        }
        const auto more = same->run_larger(remedy.text);
        spent += effort(more);
        return more && scope.completed(*more) && scope.times(*more, finding) == 0 &&
               std::ranges::includes(scope.kinds(*larger), scope.kinds(*more));
    };
    std::optional<Remedy> of_some, of_order; // others of its kind stay, and fewer; it only orders
    for (Remedy remedy : possible) {
        if (spent >= kPatience) {
            break;
        }
        bool mended = true, right = true, all = true;
        for (const WarpOrder order : {options.order, WarpOrder::reverse, WarpOrder::random}) {
            if (control.cancel) {
                throw Cancelled();
            }
            RunOptions in_order = options;
            in_order.order = order;
            const auto run = tried(in_order, remedy.text);
            // A kernel that is launched no more is not mended.
            mended = run && run->launches.size() >= trace.launches.size() && scope.completed(*run) &&
                     mends(before_in(in_order).kinds, scope.kinds(*run), finding) &&
                     (scope.times(*run, finding) == 0 || scope.times(*run, finding) < before_in(in_order).times) &&
                     !(remedy.guards && (leaves_unset(*run, trace) || stores_fewer(*run, trace, finding)));
            remedy.left = run ? std::max(remedy.left, scope.kinds(*run).size()) : remedy.left;
            all = all && mended && scope.times(*run, finding) == 0;
            // Else one more thing is wrong. A program that checks itself says so by its exit code.
            right = right && mended && (!judged || run->pass || !scope.kinds(*run).empty()) &&
                    (!program || run->program.exit == 0 || run->program.exit != trace.program.exit);
            if (!mended || (!right && (!remedy.orders || of_order))) {
                break;
            }
        }
        mended = mended && mends_the_usual(remedy) && mends_the_same(remedy);
        if (mended && right && all) {
            return remedy;
        }
        if (mended && right && !of_some) {
            of_some = remedy;
        }
        if (mended && remedy.orders && !of_order) {
            of_order = remedy;
        }
    }
    return of_some ? of_some : of_order;
}

std::optional<MendedFinding> first_remedy(const RunOptions& options, const Trace& trace,
                                          std::optional<FindingPlace> only, RunControl& control) {
    const std::vector<FindingPlace> places = finding_places(trace);
    for (const Severity severity : {Severity::fault, Severity::risk}) {
        for (const FindingPlace& place : places) {
            if (finding_at(trace, place).severity != severity || (only && *only != place)) {
                continue;
            }
            if (auto remedy = certain_remedy(options, trace, place, control)) {
                return MendedFinding{place, std::move(*remedy)};
            }
            // What comes after a copy that went wrong may only be its consequence.
            if (!only && severity == Severity::fault && place.launch == FindingPlace::kHost) {
                return std::nullopt;
            }
        }
    }
    return std::nullopt;
}

std::optional<Remedy> cheaper_remedy(const RunOptions& options, const Trace& trace, RunControl& control) {
    const std::size_t told = costs(trace).size();
    if (told == 0 || trace.sources.empty() || !trace.completed() || !finding_places(trace).empty()) {
        return std::nullopt;
    }
    const auto work = [](const Trace& run) {
        const Metrics m = metrics(run);
        return m.shared_wavefronts() + m.sectors() + m.totals.active_warps + m.totals.barriers;
    };
    const bool program = !trace.program.entry.empty();
    std::optional<SameLaunch> same;
    if (!program && !same.emplace(options, trace, control).known()) {
        return std::nullopt;
    }
    const Statements code(trace.sources.front().text);
    for (Change& change : cheaper_changes(code)) {
        Remedy remedy{change.words, edited(code.text(), std::move(change.edits))};
        const auto run = program ? run_with(options, remedy.text, true, control) : same->run(remedy.text);
        if (run && run->completed() && finding_places(*run).empty() && run->outputs == trace.outputs &&
            run->program.exit == trace.program.exit && run->program.printed == trace.program.printed &&
            costs(*run).size() < told && work(*run) < work(trace)) {
            return remedy;
        }
    }
    return std::nullopt;
}

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
            spent += effort(run) + kHost;
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
