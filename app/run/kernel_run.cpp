#include "app/run/kernel_run.hpp"
#include "app/run/block_shape.hpp"

#include "app/base/build_info.hpp"
#include "app/base/error.hpp"
#include "app/gpu/device.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/expectation.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/run/launch_run.hpp"
#include "app/run/next_try.hpp"
#include "app/run/past_the_end.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <string>

namespace warptree::runs {

namespace {
// How many of the host's pairwise combines have an operand that is only padding. depths: as in
// simt::Allocation::depths, empty if unknown.
std::uint64_t host_padding(const std::vector<std::uint32_t>& depths) {
    std::vector<bool> empty(depths.size());
    std::transform(depths.begin(), depths.end(), empty.begin(),
                   [](std::uint32_t depth) { return depth == record::kOnlyIdentity; });
    std::uint64_t padding = 0;
    while (empty.size() > 1) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < empty.size(); i += 2) {
            const bool other = i + 1 < empty.size() && empty[i + 1];
            padding += i + 1 < empty.size() && (empty[i] || other) ? 1 : 0;
            empty[kept++] = empty[i] && (i + 1 == empty.size() || other);
        }
        empty.resize(kept);
    }
    return padding;
}

class KernelRun {
  public:
    KernelRun(const RunOptions& options, RunControl& control) : options_(options), control_(control), source_(options) {
        if (options.backend == Backend::cuda) { // throws if there is none
            source_.trace_on(gpu::facts().architecture());
        }
    }

    Trace run(std::optional<Guess>& guess) {
        const std::string kernel = signature();
        if (guess && guess->kernel == kernel) {
            Trace trace = attempt(guess->choices, guess->choices.n == kFewestElements ? kLastTry : kLaterTries);
            try_beside(trace);
            return trace;
        }
        Trace trace = run();
        Adjusted choices = adjusted_;
        if (first_.block_chosen) {
            choices.block = first_.block;
        }
        choices.n = first_.n_chosen ? first_.n : 0;
        guess = Guess{kernel, std::move(choices)};
        return trace;
    }

  private:
    // "sum(const int*, int*, int)".
    std::string signature() {
        RunOptions o = options_;
        o.finish = source_.finish();
        const KernelSource::Compiled compiled = source_.compile(o, true);
        const compile::Kernel& kernel = compiled.program->kernels[compiled.kernel];
        std::vector<std::string> types;
        for (const compile::Parameter& p : kernel.parameters) {
            types.push_back(p.type);
        }
        return fmt::format("{}({})", kernel.name, fmt::join(types, ", "));
    }

    Trace run() {
        Trace trace = fit_one_block(settle());
        const KernelLaunch launched = first_;
        const Adjusted before = adjusted_;
        if (const auto other = contents_that_race(trace)) {
            Trace again = attempt(*other, instructions_);
            if (completed() && races(again.launches.front())) {
                again.tried = std::move(trace.tried);
                again.tried.push_back(fmt::format("with {}: no race, as its data keeps threads from what races",
                                                  fmt::join(other_arguments(launched), ", ")));
                return again;
            }
            again = attempt(before, instructions_);
            again.tried = std::move(trace.tried);
            trace = std::move(again);
        }
        try_a_second_tile(trace);
        try_beside(trace);
        return trace;
    }

    // What other launches than the one that is shown find.
    void try_beside(Trace& trace) {
        try_unequal_sizes(trace);
        try_negative_elements(trace);
        try_part_of_a_block(trace);
        try_arrays_of_n(trace);
        try_square_arrays(trace);
    }

