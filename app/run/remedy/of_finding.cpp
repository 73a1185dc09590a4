// What mends one finding: runs of the changed file show that it does.
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/trial.hpp"

#include "app/base/error.hpp"
#include "app/run/tries/unset_elements.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace warptree::runs {

namespace {
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
        return (kind == FindingKind::leak && failed_) || (explains(kind) && fault_);
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
        spent += effort(run) + (program ? kHostEffort : 0);
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

std::optional<FoundRemedy> first_remedy(const RunOptions& options, const Trace& trace, std::optional<FindingPlace> only,
                                        RunControl& control) {
    const std::vector<FindingPlace> places = finding_places(trace);
    for (const Severity severity : {Severity::fault, Severity::risk}) {
        for (const FindingPlace& place : places) {
            if (finding_at(trace, place).severity != severity || (only && *only != place)) {
                continue;
            }
            if (auto remedy = certain_remedy(options, trace, place, control)) {
                return FoundRemedy{Mended::finding, place, {}, std::move(*remedy)};
            }
            // What comes after a copy that went wrong may only be its consequence.
            if (!only && severity == Severity::fault && place.launch == FindingPlace::kHost) {
                return std::nullopt;
            }
        }
    }
    return std::nullopt;
}

} // namespace warptree::runs
