#if WARPTREE_HAS_CUDA

#include "kernels/cuda/finished.hpp"

#include "kernels/strategy.hpp"

#include <algorithm>

namespace warptree::cuda {

namespace {
std::span<const FinishedKernel> kernels_of(ElementType type) {
    switch (type) {
    case ElementType::i32: return finished_kernels_i32();
    case ElementType::f32: return finished_kernels_f32();
    case ElementType::f64: return finished_kernels_f64();
    case ElementType::u32:
    case ElementType::i64: break;
    }
    return {};
}
} // namespace

RealLauncher real_launcher(std::string_view id, ElementType type, Operator op, Finish finish, std::uint32_t block) {
    const StrategyInfo& info = require_strategy(id);
    const bool by_itself = info.finishes_atomically || info.finishes_last || finish == Finish::relaunch;
    const Finish wanted = by_itself ? Finish::host : finish;
    if (op == Operator::sum && wanted == Finish::host) {
        return kernel_table(id).real[static_cast<std::size_t>(type)][KernelTable::column(block)];
    }
    const auto all = kernels_of(type);
    const auto it = std::find_if(all.begin(), all.end(), [&](const FinishedKernel& k) {
        return k.id == id && k.op == op && k.finish == wanted && (k.block == 0 || k.block == block);
    });
    return it == all.end() ? nullptr : it->launch;
}

} // namespace warptree::cuda

#endif
