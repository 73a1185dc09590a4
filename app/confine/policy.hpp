// What a process that handles foreign files or foreign code may still do, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace warptree::confine {

// Hard limits of the process; 0: none.
struct Limits {
    std::uint64_t seconds = 0; // of processor time, from its start; the process is ended
    std::uint64_t memory = 0;  // bytes of address space beyond what is mapped when it is confined; not with a sanitizer
    std::uint64_t descriptors = 0; // open at a time
    std::uint64_t threads = 0;     // where the system can count those of one process (Achieved::counts_threads)
};

// What a system call does that is not in the list.
enum class Refusal : std::uint8_t {
    error,  // fails with EPERM
    signal, // raises SIGSYS, whose handler names the call in a line on Policy::tell. Where it only asks for a file, it
            // then fails with EACCES; any other ends the process with kRefusedCode
};

// The exit code of a process that made a system call it may not make.
inline constexpr int kRefusedCode = 126;
// What the line says before the name of the call.
inline constexpr std::string_view kRefusedCall = "a system call that is not allowed: ";
// What it says before the path of a file whose contents go nowhere (Policy::nowhere).
inline constexpr std::string_view kWrittenNowhere = "not kept, what is written to the file ";

struct Policy {
    std::string_view name;             // "the compiler": what `warptree device` calls it
    std::vector<std::string> readable; // files and folders, opened for reading only; missing ones are no error
    // Whether files may be opened where the system lacks Landlock, so that nothing but the program's own care keeps it
    // to `readable`. Never for foreign machine code.
    bool trusted_with_files = false;
    bool threads = true; // may start threads. No policy allows to start a process
    Refusal refusal = Refusal::error;
    int tell = 2; // descriptor for the names of refused calls
    // With Refusal::signal: what a file is that the process opens only to write to it, a descriptor of /dev/null, so that
    // a program that saves its results goes on; -1: no such file is opened.
    int nowhere = -1;
    Limits limits;
    // The process that started this one, and that it shall not outlive; 0: not asked for. The system watches the
    // starting *thread*: one that ends takes this process with it.
    pid_t parent = 0;
    // A descriptor whose other end the parent holds: when that is closed, this process ends at once; -1: none.
    int lifeline = -1;
    std::vector<std::string> environment; // variables that are kept; all others are erased
};

// The compiler of kernel files: reads what it is sent and the files below `readable`.
Policy compiler_policy();
// A process that interprets a submission. No foreign machine code runs in it.
Policy submission_policy();
// A process that runs a foreign program's own machine code.
Policy program_policy();

} // namespace warptree::confine
