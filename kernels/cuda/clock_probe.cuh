// The probe that reads clocks: the real kernel, and lane 0 of each warp notes the cycle counter at every step and barrier. Everything else is simt::Off.
#pragma once

#include "app/measure/clocks/marks.hpp"
#include "kernels/cuda/off_probe.cuh"

namespace warptree::cuda {

// Ordered against the memory accesses around it, as far as the compiler goes.
__device__ __forceinline__ std::uint64_t cycle_counter() {
    std::uint64_t cycle;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycle)::"memory");
    return cycle;
}
__device__ __forceinline__ std::uint64_t device_timer() {
    std::uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}
__device__ __forceinline__ std::uint32_t multiprocessor() {
    std::uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// The marks of one warp. Lives in the registers of its lanes; lane 0 writes.
struct WarpMarks {
    clocks::Mark* marks; // of this warp, kMostMarks of them
    std::uint32_t count = 0;

    __device__ __forceinline__ void make(clocks::MarkKind kind, unsigned stride = 0, Phase phase = Phase::none) {
        if (threadIdx.x % 32 == 0 && count < clocks::kMostMarks) {
            marks[count] = {cycle_counter(), kind, phase, stride};
        }
        ++count;
    }
};

template <class T, class Op, bool Atomic> class Clock : public simt::Off<T, Op, Atomic> {
    using Off = simt::Off<T, Op, Atomic>;

  public:
    __device__ __forceinline__ Clock(const Arguments& arguments, WarpMarks* marks) : Off{arguments}, marks_(marks) {}

    __device__ __forceinline__ void stage(unsigned stride, Phase phase = Phase::none) const {
        marks_->make(clocks::MarkKind::stage, stride, phase);
    }
    __device__ __forceinline__ void store() const { marks_->make(clocks::MarkKind::store); }
    __device__ __forceinline__ void gather() const { marks_->make(clocks::MarkKind::gather); }
    __device__ __forceinline__ void barrier() const {
        marks_->make(clocks::MarkKind::barrier_reached);
        Off::barrier();
        marks_->make(clocks::MarkKind::barrier_left);
    }
    __device__ __forceinline__ void meet() const {
        marks_->make(clocks::MarkKind::barrier_reached);
        Off::meet();
        marks_->make(clocks::MarkKind::barrier_left);
    }

  private:
    WarpMarks* marks_;
};

// Around the kernel itself: when the warp began and ended, and where.
template <class Run>
__device__ __forceinline__ void clocked_warp(clocks::WarpClock* warps, clocks::Mark* marks, Run run) {
    const std::uint64_t warp = static_cast<std::uint64_t>(blockIdx.x) * ((blockDim.x + 31) / 32) + threadIdx.x / 32;
    WarpMarks mine{marks + warp * clocks::kMostMarks};
    clocks::WarpClock clock{};
    clock.multiprocessor = multiprocessor();
    clock.first_ns = device_timer();
    clock.first_cycle = cycle_counter();
    run(&mine);
    clock.last_cycle = cycle_counter();
    clock.last_ns = device_timer();
    clock.marks = mine.count;
    if (threadIdx.x % 32 == 0) {
        warps[warp] = clock;
    }
}

} // namespace warptree::cuda
