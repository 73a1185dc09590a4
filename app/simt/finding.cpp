#include "app/simt/finding.hpp"

#include "app/simt/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

namespace warptree::simt {

SourceLine line_at(const compile::Program& program, std::uint32_t location) {
    const compile::Location& l = program.locations[location];
    return SourceLine::of(l.file, l.line);
}

Finding overflow_of(std::int64_t a, char operation, std::int64_t b, std::int64_t exact) {
    Finding f;
    f.kind = FindingKind::overflow;
    f.severity = Severity::risk;
    f.text = b < 0 ? fmt::format("{} {} ({})", a, operation, b) : fmt::format("{} {} {}", a, operation, b);
    f.text += fmt::format(" = {}", exact);
    f.index = static_cast<std::int32_t>(exact);
    return f;
}

namespace {
bool within_warp(const Finding& f) {
    return is_race(f.kind) && f.block == f.other_block && f.thread / kLanes == f.other_thread / kLanes;
}
} // namespace

// The same for findings that are told as one. Of a race either side may come first.
Findings::Key Findings::key(const Finding& f) {
    const auto side = [](SourceLine line, bool writes) { return std::uint64_t{line.packed} << 1 | (writes ? 1U : 0U); };
    std::uint64_t one = side(f.line, f.writes), other = side(f.other_line, f.other_writes);
    if (f.kind == FindingKind::uninitialised) { // the other side may yet be told; a line may read several arrays
        one = f.line.packed;
        other = std::hash<std::string>{}(f.array);
    } else if (is_race(f.kind) && other < one) {
        std::swap(one, other);
    }
    return {f.kind, one, other};
}

void Findings::add(Finding finding) {
    ends_ |= warptree::ends_the_run(finding.kind);
    // Of a race within a warp only if there is no other: it is the last to be repaired. What else than a lost change is among
    // them, an atomic operation does not mend; nor does a barrier what other blocks do.
    const auto rank = [](const Finding& f) {
        return std::tuple(is_race(f.kind) ? Severity::fault : f.severity, within_warp(f), f.updates,
                          is_race(f.kind) && f.block == f.other_block, f.severity);
    };
    const auto [at, is_new] = places_.try_emplace(key(finding), list_.size());
    if (!is_new) {
        Finding& met = list_[at->second];
        const std::uint64_t times = met.times + finding.times;
        const bool updates = met.updates && finding.updates;
        const Severity severity = std::min(met.severity, finding.severity);
        if (rank(finding) < rank(met)) {
            met = std::move(finding);
        }
        // Whichever is told: harmless they are together only if each is.
        if (severity != met.severity) {
            met.severity = severity;
            met.guess = met.compares = false;
        }
        met.times = times;
        met.updates = updates;
    } else if (list_.size() < kMost) {
        finding.times = std::max<std::uint64_t>(finding.times, is_race(finding.kind) ? 0 : 1);
        list_.push_back(std::move(finding));
    } else {
        places_.erase(at);
    }
}

void Findings::sort() {
    // What waits forever does so for another reason than its warp's lockstep.
    std::vector<SourceLine> stuck;
    for (const Finding& f : list_) {
        if (f.kind == FindingKind::deadlock) {
            stuck.push_back(f.line);
        }
    }
    std::erase_if(list_, [&](const Finding& f) {
        return f.kind == FindingKind::lockstep && std::find(stuck.begin(), stuck.end(), f.line) != stuck.end();
    });
    // A change that another thread reads too early is lost by the same lack of order.
    const auto lost = [](const Finding& f) { return is_race(f.kind) && f.updates && f.writes && f.other_writes; };
    const std::vector<Finding> all = list_;
    std::erase_if(list_, [&](const Finding& f) {
        return lost(f) && std::ranges::any_of(all, [&](const Finding& g) {
                   return g.kind == f.kind && g.array == f.array && g.severity == f.severity && !g.guess &&
                          g.writes != g.other_writes &&
                          std::minmax(g.line.packed, g.other_line.packed) ==
                              std::minmax(f.line.packed, f.other_line.packed);
               });
    });
    places_.clear();
    std::stable_sort(list_.begin(), list_.end(),
                     [](const Finding& a, const Finding& b) { return within_warp(a) < within_warp(b); });
    for (std::size_t k = 0; k < list_.size(); ++k) {
        places_[key(list_[k])] = k;
    }
}

void Findings::append(const Findings& other) {
    for (const Finding& f : other.list_) {
        add(f);
    }
}

} // namespace warptree::simt
