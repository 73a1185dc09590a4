#include "app/simt/finding.hpp"

#include "app/simt/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace warptree::simt {

SourceLine line_at(const compile::Program& program, std::uint32_t location) {
    const compile::Location& l = program.locations[location];
    return SourceLine::of(l.file, l.line);
}

namespace {
bool within_warp(const Finding& f) {
    return is_race(f.kind) && f.block == f.other_block && f.thread / kLanes == f.other_thread / kLanes;
}
} // namespace

void Findings::add(Finding finding) {
    ends_ |= warptree::ends_the_run(finding.kind);
    const auto same = [&](const Finding& f) {
        if (f.kind != finding.kind) {
            return false;
        }
        if (f.kind == FindingKind::uninitialised) { // the other side may yet be told
            return f.line == finding.line;
        }
        const auto one = std::tie(f.line, f.writes), other = std::tie(f.other_line, f.other_writes);
        const auto its = std::tie(finding.line, finding.writes),
                   its_other = std::tie(finding.other_line, finding.other_writes);
        return (one == its && other == its_other) || (is_race(f.kind) && one == its_other && other == its);
    };
    // Of a race the worst, and within a warp only if there is no other: it is the last to be repaired.
    const auto rank = [](const Finding& f) { return std::pair(f.severity, within_warp(f)); };
    const auto met = std::find_if(list_.begin(), list_.end(), same);
    if (met != list_.end()) {
        const std::uint64_t times = met->times + finding.times;
        if (rank(finding) < rank(*met)) {
            *met = std::move(finding);
        }
        met->times = times;
    } else if (list_.size() < kMost) {
        finding.times = std::max<std::uint64_t>(finding.times, 1);
        list_.push_back(std::move(finding));
    }
}

void Findings::sort() {
    std::stable_sort(list_.begin(), list_.end(),
                     [](const Finding& a, const Finding& b) { return within_warp(a) < within_warp(b); });
}

void Findings::append(const Findings& other) {
    for (const Finding& f : other.list_) {
        add(f);
    }
}

} // namespace warptree::simt
