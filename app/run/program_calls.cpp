// How each call of the runtime API is served: a line of the table, and its function.
#include "app/run/program_session.hpp"

#include "app/theory/device_limits.hpp"
#include "app/theory/occupancy.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace warptree::runs {

using compile::kNone;
using host::Call;
using host::Part;
using Reply = ProgramSession::Reply;

namespace {

constexpr std::uint64_t kPage = 4096;

Reply reply_of(CudaError error, std::initializer_list<std::uint64_t> words = {}) {
    Reply reply;
    reply.answer.error = static_cast<std::int32_t>(error);
    std::copy(words.begin(), words.end(), reply.answer.words.begin());
    return reply;
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_device_address(std::uint64_t address) {
    return address >= compile::kGlobalBase || compile::is_host_address(address);
}

// As in include/host/cuda_api.h: 1 signed, 2 unsigned, 3 floating; the size in bits 8 and up.
ValueType type_of(std::uint32_t element) {
    switch (element) {
    case 1 | 1 << 8: return ValueType::i8;
    case 2 | 1 << 8: return ValueType::u8;
    case 1 | 2 << 8: return ValueType::i16;
    case 2 | 2 << 8: return ValueType::u16;
    case 1 | 4 << 8: return ValueType::i32;
    case 2 | 4 << 8: return ValueType::u32;
    case 1 | 8 << 8: return ValueType::i64;
    case 2 | 8 << 8: return ValueType::u64;
    case 3 | 4 << 8: return ValueType::f32;
    case 3 | 8 << 8: return ValueType::f64;
    default: return ValueType::u8;
    }
}

simt::Allocation::Shape shape_of(std::uint64_t size, std::uint32_t element, std::string name) {
    simt::Allocation::Shape shape;
    shape.name = std::move(name);
    shape.element = type_of(element);
    shape.element_bytes = bytes(shape.element);
    if (size % shape.element_bytes != 0) {
        shape.element = ValueType::u8;
        shape.element_bytes = 1;
    }
    shape.elements = size / shape.element_bytes;
    shape.defined = false;
    return shape;
}

// What the program is told of the device: one whose limits the machine keeps.
const theory::DeviceLimits& device() { return theory::require_device("hopper"); }

} // namespace

std::uint64_t ProgramSession::add(std::uint64_t size, std::uint32_t element, std::string name) {
    const std::uint32_t index = memory_->add(shape_of(size, element, std::move(name)), {}, &control_.cancel);
    used_ += size;
    return (*memory_)[index].address;
}

struct ProgramCalls {
    using Bytes = std::span<const std::byte>;

    static Reply loaded(ProgramSession& s, const host::Ask&, Bytes) {
        s.loaded_ = true;
        return {};
    }

