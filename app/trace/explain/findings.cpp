#include "app/trace/explain/findings.hpp"

#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/repeated_work.hpp"
#include "app/trace/explain/sources.hpp"

#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/values.hpp"
#include "app/trace/explain/vector_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace warptree {

std::string place(const Trace& trace, SourceLine line) {
    if (!line.known()) {
        return "an unknown line";
    }
    if (line.file() == 0 || line.file() >= trace.sources.size()) {
        return fmt::format("line {}", line.line());
    }
    return fmt::format("line {} of {}", line.line(), trace.sources[line.file()].path);
}

std::string coordinates(const std::array<std::uint32_t, 3>& shape, std::uint32_t number) {
    const auto [wide, high, deep] = shape;
    if (std::uint64_t{high} * deep <= 1) {
        return {};
    }
    const std::string flat = fmt::format("x {}, y {}", number % wide, number / wide % high);
    return deep == 1 ? " (" + flat + ")" : fmt::format(" ({}, z {})", flat, number / wide / high);
}

namespace {
std::string who(const Launch& launch, std::uint32_t thread, std::uint32_t block) {
    const std::string one = fmt::format("thread {}{}", thread, coordinates(launch.block_shape, thread));
    return launch.grid == 1 ? one : fmt::format("{} of block {}{}", one, block, coordinates(launch.grid_shape, block));
}

// A parameter points to elements even if it has only one; a variable with one element is a scalar.
bool is_scalar(const Trace& trace, const Finding& f) {
    return f.elements == 1 && f.index == 0 &&
           std::none_of(trace.arguments.begin(), trace.arguments.end(),
                        [&](const KernelArgument& a) { return a.name == f.array; });
}

// The array of rows in shared memory that it is about; null: another one.
const SharedArray* array_of_rows(const Launch& launch, const Finding& f) {
    const auto found = std::find_if(launch.shared_arrays.begin(), launch.shared_arrays.end(), [&](const auto& a) {
        return a.row != 0 && a.name == f.array && f.elements * a.element_bytes == a.bytes;
    });
    return found == launch.shared_arrays.end() ? nullptr : &*found;
}

// "bins[3] (buffer b)".
std::string element(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string array = kernel_name(launch, f.array), note = buffer_note(launch, f.array);
    if (const SharedArray* const rows = array_of_rows(launch, f); rows != nullptr) {
        // Before the first element, too, it is one of a row: -1 is the last of row -1.
        const auto row = static_cast<std::int64_t>(rows->row), past = (f.index % row + row) % row;
        return f.index >= 0 ? element_name(*rows, static_cast<std::uint64_t>(f.index))
                            : fmt::format("{}[{}][{}]", f.array, (f.index - past) / row, past);
    }
    if (const std::uint32_t parts = parts_of_array(trace, launch, f.array); parts > 1 && f.index >= 0) {
        const auto whole = static_cast<std::uint64_t>(f.index) / parts;
        return f.kind == FindingKind::out_of_bounds
                   ? fmt::format("{}[{}]{}", array, whole, note)
                   : fmt::format("{}[{}].{}{}", array, whole, "xyzw"[static_cast<std::uint64_t>(f.index) % parts],
                                 note);
    }
    return f.array.empty()       ? std::string("memory")
           : is_scalar(trace, f) ? array + note
                                 : fmt::format("{}[{}]{}", array, f.index, note);
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

// A warp has no global memory of its own, nor has the one block of a launch whose kernel is written for several: with more
// elements others meet there, too.
bool met_by_chance(const Trace& trace, const Launch& launch, const Finding& f) {
    return f.kind == FindingKind::race_global && f.block == f.other_block &&
           ((f.thread / kWarpSize == f.other_thread / kWarpSize && launch.block > kWarpSize) ||
            (launch.grid == 1 && text_of(trace, f.line).find("blockIdx") != std::string_view::npos));
}

std::string race(const Trace& trace, const Launch& launch, const Finding& f) {
    const bool same_block = f.block == f.other_block;
    const bool same_warp = same_block && f.thread / kWarpSize == f.other_thread / kWarpSize;
    const std::string line = place(trace, f.line), other = place(trace, f.other_line);
    // What mends it: order does not help where each reads, changes and stores, nor where both store in one statement.
    const std::string_view missing =
        f.guess ? "and the atomicCAS that expects this value finds out: right here, though CUDA promises nothing of a "
                  "plain "
                  "load beside atomics; read it by a volatile pointer"
        : f.compares ? "and its comparison comes out the same before and after, which is harmless here; CUDA promises "
                       "nothing of a "
                       "plain load beside it: a second array, or an atomic load, avoids the race"
        : f.severity == Severity::risk
            ? (f.writes && f.other_writes
                   ? (f.elements == 1 ? "and both store the same value, which is harmless here"
                                      : "and both store the same value: harmless if that is meant, a mistake if each "
                                        "is to have an element of its own")
                   : "and the value is the same before and after, which is harmless with this data")
        : f.fence_missing ? "and a __threadfence() is missing: one belongs after taking a lock or seeing a flag, "
                            "before what it protects "
                            "is accessed, and one before giving it back or setting it"
        : !same_block && is_of_block_scope(text_of(trace, f.line), f.line.line())
            ? "and an atomic operation that ends in _block is one among the threads of its block only: without _block "
              "it is "
              "one among all"
        : f.updates && adds_the_same(text_of(trace, f.line), f.line.line())
            ? "and both do the work of this element, which is meant for one: its index names it for several threads, "
              "as "
              "where it leaves out the block or a stride is too short"
        : f.updates ? "and each changes the value that it read, so that one change is lost if the other comes between: "
                      "an atomic operation keeps both"
        : f.writes && f.other_writes && f.line == f.other_line
            ? "and which of the two stays is chance: only one thread may write it, unless by an atomic operation"
        : !same_block && f.kind == FindingKind::race_shared ? "and no barrier of the cluster orders the two"
        : !same_block                     ? "and only atomics, a fence and a flag, or another launch order blocks"
        : met_by_chance(trace, launch, f) ? "and nothing orders the two"
        : orders_by_warp(launch, f)       ? "and no __syncwarp orders the two"
                                          : "and no __syncthreads orders the two";
    return fmt::format("{} {} {} in {}; {}{} {} it in {}, {}.", who(launch, f.thread, f.block),
                       f.writes ? "writes" : "reads", element(trace, launch, f), line,
                       who(launch, f.other_thread, f.other_block),
                       same_warp    ? ", of the same warp,"
                       : same_block ? ", of another warp,"
                                    : "",
                       f.other_writes ? "writes" : "reads", other == line ? "that line" : other, missing);
}

std::string outside(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string head = fmt::format("{} {} ", who(launch, f.thread, f.block), f.writes ? "writes" : "reads");
    if (f.array.empty()) {
        return fmt::format("{}{} byte{} through an invalid pointer in {}: {}.", head, f.bytes, f.bytes == 1 ? "" : "s",
                           place(trace, f.line), f.text.empty() ? "an invalid address" : f.text);
    }
    if (f.kind == FindingKind::growth_limit) {
        return fmt::format(
            "{}{} in {}: an array of unstated size grows to at most {} elements here; state the size, as "
            "in --arg {}={}.",
            head, element(trace, launch, f), place(trace, f.line), f.elements, f.array, f.index + 1);
    }
    const SharedArray* const rows = array_of_rows(launch, f);
    const std::string array = kernel_name(launch, f.array);
    const std::uint64_t elements = f.elements / parts_of_array(trace, launch, f.array);
    return fmt::format("{}{} in {}, but {}.", head, element(trace, launch, f), place(trace, f.line),
                       !f.text.empty() ? f.text
                       : f.index < 0   ? "that is before its first element"
                       : rows != nullptr
                           ? fmt::format("{} has {} x {} elements", f.array, f.elements / rows->row, rows->row)
                       : elements != 0 ? fmt::format("{} has {} element{}", array, elements, elements == 1 ? "" : "s")
                                       : fmt::format("{} is not that long", array));
}

// A barrier that only some threads of the block reach.
std::string barrier_for_some(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string at = place(trace, f.line), other = place(trace, f.other_line);
    const std::string left = f.other_line.known() ? fmt::format(" ({})", other) : std::string();
    if (f.text.empty()) {
        return fmt::format(
            "{} waits at the barrier in {} and {} at that in {}: all threads of a block must meet at the "
            "same one. An H100 lets whole warps pass so, but not the lanes of one warp.",
            who(launch, f.thread, f.block), at, who(launch, f.other_thread, f.other_block), other);
    }
    return f.severity == Severity::fault
               ? fmt::format(
                     "{} waits at the barrier in {}, which {} skip{}: all threads of a block must reach the same "
                     "barrier. A GPU since Volta waits only for threads that have not ended, and these end.",
                     who(launch, f.thread, f.block), at, f.text, left)
               : fmt::format("{} end{} before the barrier in {}, at which {} waits: a GPU since Volta waits only for "
                             "threads that have not ended, but CUDA wants all threads of a {} at the barrier.",
                             f.text, left, at, who(launch, f.thread, f.block),
                             f.other_block == f.block ? "block" : "cluster");
}
} // namespace

std::string title(const Finding& f) {
    const std::string_view plain = record_of(f.kind).title;
    return f.severity == Severity::fault ? std::string(plain) : fmt::format("{} ({})", plain, name(f.severity));
}

bool orders_by_warp(const Launch& launch, const Finding& f) {
    return f.block == f.other_block && f.thread / kWarpSize == f.other_thread / kWarpSize &&
           (launch.block > kWarpSize || launch.barriers.empty());
}

std::string sentence(const OtherLaunch& tried) {
    return fmt::format("with {}: {}{}", tried.with, tried.found, tried.rest);
}

std::vector<std::string> sentences(const std::vector<OtherLaunch>& tried) {
    std::vector<std::string> result;
    result.reserve(tried.size());
    for (const OtherLaunch& one : tried) {
        result.push_back(sentence(one));
    }
    return result;
}

std::string with_elements(std::uint64_t n) { return fmt::format("elements = {}", n); }

OtherLaunch launched_with(std::string with, const Trace& trace, const Launch& launch, const Finding& f) {
    return {std::move(with), title(f), ": " + sentence(trace, launch, f), true, f.line, 0};
}

OtherLaunch with_n(std::uint64_t n, const Trace& trace, const Launch& launch, const Finding& f) {
    OtherLaunch result = launched_with(with_elements(n), trace, launch, f);
    result.n = n;
    return result;
}

Finding risk_at(FindingKind kind, const Node& value) {
    Finding f;
    f.kind = kind;
    f.severity = Severity::risk;
    f.block = value.block;
    f.thread = value.thread;
    f.step = value.step;
    f.line = value.line;
    return f;
}

std::string how_often(FindingKind kind, std::uint64_t times) {
    return times < 2 ? std::string()
                     : fmt::format(" ({} times{})", times, is_race(kind) ? ", counted by warp, element and step" : "");
}

std::string sentence(const Trace& trace, const Finding& f) {
    return f.line.known() ? fmt::format("{}: {}.", place(trace, f.line), f.text) : f.text + ".";
}

std::string sentence(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string at = place(trace, f.line), thread = who(launch, f.thread, f.block);
    switch (f.kind) {
    case FindingKind::race_shared:
    case FindingKind::race_global: return race(trace, launch, f);
    case FindingKind::out_of_bounds:
    case FindingKind::growth_limit: return outside(trace, launch, f);
    case FindingKind::misaligned:
        return fmt::format("{} {} {} bytes in {} at an address that is not a multiple of {}: {}.", thread,
                           f.writes ? "writes" : "reads", f.bytes, at, f.bytes, element(trace, launch, f));
    case FindingKind::uninitialised:
        if (f.array.empty()) {
            return fmt::format("{} in {} before it has a value: it may begin as anything.", f.text, at);
        }
        // An operator such as += writes what it reads.
        return f.other_thread == kNobody ||
                       (f.other_thread == f.thread && f.other_block == f.block && f.other_line == f.line)
                   ? fmt::format("{} reads {} in {}, {}.", thread, element(trace, launch, f), at,
                                 f.text.empty() ? "which nothing has written before" : f.text)
                   : fmt::format("{} reads {} in {}, which is not yet written: {} writes it later, in {}.", thread,
                                 element(trace, launch, f), at,
                                 f.other_thread == f.thread ? "it" : who(launch, f.other_thread, f.other_block),
                                 place(trace, f.other_line));
    case FindingKind::barrier_divergence:
        if (f.other_thread != kNobody) {
            return barrier_for_some(trace, launch, f);
        }
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
        return fmt::format("{} is still running at {}{} after {} instructions of its block so far; on the command line "
                           "--instructions allows more.",
                           thread, at, f.text.empty() ? "" : ", with " + f.text + ",", f.index);
    case FindingKind::bad_mask: return fmt::format("in {}, {}: {}.", at, f.text, lanes(f.mask));
    case FindingKind::inactive_lane:
        return fmt::format("{} reads the value of lane {} in {}, which is inactive; the value is undefined.", thread,
                           f.other_thread % kWarpSize, at);
    case FindingKind::shuffle_reach:
        return fmt::format(
            "{} in {} take from {} lanes {}, but the segments of the shuffle have {}: each gets its own value.",
            lanes(f.mask), at, f.index, f.text, f.elements);
    case FindingKind::differs_on_gpu: return fmt::format("{} in {}: {}.", thread, at, f.text);
    case FindingKind::assertion: return fmt::format("{}: assertion '{}' fails in {}.", thread, f.text, at);
    case FindingKind::trap: return fmt::format("{} stops in {}: {}.", thread, at, f.text);
    case FindingKind::bad_free:
    case FindingKind::limit:
    case FindingKind::print_format: return fmt::format("{} in {}: {}.", thread, at, f.text);
    case FindingKind::overflow:
        if (f.line.known()) {
            return fmt::format("{} computes {} in {}, which no int holds: {} is left of it.", thread, f.text, at,
                               f.index);
        }
        return f.text + ".";
    case FindingKind::print_limit: return f.text + ".";
    case FindingKind::doubtful_code: return fmt::format("{}: {}.", at, f.text);
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
    case FindingKind::counted_copy:
    case FindingKind::unseen_print:
    case FindingKind::unread_results:
    case FindingKind::crash: return sentence(trace, f);
    case FindingKind::lost_elements:
        if (f.index < 0) {
            return fmt::format("{}: the index of the load in {} may leave out the block.", f.text, at);
        }
        if (f.elements != 0) {
            return fmt::format("{}; the one {} it is reached by {}, in {}.", f.text, f.index == 0 ? "behind" : "before",
                               thread, at);
        }
        return fmt::format("{}, which {} combines last, in {}, with nothing taking that further.", f.text, thread, at);
    case FindingKind::repeated_elements:
        return fmt::format("{}, {}[{}]: several threads add the same in {}, as {} does; if each is to count once, one "
                           "thread adds it.",
                           f.text, kernel_name(launch, f.array), f.index, at, thread);
    case FindingKind::own_value: return fmt::format("{} {} in {}.", thread, f.text, at);
    case FindingKind::not_a_number:
        return f.writes
                   ? fmt::format("{}: in {} {} computes infinity of finite values, as it is more than the type holds.",
                                 f.text, at, thread)
                   : fmt::format("{}: in {} {} computes nan of numbers.", f.text, at, thread);
    case FindingKind::lockstep:
        return fmt::format(
            "{} spins in {} for what {}, of the same warp, does only behind the loop: endless where lanes "
            "run in lockstep, as on GPUs before Volta; since Volta they run on by themselves.",
            thread, at, who(launch, f.other_thread, f.other_block));
    case FindingKind::cluster_lifetime: {
        const std::string access =
            fmt::format("{} {} {} in {}", thread, f.writes ? "writes" : "reads", element(trace, launch, f), at);
        return f.text == "started"
                   ? fmt::format(
                         "{}, and nothing tells that block {} has started: its shared memory is there only while "
                         "it runs, so that a cluster barrier (cluster.sync()) has to come before.",
                         access, f.other_block)
                   : fmt::format("{}, and block {} may have ended by then: its shared memory is there only while it "
                                 "runs, so that a cluster barrier (cluster.sync()) has to come after.",
                                 access, f.other_block);
    }
    }
    return "";
}

std::string what_it_does(const Trace& trace, const Launch& launch, const Finding& f) {
    const std::string text = sentence(trace, launch, f), thread = who(launch, f.thread, f.block) + " ";
    return text.starts_with(thread) ? text.substr(thread.size()) : text;
}

} // namespace warptree
