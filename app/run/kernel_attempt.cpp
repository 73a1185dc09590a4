#include "app/run/kernel_attempt.hpp"

#include "app/base/build_info.hpp"
#include "app/base/error.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/choice/each_instruction.hpp"
#include "app/run/tracing_device.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

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
} // namespace

KernelAttempt::KernelAttempt(const RunOptions& options, RunControl& control)
    : options_(options), control_(control), source_(options) {
    if (options.backend == Backend::cuda) { // throws if there is none
        source_.trace_on(tracing_device().architecture());
    }
}

Trace KernelAttempt::attempt(const Adjusted& adjusted, std::uint64_t instructions, bool unseen) {
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

std::optional<LaunchRun> KernelAttempt::run_aside(RunOptions o, const Adjusted& adjusted, std::uint64_t instructions,
                                                  Launch& launch, std::uint64_t n, const Window& traced) {
    o.backend = Backend::cpu;
    o.finish = source_.finish();
    o.window = traced;
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
        std::optional<LaunchRun> run(std::in_place, compiled.program,
                                     choose_launch(*compiled.program, compiled.kernel, source_.header(), o, adjusted),
                                     o, part, control_);
        run->execute(o, control_, {}, launch);
        return run->summary().completed ? std::move(run) : std::nullopt;
    } catch (const OptionError&) { // a size that depends on n
        return std::nullopt;
    }
}

std::uint64_t KernelAttempt::results(const LaunchRun& run) const {
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

std::vector<std::string> KernelAttempt::other_arguments(const KernelLaunch& launched) const {
    std::vector<std::string> with;
    for (std::size_t p = 0; p < launched.arguments.size(); ++p) {
        const ArgumentValue &before = launched.arguments[p], &now = first_.arguments[p];
        if (before.text != now.text && (before.text != "n" || launched.n == first_.n)) {
            with.push_back(fmt::format("{} = {}", last_->launch().parameters[p].name, before.text));
        }
    }
    return with;
}

bool KernelAttempt::uses_n() const {
    for (std::size_t p = 0; p < first_.parameters.size(); ++p) {
        if (first_.arguments[p].text == "n" && is_used(last_->program(), last_->kernel(), first_.parameters[p])) {
            return true;
        }
    }
    return false;
}

bool KernelAttempt::keeps_its_name(const Trace& trace, const LaunchRun& other) const {
    Recognition name(seen(*last_, output_, trace.tree.depth));
    name.hold(seen(other, other.output(results(other)), trace.tree.depth));
    return name.holds(trace.equals);
}

std::string KernelAttempt::signature() {
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

Observed KernelAttempt::seen(const LaunchRun& run, Numbers output, std::uint64_t depth) {
    Observed o = run.observed(std::move(output));
    o.depth = depth;
    return o;
}

void KernelAttempt::launch(RunOptions options, const Numbers* partials, const std::vector<std::uint32_t>* depths) {
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
            if (g.space == compile::Space::constant && !g.name.empty() && g.initial.empty() && g.addresses.empty()) {
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
        most = most == 0 ? instructions_ : most; // what somebody states is not changed
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
    const auto progress = control_.progress ? [this, share](double part) { control_.progress(done_ + share * part); }
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

void KernelAttempt::launch_on_gpu(LaunchRun& before, const RunOptions& options,
                                  const std::function<void(double)>& progress) {
    Launch interpreted;
    before.execute(options, control_, {}, interpreted);
    if (spoils_the_result(interpreted)) {
        last_->execute(options, control_, progress, trace_.launches.back());
        refused_ = true;
        return;
    }
    last_->execute_on_gpu(before, options, control_, progress, trace_.launches.back());
}

void KernelAttempt::note_findings() {
    const std::vector<Finding>& findings = trace_.launches.back().findings;
    uninitialised_.clear();
    for (const Finding& f : findings) {
        if (f.kind == FindingKind::uninitialised && !f.array.empty()) {
            uninitialised_.insert(f.array);
        }
    }
    // Of several that end it what goes past an array in shared memory first: it may be due to the block alone, and others to it.
    const auto ends_by = [&](bool shared) {
        return std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
            const auto is = [&](std::uint32_t s) { return last_->program().shared[s].name == f.array; };
            return ends_the_run(f) && (!shared || (f.kind == FindingKind::out_of_bounds &&
                                                   std::ranges::any_of(last_->kernel().shared, is)));
        });
    };
    auto ends = ends_by(true);
    ends = ends == findings.end() ? ends_by(false) : ends;
    ending_ = ends == findings.end() ? Finding{} : *ends;
}

void KernelAttempt::expect(const KernelLaunch& first) {
    expected_ = expected_from(first.expect, source_.has_operator() ? std::optional(options_.op) : std::nullopt);
    expected_.tile = first.tile;
    expected_.shape = first.shape;
    const auto exclusive = options_.parameters.find("exclusive");
    expected_.exclusive |= exclusive != options_.parameters.end() && exclusive->second != 0;
}

bool KernelAttempt::outputs_are_chance() const {
    return last_->summary().memory_is_chance && simt::volume(last_->launch().grid) > 1;
}

void KernelAttempt::keep_partials() {
    Launch& launch = trace_.launches.back();
    output_ = last_->output(results(*last_));
    const ElementType type = element_of(output_.type).value_or(ElementType::i32);
    launch.outputs_total = static_cast<std::uint32_t>(output_.size());
    if (outputs_are_chance()) {
        output_.bits.clear();
        launch.outputs_total = 0;
        for (const Output& o : launch.outputs) {
            launch.outputs_total = std::max(launch.outputs_total, static_cast<std::uint32_t>(o.index + 1));
        }
        for (const Node& n : launch.nodes) {
            if (n.kind == NodeKind::partial && n.allocation != kSharedMemory) {
                launch.outputs_total = std::max(launch.outputs_total, static_cast<std::uint32_t>(n.element() + 1));
            }
        }
    }
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

void KernelAttempt::launch_all() {
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
            throw OptionError(fmt::format("a launch over {} elements leaves {}, so that no number of launches makes "
                                          "them one; take --finish host",
                                          last_->launch().n, output_.size()));
        }
        const Numbers partials = std::move(output_);
        const std::vector<std::uint32_t> depths = last_->depths();
        later.n = partials.size();
        launch(later, &partials, &depths);
    }
}

void KernelAttempt::conclude() {
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
        trace_.device = tracing_device().facts();
    } else if (refused_) {
        trace_.chosen.push_back("the interpreter, as the kernel goes wrong there: it was not run on the GPU");
    }
    if (!outputs_are_chance()) {
        trace_.outputs = last_->outputs();
    }
    if (expected_.kind == Expected::Kind::none) { // a name for the result is found by other launches
        tell();
    }
    judge_outputs();
    if (control_.progress) {
        control_.progress(1);
    }
    tell();
}