    static Reply crashed(ProgramSession& s, const host::Ask& ask, Bytes) {
        const auto signal = static_cast<int>(ask.words[0] & 0x7F);
        ProgramSession::Crash crash{signal, {}};
        const ProgramSession::Place place = s.find_place(ask.words[1]);
        FindingKind kind = FindingKind::crash;
        if (signal == SIGSEGV && ask.words[1] >= compile::kGlobalBase) {
            kind = FindingKind::device_pointer;
            crash.text = place.allocation == nullptr
                             ? std::string("the host uses a pointer to memory of the device")
                             : fmt::format("the host uses {}, which is memory of the device: copy it back first",
                                           place.allocation->shape().name);
        } else if (signal == SIGSEGV && place.allocation != nullptr && place.allocation->freed()) {
            kind = FindingKind::use_after_free;
            crash.text = fmt::format("the host uses {}, which has been freed", place.allocation->shape().name);
        } else if (signal == SIGSEGV) {
            crash.text = ask.words[2] != 0 ? std::string("the host's stack overflows: it recurses too deeply")
                         : ask.words[1] < kPage
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

    static Reply ended(ProgramSession&, const host::Ask&, Bytes) { return {}; }

    static Reply kernel(ProgramSession& s, const host::Ask&, Bytes symbol) {
        const std::string name = text_of(symbol);
        const auto& kernels = s.program_->kernels;
        const auto found =
            std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.symbol == name; });
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

    static std::uint32_t parameter_bytes(const compile::Parameter& p) {
        switch (p.kind) {
        case compile::Parameter::Kind::record: return p.bytes;
        case compile::Parameter::Kind::array: return 8;
        case compile::Parameter::Kind::value: return std::max(1U, bytes(p.element));
        }
        return 0;
    }

    static Reply variable(ProgramSession& s, const host::Ask& ask, Bytes symbol) {
        constexpr std::uint64_t kMost = 1ULL << 30;
        const std::string name = text_of(symbol);
        if (ask.words[0] > kMost || s.variables_.size() > compile::kMostAllocations) {
            throw ForgedMessage("a variable of the device that cannot be");
        }
        const auto& globals = s.program_->globals;
        const auto found =
            std::find_if(globals.begin(), globals.end(), [&](const auto& g) { return g.symbol == name; });
        if (found != globals.end()) {
            s.variables_.push_back(static_cast<std::uint32_t>(found - globals.begin()));
        } else { // no kernel uses it
            simt::Allocation::Shape shape = shape_of(ask.words[0], 0, name);
            shape.defined = true;
            s.variables_.push_back(s.memory_->add(std::move(shape)));
        }
        return reply_of(CudaError::none, {s.variables_.size() - 1});
    }

    static Reply allocate(ProgramSession& s, const host::Ask& ask, Bytes) {
        const std::uint64_t size = ask.words[0];
        if (size == 0) {
            return reply_of(CudaError::none); // CUDA gives a null pointer
        }
        if (size > s.options_.memory - std::min(s.used_, s.options_.memory)) {
            return out_of_memory(s, size);
        }
        const bool library = (ask.words[1] & host::kOfALibrarysOwn) != 0;
        const std::string name = s.unique_name(library ? "device_vector" : s.argument(0));
        const std::uint64_t address = s.add(size, static_cast<std::uint32_t>(ask.words[1]), name);
        StoryEvent& event = s.tell(StoryKind::allocate);
        event.name = name;
        event.bytes = size;
        return reply_of(CudaError::none, {address});
    }

    static Reply out_of_memory(ProgramSession& s, std::uint64_t size) {
        StoryEvent& event = s.tell(StoryKind::error);
        event.bytes = size;
        event.text = fmt::format("{} bytes are more than the {} that are left of the device's memory", size,
                                 s.options_.memory - std::min(s.used_, s.options_.memory));
        return reply_of(s.fail(CudaError::out_of_memory));
    }

    static Reply allocate_pitch(ProgramSession& s, const host::Ask& ask, Bytes) {
        constexpr std::uint64_t kAlign = 512, kMost = 1ULL << 40;
        const std::uint64_t width = ask.words[0], height = ask.words[1];
        if (width == 0 || height == 0 || width > kMost || height > kMost / (width + kAlign)) {
            return width == 0 || height == 0 ? reply_of(CudaError::none) : out_of_memory(s, kMost);
        }
        const std::uint64_t pitch = (width + kAlign - 1) / kAlign * kAlign;
        host::Ask plain = ask;
        plain.words[0] = pitch * height;
        plain.words[1] = ask.words[2];
        Reply reply = allocate(s, plain, {});
        reply.answer.words[1] = pitch;
        return reply;
    }

    static Reply allocate_shared(ProgramSession& s, const host::Ask& ask, Bytes) {
        const std::uint64_t size = ask.words[0];
        if (size == 0) {
            return reply_of(s.fail(CudaError::invalid_value));
        }
        if (size > s.options_.memory - std::min(s.used_, s.options_.memory)) {
            return out_of_memory(s, size);
        }
        const std::uint64_t room = (size + kPage - 1) / kPage * kPage, offset = s.shared_end_;
        if (ftruncate(s.shared_file_, static_cast<off_t>(offset + room)) != 0) {
            return out_of_memory(s, size);
        }
        s.shared_end_ += room;
        const std::string name = s.unique_name(s.argument(0));
        simt::Allocation::Shape shape = shape_of(size, static_cast<std::uint32_t>(ask.words[1]), name);
        shape.defined = true; // what the host writes goes unseen
        const std::uint32_t index = s.memory_->add_shared(std::move(shape), {s.shared_file_, offset});
        s.used_ += size;
        StoryEvent& event = s.tell(StoryKind::allocate);
        event.name = name;
        event.bytes = size;
        event.text = ask.words[2] != 0 ? "managed" : "host memory that the device sees";
        s.host_memory_.resize(std::max<std::size_t>(s.host_memory_.size(), index + 1));
        s.host_memory_[index] = {room, ask.words[2] != 0};
        return reply_of(CudaError::none, {(*s.memory_)[index].address, offset});
    }

    static Reply release(ProgramSession& s, const host::Ask& ask, Bytes) {
        const std::uint64_t address = ask.words[0];
        const std::string call = ask.words[1] != 0 ? "cudaFreeHost" : "cudaFree";
        if (address == 0) {
            return reply_of(s.sticky_);
        }
        const ProgramSession::Place place = s.find_place(address);
        const std::string variable = s.argument(0);
        const auto bad = [&](std::string text) {
            s.find(FindingKind::bad_free, s.here(), std::move(text), variable);
            return reply_of(s.fail(CudaError::invalid_value));
        };
        if (place.allocation == nullptr || s.is_variable(place.index)) {
            return bad(fmt::format("{} is given {}, which no allocation returned", call,
                                   variable.empty() ? "a pointer" : variable));
        }
        simt::Allocation& a = *place.allocation;
        if (a.freed()) {
            return bad(fmt::format("{} is freed a second time", a.shape().name));
        }
        if (place.offset != 0) {
            return bad(
                fmt::format("{} is given {} bytes after the beginning of {}", call, place.offset, a.shape().name));
        }
        const bool shared = compile::is_host_address(address);
        const bool managed = shared && s.host_memory_[place.index].managed;
        if ((ask.words[1] != 0) != (shared && !managed)) {
            return bad(fmt::format("{} was allocated otherwise: take {}", a.shape().name,
                                   shared && !managed ? "cudaFreeHost" : "cudaFree"));
        }
        StoryEvent& event = s.tell(StoryKind::free);
        event.name = a.shape().name;
        event.bytes = a.bytes();
        s.used_ -= std::min(s.used_, a.bytes());
        a.free();
        return shared ? reply_of(s.sticky_, {address, s.host_memory_[place.index].bytes}) : reply_of(s.sticky_);
    }

    static Reply copy(ProgramSession& s, const host::Ask& ask, Bytes) {
        const auto& w = ask.words;
        const std::uint64_t to = w[0], from = w[1], width = w[2], height = w[3];
        if (s.sticky_ != CudaError::none) {
            return reply_of(s.sticky_);
        }
        if (width == 0 || height == 0) {
            return reply_of(CudaError::none);
        }
        const bool to_device = is_device_address(to), from_device = is_device_address(from);
        enum Kind : std::uint64_t { host_to_host, host_to_device, device_to_host, device_to_device, by_pointers };
        const bool library = (w[6] & host::kOfALibrary) != 0; // whose own arrays have no names
        const auto kind = static_cast<Kind>(w[6] & ~host::kOfALibrary);
        if (kind > by_pointers) {
            return reply_of(s.fail(static_cast<CudaError>(21)));
        }
        const std::string to_name = library ? "the library" : s.argument(0);
        const std::string from_name = library ? "the library" : s.argument(1);
        // Memory that both see may stand for either side.
        const bool to_both = compile::is_host_address(to), from_both = compile::is_host_address(from);
        const bool wants_to = kind == host_to_device || kind == device_to_device;
        const bool wants_from = kind == device_to_host || kind == device_to_device;
        if (kind != by_pointers && ((!to_both && wants_to != to_device) || (!from_both && wants_from != from_device))) {
            static constexpr std::array kNames = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                                  "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
            const auto is = [](const std::string& name, bool device) {
                return fmt::format("{} is memory of the {}", name.empty() ? "a pointer" : name,
                                   device ? "device" : "host");
            };
            s.find(FindingKind::copy_direction, s.here(),
                   fmt::format("{} is said, but {}", kNames[kind],
                               !to_both && wants_to != to_device ? is(to_name, to_device) : is(from_name, from_device)),
                   to_name);
            return reply_of(s.fail(CudaError::invalid_value));
        }
        const ProgramSession::Rows to_rows{to, w[4], width, height}, from_rows{from, w[5], width, height};
        std::optional<ProgramSession::Place> to_place, from_place;
        if (to_device && !(to_place = s.place_of(to_rows, "the copy writes", to_name))) {
            return reply_of(s.fail(CudaError::invalid_value));
        }
        if (from_device && !(from_place = s.place_of(from_rows, "the copy reads", from_name))) {
            return reply_of(s.fail(CudaError::invalid_value));
        }
        StoryEvent& event = s.tell(StoryKind::copy);
        event.name = to_place ? s.named(to_place->index) : to_name;
        event.other = from_place ? s.named(from_place->index) : from_name;
        event.bytes = width * height;
        event.direction = to_device && from_device ? CopyDirection::device_to_device
                          : to_device              ? CopyDirection::host_to_device
                          : from_device            ? CopyDirection::device_to_host
                                                   : CopyDirection::host_to_host;
        if (from_place) {
            tell_uninitialised(s, *from_place, from_rows, to_device);
            event.text = to_device ? std::string() : first_values(*from_place, width);
        }
        if (to_place && from_place) {
            for (std::uint64_t row = 0; row < height; ++row) {
                copy_row(*to_place, *from_place, row * w[4], row * w[5], width);
            }
            return reply_of(CudaError::none, {static_cast<std::uint64_t>(Part::nothing)});
        }
        return reply_of(CudaError::none, {static_cast<std::uint64_t>(to_place     ? Part::sends
                                                                     : from_place ? Part::receives
                                                                                  : Part::copies)});
    }

    // What the host gets to see first: "4950", "1, 2, 3, 4", "0, 1, 2 …"; empty where nobody wrote it.
    static std::string first_values(const ProgramSession::Place& place, std::uint64_t width) {
        constexpr std::uint64_t kMostTold = 4;
        const simt::Allocation& a = *place.allocation;
        const std::uint32_t size = a.shape().element_bytes;
        const auto begin = static_cast<std::uint64_t>(place.offset);
        const std::uint64_t all = width / size, told = all <= kMostTold ? all : kMostTold - 1;
        if (size > sizeof(std::uint64_t) || a.shape().element == ValueType::none ||
            (!a.shape().defined && !a.initialised(begin, told * size))) {
            return {};
        }
        std::string text;
        for (std::uint64_t i = 0; i < told; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, a.data() + begin + i * size, size);
            text += (i == 0 ? "" : ", ") + value_text(a.shape().element, bits);
        }
        return text + (told < all ? " …" : "");
    }

