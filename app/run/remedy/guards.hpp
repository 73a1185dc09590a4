// Guards that may keep an access inside of its array.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/trace/model/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

struct OutsideAccess {
    const Statements& code;
    const std::vector<KernelArgument>& arguments; // of the kernel
    std::string array;                            // as the kernel calls it
    std::uint64_t elements = 0;                   // of it; 0: unknown
    std::size_t at = 0;                           // where it stands in the text
    bool writes = false;
    bool two_dimensions = false; // the block has rows
};

// The likeliest first. Each is a guess about the text.
std::vector<Change> guard_changes(const OutsideAccess& access);

} // namespace warptree::runs
