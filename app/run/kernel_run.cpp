#include "app/run/kernel_run.hpp"

#include "app/base/error.hpp"
#include "app/base/type_words.hpp"
#include "app/run/choice/array_beginning.hpp"
#include "app/run/choice/each_instruction.hpp"
#include "app/run/choice/launch_fit.hpp"
#include "app/run/choice/tested_contents.hpp"
#include "app/run/kernel_attempt.hpp"
#include "app/run/remedy/index.hpp"
#include "app/run/run.hpp"
#include "app/run/tracing_device.hpp"
#include "app/run/tries/launch_beside.hpp"
#include "app/run/tries/next_try.hpp"
#include "app/trace/explain/doubtful_values.hpp"
#include "app/trace/explain/reduced_elements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
// Whether a line stores to an element whose number is computed from what the kernel loads, and is not just loaded.
bool stores_by_data(const compile::Program& program, const compile::Kernel& kernel, std::uint32_t line) {
    using compile::Opcode;
    HeldRows loaded, computed;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const bool here = program.locations[in.location].line == line;
        if (in.op == Opcode::store && here && (computed.has(in.a) || computed.has(in.b))) {
            return true;
        }
        const bool moves = moves_a_number(in.op), loads = in.op == Opcode::load;
        const bool of_data = loaded.has(in.a) || loaded.has(in.b) || computed.has(in.a) || computed.has(in.b);
        const bool passes = in.op == Opcode::address && !computed.has(in.a) && !computed.has(in.b);
        computed.after(in, !loads && of_data && !passes && !(moves && loaded.has(in.a)));
        loaded.after(in, loads || (moves && loaded.has(in.a)));
        for_each_move(program, in, [&](const compile::Move& move) {
            if (computed.has(move.src)) {
                computed.add(move.dst);
            }
        });
    }
    return false;
}

// Looks for the call of a kernel that is shown, where nobody says it.
class KernelRun {
  public:
    KernelRun(const RunOptions& options, RunControl& control) : shown_(options, control) {}

    Trace run(std::optional<Guess>& guess) {
        const std::string kernel = shown_.signature();
        if (guess && guess->kernel == kernel && guess->ended) {
            Trace trace = guess->replaced ? in_place_of_the_first(*guess) : kept(*guess);
            try_beside(shown_, trace);
            return trace;
        }
        Trace trace = run();
        Adjusted choices = shown_.adjusted();
        if (shown_.first().block_chosen) {
            choices.block = shown_.first().block;
        }
        choices.n = shown_.first().n_chosen ? shown_.first().n : 0;
        guess = Guess{kernel, std::move(choices), trace.completed(), replaced_};
        return trace;
    }

    // Whether the kernel is told how many elements there are, and asks.
    bool uses_n() const { return shown_.uses_n(); }

  private:
    static constexpr int kMostTries = 12;

    Trace kept(const Guess& guess) {
        return shown_.attempt(guess.choices, guess.choices.n == kFewestElements ? kLastTry : kLaterTries);
    }
    // With what the launch finds that was tried first, as when the guess was made.
    Trace in_place_of_the_first(const Guess& guess) {
        const Trace first = shown_.attempt({}, kFirstTries, true);
        const bool ended = !shown_.completed();
        const KernelLaunch launched = shown_.first();
        Trace trace = kept(guess);
        return ended ? instead(shown_, first, launched, std::move(trace)) : std::move(trace);
    }

    Trace run() {
        Trace trace = fitted(shown_, settle());
        const KernelLaunch launched = shown_.first();
        const Adjusted before = shown_.adjusted();
        if (const auto other = contents_that_race(trace)) {
            Trace again = shown_.attempt(*other, std::max(shown_.instructions(), kLaterTries));
            if (shown_.completed() && races(again.launches.front())) {
                again.tried = std::move(trace.tried);
                const bool hidden = has_like(trace.launches.front(), again.launches.front());
                again.tried.push_back({.with = fmt::format("{}", fmt::join(shown_.other_arguments(launched), ", ")),
                                       .found = hidden ? "race (risk)" : "no race",
                                       .rest = hidden ? ", which its data hide: what is stored is what was there, "
                                                        "or what others store"
                                                      : ", as its data keeps threads from what races",
                                       .wrong = false});
                return again;
            }
            again = shown_.attempt(before, std::max(shown_.instructions(), kAside));
            again.tried = std::move(trace.tried);
            trace = std::move(again);
        }
        show_unsorted(trace);
        show_stored(trace);
        try_a_second_tile(shown_, trace);
        try_beside(shown_, trace);
        return trace;
    }