    // Elements that nobody has written, which the host gets.
    static void tell_uninitialised(ProgramSession& s, const ProgramSession::Place& place,
                                   const ProgramSession::Rows& rows, bool to_device) {
        const simt::Allocation& a = *place.allocation;
        if (to_device || a.shape().defined) {
            return;
        }
        const std::uint32_t size = a.shape().element_bytes;
        std::uint64_t first = 0, count = 0, all = 0;
        for (std::uint64_t row = 0; row < rows.height; ++row) {
            const std::uint64_t begin = static_cast<std::uint64_t>(place.offset) + row * rows.pitch;
            all += rows.width / size;
            if (a.initialised(begin, rows.width)) {
                continue;
            }
            for (std::uint64_t at = begin; at + size <= begin + rows.width; at += size) {
                if (!a.initialised(at, size)) {
                    first = count++ == 0 ? at / size : first;
                }
            }
        }
        if (count != 0) {
            s.find(FindingKind::uninitialised_copy, s.here(),
                   fmt::format(
                       "{} of the {} elements of {} that are copied to the host were never written, the first is "
                       "{}[{}]",
                       count == all ? "all" : fmt::format("{}", count), all, a.shape().name, a.shape().name, first),
                   a.shape().name);
        }
    }

    static void copy_row(const ProgramSession::Place& to, const ProgramSession::Place& from, std::uint64_t to_at,
                         std::uint64_t from_at, std::uint64_t width) {
        const std::uint64_t begin = static_cast<std::uint64_t>(to.offset) + to_at;
        const std::uint64_t source = static_cast<std::uint64_t>(from.offset) + from_at;
        if (from.allocation->initialised(source, width)) {
            to.allocation->initialise(begin, width);
        } else {
            for (std::uint64_t i = 0; i < width; ++i) {
                if (from.allocation->initialised(source + i, 1)) {
                    to.allocation->initialise(begin + i, 1);
                }
            }
        }
        std::memmove(to.allocation->data() + begin, from.allocation->data() + source, width);
    }

