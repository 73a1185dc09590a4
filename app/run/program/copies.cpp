// Copies and sets, and the bytes that pass between the program and the device.
#include "app/base/identifier.hpp"
#include "app/base/trimmed.hpp"
#include "app/run/program/calls.hpp"
#include "app/run/program/text.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace warptree::runs {

using Reply = ProgramCalls::Reply;

using host::Part;

namespace {
bool is_device_address(std::uint64_t address) {
    return address >= compile::kGlobalBase || compile::is_host_address(address);
}
} // namespace

Reply ProgramCalls::copy(ProgramSession& s, const host::Ask& ask, Bytes) {
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
    constexpr std::uint64_t kKinds = 0xFF;
    const auto kind = static_cast<Kind>(w[6] & kKinds);
    if (kind > by_pointers) {
        s.find(FindingKind::copy_direction, s.here(),
               fmt::format("{} is no direction of a copy: take one of cudaMemcpyKind", w[6] & kKinds));
        return reply_of(s.fail(CudaError::invalid_direction));
    }
    if (!in_known_stream(s, w[6])) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    const std::string to_name = library ? "the library" : s.argument(0);
    const std::string from_name = library ? "the library" : s.argument((w[6] & host::kFromIsThird) != 0 ? 2 : 1);
    // Memory that both see may stand for either side.
    const bool to_both = compile::is_host_address(to), from_both = compile::is_host_address(from);
    const bool wants_to = kind == host_to_device || kind == device_to_device;
    const bool wants_from = kind == device_to_host || kind == device_to_device;
    if (kind != by_pointers && ((!to_both && wants_to != to_device) || (!from_both && wants_from != from_device))) {
        static constexpr std::array kNames = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                              "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
        const auto is = [&](const std::string& name, bool device, std::uint64_t address) {
            const auto variable = std::ranges::find(s.program_->globals, name, &compile::Global::name);
            return fmt::format("{} is {}", name.empty() ? "a pointer" : name,
                               address == 0 ? name.empty()
                                                  ? std::string("a null pointer")
                                                  : "a null pointer, as of a cudaMalloc that is not given &" + name
                               : !device && !name.empty() && variable != s.program_->globals.end()
                                   ? fmt::format("a variable of the device, which cudaMemcpy{}Symbol copies",
                                                 name == to_name ? "To" : "From")
                               : device ? "memory of the device"
                                        : "memory of the host");
        };
        const bool swapped = !to_both && !from_both && wants_to != to_device && wants_from != from_device &&
                             to_device != from_device && to != 0 && from != 0;
        s.find(FindingKind::copy_direction, s.here(),
               fmt::format(
                   "{} is said, but {}{}", kNames[kind],
                   !to_both && wants_to != to_device ? is(to_name, to_device, to) : is(from_name, from_device, from),
                   !swapped ? ""
                            : fmt::format(" and {}: the direction is the other, or the two pointers are swapped",
                                          is(from_name, from_device, from))),
               to_name);
        return reply_of(s.fail(CudaError::invalid_value));
    }
    const Rows to_rows{to, w[4], width, height}, from_rows{from, w[5], width, height};
    std::optional<Place> to_place, from_place;
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
    const bool into_device = to_both && kind != by_pointers ? wants_to : to_device && !to_both;
    const bool out_of_device = from_both && kind != by_pointers ? wants_from : from_device && !from_both;
    event.direction = into_device && out_of_device ? CopyDirection::device_to_device
                      : into_device                ? CopyDirection::host_to_device
                      : out_of_device              ? CopyDirection::device_to_host
                                                   : CopyDirection::host_to_host;
    if (from_place) {
        tell_uninitialised(s, *from_place, from_rows, into_device);
        event.text = into_device ? std::string() : first_values(*from_place, width);
        if (!into_device && !library && height == 1) {
            tell_counted(s, *from_place, width);
        }
    }
    if (from_place && (library || !to_place || to_both)) {
        s.results_.read(from_place->index);
        if (library || s.is_variable(from_place->index)) {
            s.results_.may_be_seen();
        }
    } else if (from_place) {
        s.results_.copied(from_place->index, to_place->index);
    } else if (to_place) {
        s.results_.set(to_place->index);
    }
    if (to_place && into_device && !out_of_device && !library && height == 1) {
        tell_counted(s, *to_place, width);
    }
    const bool asynchronous = (w[6] & host::kAsynchronous) != 0;
    if (library || (!asynchronous && s.devices_.count() > 1)) {
        s.order_.wait();
    }
    const StreamOrder::Operation now =
        s.order_.enqueue(s.stream(w[6] >> 16), library ? "the library" : "the copy", s.here());
    if (from_place) {
        s.note_access(now, from_place->index, spans_of(*from_place, from_rows), false);
    }
    if (to_place) {
        s.repeats_.wrote(to_place->index);
        s.note_written(to_place->index, to_rows.width * to_rows.height);
        s.note_access(now, to_place->index, spans_of(*to_place, to_rows), true);
    }
    // The host waits, but for copies within the device, and for asynchronous ones that do not read into pageable memory.
    const bool within = to_device && from_device && !to_both && !from_both;
    if (asynchronous ? from_device && !to_device : !within) {
        s.order_.wait(now.handle);
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

namespace {
// Whether a text declares a std::vector of that name.
bool declares_vector(std::string_view text, std::string_view name) {
    constexpr std::string_view kVector = "vector<";
    for (std::size_t at = text.find(kVector); at != std::string_view::npos; at = text.find(kVector, at + 1)) {
        std::size_t end = at + kVector.size();
        for (int depth = 1; depth > 0 && end < text.size(); ++end) {
            depth += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
        }
        std::string_view declared = text.substr(end, text.find(';', end) - end); // "a(n), b(n, 1)"
        int depth = 0;
        for (std::size_t k = 0; k < declared.size(); ++k) {
            depth += declared[k] == '(' || declared[k] == '{' ? 1 : declared[k] == ')' || declared[k] == '}' ? -1 : 0;
            const bool begins = k == 0 || !in_identifier(declared[k - 1]);
            const std::size_t after = k + name.size();
            if (depth == 0 && begins && declared.substr(k).starts_with(name) &&
                (after == declared.size() || !in_identifier(declared[after]))) {
                return true;
            }
        }
    }
    return false;
}
} // namespace

Reply ProgramCalls::small_object(ProgramSession& s, const host::Ask& ask, Bytes) {
    const bool reads = ask.words[0] != 0;
    const std::string object = s.argument_text(reads ? 1 : 0);
    const std::string name(object.starts_with("&") ? trimmed(std::string_view(object).substr(1)) : std::string_view());
    std::string text =
        fmt::format("the copy {} {} bytes {} {}, an object of {} bytes", reads ? "reads" : "writes", ask.words[2],
                    reads ? "from" : "to", object.empty() ? "its pointer" : object, ask.words[1]);
    if (!name.empty() && s.here().known() && declares_vector(s.trace_.sources[s.here().file()].text, name)) {
        text += fmt::format(": the elements of a vector are at {}.data()", name);
    }
    s.find(FindingKind::copy_out_of_bounds, s.here(), std::move(text));
    return reply_of(CudaError::none);
}

bool ProgramCalls::in_known_stream(const ProgramSession& s, std::uint64_t how) {
    return s.order_.knows(s.stream(how >> 16));
}

StreamOrder::Spans ProgramCalls::spans_of(const Place& place, const Rows& rows) {
    StreamOrder::Spans spans;
    for (std::uint64_t row = 0; row < rows.height; ++row) {
        const std::uint64_t first = static_cast<std::uint64_t>(place.offset) + row * rows.pitch;
        if (!spans.empty() && spans.back().second == first) {
            spans.back().second += rows.width;
        } else {
            spans.emplace_back(first, first + rows.width);
        }
    }
    return spans;
}

// What the host gets to see first: "4950", "1, 2, 3, 4", "0, 1, 2 …"; empty where nobody wrote it.
std::string ProgramCalls::first_values(const Place& place, std::uint64_t width) {
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

namespace {
// The records of which an array that is seen as bytes may consist, by what the program's kernels take; null: of none.
const compile::Parameter* record_of(const compile::Program& program, const simt::Allocation& a) {
    for (const compile::Kernel& kernel : program.kernels) {
        for (const compile::Parameter& p : kernel.parameters) {
            if (a.shape().element_bytes == 1 && !p.fields.empty() && p.element_bytes > 1 &&
                a.bytes() % p.element_bytes == 0) {
                return &p;
            }
        }
    }
    return nullptr;
}
} // namespace

// Elements that nobody has written, which the host gets. What lies between a record's members belongs to none.
void ProgramCalls::tell_uninitialised(ProgramSession& s, const Place& place, const Rows& rows, bool to_device) {
    const simt::Allocation& a = *place.allocation;
    if (to_device || a.shape().defined) {
        return;
    }
    const compile::Parameter* const record = record_of(*s.program_, a);
    const std::uint32_t size = record == nullptr ? a.shape().element_bytes : record->element_bytes;
    const auto written = [&](std::uint64_t at) {
        return record == nullptr ? a.initialised(at, size)
                                 : std::ranges::all_of(record->fields, [&](const compile::Parameter::Field& field) {
                                       return a.initialised(at + field.offset, bytes(field.type));
                                   });
    };
    std::uint64_t first = 0, count = 0, all = 0;
    for (std::uint64_t row = 0; row < rows.height; ++row) {
        const std::uint64_t begin = static_cast<std::uint64_t>(place.offset) + row * rows.pitch;
        all += rows.width / size;
        if (a.initialised(begin, rows.width)) {
            continue;
        }
        for (std::uint64_t at = begin; at + size <= begin + rows.width; at += size) {
            if (!written(at)) {
                first = count++ == 0 ? at / size : first;
            }
        }
    }
    if (count != 0) {
        s.find(FindingKind::uninitialised_copy, s.here(),
               all == 1
                   ? fmt::format("{}[{}], which is copied to the host, was never written", a.shape().name, first)
                   : fmt::format(
                         "{} of the {} elements of {} that are copied to the host were never written, the first "
                         "is {}[{}]",
                         count == all ? "all" : fmt::format("{}", count), all, a.shape().name, a.shape().name, first),
               a.shape().name);
    }
}

// A part of the array is copied, by mistake: n bytes for n elements, cudaMemcpy(h, d, n, …), where nothing in the call says
// bytes; or n times the size of another type.
void ProgramCalls::tell_counted(ProgramSession& s, const Place& place, std::uint64_t bytes) {
    const auto& shape = place.allocation->shape();
    std::string size = s.argument_text(2);
    std::transform(size.begin(), size.end(), size.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    const auto says = [&](const char* word) { return size.find(word) != std::string::npos; };
    if (const std::uint32_t said = said_bytes(size);
        place.offset == 0 && said > 1 && said < shape.element_bytes && bytes == shape.elements * said) {
        s.find(
            FindingKind::counted_copy, s.here(),
            fmt::format("{} of the {} bytes of {} are copied: each of its {} elements has {} bytes, and {} of them are "
                        "counted",
                        bytes, place.allocation->bytes(), shape.name, shape.elements, shape.element_bytes, said),
            shape.name);
        return;
    }
    // A product of sides may be meant, but not of elements and their bytes.
    bool times_bytes = false;
    for (std::size_t at = 0; at < size.size();) {
        const std::size_t end = std::min(size.find('*', at), size.size());
        times_bytes =
            times_bytes || trimmed(std::string_view(size).substr(at, end - at)) == std::to_string(shape.element_bytes);
        at = end + 1;
    }
    if (place.offset != 0 || shape.element_bytes <= 1 || bytes != shape.elements || bytes <= 1 || size.empty() ||
        says("size") || says("byte") || times_bytes || says("<<")) {
        return;
    }
    s.find(FindingKind::counted_copy, s.here(),
           fmt::format("{} of the {} bytes of {} are copied: {} is the number of its elements, and each has {} bytes",
                       bytes, place.allocation->bytes(), shape.name, bytes, shape.element_bytes),
           shape.name);
}

void ProgramCalls::copy_row(const Place& to, const Place& from, std::uint64_t to_at, std::uint64_t from_at,
                            std::uint64_t width) {
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
ProgramCalls::Place ProgramCalls::staged(ProgramSession& s, const host::Ask& ask) {
    const Rows rows{ask.words[0], ask.words[1], ask.words[2], ask.words[3]};
    const Place place = s.find_place(rows.address);
    const std::uint64_t span = s.span_of(rows);
    if (place.allocation == nullptr || place.allocation->freed() || place.offset < 0 ||
        static_cast<std::uint64_t>(place.offset) > place.allocation->bytes() ||
        span > place.allocation->bytes() - static_cast<std::uint64_t>(place.offset) || rows.width > host::kStageBytes ||
        (rows.width != 0 && rows.height > host::kStageBytes / rows.width)) {
        throw ForgedMessage("a part of a copy that lies outside of memory");
    }
    return place;
}

Reply ProgramCalls::stage_in(ProgramSession& s, const host::Ask& ask, Bytes) {
    const Place place = staged(s, ask);
    s.repeats_.wrote(place.index);
    for (std::uint64_t row = 0; row < ask.words[3]; ++row) {
        const std::uint64_t at = static_cast<std::uint64_t>(place.offset) + row * ask.words[1];
        std::memcpy(place.allocation->data() + at, s.stage_ + row * ask.words[2], ask.words[2]);
        place.allocation->initialise(at, ask.words[2]);
    }
    return {};
}

Reply ProgramCalls::stage_out(ProgramSession& s, const host::Ask& ask, Bytes) {
    const Place place = staged(s, ask);
    for (std::uint64_t row = 0; row < ask.words[3]; ++row) {
        const std::uint64_t at = static_cast<std::uint64_t>(place.offset) + row * ask.words[1];
        std::memcpy(s.stage_ + row * ask.words[2], place.allocation->data() + at, ask.words[2]);
    }
    return {};
}

// Bytes are set, where elements may be meant: 1 makes 16843009 of an int. What is set on purpose: 0, -1, and numbers far from 0.
void ProgramCalls::tell_bytes_set(ProgramSession& s, const Place& place, std::uint64_t value) {
    constexpr std::array<std::uint64_t, 6> kMeant{0, 0xFF, 0x7F, 0x7E, 0x3F, 0x80};
    const auto& shape = place.allocation->shape();
    if (shape.element_bytes < 2 || std::ranges::find(kMeant, value) != kMeant.end()) {
        return;
    }
    const bool is_int = shape.element == ValueType::i32 || shape.element == ValueType::u32;
    s.find(FindingKind::doubtful_code, s.here(),
           fmt::format("cudaMemset sets each byte of {} to {}, not each element{}", shape.name, value,
                       is_int ? fmt::format(": as an int that is {}", value * 0x01010101U) : std::string()),
           shape.name);
}

Reply ProgramCalls::set(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (s.sticky_ != CudaError::none) {
        return reply_of(s.sticky_);
    }
    const Rows rows{ask.words[0], ask.words[1], ask.words[3], ask.words[4]};
    if (rows.width == 0 || rows.height == 0) {
        return {};
    }
    if (!in_known_stream(s, ask.words[5])) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    const auto place = s.place_of(rows, "cudaMemset writes", s.argument(0));
    if (!place) {
        return reply_of(s.fail(CudaError::invalid_value));
    }
    s.repeats_.wrote(place->index);
    s.results_.set(place->index);
    for (std::uint64_t row = 0; row < rows.height; ++row) {
        const std::uint64_t at = static_cast<std::uint64_t>(place->offset) + row * rows.pitch;
        std::memset(place->allocation->data() + at, static_cast<int>(ask.words[2] & 0xFF), rows.width);
        place->allocation->initialise(at, rows.width);
    }
    // Not waited for, unless it is the host's memory.
    const StreamOrder::Operation now = s.order_.enqueue(s.stream(ask.words[5] >> 16), "the set", s.here());
    s.note_written(place->index, rows.width * rows.height);
    s.note_access(now, place->index, spans_of(*place, rows), true);
    if ((ask.words[5] & host::kAsynchronous) == 0 && compile::is_host_address(rows.address)) {
        s.order_.wait(now.handle);
    }
    StoryEvent& event = s.tell(StoryKind::set);
    event.name = s.named(place->index);
    event.bytes = rows.width * rows.height;
    event.text = fmt::format("{}", ask.words[2] & 0xFF);
    tell_bytes_set(s, *place, ask.words[2] & 0xFF);
    return {};
}

} // namespace warptree::runs