    // The launch whose trace is shown if it is right: the first that comes to an end.
    Trace settle() {
        Trace first = shown_.attempt({}, kFirstTry);
        refuse_links();
        const KernelLaunch launched = shown_.first();
        Adjusted now;
        const bool stuck = shown_.ending().kind == FindingKind::deadlock;
        if (auto filled = filled_attempt(now, kFirstTry); filled && (stuck || shown_.completed())) {
            return instead(shown_, first, launched, std::move(*filled));
        }
        const bool expects = shown_.expected().kind != Expected::Kind::none;
        if (auto few = expects ? std::nullopt : few_attempt()) {
            return std::move(*few);
        }
        const bool one_block = !knows_its_block(shown_.last().program(), shown_.last().kernel());
        if (one_block && !shown_.completed() && !expects && shown_.ending().kind == FindingKind::endless &&
            ends(now, kAside)) { // is soon done
            return with_data(shown_.attempt(now, kAside), now, kAside);
        }
        if (auto fewer = expects ? std::nullopt : fewer_attempt(first, launched)) {
            return std::move(*fewer);
        }
        // A long loop may not depend on n: then the same launch ends, only later.
        for (const std::uint64_t later : {kFirstTries, kLaterTries}) {
            if (!shown_.completed() && !expects && shown_.ending().kind == FindingKind::endless && ends(now, later)) {
                Trace again = shown_.attempt(now, later);
                if (shown_.completed()) {
                    return with_data(std::move(again), now, later);
                }
            }
        }
        const auto is_long = [](const Finding& f) { return f.kind == FindingKind::endless; };
        if (!shown_.completed() && !expects && !is_long(shown_.ending()) &&
            std::ranges::any_of(first.launches.front().findings, is_long)) { // what it comes to later is what is wrong
            first = shown_.attempt({}, kLaterTries);
        }
        const bool late =
            !shown_.completed() && !expects && shown_.ending().kind == FindingKind::endless && !is_endless(kLastTry);
        replaced_ = !late && !shown_.completed();
        if (late && shown_.completed()) { // too much to record
            ends({}, kFirstTries);
        }
        Adjusted told; // what is shown if none of them comes to an end
        for (int tries = 0; !shown_.completed(); ++tries) {
            if (told == Adjusted{} && now.block && fits_its_arrays(shown_)) {
                told = now;
            }
            const auto next = tries == kMostTries ? std::nullopt
                                                  : next_try(shown_.last().program(), shown_.last().launch(), now,
                                                             shown_.ending(), expects);
            if (!next) {
                break;
            }
            now = *next;
            const std::uint64_t most = now.n == kFewestElements ? kLastTry : kLaterTries;
            if (shown_.ending().kind == FindingKind::endless && !ends(now, most)) {
                continue;
            }
            Trace again = shown_.attempt(now, most);
            if (shown_.completed() && !expects && !has_many()) { // of one element nothing goes wrong
                break;
            }
            if (shown_.completed()) {
                Trace trace = with_data(std::move(again), now, most);
                return replaced_ ? instead(shown_, first, launched, std::move(trace)) : std::move(trace);
            }
        }
        if (told != Adjusted{}) {
            return instead(shown_, first, launched, shown_.attempt(told, kFirstTries));
        }
        return now == Adjusted{} ? std::move(first) : shown_.attempt({}, kFirstTries);
    }

    // Whether the launch that is tried first is still running after many times as long.
    bool is_endless(std::uint64_t instructions) {
        return !ends({}, instructions) && shown_.ending().kind == FindingKind::endless;
    }

    // Where a launch takes long because each thread goes through the n elements that the program chose: the launch with fewer. What
    // would end, only later, is not told as endless. nullopt: with fewer it does not end either.
    std::optional<Trace> fewer_attempt(const Trace& first, const KernelLaunch& launched) {
        if (shown_.completed() || shown_.ending().kind != FindingKind::endless || !launched.n_chosen) {
            return std::nullopt;
        }
        // Several blocks still, where it asks for its own.
        const bool narrow = launched.block_chosen && launched.block[1] * launched.block[2] == 1 &&
                            knows_its_block(shown_.last().program(), shown_.last().kernel());
        for (const std::uint32_t n : {256U, 128U, 64U}) {
            Adjusted fewer;
            fewer.n = n;
            if (const std::uint32_t threads = std::max(n / 4, kWarpSize); narrow && threads < launched.block[0]) {
                fewer.block = simt::Extent{threads, 1, 1};
            }
            if (n >= launched.n || !ends(fewer, kFirstTry) || !has_many()) {
                continue;
            }
            replaced_ = is_endless(kLaterTries);
            Trace trace = with_data(shown_.attempt(fewer, kFirstTries), fewer, kFirstTries);
            return replaced_ ? instead(shown_, first, launched, std::move(trace)) : std::move(trace);
        }
        return std::nullopt;
    }

