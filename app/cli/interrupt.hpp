// Ctrl+C and SIGTERM ask the running work to stop. If it has not within 0.4 s, or at a second one, the program ends.
#pragma once

#include "app/base/options.hpp"

namespace warptree::commands {

class Interrupt {
  public:
    explicit Interrupt(RunControl& control); // one at a time
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
};

// The exit code after a signal that asked to stop: 130 for SIGINT, 143 for SIGTERM.
int interrupted_code();

} // namespace warptree::commands
