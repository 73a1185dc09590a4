// NumPy arrays as .npy files: format version 1, little-endian, C order.
#pragma once

#include "app/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::npy {

inline constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
inline constexpr std::size_t kMostHeaderBytes = 10 + 65535; // magic, version, length, and a header of that length

struct Header {
    std::string dtype;       // "<u4", "|u1", "<f8", ...
    unsigned dimensions = 1; // 0: one number
    std::uint64_t count = 0; // of elements; count * item_bytes(dtype) does not overflow
    std::size_t bytes = 0;   // of the file before the elements
};
struct Array {
    std::string dtype;
    std::uint64_t count = 0;
    std::string_view data; // count elements
};

std::size_t item_bytes(std::string_view dtype); // 0 for an unknown one
// `start`: the first bytes of a file, or all. Throws FileError, without the file's name, saying what is wrong with it.
Header read_header(std::string_view start);

// What precedes the elements of a one-dimensional array.
std::string header(std::string_view dtype, std::uint64_t count);
// One-dimensional ones in memory.
std::string encode(std::string_view dtype, std::uint64_t count, std::string_view data);
// nullopt if it is not such an array or its size does not match its header.
std::optional<Array> decode(std::string_view file);

} // namespace warptree::npy
