// A program's launches: what a GPU would refuse is refused, the rest runs on the machine.
#include "app/run/program/launch.hpp"
#include "app/run/choice/array_beginning.hpp"
#include "app/run/choice/inert_elements.hpp"
#include "app/run/compiler_warnings.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/text.hpp"
#include "app/run/tracing_device.hpp"
#include "app/simt/machine.hpp"
#include "app/trace/explain/doubtful_values.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/reduced_elements.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace warptree::runs {

using compile::kNone;
using compile::Parameter;

namespace {
CudaError error_of(const Launch& launch) {
    for (const Finding& f : launch.findings) {
        if (!ends_the_run(f)) {
            continue;
        }
        switch (f.kind) {
        case FindingKind::misaligned: return CudaError::misaligned_address;
        case FindingKind::assertion: return CudaError::device_assertion;
        case FindingKind::endless:
        case FindingKind::limit:
        case FindingKind::deadlock: return CudaError::timeout;
        case FindingKind::trap:
        case FindingKind::bad_free: return CudaError::launch_failure;
        default: return CudaError::illegal_address;
        }
    }
    return launch.stalled_blocks != 0 ? CudaError::timeout : CudaError::none;
}
} // namespace

std::string ProgramSession::extent(const simt::Extent& e) {
    return e[2] != 1   ? fmt::format("({}, {}, {})", e[0], e[1], e[2])
           : e[1] != 1 ? fmt::format("({}, {})", e[0], e[1])
                       : fmt::format("{}", e[0]);
}

std::string ProgramSession::configuration(const Wanted& w) {
    return fmt::format("<<<{}, {}{}>>>", extent(w.grid), extent(w.block),
                       w.shared == 0 ? "" : fmt::format(", {}", w.shared));
}

CudaError ProgramSession::launch(const host::Ask& ask, std::span<const std::byte> arguments) {
    constexpr std::uint64_t kTogether = 1ULL << 63, kReturned = 1ULL << 62;
    const auto low = [&](unsigned word) { return static_cast<std::uint32_t>(ask.words[word]); };
    const auto high = [&](unsigned word) { return static_cast<std::uint32_t>(ask.words[word] >> 32); };
    Wanted wanted;
    const std::uint64_t number = ask.words[0] & ~(kTogether | kReturned);
    if (number >= program_->kernels.size() && number - program_->kernels.size() < absent_.size()) {
        refuse_absent(absent_[number - program_->kernels.size()]);
    }
    if (number >= program_->kernels.size()) {
        throw ForgedMessage("a launch of a kernel that is none");
    }
    wanted.kernel = low(0);
    wanted.together = (ask.words[0] & kTogether) != 0;
    wanted.returned = (ask.words[0] & kReturned) != 0;
    wanted.grid = {low(1), high(1), low(2)};
    wanted.block = {high(2), low(3), high(3)};
    wanted.shared = ask.words[4];
    wanted.stream = stream(ask.words[5]);
    wanted.code = &program_->kernels[wanted.kernel];
    tell_swapped_names();
    if (const std::uint64_t cluster = ask.words[6]; cluster >> 63 != 0) {
        for (unsigned d = 0; d < 3; ++d) { // 0 counts as 1
            wanted.cluster[d] = std::max(1U, static_cast<std::uint32_t>(cluster >> 16 * d & 0xFFFF));
        }
    }
    if (sticky_ != CudaError::none) {
        return sticky_;
    }
    if (!order_.knows(wanted.stream) || order_.device_of(wanted.stream) != devices_.current()) {
        return fail(CudaError::invalid_handle);
    }
    CudaError error = CudaError::none;
    if (const std::string why = why_not(wanted, error); !why.empty()) {
        return refuse_launch(wanted, error, why);
    }
    return run(wanted, arguments);
}

// A kernel that the interpreter does not have, because its device code was refused.
void ProgramSession::refuse_absent(const std::string& symbol) {
    const std::string name = kernel_name(symbol);
    const auto& refused = program_->refused;
    const auto base = [](const std::string& of) { return of.substr(0, of.find('<')); };
    auto reason = std::find_if(refused.begin(), refused.end(), [&](const auto& r) { return r.name == name; });
    if (reason == refused.end()) {
        reason =
            std::find_if(refused.begin(), refused.end(), [&](const auto& r) { return base(r.name) == base(name); });
    }
    StoryEvent& event = tell(StoryKind::error);
    event.name = name;
    event.text =
        fmt::format("{} is launched, and cannot run: {}", name,
                    reason == refused.end() ? "it is not among the kernels that were compiled" : why_refused(*reason));
    throw NotSupported(line_.known() ? fmt::format("line {}: {}", line_.line(), event.text) : event.text);
}

