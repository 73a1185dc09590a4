#include "app/run/program/calls.hpp"

#include "app/base/identifier.hpp"

#include "app/theory/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace warptree::runs {

using host::Call;
using Reply = ProgramCalls::Reply;

namespace {

constexpr std::uint64_t kFirstPage = 4096;
constexpr std::uint32_t kMultiprocessors = 132; // of an H100
// What the compiler of the vendor would take is not known here.
constexpr std::uint32_t kRegisters = 32;

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether a line frees by what malloc or new go with.
bool frees_as_of_host(std::string_view line) {
    const std::size_t at = line.find("free(");
    return (at != std::string_view::npos && (at == 0 || !in_identifier(line[at - 1]))) ||
           line.find("delete") != std::string_view::npos;
}

} // namespace

Reply ProgramCalls::reply_of(CudaError error, std::initializer_list<std::uint64_t> words) {
    Reply reply;
    reply.answer.error = static_cast<std::int32_t>(error);
    std::copy(words.begin(), words.end(), reply.answer.words.begin());
    return reply;
}

const theory::DeviceLimits& ProgramCalls::device() { return theory::require_device("hopper"); }

Reply ProgramCalls::loaded(ProgramSession& s, const host::Ask&, Bytes) {
    s.loaded_ = true;
    return {};
}

Reply ProgramCalls::crashed(ProgramSession& s, const host::Ask& ask, Bytes) {
    const auto signal = static_cast<int>(ask.words[0] & 0x7F);
    ProgramSession::Crash crash{signal, {}};
    const Place place = s.find_place(ask.words[1]);
    FindingKind kind = FindingKind::crash;
    if (signal == SIGSEGV && ask.words[1] >= compile::kGlobalBase) {
        kind = FindingKind::device_pointer;
        const std::string name = place.allocation == nullptr ? "" : place.allocation->shape().name;
        crash.text = name.empty() ? std::string("the host uses a pointer to memory of the device")
                     : frees_as_of_host(s.text_in(s.here()))
                         ? fmt::format("the host frees {0}, which is memory of the device: cudaFree({0}) frees what "
                                       "cudaMalloc gave",
                                       name)
                         : fmt::format("the host uses {}, which is memory of the device: cudaMemcpy copies it to an "
                                       "array of the host, which the host may use",
                                       name);
    } else if (signal == SIGSEGV && place.allocation != nullptr && place.allocation->freed()) {
        kind = FindingKind::use_after_free;
        crash.text = fmt::format("the host uses {}, which has been freed{}", place.allocation->shape().name,
                                 s.where_freed(place.allocation->shape().name));
    } else if (signal == SIGSEGV) {
        crash.text = ask.words[2] != 0 ? std::string("the host's stack overflows: it recurses too deeply")
                     : ask.words[1] < kFirstPage
                         ? std::string("the host reads or writes through a null pointer")
                         : fmt::format("the host reads or writes at {:#x}, where nothing is", ask.words[1]);
    } else {
        crash.text = signal == SIGABRT  ? "the host aborts"
                     : signal == SIGFPE ? "the host divides by zero"
                                        : fmt::format("the host is ended by signal {}", signal);
    }
    s.find(kind, s.here(), crash.text, place.allocation == nullptr ? "" : place.allocation->shape().name);
    s.crash_ = std::move(crash);
    return {};
}

Reply ProgramCalls::ended(ProgramSession&, const host::Ask&, Bytes) { return {}; }

Reply ProgramCalls::kernel(ProgramSession& s, const host::Ask&, Bytes symbol) {
    const std::string name = text_of(symbol);
    const auto& kernels = s.program_->kernels;
    const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.symbol == name; });
    if (found == kernels.end()) { // which matters only if it is launched
        if (s.absent_.size() > compile::kMostAllocations) {
            throw ForgedMessage("more kernels than a program has");
        }
        s.absent_.push_back(name);
        return reply_of(CudaError::none, {kernels.size() + s.absent_.size() - 1});
    }
    Reply reply = reply_of(CudaError::none, {static_cast<std::uint64_t>(found - kernels.begin())});
    for (const compile::Parameter& p : found->parameters) {
        const std::uint32_t size = parameter_bytes(p);
        const auto* const at = reinterpret_cast<const std::byte*>(&size);
        reply.bytes.insert(reply.bytes.end(), at, at + sizeof size);
    }
    return reply;
}

std::uint32_t ProgramCalls::parameter_bytes(const compile::Parameter& p) {
    switch (p.kind) {
    case compile::Parameter::Kind::record: return p.bytes;
    case compile::Parameter::Kind::array: return 8;
    case compile::Parameter::Kind::value: return std::max(1U, bytes(p.element));
    }
    return 0;
}

