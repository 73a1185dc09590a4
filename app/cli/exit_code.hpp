// Exit codes of every command.
#pragma once

namespace warptree::commands {

enum ExitCode : int {
    kDone = 0,          // done, and the result is correct
    kWrong = 1,         // it ran, but the result is wrong
    kUnusable = 2,      // the request or its files cannot be used
    kMissing = 3,       // needs a GPU or a display that is not there
    kInterrupted = 130, // Ctrl+C
    kTerminated = 143,  // SIGTERM
};

} // namespace warptree::commands