// Why a GPU would not take it; empty: it would.
std::string ProgramSession::why_not(const Wanted& w, CudaError& error) const {
    const std::uint64_t threads = simt::volume(w.block);
    error = CudaError::invalid_configuration;
    if (threads == 0) {
        return "a block has no threads";
    }
    if (threads > simt::kMostThreads) {
        return fmt::format("a block of {} threads is larger than the {} that a GPU takes", threads, simt::kMostThreads);
    }
    if (w.block[2] > 64) {
        return fmt::format("a block is {} deep, and a GPU takes 64", w.block[2]);
    }
    if (simt::volume(w.grid) == 0) {
        return "the grid has no blocks: a division may round down to 0, or a product of ints be too large for one";
    }
    if (w.grid[0] > 0x7FFFFFFFU) {
        return fmt::format("a grid of {} is larger than a GPU takes, 2^31 - 1 in x: as an int that is {}, as what is "
                           "negative becomes, or a product that is too large for an int",
                           w.grid[0], static_cast<std::int32_t>(w.grid[0]));
    }
    if (w.grid[1] > 65535 || w.grid[2] > 65535) {
        return fmt::format("a grid of {} is larger than a GPU takes: 2^31 - 1 in x, 65535 in y and z", extent(w.grid));
    }
    if (simt::volume(w.grid) > 0x7FFFFFFFU) {
        error = CudaError::not_supported;
        return "the interpreter takes at most 2^31 - 1 blocks in all";
    }
    error = CudaError::out_of_resources;
    if (w.code->most_threads != 0 && threads > w.code->most_threads) {
        return fmt::format("a block of {} threads is larger than the {} of the kernel's __launch_bounds__", threads,
                           w.code->most_threads);
    }
    error = CudaError::invalid_value;
    std::uint64_t fixed = 0;
    for (const std::uint32_t s : w.code->shared) {
        fixed = std::max<std::uint64_t>(fixed, program_->shared[s].offset + program_->shared[s].bytes);
    }
    if (std::string why = simt::too_much_fixed_shared(fixed); !why.empty()) {
        return why;
    }
    if (w.shared > simt::kMostSharedBytes || w.shared + fixed > simt::kMostSharedBytes) {
        return fmt::format("a block needs {} bytes of shared memory, and a GPU has {} for it", w.shared + fixed,
                           simt::kMostSharedBytes);
    }
    if (w.shared + fixed > shared_allowed_[w.kernel] && w.shared > 0 &&
        w.shared > shared_allowed_[w.kernel] - std::min<std::uint64_t>(fixed, shared_allowed_[w.kernel])) {
        return fmt::format("a block needs {} bytes of shared memory: more than 48 KB take "
                           "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first",
                           w.shared + fixed);
    }
    if (const std::string why = why_no_clusters(w); !why.empty()) {
        error = CudaError::invalid_cluster;
        return why;
    }
    error = CudaError::too_large_together;
    constexpr std::uint64_t kResident = 132ULL * 2048; // threads of an H100
    if (w.together && simt::volume(w.grid) * threads > kResident) {
        return fmt::format("a cooperative launch of {} blocks cannot be resident at once", simt::volume(w.grid));
    }
    error = CudaError::none;
    return {};
}

