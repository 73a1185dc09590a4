// Rows for values: values that are not needed at the same time share one, so that a warp's registers stay in the cache.
#pragma once

#include "app/compile/program.hpp"

#include <vector>

namespace warptree::compile::lowering {

struct Allocation {
    std::vector<std::uint32_t> to; // by old number; kNone: nobody uses it
    std::uint32_t count = 0;
};

// Of the code as it is, with instructions that nobody needs left out. A row of a constant is no other value's; an
// instruction's result shares none of the rows that it reads, nor do the copies of an edge, but for those that swap.
Allocation allocate_rows(const Program& program, const FunctionCode& code, std::uint32_t first_loop);
Allocation allocate_tags(const Program& program, const FunctionCode& code);

} // namespace warptree::compile::lowering
