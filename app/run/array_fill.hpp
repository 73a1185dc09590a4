// The contents of arrays that kernels are called with.
#pragma once

#include "app/base/value_type.hpp"
#include "app/simt/memory.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

// fill: "iota" (integers wrap around), "ones", "random", "alternating"; "zeros" gives an empty function.
simt::Allocation::Fill array_fill(const std::string& fill, ValueType type, std::uint64_t seed);

// The bits of a number converted to the type; integers are clamped to its range.
std::uint64_t scalar_bits(ValueType type, double number);

// The path of a file named in a kernel file's header: in the kernel file's own folder, or below it. Throws OptionError
// for a name that leads outside it, even through a symbolic link.
std::string path_beside(const std::string& kernel_file, std::string_view name);

// The array of a version 1 .npy file: little-endian, C order, of this type, any shape. most: bytes of the file. Throws
// FileError.
std::vector<std::byte> read_npy(const std::string& path, ValueType type, std::uint64_t& count, std::uint64_t most);

// The first `count` numbers of such a .npy file or of a text file, where they are separated by white space or commas.
// Throws FileError, also if there are fewer.
std::vector<std::byte> read_input(const std::string& path, ValueType type, std::uint64_t count, std::uint64_t most);

// A value as a number.
double as_number(ValueType type, std::uint64_t bits);

} // namespace warptree::runs
