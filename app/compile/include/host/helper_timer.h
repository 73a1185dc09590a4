// The stopwatch of CUDA's samples: milliseconds of this computer's clock.
#pragma once

#include <chrono>

class StopWatchInterface {
  public:
    using Clock = std::chrono::steady_clock;
    void start() {
        began_ = Clock::now();
        runs_ = true;
    }
    void stop() {
        total_ += since();
        runs_ = false;
        ++sessions_;
    }
    void reset() {
        total_ = 0;
        sessions_ = 0;
        began_ = Clock::now();
    }
    float getTime() const { return static_cast<float>(total_ + (runs_ ? since() : 0)); }
    float getAverageTime() const { return sessions_ == 0 ? 0 : static_cast<float>(total_ / sessions_); }

  private:
    double since() const { return std::chrono::duration<double, std::milli>(Clock::now() - began_).count(); }
    Clock::time_point began_{};
    double total_ = 0;
    int sessions_ = 0;
    bool runs_ = false;
};
inline bool sdkCreateTimer(StopWatchInterface** to) {
    *to = new StopWatchInterface;
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) { return (*timer)->start(), true; }
inline bool sdkStopTimer(StopWatchInterface** timer) { return (*timer)->stop(), true; }
inline bool sdkResetTimer(StopWatchInterface** timer) { return (*timer)->reset(), true; }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return (*timer)->getTime(); }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) { return (*timer)->getAverageTime(); }