    // A part of a copy that was allowed; checked anew, as anything may come.
    static ProgramSession::Place staged(ProgramSession& s, const host::Ask& ask) {
        const ProgramSession::Rows rows{ask.words[0], ask.words[1], ask.words[2], ask.words[3]};
        const ProgramSession::Place place = s.find_place(rows.address);
        const std::uint64_t span = s.span_of(rows);
        if (place.allocation == nullptr || place.allocation->freed() || place.offset < 0 ||
            static_cast<std::uint64_t>(place.offset) > place.allocation->bytes() ||
            span > place.allocation->bytes() - static_cast<std::uint64_t>(place.offset) ||
            rows.width > host::kStageBytes || (rows.width != 0 && rows.height > host::kStageBytes / rows.width)) {
            throw ForgedMessage("a part of a copy that lies outside of memory");
        }
        return place;
    }
    static Reply stage_in(ProgramSession& s, const host::Ask& ask, Bytes) {
        const ProgramSession::Place place = staged(s, ask);
        for (std::uint64_t row = 0; row < ask.words[3]; ++row) {
            const std::uint64_t at = static_cast<std::uint64_t>(place.offset) + row * ask.words[1];
            std::memcpy(place.allocation->data() + at, s.stage_ + row * ask.words[2], ask.words[2]);
            place.allocation->initialise(at, ask.words[2]);
        }
        return {};
    }
    static Reply stage_out(ProgramSession& s, const host::Ask& ask, Bytes) {
        const ProgramSession::Place place = staged(s, ask);
        for (std::uint64_t row = 0; row < ask.words[3]; ++row) {
            const std::uint64_t at = static_cast<std::uint64_t>(place.offset) + row * ask.words[1];
            std::memcpy(s.stage_ + row * ask.words[2], place.allocation->data() + at, ask.words[2]);
        }
        return {};
    }

