// Findings in words.
#pragma once

#include "app/trace/model/trace.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

// "thread 0 reads s[64] in line 9; thread 64, of another warp, writes it in that line, and no __syncthreads orders the
// two." Names threads, place and remedy; names the file only if it is not the kernel's own.
std::string sentence(const Trace& trace, const Launch& launch, const Finding& finding);
// The same without its subject, where that is the finding's thread: "reads in[1000] in line 9, but in has 1000 elements."
std::string what_it_does(const Trace& trace, const Launch& launch, const Finding& finding);
// Of the program itself, outside of its launches: "line 12: d_out has 64 elements, of which …".
std::string sentence(const Trace& trace, const Finding& finding);

// " (x 1, y 4)" of a number in two or three dimensions; empty: there is one.
std::string coordinates(const std::array<std::uint32_t, 3>& shape, std::uint32_t number);

// "line 7", "line 7 of helper.h" of another file than the first.
std::string place(const Trace& trace, SourceLine line);

// A risk at the line of a value, of the thread that computes it.
Finding risk_at(FindingKind kind, const Node& value);

// "race", "out of bounds": for headings.
inline std::string title(FindingKind kind) { return std::string(record_of(kind).title); }
// The same with its severity, if that is not a fault: "race (risk)".
std::string title(const Finding& finding);

// Whether what __syncwarp orders is all that a race within a block lacks: a block that is but one warp, and has barriers of a
// block, is as well launched with more.
bool orders_by_warp(const Launch& launch, const Finding& finding);

// "with elements = 1000: out of bounds (risk): thread 0 reads …"
std::string sentence(const OtherLaunch& tried);
std::vector<std::string> sentences(const std::vector<OtherLaunch>& tried);
// Of what a launch with n elements, or one that differs by `with`, found.
// "elements = 1000", as the window's field is called: a kernel's own argument n is another one.
std::string with_elements(std::uint64_t n);
OtherLaunch with_n(std::uint64_t n, const Trace& trace, const Launch& launch, const Finding& finding);
OtherLaunch launched_with(std::string with, const Trace& trace, const Launch& launch, const Finding& finding);

// " (16 times)", of a race by what it is counted; empty: once.
std::string how_often(FindingKind kind, std::uint64_t times);

// Whether a finding makes the result meaningless.
inline bool spoils_the_result(const Launch& launch) {
    for (const Finding& f : launch.findings) {
        if (ends_the_run(f)) {
            return true;
        }
    }
    return false;
}

} // namespace warptree
