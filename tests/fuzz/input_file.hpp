// A fuzzer input as a file, for readers that take a path.
#pragma once

#include "tests/fuzz/fuzz.hpp"

#include <fstream>
#include <string>

#include <unistd.h>

namespace warptree::fuzz {

// Its path, which is always the same; script/fuzz removes the file.
inline const std::string& file_of(const std::uint8_t* data, std::size_t size) {
    static const std::string path = "/dev/shm/warptree-fuzz-" + std::to_string(getpid());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path;
}

} // namespace warptree::fuzz
