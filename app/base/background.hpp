// Work beside the calling thread, where there are threads.
#pragma once

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#if defined(__EMSCRIPTEN__)
#include <emscripten/threading.h>
#endif

namespace warptree {

#if defined(__EMSCRIPTEN__)

// A page has them where its server isolates it from other sites; the same code is linked both ways.
inline bool has_threads() { return emscripten_has_threading_support() != 0; }

// Without threads the work is over when the constructor returns.
class Background {
  public:
    Background() = default;
    template <class F> explicit Background(F&& work) {
        if (has_threads()) {
            thread_ = std::thread(std::forward<F>(work));
        } else {
            std::forward<F>(work)();
        }
    }
    bool joinable() const { return thread_.joinable(); }
    void join() { thread_.join(); }

  private:
    std::thread thread_;
};

// The result of `work`; without threads it has been done when this returns.
template <class F> auto in_background(F work) {
    if (has_threads()) {
        return std::async(std::launch::async, std::move(work));
    }
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    task();
    return result;
}

#else

inline constexpr bool has_threads() { return true; }

using Background = std::thread;

// The result of `work`, done on a thread of its own.
template <class F> auto in_background(F work) { return std::async(std::launch::async, std::move(work)); }

#endif

// That threads can run on.
inline unsigned cores() { return has_threads() ? std::max(1U, std::thread::hardware_concurrency()) : 1; }

} // namespace warptree
