#include "app/trace/explain/findings.hpp"

#include "app/trace/explain/explain.hpp"

#include <fmt/format.h>

#include <bit>

namespace warptree {

namespace {
std::string place(const Trace& trace, SourceLine line) {
    if (!line.known()) {
        return "an unknown line";
    }
    if (line.file() == 0 || line.file() >= trace.sources.size()) {
        return fmt::format("line {}", line.line());
    }
    return fmt::format("line {} of {}", line.line(), trace.sources[line.file()].path);
}

std::string who(const Launch& launch, std::uint32_t thread, std::uint32_t block) {
    return launch.grid == 1 ? fmt::format("thread {}", thread) : fmt::format("thread {} of block {}", thread, block);
}

std::string element(const Finding& f) {
    return f.array.empty() ? std::string("memory") : fmt::format("{}[{}]", f.array, f.index);
}

std::string lanes(std::uint32_t mask) {
    std::string out;
    for (unsigned l = 0; l < kWarpSize; ++l) {
        if ((mask >> l & 1U) == 0) {
            continue;
        }
        unsigned end = l;
        while (end + 1 < kWarpSize && (mask >> (end + 1) & 1U) != 0) {
            ++end;
        }
        out += (out.empty() ? "" : ", ") + (end == l ? std::to_string(l) : fmt::format("{}-{}", l, end));
        l = end;
    }
    return fmt::format("lane{} {}", std::popcount(mask) == 1 ? "" : "s", out);
}

std::string race(const Trace& trace, const Launch& launch, const Finding& f) {
    const bool same_block = f.block == f.other_block;
    const bool same_warp = same_block && f.thread / kWarpSize == f.other_thread / kWarpSize;
    const std::string line = place(trace, f.line), other = place(trace, f.other_line);
    const std::string_view missing = !same_block ? "only atomics, or a fence and a flag, order blocks"
                                     : same_warp ? "no __syncwarp orders the two"
                                                 : "no __syncthreads orders the two";
    return fmt::format("{} {} {} in {}; {}{} {} it in {}, and {}.", who(launch, f.thread, f.block),
                       f.writes ? "writes" : "reads", element(f), line, who(launch, f.other_thread, f.other_block),
                       same_warp    ? ", of the same warp,"
                       : same_block ? ", of another warp,"
                                    : ",",
                       f.other_writes ? "writes" : "reads", other == line ? "that line" : other, missing);
}

std::string outside(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string head = fmt::format("{} {} ", who(launch, f.thread, f.block), f.writes ? "writes" : "reads");
    if (f.array.empty()) {
        return fmt::format("{}{} bytes through an invalid pointer in {}: {}.", head, f.bytes, place(trace, f.line),
                           f.text.empty() ? "an invalid address" : f.text);
    }
    return fmt::format("{}{} in {}, but {}.", head, element(f), place(trace, f.line),
                       !f.text.empty() ? f.text
                       : f.elements != 0
                           ? fmt::format("{} has {} element{}", f.array, f.elements, f.elements == 1 ? "" : "s")
                           : fmt::format("{} is not that long", f.array));
}
} // namespace

std::string title(FindingKind kind) {
    switch (kind) {
    case FindingKind::race_shared:
    case FindingKind::race_global: return "race";
    case FindingKind::barrier_divergence: return "barrier in divergent code";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::endless: return "endless";
    case FindingKind::out_of_bounds: return "out of bounds";
    case FindingKind::misaligned: return "misaligned";
    case FindingKind::uninitialised: return "uninitialised";
    case FindingKind::bad_mask: return "wrong mask";
    case FindingKind::inactive_lane: return "inactive lane";
    case FindingKind::differs_on_gpu: return "differs on the GPU";
    case FindingKind::assertion: return "assertion";
    case FindingKind::trap: return "stopped";
    case FindingKind::bad_free: return "bad free";
    case FindingKind::print_format:
    case FindingKind::print_limit: return "printf";
    case FindingKind::limit: return "limit";
    case FindingKind::legacy_shuffle: return "shuffle without _sync";
    case FindingKind::copy_out_of_bounds: return "copy out of bounds";
    case FindingKind::copy_direction: return "copy in the wrong direction";
    case FindingKind::host_pointer: return "host pointer in a kernel";
    case FindingKind::device_pointer: return "device pointer on the host";
    case FindingKind::use_after_free: return "use after free";
    case FindingKind::uninitialised_copy: return "uninitialised memory copied";
    case FindingKind::failed_launch: return "failed launch";
    case FindingKind::leak: return "leak";
    case FindingKind::uncovered: return "grid does not cover";
    case FindingKind::crash: return "crash";
    }
    return "";
}

std::string title(const Finding& f) {
    return f.severity == Severity::fault ? title(f.kind) : fmt::format("{} ({})", title(f.kind), name(f.severity));
}

std::string sentence(const Trace& trace, const Finding& f) {
    return f.line.known() ? fmt::format("{}: {}.", place(trace, f.line), f.text) : f.text + ".";
}

std::string sentence(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string at = place(trace, f.line), thread = who(launch, f.thread, f.block);
    switch (f.kind) {
    case FindingKind::race_shared:
    case FindingKind::race_global: return race(trace, launch, f);
    case FindingKind::out_of_bounds: return outside(trace, launch, f);
    case FindingKind::misaligned:
        return fmt::format("{} {} {} bytes in {} at an address that is not a multiple of {}: {}.", thread,
                           f.writes ? "writes" : "reads", f.bytes, at, f.bytes, element(f));
    case FindingKind::uninitialised:
        return fmt::format("{} reads {} in {}, which was never written.", thread, element(f), at);
    case FindingKind::barrier_divergence:
        return fmt::format(
            "{} waits at the barrier in {} while {} of its warp {} elsewhere; the barrier completes only when "
            "all threads of the block arrive at it.",
            thread, at, lanes(f.mask), std::popcount(f.mask) == 1 ? "is" : "are");
    case FindingKind::deadlock: {
        const std::string stalls = explain_stalls(trace, launch);
        return f.text.empty()
                   ? (stalls.empty() ? fmt::format("threads wait for one another, {} in {}.", thread, at) : stalls)
                   : fmt::format("{} in {} waits forever: {}.", thread, at, f.text);
    }
    case FindingKind::endless:
        return fmt::format(
            "{} is still running at {}{} after {} instructions of its block so far; --instructions allows "
            "more.",
            thread, at, f.text.empty() ? "" : ", with " + f.text + ",", f.index);
    case FindingKind::bad_mask: return fmt::format("in {}, {}: {}.", at, f.text, lanes(f.mask));
    case FindingKind::inactive_lane:
        return fmt::format("{} reads the value of lane {} in {}, which is inactive; the value is undefined.", thread,
                           f.other_thread % kWarpSize, at);
    case FindingKind::differs_on_gpu: return fmt::format("{} in {}: {}.", thread, at, f.text);
    case FindingKind::assertion: return fmt::format("{}: assertion '{}' fails in {}.", thread, f.text, at);
    case FindingKind::trap: return fmt::format("{} stops in {}: {}.", thread, at, f.text);
    case FindingKind::bad_free:
    case FindingKind::limit:
    case FindingKind::print_format: return fmt::format("{} in {}: {}.", thread, at, f.text);
    case FindingKind::print_limit: return f.text + ".";
    case FindingKind::legacy_shuffle:
        return fmt::format(
            "{} exchanges values by a function without _sync, which CUDA removed for GPUs since Volta: it "
            "was run with the lanes that are active there ({}); use the form with _sync and a mask.",
            at, lanes(f.mask));
    case FindingKind::copy_out_of_bounds:
    case FindingKind::copy_direction:
    case FindingKind::host_pointer:
    case FindingKind::device_pointer:
    case FindingKind::use_after_free:
    case FindingKind::uninitialised_copy:
    case FindingKind::failed_launch:
    case FindingKind::leak:
    case FindingKind::uncovered:
    case FindingKind::crash: return sentence(trace, f);
    }
    return "";
}

} // namespace warptree