    // Whether it reaches more than one element of an array.
    bool has_many() const {
        for (std::uint32_t p = 0; p < shown_.first().parameters.size(); ++p) {
            if (shown_.last().is_array(p) && shown_.last().reached(p) > 1) {
                return true;
            }
        }
        return false;
    }

    // Where it goes past an array of stated size by a number that is n because nobody said another one, as the order of a filter
    // whose coefficients are in shared memory: the launch with a few. nullopt: nothing is right with that.
    std::optional<Trace> few_attempt() {
        const KernelLaunch launched = shown_.first();
        const std::string array = shown_.ending().array;
        const auto is_told = [&](const compile::Parameter& p) { return p.name == array; };
        const std::vector<std::uint32_t>& shared = shown_.last().kernel().shared;
        const auto is_dynamic = [&](std::uint32_t s) {
            const compile::SharedArray& a = shown_.last().program().shared[s];
            return a.bytes == 0 && a.name == array;
        };
        if (shown_.completed() || shown_.ending().kind != FindingKind::out_of_bounds || array.empty() ||
            std::ranges::any_of(launched.parameters, is_told) || std::ranges::any_of(shared, is_dynamic)) {
            return std::nullopt;
        }
        constexpr std::array<std::string_view, 7> kSizes{"n",      "N",     "size", "len",
                                                         "length", "count", "num"}; // of the data
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t p = 0; p < launched.parameters.size(); ++p) {
            if (launched.arguments[p].chosen && launched.arguments[p].text == "n") {
                numbers.push_back(p);
            }
        }
        for (const std::uint32_t p : numbers) {
            const std::string& name = launched.parameters[p].name;
            if (numbers.size() < 2 || std::ranges::find(kSizes, name) != kSizes.end()) {
                continue;
            }
            Adjusted other;
            other.few = p;
            Launch launch;
            if (shown_.run_aside(other, kFirstTries, launch) && launch.findings.empty()) {
                Trace again = shown_.attempt(other, kFirstTries);
                if (shown_.completed()) {
                    return again;
                }
            }
        }
        return std::nullopt;
    }

    // The launch with contents in arrays that the last one read before it wrote them, which `next` then has. A finding stands for
    // all arrays of its line, so that there may be more the next time. nullopt: there are none.
    std::optional<Trace> filled_attempt(Adjusted& next, std::uint64_t instructions) {
        constexpr int kMost = 8;
        std::optional<Trace> trace;
        for (int tries = 0; tries < kMost; ++tries) {
            const std::vector<std::uint32_t> read = read_before_written();
            if (read.empty()) {
                break;
            }
            for (const std::uint32_t p : read) { // what threads change as a count, or as one of many: no data
                const bool counts =
                    shown_.last().reached(p) == 1 || counts_by_data(shown_.last().program(), shown_.last().kernel(),
                                                                    shown_.last().launch().parameters[p]);
                (counts ? next.counters : next.inputs).push_back(p);
            }
            trace = shown_.attempt(next, instructions);
        }
        return trace;
    }

    // The trace of a launch that came to an end; or, if it read arrays before it wrote them, with contents in these.
    Trace with_data(Trace trace, const Adjusted& now, std::uint64_t instructions) {
        Adjusted next = now;
        auto filled = filled_attempt(next, instructions);
        return !filled ? std::move(trace) : shown_.completed() ? std::move(*filled) : shown_.attempt(now, instructions);
    }

    // Whether it comes to an end so, without recording it: most of what spins does in any size.
    bool ends(const Adjusted& adjusted, std::uint64_t instructions) {
        shown_.attempt(adjusted, instructions, true);
        return shown_.completed();
    }

    static bool races(const Launch& launch) {
        return std::any_of(launch.findings.begin(), launch.findings.end(),
                           [](const Finding& f) { return is_race(f.kind) && f.severity == Severity::fault; });
    }

    // Whether a launch has a race as a risk, of values that are equal, which another one has as a fault.
    static bool has_like(const Launch& launch, const Launch& other) {
        return std::ranges::any_of(launch.findings, [&](const Finding& f) {
            return is_race(f.kind) && std::ranges::any_of(other.findings, [&](const Finding& g) {
                       return g.severity == Severity::fault && g.kind == f.kind && g.array == f.array &&
                              ((g.line == f.line && g.other_line == f.other_line) ||
                               (g.line == f.other_line && g.other_line == f.line));
                   });
        });
    }

    // Other contents with which threads race that those chosen keep out of a branch: primes are odd but for one, and in order.
    // They are distinct, too, so that nothing collides that primes keep apart. nullopt: none.
    std::optional<Adjusted> contents_that_race(const Trace& trace) {
        const auto guessed = [](const ArgumentValue& a) { return a.guessed; };
        if (!shown_.completed() || shown_.options().backend != Backend::cpu ||
            shown_.expected().kind != Expected::Kind::none || races(trace.launches.front()) ||
            shown_.adjusted().contents != Adjusted::Contents::usual ||
            std::none_of(shown_.first().arguments.begin(), shown_.first().arguments.end(), guessed)) {
            return std::nullopt;
        }
        using Contents = Adjusted::Contents;
        for (const Contents contents : {Contents::iota, Contents::falling, Contents::pairs}) {
            Adjusted other = shown_.adjusted();
            other.contents = contents;
            Launch launch;
            // What stores to elements that are named once each may rely on it; what counts them may not.
            const auto counts = [](const Finding& f) { return is_race(f.kind) && f.updates; };
            // What merges takes it that its inputs ascend; what sorts in place does not.
            const auto ascends = [&](const Finding& f) {
                const auto& all = shown_.first().parameters;
                const auto array = std::ranges::find(all, f.array, &compile::Parameter::name);
                return contents == Contents::falling && array != all.end() && !array->loads;
            };
            const auto meets = [&](const Finding& f) { // where a thread stores is not made up
                return is_race(f.kind) && f.severity == Severity::fault && !ascends(f) &&
                       (f.updates || !stores_by_data(shown_.last().program(), shown_.last().kernel(), f.line.line()));
            };
            if (shown_.run_aside(other, kLaterTries, launch) && std::ranges::any_of(launch.findings, meets) &&
                (contents != Contents::pairs || std::ranges::any_of(launch.findings, counts))) {
                return other;
            }
        }
        return std::nullopt;
    }

    // What sorts is shown nothing to do by primes, which are in order.
    void show_unsorted(Trace& trace) {
        const std::uint32_t in = shown_.first().input;
        if (trace.equals.find(" in ascending order") == std::string::npos || in == compile::kNone ||
            shown_.options().backend != Backend::cpu || !shown_.first().arguments[in].guessed ||
            shown_.adjusted().contents != Adjusted::Contents::usual) {
            return;
        }
        const Adjusted before = shown_.adjusted();
        Adjusted other = before;
        other.contents = Adjusted::Contents::random;
        std::vector<OtherLaunch> tried = std::move(trace.tried);
        trace = shown_.attempt(other, shown_.instructions());
        if (!shown_.completed() || !trace.launches.front().findings.empty()) {
            trace = shown_.attempt(before, shown_.instructions());
        }
        trace.tried = std::move(tried);
    }

    // What stores nothing, as the data keeps all threads from it: with what the vertices of a graph have, of which one reads what
    // it changes. The first with which something is stored.
    void show_stored(Trace& trace) {
        const auto stores = [](const Launch& launch) {
            const Counters all = launch.totals();
            return all.global_store_requests + all.atomics != 0;
        };
        if (!shown_.completed() || shown_.options().backend != Backend::cpu || trace.launches.size() != 1 ||
            shown_.expected().kind != Expected::Kind::none || stores(trace.launches.front()) ||
            !trace.launches.front().findings.empty() || shown_.adjusted().contents != Adjusted::Contents::usual) {
            return;
        }
        const Adjusted before = shown_.adjusted();
        const KernelLaunch launched = shown_.first();
        Adjusted other = before;
        for (std::uint32_t p = 0; p < launched.parameters.size(); ++p) {
            const compile::Parameter& parameter = launched.parameters[p];
            if (shown_.last().is_array(p) && launched.arguments[p].chosen && parameter.loads &&
                (parameter.stores || parameter.updates) && std::ranges::find(other.inputs, p) == other.inputs.end()) {
                other.inputs.push_back(p);
            }
        }
        if (other.inputs.empty()) {
            return;
        }
        // And each integer as 0, with which data may be compared, as with the level that a search has reached.
        std::vector<std::optional<std::uint32_t>> noughts{std::nullopt};
        for (std::uint32_t p = 0; p < launched.parameters.size(); ++p) {
            if (launched.arguments[p].chosen && launched.arguments[p].text == "n") {
                noughts.push_back(p);
            }
        }
        const auto stores_with = [&](Adjusted::Contents contents, std::optional<std::uint32_t> nought) {
            other.contents = contents;
            other.nought = nought;
            Launch launch;
            return shown_.run_aside(other, kFirstTries, launch) && stores(launch);
        };
        using Contents = Adjusted::Contents;
        std::vector<Contents> all{Contents::own_number, Contents::unseen, Contents::far};
        const auto is_array = [](const compile::Parameter& p) { return p.kind == compile::Parameter::Kind::array; };
        if (std::count_if(launched.parameters.begin(), launched.parameters.end(), is_array) == 1) { // a step of sorting
            all.insert(all.begin(), Contents::falling);
        }
        const auto any_changed = [&](auto&& is) {
            return std::ranges::any_of(other.inputs, [&](std::uint32_t p) {
                return is(shown_.last().program(), shown_.last().kernel(), launched.parameters[p]);
            });
        };
        if (any_changed([](const auto& program, const auto& kernel, const auto& array) {
                return beginning_of(program, kernel, array, false) == "empty"; // who is first takes it
            })) {
            all = {Contents::unseen, Contents::own_number, Contents::far};
        }
        if (any_changed([](const auto& program, const auto& kernel, const auto& array) {
                return !tested_contents(program, kernel, array).empty();
            })) {
            all.insert(all.begin(), Contents::usual);
        }
        bool attempted = false;
        for (const auto& nought : noughts) {
            for (const Contents contents : all) {
                if (!stores_with(contents, nought)) {
                    continue;
                }
                attempted = true;
                Trace again = shown_.attempt(other, shown_.instructions());
                if (shown_.completed()) {
                    again.tried = std::move(trace.tried);
                    again.tried.push_back({.with = fmt::format("{}", fmt::join(shown_.other_arguments(launched), ", ")),
                                           .found = "nothing is stored",
                                           .rest = ", as its data keeps all threads from it",
                                           .wrong = false});
                    trace = std::move(again);
                    return;
                }
            }
        }
        if (attempted) { // and did not come to an end
            std::vector<OtherLaunch> tried = std::move(trace.tried);
            trace = shown_.attempt(before, shown_.instructions());
            trace.tried = std::move(tried);
        }
    }

    // Nodes that point to nodes are the work of a program; what a kernel does with null pointers says nothing of it.
    void refuse_links() const {
        if (shown_.completed() || shown_.ending().kind != FindingKind::out_of_bounds ||
            !shown_.ending().array.empty()) {
            return;
        }
        for (std::size_t p = 0; p < shown_.last().launch().parameters.size(); ++p) {
            const compile::Parameter& parameter = shown_.last().launch().parameters[p];
            if (parameter.links && shown_.last().launch().arguments[p].chosen) {
                throw OptionError(
                    fmt::format("{} follows pointers that lie in {} ({}), and such data cannot be made up; "
                                "run it in a program that builds them",
                                shown_.last().kernel().name, parameter.name, parameter.type));
            }
        }
    }

    // Arrays that the program did not fill because it took them for outputs, but that are read before they are written; without
    // those that it has filled since.
    std::vector<std::uint32_t> read_before_written() const {
        std::vector<std::uint32_t> found;
        if (!shown_.completed() && shown_.ending().kind != FindingKind::deadlock) {
            return found;
        }
        const bool expects =
            shown_.expected().kind != Expected::Kind::none; // what it is made of is known: no other data
        const auto has = [](const std::vector<std::uint32_t>& list, std::uint32_t p) {
            return std::find(list.begin(), list.end(), p) != list.end();
        };
        for (std::uint32_t p = 0; p < shown_.last().launch().parameters.size(); ++p) {
            if (shown_.last().is_array(p) && shown_.last().launch().arguments[p].chosen &&
                !has(shown_.adjusted().inputs, p) && !has(shown_.adjusted().counters, p) &&
                shown_.uninitialised().contains(shown_.last().launch().parameters[p].name) &&
                (!expects || shown_.last().reached(p) == 1)) {
                found.push_back(p);
            }
        }
        return found;
    }

    KernelAttempt shown_;
    bool replaced_ = false; // the first launch did not come to an end
};