std::string ProgramSession::why_no_clusters(const Wanted& w) const {
    const simt::Extent named{w.code->cluster[0], w.code->cluster[1], w.code->cluster[2]};
    const simt::Extent cluster = named[0] != 0 ? named : w.cluster;
    if (cluster[0] == 0) {
        return {};
    }
    if (named[0] != 0 && w.cluster[0] != 0 && w.cluster != named) {
        return fmt::format("clusters of {} are asked for, and the kernel's __cluster_dims__ says {}", extent(w.cluster),
                           extent(named));
    }
    const bool large = large_clusters_[w.kernel];
    const std::uint64_t blocks = simt::volume(cluster), most = large ? simt::kMostInCluster : simt::kPortableCluster;
    if (blocks == 0 || blocks > most) {
        return fmt::format("a cluster of {} blocks is larger than the {} that a GPU takes{}", blocks, most,
                           large ? ""
                                 : "; 16 take cudaFuncSetAttribute(kernel, "
                                   "cudaFuncAttributeNonPortableClusterSizeAllowed, 1) first");
    }
    for (unsigned d = 0; d < 3; ++d) {
        if (w.grid[d] % cluster[d] != 0) {
            return fmt::format("a grid of {} is not made of whole clusters of {}", extent(w.grid), extent(cluster));
        }
    }
    return {};
}

CudaError ProgramSession::refuse_launch(const Wanted& wanted, CudaError error, const std::string& why) {
    const std::string text = fmt::format("{}{} is not launched: {}", wanted.code->name, configuration(wanted), why);
    StoryEvent& event = tell(StoryKind::error);
    event.name = wanted.code->name;
    event.text = text;
    if (const Finding* const found = find(FindingKind::failed_launch, here(), text);
        found != nullptr && unseen_ == SIZE_MAX && !wanted.returned) {
        unseen_ = static_cast<std::size_t>(found - trace_.program.findings.data());
    }
    return fail(error);
}

void ProgramSession::note_repeat(LaunchRepeats::Asked asked, const simt::LaunchSummary& summary, const Launch& launch,
                                 bool found_nothing, std::chrono::steady_clock::duration took) {
    if (!summary.touched || devices_.count() > 1) { // variables change places between devices
        repeats_.forget();
        return;
    }
    const simt::Touched& touched = *summary.touched;
    bool again = found_nothing && launch.findings.empty() && launch.printed.empty();
    for (std::uint32_t i = 0; i < touched.stored.size(); ++i) {
        if (touched.stored[i]) {
            repeats_.wrote(i);
        }
        // What the host may change by itself, or has to wait for.
        again = again && !((touched.stored[i] || touched.loaded[i]) && (*memory_)[i].watched());
    }
    if (again) {
        std::map<std::uint32_t, std::vector<std::byte>> after;
        for (const auto& [array, before] : touched.before) {
            const std::byte* const data = (*memory_)[array].data();
            after.emplace(array, std::vector<std::byte>(data, data + before.size()));
        }
        repeats_.add({std::move(asked), touched, std::move(after), launch, took});
    }
}

std::unique_ptr<simt::DeviceLog> ProgramSession::log_of(const simt::LaunchSetup& setup) {
    if (trace_.options.backend != Backend::cuda) {
        return nullptr;
    }
    constexpr std::chrono::milliseconds kLimit(10000);
    try {
        return tracing_device().log(setup, kLimit);
    } catch (const OptionError& error) {
        throw NotSupported(fmt::format("{}: {}", running_, error.what()));
    } catch (const DeviceError& error) {
        throw NotSupported(fmt::format("{}: {}", running_, error.what()));
    }
}

