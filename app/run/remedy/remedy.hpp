// What to write so that a finding goes away.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptree::runs {

struct Remedy {
    std::string words;   // "a barrier between the store and the load"
    std::string text;    // of the whole file, changed
    bool orders = false; // it only orders what was done before: right even where the result is wrong for another reason
    bool guards = false; // it keeps threads from what they did: right only if that left nothing unset
    std::size_t left = 0; // findings after it, of a remedy that was tried
    friend bool operator==(const Remedy&, const Remedy&) = default;
};

struct FindingPlace {
    static constexpr std::uint32_t kHost = 0xFFFFFFFF;
    static constexpr std::uint32_t kCost = 0xFFFFFFFE;    // of no finding, but of what the run costs
    static constexpr std::uint32_t kFailure = 0xFFFFFFFD; // nor of one, but of how the program ends
    std::uint32_t launch = 0, finding = 0;                // of the trace; kHost: of the host's half of a program
    friend auto operator<=>(const FindingPlace&, const FindingPlace&) = default;
};
const Finding& finding_at(const Trace& trace, FindingPlace place);
// Of all findings: the host's half first, as what it does wrong shows in its kernels.
std::vector<FindingPlace> finding_places(const Trace& trace);

// Changes of the file that may mend a finding, the likeliest first; none for most kinds. Each is a guess about the text.
std::vector<Remedy> possible_remedies(const Trace& trace, FindingPlace place);

// What a change was looked for against.
enum class Mended : std::uint8_t {
    finding,
    failure, // of a program, by a check of its own
    other,   // what is told of launches that are not shown
    cost,
};
struct FoundRemedy {
    Mended what = Mended::finding;
    FindingPlace place; // where it is told
    std::string with;   // of another launch with one finding to mend: "elements = 1000 (-n 1000)"
    Remedy remedy;
};
// The one way to a change of a trace's kernel file or program, run as `options` say; nullopt: no change that was tried mends
// anything. A finding comes first, faults before risks; `only`: that one alone. Then how a program fails, what other launches tell,
// and last, where nothing is wrong, what a line costs. What leaves findings of a program that fails gives way to a change with which
// it does not. Throws Cancelled.
std::optional<FoundRemedy> find_remedy(const RunOptions& options, const Trace& trace, std::optional<FindingPlace> only,
                                       RunControl& control);

// The first of the possible remedies that does: run as `options` say (a program: whole), in other orders of warps and blocks, and in
// the size that the program chooses, the changed file no longer has the finding nor another of its kind on the array, has no new
// one, and its result is right if it can be told (a program that failed: its exit code is another); else the first after which they
// are fewer; else the first that does but for the result, if it orders alone. Only so many runs are tried. nullopt: none. Throws
// Cancelled.
std::optional<Remedy> certain_remedy(const RunOptions& options, const Trace& trace, FindingPlace place,
                                     RunControl& control);
// The first finding of a trace of a kernel file, faults before risks, for which there is a certain remedy; `only`: that one
// alone. nullopt: none. Throws Cancelled.
std::optional<FoundRemedy> first_remedy(const RunOptions& options, const Trace& trace, std::optional<FindingPlace> only,
                                        RunControl& control);
// Of a trace without findings, one of whose lines costs several times what would do: the first change with which fewer do, and the whole
// run takes less, with the same results. nullopt: none. Throws Cancelled.
std::optional<Remedy> cheaper_remedy(const RunOptions& options, const Trace& trace, RunControl& control);
// Of a kernel alone that is right as it is shown, and wrong with other contents or another number of elements: what a maximum or
// minimum has to begin with, so that less is told and the results shown stay. nullopt: none. Throws Cancelled.
bool may_begin_otherwise(const Trace& trace); // there is what can be tried
std::optional<Remedy> remedy_of_beginning(const RunOptions& options, const Trace& trace, RunControl& control);
// Of a program that fails, or has findings that nothing else mends: the first change of a host's or a loop's
// commonest mistakes, or of one token in a line with a finding, with which it does not, in other orders, too, without a finding that
// it has not now; if it did not before, with fewer. nullopt: none. Throws Cancelled.
std::optional<Remedy> remedy_of_failure(const RunOptions& options, const Trace& trace, RunControl& control);

// "a barrier between the two accesses:", and below it the difference, "+" before what comes and "-" before what goes.
std::string remedy_text(const Remedy& remedy, const std::string& before);

} // namespace warptree::runs
