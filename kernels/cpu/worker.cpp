#include "kernels/cpu/worker.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define WARPTREE_ASAN 1
#else
#define WARPTREE_ASAN 0
#endif

namespace warptree::cpu {

namespace {
// A kernel's frame is a few hundred bytes; sanitizers make it larger.
constexpr std::size_t kStackBytes = WARPTREE_ASAN ? 64 * 1024 : 8 * 1024;
// Stacks a power of two apart would share a few cache sets.
constexpr std::size_t kStackStagger = 192;
constexpr unsigned kStackLines = 3; // that a waiting kernel has in use

std::uint64_t mix(std::uint64_t x) { // splitmix64
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}
} // namespace

struct Worker::Stacks {
    explicit Stacks(std::size_t count) : bytes(count * (kStackBytes + kStackStagger)) {
        base = static_cast<std::byte*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (base == MAP_FAILED) {
            throw std::bad_alloc();
        }
    }
    ~Stacks() {
        clean(base, bytes);
        munmap(base, bytes);
    }
    // Frames that are never left keep their red zones marked; to the address sanitizer they would still lie here for
    // whoever uses the memory next.
    static void clean([[maybe_unused]] void* from, [[maybe_unused]] std::size_t size) {
#if WARPTREE_ASAN
        ASAN_UNPOISON_MEMORY_REGION(from, size);
#endif
    }
    std::byte* bottom(std::size_t i) const { return base + i * (kStackBytes + kStackStagger); }
    std::byte* base;
    std::size_t bytes;
};

Worker::Worker(const LaunchState& launch, KernelEntry entry, Recorder& recorder)
    : launch_(launch), entry_(entry), recorder_(recorder), warps_((launch.block_threads + kWarpSize - 1) / kWarpSize),
      shared_(static_cast<std::size_t>(launch.shared_elements) * launch.element_bytes),
      origins_(launch.shared_elements), threads_(launch.block_threads), turns_(launch.order == WarpOrder::lockstep),
      stacks_(std::make_unique<Stacks>(launch.block_threads)) {
    for (std::uint32_t t = 0; t < launch.block_threads; ++t) {
        threads_[t].worker = this;
        make_fiber(t);
    }
}

Worker::~Worker() = default;

// A fiber runs its thread of block after block. It is never unwound: a kernel's frame owns nothing.
void Worker::make_fiber(std::uint32_t thread) {
    Stacks::clean(stacks_->bottom(thread), kStackBytes);
    contexts_[thread] = make_context<&Worker::fiber_main>(stacks_->bottom(thread) + kStackBytes, kStackBytes);
}

void Worker::fiber_main(void* worker) {
    Worker& w = *static_cast<Worker*>(worker);
#if WARPTREE_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    if (w.switched_from_ == kMain) {
        w.main_bottom_ = bottom;
        w.main_size_ = size;
    }
#endif
    ThreadContext& t = w.threads_[w.switched_to_];
    for (;;) {
        w.entry_(t);
        w.ended(t);
    }
}

inline void Worker::resume(std::uint32_t from, std::uint32_t to) {
    switched_from_ = from;
    switched_to_ = to;
#if WARPTREE_ASAN
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, to == kMain ? main_bottom_ : stacks_->bottom(to),
                                   to == kMain ? main_size_ : kStackBytes);
#endif
    switch_context(contexts_[from], contexts_[to], this);
#if WARPTREE_ASAN
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

// The next lane of the warp that runs, else of the next one that can.
inline std::uint32_t Worker::pick() {
    if (downward_) {
        return pick_downward();
    }
    const std::uint64_t ahead = static_cast<std::uint64_t>(running_->runnable) >> lane_ << lane_;
    if (ahead == 0) {
        return pick_again();
    }
    const auto lane = static_cast<unsigned>(std::countr_zero(ahead));
    lane_ = lane + 1;
    return running_->first_thread + lane;
}