Reply ProgramCalls::variable(ProgramSession& s, const host::Ask& ask, Bytes symbol) {
    constexpr std::uint64_t kMost = 1ULL << 30;
    const std::string name = text_of(symbol);
    if (ask.words[0] > kMost || s.variables_.size() > compile::kMostAllocations) {
        throw ForgedMessage("a variable of the device that cannot be");
    }
    const auto& globals = s.program_->globals;
    const auto found = std::find_if(globals.begin(), globals.end(), [&](const auto& g) { return g.symbol == name; });
    if (found != globals.end()) {
        s.variables_.push_back(static_cast<std::uint32_t>(found - globals.begin()));
    } else { // no kernel uses it
        simt::Allocation::Shape shape = shape_of(ask.words[0], 0, name);
        shape.defined = true;
        s.variables_.push_back(s.memory_->add(std::move(shape)));
    }
    return reply_of(CudaError::none, {s.variables_.size() - 1});
}

Reply ProgramCalls::launch(ProgramSession& s, const host::Ask& ask, Bytes arguments) {
    return reply_of(s.launch(ask, arguments));
}

Reply ProgramCalls::function_attribute(ProgramSession& s, const host::Ask& ask, Bytes) {
    constexpr std::uint64_t kDynamicShared = 8, kLargeClusters = 13;
    if (ask.words[0] >= s.shared_allowed_.size()) {
        return reply_of(s.fail(CudaError::invalid_device_function));
    }
    if (ask.words[1] == kDynamicShared) {
        if (ask.words[2] > device().shared_per_block) {
            return reply_of(s.fail(CudaError::invalid_value));
        }
        s.shared_allowed_[ask.words[0]] = static_cast<std::uint32_t>(ask.words[2]);
    }
    if (ask.words[1] == kLargeClusters) {
        s.large_clusters_[ask.words[0]] = ask.words[2] != 0;
    }
    return {};
}

std::uint32_t ProgramCalls::static_shared(const ProgramSession& s, std::uint64_t kernel) {
    std::uint32_t size = 0;
    for (const std::uint32_t i : s.program_->kernels[kernel].shared) {
        size = std::max(size, s.program_->shared[i].offset + s.program_->shared[i].bytes);
    }
    return size;
}

Reply ProgramCalls::function_facts(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (ask.words[0] >= s.program_->kernels.size()) {
        return reply_of(s.fail(CudaError::invalid_device_function));
    }
    const compile::Kernel& kernel = s.program_->kernels[ask.words[0]];
    const std::uint64_t threads = kernel.most_threads == 0 ? 1024 : kernel.most_threads;
    return reply_of(CudaError::none,
                    {static_shared(s, ask.words[0]), 0, s.program_->functions[kernel.function].local_bytes,
                     threads | std::uint64_t{kRegisters} << 32});
}

Reply ProgramCalls::occupancy(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (ask.words[0] >= s.program_->kernels.size()) {
        return reply_of(s.fail(CudaError::invalid_device_function));
    }
    if (ask.words[1] == 0 || ask.words[1] > device().threads_per_block) {
        return reply_of(CudaError::none, {0, kMultiprocessors});
    }
    theory::KernelNeeds needs;
    needs.threads = static_cast<std::uint32_t>(ask.words[1]);
    needs.registers = kRegisters;
    needs.shared = static_shared(s, ask.words[0]) + std::min<std::uint64_t>(ask.words[2], 1U << 30);
    return reply_of(CudaError::none, {theory::occupancy(device(), needs).blocks, kMultiprocessors});
}

Reply ProgramCalls::last_error(ProgramSession& s, const host::Ask& ask, Bytes) {
    s.unseen_ = SIZE_MAX;
    const CudaError error = s.sticky_ != CudaError::none ? s.sticky_ : s.last_;
    if (ask.words[0] != 0) {
        s.last_ = CudaError::none;
    }
    return reply_of(error);
}

namespace {
// What is wrong with a call while a stream is captured; empty: nothing.
std::string_view misused(host::Misuse misuse) {
    switch (misuse) {
    case host::Misuse::uses_default_stream:
        return "the default stream is used while a stream is captured that waits for it: the call is refused "
               "(cudaErrorStreamCaptureImplicit) and the capture is lost; it belongs before or after the capture, or "
               "into "
               "the captured stream";
    case host::Misuse::allocates:
        return "memory is allocated or freed while a stream is captured: the call is refused "
               "(cudaErrorStreamCaptureUnsupported) and the capture is lost; it belongs before or after the capture";
    case host::Misuse::waits:
        return "the host waits while a stream is captured, whose work only the graph will do: the call is refused "
               "(cudaErrorStreamCaptureUnsupported) and the capture is lost; it belongs after the graph's launch";
    case host::Misuse::no_address:
    case host::Misuse::none:
    case host::Misuse::count: break;
    }
    return {};
}
} // namespace

