#include "app/catalogue/strategy.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/atomic_words.hpp"
#include "app/views/branches.hpp"
#include "app/views/lane_look.hpp"
#include "app/views/parts.hpp"
#include "app/views/running.hpp"
#include "app/views/sector_words.hpp"
#include "app/views/summary_kernel.hpp"
#include "app/views/totals.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptree::scene {

namespace {

std::uint64_t threads_of(const Launch& launch) { return static_cast<std::uint64_t>(launch.grid) * launch.block; }
std::uint64_t warps_of(const Launch& launch) { return static_cast<std::uint64_t>(launch.grid) * launch.warps(); }

// "all 8 warps have", "2 of 8 warps have"
std::string part_of_warps(std::uint64_t some, std::uint64_t all, const char* one, const char* many) {
    if (some == all) {
        return all == 1   ? std::string("the only warp ") + one
               : all == 2 ? std::string("both warps ") + many
                          : "all " + grouped(all) + " warps " + many;
    }
    return grouped(some) + " of " + grouped(all) + " warps " + (some == 1 ? one : many);
}

// "8 of 64 threads combine", "all 64 threads combine", "the only thread combines"
std::string part_of_threads(std::uint64_t some, std::uint64_t all, const char* one, const char* many) {
    if (some == all) {
        return all == 1   ? std::string("the only thread ") + one
               : all == 2 ? std::string("both threads ") + many
                          : "all " + grouped(all) + " threads " + many;
    }
    return (some == 0 ? std::string("none") : grouped(some)) + " of " + plural(all, "thread") + " " +
           (some == 1 ? one : many);
}

std::string capitalized(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

// Empty without bank conflicts.
std::string wavefront_sentence(const Counters& c) {
    const bool loads = c.shared_load_wavefronts > c.shared_load_ideal;
    const bool stores = c.shared_store_wavefronts > c.shared_store_ideal;
    std::string text;
    if (loads) {
        text = fmt::format(" Bank conflicts: loads take {} where {} would do",
                           plural(c.shared_load_wavefronts, "wavefront"), grouped(c.shared_load_ideal));
    }
    if (stores) {
        text += fmt::format("{}stores {}{} where {} would do", loads ? ", " : " Bank conflicts: ", loads ? "" : "take ",
                            loads ? grouped(c.shared_store_wavefronts) : plural(c.shared_store_wavefronts, "wavefront"),
                            grouped(c.shared_store_ideal));
    }
    return text.empty() ? text : text + ".";
}

std::uint64_t useless(const Counters& c) {
    const std::uint64_t known = c.useful_combines + c.padding_combines;
    return c.combines - std::min(c.combines, known);
}

std::string padding_sentence(const Counters& c) {
    if (c.padding_combines == 0) {
        return {};
    }
    if (c.combines == 1) {
        return " Its combine changes nothing, whatever the data: an operand is no element but the identity, as 0 is of "
               "a sum.";
    }
    return c.padding_combines == c.combines ? fmt::format(" All {} combines change nothing, whatever the data: one of "
                                                          "their operands is no element but the identity.",
                                                          grouped(c.combines))
                                            : fmt::format(" {} of {} combines {} nothing, whatever the data: an "
                                                          "operand is no element but the identity, as 0 is of a sum.",
                                                          grouped(c.padding_combines), grouped(c.combines),
                                                          c.padding_combines == 1 ? "changes" : "change");
}

// A step in which nothing combines: what does happen. unset: an array of which it reads what is not yet written.
std::string sentence_without_combines(const Counters& c, const std::string& unset = {}) {
    std::vector<std::string> parts;
    const auto add = [&](std::uint64_t count, const char* what, const char* where) {
        if (count != 0) {
            parts.push_back(plural(count, what) + where);
        }
    };
    add(c.global_load_requests, "load request", " to global memory");
    add(c.global_store_requests, "store request", " to global memory");
    add(c.shared_load_requests, "load request", " to shared memory");
    add(c.shared_store_requests, "store request", " to shared memory");
    add(c.shuffles, "warp shuffle", "");
    add(c.atomics, "atomic operation", "");
    if (parts.empty()) {
        return "No thread combines or accesses memory.";
    }
    return fmt::format("{}; there {} {}.",
                       unset.empty() ? "No thread combines"
                                     : "No element takes part: what is read of " + unset + " is not yet written",
                       parts.size() == 1 && parts.front().starts_with("1 ") ? "is" : "are", fmt::join(parts, ", "));
}

std::string stage_sentence(const Launch& launch, const Step& step) {
    const Counters& c = step.counters;
    if (c.combines == 0) {
        const auto unset = std::ranges::find_if(launch.findings, [&](const Finding& f) {
            return f.kind == FindingKind::uninitialised && f.step < launch.steps.size() &&
                   &launch.steps[f.step] == &step;
        });
        return sentence_without_combines(c, unset == launch.findings.end() ? std::string() : unset->array) +
               wavefront_sentence(c);
    }
    const std::uint64_t warps = warps_of(launch);
    std::string text = capitalized(part_of_threads(c.active_threads, threads_of(launch), "combines", "combine"));
    const std::uint64_t idle = warps - std::min(warps, c.active_warps);
    if (c.divergent_warps != 0 && c.active_threads == threads_of(launch)) {
        text += "; " +
                part_of_warps(c.divergent_warps, warps, "takes both sides of a branch, one after the other",
                              "take both sides of a branch, one after the other") +
                ".";
    } else if (c.divergent_warps != 0) {
        text += "; " + part_of_warps(c.divergent_warps, warps, "has inactive lanes", "have inactive lanes");
        text += idle != 0 ? fmt::format(", {} idle.", idle == 1 ? std::string("1 is") : grouped(idle) + " are") : ".";
    } else if (idle != 0) {
        text += fmt::format("; {} idle and no warp diverges.", part_of_warps(idle, warps, "is", "are"));
    } else {
        text += "; no lane is inactive.";
    }
    text += wavefront_sentence(c);
    text += padding_sentence(c);
    if (const std::uint64_t lost = useless(c); lost != 0) {
        text += c.combines == 1 ? std::string(" Its combine does not reach the result.")
                                : fmt::format(" {} of {} {} not reach the result.", grouped(lost),
                                              plural(c.combines, "combine"), lost == 1 ? "does" : "do");
    }
    if (c.shuffles != 0) {
        text +=
            fmt::format(" Values move by {} between registers; no shared memory.", plural(c.shuffles, "warp shuffle"));
        if (c.shared_load_requests + c.shared_store_requests != 0) {
            text.replace(text.rfind("; no shared memory"), 18, "");
        }
    }
    return text;
}

std::string load_sentence(const Launch& launch, const Counters& c) {
    if (c.global_load_requests == 0 && c.combines == 0) {
        return sentence_without_combines(c) + wavefront_sentence(c);
    }
    std::string text = fmt::format("{} from global memory: {} for {} of 32 bytes.",
                                   capitalized(part_of_threads(c.active_threads, threads_of(launch), "loads", "load")),
                                   plural(c.global_load_requests, "request"), plural(c.global_load_sectors, "sector"));
    if (c.combines != 0) {
        text += fmt::format(" {} already while loading.", c.combines == 1 ? std::string("1 combine happens")
                                                                          : grouped(c.combines) + " combines happen");
        text += padding_sentence(c);
    }
    return text + wavefront_sentence(c);
}

std::string other_sentence(const Launch& launch, const Counters& c) {
    if (c.active_threads == 0) {
        return sentence_without_combines(c) + wavefront_sentence(c);
    }
    return capitalized(part_of_threads(c.active_threads, threads_of(launch), "accesses memory", "access memory")) +
           ", and none combines." + wavefront_sentence(c);
}

std::string store_sentence(const Launch& launch, const Counters& c) {
    if (c.atomics != 0) {
        return fmt::format("{} {} a value into the total, one after another: {}.", plural(c.active_threads, "thread"),
                           c.active_threads == 1 ? "combines" : "combine", plural(c.atomics, "atomic operation"));
    }
    if (launch.stores_each_element()) {
        return fmt::format("{} {} of the scan to global memory: {} of 32 bytes.",
                           capitalized(part_of_threads(c.active_threads, threads_of(launch), "stores", "store")),
                           launch.elements > threads_of(launch) ? "elements" : "an element",
                           plural(c.global_store_sectors, "sector"));
    }
    return fmt::format("{} the result of {} to global memory.",
                       capitalized(part_of_threads(c.active_threads, threads_of(launch), "stores", "store")),
                       launch.grid == 1 ? "the block" : "each block");
}

// Lanes of the traced warps in a step whose lanes are on different paths: each path is issued to the whole warp.
struct IssuedLanes {
    std::uint64_t active = 0, issued = 0, warps = 0, diverging = 0;
    bool split = false;
};

IssuedLanes issued_by_sides(const Launch& launch, std::uint32_t step) {
    IssuedLanes lanes;
    for (std::uint32_t b = launch.window_first; b < launch.window_first + launch.window_count; ++b) {
        for (std::uint32_t w = 0; w < launch.warps(); ++w) {
            const WarpStep row = lanes_at_work(launch, b, step, w);
            if (row.active == 0) {
                continue;
            }
            lanes.split = lanes.split || row.other_path != 0;
            lanes.active += static_cast<std::uint64_t>(std::popcount(row.active));
            ++lanes.warps;
            lanes.diverging += row.active != row.existing ? 1U : 0U;
            lanes.issued += static_cast<std::uint64_t>(std::popcount(row.existing)) * (row.other_path != 0 ? 2U : 1U);
        }
    }
    return lanes;
}

// Where branches split warps all of whose lanes are active at one time or another: how many are at its memory accesses.
void add_lanes_at_accesses(const Launch& launch, std::uint32_t step, std::vector<Fact>& facts) {
    constexpr std::size_t kMost = std::size_t{1} << 18; // requests, all of which are looked at
    std::uint64_t held = 0, all = 0, requests = 0;
    for (std::size_t i = 0; launch.requests.size() <= kMost && i < launch.requests.size(); ++i) {
        const Request& r = launch.requests[i];
        if (r.step == step) {
            ++requests;
            held += static_cast<std::uint64_t>(std::popcount(r.mask));
            all += static_cast<std::uint64_t>(std::popcount(launch.warp_step(r.block, step, r.warp).existing));
        }
    }
    if (requests != 0) {
        facts.push_back({"lanes at accesses", fmt::format("{} of {}", grouped(held), grouped(all)),
                         "in " + plural(requests, "request"), held != all});
    }
}

void add_facts(const Trace& trace, const Launch& launch, std::uint32_t step, std::vector<Fact>& facts) {
    const Counters& c = launch.steps[step].counters;
    // Share of issued lanes: a warp without active lanes issues nothing, and one that is split once for either side.
    const std::uint64_t issued = std::min(c.active_warps * kWarpSize, threads_of(launch));
    const IssuedLanes sides = issued_by_sides(launch, step);
    const bool only_access = c.active_threads == 0 && sides.active != 0;
    if (!sides.split && splits_unseen(launch, step) && (!only_access || sides.active == sides.issued)) {
        add_lanes_at_accesses(launch, step, facts);
    } else if (sides.split || only_access) {
        facts.push_back(
            {"lanes active",
             fmt::format("{:.4g} %", 100.0 * static_cast<double>(sides.active) / static_cast<double>(sides.issued)),
             fmt::format("{} of {} issued{}{}", grouped(sides.active), grouped(sides.issued),
                         launch.window_count < launch.grid ? " in traced blocks" : "",
                         sides.split ? ", a split warp twice" : ""),
             sides.split});
    } else if (issued != 0) {
        facts.push_back(
            {"lanes active",
             fmt::format("{:.4g} %", 100.0 * static_cast<double>(c.active_threads) / static_cast<double>(issued)),
             grouped(c.active_threads) + " of " + grouped(issued) + " issued", false});
    }
    if (const SplitWarps split = split_by_branches(launch, step); c.divergent_warps == 0 && split.warps != 0) {
        facts.push_back(
            {split.lines.size() == 1 ? "warps split by a branch" : "warps split by branches", grouped(split.warps),
             fmt::format("of {} traced, {}", grouped(split.traced), written_lines(trace, split.lines)), true});
    } else {
        const bool told =
            c.active_warps != 0 || sides.warps == 0; // else in the steps of which the trace counts no lane
        const std::uint64_t diverging = told ? c.divergent_warps : sides.diverging;
        if (const std::uint64_t active = told ? c.active_warps : sides.warps;
            active != 0) { // else none accesses memory
            facts.push_back(
                {"warps diverging", grouped(diverging), "of " + grouped(active) + " active", diverging != 0});
        }
    }
    const auto wavefronts = [&](const char* label, std::uint64_t requests, std::uint64_t taken, std::uint64_t ideal) {
        if (requests != 0) {
            facts.push_back({label, grouped(taken), "ideal " + grouped(ideal), taken > ideal});
        }
    };
    wavefronts("load wavefronts", c.shared_load_requests, c.shared_load_wavefronts, c.shared_load_ideal);
    wavefronts("store wavefronts", c.shared_store_requests, c.shared_store_wavefronts, c.shared_store_ideal);
    if (c.combines != 0) {
        std::string note = c.combines == c.useful_combines ? "all useful" : grouped(c.useful_combines) + " useful";
        note += c.padding_combines == 0 ? "" : fmt::format(", {} change nothing", grouped(c.padding_combines));
        facts.push_back({"combines", grouped(c.combines), std::move(note), useless(c) != 0});
    }
    if (c.shuffles != 0) {
        facts.push_back({"shuffles", grouped(c.shuffles), "one per warp", false});
    }
    const auto sectors = [&](const char* label, AccessKind kind, std::uint64_t requests, std::uint64_t taken) {
        constexpr std::size_t kFewRequests = std::size_t{1} << 18; // all of which are read for it
        if (requests != 0) {
            const SectorUse use = launch.requests.size() <= kFewRequests ? sector_use(launch, kind, step) : SectorUse();
            facts.push_back({label, grouped(taken), sectors_note(use, launch.window_count == launch.grid, requests),
                             use.touched > use.fewest});
        }
    };
    sectors("load sectors", AccessKind::global_load, c.global_load_requests, c.global_load_sectors);
    sectors("store sectors", AccessKind::global_store, c.global_store_requests, c.global_store_sectors);
    if (c.atomics != 0) {
        const AtomicWords words = atomic_words(launch, step);
        facts.push_back({"atomics", grouped(c.atomics),
                         words.most > 1       ? fmt::format("{} of a warp on one word", words.most)
                         : words.updates != 0 ? "a word for each lane"
                                              : "one after another",
                         words.most > 1});
    }
    facts.push_back({"barriers", grouped(c.barriers),
                     launch.grid == 1 ? "this step"
                     : c.barriers % launch.grid == 0
                         ? fmt::format("{} in each block", grouped(c.barriers / launch.grid))
                         : "counted once per block",
                     false});
    if (c.hazards != 0) {
        facts.push_back({"races", grouped(c.hazards), "by warp and element", true});
    }
}

// The races of the step, and an explanation of the leading one.
void add_races(const Trace& trace, const Launch& launch, std::uint32_t step, StepSummary& summary) {
    if (launch.steps[step].counters.hazards == 0) {
        return;
    }
    summary.sentence += " Threads race: they access the same words, and nothing orders them.";
    if (const Hazard* hazard = leading_hazard(launch, step, launch.window_first)) {
        summary.sentence += " " + explain(trace, launch, *hazard);
    }
}

// Threads that wait forever in this step.
void add_stalls(const Trace& trace, const Launch& launch, std::uint32_t step, StepSummary& summary) {
    for (const StallGroup& g : stall_groups(launch)) {
        if (g.step != step || g.block != launch.window_first) {
            continue;
        }
        const bool polls = g.kind == StallKind::memory;
        summary.sentence += fmt::format(" In block {} {} wait{} forever at {}, {}.", g.block, thread_ranges(g),
                                        g.waiting == 1 ? "s" : "", place_of(trace, g.line),
                                        polls ? std::string("for a value in memory that no thread stores any more")
                                              : fmt::format("where all {} would have to arrive", g.expected));
        summary.facts.push_back({"waiting", grouped(g.waiting),
                                 polls ? std::string("for memory") : fmt::format("of {} expected", g.expected), true});
    }
}

// At the end of a run: the result, if it is wrong, missing, or has no expected value.
void add_verdict(const Trace& trace, StepSummary& summary) {
    if (is_kernel_file(trace) && (expects_nothing(trace) || !trace.completed())) {
        summary.facts.push_back(kernel_result(trace));
        constexpr std::size_t kOthers = 3;
        for (std::size_t i = 1;
             trace.completed() && !is_program(trace) && i < std::min(trace.outputs.size(), 1 + kOthers); ++i) {
            const KernelOutput& other = trace.outputs[i];
            summary.facts.push_back({other.name, other.count == 0 ? "none" : first_values(other),
                                     other.count == 0 ? "nothing is stored" : "", false});
        }
        summary.sentence += trace.completed() ? ""
                            : trace.launches.back().stalled_blocks != 0
                                ? " The launch never completes, and there is no result."
                                : " The run ends here, and there is no result.";
        if (trace.completed() && trace.equals.empty() && !is_program(trace)) {
            summary.sentence += left_out(trace.launches.back());
        }
        return;
    }
    if (!trace.completed()) {
        summary.sentence += " The launch never completes, and there is no result.";
        summary.facts.push_back({"result", "none", "expected: " + to_string(trace.reference), true});
    } else if (const std::string missing = missing_result(trace); !missing.empty()) {
        summary.sentence += " The result is wrong: " + missing + ".";
        summary.facts.push_back({"result", "none", "expected: " + to_string(trace.reference), true});
    } else if (!trace.pass) {
        summary.sentence +=
            fmt::format(" The result is wrong: {} instead of {}.", to_string(trace.result), to_string(trace.reference));
        summary.facts.push_back({"result", to_string(trace.result), "expected: " + to_string(trace.reference), true});
        summary.sentence += is_kernel_file(trace) ? left_out(trace.launches.back()) : std::string();
    }
}

StepSummary host_summary(const Trace& trace) {
    StepSummary summary;
    summary.title = "host";
    summary.sentence = fmt::format("The host combines {} in pairs; the result is {}.",
                                   plural(trace.host_partials, "partial result"), to_string(trace.result));
    if (!trace.pass) {
        summary.sentence += fmt::format(" It is wrong: {} would be right.", to_string(trace.reference));
    }
    summary.facts.push_back({"partials", grouped(trace.host_partials), "one per block", false});
    summary.facts.push_back(
        {"combines", grouped(trace.host_partials == 0 ? 0 : trace.host_partials - 1), "on the host", false});
    summary.facts.push_back({"result", to_string(trace.result),
                             trace.pass ? "agrees with the reference" : "differs from the reference", !trace.pass});
    return summary;
}

} // namespace

StepSummary summarize(const Trace& trace, const session::Moment& moment) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || launch->steps.empty()) {
        return {"",
                is_program(trace) ? "The program launches no kernel that ran; its story says how it ended."
                                  : "Nothing ran.",
                {}};
    }
    if (is_host(trace, moment)) {
        return host_summary(trace);
    }
    const std::uint32_t now = current_step(trace, moment);
    const Step& step = launch->steps[now];
    StepSummary summary;
    summary.title = step.label;
    switch (step.kind) {
    case StepKind::load: summary.sentence = load_sentence(*launch, step.counters); break;
    case StepKind::stage: summary.sentence = stage_sentence(*launch, step); break;
    case StepKind::other: summary.sentence = other_sentence(*launch, step.counters); break;
    case StepKind::store:
        summary.sentence = is_kernel_file(trace)
                               ? kernel_store_sentence(*launch, now) + wavefront_sentence(step.counters)
                           : launch->stalled_blocks == launch->grid ? "No thread gets as far as the store."
                                                                    : store_sentence(*launch, step.counters);
        break;
    }
    summary.sentence += sector_reason(*launch, now);
    if (!step.purpose.empty()) {
        summary.sentence = step.purpose + " " + summary.sentence;
    }
    if (step.counters.atomics != 0) {
        if (const std::string atomics = explain_atomics(trace); !atomics.empty()) {
            summary.sentence += " " + atomics;
        }
    }
    if (const Counters& c = step.counters; step.kind != StepKind::stage && c.combines == 0 && c.divergent_warps != 0 &&
                                           c.active_threads == threads_of(*launch)) {
        summary.sentence +=
            fmt::format(" {}.", capitalized(part_of_warps(c.divergent_warps, warps_of(*launch),
                                                          "takes both sides of a branch, one after the other",
                                                          "take both sides of a branch, one after the other")));
    }
    add_facts(trace, *launch, static_cast<std::uint32_t>(now), summary.facts);
    if (launch->steps[now].counters.divergent_warps == 0) {
        summary.sentence += first_split(trace, *launch, now);
    }
    add_races(trace, *launch, now, summary);
    add_stalls(trace, *launch, now, summary);
    if (launch == &trace.launches.back() && now + 1 == launch->steps.size() && trace.host_partials <= 1) {
        add_verdict(trace, summary);
    }
    return summary;
}

} // namespace warptree::scene
