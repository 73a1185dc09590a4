// What the hardware does at a barrier that not all threads reach: one small kernel a case, and the times at which each
// thread arrives, passes and ends. script/barrier-rules builds this and runs each case in a process of its own, because
// a case that waits forever takes its process with it.
//
// usage: barrier_rules          writes its version, "# barrier_rules 1", and one line a case: barrier,others,do
//        barrier_rules CASE     runs case number CASE and writes one line: what happened
// Exit code 0: the case was measured, also when it waits forever; 1: it was not.
#include <cooperative_groups.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kThreads = 128; // of a block
constexpr unsigned kBlocks = 4;    // at a grid barrier
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr unsigned long long kShort = 5'000'000, kLong = 20'000'000; // nanoseconds

// What a thread has done so far: the GPU's clock in nanoseconds, 0 for not yet.
struct Log {
    unsigned long long arrived, passed, passed_again, ended;
    unsigned counted;
};

enum class Barrier { syncthreads, count, barrier, barrier_all, barrier_half, bar, bar_all, bar_half, red, warp, grid };
enum class Others { none, warp, half_of_each_warp, tail, block, thread_0 };
enum class Do { nothing, return_early, end, end_later, skip, wait_elsewhere, wait_later };

__device__ unsigned long long now() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

__device__ void pause(unsigned long long nanoseconds) {
    const unsigned long long begin = now();
    while (now() - begin < nanoseconds) {
    }
}

__device__ void note(unsigned long long& at) {
    *const_cast<volatile unsigned long long*>(&at) = now();
    __threadfence_system();
}

// Returns the number of threads counted, for barriers that count.
template <Barrier B> __device__ unsigned wait_at() {
    unsigned counted = 0;
    if constexpr (B == Barrier::syncthreads) {
        __syncthreads();
    } else if constexpr (B == Barrier::count) {
        counted = __syncthreads_count(1);
    } else if constexpr (B == Barrier::barrier) {
        asm volatile("barrier.sync 1;" ::: "memory");
    } else if constexpr (B == Barrier::barrier_all) {
        asm volatile("barrier.sync 1, 128;" ::: "memory");
    } else if constexpr (B == Barrier::barrier_half) {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    } else if constexpr (B == Barrier::bar) {
        asm volatile("bar.sync 1;" ::: "memory");
    } else if constexpr (B == Barrier::bar_all) {
        asm volatile("bar.sync 1, 128;" ::: "memory");
    } else if constexpr (B == Barrier::bar_half) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else if constexpr (B == Barrier::red) {
        asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; bar.red.popc.u32 %0, 1, p; }" : "=r"(counted)::"memory");
    } else if constexpr (B == Barrier::warp) {
        __syncwarp();
    } else {
        cooperative_groups::this_grid().sync();
    }
    return counted;
}

template <Barrier B>
constexpr unsigned kTeam = B == Barrier::barrier_half || B == Barrier::bar_half ? 64 : kThreads; // that it expects

template <Barrier B, Others O> __device__ bool is_other() {
    const unsigned t = threadIdx.x;
    switch (O) {
    case Others::none: return false;
    case Others::warp: return t >= kTeam<B> - 32;
    case Others::half_of_each_warp: return t % 2 == 1;
    case Others::tail: return t >= kTeam<B> - 28;
    case Others::block: return blockIdx.x % 2 == 1;
    case Others::thread_0: return blockIdx.x == 1 && t == 0;
    }
    return false;
}

template <Barrier B, Others O, Do D> __global__ void meet(Log* logs) {
    Log& log = logs[blockIdx.x * kThreads + threadIdx.x];
    if (threadIdx.x >= kTeam<B>) { // not expected
        pause(2 * kLong);
        note(log.ended);
        return;
    }
    const bool other = is_other<B, O>();
    if constexpr (D == Do::return_early) {
        if (other) {
            note(log.ended);
            return;
        }
        pause(kShort);
    }
    if constexpr (D == Do::end_later) {
        if (other) {
            pause(kLong);
            note(log.ended);
            return;
        }
    }
    if (!other) {
        note(log.arrived);
        log.counted = wait_at<B>();
        note(log.passed);
        if constexpr (D == Do::end) { // nothing comes after the branch
            note(log.ended);
        }
    } else {
        pause(kLong);
        if constexpr (D == Do::end) {
            note(log.ended);
        } else if constexpr (D == Do::wait_elsewhere) {
            note(log.arrived);
            log.counted = wait_at<B>();
            note(log.passed);
        }
    }
    if constexpr (D == Do::wait_later) {
        if (other) {
            note(log.arrived);
        }
        wait_at<B>();
        note(log.passed_again);
    }
    if constexpr (D != Do::end) {
        note(log.ended);
    }
}

