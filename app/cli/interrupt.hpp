// Ctrl+C asks the running work to stop; a second one ends the program.
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

} // namespace warptree::commands
