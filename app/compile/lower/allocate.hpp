// Allocates rows to values: values not live at the same time share one, so that a warp's registers stay in cache.
#pragma once

#include "app/compile/program/program.hpp"

#include <vector>

namespace warptree::compile::lowering {

struct Allocation {
    std::vector<std::uint32_t> to; // by old number; kNone: unused
    std::uint32_t count = 0;
};

// `code` must have no dead instructions. A constant's row is not shared; an instruction's result shares none of the
// rows that it reads, nor do an edge's copies, except in a swap.
Allocation allocate_rows(const Program& program, const FunctionCode& code, std::uint32_t first_loop);
Allocation allocate_tags(const Program& program, const FunctionCode& code);

} // namespace warptree::compile::lowering
