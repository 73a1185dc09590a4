// The value of a source variable in one thread.
#pragma once

#include "app/trace/model/trace.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warptree {

struct LocalValue {
    std::string text;       // "8", "0.25", "0x7f…" for a pointer
    std::uint32_t step = 0; // in which it was assigned
    bool before = false;    // assigned before the requested step
};

// The value of the variable `name` in the thread at the end of `step`; of several variables of that name, the one
// declared last at or above `line` (0: the last of all). nullopt if the trace does not have it: the block is not traced
// in full, there is no such variable, or the thread has not assigned it yet.
std::optional<LocalValue> local_value(const Launch& launch, std::string_view name, std::uint32_t line,
                                      std::uint32_t block, std::uint32_t thread, std::uint32_t step);

} // namespace warptree
