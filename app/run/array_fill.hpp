// The contents of arrays that kernels are called with.
#pragma once

#include "app/base/value_type.hpp"
#include "app/simt/memory.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

// fill: "iota", "ones", "random", "alternating"; "zeros" needs none. Values are converted to the type as C does.
simt::Allocation::Fill array_fill(const std::string& fill, ValueType type, std::uint64_t seed);

// The bits of a number as a scalar of the type, cut to its range.
std::uint64_t scalar_bits(ValueType type, double number);

// An array of a .npy file: little-endian, C order, of this type, any shape. Throws FileError.
std::vector<std::byte> read_npy(const std::string& path, ValueType type, std::uint64_t& count);

// The first `count` numbers of a file that is such a .npy, or text: one number a line, or separated by white space or commas.
// Throws FileError, also where it holds fewer.
std::vector<std::byte> read_input(const std::string& path, ValueType type, std::uint64_t count);

// A value as a number.
double as_number(ValueType type, std::uint64_t bits);

} // namespace warptree::runs