Reply ProgramCalls::note_error(ProgramSession& s, const host::Ask& ask, Bytes) {
    const auto error = static_cast<CudaError>(ask.words[0] & 0xFFFF);
    if (error == CudaError::invalid_pitch) {
        s.find(FindingKind::copy_out_of_bounds, s.here(), "a row of the copy is longer than the pitch from row to row");
    }
    if (ask.words[1] >= static_cast<std::uint64_t>(host::Misuse::count)) {
        throw ForgedMessage(fmt::format("a misuse of number {}", ask.words[1]));
    }
    if (const std::string_view why = misused(static_cast<host::Misuse>(ask.words[1])); !why.empty()) {
        s.tell(StoryKind::error).text = why;
        s.find(FindingKind::failed_launch, s.here(), std::string(why));
    }
    if (static_cast<host::Misuse>(ask.words[1]) == host::Misuse::no_address) {
        const std::string name = s.argument(0);
        if (Finding* const f =
                s.find(FindingKind::doubtful_code, s.here(),
                       name.empty() || s.argument_text(0).find('&') != std::string::npos
                           ? "memory is allocated for a null pointer: nothing says where its address goes"
                           : fmt::format("the allocation is given {0} itself, which is a null pointer, for "
                                         "the address of it: &{0}; nothing is allocated",
                                         name))) {
            f->severity = Severity::fault;
        }
    }
    return reply_of(s.fail(error));
}

Reply ProgramCalls::device_count(ProgramSession& s, const host::Ask&, Bytes) {
    return reply_of(CudaError::none, {s.devices_.count()});
}

Reply ProgramCalls::device_set(ProgramSession& s, const host::Ask& ask, Bytes) {
    return ask.words[0] < s.devices_.count() ? reply_of(CudaError::none) : reply_of(s.fail(CudaError::invalid_device));
}

Reply ProgramCalls::peer(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (ask.words[0] >= s.devices_.count() || ask.words[0] == s.devices_.current()) {
        return reply_of(s.fail(CudaError::invalid_device));
    }
    const auto other = static_cast<std::uint32_t>(ask.words[0]);
    if (ask.words[1] != 0) {
        return reply_of(s.devices_.enable(other) ? CudaError::none : s.fail(CudaError::peer_enabled));
    }
    return reply_of(s.devices_.disable(other) ? CudaError::none : s.fail(CudaError::peer_not_enabled));
}

Reply ProgramCalls::device_reset(ProgramSession& s, const host::Ask&, Bytes) {
    s.order_.wait_device(s.devices_.current());
    for (std::uint32_t i = static_cast<std::uint32_t>(s.program_->globals.size()); i < s.memory_->count(); ++i) {
        simt::Allocation& a = (*s.memory_)[i];
        if (!a.freed() && !s.is_variable(i) && !compile::is_host_address(a.address) &&
            s.devices_.owner(i) == s.devices_.current()) {
            s.devices_.freed(i, a.bytes());
            a.free();
        }
    }
    s.reset_ = true;
    const CudaError error = std::exchange(s.sticky_, CudaError::none);
    s.last_ = CudaError::none;
    return reply_of(error);
}

Reply ProgramCalls::device_facts(ProgramSession& s, const host::Ask&, Bytes) {
    const theory::DeviceLimits& limits = device();
    host::Facts f;
    constexpr std::string_view kName = "warptree interpreter (H100's limits)";
    std::copy(kName.begin(), kName.end(), f.name.begin());
    f.memory = s.options_.memory;
    f.shared_a_block = 49152;
    f.shared_a_block_most = limits.shared_per_block;
    f.shared_an_sm = limits.shared;
    f.constant = 65536;
    f.cache = 50U << 20U;
    f.registers_a_block = limits.registers_per_block;
    f.registers_an_sm = limits.registers;
    f.threads_a_block = limits.threads_per_block;
    f.threads_an_sm = limits.threads;
    f.blocks_an_sm = limits.blocks;
    f.sms = kMultiprocessors;
    f.major = static_cast<std::uint32_t>(limits.major);
    f.minor = static_cast<std::uint32_t>(limits.minor);
    f.clock_khz = 1980000;
    f.memory_clock_khz = 2619000;
    f.bus_bits = 5120;
    Reply reply;
    const auto* const at = reinterpret_cast<const std::byte*>(&f);
    reply.bytes.assign(at, at + sizeof f);
    return reply;
}

