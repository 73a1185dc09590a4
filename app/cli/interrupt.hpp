// Ctrl+C and SIGTERM ask the running work to stop. If it has not within `patience`, or at a second one, the program ends.
#pragma once

#include "app/base/options.hpp"

#include <chrono>

namespace warptree::commands {

// For work whose results are written once it is done, and for work that has some even when it is stopped. That the
// process gives its memory back takes a while, too.
inline constexpr std::chrono::milliseconds kSoon{100}, kWithResults{400};

class Interrupt {
  public:
    explicit Interrupt(RunControl& control, std::chrono::milliseconds patience = kSoon); // one at a time
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // The work has stopped, and is given 10 s to write what it came to.
    void stopped();
};

// The program is about to say that it stopped: it then ends without saying so again, should giving its memory back take long.
void stop_is_told();

// The exit code after a signal that asked to stop: 130 for SIGINT, 143 for SIGTERM.
int interrupted_code();

} // namespace warptree::commands