// Once, what is shown while others are tried. These take about as long again, several times over.
void KernelAttempt::tell() {
    constexpr std::uint64_t kMany = 1U << 16; // elements
    constexpr std::chrono::milliseconds kLong{500};
    if (control_.seen && !told_ && !unseen_ && completed() && options_.backend == Backend::cpu &&
        (first_.n >= kMany || std::chrono::steady_clock::now() - begun_ > kLong)) {
        told_ = true;
        control_.seen(trace_);
    }
}

bool KernelAttempt::leaves_to_host() const {
    return expected_.kind == Expected::Kind::total &&
           (source_.finish() == Finish::host || source_.finish() == Finish::relaunch);
}

std::string KernelAttempt::recognised() {
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
    if (found.name().starts_with("a copy of ")) {
        hold_with_unequal_sizes(found);
    }
    return found.name();
}

// What sets as many results where one of several sizes that are all n is another one does what its name says there, too: from
// a weight on, as in a row of a knapsack, it may not.
void KernelAttempt::hold_with_unequal_sizes(Recognition& found) {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t p = 0; p < first_.parameters.size(); ++p) {
        if (first_.arguments[p].chosen && first_.arguments[p].text == "n") {
            sizes.push_back(p);
        }
    }
    for (const std::uint32_t p : sizes) {
        Adjusted other = adjusted_;
        other.few = p;
        Launch unseen;
        const auto run = sizes.size() < 2 ? std::nullopt : run_aside(other, kFirstTries, unseen);
        if (run && results(*run) == output_.size()) {
            found.hold(seen(*run, run->output(results(*run)), trace_.tree.depth));
        }
    }
}

std::vector<std::uint64_t> KernelAttempt::of_another_kernel(const std::string& kernel) {
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
        LaunchRun run(compiled.program, choose_launch(*compiled.program, compiled.kernel, source.header(), o, tried), o,
                      part, control_);
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

std::vector<std::uint64_t> KernelAttempt::of_file(const std::string& path) const {
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

std::optional<LaunchRun> KernelAttempt::told(const Telling& telling) {
    Adjusted adjusted = adjusted_;
    adjusted.telling = telling;
    Launch unseen;
    return run_aside(adjusted, kFirstTries, unseen);
}

// A sum of integers that its type does not hold: right is what is left of it, which few expect.
void KernelAttempt::tell_overflow(std::uint64_t n) {
    if (expected_.kind != Expected::Kind::total || expected_.op != Operator::sum || inputs_.empty()) {
        return;
    }
    const Numbers& in = inputs_.front();
    const bool is_signed = in.type == ValueType::i32;
    if (!is_signed && in.type != ValueType::u32) {
        return;
    }
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < std::min<std::uint64_t>(n, in.size()); ++k) {
        const auto bits = static_cast<std::uint32_t>(in.bits[k]);
        sum += is_signed ? static_cast<std::int32_t>(bits) : std::int64_t{bits};
    }
    const bool holds = is_signed ? sum == static_cast<std::int32_t>(sum) : sum == static_cast<std::uint32_t>(sum);
    if (holds) {
        return;
    }
    Finding f;
    f.kind = FindingKind::overflow;
    f.severity = Severity::risk;
    f.array = first_.parameters[first_.input].name;
    f.text = fmt::format("the sum of {} is {}, which no {} holds: what is stored and compared is the rest, modulo 2^32",
                         f.array, sum, is_signed ? "int" : "unsigned int");
    trace_.launches.back().findings.push_back(std::move(f));
}

void KernelAttempt::judge_outputs() {
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
    tell_overflow(n);
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

} // namespace warptree::runs
