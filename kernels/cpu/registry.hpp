// The interpreter's kernels, in the order of strategies.def.
#pragma once

#include "kernels/cpu/kernel_table.hpp"

#include <span>
#include <string_view>

namespace warptree::cpu {

std::span<const KernelTable* const> kernel_tables();
const KernelTable& kernel_table(std::string_view id); // of an existing strategy

} // namespace warptree::cpu
