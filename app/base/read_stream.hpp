#pragma once

#include <array>
#include <istream>
#include <string>

namespace warptree {

// What is left of a stream, by the buffer: istreambuf_iterators go byte by byte. Throws std::ios_base::failure where
// reading fails midway; a stream that was not opened gives nothing.
inline std::string rest_of(std::istream& in) {
    constexpr std::size_t kPart = 1U << 16;
    std::string all;
    std::array<char, kPart> part; // NOLINT(cppcoreguidelines-pro-type-member-init): read() writes it
    while (in.read(part.data(), part.size()) || in.gcount() > 0) {
        all.append(part.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) {
        throw std::ios_base::failure("the file cannot be read to its end");
    }
    return all;
}

} // namespace warptree
