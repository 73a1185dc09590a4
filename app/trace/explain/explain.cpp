#include "app/trace/explain/explain.hpp"

#include "app/base/operators.hpp"
#include "app/base/type_words.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/trace/explain/sources.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace warptree {

namespace {
std::uint32_t warp_of(const RaceSide& side) { return side.thread / kWarpSize; }

bool runs_second_first(const Race& race, WarpOrder order) {
    const bool one_warp = warp_of(race.first) == warp_of(race.second);
    switch (order) {
    case WarpOrder::in_order: return race.second.thread < race.first.thread;
    case WarpOrder::reverse: return race.second.thread > race.first.thread;
    case WarpOrder::lockstep: return !one_warp && race.second.thread < race.first.thread;
    case WarpOrder::random: break;
    }
    return false;
}

std::string step_of(const Launch& launch, std::uint32_t step) {
    return step < launch.steps.size() ? launch.steps[step].label : std::string("?");
}

std::string listed(const std::vector<std::string>& items) {
    if (items.size() < 2) {
        return items.empty() ? "" : items.front();
    }
    return fmt::format("{} and {}", fmt::join(items.begin(), items.end() - 1, ", "), items.back());
}

// "s[5]", or "word 5" where several arrays may be meant: a word is counted in the elements of its array.
std::string element_of(const Launch& launch, std::uint32_t word) {
    std::string found;
    for (const SharedArray& a : launch.shared_arrays) {
        const std::uint64_t byte = std::uint64_t{word} * a.element_bytes;
        if (a.element_bytes != 0 && byte >= a.offset && byte - a.offset < a.bytes) {
            if (!found.empty()) {
                return fmt::format("word {}", word);
            }
            found = element_name(a, (byte - a.offset) / a.element_bytes);
        }
    }
    return found.empty() ? fmt::format("word {}", word) : found;
}
} // namespace

Race race_of(const Hazard& h) {
    Race race{h.block,
              h.word,
              {h.first_thread, h.first_step, h.first_writes, h.first_line},
              {h.second_thread, h.second_step, h.second_writes, h.second_line},
              h.across_shuffle};
    if (h.first_step != h.second_step || race.first.writes == race.second.writes || h.across_shuffle) {
        return race;
    }
    // Of what one line, or a line further up, reads the write comes later; what a line further down reads is to be written.
    const RaceSide& reads = race.first.writes ? race.second : race.first;
    const RaceSide& writes = race.first.writes ? race.first : race.second;
    const bool to_be_written = reads.line.known() && writes.line.known() && reads.line.file() == writes.line.file() &&
                               writes.line.line() < reads.line.line();
    if (race.first.writes != to_be_written) {
        std::swap(race.first, race.second);
    }
    return race;
}

namespace {
// Whether the kernel's file declares a race between lanes: these see each other's stores only where they synchronise.
bool lanes_part(const Trace& trace) {
    try {
        return !trace.sources.empty() && catalogue::read_header(trace.sources.front().text).lanes_race;
    } catch (const OptionError&) {
        return false;
    }
}

// In any other kernel file the lanes of a warp run in lockstep, in every order of warps.
bool in_lockstep(const Trace& trace, const Race& race) {
    return !trace.kernel.empty() && warp_of(race.first) == warp_of(race.second) && !lanes_part(trace);
}
} // namespace

std::vector<WarpOrder> wrong_orders(const Trace& trace, const Race& race) {
    std::vector<WarpOrder> orders;
    if (race.across_shuffle || in_lockstep(trace, race)) { // the interpreter's lanes synchronise there in any order
        return orders;
    }
    if (!trace.kernel.empty() && warp_of(race.first) == warp_of(race.second)) {
        return race.first.writes && !race.second.writes
                   ? std::vector{WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random}
                   : orders;
    }
    std::copy_if(kWarpOrders.begin(), kWarpOrders.end(), std::back_inserter(orders),
                 [&](WarpOrder order) { return runs_second_first(race, order); });
    return orders;
}

std::string place_of(const Trace& trace, SourceLine line) {
    if (!line.known()) {
        return "an unknown line";
    }
    const std::string_view file = file_of(trace, line);
    return file == own_source(trace) ? fmt::format("line {}", line.line())
                                     : fmt::format("line {} of {}", line.line(), file);
}

std::string explain(const Trace& trace, const Launch& launch, const Hazard& hazard) {
    const Race race = race_of(hazard);
    // Mentions the reader first; of two writers, the one that has to come first.
    const bool second_told = !race.second.writes;
    const RaceSide& one = second_told ? race.second : race.first;
    const RaceSide& other = second_told ? race.first : race.second;
    const auto verb = [](const RaceSide& side) { return side.writes ? "writes" : "reads"; };
    const auto noun = [&](const RaceSide& side) {
        return race.first.writes == race.second.writes ? fmt::format("thread {}'s write", side.thread)
               : side.writes                           ? std::string("the write")
                                                       : std::string("the read");
    };
    // Each reads, changes and writes: no order of the two accesses is right.
    const bool updates = std::ranges::any_of(launch.findings, [&](const Finding& f) {
        return is_race(f.kind) && f.updates && f.severity == Severity::fault && f.line == one.line &&
               f.other_line == other.line;
    });
    std::string must = noun(race.first);
    must[0] = static_cast<char>(must[0] - 'a' + 'A');
    const std::string word = element_of(launch, race.word);
    std::string text = fmt::format("Thread {} {} {} in step {}, {}; thread {}, of {} warp, {} it in step {}, {}",
                                   one.thread, verb(one), word, step_of(launch, one.step), place_of(trace, one.line),
                                   other.thread, warp_of(one) == warp_of(other) ? "the same" : "another", verb(other),
                                   step_of(launch, other.step), place_of(trace, other.line));
    if (updates) {
        return text +
               ". Each changes the value that it read, so that one change is lost if the other comes between: an "
               "atomic operation keeps both.";
    }
    text += fmt::format(". {} has to come first, but nothing orders the two", must);
    std::vector<std::string> names;
    for (const WarpOrder order : wrong_orders(trace, race)) {
        names.emplace_back(name(order));
    }
    if (race.across_shuffle) {
        text += ": the shuffle between them synchronises the lanes, but only __syncwarp orders memory";
    } else if (in_lockstep(trace, race)) {
        text += ": here the lanes of a warp run in lockstep, which CUDA does not guarantee";
    } else if (!names.empty()) {
        text += fmt::format(": with the warp schedule{} {} {} comes first", names.size() == 1 ? "" : "s", listed(names),
                            noun(race.second));
    }
    return text + ".";
}

