// The desktop window.
#pragma once

#include "app/base/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warptree {

struct WindowRequest {
    std::vector<std::string> files;    // traces to open; the last one that loads is shown
    int width = 0, height = 0;         // of the window in screen units; 0: as last time
    std::optional<RunOptions> options; // what to run first; absent: as last time
    std::string state;                 // what to show first, see document/state_string.hpp; empty: as last time
};

// Opens the window and runs until it is closed. Returns the program's exit code: 0, or 3 with one line on standard
// error when there is no display or no OpenGL 3.3.
//
// Read from the environment, for tests and measurements:
//   WARPTREE_FRAME_TIMES=FILE  milliseconds of every frame as CSV, written at the end; first line: start to first frame
//   WARPTREE_CLOCK=FILE        the time, controlled by a test (clock.hpp)
//   WARPTREE_STATE_FILE=FILE   what the window shows as JSON, rewritten after each change
int run_window(const WindowRequest& request);

} // namespace warptree
