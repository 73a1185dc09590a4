// A line of a kernel's source.
#pragma once

#include <cstdint>
#include <string_view>

namespace warptree {

struct SourceLine {
    static constexpr unsigned kLineBits = 20; // file: 12 bits
    static constexpr unsigned kMostLine = (1U << kLineBits) - 1;

    std::uint32_t packed = 0; // file << kLineBits | line; 0: none

    static constexpr SourceLine unpack(std::uint32_t packed) { return {packed}; }
    // Line `line` (1-based) of a file, which is an index into Trace::sources.
    static constexpr SourceLine of(unsigned file, unsigned line) {
        return {file << kLineBits | (line < kMostLine ? line : kMostLine)};
    }
    static constexpr SourceLine none() { return {}; }

    constexpr unsigned line() const { return packed & kMostLine; } // 1-based in its file; 0: none
    constexpr unsigned file() const { return packed >> kLineBits; }
    constexpr bool known() const { return line() != 0; }
    friend constexpr bool operator==(const SourceLine&, const SourceLine&) = default;
    friend constexpr bool operator<(const SourceLine& a, const SourceLine& b) { return a.packed < b.packed; }
};

} // namespace warptree
