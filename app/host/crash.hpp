// What happens when the program crashes: its line is told before it ends by the signal.
#pragma once

#include <cstdint>

namespace warptree::host {

// From here on; `stack_end`: the end of the main thread's stack.
void watch_crashes(std::uint64_t stack_end);

} // namespace warptree::host