    static Reply set(ProgramSession& s, const host::Ask& ask, Bytes) {
        if (s.sticky_ != CudaError::none) {
            return reply_of(s.sticky_);
        }
        const ProgramSession::Rows rows{ask.words[0], ask.words[1], ask.words[3], ask.words[4]};
        if (rows.width == 0 || rows.height == 0) {
            return {};
        }
        const auto place = s.place_of(rows, "cudaMemset writes", s.argument(0));
        if (!place) {
            return reply_of(s.fail(CudaError::invalid_value));
        }
        for (std::uint64_t row = 0; row < rows.height; ++row) {
            const std::uint64_t at = static_cast<std::uint64_t>(place->offset) + row * rows.pitch;
            std::memset(place->allocation->data() + at, static_cast<int>(ask.words[2] & 0xFF), rows.width);
            place->allocation->initialise(at, rows.width);
        }
        StoryEvent& event = s.tell(StoryKind::set);
        event.name = s.named(place->index);
        event.bytes = rows.width * rows.height;
        event.text = fmt::format("{}", ask.words[2] & 0xFF);
        return {};
    }

    static Reply symbol_address(ProgramSession& s, const host::Ask& ask, Bytes) {
        if (ask.words[0] >= s.variables_.size()) {
            return reply_of(s.fail(CudaError::invalid_symbol));
        }
        const simt::Allocation& a = (*s.memory_)[s.variables_[ask.words[0]]];
        return reply_of(CudaError::none, {a.address, a.bytes()});
    }

    static Reply pointer_facts(ProgramSession& s, const host::Ask& ask, Bytes) {
        enum Kind : std::uint64_t { unregistered, host, device, managed };
        const ProgramSession::Place place = s.find_place(ask.words[0]);
        if (place.allocation == nullptr || place.allocation->freed()) {
            return reply_of(CudaError::none, {unregistered, 0, ask.words[0]});
        }
        if (!compile::is_host_address(ask.words[0])) {
            return reply_of(CudaError::none, {device, ask.words[0], 0});
        }
        return reply_of(CudaError::none,
                        {s.host_memory_[place.index].managed ? managed : host, ask.words[0], ask.words[0]});
    }

    static Reply memory_info(ProgramSession& s, const host::Ask&, Bytes) {
        return reply_of(CudaError::none, {s.options_.memory - std::min(s.used_, s.options_.memory), s.options_.memory});
    }

    static Reply launch(ProgramSession& s, const host::Ask& ask, Bytes arguments) {
        return reply_of(s.launch(ask, arguments));
    }

