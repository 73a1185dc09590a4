#pragma once

#include "app/compile/lower/unit.hpp"

namespace warptree::compile::lowering {

// Fills Program::kernels, once the functions are lowered.
void add_kernels(Unit& unit);

} // namespace warptree::compile::lowering