std::uint32_t Worker::pick_downward() {
    const std::uint64_t ahead = running_->runnable & ((std::uint64_t{1} << lane_) - 1);
    if (ahead == 0) {
        return pick_again();
    }
    lane_ = static_cast<unsigned>(std::bit_width(ahead)) - 1;
    return running_->first_thread + lane_;
}

inline void Worker::leave(std::uint32_t from) {
    const std::uint32_t next = pick();
    if (next == from) {
        return;
    }
    // The fibers of a large block do not fit the first cache; fetch the one after the next while the next one runs.
    // (Not in a function of its own: the compiler would take that to have no effect.)
    if (const std::uint32_t ahead = next + 2; ahead < launch_.block_threads) {
        const auto* stack = static_cast<const std::byte*>(contexts_[ahead]);
        for (unsigned line = 0; line < kStackLines; ++line) {
            __builtin_prefetch(stack + line * 64, 1);
        }
        __builtin_prefetch(&threads_[ahead], 1);
    }
    resume(from, next);
}

void Worker::run_block(std::uint32_t block) {
    block_ = block;
    interval_ = 0;
    emitted_.clear();
    std::fill(shared_.begin(), shared_.end(), std::byte{0});
    std::fill(origins_.begin(), origins_.end(), Origin{});
    std::fill(array_origins_.begin(), array_origins_.end(), Origin{});
    for (std::uint32_t t = 0; t < launch_.block_threads; ++t) {
        threads_[t].trace = {};
        threads_[t].trace.thread = static_cast<std::uint16_t>(t);
        threads_[t].trace.lane = static_cast<std::uint8_t>(t % kWarpSize);
        threads_[t].trace.warp = static_cast<std::uint8_t>(t / kWarpSize);
    }
    live_ = launch_.block_threads;
    arrived_ = 0;
    apart_ = false;
    stuck_ = false;
    for (unsigned w = 0; w < warps_; ++w) {
        const std::uint32_t threads = std::min(launch_.block_threads - w * kWarpSize, kWarpSize);
        const std::uint32_t lanes = threads == kWarpSize ? 0xFFFFFFFFU : (1U << threads) - 1;
        warp_[w] = {lanes, 0, 0, 0, lanes, w * kWarpSize};
    }
    recorder_.begin_block(block);
    start_interval();
    resume(kMain, pick());
    if (stuck_) {
        record_stalls();
        for (std::uint32_t t = 0; t < launch_.block_threads; ++t) {
            make_fiber(t);
        }
    }
    recorder_.end_block();
}

void Worker::emit(EmittedValue value) {
    if (value.to == OutputTo::output) {
        std::memcpy(launch_.output + std::size_t{value.index} * launch_.element_bytes, &value.bits,
                    launch_.element_bytes);
    }
    emitted_.push_back(value);
}

void Worker::start_interval() {
    std::iota(order_.begin(), order_.begin() + warps_, std::uint8_t{0});
    downward_ = launch_.order == WarpOrder::reverse;
    if (launch_.order == WarpOrder::reverse) {
        std::reverse(order_.begin(), order_.begin() + warps_);
    } else if (launch_.order == WarpOrder::random) {
        std::uint64_t state = mix(launch_.seed ^ (static_cast<std::uint64_t>(block_) << 20 ^ interval_));
        for (unsigned i = warps_; i > 1; --i) {
            state = mix(state);
            std::swap(order_[i - 1], order_[state % i]);
        }
        downward_ = mix(state) % 2 == 1;
    }
    position_ = 0;
    lane_ = downward_ ? kWarpSize : 0;
    running_ = &warp_[order_[0]];
}

std::uint32_t Worker::pick_again() {
    for (;;) {
        lane_ = downward_ ? kWarpSize : 0;
        if (running_->runnable != 0) {
            return pick();
        }
        recorder_.end_warp(running_->paused);
        if (running_->paused != 0) {
            running_->runnable = std::exchange(running_->paused, 0);
            continue;
        }
        if (++position_ < warps_) {
            running_ = &warp_[order_[position_]];
            continue;
        }
        if (live_ == 0) {
            return kMain;
        }
        if (arrived_ != live_ || apart_) {
            stuck_ = true;
            return kMain;
        }
        release_barrier();
    }
}

