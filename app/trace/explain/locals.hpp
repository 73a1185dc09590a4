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
    bool before = false;    // assigned in an earlier step than requested
};

// The value of the variable `name` as the thread has it when `step` ends; of several variables of that name, the one
// declared last at or above `line` (0: the last of all). nullopt if the trace does not have it: the block is not traced
// in full, the name is no variable's, or the thread has not given it a value yet.
std::optional<LocalValue> local_value(const Launch& launch, std::string_view name, std::uint32_t line,
                                      std::uint32_t block, std::uint32_t thread, std::uint32_t step);

} // namespace warptree
