// A progress line on standard error: only on a terminal, at most ten times a second, erased when done.
#pragma once

#include <chrono>
#include <string>

namespace warptree::commands {

class Progress {
  public:
    explicit Progress(std::string what);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void show(double fraction); // 0 … 1
    // For work that can estimate the remaining time; `done`: how far it is, in words.
    void show(double fraction, double seconds_left, const std::string& done);

  private:
    bool due();

    std::string what_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point start_, last_;
};

} // namespace warptree::commands
