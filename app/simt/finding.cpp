#include "app/simt/finding.hpp"

#include <algorithm>

namespace warptree::simt {

SourceLine line_at(const compile::Program& program, std::uint32_t location) {
    const compile::Location& l = program.locations[location];
    return SourceLine::of(l.file, l.line);
}

void Findings::add(Finding finding) {
    ends_ |= warptree::ends_the_run(finding.kind);
    const auto same = [&](const Finding& f) {
        return f.kind == finding.kind && f.line == finding.line && f.other_line == finding.other_line &&
               f.writes == finding.writes && f.other_writes == finding.other_writes;
    };
    const auto met = std::find_if(list_.begin(), list_.end(), same);
    if (met != list_.end()) {
        met->times += finding.times;
    } else if (list_.size() < kMost) {
        list_.push_back(std::move(finding));
    }
}

void Findings::append(const Findings& other) {
    for (const Finding& f : other.list_) {
        add(f);
    }
}

} // namespace warptree::simt
