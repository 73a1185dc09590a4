#pragma once

#include "app/compile/lower_unit.hpp"

namespace warptree::compile::lowering {

// Program::kernels, once the functions are there.
void add_kernels(Unit& unit);

} // namespace warptree::compile::lowering
