// Runs a whole CUDA program: its host's half in a process of its own, its kernels on the machine.
#pragma once

#include "app/base/options.hpp"
#include "app/compile/client/compiler.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/model/trace.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

struct ProgramRequest {
    std::vector<std::string> files; // paths; compiled as one, in this order; of the first, run.kernel.text if it is set
    std::vector<std::string> folders; // of headers, beside those of the files
    bool reaches_up = true;           // whether headers may lie above the first file's folder: "../common/common.h"
    std::vector<compile::Define> defines;
    std::vector<std::string> arguments; // without the program's name
    std::string data;                   // folder that it runs in and may read; empty: none
    std::chrono::milliseconds time{60000};
    std::uint64_t memory = 4ULL << 30;  // bytes, of the process and of the device each
    std::uint32_t devices = 1;          // equal ones
    std::uint64_t output = 64ULL << 20; // bytes that it may print
    std::string entry;                  // without a main: the host function to call; empty: the last one that launches
    // Order, seed, banks, window, workers; n, input and arguments of an entry; backend: only `cuda` traces on a GPU.
    RunOptions run;
    std::function<void(const std::string&)> warn; // told early of a launch that will not be done in time; may be empty
    bool in_full = true;                          // trace the window's blocks; else only counts
};

// How it ended.
enum class ProgramEnd : std::uint8_t {
    exited,
    crashed, // by a signal
    timed_out,
    over_limit, // memory, output
    forbidden,  // a system call that is not allowed
    unsupported // it needed what is not part of warptree
};

struct ProgramResult {
    Trace trace;
    ProgramEnd end = ProgramEnd::exited;
    int exit = 0;              // the exit code of `warptree run`: the program's own, or 124, 125, 126, 128 + signal
    std::string said;          // one line, if it did not end by itself
    bool timed = false;        // it asked for times, which are the interpreter's
    std::uint64_t repeats = 0; // launches that did not have to run: LaunchRepeats
    std::vector<compile::Diagnostic> warnings;
};

// What it prints goes to `out` and `err` as it comes. Throws SourceError, CompileError, OptionError, FileError (also
// where warptree-host is missing), Cancelled, and DeviceError where launches are traced on a GPU and it does not do.
ProgramResult run_program(const ProgramRequest& request, RunControl& control,
                          const std::function<void(std::string_view)>& out,
                          const std::function<void(std::string_view)>& err);

// What a file says about its launches: the trace of the program, or of the host function that launches, if the file has
// one that runs here and launches something, or tries to, or does not end by itself. Else none, and `why`: empty where
// the file has kernels alone, or its first comment states the launch.
struct OwnLaunches {
    std::optional<Trace> trace;
    std::string why;
    std::vector<compile::Diagnostic> diagnostics; // of a file that does not compile
    bool ran = false;                             // its host code did, and launched nothing

    // What is said of a trace of its kernel alone: kKernelAlone and why; empty: it has no host code.
    std::string alone() const;
};
// How Trace::chosen says that a program was not run, before the reason.
inline constexpr std::string_view kKernelAlone = "its kernel alone, as its host code ";
OwnLaunches run_own_launches(const RunOptions& options, RunControl& control);

// Whether the options say how a kernel of the file is called: it then runs alone.
bool states_a_call(const RunOptions& options);
RunOptions without_a_call(const RunOptions& options); // the others stay

// Any run, but of a file that says itself how its kernels are called, that. `was_program`: what this file's earlier text
// was; a text that does not compile is then an error, and no kernel of it runs alone. The guess is kept as by
// run_kernel_file. Throws as run_program, run_any.
Trace run_shown(const RunOptions& options, bool was_program, std::optional<Guess>& guess, RunControl& control);

} // namespace warptree::runs
