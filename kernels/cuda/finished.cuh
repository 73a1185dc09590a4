// Compiles the kernels of finished.hpp for one element type.
#pragma once

#include "kernels/cuda/finished.hpp"
#include "kernels/cuda/instantiate.cuh"

#include <type_traits>
#include <vector>

namespace warptree::cuda {

// The strategy's kernel, and then the last block to arrive makes the partials one.
template <class Strategy, class T, class Op, unsigned B>
__global__ void __maxnreg__((most_registers<Strategy, T>()))
    real_last(const T* in, T* out, Index n, Arguments arguments) {
    const simt::Off<T, Op, false> probe{arguments};
    if constexpr (B != 0) {
        Strategy::template run<B>(probe, in, out, n);
    } else {
        Strategy::run(probe, in, out, n);
    }
    finish_in_last_block(probe, out);
}

template <class Strategy, class T, class Op, Finish F, unsigned B> int launch_finished(const RealParams& p) {
    constexpr bool kAtomic = F == Finish::atomic || Strategy::info.finishes_atomically;
    const auto kernel = [] {
        if constexpr (F == Finish::last_block) {
            return &real_last<Strategy, T, Op, B>;
        } else {
            return &real_with<Strategy, T, Op, kAtomic, B>;
        }
    }();
    const std::size_t bytes = p.shared_elements * sizeof(T);
    if (const int refused = allow_shared(kernel, bytes); refused != cudaSuccess) {
        return refused;
    }
    kernel<<<p.grid, p.threads, bytes>>>(static_cast<const T*>(p.in), static_cast<T*>(p.out), p.n, p.arguments);
    return cudaGetLastError();
}

// Whether the strategy leaves it open how its partials become one.
template <class Strategy> constexpr bool leaves_finish_open() {
    constexpr StrategyInfo s = Strategy::info;
    return s.answer == Answer::total && s.family != Family::exhibit && !s.finishes_atomically && !s.finishes_last &&
           s.outputs_per_block == nullptr && s.relaunch_block == 0;
}

template <class Strategy, class T, class Op, Finish F> void add_finished(std::vector<FinishedKernel>& list) {
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (list.push_back({Strategy::info.id, Op::name, F, 32U << K, &launch_finished<Strategy, T, Op, F, 32U << K>}),
             ...);
        }
        (std::make_index_sequence<6>{});
    } else {
        list.push_back({Strategy::info.id, Op::name, F, 0, &launch_finished<Strategy, T, Op, F, 0>});
    }
}

template <class Strategy, class T> void add_strategy(std::vector<FinishedKernel>& list) {
    if constexpr (leaves_finish_open<Strategy>() && (!Strategy::info.words_only || std::is_same_v<T, std::int32_t>)) {
        add_finished<Strategy, T, Sum, Finish::atomic>(list);
        add_finished<Strategy, T, Sum, Finish::last_block>(list);
    }
    if constexpr (Strategy::info.id == "vectorized") {
        add_finished<Strategy, T, Max, Finish::host>(list);
        add_finished<Strategy, T, Min, Finish::host>(list);
        if constexpr (leaves_finish_open<Strategy>()) {
            add_finished<Strategy, T, Max, Finish::last_block>(list);
            add_finished<Strategy, T, Min, Finish::last_block>(list);
        }
    }
}

template <class T> std::span<const FinishedKernel> finished_kernels() {
    static const std::vector<FinishedKernel> all = [] {
        std::vector<FinishedKernel> list;
#define WARPTREE_STRATEGY(Type, path) add_strategy<Type, T>(list);
#include "kernels/strategies.def"
#undef WARPTREE_STRATEGY
        return list;
    }();
    return all;
}

} // namespace warptree::cuda