// Whether the GPU runs a request with backend auto. Exhibits that go wrong on purpose, and requests for a particular
// order, run in the interpreter, where the order can be chosen and repeated.
bool gpu_may_run(const RunOptions& o) {
    if (o.backend != Backend::automatic || !tracing_device().usable() || o.order != WarpOrder::in_order ||
        o.last_block) {
        return false;
    }
    const catalogue::KernelHeader header = KernelSource(o).header();
    return !header.racy && !header.deadlocks;
}

// Where a result is expected and right, or has a name, what it leaves out or counts twice is meant.
Trace with_reduced_elements(Trace trace, bool uses_n) {
    const bool right = !trace.expected.empty() && trace.expected != "none" && trace.pass;
    // A size that the program chose may be none that the kernel is for; one that asks for it and reads most is.
    const bool chosen = is_kernel_file(trace.options) && !trace.options.kernel.n_given &&
                        KernelSource(trace.options).header().n.empty();
    const bool wrong = !trace.expected.empty() && trace.expected != "none" && !trace.pass && (!chosen || uses_n);
    constexpr unsigned kMostOfChosen = 40; // of a hundred elements
    constexpr unsigned kLeast = 60;        // of a hundred elements: so many are hardly left out on purpose
    for (Launch& launch : trace.launches) {
        const bool faulty =
            std::ranges::any_of(launch.findings, [](const Finding& f) { return f.severity == Severity::fault; });
        if (is_kernel_file(trace.options) && trace.launches.size() == 1 && !faulty && !right && trace.equals.empty() &&
            (wrong || (!trace.sources.empty() && mistakes_a_size(trace.sources.front().text)))) {
            if (auto untouched = untouched_elements(launch, trace.options.n, !wrong, wrong ? 0 : kLeast,
                                                    wrong && chosen ? kMostOfChosen : 100)) {
                launch.findings.push_back(*untouched);
                continue;
            }
        }
        if (right || faulty) {
            continue;
        }
        const auto tell = [&](const std::optional<Finding>& told) {
            if (told) {
                launch.findings.push_back(*told);
            }
        };
        if (trace.equals.empty()) {
            tell(lost_elements(launch));
            tell(repeated_elements(launch));
            tell(own_value(launch));
            tell(same_elements(launch));
        }
        tell(not_a_number(launch, value_type_of(trace.options.type), true));
    }
    return trace;
}
} // namespace