namespace {

struct CallEntry {
    Call call;
    Reply (*serve)(ProgramSession&, const host::Ask&, ProgramCalls::Bytes);
    bool of_the_program; // rather than of its process
    bool tells_changes;  // arrays stay as they are, or it says itself which are written: LaunchRepeats
};
constexpr std::array kCalls{
    CallEntry{Call::loaded, ProgramCalls::loaded, false, false},
    CallEntry{Call::crashed, ProgramCalls::crashed, false, false},
    CallEntry{Call::ended, ProgramCalls::ended, false, false},
    CallEntry{Call::kernel, ProgramCalls::kernel, false, true},
    CallEntry{Call::variable, ProgramCalls::variable, false, false},
    CallEntry{Call::allocate, ProgramCalls::allocate, true, false},
    CallEntry{Call::allocate_pitch, ProgramCalls::allocate_pitch, true, false},
    CallEntry{Call::allocate_shared, ProgramCalls::allocate_shared, true, false},
    CallEntry{Call::release, ProgramCalls::release, true, false},
    CallEntry{Call::copy, ProgramCalls::copy, true, true},
    CallEntry{Call::small_object, ProgramCalls::small_object, true, true},
    CallEntry{Call::stage_in, ProgramCalls::stage_in, true, true},
    CallEntry{Call::stage_out, ProgramCalls::stage_out, true, true},
    CallEntry{Call::set, ProgramCalls::set, true, true},
    CallEntry{Call::symbol_address, ProgramCalls::symbol_address, true, true},
    CallEntry{Call::pointer_facts, ProgramCalls::pointer_facts, true, true},
    CallEntry{Call::memory_info, ProgramCalls::memory_info, true, true},
    CallEntry{Call::launch, ProgramCalls::launch, true, true},
    CallEntry{Call::function_attribute, ProgramCalls::function_attribute, true, false},
    CallEntry{Call::function_facts, ProgramCalls::function_facts, true, true},
    CallEntry{Call::occupancy, ProgramCalls::occupancy, true, true},
    CallEntry{Call::stream_create, ProgramCalls::stream_create, true, false},
    CallEntry{Call::stream_facts, ProgramCalls::stream_facts, true, true},
    CallEntry{Call::stream_destroy, ProgramCalls::stream_destroy, true, false},
    CallEntry{Call::synchronise, ProgramCalls::synchronise, true, true},
    CallEntry{Call::event_create, ProgramCalls::event_create, true, true},
    CallEntry{Call::event_destroy, ProgramCalls::event_destroy, true, true},
    CallEntry{Call::event_record, ProgramCalls::event_record, true, true},
    CallEntry{Call::event_wait, ProgramCalls::event_wait, true, true},
    CallEntry{Call::stream_wait, ProgramCalls::stream_wait, true, false},
    CallEntry{Call::event_time, ProgramCalls::event_time, true, true},
    CallEntry{Call::guards, ProgramCalls::guards, false, true},
    CallEntry{Call::early, ProgramCalls::early, false, true},
    CallEntry{Call::last_error, ProgramCalls::last_error, true, true},
    CallEntry{Call::note_error, ProgramCalls::note_error, true, true},
    CallEntry{Call::device_count, ProgramCalls::device_count, true, true},
    CallEntry{Call::device_set, ProgramCalls::device_set, true, false},
    CallEntry{Call::peer, ProgramCalls::peer, true, false},
    CallEntry{Call::device_reset, ProgramCalls::device_reset, true, false},
    CallEntry{Call::device_facts, ProgramCalls::device_facts, true, true},
};

} // namespace

Reply ProgramSession::answer(const host::Ask& ask, std::span<const std::byte> bytes) {
    const auto entry = std::find_if(kCalls.begin(), kCalls.end(),
                                    [&](const auto& e) { return static_cast<std::uint32_t>(e.call) == ask.call; });
    if (entry == kCalls.end()) {
        throw ForgedMessage(fmt::format("a call of number {}", ask.call));
    }
    if (ask.device >= devices_.count()) {
        throw ForgedMessage(fmt::format("a call on device {}", ask.device));
    }
    devices_.use(ask.device);
    if (entry->of_the_program && devices_.count() > 1) {
        std::vector<std::uint32_t> known(program_->globals.size());
        std::iota(known.begin(), known.end(), 0U);
        std::copy_if(variables_.begin(), variables_.end(), std::back_inserter(known),
                     [&](std::uint32_t v) { return v >= program_->globals.size(); });
        devices_.show_variables(*memory_, known);
    }
    locate(ask);
    began_ = began_ || entry->of_the_program;
    if (!entry->tells_changes) {
        repeats_.forget();
    }
    Reply reply;
    try {
        reply = entry->serve(*this, ask, bytes);
    } catch (const OptionError& error) { // no room for another array
        tell(StoryKind::error).text = error.what();
        reply = ProgramCalls::reply_of(fail(CudaError::out_of_memory));
    }
    show_printed();
    reply.answer.bytes = reply.bytes.size();
    reply.answer.guards = guards();
    return reply;
}

} // namespace warptree::runs
