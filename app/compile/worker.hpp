// The worker: requests from a descriptor, answers to it, within limits that hold for this whole process.
#pragma once

#include <chrono>
#include <cstdint>

namespace warptree::compile {

// From here on this process writes no file and no core, opens few, and gains no rights.
void confine_process();

// Bytes of address space that may be taken from here on; who wants more ends the process with a word.
void limit_memory(std::uint64_t memory);

// Of the processor from here on. The client ends what takes too long; this ends it when the client is gone.
void limit_time(std::chrono::milliseconds time);

// Deep recursion on this thread, which Clang is known for, ends the process with a word instead of a silent fault.
void watch_stack_of_this_thread();

// Answers requests that come through `socket` until it ends, or until this process should be started anew; returns the
// exit code. `memory`: bytes of address space that compiling may take beyond what is mapped when it begins; `time`: of
// the processor a request, after which the process is ended.
int serve(int socket, std::chrono::milliseconds time, std::uint64_t memory);

} // namespace warptree::compile
