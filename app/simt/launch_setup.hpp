// A launch: the kernel, its grid and block, its arguments, and how to run it.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/device_log.hpp"
#include "app/simt/memory.hpp"
#include "app/simt/processor_time.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace warptree::simt {

using Extent = std::array<std::uint32_t, 3>; // x, y, z
constexpr std::uint64_t volume(const Extent& e) { return std::uint64_t{e[0]} * e[1] * e[2]; }

// Blocks of a cluster that every GPU with clusters takes; those that an H100 takes of a kernel that asks for more.
inline constexpr std::uint32_t kPortableCluster = 8, kMostInCluster = 16;

// The order in which warps and blocks run where nothing else orders them.
enum class Order : std::uint8_t { in_order, reverse, random };

// The value of one parameter.
struct Argument {
    std::uint64_t bits = 0;        // the value, or the address of an array
    std::vector<std::byte> record; // the bytes of a struct
};

struct LaunchSetup {
    const compile::Program* program = nullptr;
    std::uint32_t kernel = 0; // of Program::kernels
    Extent grid{1, 1, 1}, block{1, 1, 1};
    Extent cluster{0, 0, 0};                          // blocks, as the launch says; 0: as the kernel says
    std::uint32_t most_in_cluster = kPortableCluster; // blocks
    std::uint32_t dynamic_shared = 0;                 // bytes
    std::vector<Argument> arguments;
    Memory* memory = nullptr;

    Order order = Order::in_order;
    bool lanes_apart = false; // lanes see one another's stores only where the warp synchronises; see LaneStores
    std::uint64_t seed = 1;
    std::uint32_t last_block = compile::kNone; // this block starts last, if blocks communicate; kNone: as
                                               // `order` says
    int banks = 32;
    std::uint32_t window_first = 0, window_count = 8; // blocks recorded in full
    // Only its results and findings are wanted, neither their steps and numbers of times nor anything that is counted; no
    // block is recorded.
    bool findings_only = false;
    // Launched as a program launches kernels that never wait for the whole grid: grid.sync() is then an error. On an H100
    // (CUDA 13.0) the launch succeeds, and the next wait gives cudaErrorLaunchFailure.
    bool without_grid_barriers = false;
    // Of sums, differences and products that no int holds. For values that a user gave: of any that were chosen it says little.
    bool tells_overflow = false;
    bool attempts = true;                             // with findings_only: first without a history (Attempt)
    unsigned workers = 0;                             // threads; 0: one per core
    std::uint64_t most_instructions = 1ULL << 27;     // of warps, per block; beyond, the launch counts as endless
    std::uint64_t most_printed = RunLimits().printed; // bytes kept of what it prints
    ProcessorTime* time = nullptr;                    // null: any
    std::uint32_t resident_blocks = 0;                // blocks resident at once; 0: as many as on a large GPU
    // Receives what the final values of allocation `output` stand for, as in Allocation::depths; null: not wanted.
    std::vector<std::uint32_t>* output_depths = nullptr;
    std::uint32_t output = compile::kNone;
    const DeviceLog* log = nullptr; // of a GPU, to follow; null: none
    // Receives, by thread, what a GPU would log of this run; null: not wanted.
    std::vector<std::vector<compile::LoggedEvent>>* own_log = nullptr;
    std::atomic<bool>* cancel = nullptr;
    const std::atomic<bool>* abandoned = nullptr; // set once no further block is wanted
    std::function<void(double)> progress;         // 0 … 1

    std::uint32_t threads() const { return static_cast<std::uint32_t>(volume(block)); }
    const compile::Kernel& code() const { return program->kernels[kernel]; }
    // Blocks of a cluster, in x, y, z. 1: there are no clusters.
    Extent cluster_shape() const {
        const Extent named{code().cluster[0], code().cluster[1], code().cluster[2]};
        return named[0] != 0 ? named : cluster[0] != 0 ? cluster : Extent{1, 1, 1};
    }
    // Shared memory per block, bytes: the static arrays, then the dynamic one.
    std::uint32_t static_shared() const {
        std::uint32_t bytes = 0;
        for (const std::uint32_t s : code().shared) {
            bytes = std::max(bytes, program->shared[s].offset + program->shared[s].bytes);
        }
        return bytes;
    }
    std::uint32_t shared_bytes() const { return static_shared() + dynamic_shared; }
};

// Of a block, by its number: its rank in its cluster, and the cluster's number in the grid.
inline std::uint32_t rank_in_cluster(const LaunchSetup& s, std::uint32_t block) {
    const Extent c = s.cluster_shape();
    return block % s.grid[0] % c[0] +
           c[0] * (block / s.grid[0] % s.grid[1] % c[1] + c[1] * (block / s.grid[0] / s.grid[1] % c[2]));
}
inline std::uint32_t cluster_of(const LaunchSetup& s, std::uint32_t block) {
    const Extent c = s.cluster_shape();
    return block % s.grid[0] / c[0] +
           s.grid[0] / c[0] *
               (block / s.grid[0] % s.grid[1] / c[1] + s.grid[1] / c[1] * (block / s.grid[0] / s.grid[1] / c[2]));
}

} // namespace warptree::simt
