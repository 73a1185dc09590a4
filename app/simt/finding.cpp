#include "app/simt/finding.hpp"

#include <algorithm>

namespace warptree::simt {

std::string_view name(FindingKind kind) {
    switch (kind) {
    case FindingKind::race_shared: return "race-shared";
    case FindingKind::race_global: return "race-global";
    case FindingKind::barrier_divergence: return "barrier-divergence";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::endless: return "endless";
    case FindingKind::out_of_bounds: return "out-of-bounds";
    case FindingKind::misaligned: return "misaligned";
    case FindingKind::uninitialised: return "uninitialised";
    case FindingKind::bad_mask: return "bad-mask";
    case FindingKind::inactive_lane: return "inactive-lane";
    case FindingKind::differs_on_gpu: return "differs-on-gpu";
    case FindingKind::assertion: return "assertion";
    case FindingKind::trap: return "trap";
    case FindingKind::bad_free: return "bad-free";
    }
    return "";
}

bool Findings::add(Finding finding) {
    ends_ |= simt::ends_the_run(finding.kind);
    const auto same = [&](const Finding& f) {
        return f.kind == finding.kind && f.location == finding.location && f.other_location == finding.other_location &&
               f.writes == finding.writes && f.other_writes == finding.other_writes;
    };
    const auto met = std::find_if(list_.begin(), list_.end(), same);
    if (met != list_.end()) {
        met->times += finding.times;
        return false;
    }
    if (list_.size() == kMost) {
        return false;
    }
    list_.push_back(std::move(finding));
    return true;
}

void Findings::append(const Findings& other) {
    for (const Finding& f : other.list_) {
        add(f);
    }
}

} // namespace warptree::simt
