// What arrays hold at the end of a step, as far as the blocks that are traced in full tell.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

// An array that a launch uses: in shared memory or in global memory.
struct ArrayPlace {
    std::string name;
    std::uint16_t allocation = kSharedMemory; // row of Launch::allocations
    ValueType type = ValueType::none;
    std::uint32_t element_bytes = 4;
    std::uint64_t elements = 0;
    std::uint64_t offset = 0; // of its first byte in that memory
    std::uint32_t row = 0;    // elements of a row, if it has two dimensions; else 0
    bool is_shared() const { return allocation == kSharedMemory; }
    friend bool operator==(const ArrayPlace&, const ArrayPlace&) = default;
};

// Those whose elements have values of a known type and that some request reaches: shared ones first.
std::vector<ArrayPlace> arrays_of(const Launch& launch);

struct ArrayElement {
    // chance: threads that nothing in the trace orders store different values in one step, or blocks that did not run in
    // turn. lost: by a store of another
    // size, or one whose value was not kept.
    enum class Known : std::uint8_t { unset, before, stored, chance, lost } known = Known::unset;
    std::uint64_t bits = 0;
    // Who stored it last, of several the last one by their order in the trace; `before`: nobody in this launch.
    std::uint32_t block = kNone, thread = kNone, step = kNone;
    SourceLine line = SourceLine::none();
    // Row of Launch::hazards: of a race of which one access is in this step or before it and the other in a later one, by
    // another warp. Warps run such steps at different times, so that at no one moment all elements need have been so.
    std::uint32_t race = kNone;
    bool has_value() const { return known == Known::before || known == Known::stored; }
};

// Of the elements first … first + count, which the array must have, at the end of `step`. block: whose shared memory; of
// global memory what all blocks in the window have stored is there.
std::vector<ArrayElement> contents(const Trace& trace, std::uint32_t launch, const ArrayPlace& array,
                                   std::uint32_t block, std::uint32_t step, std::uint64_t first, std::uint64_t count);

} // namespace warptree
