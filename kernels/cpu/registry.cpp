#include "kernels/cpu/registry.hpp"

#include <algorithm>

namespace warptree::cpu {

#define WARPTREE_STRATEGY(Type, path) extern const KernelTable kernels_##Type;
#include "kernels/strategies.def"
#undef WARPTREE_STRATEGY

std::span<const KernelTable* const> kernel_tables() {
    static constexpr std::array tables {
#define WARPTREE_STRATEGY(Type, path) &kernels_##Type,
#include "kernels/strategies.def"
#undef WARPTREE_STRATEGY
    };
    return tables;
}

const KernelTable& kernel_table(std::string_view id) {
    const auto tables = kernel_tables();
    return **std::find_if(tables.begin(), tables.end(), [&](const KernelTable* t) { return t->info.id == id; });
}

} // namespace warptree::cpu