    static Reply function_attribute(ProgramSession& s, const host::Ask& ask, Bytes) {
        constexpr std::uint64_t kDynamicShared = 8;
        if (ask.words[0] >= s.shared_allowed_.size()) {
            return reply_of(s.fail(CudaError::invalid_device_function));
        }
        if (ask.words[1] == kDynamicShared) {
            if (ask.words[2] > device().shared_per_block) {
                return reply_of(s.fail(CudaError::invalid_value));
            }
            s.shared_allowed_[ask.words[0]] = static_cast<std::uint32_t>(ask.words[2]);
        }
        return {};
    }

    static std::uint32_t static_shared(const ProgramSession& s, std::uint64_t kernel) {
        std::uint32_t size = 0;
        for (const std::uint32_t i : s.program_->kernels[kernel].shared) {
            size = std::max(size, s.program_->shared[i].offset + s.program_->shared[i].bytes);
        }
        return size;
    }

    // What the compiler of the vendor would take is not known here.
    static constexpr std::uint32_t kRegisters = 32;

    static Reply function_facts(ProgramSession& s, const host::Ask& ask, Bytes) {
        if (ask.words[0] >= s.program_->kernels.size()) {
            return reply_of(s.fail(CudaError::invalid_device_function));
        }
        const compile::Kernel& kernel = s.program_->kernels[ask.words[0]];
        const std::uint64_t threads = kernel.most_threads == 0 ? 1024 : kernel.most_threads;
        return reply_of(CudaError::none,
                        {static_shared(s, ask.words[0]), 0, s.program_->functions[kernel.function].local_bytes,
                         threads | std::uint64_t{kRegisters} << 32});
    }

