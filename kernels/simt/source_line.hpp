// Where a call of the vocabulary is written. As a default argument, `SourceLine at = {}` is the caller's line.
#pragma once

#include "app/base/host_device.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace warptree {

// Headers of kernels/ in which strategies share work. A line elsewhere is taken to be in the strategy's own file.
// Append only: trace files hold the number.
#define WARPTREE_SHARED_SOURCES                                                                                        \
    "reduce/block_tree.hpp", "reduce/warp_reduce.hpp", "reduce/last_block_finish.hpp", "scan/scan_load.hpp",           \
        "scan/block_scan.hpp", "scan/scan_rows.hpp"
inline constexpr const char* kSharedSources[] = {WARPTREE_SHARED_SOURCES};
inline constexpr unsigned kSharedSourceCount = sizeof kSharedSources / sizeof kSharedSources[0];

struct SourceLine {
    static constexpr unsigned kLineBits = 20; // file: 12 bits
    static_assert(kSharedSourceCount < (1U << (32 - kLineBits)));

    std::uint32_t packed = 0; // file << kLineBits | line; 0: none

    WARPTREE_HD constexpr SourceLine(unsigned line = __builtin_LINE(), const char* path = __builtin_FILE())
        : packed(shared_source(path) << kLineBits | (line & kMostLine)) {}
    WARPTREE_HD static constexpr SourceLine unpack(std::uint32_t packed) {
        SourceLine at(0, "");
        at.packed = packed;
        return at;
    }
    // Line `line` (1-based) of the file at that place in Trace::sources.
    static constexpr SourceLine of(unsigned file, unsigned line) {
        return unpack(file << kLineBits | (line < kMostLine ? line : kMostLine));
    }
    WARPTREE_HD static constexpr SourceLine none() { return unpack(0); }

    constexpr unsigned line() const { return packed & kMostLine; }  // 1-based in its file; 0: none
    constexpr unsigned file() const { return packed >> kLineBits; } // 0: the kernel's own
    constexpr bool known() const { return line() != 0; }
    friend constexpr bool operator==(const SourceLine&, const SourceLine&) = default;
    friend constexpr bool operator<(const SourceLine& a, const SourceLine& b) { return a.packed < b.packed; }

  private:
    static constexpr unsigned kMostLine = (1U << kLineBits) - 1;

    // For a literal path the host compiler folds the builtins.
    WARPTREE_HD static constexpr bool ends_with(const char* path, const char* tail) {
#if defined(__CUDA_ARCH__)
        unsigned p = 0, t = 0;
        while (path[p] != '\0') {
            ++p;
        }
        while (tail[t] != '\0') {
            ++t;
        }
        while (p > 0 && t > 0 && path[p - 1] == tail[t - 1]) {
            --p;
            --t;
        }
        return t == 0;
#else
        const auto p = __builtin_strlen(path), t = __builtin_strlen(tail);
        return p >= t && __builtin_memcmp(path + (p - t), tail, t) == 0;
#endif
    }
    // Unrolled by hand, so that the host compiler folds it whatever the number of names: it runs at every access.
    template <std::size_t... K>
    WARPTREE_HD static constexpr unsigned shared_source(const char* path, std::index_sequence<K...>) {
        constexpr const char* names[] = {WARPTREE_SHARED_SOURCES}; // a local, which device code may index
        unsigned found = 0;
        ((found = ends_with(path, names[K]) ? static_cast<unsigned>(K) + 1 : found), ...);
        return found;
    }
    // nvcc does not fold the comparisons: a call keeps them out of each place that is traced. Off drops it, unused.
    WARPTREE_HD_CALL static constexpr unsigned shared_source(const char* path) {
        return shared_source(path, std::make_index_sequence<kSharedSourceCount>{});
    }
};

#undef WARPTREE_SHARED_SOURCES

// The path below kernels/ of the file that `at` is in, for a strategy whose own file is `own`.
constexpr std::string_view source_file(SourceLine at, std::string_view own) {
    return at.file() == 0 || at.file() > kSharedSourceCount ? own : std::string_view(kSharedSources[at.file() - 1]);
}

} // namespace warptree