CudaError ProgramSession::run(const Wanted& wanted, std::span<const std::byte> bytes_given) {
    simt::LaunchSetup setup;
    setup.program = program_.get();
    setup.kernel = wanted.kernel;
    setup.memory = memory_.get();
    setup.grid = wanted.grid;
    setup.block = wanted.block;
    setup.cluster = wanted.cluster;
    setup.most_in_cluster = simt::kMostInCluster;
    setup.dynamic_shared = static_cast<std::uint32_t>(wanted.shared);
    const RunOptions& o = options_.run;
    setup.order = o.order == WarpOrder::reverse  ? simt::Order::reverse
                  : o.order == WarpOrder::random ? simt::Order::random
                                                 : simt::Order::in_order;
    setup.seed = o.order_seed.value_or(o.seed);
    setup.banks = o.banks;
    setup.window_first = o.window.first;
    setup.window_count = launches_ < options_.launches_in_full ? o.window.count : 0;
    setup.findings_only = options_.launches_in_full == 0;
    setup.without_grid_barriers = !wanted.together;
    setup.tells_overflow = true;
    setup.attempts = attempts_[wanted.kernel] < kMostDoubted;
    setup.workers = o.workers;
    setup.cancel = &control_.cancel;
    setup.time = &time_;

    Launch launch;
    launch.kernel = wanted.code->name;
    std::vector<std::uint32_t> used; // by parameter: its allocation
    std::size_t at = 0;
    for (const Parameter& p : wanted.code->parameters) {
        simt::Argument argument;
        KernelArgument shown{p.name, p.type, {}, 0, false};
        const std::size_t size = p.kind == Parameter::Kind::record  ? p.bytes
                                 : p.kind == Parameter::Kind::array ? 8
                                                                    : std::max(1U, bytes(p.element));
        if (bytes_given.size() - at < size) {
            throw ForgedMessage("a launch without its arguments");
        }
        used.push_back(kNone);
        if (p.kind == Parameter::Kind::record) {
            argument.record.assign(bytes_given.begin() + static_cast<std::ptrdiff_t>(at),
                                   bytes_given.begin() + static_cast<std::ptrdiff_t>(at + size));
            shown.value = "a record";
        } else {
            std::memcpy(&argument.bits, bytes_given.data() + at, size);
            shown.value = value_text(p.element, argument.bits);
        }
        if (p.kind == Parameter::Kind::array) {
            const Place place = find_place(argument.bits);
            if (place.allocation != nullptr && !place.allocation->freed()) {
                if (place.index >= program_->globals.size() && p.element != ValueType::none) {
                    place.allocation->retype(p.element, std::max(1U, bytes(p.element)));
                }
                used.back() = place.index;
                shown.value = named(place.index);
                shown.count = place.allocation->shape().elements;
                if (place.offset != 0) {
                    shown.value +=
                        fmt::format(" + {}", place.offset / std::max(1U, place.allocation->shape().element_bytes));
                }
            } else {
                shown.value = argument.bits == 0 ? "null" : "a pointer to no memory of the device";
            }
        }
        at += size;
        setup.arguments.push_back(std::move(argument));
        launch.arguments.push_back(std::move(shown));
    }
    if (at != bytes_given.size()) {
        throw ForgedMessage("a launch with more arguments than its kernel has");
    }
    if (const std::string why = out_of_reach(wanted, used); !why.empty()) {
        find(FindingKind::failed_launch, here(), why);
        sticky_ = last_ = CudaError::illegal_address;
        return CudaError::none;
    }
    // What the values that it stores are made of, for the launches that read them.
    std::vector<std::uint32_t> depths;
    for (std::size_t p = 0; p < used.size() && setup.output == kNone; ++p) {
        const Parameter& parameter = wanted.code->parameters[p];
        if (used[p] != kNone && (parameter.stores || parameter.updates) && !setup.findings_only) {
            setup.output = used[p];
            setup.output_depths = &depths;
        }
    }
    std::vector<std::uint32_t> unwritten;
    for (std::uint32_t i = 0; i < memory_->count(); ++i) {
        if (!(*memory_)[i].freed() && (*memory_)[i].untouched()) {
            unwritten.push_back(i);
        }
    }
    const StreamOrder::Operation now = order_.enqueue(wanted.stream, wanted.code->name + configuration(wanted), here());
    for (std::uint32_t i = 0; i < memory_->count(); ++i) {
        if (simt::Allocation& a = (*memory_)[i];
            !a.freed() && (order_.several() || compile::is_host_address(a.address))) {
            a.watch();
        }
    }
    UncoveredElements::Asked this_one{wanted.kernel, {}, used};
    for (const simt::Argument& argument : setup.arguments) {
        this_one.arguments.push_back(argument.bits);
    }
    uncovered_.launched(*program_, this_one);
    const std::vector<Rectangle> rectangles = watch_rectangles(wanted, setup.arguments, used);
    running_ = wanted.code->name + configuration(wanted);
    if (line_.known()) {
        running_ += fmt::format(" in line {}", line_.line());
    }
    setup.progress = watch_time(wanted);
    const std::unique_ptr<simt::DeviceLog> log = log_of(setup);
    setup.log = log.get();
    setup.attempts = setup.attempts && log == nullptr;
    LaunchRepeats::Asked asked{wanted.kernel,  wanted.grid,   wanted.block,
                               wanted.cluster, wanted.shared, {bytes_given.begin(), bytes_given.end()}};
    simt::LaunchSummary summary;
    if (const LaunchRepeats::Made* const made = log == nullptr ? repeats_.repeat(asked, *memory_) : nullptr;
        made != nullptr) {
        launch = made->launch;
        spared_ += made->took;
        ++repeated_;
        running_.clear();
    } else {
        const auto begin = std::chrono::steady_clock::now();
        const std::uint64_t found = found_;
        summary = simt::run(setup, launch);
        attempts_[wanted.kernel] += summary.doubted ? 1 : 0;
        running_.clear();
        note_accesses(now, *wanted.code, used);
        tell_unwritten(wanted, used, unwritten, launch);
        tell_left_parts(launch);
        if (summary.completed) { // else how far it came is chance
            if (!tell_left_part(wanted, this_one, rectangles)) {
                tell_uncovered(wanted, this_one, setup.arguments);
            }
            const bool faulty =
                std::ranges::any_of(launch.findings, [](const Finding& f) { return f.severity == Severity::fault; });
            for (auto& told : {lost_elements(launch), repeated_elements(launch), same_elements(launch),
                               faulty ? std::nullopt : own_value(launch),
                               faulty ? std::nullopt : not_a_number(launch, ValueType::none, false)}) {
                if (told) {
                    launch.findings.push_back(*told);
                }
            }
        }
        note_repeat(std::move(asked), summary, launch, found_ == found, std::chrono::steady_clock::now() - begin);
    }
    for (std::size_t p = 0; p < used.size(); ++p) {
        if (used[p] != kNone) {
            const Parameter& parameter = wanted.code->parameters[p];
            launch.allocations[used[p]].input |= parameter.loads || parameter.constant;
            launch.allocations[used[p]].output |= parameter.stores || parameter.updates;
            if (parameter.stores || parameter.updates) {
                results_.stored(used[p], wanted.code->name, named(used[p]), here(),
                                parameter.loads ||
                                    (parameter.updates && uses_what_was_there(*program_, *wanted.code, parameter)),
                                (*memory_)[used[p]].bytes() <= 8);
                if (compile::is_host_address((*memory_)[used[p]].address)) {
                    results_.may_be_seen();
                }
            } else {
                results_.loaded(used[p]);
            }
        }
    }
    // What lies behind pointers in memory, or in a structure, is not followed.
    if (std::ranges::any_of(wanted.code->parameters, [](const Parameter& p) {
            return p.links || p.element == ValueType::pointer || p.kind == Parameter::Kind::record;
        })) {
        results_.may_be_seen();
    }
    memory_->end_launch();
    if (setup.output != kNone) {
        (*memory_)[setup.output].depths = std::move(depths);
    }
    trace_.tree.depth = std::max<std::uint64_t>(trace_.tree.depth, summary.depth);
    if (launches_ == 0) {
        trace_.tree.leaves = summary.leaves;
    }
    name_host_pointers(wanted, setup.arguments, launch);
    name_null_pointer(wanted, setup.arguments, launch);
    tell_counted_bytes(wanted, setup.arguments, launch);
    tell_warnings(*program_, *wanted.code, launch);
    tell_inert_elements(launch);
    launch.elements = 0;
    for (std::size_t p = 0; p < used.size(); ++p) {
        if (used[p] != kNone && wanted.code->parameters[p].loads && launch.elements == 0) {
            launch.elements = (*memory_)[used[p]].shape().elements;
        }
    }
    const std::string prints = launch.printed;
    StoryEvent& event = tell(StoryKind::launch);
    event.name = wanted.code->name;
    event.text = configuration(wanted);
    const CudaError error = error_of(launch);
    ++launches_;
    if (trace_.launches.size() < options_.launches_kept) {
        event.launch = static_cast<std::uint32_t>(trace_.launches.size());
        trace_.launches.push_back(std::move(launch));
    } else if (error != CudaError::none) { // one that goes wrong is kept
        event.launch = static_cast<std::uint32_t>(trace_.launches.size());
        trace_.launches.push_back(std::move(launch));
    }
    if (error != CudaError::none) {
        sticky_ = last_ = error;
    }
    if (!prints.empty()) {
        results_.may_be_seen();
        printed_bytes_ += prints.size();
        printed_.push_back({now, wanted.code->name, prints});
    }
    return CudaError::none; // it is told when the program waits for it
}

} // namespace warptree::runs