void Worker::release_barrier() {
    bool noted = false;
    for (unsigned w = 0; w < warps_; ++w) {
        Warp& warp = warp_[w];
        if (warp.at_barrier != 0 && !noted) {
            const auto t = w * kWarpSize + static_cast<unsigned>(std::countr_zero(warp.at_barrier));
            recorder_.barrier(threads_[t].trace, threads_[t].barrier_line);
            noted = true;
        }
        warp.runnable = std::exchange(warp.at_barrier, 0);
    }
    recorder_.end_interval();
    arrived_ = 0;
    apart_ = false;
    ++interval_;
    start_interval();
}

void Worker::barrier(ThreadContext& t, SourceLine at) {
    Warp& warp = warp_[t.trace.warp];
    const std::uint32_t bit = 1U << t.trace.lane;
    warp.runnable &= ~bit;
    warp.at_barrier |= bit;
    t.barrier_line = at;
    if (arrived_++ == 0) {
        arrived_at_ = at;
    }
    apart_ = apart_ || at != arrived_at_;
    leave(t.trace.thread);
    recorder_.arrive(t.trace);
    t.trace.slot = 0;
}

bool Worker::arrive_at_warp_barrier(ThreadContext& t, std::uint32_t mask, SourceLine at) {
    Warp& warp = warp_[t.trace.warp];
    const std::uint32_t bit = 1U << t.trace.lane;
    warp.at_warp_barrier |= bit;
    t.barrier_line = at;
    if ((mask & warp.alive & ~warp.at_warp_barrier) != 0) {
        warp.runnable &= ~bit;
        return false;
    }
    warp.runnable |= warp.at_warp_barrier & mask;
    warp.at_warp_barrier &= ~mask;
    return true;
}

void Worker::warp_barrier(ThreadContext& t, std::uint32_t mask, SourceLine at) {
    if (!arrive_at_warp_barrier(t, mask, at)) {
        leave(t.trace.thread);
    }
}

void Worker::exchange(ThreadContext& t, std::uint32_t mask, SourceLine at) {
    if (arrive_at_warp_barrier(t, mask, at)) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            received_[lane] = deposits_[sources_[lane]];
        }
    } else {
        leave(t.trace.thread);
    }
}

// The lane stays able to run: it goes on when all others that can have had their turn.
void Worker::turn(ThreadContext& t) { leave(t.trace.thread); }

void Worker::pause(ThreadContext& t) {
    Warp& warp = warp_[t.trace.warp];
    const std::uint32_t bit = 1U << t.trace.lane;
    warp.runnable &= ~bit;
    warp.paused |= bit;
    leave(t.trace.thread);
    t.trace.slot = 0;
}

void Worker::wait_forever(ThreadContext& t) {
    warp_[t.trace.warp].runnable &= ~(1U << t.trace.lane);
    leave(t.trace.thread);
}

void Worker::ended(ThreadContext& t) {
    Warp& warp = warp_[t.trace.warp];
    const std::uint32_t bit = 1U << t.trace.lane;
    warp.runnable &= ~bit;
    warp.alive &= ~bit;
    --live_;
    resume(t.trace.thread, pick());
}

void Worker::record_stalls() {
    for (unsigned w = 0; w < warps_; ++w) {
        const Warp& warp = warp_[w];
        const auto lanes_here = [](std::uint32_t lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); };
        for (std::uint32_t rest = warp.at_barrier | warp.at_warp_barrier; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const ThreadContext& t = threads_[w * kWarpSize + lane];
            const bool of_block = (warp.at_barrier >> lane & 1U) != 0;
            recorder_.stall(t.trace, of_block ? StallKind::barrier : StallKind::warp_barrier,
                            of_block ? launch_.block_threads : lanes_here(warp.alive), t.barrier_line);
        }
    }
}

} // namespace warptree::cpu
