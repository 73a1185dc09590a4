// One interpreter thread: runs the blocks of a launch one after another, every CUDA thread of a block as a fiber.
//
// A warp runs until each of its lanes waits at a block barrier or has ended, lane by lane; then the next warp in the
// chosen order (WarpOrder). A fiber that must wait switches straight to the next one that can run.
#pragma once

#include "app/base/options.hpp"
#include "app/base/parameter.hpp"
#include "kernels/cpu/fiber_context.hpp"
#include "kernels/cpu/tile_board.hpp"
#include "kernels/trace/recorder.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warptree::cpu {

class Worker;

// What all blocks of a launch share. Typed data is reached through the probe that knows the type.
struct LaunchState {
    const void* input = nullptr; // elements
    std::uint64_t n = 0;
    Operator op = Operator::sum;
    std::uint32_t grid = 1, block_threads = 1;
    Arguments arguments{};
    Finish finish = Finish::host;
    bool maps = true;                 // the operator's map is applied to what is loaded
    std::byte* output = nullptr;      // elements; null under an atomic finish
    std::uint32_t last_block = kNone; // the one that reduces the partials, after all others
    TileBoard* tiles = nullptr;       // for blocks that look back
    std::uint32_t shared_elements = 0;
    unsigned element_bytes = 4;
    WarpOrder order = WarpOrder::in_order;
    std::uint64_t seed = 1;
};

struct alignas(64) ThreadContext {
    ThreadTrace trace;
    SourceLine barrier_line = SourceLine::none(); // where it waits, or waited last
    Worker* worker = nullptr;
};
using KernelEntry = void (*)(ThreadContext&);

// A value that left the block, in order of execution.
struct EmittedValue {
    std::uint32_t index;
    OutputTo to;
    std::uint64_t bits;
};

class Worker {
  public:
    Worker(const LaunchState& launch, KernelEntry entry, Recorder& recorder);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // A block that can never complete is recorded up to where its threads wait (Recorder::stall), and ends.
    void run_block(std::uint32_t block);
    const std::vector<EmittedValue>& emitted() const { return emitted_; }

    // For the probe, from within a fiber.
    const LaunchState& launch() const { return launch_; }
    Recorder& recorder() { return recorder_; }
    std::uint32_t block() const { return block_; }
    std::byte* shared() { return shared_.data(); }
    Origin* shared_origins() { return origins_.data(); }
    // Origins of the words of the block's part of the output, once there are `count`.
    Origin* array_origins(std::size_t count) {
        if (array_origins_.size() < count) {
            array_origins_.resize(count);
        }
        return array_origins_.data();
    }
    void emit(EmittedValue value);
    // The thread waits for something that never comes: run_block will say that the block never completes.
    void wait_forever(ThreadContext& t);
    // Waits until every live thread of the block is at this same call: CUDA promises nothing for several.
    void barrier(ThreadContext& t, SourceLine at);
    // Waits for all live lanes of `mask`.
    void warp_barrier(ThreadContext& t, std::uint32_t mask, SourceLine at);
    // After each shared access: in lockstep the other lanes of the warp make theirs first.
    void take_turns(ThreadContext& t) {
        if (turns_) {
            turn(t);
        }
    }
    // Lets the other lanes of the warp catch up, so that a long loop's accesses can be analysed and forgotten.
    void pause(ThreadContext& t);
    // Each lane deposits a value and its origin, waits, and takes that of lane `source(lane)`.
    struct Exchange {
        std::uint64_t bits;
        Origin origin;
    };
    std::array<Exchange, kWarpSize>& deposits() { return deposits_; }
    std::array<Exchange, kWarpSize>& received() { return received_; }
    std::array<std::uint8_t, kWarpSize>& sources() { return sources_; }
    void exchange(ThreadContext& t, std::uint32_t mask, SourceLine at);

  private:
    struct Warp {
        std::uint32_t runnable = 0, at_barrier = 0, at_warp_barrier = 0, paused = 0, alive = 0;
        std::uint32_t first_thread = 0;
    };
    static constexpr std::uint32_t kMain = 1024; // not a thread: the caller of run_block

    static void fiber_main(void* worker);
    void make_fiber(std::uint32_t thread);
    void start_interval();
    std::uint32_t pick();
    std::uint32_t pick_downward();
    std::uint32_t pick_again();
    void turn(ThreadContext& t);
    void release_barrier();
    void resume(std::uint32_t from, std::uint32_t to);
    void leave(std::uint32_t from);
    bool arrive_at_warp_barrier(ThreadContext& t, std::uint32_t mask, SourceLine at);
    void ended(ThreadContext& t);
    void record_stalls();

    const LaunchState& launch_;
    KernelEntry entry_;
    Recorder& recorder_;
    std::uint32_t block_ = 0, interval_ = 0;
    unsigned warps_;
    std::vector<std::byte> shared_;
    std::vector<Origin> origins_, array_origins_;
    std::vector<EmittedValue> emitted_;
    std::vector<ThreadContext> threads_;
    std::array<Exchange, kWarpSize> deposits_{}, received_{};
    std::array<std::uint8_t, kWarpSize> sources_{};

    std::array<Warp, 32> warp_;
    std::array<std::uint8_t, 32> order_{};
    unsigned position_ = 0;        // in order_
    Warp* running_ = warp_.data(); // order_[position_]
    unsigned lane_ = 0;            // its next lane to look at; downward: one more than that
    bool downward_ = false;        // lanes run from the last to the first
    bool turns_ = false;           // lanes take turns
    std::uint32_t live_ = 0, arrived_ = 0;
    SourceLine arrived_at_ = SourceLine::none(); // where the first waits
    bool apart_ = false;                         // others wait elsewhere
    bool stuck_ = false;

    struct Stacks;
    std::unique_ptr<Stacks> stacks_;
    std::array<FiberContext, kMain + 1> contexts_{}; // where each fiber that does not run stopped
    std::uint32_t switched_from_ = kMain, switched_to_ = 0;
    const void* main_bottom_ = nullptr; // of the caller's stack, for the address sanitizer
    std::size_t main_size_ = 0;
};

} // namespace warptree::cpu
