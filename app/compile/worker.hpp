// The worker: reads requests from a descriptor and writes answers to it, within limits on the whole process.
#pragma once

#include <chrono>
#include <cstdint>

namespace warptree::compile {

// From here on this process writes no files and no core dump, opens few descriptors, and gains no privileges.
void confine_process();

// Limits further address space, in bytes; exceeding it ends the process with a message.
void limit_memory(std::uint64_t memory);

// Limits processor time from here on. The client kills a worker that takes too long; this is for when the client is
// gone.
void limit_time(std::chrono::milliseconds time);

// Makes a stack overflow on this thread, which Clang is prone to, end the process with a message instead of silently.
void watch_stack_of_this_thread();

// Answers requests from `socket` until it closes, or until this process should be restarted; returns the exit code.
// `memory`: bytes of address space that compiling may take beyond what is mapped when it begins; `time`: processor time
// per request, after which the process is ended.
int serve(int socket, std::chrono::milliseconds time, std::uint64_t memory);

// Precompiles our headers into the file beside this program that workers then read; returns the exit code.
int keep_prelude();

} // namespace warptree::compile