RunOptions in_same_block(const Trace& trace) {
    RunOptions o = trace.options;
    if (is_kernel_file(o) && o.kernel.block.empty() && trace.program.entry.empty() && !trace.launches.empty()) {
        const auto& shape = trace.launches.front().block_shape;
        if (shape[1] * shape[2] > 1) {
            o.kernel.block = fmt::format("{},{},{}", shape[0], shape[1], shape[2]);
            o.block.reset();
        }
    }
    return o;
}

Trace run_kernel_file(const RunOptions& options, RunControl& control) {
    std::optional<Guess> none;
    return run_kernel_file(options, none, control);
}

Trace run_kernel_file(const RunOptions& options, std::optional<Guess>& guess, RunControl& control) {
    if (control.cancel) {
        throw Cancelled();
    }
    RunOptions o = options;
    o.backend = options.backend == Backend::cuda ? Backend::cuda : Backend::cpu;
    std::string why;
    if (gpu_may_run(options)) {
        o.backend = Backend::cuda;
        try {
            KernelRun run(o, control);
            Trace trace = run.run(guess);
            return with_reduced_elements(std::move(trace), run.uses_n());
        } catch (const OptionError& e) { // e.g. for code that cannot be logged there
            why = e.what();
        } catch (const DeviceError& e) {
            why = e.what();
        }
        o.backend = Backend::cpu;
    }
    KernelRun run(o, control);
    Trace trace = run.run(guess);
    trace = with_reduced_elements(std::move(trace), run.uses_n());
    if (!why.empty()) {
        trace.chosen.push_back("the interpreter, because the GPU cannot: " + why);
    }
    return trace;
}

} // namespace warptree::runs
