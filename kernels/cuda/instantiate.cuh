// Compiles one strategy for the GPU: traced for every element type with the operator chosen at run time, real for
// the sum of every element type, and with clock readings for the sum of some. Used by the generated translation unit of each strategy.
#pragma once

#include "kernels/cuda/clock_probe.cuh"
#include "kernels/cuda/kernel_table.hpp"
#include "kernels/cuda/off_probe.cuh"
#include "kernels/cuda/trace_probe.cuh"

#include <utility>

namespace warptree::cuda {

template <class Strategy>
concept BlockIsTemplate = requires {
    Strategy::kBlockIsTemplate;
};

template <class Strategy, class T, unsigned B> __global__ void traced(TraceParams params) {
    ThreadRecord record{params, static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x};
    if constexpr (B != 0) {
        Strategy::template run<B>(Trace<T>(&record), {}, {}, params.n);
    } else {
        Strategy::run(Trace<T>(&record), {}, {}, params.n);
    }
    params.counts[record.thread] = record.count;
}

template <class Strategy, class T, class Op, bool Atomic, unsigned B>
__global__ void real(const T* in, T* out, Index n) {
    if constexpr (B != 0) {
        Strategy::template run<B>(simt::Off<T, Op, Atomic>{}, in, out, n);
    } else {
        Strategy::run(simt::Off<T, Op, Atomic>{}, in, out, n);
    }
}

template <class Strategy, class T, unsigned B>
__global__ void clocked(const T* in, T* out, Index n, ClockBuffers buffers) {
    using Probe = Clock<T, Sum, Strategy::info.finishes_atomically>;
    clocked_warp(buffers.warps, buffers.marks, [&](WarpMarks* marks) {
        if constexpr (B != 0) {
            Strategy::template run<B>(Probe(marks), in, out, n);
        } else {
            Strategy::run(Probe(marks), in, out, n);
        }
    });
}

template <class Strategy, class T, unsigned B>
int launch_traced(const TraceParams& params, std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared) {
    traced<Strategy, T, B><<<blocks, threads, shared*(sizeof(T) + sizeof(std::uint32_t))>>>(params);
    return cudaGetLastError();
}

template <class Strategy, class T, unsigned B>
int launch_real(const void* in, void* out, std::uint64_t n, std::uint32_t grid, std::uint32_t threads,
                std::uint32_t shared) {
    real<Strategy, T, Sum, Strategy::info.finishes_atomically, B>
        <<<grid, threads, shared * sizeof(T)>>>(static_cast<const T*>(in), static_cast<T*>(out), n);
    return cudaGetLastError();
}

template <class Strategy, class T, unsigned B>
int launch_clocked(const void* in, void* out, std::uint64_t n, std::uint32_t grid, std::uint32_t threads,
                   std::uint32_t shared, const ClockBuffers& buffers) {
    clocked<Strategy, T, B>
        <<<grid, threads, shared * sizeof(T)>>>(static_cast<const T*>(in), static_cast<T*>(out), n, buffers);
    return cudaGetLastError();
}

template <class Strategy, class T> void fill(KernelTable& table) {
    const auto row = static_cast<std::size_t>(ElementTypeOf<T>::value);
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            ((table.trace[row][K] = &launch_traced<Strategy, T, 1U << K>), ...);
            ((table.real[row][K] = &launch_real<Strategy, T, 1U << K>), ...);
        }
        (std::make_index_sequence<kBlockSizes>{});
    } else {
        table.trace[row].fill(&launch_traced<Strategy, T, 0>);
        table.real[row].fill(&launch_real<Strategy, T, 0>);
    }
}

template <class Strategy, std::size_t Row> void fill_clock(KernelTable& table) {
    using T = std::conditional_t<kClockTypes[Row] == ElementType::i32, std::int32_t, double>;
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            ((table.clock[Row][K] = &launch_clocked<Strategy, T, kClockBlocks[K]>), ...);
        }
        (std::make_index_sequence<kClockBlocks.size()>{});
    } else {
        table.clock[Row].fill(&launch_clocked<Strategy, T, 0>);
        table.any_block = true;
    }
}

template <class Strategy> KernelTable make_table() {
    KernelTable table{Strategy::info.id, &Strategy::shared_elements, {}, {}, {}, false};
    fill<Strategy, std::int32_t>(table);
    fill<Strategy, std::uint32_t>(table);
    fill<Strategy, std::int64_t>(table);
    fill<Strategy, float>(table);
    fill<Strategy, double>(table);
    fill_clock<Strategy, 0>(table);
    fill_clock<Strategy, 1>(table);
    return table;
}

} // namespace warptree::cuda

#define WARPTREE_CUDA_INSTANTIATE(Strategy)                                                                            \
    namespace warptree::cuda {                                                                                         \
    const KernelTable& table_##Strategy() {                                                                            \
        static const KernelTable table = make_table<warptree::Strategy>();                                             \
        return table;                                                                                                  \
    }                                                                                                                  \
    }
