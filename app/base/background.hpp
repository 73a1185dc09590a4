// Work beside the calling thread, where there are threads.
#pragma once

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

namespace warptree {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)

// A browser's page has one thread: the work is over when the constructor returns.
class Background {
  public:
    Background() = default;
    template <class F> explicit Background(F&& work) { std::forward<F>(work)(); }
    bool joinable() const { return false; }
    void join() {}
};

// The result of `work`, which has been done when this returns.
template <class F> auto in_background(F work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    task();
    return result;
}

inline constexpr bool kHasThreads = false;
inline unsigned cores() { return 1; }

#else

using Background = std::thread;

// The result of `work`, done on a thread of its own.
template <class F> auto in_background(F work) { return std::async(std::launch::async, std::move(work)); }

inline constexpr bool kHasThreads = true;
inline unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); } // that threads can run on

#endif

} // namespace warptree
