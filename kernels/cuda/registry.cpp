#if WARPTREE_HAS_CUDA

#include "kernels/cuda/kernel_table.hpp"

#include <algorithm>

namespace warptree::cuda {

#define WARPTREE_STRATEGY(Type, path) const KernelTable& table_##Type();
#include "kernels/strategies.def"
#undef WARPTREE_STRATEGY

std::span<const KernelTable* const> kernel_tables() {
    static const std::array tables {
#define WARPTREE_STRATEGY(Type, path) &table_##Type(),
#include "kernels/strategies.def"
#undef WARPTREE_STRATEGY
    };
    return tables;
}

const KernelTable& kernel_table(std::string_view id) {
    const auto tables = kernel_tables();
    return **std::find_if(tables.begin(), tables.end(), [&](const KernelTable* t) { return t->id == id; });
}

} // namespace warptree::cuda

#endif
