// Errors that reach the user. what() is one line: what happened, why, what would work.
#pragma once

#include <stdexcept>
#include <string>

namespace warptree {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The request cannot be done as asked (exit code 2).
struct OptionError : Error {
    using Error::Error;
};

// Needs a GPU, a driver or a display that is not there (exit code 3).
struct MissingDevice : Error {
    using Error::Error;
};

// A file could not be read or written (exit code 2). Subclasses tell the reasons apart.
struct FileError : Error {
    using Error::Error;
};

// The user asked to stop; nothing was written.
struct Cancelled : Error {
    Cancelled() : Error("cancelled") {}
};

// A CUDA or OpenGL call failed in a way the request did not cause.
struct DeviceError : Error {
    using Error::Error;
};

} // namespace warptree