// Each thread takes a lock that all share, adds one and lets go.
__global__ void spin(Log* logs, unsigned* lock, unsigned* counter) {
    Log& log = logs[threadIdx.x];
    note(log.arrived);
    while (atomicExch(lock, 1U) != 0U) {
    }
    volatile unsigned* const shared_by_all = counter;
    *shared_by_all = *shared_by_all + 1;
    __threadfence();
    atomicExch(lock, 0U);
    note(log.passed);
    note(log.ended);
}

struct Case {
    const char* barrier;
    const char* others;
    const char* what;
    const void* kernel; // null: spin
    Barrier kind;
    unsigned blocks, threads;
    bool (*is_other)(unsigned block, unsigned thread);
};

bool nobody(unsigned, unsigned) { return false; }
bool last_warp(unsigned, unsigned t) { return t >= 96; }
bool second_warp(unsigned, unsigned t) { return t >= 32 && t < 64; }
bool odd(unsigned, unsigned t) { return t % 2 == 1; }
bool tail(unsigned, unsigned t) { return t >= 100; }
bool tail_of_64(unsigned, unsigned t) { return t >= 36 && t < 64; }
bool odd_of_64(unsigned, unsigned t) { return t % 2 == 1 && t < 64; }
bool odd_block(unsigned b, unsigned) { return b % 2 == 1; }
bool one_thread(unsigned b, unsigned t) { return b == 1 && t == 0; }

template <Barrier B, Others O, Do D> void add(std::vector<Case>& cases, const char* barrier) {
    static const char* const whats[] = {"arrive",     "return before it", "end in the other branch", "end 20 ms later",
                                        "go past it", "wait at another",  "wait at the next"};
    constexpr bool half = kTeam<B> == 64;
    const char* others = "";
    bool (*is_other)(unsigned, unsigned) = nobody;
    switch (O) {
    case Others::none: others = "none"; break;
    case Others::warp: others = "a whole warp", is_other = half ? second_warp : last_warp; break;
    case Others::half_of_each_warp: others = "odd lanes", is_other = half ? odd_of_64 : odd; break;
    case Others::tail: others = "28 lanes of the last warp", is_other = half ? tail_of_64 : tail; break;
    case Others::block: others = "odd blocks", is_other = odd_block; break;
    case Others::thread_0: others = "thread 0 of block 1", is_other = one_thread; break;
    }
    cases.push_back({barrier, others, whats[static_cast<int>(D)], reinterpret_cast<const void*>(meet<B, O, D>), B,
                     B == Barrier::grid ? kBlocks : 1, kThreads, is_other});
}

template <Barrier B, Others O> void add_all_ways(std::vector<Case>& cases, const char* barrier) {
    add<B, O, Do::return_early>(cases, barrier);
    add<B, O, Do::end_later>(cases, barrier);
    add<B, O, Do::end>(cases, barrier);
    add<B, O, Do::skip>(cases, barrier);
    add<B, O, Do::wait_elsewhere>(cases, barrier);
    add<B, O, Do::wait_later>(cases, barrier);
}

template <Barrier B> void add_barrier(std::vector<Case>& cases, const char* barrier) {
    add<B, Others::none, Do::nothing>(cases, barrier);
    if constexpr (B != Barrier::warp) {
        add_all_ways<B, Others::warp>(cases, barrier);
    }
    add_all_ways<B, Others::half_of_each_warp>(cases, barrier);
    add_all_ways<B, Others::tail>(cases, barrier);
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    add_barrier<Barrier::syncthreads>(cases, "__syncthreads()");
    add_barrier<Barrier::count>(cases, "__syncthreads_count(1)");
    add_barrier<Barrier::barrier>(cases, "barrier.sync 1");
    add_barrier<Barrier::barrier_all>(cases, "barrier.sync 1 128");
    add_barrier<Barrier::barrier_half>(cases, "barrier.sync 1 64");
    add_barrier<Barrier::bar>(cases, "bar.sync 1");
    add_barrier<Barrier::bar_all>(cases, "bar.sync 1 128");
    add_barrier<Barrier::bar_half>(cases, "bar.sync 1 64");
    add_barrier<Barrier::red>(cases, "bar.red.popc 1");
    add_barrier<Barrier::warp>(cases, "__syncwarp()");
    add<Barrier::grid, Others::none, Do::nothing>(cases, "grid.sync()");
    add_all_ways<Barrier::grid, Others::block>(cases, "grid.sync()");
    add_all_ways<Barrier::grid, Others::thread_0>(cases, "grid.sync()");
    add_all_ways<Barrier::grid, Others::warp>(cases, "grid.sync()");
    for (const unsigned threads : {2U, 32U, 64U}) {
        cases.push_back({"a spin lock",
                         threads == 2    ? "2 threads"
                         : threads == 32 ? "32 threads"
                                         : "64 threads",
                         "take it", nullptr, Barrier::warp, 1, threads, nobody});
    }
    return cases;
}

