// Where an element that a launch of a program reads was written before: by an earlier launch, or by a copy.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warptree {

struct Origin {
    std::uint32_t launch = kNone;      // that wrote the array last; kNone: `event` did
    const Output* output = nullptr;    // the store; null: by a block that is not traced in full
    const StoryEvent* event = nullptr; // a copy or a set
};
// Of an element of Launch::allocations[allocation] of that launch; nullopt: the trace does not know, or is of no program.
// The pointers are into the trace.
std::optional<Origin> origin_of(const Trace& trace, std::uint32_t launch, std::uint16_t allocation,
                                std::uint32_t element);

// "thread 0 of block 3 stores it in launch 1"; "copied from h_in in line 26"; empty: unknown.
std::string origin_text(const Trace& trace, const std::optional<Origin>& origin);

} // namespace warptree