    static Reply occupancy(ProgramSession& s, const host::Ask& ask, Bytes) {
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

    static Reply stream_create(ProgramSession& s, const host::Ask&, Bytes) {
        constexpr std::uint64_t kFirst = 16; // below: the default streams
        return reply_of(CudaError::none, {kFirst + s.streams_++});
    }
    static Reply done(ProgramSession& s, const host::Ask&, Bytes) { return reply_of(s.sticky_); }

    static Reply synchronise(ProgramSession& s, const host::Ask& ask, Bytes) {
        const auto& events = s.trace_.program.events;
        if (events.empty() || events.back().kind != StoryKind::wait) {
            s.tell(StoryKind::wait).name = ask.words[0] == ~0ULL ? "the device" : "a stream";
        }
        return reply_of(s.sticky_);
    }

    static Reply event_create(ProgramSession& s, const host::Ask&, Bytes) {
        constexpr std::size_t kMost = 1U << 20;
        if (s.recorded_.size() == kMost) {
            return reply_of(s.fail(CudaError::out_of_memory));
        }
        s.recorded_.emplace_back();
        return reply_of(CudaError::none, {s.recorded_.size()});
    }
    static bool is_event(const ProgramSession& s, std::uint64_t number) {
        return number != 0 && number <= s.recorded_.size();
    }
    static Reply event_record(ProgramSession& s, const host::Ask& ask, Bytes) {
        if (!is_event(s, ask.words[0])) {
            return reply_of(s.fail(CudaError::invalid_handle));
        }
        s.recorded_[ask.words[0] - 1] = std::chrono::steady_clock::now();
        return reply_of(s.sticky_);
    }
    static Reply event_wait(ProgramSession& s, const host::Ask& ask, Bytes) {
        return is_event(s, ask.words[0]) ? reply_of(s.sticky_) : reply_of(s.fail(CudaError::invalid_handle));
    }
    static Reply event_time(ProgramSession& s, const host::Ask& ask, Bytes) {
        const std::chrono::steady_clock::time_point never{};
        if (!is_event(s, ask.words[0]) || !is_event(s, ask.words[1]) || s.recorded_[ask.words[0] - 1] == never ||
            s.recorded_[ask.words[1] - 1] == never) {
            return reply_of(s.fail(CudaError::invalid_handle));
        }
        s.timed_ = true;
        const std::chrono::duration<float, std::milli> took =
            s.recorded_[ask.words[1] - 1] - s.recorded_[ask.words[0] - 1];
        return reply_of(s.sticky_, {std::bit_cast<std::uint32_t>(took.count())});
    }

    static Reply last_error(ProgramSession& s, const host::Ask& ask, Bytes) {
        s.unseen_ = SIZE_MAX;
        const CudaError error = s.sticky_ != CudaError::none ? s.sticky_ : s.last_;
        if (ask.words[0] != 0) {
            s.last_ = CudaError::none;
        }
        return reply_of(error);
    }
    static Reply note_error(ProgramSession& s, const host::Ask& ask, Bytes) {
        return reply_of(s.fail(static_cast<CudaError>(ask.words[0] & 0xFFFF)));
    }

    static Reply device_count(ProgramSession&, const host::Ask&, Bytes) { return reply_of(CudaError::none, {1, 0}); }
    static Reply device_set(ProgramSession& s, const host::Ask& ask, Bytes) {
        return ask.words[0] == 0 ? reply_of(CudaError::none) : reply_of(s.fail(CudaError::invalid_device));
    }
    static Reply device_reset(ProgramSession& s, const host::Ask&, Bytes) {
        for (std::uint32_t i = static_cast<std::uint32_t>(s.program_->globals.size()); i < s.memory_->count(); ++i) {
            if (!(*s.memory_)[i].freed() && !s.is_variable(i) && !compile::is_host_address((*s.memory_)[i].address)) {
                (*s.memory_)[i].free();
            }
        }
        s.used_ = 0;
        s.reset_ = true;
        const CudaError error = std::exchange(s.sticky_, CudaError::none);
        s.last_ = CudaError::none;
        return reply_of(error);
    }

    static constexpr std::uint32_t kMultiprocessors = 132; // of an H100

    static Reply device_facts(ProgramSession& s, const host::Ask&, Bytes) {
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

    struct Entry {
        Call call;
        Reply (*serve)(ProgramSession&, const host::Ask&, Bytes);
        bool of_the_program; // rather than of its process
    };
    static constexpr std::array kTable{
        Entry{Call::loaded, loaded, false},
        Entry{Call::crashed, crashed, false},
        Entry{Call::ended, ended, false},
        Entry{Call::kernel, kernel, false},
        Entry{Call::variable, variable, false},
        Entry{Call::allocate, allocate, true},
        Entry{Call::allocate_pitch, allocate_pitch, true},
        Entry{Call::allocate_shared, allocate_shared, true},
        Entry{Call::release, release, true},
        Entry{Call::copy, copy, true},
        Entry{Call::stage_in, stage_in, true},
        Entry{Call::stage_out, stage_out, true},
        Entry{Call::set, set, true},
        Entry{Call::symbol_address, symbol_address, true},
        Entry{Call::pointer_facts, pointer_facts, true},
        Entry{Call::memory_info, memory_info, true},
        Entry{Call::launch, launch, true},
        Entry{Call::function_attribute, function_attribute, true},
        Entry{Call::function_facts, function_facts, true},
        Entry{Call::occupancy, occupancy, true},
        Entry{Call::stream_create, stream_create, true},
        Entry{Call::stream_destroy, done, true},
        Entry{Call::synchronise, synchronise, true},
        Entry{Call::event_create, event_create, true},
        Entry{Call::event_destroy, event_wait, true},
        Entry{Call::event_record, event_record, true},
        Entry{Call::event_wait, event_wait, true},
        Entry{Call::event_time, event_time, true},
        Entry{Call::last_error, last_error, true},
        Entry{Call::note_error, note_error, true},
        Entry{Call::device_count, device_count, true},
        Entry{Call::device_set, device_set, true},
        Entry{Call::device_reset, device_reset, true},
        Entry{Call::device_facts, device_facts, true},
    };
};

Reply ProgramSession::answer(const host::Ask& ask, std::span<const std::byte> bytes) {
    const auto entry = std::find_if(ProgramCalls::kTable.begin(), ProgramCalls::kTable.end(),
                                    [&](const auto& e) { return static_cast<std::uint32_t>(e.call) == ask.call; });
    if (entry == ProgramCalls::kTable.end()) {
        throw ForgedMessage(fmt::format("a call of number {}", ask.call));
    }
    locate(ask);
    began_ = began_ || entry->of_the_program;
    Reply reply;
    try {
        reply = entry->serve(*this, ask, bytes);
    } catch (const OptionError& error) { // no room for another array
        tell(StoryKind::error).text = error.what();
        reply = reply_of(fail(CudaError::out_of_memory));
    }
    reply.answer.bytes = reply.bytes.size();
    return reply;
}

} // namespace warptree::runs
