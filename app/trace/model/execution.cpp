#include "app/trace/model/execution.hpp"

namespace warptree {

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
    case FindingKind::print_format: return "print-format";
    case FindingKind::limit: return "limit";
    case FindingKind::print_limit: return "print-limit";
    case FindingKind::legacy_shuffle: return "legacy-shuffle";
    case FindingKind::copy_out_of_bounds: return "copy-out-of-bounds";
    case FindingKind::copy_direction: return "copy-direction";
    case FindingKind::host_pointer: return "host-pointer";
    case FindingKind::device_pointer: return "device-pointer";
    case FindingKind::use_after_free: return "use-after-free";
    case FindingKind::uninitialised_copy: return "uninitialised-copy";
    case FindingKind::failed_launch: return "failed-launch";
    case FindingKind::leak: return "leak";
    case FindingKind::uncovered: return "uncovered";
    case FindingKind::crash: return "crash";
    case FindingKind::growth_limit: return "growth-limit";
    case FindingKind::lockstep: return "lockstep";
    case FindingKind::cluster_lifetime: return "cluster-lifetime";
    case FindingKind::counted_copy: return "counted-copy";
    case FindingKind::unseen_print: return "unseen-print";
    case FindingKind::unread_results: return "unread-results";
    case FindingKind::shuffle_reach: return "shuffle-reach";
    case FindingKind::lost_elements: return "lost-elements";
    case FindingKind::overflow: return "overflow";
    case FindingKind::repeated_elements: return "repeated-elements";
    case FindingKind::own_value: return "own-value";
    case FindingKind::not_a_number: return "not-a-number";
    case FindingKind::doubtful_code: return "doubtful-code";
    }
    return "";
}

std::string_view name(Severity severity) {
    switch (severity) {
    case Severity::fault: return "fault";
    case Severity::risk: return "risk";
    case Severity::cost: return "cost";
    }
    return "";
}

} // namespace warptree
