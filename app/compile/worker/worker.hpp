// The worker: reads requests from a descriptor and writes answers to it. It is confined before the first request.
#pragma once

#include <cstdint>

namespace warptree::compile {

// Loads Clang, confines this process, and answers requests from `socket` until it closes, or until this process should be
// restarted; returns the exit code. `memory`: bytes of address space that compiling may take beyond what is mapped when
// it begins. Ends the process as soon as the other end of the socket is closed.
int serve(int socket, std::uint64_t memory);

// Precompiles our headers into the file beside this program that workers then read; returns the exit code.
int keep_prelude();

} // namespace warptree::compile
