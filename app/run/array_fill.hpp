// The contents of arrays that kernels are called with.
#pragma once

#include "app/base/value_type.hpp"
#include "app/compile/program/program.hpp"
#include "app/simt/memory.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

// What an array can be filled with, by name. primes: 2, 3, 5 …, in each further array of a launch from another one on;
// iota: 0, 1, 2 …; falling: 7, 6 … 0, 15, 14 … 8 …; alternating: 1, -1, 1 … (unsigned: 1, 0); letters: of a to z;
// pairs: 0, 0, 1, 1, 2, 2 …; triangular: 0, 0, 1, 3, 6 …, where rows of 0, 1, 2 … elements begin; spaced: 0, 1024, 2048 …,
// where parts with room for so many begin; empty: -1, which of unsigned types is all bits; negative: -3, -2, -7, -5 …,
// of unsigned types without the sign; flags: 1, 0, 0, 1, 0, 0 …; states: 0, 1 and 2, mixed; unseen: 0 in every fourth element from the third on, of vertices
// those from which a search sets out, else as empty; far: the same with 10^9, or the largest of the type, where a distance is not
// known yet; largest, smallest: of the type, as minima and maxima begin;
// identity: of the operator.
inline constexpr std::array<std::string_view, 20> kFills{
    "primes", "iota",  "falling",  "ones",  "random", "zeros",  "alternating", "letters", "pairs",    "triangular",
    "spaced", "empty", "negative", "flags", "states", "unseen", "far",         "largest", "smallest", "identity"};

// Integers of "iota" wrap around; "zeros" and what is no number give an empty function. `place`: how many arrays of the
// launch are filled before this one.
simt::Allocation::Fill array_fill(std::string_view fill, ValueType type, std::uint64_t seed, unsigned place = 0);

// Contents that tell results from one another, not meant to be read: of either sign if `mixed`, with `more` among them;
// else positive, integers small enough to be indices. A product of them neither overflows nor wraps to zero.
simt::Allocation::Fill telling_fill(ValueType type, std::uint64_t seed, bool mixed, std::vector<double> more);

// Between the seeds of a record's fields; arrays of a launch have seeds that follow one another.
inline constexpr std::uint64_t kSeedsApart = 64;
// The contents of an array that a kernel takes: of(type, k) fills its elements, or the field k of its records; fields that
// are no numbers are zeros.
simt::Allocation::Fill fill_of(const compile::Parameter& parameter,
                               const std::function<simt::Allocation::Fill(ValueType type, unsigned k)>& of);
// By array_fill(); the fields of a record have contents of their own.
simt::Allocation::Fill fill_of(const compile::Parameter& parameter, std::string_view fill, std::uint64_t seed,
                               unsigned place);

// The bits of a number converted to the type; integers are clamped to its range.
std::uint64_t scalar_bits(ValueType type, double number);

// The path of a file named in a kernel file's header: in the kernel file's own folder, or below it. Throws OptionError
// for a name that leads outside it, even through a symbolic link.
std::string path_beside(const std::string& kernel_file, std::string_view name);

// The array of a version 1 .npy file: little-endian, C order, of this type, any shape. Its size is held against its
// header before memory is taken. most: bytes of the file. Throws FileError.
std::vector<std::byte> read_npy(const std::string& path, ValueType type, std::uint64_t& count, std::uint64_t most);

// The first `count` numbers of such a .npy file or of a text file, where they are separated by white space or commas.
// Throws FileError, also if there are fewer.
std::vector<std::byte> read_input(const std::string& path, ValueType type, std::uint64_t count, std::uint64_t most);

// A value as a number.
double as_number(ValueType type, std::uint64_t bits);

} // namespace warptree::runs
