// One-dimensional NumPy arrays, format version 1.0, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::npy {

struct Array {
    std::string dtype; // "<u4", "|u1", "<f8", ...
    std::uint64_t count = 0;
    std::string_view data; // count elements
};

std::size_t item_bytes(std::string_view dtype); // 0 for an unknown one
std::string encode(std::string_view dtype, std::uint64_t count, std::string_view data);
// nullopt if it is not such an array or its size does not match its header.
std::optional<Array> decode(std::string_view file);

} // namespace warptree::npy
