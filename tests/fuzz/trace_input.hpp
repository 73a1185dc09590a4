// A fuzzer input as a trace.
#pragma once

#include "app/trace/io/file.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fstream>

#include <unistd.h>

namespace warptree::fuzz {

// Throws as load().
inline Trace trace_of(const std::uint8_t* data, std::size_t size) {
    static const std::string path = "/dev/shm/warptree-fuzz-" + std::to_string(getpid()) + ".wtrace";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return load(path);
}

} // namespace warptree::fuzz