    // Several sizes that nobody stated are all n, so that rows and columns may be mixed up: the name of a result that has both
    // is held against a run in which each size is another. The grid is as wide as the largest, or as two of them.
    void try_unequal_sizes(Trace& trace) {
        constexpr std::array kShapes{"matri", "transpose", "each row", "each column", "two dimensions"};
        const auto has = [&](const char* word) { return trace.equals.find(word) != std::string::npos; };
        std::vector<std::uint32_t> sizes;
        for (std::uint32_t p = 0; p < first_.parameters.size(); ++p) {
            if (first_.parameters[p].kind == compile::Parameter::Kind::value && first_.arguments[p].chosen &&
                first_.arguments[p].text == "n") {
                sizes.push_back(p);
            }
        }
        if (!completed() || options_.backend != Backend::cpu || !first_.n_chosen || sizes.size() < 2 ||
            sizes.size() > 3 || std::ranges::none_of(kShapes, has)) {
            return;
        }
        const auto [x, y] = elements_of_blocks(last_->program(), last_->kernel()).strides;
        const bool flat = first_.block[1] == 1;
        const std::uint64_t unit =
            std::max<std::uint64_t>({x, y, flat ? 16 : first_.block[0], flat ? 16 : first_.block[1]});
        RunOptions o = options_;
        std::vector<std::string> with;
        std::vector<std::uint64_t> values;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            const std::string& name = first_.parameters[sizes[k]].name;
            values.push_back((sizes.size() - k) * unit);
            o.kernel.arguments[name] = std::to_string(values.back());
            with.push_back(fmt::format("{} = {}", name, values.back()));
        }
        bool told = false;
        const auto keeps = [&] {
            Launch unseen;
            const auto run = run_aside(o, adjusted_, kFirstTries, unseen, values.front());
            told = told || run;
            return run && Recognition(seen(*run, run->output(results(*run)), trace.tree.depth)).holds(trace.equals);
        };
        bool kept = keeps();
        const std::uint64_t wide = std::max<std::uint64_t>(x, first_.block[0]),
                            high = std::max<std::uint64_t>(y, first_.block[1]);
        for (std::size_t i = 0; i < values.size() && !flat; ++i) {
            for (std::size_t j = 0; j < values.size() && !kept; ++j) {
                o.kernel.grid = fmt::format("{},{}", (values[i] + wide - 1) / wide, (values[j] + high - 1) / high);
                kept = i != j && keeps();
            }
        }
        if (told && !kept) {
            trace.tried.push_back(fmt::format("with {}: not {}, which it is where all sizes are equal",
                                              fmt::join(with, ", "), trace.equals));
        }
    }

    // Where one tile is all that there is, nothing comes after it that could race with it.
    void try_a_second_tile(Trace& trace) {
        const auto [x, y] = elements_of_blocks(last_->program(), last_->kernel()).strides;
        const std::uint64_t tile = std::max(x, y);
        if (!completed() || options_.backend != Backend::cpu || expected_.kind != Expected::Kind::none ||
            !first_.n_chosen || first_.block[1] == 1 || tile < first_.n || !trace.launches.front().findings.empty()) {
            return;
        }
        Adjusted other = adjusted_;
        other.n = 2 * tile;
        Launch unseen;
        run_aside(other, kFirstTries, unseen, other.n);
        if (unseen.findings.empty()) {
            return;
        }
        const Adjusted before = adjusted_;
        const std::uint64_t n = first_.n;
        std::vector<std::string> tried = std::move(trace.tried);
        trace = attempt(other, instructions_);
        if (completed() && !trace.launches.front().findings.empty()) {
            tried.push_back(fmt::format("with n = {}: nothing found, as one tile is all that there is", n));
        } else {
            trace = attempt(before, instructions_);
        }
        trace.tried = std::move(tried);
    }

    // A maximum that begins with 0 is right where any element is above it, and primes are. If it is wrong of negative elements,
    // that run is shown if a maximum is expected; else the name of the result is taken back.
    void try_negative_elements(Trace& trace) {
        const bool expects = expected_.kind == Expected::Kind::total ? expected_.op == Operator::max
                                                                     : expected_.list == Expected::List::argmax;
        const bool named =
            trace.equals.find("max") != std::string::npos || trace.equals.find("largest") != std::string::npos;
        const std::uint32_t in = first_.input, out = first_.output;
        if (!completed() || !trace.pass || options_.backend != Backend::cpu || trace.launches.size() != 1 ||
            !(expects || named) || adjusted_.contents != Adjusted::Contents::usual || in == compile::kNone ||
            out == compile::kNone || !first_.arguments[in].guessed || !is_signed(first_.parameters[in].element)) {
            return;
        }
        Adjusted negative = adjusted_;
        negative.contents = Adjusted::Contents::negative;
        const compile::Parameter& result = first_.parameters[out];
        for (const std::uint64_t n : {std::uint64_t{0}, n_of_part_of_a_block()}) {
            Launch unseen;
            std::optional<LaunchRun> run = run_aside(negative, kFirstTries, unseen, n);
            // What a result begins with, in memory, is the host's.
            if (!run || ((result.loads || result.updates) && run->launch().arguments[out].fill == "zeros")) {
                return;
            }
            const KernelLaunch& launched = run->launch();
            const Numbers output = run->output(results(*run));
            if (named && keeps_its_name(trace, *run)) {
                continue;
            }
            if (named) {
                trace.tried.push_back(fmt::format(
                    "with {} = negative{}: not {}: {}[0] is {}; what a maximum begins with must not be above any "
                    "element",
                    first_.parameters[in].name, n == 0 ? "" : fmt::format(", n = {}", n), trace.equals, result.name,
                    to_string({trace.options.type, output.size() == 0 ? 0 : output.bits.front()})));
                return;
            }
            const std::uint64_t scalars = run->components(in);
            if (!judge(expected_, run->take_inputs(), output, launched.n * scalars,
                       simt::volume(launched.block) * scalars, simt::volume(launched.grid), trace.tree.depth)
                     .pass) {
                const KernelLaunch usual = first_;
                std::vector<std::string> tried = std::move(trace.tried);
                trace = attempt(negative, instructions_);
                tried.push_back(fmt::format("with {}: right, as an element is above what the maximum begins with",
                                            fmt::join(other_arguments(usual), ", ")));
                trace.tried = std::move(tried);
            }
            return;
        }
    }

    // Whether the name of what the trace shows is that of another run's result, too.
    bool keeps_its_name(const Trace& trace, const LaunchRun& other) const {
        Recognition name(seen(*last_, output_, trace.tree.depth));
        name.hold(seen(other, other.output(results(other)), trace.tree.depth));
        return name.holds(trace.equals);
    }

    // A bit fewer elements than an n that was chosen as a multiple of the block; 0: there is no such n.
    std::uint64_t n_of_part_of_a_block() const {
        const std::uint64_t block = simt::volume(first_.block), few = std::max<std::uint64_t>(1, block * 3 / 32);
        return first_.n_chosen && first_.block[1] == 1 && first_.n > few && first_.n % block == 0 ? first_.n - few : 0;
    }

    // What an n that was chosen as a multiple of the block hides: barriers in a last block that is not full, and
    // accesses past the n elements of an array.
    void try_part_of_a_block(Trace& trace) {
        const auto of_barriers = [](const Finding& f) {
            return f.kind == FindingKind::barrier_divergence || f.kind == FindingKind::deadlock;
        };
        // Of lanes that have ended, and of words that only they would have written.
        const auto of_missing_threads = [&](const Finding& f) {
            const auto same = [&](const Finding& k) { return k.kind == f.kind && k.array == f.array; };
            return (f.kind == FindingKind::bad_mask || f.kind == FindingKind::inactive_lane ||
                    f.kind == FindingKind::uninitialised) &&
                   std::ranges::none_of(trace.launches.front().findings, same);
        };
        const std::vector<Finding>& known = trace.launches.front().findings;
        const std::uint64_t n = n_of_part_of_a_block();
        if (!completed() || options_.backend != Backend::cpu || expected_.kind != Expected::Kind::none || n == 0 ||
            std::any_of(known.begin(), known.end(), of_barriers)) {
            return;
        }
        Launch launch;
        const std::optional<LaunchRun> run = run_aside(adjusted_, kAside, launch, n);
        auto found = std::ranges::find_if(launch.findings, of_barriers);
        found = found == launch.findings.end() ? std::ranges::find_if(launch.findings, of_missing_threads) : found;
        if (found != launch.findings.end()) {
            trace.tried.push_back(fmt::format("with n = {}: {}{}: {}", n, title(found->kind),
                                              found->severity == Severity::risk ? " (risk)" : "",
                                              sentence(trace, launch, *found)));
        } else if (run) {
            const std::vector<PastTheEnd> all_past = past_the_end(*run);
            for (const PastTheEnd& past : all_past) {
                trace.tried.push_back(past_the_end_text(*run, past));
            }
            const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
            if (all_past.empty() && !trace.equals.empty() && output_.size() <= simt::volume(first_.grid) &&
                std::ranges::any_of(first_.arguments, is_n) && !keeps_its_name(trace, *run)) {
                const Numbers output = run->output(results(*run));
                const std::uint64_t last = output.size() == 0 ? 0 : output.size() - 1;
                trace.tried.push_back(fmt::format(
                    "with n = {}: not {}: {}[{}] is {}", n, trace.equals, first_.parameters[first_.output].name, last,
                    to_string({trace.options.type, output.size() == 0 ? 0 : output.bits[last]})));
            }
        }
    }

    // What an n that somebody stated leaves open: whether arrays of unstated size have n elements. Where the kernel goes past
    // them, the launch is tried with so many.
    void try_arrays_of_n(Trace& trace) {
        if (!completed() || options_.backend != Backend::cpu || expected_.kind != Expected::Kind::none ||
            first_.n_chosen) {
            return;
        }
        for (const PastTheEnd& past : past_the_end(*last_)) {
            const std::string& name = first_.parameters[past.parameter].name;
            RunOptions o = options_;
            o.kernel.arguments[name] = fmt::format("{}:{}", first_.arguments[past.parameter].text, first_.n);
            Launch launch;
            run_aside(o, adjusted_, kAside, launch, first_.n);
            const auto found = std::find_if(launch.findings.begin(), launch.findings.end(), [&](const Finding& f) {
                return f.kind == FindingKind::out_of_bounds && f.array == name;
            });
            // A total in the element after n is no mistake; what thread n stores is.
            const std::uint64_t block = simt::volume(first_.block), threads = simt::volume(first_.grid) * block;
            const bool own = found != launch.findings.end() && first_.n % threads != 0 &&
                             found->block * block + found->thread == first_.n % threads;
            if (found != launch.findings.end() &&
                (own || !first_.parameters[past.parameter].stores || first_.arguments[past.parameter].guessed)) {
                found->severity = Severity::risk;
                found->times = past.last + 1 - first_.n;
                found->text = fmt::format("it may have only n elements, here {}: a guard as if (i < n) keeps threads "
                                          "from what is past them",
                                          first_.n);
                trace.launches.front().findings.push_back(std::move(*found));
            }
        }
    }

    // The same in two dimensions: whether threads beyond width and height, which are n, stay within arrays of n * n elements.
    void try_square_arrays(Trace& trace) {
        const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
        constexpr std::uint64_t kFewer = 5;
        if (!completed() || options_.backend != Backend::cpu || expected_.kind != Expected::Kind::none ||
            first_.block[1] == 1 || std::ranges::count_if(first_.arguments, is_n) < 2 || first_.n <= 2 * kFewer) {
            return;
        }
        const std::uint64_t n = first_.n_chosen ? first_.n - kFewer : first_.n;
        RunOptions o = options_;
        std::set<std::string> square;
        for (std::uint32_t p = 0; p < first_.parameters.size(); ++p) {
            const std::uint64_t reached = last_->is_array(p) ? last_->reached(p) : 0, all = first_.n * first_.n;
            if (!first_.arguments[p].stated && (first_.n_chosen ? reached == all : reached > all)) {
                const std::string& name = first_.parameters[p].name;
                o.kernel.arguments[name] = fmt::format("{}:{}", first_.arguments[p].text, n * n);
                square.insert(name);
            }
        }
        if (square.empty()) {
            return;
        }
        Launch launch;
        run_aside(o, adjusted_, kAside, launch, n);
        const auto found = std::ranges::find_if(launch.findings, [&](const Finding& f) {
            return f.kind == FindingKind::out_of_bounds && square.contains(f.array);
        });
        if (found == launch.findings.end()) {
            return;
        }
        found->text =
            fmt::format("it may have only n * n elements, here {} * {}: a guard in x and y keeps threads from "
                        "what is past them",
                        n, n);
        found->severity = Severity::risk;
        if (first_.n_chosen) {
            trace.tried.push_back(
                fmt::format("with n = {}: {}: {}", n, title(*found), sentence(trace, launch, *found)));
        } else {
            trace.launches.front().findings.push_back(std::move(*found));
        }
    }

    // A kernel for one block works on as many elements as it has threads, or on twice as many: on more it reads shared
    // memory that none of them wrote.
    Trace fit_one_block(Trace trace) {
        const compile::Program& program = last_->program();
        const auto of_shared = [&](std::uint32_t s) { return uninitialised_.contains(program.shared[s].name); };
        const std::vector<std::uint32_t>& shared = last_->kernel().shared;
        if (!completed() || expected_.kind != Expected::Kind::none || !first_.n_chosen || !first_.block_chosen ||
            knows_its_block(program, last_->kernel()) || std::none_of(shared.begin(), shared.end(), of_shared)) {
            return trace;
        }
        const KernelLaunch launched = first_;
        const Adjusted before = adjusted_;
        const std::uint64_t threads = simt::volume(first_.block), instructions = instructions_;
        for (const std::uint64_t n : {2 * threads, threads}) {
            if (n >= launched.n) {
                continue;
            }
            Adjusted other = before;
            other.n = n;
            Trace again = attempt(other, instructions);
            if (completed() && again.launches.front().findings.empty()) {
                again.tried = trace.tried;
                return instead(trace, launched, std::move(again));
            }
        }
        Trace same = attempt(before, instructions);
        same.tried = std::move(trace.tried);
        return same;
    }

    // The launch whose trace is shown if it is right: the first that comes to an end.
    Trace settle() {
        Trace first = attempt({}, kFirstTries);
        refuse_links();
        const KernelLaunch launched = first_;
        Adjusted now;
        if (auto filled = filled_attempt(now, kFirstTries); filled && completed()) {
            return instead(first, launched, std::move(*filled));
        }
        const bool expects = expected_.kind != Expected::Kind::none;
        // A long loop may not depend on n: then the same launch ends, only later.
        if (!completed() && !expects && ending_.kind == FindingKind::endless && ends(now, kLaterTries)) {
            Trace again = attempt(now, kLaterTries);
            if (completed()) {
                return with_data(std::move(again), now, kLaterTries);
            }
        }
        for (int tries = 0; !completed(); ++tries) {
            const auto next =
                tries == kMostTries ? std::nullopt : next_try(last_->program(), last_->launch(), now, ending_, expects);
            if (!next) {
                return first;
            }
            now = *next;
            const std::uint64_t most = now.n == kFewestElements ? kLastTry : kLaterTries;
            if (ending_.kind == FindingKind::endless && !ends(now, most)) {
                continue;
            }
            Trace again = attempt(now, most);
            if (completed()) {
                return instead(first, launched, with_data(std::move(again), now, most));
            }
        }
        return first;
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
            for (const std::uint32_t p : read) { // one element that threads change, as a count: no data
                (last_->reached(p) == 1 ? next.counters : next.inputs).push_back(p);
            }
            trace = attempt(next, instructions);
        }
        return trace;
    }

    // The trace of a launch that came to an end; or, if it read arrays before it wrote them, with contents in these.
    Trace with_data(Trace trace, const Adjusted& now, std::uint64_t instructions) {
        Adjusted next = now;
        auto filled = filled_attempt(next, instructions);
        return !filled ? std::move(trace) : completed() ? std::move(*filled) : attempt(now, instructions);
    }

    // Whether it comes to an end so, without recording it: most of what spins does in any size.
    bool ends(const Adjusted& adjusted, std::uint64_t instructions) {
        attempt(adjusted, instructions, true);
        return completed();
    }

    // Limits on warp instructions per block, while the program chooses n.
    static constexpr std::uint64_t kAside = 1ULL << 16, kFirstTries = 1ULL << 18, kLaterTries = 1ULL << 20,
                                   kLastTry = 1ULL << 23;
    static constexpr int kMostTries = 12;
    static constexpr std::uint64_t kTellingThreads = 1ULL << 14; // of the runs that tell what a kernel computes

    bool completed() const { return last_->summary().completed; }

    // The trace that is shown instead of the first, with what the first launch found and this one does not.
    Trace instead(const Trace& first, const KernelLaunch& launched, Trace trace) const {
        std::vector<std::string> with;
        const auto unless_same = [&](bool same, std::string what) {
            if (!same) {
                with.push_back(std::move(what));
            }
        };
        unless_same(launched.block == first_.block, fmt::format("{} threads", simt::volume(launched.block)));
        unless_same(launched.shared == first_.shared, fmt::format("{} bytes of shared memory", launched.shared));
        unless_same(launched.n == first_.n, fmt::format("n = {}", launched.n));
        const std::vector<std::string> arguments = other_arguments(launched);
        with.insert(with.end(), arguments.begin(), arguments.end());
        // What is found where the program took for an output what is data is no finding.
        const auto& now = adjusted_;
        for (const Finding& f : first.launches.front().findings) {
            const auto& still = trace.launches.front().findings;
            const auto same = [&](const Finding& g) { return g.kind == f.kind && g.line == f.line; };
            const auto counts = [&](std::uint32_t p) { return last_->launch().parameters[p].name == f.array; };
            const bool our_guess = f.kind == FindingKind::uninitialised && (std::ranges::any_of(now.counters, counts) ||
                                                                            std::ranges::any_of(now.inputs, counts));
            if (!our_guess && std::none_of(still.begin(), still.end(), same)) {
                trace.tried.push_back(fmt::format("with {}: {}: {}", fmt::join(with, ", "), title(f.kind),
                                                  sentence(first, first.launches.front(), f)));
            }
        }
        return trace;
    }

    // The arguments of a launch that the one shown has otherwise: "in = primes".
    std::vector<std::string> other_arguments(const KernelLaunch& launched) const {
        std::vector<std::string> with;
        for (std::size_t p = 0; p < launched.arguments.size(); ++p) {
            const ArgumentValue &before = launched.arguments[p], &now = first_.arguments[p];
            if (before.text != now.text && (before.text != "n" || launched.n == first_.n)) {
                with.push_back(fmt::format("{} = {}", last_->launch().parameters[p].name, before.text));
            }
        }
        return with;
    }

    static bool races(const Launch& launch) {
        return std::any_of(launch.findings.begin(), launch.findings.end(),
                           [](const Finding& f) { return is_race(f.kind) && f.severity == Severity::fault; });
    }

    // Other contents with which threads race that those chosen keep out of a branch: primes are odd but for one, and in order.
    // They are distinct, too, so that nothing collides that primes keep apart. nullopt: none.
    std::optional<Adjusted> contents_that_race(const Trace& trace) {
        const auto guessed = [](const ArgumentValue& a) { return a.guessed; };
        if (!completed() || options_.backend != Backend::cpu || expected_.kind != Expected::Kind::none ||
            races(trace.launches.front()) || adjusted_.contents != Adjusted::Contents::usual ||
            std::none_of(first_.arguments.begin(), first_.arguments.end(), guessed)) {
            return std::nullopt;
        }
        using Contents = Adjusted::Contents;
        for (const Contents contents : {Contents::iota, Contents::falling, Contents::pairs}) {
            Adjusted other = adjusted_;
            other.contents = contents;
            Launch launch;
            // What stores to elements that are named once each may rely on it; what counts them may not.
            const auto counts = [](const Finding& f) { return is_race(f.kind) && f.updates; };
            if (run_aside(other, kFirstTries, launch) && races(launch) &&
                (contents != Contents::pairs || std::ranges::any_of(launch.findings, counts))) {
                return other;
            }
        }
        return std::nullopt;
    }

    Trace attempt(const Adjusted& adjusted, std::uint64_t instructions, bool unseen = false) {
        adjusted_ = adjusted;
        instructions_ = instructions;
        unseen_ = unseen;
        trace_ = {};
        inputs_.clear();
        last_.reset();
        output_ = {};
        done_ = 0;
        launch_all();
        conclude();
        return std::move(trace_);
    }

    // Nodes that point to nodes are the work of a program; what a kernel does with null pointers says nothing of it.
    void refuse_links() const {
        if (completed() || ending_.kind != FindingKind::out_of_bounds || !ending_.array.empty()) {
            return;
        }
        for (std::size_t p = 0; p < last_->launch().parameters.size(); ++p) {
            const compile::Parameter& parameter = last_->launch().parameters[p];
            if (parameter.links && last_->launch().arguments[p].chosen) {
                throw OptionError(
                    fmt::format("{} follows pointers that lie in {} ({}), and such data cannot be made up; "
                                "run it in a program that builds them",
                                last_->kernel().name, parameter.name, parameter.type));
            }
        }
    }

    // Arrays that the program did not fill because it took them for outputs, but that are read before they are written; without
    // those that it has filled since.
    std::vector<std::uint32_t> read_before_written() const {
        std::vector<std::uint32_t> found;
        if (!completed() || expected_.kind != Expected::Kind::none) {
            return found;
        }
        const auto has = [](const std::vector<std::uint32_t>& list, std::uint32_t p) {
            return std::find(list.begin(), list.end(), p) != list.end();
        };
        for (std::uint32_t p = 0; p < last_->launch().parameters.size(); ++p) {
            if (last_->is_array(p) && last_->launch().arguments[p].chosen && !has(adjusted_.inputs, p) &&
                !has(adjusted_.counters, p) && uninitialised_.contains(last_->launch().parameters[p].name)) {
                found.push_back(p);
            }
        }
        return found;
    }

    Operator op() const { return source_.has_operator() ? options_.op : expected_.op; }

    // A launch over `partials`, the output of the previous one; null: the first. Each has a fraction of the previous
    // one's work.
    void launch(RunOptions options, const Numbers* partials, const std::vector<std::uint32_t>* depths) {
        options.finish = source_.finish();
        options.window = unseen_ ? Window{0, 0} : options.window;
        const KernelSource::Compiled compiled = source_.compile(options, partials == nullptr);
        KernelLaunch chosen = choose_launch(*compiled.program, compiled.kernel, source_.header(), options, adjusted_);
        if (partials == nullptr) {
            if (compiled.chosen) {
                trace_.chosen.push_back(fmt::format("kernel {}", compiled.program->kernels[compiled.kernel].name));
            }
            trace_.chosen.insert(trace_.chosen.end(), chosen.chosen.begin(), chosen.chosen.end());
            for (const compile::Global& g : compiled.program->globals) {
                if (g.space == compile::Space::constant && !g.name.empty() && g.initial.empty() &&
                    g.addresses.empty()) {
                    trace_.chosen.push_back(
                        fmt::format("{} = zeros, in constant memory, which only a program sets", g.name));
                }
            }
            trace_.expected = chosen.expect;
            trace_.kernels = compiled.names;
            for (const compile::RefusedKernel& refused : compiled.program->refused) {
                trace_.refused.push_back({refused.name, why_refused(refused)});
            }
            for (const compile::SourceText& file : compiled.program->files) {
                trace_.sources.push_back({file.path, file.text});
            }
            expect(chosen);
        }
        if (std::uint64_t& most = options.kernel.most_instructions;
            chosen.n_chosen && expected_.kind == Expected::Kind::none) {
            most = most == 0 ? instructions_ : std::min(most, instructions_);
        }
        const LaunchPart part{op(), source_.finish() == Finish::atomic, partials, &time_, depths};
        // The last block to arrive combines the partial results in dynamic shared memory, an element per thread.
        if (source_.finish() == Finish::last_block && source_.has_operator()) {
            const auto words = static_cast<std::uint32_t>(simt::volume(chosen.block)) * bytes(options_.type);
            chosen.shared = std::max(chosen.shared, words);
        }
        std::optional<LaunchRun> before; // decides whether the GPU may run it
        if (options.backend == Backend::cuda) {
            before.emplace(compiled.program, chosen, options, part, control_);
        }
        last_.emplace(compiled.program, std::move(chosen), options, part, control_);
        last_->part_lanes(lanes_part());
        trace_.launches.emplace_back();
        const double share = source_.finish() == Finish::relaunch ? (1 - done_) * 0.9 : 1 - done_;
        const auto progress = control_.progress
                                  ? [this, share](double part) { control_.progress(done_ + share * part); }
                                  : std::function<void(double)>{};
        if (before) {
            launch_on_gpu(*before, options, progress);
        } else {
            last_->execute(options, control_, progress, trace_.launches.back());
        }
        done_ += share;
        note_findings();
        keep_partials();
    }

    // Whether lanes see one another's stores late: if the file declares a race between lanes, unless in lockstep.
    bool lanes_part() const { return source_.header().lanes_race && options_.order != WarpOrder::lockstep; }

    // A kernel that goes wrong in the interpreter is not run on the GPU: the trace is the interpreter's and says so.
    void launch_on_gpu(LaunchRun& before, const RunOptions& options, const std::function<void(double)>& progress) {
        Launch interpreted;
        before.execute(options, control_, {}, interpreted);
        if (spoils_the_result(interpreted)) {
            last_->execute(options, control_, progress, trace_.launches.back());
            refused_ = true;
            return;
        }
        last_->execute_on_gpu(before, options, control_, progress, trace_.launches.back());
    }

    void note_findings() {
        const std::vector<Finding>& findings = trace_.launches.back().findings;
        uninitialised_.clear();
        for (const Finding& f : findings) {
            if (f.kind == FindingKind::uninitialised && !f.array.empty()) {
                uninitialised_.insert(f.array);
            }
        }
        const auto ends =
            std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return ends_the_run(f); });
        ending_ = ends == findings.end() ? Finding{} : *ends;
    }

    void expect(const KernelLaunch& first) {
        expected_ = expected_from(first.expect, source_.has_operator() ? std::optional(options_.op) : std::nullopt);
        expected_.tile = first.tile;
        expected_.shape = first.shape;
        const auto exclusive = options_.parameters.find("exclusive");
        expected_.exclusive |= exclusive != options_.parameters.end() && exclusive->second != 0;
    }

    // How many elements of the launch's output are results.
    std::uint64_t results(const LaunchRun& run) const {
        const std::uint64_t stored = run.stored();
        const bool partial = expected_.kind == Expected::Kind::total || expected_.kind == Expected::Kind::dot;
        if (source_.finish() == Finish::atomic) {
            return std::min<std::uint64_t>(stored, 1);
        }
        if (run.launch().outputs) {
            return std::min(stored, *run.launch().outputs);
        }
        return partial ? std::min<std::uint64_t>(stored, simt::volume(run.launch().grid)) : stored;
    }

    void keep_partials() {
        Launch& launch = trace_.launches.back();
        output_ = last_->output(results(*last_));
        const ElementType type = element_of(output_.type).value_or(ElementType::i32);
        launch.outputs_total = static_cast<std::uint32_t>(output_.size());
        for (std::size_t i = 0; i < std::min(kMaxPartialsKept, output_.size()); ++i) {
            launch.partials.push_back({type, output_.bits[i]});
        }
        const Counters totals = launch.totals();
        trace_.tree.combines += totals.combines;
        trace_.tree.useful_combines += totals.useful_combines;
        trace_.tree.padding_combines += totals.padding_combines;
        trace_.tree.depth = last_->summary().depth; // includes the depth of partial results in its input
        if (source_.finish() == Finish::atomic) {   // each combines with the total so far, which starts as the identity
            const std::uint64_t atomics = last_->summary().atomics;
            trace_.tree.combines += atomics;
            const std::uint64_t values = atomics - last_->summary().padding_atomics;
            const std::uint64_t useful = values - std::min<std::uint64_t>(values, 1);
            trace_.tree.useful_combines += useful;
            trace_.tree.padding_combines += atomics - useful;
            trace_.tree.depth += atomics;
        } else if (!source_.has_operator()) { // each but the first of an element combines with the total so far
            const simt::LaunchSummary& run = last_->summary();
            const std::uint64_t useful = run.atomics - run.padding_atomics - run.joined_elements;
            trace_.tree.combines += useful;
            trace_.tree.useful_combines += useful;
            trace_.tree.depth += run.most_joined - std::min<std::uint64_t>(run.most_joined, 1);
        }
        if (source_.finish() == Finish::last_block && !output_.bits.empty()) {
            output_.bits.resize(1); // the total has replaced the first partial result
        }
    }

    void launch_all() {
        launch(options_, nullptr, nullptr);
        first_ = last_->launch();
        inputs_ = last_->take_inputs();
        trace_.arguments = last_->arguments();
        trace_.kernel = last_->kernel().name;
        trace_.tree.leaves = last_->summary().leaves;
        if (source_.finish() != Finish::relaunch) {
            return;
        }
        RunOptions later = options_;
        later.kernel.n_given = true;
        later.block = relaunch_block(source_.header(), first_, options_);
        later.kernel.block.clear();
        while (last_->summary().completed) {
            const std::uint64_t a_block = output_.size() / std::max<std::uint64_t>(trace_.launches.back().grid, 1);
            if (output_.size() <= left_for_host(options_, a_block)) {
                return;
            }
            if (output_.size() >= last_->launch().n) {
                throw OptionError(
                    fmt::format("a launch over {} elements leaves {}, so that no number of launches makes "
                                "them one; take --finish host",
                                last_->launch().n, output_.size()));
            }
            const Numbers partials = std::move(output_);
            const std::vector<std::uint32_t> depths = last_->depths();
            later.n = partials.size();
            launch(later, &partials, &depths);
        }
    }

    void conclude() {
        RunOptions& o = trace_.options;
        o = options_;
        o.strategy = source_.name();
        o.n = first_.n;
        o.block = trace_.launches.front().block;
        o.finish = source_.finish();
        o.backend = options_.backend == Backend::cuda && !refused_ ? Backend::cuda : Backend::cpu;
        o.type = element_of(output_.type).value_or(ElementType::i32);
        trace_.producer = std::string("warptree ") + std::string(build_info().version);
        trace_.device = {"CPU interpreter", 0, 0};
        if (o.backend == Backend::cuda) {
            const gpu::DeviceFacts& facts = gpu::facts();
            trace_.device = {facts.name, facts.compute_major, facts.compute_minor};
        } else if (refused_) {
            trace_.chosen.push_back("the interpreter, as the kernel goes wrong there: it was not run on the GPU");
        }
        trace_.outputs = last_->outputs();
        judge_outputs();
        if (control_.progress) {
            control_.progress(1);
        }
    }

    // Whether the host gets one value to use as it is, or partial results to combine.
    bool leaves_to_host() const {
        return expected_.kind == Expected::Kind::total &&
               (source_.finish() == Finish::host || source_.finish() == Finish::relaunch);
    }

    static Observed seen(const LaunchRun& run, Numbers output, std::uint64_t depth) {
        Observed o = run.observed(std::move(output));
        o.depth = depth;
        return o;
    }

    // What the kernel computes, told by two more runs with other contents if it can be told by this one.
    std::string recognised() {
        const auto undefined = [](const Finding& f) {
            return f.severity == Severity::fault &&
                   (f.kind == FindingKind::inactive_lane || f.kind == FindingKind::bad_mask);
        };
        if (trace_.launches.size() != 1 || spoils_the_result(trace_.launches.front()) ||
            std::ranges::any_of(trace_.launches.front().findings, undefined)) {
            return "";
        }
        const std::uint64_t depth = trace_.tree.depth;
        Recognition found(seen(*last_, output_, depth));
        int held = 0;
        for (const Telling& telling : {Telling{1, false}, Telling{2, true}, Telling{3, false}}) {
            if (!found.any() || held == 2) {
                break;
            }
            if (auto other = told(telling)) {
                found.hold(seen(*other, other->output(results(*other)), depth));
                ++held;
            }
        }
        return found.name();
    }

    // What another kernel of the file stores, called with the same elements and contents.
    std::vector<std::uint64_t> of_another_kernel(const std::string& kernel) {
        RunOptions o = options_;
        o.backend = Backend::cpu;
        o.window = {0, 0};
        o.n = first_.n;
        o.kernel.n_given = true;
        o.kernel.kernel = kernel;
        o.kernel.expect = "none";
        o.kernel.most_instructions = 0;
        for (std::size_t p = 0; p < first_.parameters.size(); ++p) {
            if (first_.parameters[p].kind == compile::Parameter::Kind::array && first_.parameters[p].loads &&
                !first_.parameters[p].stores) {
                o.kernel.arguments.emplace(first_.parameters[p].name, first_.arguments[p].text);
            }
        }
        KernelSource source(o);
        const KernelSource::Compiled compiled = source.compile(o, true);
        const LaunchPart part{op(), source.finish() == Finish::atomic, nullptr, nullptr};
        for (const Adjusted& tried : {Adjusted{}, adjusted_}) {
            LaunchRun run(compiled.program,
                          choose_launch(*compiled.program, compiled.kernel, source.header(), o, tried), o, part,
                          control_);
            Launch unseen;
            run.execute(o, control_, {}, unseen);
            if (!run.summary().completed) {
                continue;
            }
            Numbers found = run.output(run.stored());
            if (found.type != output_.type) {
                throw OptionError(fmt::format("kernel {} stores {}, this one {}: there is nothing to compare", kernel,
                                              name(found.type), name(output_.type)));
            }
            if (found.bits.empty()) {
                throw OptionError(fmt::format("kernel {} stores nothing to compare with", kernel));
            }
            return std::move(found.bits);
        }
        throw OptionError(fmt::format("kernel {} does not complete, so there is nothing to compare with; run it alone "
                                      "with --kernel {}",
                                      kernel, kernel));
    }

    std::vector<std::uint64_t> of_file(const std::string& path) const {
        std::uint64_t count = 0;
        const std::vector<std::byte> data = read_npy(path, output_.type, count, options_.limits.memory);
        const unsigned size = bytes(output_.type);
        std::vector<std::uint64_t> values(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::memcpy(&values[i], data.data() + i * size, size);
        }
        if (values.empty()) {
            throw OptionError(fmt::format("{} has no elements to compare with", path));
        }
        return values;
    }

    // The launch with these contents; nullopt: it does not complete.
    std::optional<LaunchRun> told(const Telling& telling) {
        Adjusted adjusted = adjusted_;
        adjusted.telling = telling;
        Launch unseen;
        return run_aside(adjusted, kFirstTries, unseen);
    }

    // A launch that is not shown, of at most kTellingThreads threads if its grid follows from n; nullopt: it does not
    // complete. n: other than that shown, if not 0.
    std::optional<LaunchRun> run_aside(const Adjusted& adjusted, std::uint64_t instructions, Launch& launch,
                                       std::uint64_t n = 0) {
        return run_aside(options_, adjusted, instructions, launch, n);
    }
    std::optional<LaunchRun> run_aside(RunOptions o, const Adjusted& adjusted, std::uint64_t instructions,
                                       Launch& launch, std::uint64_t n) {
        o.backend = Backend::cpu;
        o.finish = source_.finish();
        o.window = {0, 0};
        o.kernel.most_instructions = instructions;
        const std::uint64_t threads = simt::volume(first_.grid) * simt::volume(first_.block);
        o.n = first_.n;
        o.kernel.n_given = true;
        if (threads > kTellingThreads && first_.n > kTellingThreads) {
            o.n = kTellingThreads;
        }
        o.n = n == 0 ? o.n : n;
        try {
            const KernelSource::Compiled compiled = source_.compile(o, true);
            const LaunchPart part{op(), source_.finish() == Finish::atomic, nullptr, &time_};
            std::optional<LaunchRun> run(
                std::in_place, compiled.program,
                choose_launch(*compiled.program, compiled.kernel, source_.header(), o, adjusted), o, part, control_);
            run->execute(o, control_, {}, launch);
            return run->summary().completed ? std::move(run) : std::nullopt;
        } catch (const OptionError&) { // a size that depends on n
            return std::nullopt;
        }
    }

    void judge_outputs() {
        RunOptions& o = trace_.options;
        trace_.result = trace_.reference = {o.type, output_.size() != 0 ? output_.bits.front() : 0};
        const Launch& launch = trace_.launches.back();
        const std::uint64_t scalars = last_->components(first_.input);
        const std::uint64_t n = first_.n * scalars, block = launch.block * scalars;
        if (!last_->summary().completed) {
            trace_.pass = false;
            if (expected_.kind == Expected::Kind::total && !inputs_.empty() &&
                element_of(inputs_.front().type) == o.type) { // the expected value
                const Numbers none{output_.type, {0}};
                trace_.reference.bits = judge(expected_, inputs_, none, n, block, 1, trace_.tree.depth).reference;
            }
            return;
        }
        if (expected_.kind == Expected::Kind::none) {
            trace_.pass = true;
            trace_.equals = options_.kernel.name_result ? recognised() : "";
            return;
        }
        if (expected_.kind == Expected::Kind::scan && last_->output_grows()) { // the host cleared what nobody wrote
            output_.bits.resize(std::max<std::size_t>(output_.size(), n));
        }
        if (expected_.list == Expected::List::kernel) {
            expected_.reference = of_another_kernel(expected_.source);
        } else if (expected_.list == Expected::List::file) {
            expected_.reference = of_file(expected_.source);
        }
        const Verdict v = judge(expected_, inputs_, output_, n, block, launch.grid, trace_.tree.depth);
        o.op = expected_.op;
        trace_.pass = v.pass;
        const ElementType type = element_of(output_.type).value_or(o.type); // an index is no element of the input
        trace_.result = {type, v.result};
        trace_.reference = {type, v.reference};
        trace_.reference_error = v.error;
        trace_.tolerance = v.tolerance;
        trace_.first_wrong = v.first_wrong;
        trace_.host_partials = v.host_combines == 0 && !(leaves_to_host() && output_.size() == 1)
                                   ? 0
                                   : static_cast<std::uint32_t>(v.host_combines + 1);
        trace_.tree.combines += v.host_combines;
        const std::uint64_t padding = v.host_combines == 0 ? 0 : host_padding(last_->depths());
        trace_.tree.useful_combines += v.host_combines - padding;
        trace_.tree.padding_combines += padding;
        trace_.tree.depth += v.host_combines == 0 ? 0 : static_cast<std::uint64_t>(std::bit_width(v.host_combines));
    }

    const RunOptions& options_;
    RunControl& control_;
    simt::ProcessorTime time_{options_.limits.time};
    KernelSource source_;
    Expected expected_;
    KernelLaunch first_;
    std::vector<Numbers> inputs_; // of the first launch
    std::optional<LaunchRun> last_;
    Numbers output_; // of the last launch
    double done_ = 0;
    bool unseen_ = false;                 // nothing of this attempt is recorded
    bool refused_ = false;                // because of a finding in the interpreter
    Adjusted adjusted_;                   // of this attempt
    std::uint64_t instructions_ = 0;      // limit per block, counted by warp, if the program chose n
    Finding ending_;                      // the first that ended the launch, if one did
    std::set<std::string> uninitialised_; // arrays whose uninitialised elements were read
    Trace trace_;
};
} // namespace

namespace {
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
    if (is_kernel_file(o) && o.kernel.block.empty() && !trace.launches.empty()) {
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
