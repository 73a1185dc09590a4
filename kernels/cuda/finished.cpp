#if WARPTREE_HAS_CUDA

#include "kernels/cuda/finished.hpp"

#include "app/catalogue/strategy.hpp"

namespace warptree::cuda {

RealLauncher real_launcher(std::string_view id, ElementType type, Operator op, Finish finish, std::uint32_t block) {
    const StrategyInfo& info = require_strategy(id);
    const KernelTable& table = kernel_table(id);
    const bool by_itself = info.finishes_atomically || info.finishes_last || finish == Finish::relaunch;
    const Finish wanted = by_itself ? Finish::host : finish;
    return op == Operator::sum && wanted == Finish::host
               ? table.real[static_cast<std::size_t>(type)][KernelTable::column(block)]
               : table.finished(type, op, wanted, block);
}

} // namespace warptree::cuda

#endif