// Sets of threads as "0-31 33", or "all but …".
std::string numbers(const std::vector<unsigned>& list) {
    std::string out;
    for (std::size_t i = 0; i < list.size();) {
        std::size_t end = i;
        while (end + 1 < list.size() && list[end + 1] == list[end] + 1) {
            ++end;
        }
        if (out.size() > 40) {
            return out + " and more";
        }
        out += (out.empty() ? "" : " ") + std::to_string(list[i]);
        if (end != i) {
            out += "-" + std::to_string(list[end]);
        }
        i = end + 1;
    }
    return out;
}

int measure(const Case& c) {
    const unsigned threads = c.blocks * c.threads;
    Log* logs = nullptr;
    unsigned* lock = nullptr;
    if (cudaHostAlloc(&logs, threads * sizeof(Log), cudaHostAllocMapped) != cudaSuccess ||
        cudaMalloc(&lock, 2 * sizeof(unsigned)) != cudaSuccess ||
        cudaMemset(lock, 0, 2 * sizeof(unsigned)) != cudaSuccess) {
        std::printf("no GPU: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    std::fill_n(logs, threads, Log{});
    Log* on_device = nullptr;
    cudaHostGetDevicePointer(&on_device, logs, 0);
    unsigned* counter = lock + 1;
    void* arguments[] = {&on_device, &lock, &counter};
    const void* kernel = c.kernel != nullptr ? c.kernel : reinterpret_cast<const void*>(spin);
    cudaError_t error = c.kind == Barrier::grid
                            ? cudaLaunchCooperativeKernel(kernel, c.blocks, c.threads, arguments, 0, 0)
                            : cudaLaunchKernel(kernel, c.blocks, c.threads, arguments, 0, 0);
    if (error != cudaSuccess) {
        std::printf("not launched: %s\n", cudaGetErrorString(error));
        return 1;
    }
    const auto begin = std::chrono::steady_clock::now();
    while ((error = cudaStreamQuery(0)) == cudaErrorNotReady && std::chrono::steady_clock::now() - begin < kPatience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        std::printf("error: %s\n", cudaGetErrorString(error));
        return 0;
    }
    const bool hangs = error == cudaErrorNotReady;
    std::vector<unsigned> waiting, unfinished;
    unsigned long long first_pass = ~0ULL, last_other = 0, last_arrival = 0;
    unsigned passed = 0, least = ~0U, most = 0;
    for (unsigned k = 0; k < threads; ++k) {
        const volatile Log& log = logs[k];
        const Log l{log.arrived, log.passed, log.passed_again, log.ended, log.counted};
        const bool other = c.is_other(k / c.threads, k % c.threads);
        if (l.passed != 0) {
            ++passed;
            least = std::min(least, l.counted);
            most = std::max(most, l.counted);
        }
        if (l.arrived != 0 && (other ? l.passed == 0 && l.passed_again == 0 : l.passed == 0)) {
            waiting.push_back(k);
        }
        if (l.ended == 0) {
            unfinished.push_back(k);
        }
        if (other) { // the time at which it ends or arrives
            last_other = std::max(last_other, l.arrived != 0 ? l.arrived : l.ended);
        } else if (l.arrived != 0) {
            last_arrival = std::max(last_arrival, l.arrived);
            first_pass = l.passed != 0 ? std::min(first_pass, l.passed) : first_pass;
        }
    }
    std::string said = hangs ? "waits forever" : "completes";
    if (passed != 0 && c.kernel != nullptr && last_other != 0) {
        said += first_pass < last_arrival ? ", passed before all arrived"
                : first_pass < last_other ? ", passed before the others were there or had ended"
                                          : ", passed once the others were there or had ended";
    }
    if (most != 0) {
        said += ", counted " + std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
    }
    if (hangs) {
        said += ", " + std::to_string(passed) + " passed, waiting: " + numbers(waiting) +
                ", not ended: " + numbers(unfinished);
    } else if (c.kernel == nullptr) {
        unsigned sum = 0;
        cudaMemcpy(&sum, counter, sizeof sum, cudaMemcpyDeviceToHost);
        said += ", counter " + std::to_string(sum);
    }
    std::printf("%s\n", said.c_str());
    std::fflush(stdout);
    if (hangs) {
        std::_Exit(0); // its kernel goes with it
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    const std::vector<Case> cases = all_cases();
    if (count == 1) {
        std::printf("# barrier_rules 1\n");
        for (const Case& c : cases) {
            std::printf("%s,%s,%s\n", c.barrier, c.others, c.what);
        }
        return 0;
    }
    const unsigned long number = std::strtoul(words[1], nullptr, 10);
    if (count != 2 || number >= cases.size()) {
        std::fprintf(stderr, "barrier_rules: a case is a number from 0 to %zu\n", cases.size() - 1);
        return 1;
    }
    return measure(cases[number]);
}