const Hazard* leading_hazard(const Launch& launch, std::uint32_t step, std::uint32_t block) {
    const auto key = [](const Hazard& h) {
        const Race race = race_of(h);
        return std::tuple(warp_of(race.first) == warp_of(race.second), std::min(race.first.thread, race.second.thread),
                          h.word);
    };
    const Hazard* best = nullptr;
    for (const Hazard& h : launch.hazards) {
        if (h.second_step == step && h.block == block && (best == nullptr || key(h) < key(*best))) {
            best = &h;
        }
    }
    return best;
}

std::vector<StallGroup> stall_groups(const Launch& launch) {
    std::vector<StallGroup> groups;
    for (const Stall& s : launch.stalls) {
        const auto same = [&](const StallGroup& g) {
            return g.block == s.block && g.step == s.step && g.kind == s.kind && g.line == s.line &&
                   (s.kind != StallKind::warp_barrier || g.threads.back().second / kWarpSize == s.warp);
        };
        auto group = std::find_if(groups.begin(), groups.end(), same);
        if (group == groups.end()) {
            groups.push_back({s.block, s.step, s.kind, s.line, s.expected, 0, {}});
            group = groups.end() - 1;
        }
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
            if ((s.mask >> lane & 1U) == 0) {
                continue;
            }
            const std::uint32_t thread = s.warp * kWarpSize + lane;
            ++group->waiting;
            if (!group->threads.empty() && group->threads.back().second + 1 == thread) {
                group->threads.back().second = thread;
            } else {
                group->threads.emplace_back(thread, thread);
            }
        }
    }
    std::stable_sort(groups.begin(), groups.end(), [](const StallGroup& a, const StallGroup& b) {
        return std::tuple(a.block, a.step, a.line) < std::tuple(b.block, b.step, b.line);
    });
    return groups;
}

std::string thread_ranges(const StallGroup& group) {
    constexpr std::size_t kMostRanges = 4;
    std::vector<std::string> ranges;
    for (const auto& [first, last] : group.threads) {
        ranges.push_back(first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
    }
    const std::size_t shown = std::min(kMostRanges, ranges.size());
    return fmt::format("{} {}{}", group.waiting == 1 ? "thread" : "threads",
                       fmt::join(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       shown < ranges.size() ? fmt::format(" … ({} in all)", group.waiting) : "");
}

std::string explain_stalls(const Trace& trace, const Launch& launch) {
    const std::vector<StallGroup> groups = stall_groups(launch);
    if (groups.empty()) {
        return {};
    }
    std::vector<std::string> waits;
    std::uint32_t expected = 0;
    bool of_block = true, of_memory = false;
    for (const StallGroup& g : groups) {
        if (g.block == groups.front().block) {
            waits.push_back(fmt::format("{} wait{} at {} ({})", thread_ranges(g), g.waiting == 1 ? "s" : "",
                                        place_of(trace, g.line), step_of(launch, g.step)));
            expected = g.expected;
            of_block = of_block && g.kind == StallKind::barrier;
            of_memory = of_memory || g.kind == StallKind::memory;
        }
    }
    std::string text = fmt::format("In block {} {}.", groups.front().block, listed(waits));
    text += of_memory ? std::string(" A loop that waits for memory ends only when another thread stores there.")
            : of_block && expected == launch.block
                ? fmt::format(" A barrier completes only when all {} threads of the block arrive.", expected)
            : of_block ? fmt::format(" A barrier completes only when {} threads arrive.", expected)
                       : " A warp barrier completes only when all lanes in its mask arrive.";
    if (launch.stalled_blocks > 1) {
        text += fmt::format(" The same happens in {} of {} blocks.", launch.stalled_blocks, launch.grid);
    }
    return text;
}

std::string missing_result(const Trace& trace) {
    if (trace.pass || !trace.completed() || trace.launches.empty()) {
        return {};
    }
    const std::uint32_t stored = trace.launches.back().outputs_total;
    return stored == 0 ? "nothing was written to the output"
           : trace.first_wrong && *trace.first_wrong >= stored
               ? fmt::format("element {} of the output was not written", *trace.first_wrong)
               : "";
}

std::string explain_atomics(const Trace& trace) {
    const RunOptions& o = trace.options;
    if (o.finish != Finish::atomic || has_native_atomic(o.type, o.op)) {
        return {};
    }
    return fmt::format("A GPU has no instruction for an atomic {} of {}: each is a compare-and-swap loop.", name(o.op),
                       c_name(o.type));
}

} // namespace warptree
