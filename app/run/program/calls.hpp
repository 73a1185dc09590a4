// How each call of the runtime API is served: program_calls.cpp has the table.
#pragma once

#include "app/run/program/session.hpp"
#include "app/theory/device_limits.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace warptree::runs {

struct ProgramCalls {
    using Bytes = std::span<const std::byte>;
    using Reply = ProgramSession::Reply;
    using Place = ProgramSession::Place;
    using Rows = ProgramSession::Rows;

    static Reply reply_of(CudaError error, std::initializer_list<std::uint64_t> words = {});
    // What the program is told of the device: one whose limits the machine keeps.
    static const theory::DeviceLimits& device();
    // `element` as in include/host/cuda_api.h: 1 signed, 2 unsigned, 3 floating; the size in bits 8 and up.
    static simt::Allocation::Shape shape_of(std::uint64_t size, std::uint32_t element, std::string name);

    // program_calls.cpp
    static Reply loaded(ProgramSession& s, const host::Ask&, Bytes);
    static Reply crashed(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply ended(ProgramSession&, const host::Ask&, Bytes);
    static Reply kernel(ProgramSession& s, const host::Ask&, Bytes symbol);
    static std::uint32_t parameter_bytes(const compile::Parameter& p);
    static Reply variable(ProgramSession& s, const host::Ask& ask, Bytes symbol);
    static Reply launch(ProgramSession& s, const host::Ask& ask, Bytes arguments);
    static Reply function_attribute(ProgramSession& s, const host::Ask& ask, Bytes);
    static std::uint32_t static_shared(const ProgramSession& s, std::uint64_t kernel);
    static Reply function_facts(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply occupancy(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply last_error(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply note_error(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply device_count(ProgramSession&, const host::Ask&, Bytes);
    static Reply device_set(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply peer(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply device_reset(ProgramSession& s, const host::Ask&, Bytes);
    static Reply device_facts(ProgramSession& s, const host::Ask&, Bytes);

    // program_memory.cpp
    static Reply allocate(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply out_of_memory(ProgramSession& s, std::uint64_t size);
    static Reply allocate_pitch(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply allocate_shared(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply release(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply symbol_address(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply pointer_facts(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply memory_info(ProgramSession& s, const host::Ask&, Bytes);

    // program_copies.cpp
    static Reply small_object(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply copy(ProgramSession& s, const host::Ask& ask, Bytes);
    static std::string first_values(const Place& place, std::uint64_t width);
    // How it was asked for: host::kAsynchronous, host::in_stream(). False: no stream has that number.
    static bool in_known_stream(const ProgramSession& s, std::uint64_t how);
    static StreamOrder::Spans spans_of(const Place& place, const Rows& rows);
    static void tell_counted(ProgramSession& s, const Place& place, std::uint64_t bytes);
    static void tell_bytes_set(ProgramSession& s, const Place& place, std::uint64_t value);
    static void tell_uninitialised(ProgramSession& s, const Place& place, const Rows& rows, bool to_device);
    static void copy_row(const Place& to, const Place& from, std::uint64_t to_at, std::uint64_t from_at,
                         std::uint64_t width);
    static Place staged(ProgramSession& s, const host::Ask& ask);
    static Reply stage_in(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply stage_out(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply set(ProgramSession& s, const host::Ask& ask, Bytes);

    // program_streams.cpp
    static Reply stream_create(ProgramSession& s, const host::Ask&, Bytes);
    static Reply stream_facts(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply stream_destroy(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply synchronise(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply event_create(ProgramSession& s, const host::Ask& ask, Bytes);
    static bool is_event(const ProgramSession& s, std::uint64_t number);
    static Reply event_record(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply event_wait(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply event_destroy(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply stream_wait(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply event_time(ProgramSession& s, const host::Ask& ask, Bytes);
    static Reply guards(ProgramSession& s, const host::Ask&, Bytes);
    static Reply early(ProgramSession& s, const host::Ask& ask, Bytes);
};

} // namespace warptree::runs
