// What went wrong, in words.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree {

// "thread 0 reads s[64] in line 9; thread 64, of another warp, writes it there, and no __syncthreads orders the two."
// Names who, where, and what would help. `file` is left out where the line is in the kernel's own file.
std::string sentence(const Trace& trace, const Launch& launch, const Finding& finding);

// "race", "out of bounds": what a heading says.
std::string title(FindingKind kind);

// Whether the result means something in spite of it.
inline bool spoils_the_result(const Launch& launch) {
    for (const Finding& f : launch.findings) {
        if (ends_the_run(f.kind)) {
            return true;
        }
    }
    return false;
}

} // namespace warptree
