// A line of a kernel's source.
#pragma once

#include <cstdint>
#include <string_view>

namespace warptree {

// Traces recorded before kernels were plain CUDA (those without a kernel name): the headers that their files share.
inline constexpr const char* kSharedSources[] = {"reduce/block_tree.hpp",        "reduce/warp_reduce.hpp",
                                                 "reduce/last_block_finish.hpp", "scan/scan_load.hpp",
                                                 "scan/block_scan.hpp",          "scan/scan_rows.hpp"};
inline constexpr unsigned kSharedSourceCount = sizeof kSharedSources / sizeof kSharedSources[0];

struct SourceLine {
    static constexpr unsigned kLineBits = 20; // file: 12 bits
    static constexpr unsigned kMostLine = (1U << kLineBits) - 1;

    std::uint32_t packed = 0; // file << kLineBits | line; 0: none

    static constexpr SourceLine unpack(std::uint32_t packed) { return {packed}; }
    // Line `line` (1-based) of a file, which is an index into Trace::sources. In older traces 0 is the strategy's own
    // file, k the k-th of kSharedSources.
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
