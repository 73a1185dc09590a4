#include "app/run/kernel_run.hpp"
#include "app/run/block_shape.hpp"

#include "app/base/error.hpp"
#include "app/gpu/device.hpp"
#include "app/run/array_beginning.hpp"
#include "app/run/each_instruction.hpp"
#include "app/run/kernel_attempt.hpp"
#include "app/run/launch_beside.hpp"
#include "app/run/next_try.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

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
        if (guess && guess->kernel == kernel) {
            Trace trace = shown_.attempt(guess->choices, guess->choices.n == kFewestElements ? kLastTry : kLaterTries);
            try_beside(shown_, trace);
            return trace;
        }
        Trace trace = run();
        Adjusted choices = shown_.adjusted();
        if (shown_.first().block_chosen) {
            choices.block = shown_.first().block;
        }
        choices.n = shown_.first().n_chosen ? shown_.first().n : 0;
        guess = Guess{kernel, std::move(choices)};
        return trace;
    }

  private:
    static constexpr int kMostTries = 12;

    Trace run() {
        Trace trace = fit_n(fit_block(fit_one_block(with_stores(settle()))));
        const KernelLaunch launched = shown_.first();
        const Adjusted before = shown_.adjusted();
        if (const auto other = contents_that_race(trace)) {
            Trace again = shown_.attempt(*other, shown_.instructions());
            if (shown_.completed() && races(again.launches.front())) {
                again.tried = std::move(trace.tried);
                again.tried.push_back({.with = fmt::format("{}", fmt::join(shown_.other_arguments(launched), ", ")),
                                       .found = "no race",
                                       .rest = ", as its data keeps threads from what races",
                                       .wrong = false});
                return again;
            }
            again = shown_.attempt(before, shown_.instructions());
            again.tried = std::move(trace.tried);
            trace = std::move(again);
        }
        show_unsorted(trace);
        try_a_second_tile(shown_, trace);
        try_beside(shown_, trace);
        return trace;
    }

    // A launch that stores nothing shows nothing: where several numbers are n, one of them may be a few, as a pattern's length is.
    Trace with_stores(Trace trace) {
        const auto stores = [](const Trace& t) {
            const Counters all = t.launches.front().totals();
            return all.global_store_requests + all.atomics != 0;
        };
        const auto is_n = [](const ArgumentValue& a) { return a.chosen && a.text == "n"; };
        if (!shown_.completed() || stores(trace) || shown_.expected().kind != Expected::Kind::none ||
            !shown_.first().n_chosen || shown_.first().output == compile::kNone ||
            std::count_if(shown_.first().arguments.begin(), shown_.first().arguments.end(), is_n) < 2) {
            return trace;
        }
        const KernelLaunch launched = shown_.first();
        const Adjusted before = shown_.adjusted();
        const std::uint64_t instructions = shown_.instructions();
        for (std::size_t p = launched.arguments.size(); p-- > 0;) {
            if (!is_n(launched.arguments[p])) {
                continue;
            }
            Adjusted other = before;
            other.few = static_cast<std::uint32_t>(p);
            Trace again = shown_.attempt(other, instructions);
            if (shown_.completed() && stores(again)) {
                return instead(trace, launched, std::move(again));
            }
        }
        shown_.attempt(before, instructions);
        return trace;
    }

    // A kernel for one block works on as many elements as it has threads, or on twice as many: on more it reads shared
    // memory that none of them wrote.
    Trace fit_one_block(Trace trace) {
        const compile::Program& program = shown_.last().program();
        const auto of_shared = [&](std::uint32_t s) { return shown_.uninitialised().contains(program.shared[s].name); };
        const std::vector<std::uint32_t>& shared = shown_.last().kernel().shared;
        if (!shown_.completed() || shown_.expected().kind != Expected::Kind::none || !shown_.first().n_chosen ||
            !shown_.first().block_chosen || knows_its_block(program, shown_.last().kernel()) ||
            std::none_of(shared.begin(), shared.end(), of_shared)) {
            return trace;
        }
        const KernelLaunch launched = shown_.first();
        const Adjusted before = shown_.adjusted();
        const std::uint64_t threads = simt::volume(shown_.first().block), instructions = shown_.instructions();
        for (const std::uint64_t n : {2 * threads, threads}) {
            if (n >= launched.n) {
                continue;
            }
            Adjusted other = before;
            other.n = n;
            Trace again = shown_.attempt(other, instructions);
            if (shown_.completed() && again.launches.front().findings.empty()) {
                again.tried = trace.tried;
                return instead(trace, launched, std::move(again));
            }
        }
        Trace same = shown_.attempt(before, instructions);
        same.tried = std::move(trace.tried);
        return same;
    }

    // As many elements as a kernel for one block reaches, where its threads have one or two each: the rest is nobody's. What was
    // found stays.
    Trace fit_n(Trace trace) {
        const compile::Program& program = shown_.last().program();
        const std::uint32_t in = shown_.first().input;
        const std::uint64_t threads = simt::volume(shown_.first().block), n = shown_.first().n;
        const bool expects = shown_.expected().kind != Expected::Kind::none; // of n elements
        if (!shown_.completed() || !shown_.first().n_chosen || in == compile::kNone ||
            (shown_.first().arguments[in].stated && !expects) || knows_its_block(program, shown_.last().kernel())) {
            return trace;
        }
        if (expects && shown_.uses_n()) {
            return trace; // what it leaves out of n elements is wrong
        }
        std::string array = shown_.first().parameters[in].name; // whose elements the threads share out
        std::uint64_t reached = reached_by(trace.launches.front(), array);
        for (std::uint32_t p = 0; reached > n && p < shown_.first().parameters.size(); ++p) {
            const std::string& other = shown_.first().parameters[p].name; // as of a vector beside a matrix
            if (const std::uint64_t its = reached_by(trace.launches.front(), other);
                its == threads || its == 2 * threads) {
                reached = its;
                array = other;
            }
        }
        const std::uint64_t fewer = std::min(2 * threads, reached / threads * threads);
        if (reached >= n || fewer == 0 || fewer >= n) {
            return trace;
        }
        const Adjusted before = shown_.adjusted();
        const std::uint64_t instructions = shown_.instructions();
        Adjusted other = before;
        other.n = fewer;
        if (shown_.first().block_chosen) {
            other.block = shown_.first().block;
        }
        Trace again = shown_.attempt(other, instructions);
        const auto stays = [&](const Finding& f) {
            return std::ranges::any_of(again.launches.front().findings,
                                       [&](const Finding& g) { return g.kind == f.kind && g.line == f.line; });
        };
        const auto& found = trace.launches.front().findings;
        if (shown_.completed() && reached_by(again.launches.front(), array) >= fewer &&
            std::ranges::all_of(found, stays) && found.size() == again.launches.front().findings.size() &&
            (!again.equals.empty() || trace.equals.empty())) {
            again.tried = std::move(trace.tried);
            return again;
        }
        shown_.attempt(before, instructions);
        return trace;
    }

    // How many elements of an array the blocks that are recorded load.
    static std::uint64_t reached_by(const Launch& launch, const std::string& array) {
        std::uint64_t reached = 0;
        for (const Request& r : launch.requests) {
            if (r.kind != AccessKind::global_load || r.allocation >= launch.allocations.size() ||
                launch.allocations[r.allocation].name != array) {
                continue;
            }
            const std::uint64_t size = std::max(1U, launch.allocations[r.allocation].element_bytes);
            for (int k = 0; k < std::popcount(r.mask); ++k) {
                reached = std::max(reached,
                                   (std::uint64_t{launch.indices[r.first_index + static_cast<std::uint32_t>(k)]} + 1) *
                                       r.bytes / size);
            }
        }
        return reached;
    }

    // A block that sets all of its shared arrays, where the chosen one reads elements that none of its threads sets.
    Trace fit_block(Trace trace) {
        const compile::Program& program = shown_.last().program();
        const compile::Kernel& kernel = shown_.last().kernel();
        const std::uint32_t threads = shown_.first().block[0];
        const auto larger = std::find_if(kernel.shared.begin(), kernel.shared.end(), [&](std::uint32_t s) {
            const compile::SharedArray& array = program.shared[s];
            return shown_.uninitialised().contains(array.name) && array.extents.size() < 2 &&
                   array.bytes / std::max(1U, array.element_bytes) > threads;
        });
        if (!shown_.completed() || shown_.expected().kind != Expected::Kind::none || !shown_.first().block_chosen ||
            simt::volume(shown_.first().block) != threads || larger == kernel.shared.end()) {
            return trace;
        }
        const compile::SharedArray& array = program.shared[*larger];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        const std::uint32_t most = kernel.most_threads != 0 ? kernel.most_threads : simt::kMostThreads;
        const Adjusted before = shown_.adjusted();
        const std::uint64_t instructions = shown_.instructions();
        for (std::uint32_t wider = 2 * threads; wider <= std::min(elements, most); wider *= 2) {
            Adjusted other = before;
            other.block = simt::Extent{wider, 1, 1};
            Trace again = shown_.attempt(other, instructions);
            if (shown_.completed() && again.launches.front().findings.empty()) {
                again.tried = std::move(trace.tried);
                const auto choice =
                    std::ranges::find_if(again.chosen, [](const std::string& c) { return c.starts_with("block "); });
                if (choice != again.chosen.end()) {
                    *choice += fmt::format(", which set all of {}", array.name);
                }
                return again;
            }
        }
        Trace same = shown_.attempt(before, instructions);
        same.tried = std::move(trace.tried);
        return same;
    }

    // The launch whose trace is shown if it is right: the first that comes to an end.
    Trace settle() {
        Trace first = shown_.attempt({}, kFirstTries);
        refuse_links();
        const KernelLaunch launched = shown_.first();
        Adjusted now;
        if (auto filled = filled_attempt(now, kFirstTries); filled && shown_.completed()) {
            return instead(first, launched, std::move(*filled));
        }
        const bool expects = shown_.expected().kind != Expected::Kind::none;
        // A long loop may not depend on n: then the same launch ends, only later.
        if (!shown_.completed() && !expects && shown_.ending().kind == FindingKind::endless && ends(now, kLaterTries)) {
            Trace again = shown_.attempt(now, kLaterTries);
            if (shown_.completed()) {
                return with_data(std::move(again), now, kLaterTries);
            }
        }
        for (int tries = 0; !shown_.completed(); ++tries) {
            const auto next = tries == kMostTries ? std::nullopt
                                                  : next_try(shown_.last().program(), shown_.last().launch(), now,
                                                             shown_.ending(), expects);
            if (!next) {
                return tries == 0 ? std::move(first) : shown_.attempt({}, kFirstTries);
            }
            now = *next;
            const std::uint64_t most = now.n == kFewestElements ? kLastTry : kLaterTries;
            if (shown_.ending().kind == FindingKind::endless && !ends(now, most)) {
                continue;
            }
            Trace again = shown_.attempt(now, most);
            if (shown_.completed() && !expects && !has_many()) { // of one element nothing goes wrong
                return shown_.attempt({}, kFirstTries);
            }
            if (shown_.completed()) {
                return instead(first, launched, with_data(std::move(again), now, most));
            }
        }
        return first;
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

    // The trace that is shown instead of the first, with what the first launch found and this one does not.
    Trace instead(const Trace& first, const KernelLaunch& launched, Trace trace) const {
        std::vector<std::string> with;
        const auto unless_same = [&](bool same, std::string what) {
            if (!same) {
                with.push_back(std::move(what));
            }
        };
        unless_same(launched.block == shown_.first().block, fmt::format("{} threads", simt::volume(launched.block)));
        unless_same(launched.shared == shown_.first().shared,
                    fmt::format("{} bytes of shared memory", launched.shared));
        unless_same(launched.n == shown_.first().n, fmt::format("n = {}", launched.n));
        const std::vector<std::string> arguments = shown_.other_arguments(launched);
        with.insert(with.end(), arguments.begin(), arguments.end());
        // What is found where the program took for an output what is data is no finding.
        const auto& now = shown_.adjusted();
        const auto is_dynamic = [&](std::uint32_t s) {
            const compile::SharedArray& array = shown_.last().program().shared[s];
            return array.bytes == 0;
        };
        for (const Finding& f : first.launches.front().findings) {
            const auto has_name = [&](std::uint32_t s) {
                return is_dynamic(s) && shown_.last().program().shared[s].name == f.array;
            };
            if (f.kind == FindingKind::out_of_bounds && launched.shared_chosen &&
                std::ranges::any_of(shown_.last().kernel().shared, has_name)) {
                continue; // how much shared memory there is, is said by nobody
            }
            if (is_race(f.kind) && f.severity == Severity::risk && !first.completed()) {
                continue; // of threads that there are not
            }
            const auto& still = trace.launches.front().findings;
            const auto same = [&](const Finding& g) { return g.kind == f.kind && g.line == f.line; };
            const auto counts = [&](std::uint32_t p) { return shown_.last().launch().parameters[p].name == f.array; };
            const bool our_guess = f.kind == FindingKind::uninitialised && (std::ranges::any_of(now.counters, counts) ||
                                                                            std::ranges::any_of(now.inputs, counts));
            if (of_smaller_array(f, launched)) {
                const std::string_view what = launched.block != shown_.first().block ? "block " : "n = ";
                const auto choice =
                    std::ranges::find_if(trace.chosen, [&](const std::string& c) { return c.starts_with(what); });
                if (choice != trace.chosen.end() && choice->find(" as ") == std::string::npos) {
                    *choice += f.elements % simt::volume(shown_.first().block) == 0
                                   ? fmt::format(" as {} has an element a thread", f.array)
                                   : fmt::format(" as {} has {} elements", f.array, f.elements);
                }
            } else if (!our_guess && std::none_of(still.begin(), still.end(), same)) {
                const Launch& launch = first.launches.front();
                trace.tried.push_back(with.size() == 1 && launched.n != shown_.first().n
                                          ? with_n(launched.n, first, launch, f)
                                          : launched_with(fmt::format("{}", fmt::join(with, ", ")), first, launch, f));
            }
        }
        return trace;
    }

    // Each thread accesses its own element of a shared array, which has as many as the block that is shown has threads: that is
    // the size the kernel is written for, and more threads were a wrong guess; of one block, more elements than threads, too.
    bool of_smaller_array(const Finding& f, const KernelLaunch& before) const {
        const std::vector<std::uint32_t>& shared = shown_.last().kernel().shared;
        const auto is = [&](std::uint32_t s) { return shown_.last().program().shared[s].name == f.array; };
        const std::uint64_t threads = simt::volume(shown_.first().block);
        const auto array = std::find_if(shared.begin(), shared.end(), is);
        const auto of_row = [&](const std::vector<std::uint32_t>& extents) {
            return extents.size() == 2 && extents[1] == threads;
        };
        const bool row =
            array != shared.end() && of_row(shown_.last().program().shared[*array].extents); // as of buf[2][64]
        const bool own = (row || is_own(f, threads)) && threads < simt::volume(before.block);
        const bool one_block = shown_.first().n == threads && before.n > threads &&
                               before.block == shown_.first().block &&
                               !knows_its_block(shown_.last().program(), shown_.last().kernel());
        return f.kind == FindingKind::out_of_bounds && array != shared.end() &&
               (row || (f.elements >= threads && f.elements < 2 * threads)) && (own || one_block);
    }

    // Whether a thread goes past an array by its own element, or the array has room for a halo beside so many threads.
    static bool is_own(const Finding& f, std::uint64_t threads) {
        return f.index == static_cast<std::int64_t>(f.thread) || f.elements > threads;
    }

    static bool races(const Launch& launch) {
        return std::any_of(launch.findings.begin(), launch.findings.end(),
                           [](const Finding& f) { return is_race(f.kind) && f.severity == Severity::fault; });
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
            const auto meets = [&](const Finding& f) { // where a thread stores is not made up
                return is_race(f.kind) && f.severity == Severity::fault &&
                       (f.updates || !stores_by_data(shown_.last().program(), shown_.last().kernel(), f.line.line()));
            };
            if (shown_.run_aside(other, kFirstTries, launch) && std::ranges::any_of(launch.findings, meets) &&
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
        if (!shown_.completed()) {
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
};

// Whether the GPU runs a request with backend auto. Exhibits that go wrong on purpose, and requests for a particular
// order, run in the interpreter, where the order can be chosen and repeated.
bool gpu_may_run(const RunOptions& o) {
    if (o.backend != Backend::automatic || !gpu::usable() || o.order != WarpOrder::in_order || o.last_block) {
        return false;
    }
    const catalogue::KernelHeader header = KernelSource(o).header();
    return !header.racy && !header.deadlocks;
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
            return KernelRun(o, control).run(guess);
        } catch (const OptionError& e) { // e.g. for code that cannot be logged there
            why = e.what();
        } catch (const DeviceError& e) {
            why = e.what();
        }
        o.backend = Backend::cpu;
    }
    Trace trace = KernelRun(o, control).run(guess);
    if (!why.empty()) {
        trace.chosen.push_back("the interpreter, because the GPU cannot: " + why);
    }
    return trace;
}

} // namespace warptree::runs
