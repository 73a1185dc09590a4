// The kernels of a strategy that only timing asks for: see finished.hpp.
#pragma once

#include "kernels/cuda/launchers.cuh"

#include <type_traits>

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

template <class Strategy, class T, class Op, Finish F> RealLauncher of_block(std::uint32_t block) {
    if constexpr (BlockIsTemplate<Strategy>) {
        switch (block) {
        case 32: return &launch_finished<Strategy, T, Op, F, 32>;
        case 64: return &launch_finished<Strategy, T, Op, F, 64>;
        case 128: return &launch_finished<Strategy, T, Op, F, 128>;
        case 256: return &launch_finished<Strategy, T, Op, F, 256>;
        case 512: return &launch_finished<Strategy, T, Op, F, 512>;
        case 1024: return &launch_finished<Strategy, T, Op, F, 1024>;
        default: return nullptr;
        }
    } else {
        return &launch_finished<Strategy, T, Op, F, 0>;
    }
}

template <class Strategy, class T, class Op> RealLauncher of_finish(Finish finish, std::uint32_t block) {
    constexpr bool kSum = Op::name == Operator::sum; // whose Finish::host is in the table
    constexpr bool kOpen = leaves_finish_open<Strategy>();
    switch (finish) {
    case Finish::host:
        if constexpr (!kSum) {
            return of_block<Strategy, T, Op, Finish::host>(block);
        }
        return nullptr;
    case Finish::atomic:
        if constexpr (kOpen && kSum) {
            return of_block<Strategy, T, Op, Finish::atomic>(block);
        }
        return nullptr;
    case Finish::last_block:
        if constexpr (kOpen) {
            return of_block<Strategy, T, Op, Finish::last_block>(block);
        }
        return nullptr;
    case Finish::relaunch: break;
    }
    return nullptr;
}

template <class Strategy, class T> RealLauncher of_operator(Operator op, Finish finish, std::uint32_t block) {
    if constexpr (!Strategy::info.words_only || std::is_same_v<T, std::int32_t>) {
        if (op == Operator::sum) {
            return of_finish<Strategy, T, Sum>(finish, block);
        }
    }
    if constexpr (Strategy::info.id == "vectorized") {
        if (op == Operator::max) {
            return of_finish<Strategy, T, Max>(finish, block);
        }
        if (op == Operator::min) {
            return of_finish<Strategy, T, Min>(finish, block);
        }
    }
    return nullptr;
}

template <class Strategy>
RealLauncher finished_kernel(ElementType type, Operator op, Finish finish, std::uint32_t block) {
    switch (type) {
    case ElementType::i32: return of_operator<Strategy, std::int32_t>(op, finish, block);
    case ElementType::f32: return of_operator<Strategy, float>(op, finish, block);
    case ElementType::f64: return of_operator<Strategy, double>(op, finish, block);
    case ElementType::u32:
    case ElementType::i64: break;
    }
    return nullptr;
}

} // namespace warptree::cuda
