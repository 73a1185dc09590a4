// The kernels that a strategy is compiled to, and the host functions that launch them.
#pragma once

#include "kernels/cuda/clock_probe.cuh"
#include "kernels/cuda/kernel_table.hpp"
#include "kernels/cuda/off_probe.cuh"
#include "kernels/cuda/trace_probe.cuh"
#include "kernels/reduce/last_block_finish.hpp"

namespace warptree::cuda {

// Registers a thread of the strategy's kernels may take: its largest block must fit on a multiprocessor, and as many
// blocks as it counts on.
template <class Strategy, class T> constexpr unsigned most_registers() {
    if constexpr (requires { Strategy::most_registers(sizeof(T)); }) {
        return Strategy::most_registers(sizeof(T));
    } else {
        return 64; // 1024 threads
    }
}

template <class T> WARPTREE_RECORDS void finish_traced(ThreadRecord* record) {
    finish_in_last_block(Trace<T>(record), {});
}

template <class Strategy, class T, unsigned B>
__global__ void __maxnreg__((most_registers<Strategy, T>())) traced(TraceParams params) {
    ThreadRecord record{params, static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x};
    const Trace<T> probe(&record);
    if constexpr (B != 0) {
        Strategy::template run<B>(probe, {}, {}, params.n);
    } else {
        Strategy::run(probe, {}, {}, params.n);
    }
    if (!Strategy::info.finishes_last && params.last_block) {
        finish_traced<T>(&record);
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

// The same of a strategy with parameters; apart, so that one without has the kernel parameters of its plain twin.
template <class Strategy, class T, class Op, bool Atomic, unsigned B>
__global__ void __maxnreg__((most_registers<Strategy, T>()))
    real_with(const T* in, T* out, Index n, Arguments arguments) {
    if constexpr (B != 0) {
        Strategy::template run<B>(simt::Off<T, Op, Atomic>{arguments}, in, out, n);
    } else {
        Strategy::run(simt::Off<T, Op, Atomic>{arguments}, in, out, n);
    }
}

template <class Strategy, class T, unsigned B>
__global__ void __maxnreg__((most_registers<Strategy, T>()))
    clocked(const T* in, T* out, Index n, Arguments arguments, ClockBuffers buffers) {
    using Probe = Clock<T, Sum, Strategy::info.finishes_atomically>;
    clocked_warp(buffers.warps, buffers.marks, [&](WarpMarks* marks) {
        if constexpr (B != 0) {
            Strategy::template run<B>(Probe(arguments, marks), in, out, n);
        } else {
            Strategy::run(Probe(arguments, marks), in, out, n);
        }
    });
}

// More than 48 KB of shared memory a block must be asked for.
template <class Kernel> int allow_shared(Kernel kernel, std::size_t bytes) {
    constexpr std::size_t kUnasked = 48 * 1024;
    return bytes <= kUnasked
               ? cudaSuccess
               : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

template <class Strategy, class T, unsigned B>
int launch_traced(const TraceParams& params, std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared) {
    const std::size_t bytes = shared * (sizeof(T) + sizeof(std::uint32_t));
    if (const int refused = allow_shared(&traced<Strategy, T, B>, bytes); refused != cudaSuccess) {
        return refused;
    }
    traced<Strategy, T, B><<<blocks, threads, bytes>>>(params);
    return cudaGetLastError();
}

template <class Strategy, class T, unsigned B> int launch_real(const RealParams& p) {
    constexpr bool kAtomic = Strategy::info.finishes_atomically;
    const auto* in = static_cast<const T*>(p.in);
    auto* out = static_cast<T*>(p.out);
    const std::size_t bytes = p.shared_elements * sizeof(T);
    if constexpr (Strategy::info.parameters.empty()) {
        const auto kernel = &real<Strategy, T, Sum, kAtomic, B>;
        if (const int refused = allow_shared(kernel, bytes); refused != cudaSuccess) {
            return refused;
        }
        kernel<<<p.grid, p.threads, bytes>>>(in, out, p.n);
    } else {
        const auto kernel = &real_with<Strategy, T, Sum, kAtomic, B>;
        if (const int refused = allow_shared(kernel, bytes); refused != cudaSuccess) {
            return refused;
        }
        kernel<<<p.grid, p.threads, bytes>>>(in, out, p.n, p.arguments);
    }
    return cudaGetLastError();
}

template <class Strategy, class T, unsigned B> int launch_clocked(const RealParams& p, const ClockBuffers& buffers) {
    const auto kernel = &clocked<Strategy, T, B>;
    const std::size_t bytes = p.shared_elements * sizeof(T);
    if (const int refused = allow_shared(kernel, bytes); refused != cudaSuccess) {
        return refused;
    }
    kernel<<<p.grid, p.threads, bytes>>>(static_cast<const T*>(p.in), static_cast<T*>(p.out), p.n, p.arguments,
                                         buffers);
    return cudaGetLastError();
}

} // namespace warptree::cuda
