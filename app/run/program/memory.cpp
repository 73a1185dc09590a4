// Memory that a program allocates and frees.
#include "app/run/program/calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace warptree::runs {

using Reply = ProgramCalls::Reply;

namespace {

constexpr std::uint64_t kPage = 4096;

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

} // namespace

simt::Allocation::Shape ProgramCalls::shape_of(std::uint64_t size, std::uint32_t element, std::string name) {
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

std::uint64_t ProgramSession::add(std::uint64_t size, std::uint32_t element, std::string name) {
    const std::uint32_t index =
        memory_->add(ProgramCalls::shape_of(size, element, std::move(name)), {}, &control_.cancel);
    devices_.allocated(index, size);
    return (*memory_)[index].address;
}

Reply ProgramCalls::allocate(ProgramSession& s, const host::Ask& ask, Bytes) {
    const std::uint64_t size = ask.words[0];
    if (s.sticky_ != CudaError::none) {
        return reply_of(s.sticky_);
    }
    if (size == 0) {
        return reply_of(CudaError::none); // CUDA gives a null pointer
    }
    if (size > s.memory_left()) {
        return out_of_memory(s, size);
    }
    const bool library = (ask.words[1] & host::kOfALibrarysOwn) != 0;
    s.order_.fence();
    const std::string name = s.unique_name(library ? "device_vector" : s.argument(0));
    const std::uint64_t address = s.add(size, static_cast<std::uint32_t>(ask.words[1]), name);
    if (!library) {
        s.by_the_host_[s.find_place(address).index].size = s.argument_text(1);
    }
    StoryEvent& event = s.tell(StoryKind::allocate);
    event.name = name;
    event.bytes = size;
    return reply_of(CudaError::none, {address});
}

Reply ProgramCalls::out_of_memory(ProgramSession& s, std::uint64_t size) {
    StoryEvent& event = s.tell(StoryKind::error);
    event.bytes = size;
    event.text =
        fmt::format("{} bytes are more than the {} that are left of the device's memory", size, s.memory_left());
    if (s.here().known()) {
        s.not_allocated_ = fmt::format("no memory was left for {} in line {}",
                                       s.argument(0).empty() ? "an allocation" : s.argument(0), s.here().line());
    }
    return reply_of(s.fail(CudaError::out_of_memory));
}

Reply ProgramCalls::allocate_pitch(ProgramSession& s, const host::Ask& ask, Bytes) {
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
    if (const ProgramSession::Place place = s.find_place(reply.answer.words[0]); place.allocation != nullptr) {
        ProgramSession::ByTheHost& by = s.by_the_host_[place.index];
        by.pitch = pitch;
        by.width = width;
    }
    return reply;
}

Reply ProgramCalls::allocate_shared(ProgramSession& s, const host::Ask& ask, Bytes) {
    const std::uint64_t size = ask.words[0];
    if (s.sticky_ != CudaError::none) {
        return reply_of(s.sticky_);
    }
    if (size == 0) {
        return reply_of(s.fail(CudaError::invalid_value));
    }
    if (size > s.memory_left()) {
        return out_of_memory(s, size);
    }
    const std::uint64_t room = (size + kPage - 1) / kPage * kPage, offset = s.shared_end_;
    if (ftruncate(s.shared_file_, static_cast<off_t>(offset + room)) != 0) {
        return out_of_memory(s, size);
    }
    s.shared_end_ += room;
    s.order_.fence();
    const std::string name = s.unique_name(s.argument(0));
    simt::Allocation::Shape shape = shape_of(size, static_cast<std::uint32_t>(ask.words[1]), name);
    shape.defined = true; // what the host writes goes unseen
    const std::uint32_t index = s.memory_->add_shared(std::move(shape), {s.shared_file_, offset});
    s.devices_.allocated(index, size);
    StoryEvent& event = s.tell(StoryKind::allocate);
    event.name = name;
    event.bytes = size;
    event.text = ask.words[2] != 0 ? "managed" : "host memory that the device sees";
    s.host_memory_.resize(std::max<std::size_t>(s.host_memory_.size(), index + 1));
    s.host_memory_[index] = {room, ask.words[2] != 0};
    return reply_of(CudaError::none, {(*s.memory_)[index].address, offset});
}

Reply ProgramCalls::release(ProgramSession& s, const host::Ask& ask, Bytes) {
    const std::uint64_t address = ask.words[0];
    const std::string call = ask.words[1] != 0 ? "cudaFreeHost" : "cudaFree";
    if (address == 0) {
        return reply_of(s.sticky_);
    }
    const Place place = s.find_place(address);
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
        return bad(
            fmt::format("{} is freed a second time{}", a.shape().name, s.where_freed(a.shape().name, "first in ")));
    }
    if (place.offset != 0) {
        return bad(fmt::format("{} is given {} bytes after the beginning of {}", call, place.offset, a.shape().name));
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
    if (ask.words[2] == 0) { // it waits for the device
        s.order_.wait();
    }
    s.order_.forget(place.index);
    s.devices_.freed(place.index, a.bytes());
    a.free();
    return shared ? reply_of(s.sticky_, {address, s.host_memory_[place.index].bytes}) : reply_of(s.sticky_);
}

Reply ProgramCalls::symbol_address(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (ask.words[0] >= s.variables_.size()) {
        return reply_of(s.fail(CudaError::invalid_symbol));
    }
    const simt::Allocation& a = (*s.memory_)[s.variables_[ask.words[0]]];
    return reply_of(CudaError::none, {a.address, a.bytes()});
}

Reply ProgramCalls::pointer_facts(ProgramSession& s, const host::Ask& ask, Bytes) {
    enum Kind : std::uint64_t { unregistered, host, device, managed };
    const Place place = s.find_place(ask.words[0]);
    if (place.allocation == nullptr || place.allocation->freed()) {
        return reply_of(CudaError::none, {unregistered, 0, ask.words[0]});
    }
    if (!compile::is_host_address(ask.words[0])) {
        return reply_of(CudaError::none, {device, ask.words[0], 0, s.devices_.owner(place.index)});
    }
    return reply_of(CudaError::none,
                    {s.host_memory_[place.index].managed ? managed : host, ask.words[0], ask.words[0]});
}

Reply ProgramCalls::memory_info(ProgramSession& s, const host::Ask&, Bytes) {
    return reply_of(CudaError::none, {s.memory_left(), s.options_.memory});
}

} // namespace warptree::runs
