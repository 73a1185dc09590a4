// Findings in words.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree {

// "thread 0 reads s[64] in line 9; thread 64, of another warp, writes it there, and no __syncthreads orders the two."
// Names threads, place and remedy. The file is left out if the line is in the kernel's own file.
std::string sentence(const Trace& trace, const Launch& launch, const Finding& finding);

// "race", "out of bounds": for headings.
std::string title(FindingKind kind);

// Whether the result is still meaningful in spite of it.
inline bool spoils_the_result(const Launch& launch) {
    for (const Finding& f : launch.findings) {
        if (ends_the_run(f.kind)) {
            return true;
        }
    }
    return false;
}

} // namespace warptree
