#include "app/run/tries/launch_beside.hpp"

#include "app/run/choice/begun_maximum.hpp"
#include "app/run/choice/block_elements.hpp"
#include "app/run/choice/block_shape.hpp"
#include "app/run/tries/past_the_end.hpp"
#include "app/run/tries/unequal_sizes.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace warptree::runs {

namespace {
// A bit fewer elements than an n that was chosen as a multiple of the block; 0: there is no such n.
std::uint64_t n_of_part_of_a_block(const KernelAttempt& shown) {
    const std::uint64_t block = simt::volume(shown.first().block), few = std::max<std::uint64_t>(1, block * 3 / 32);
    return shown.first().n_chosen && shown.first().block[1] == 1 && shown.first().n > few &&
                   shown.first().n % block == 0 &&
                   (shown.uses_n() || knows_its_block(shown.last().program(), shown.last().kernel()))
               ? shown.first().n - few
               : 0;
}

// "out[3] is 0": of a part of a block it is the last result that differs.
std::string last_of(const Trace& trace, const std::string& array, const Numbers& output) {
    return output.size() == 0 ? array + " has no result"
                              : fmt::format("{}[{}] is {}", array, output.size() - 1,
                                            to_string({trace.options.type, output.bits[output.size() - 1]}));
}

// Its output against what is expected.
Verdict judged(const KernelAttempt& shown, LaunchRun& run, const Numbers& output, const Trace& trace) {
    const KernelLaunch& launched = run.launch();
    const std::uint64_t scalars = run.components(launched.input);
    return judge(shown.expected(), run.take_inputs(), output, launched.n * scalars,
                 simt::volume(launched.block) * scalars, simt::volume(launched.grid), trace.tree.depth);
}

// A maximum that begins with 0 is right where any element is above it, and primes are. If it is wrong of negative elements,
// that run is shown if a maximum is expected; else the name of the result is taken back.
void try_negative_elements(KernelAttempt& shown, Trace& trace) {
    const bool expects = shown.expected().kind == Expected::Kind::total
                             ? shown.expected().op == Operator::max
                             : shown.expected().list == Expected::List::argmax;
    const bool named =
        trace.equals.find("max") != std::string::npos || trace.equals.find("largest") != std::string::npos;
    const std::uint32_t in = shown.first().input, out = shown.first().output;
    if (!shown.completed() || !trace.pass || shown.options().backend != Backend::cpu || trace.launches.size() != 1 ||
        !(expects || named) || shown.adjusted().contents != Adjusted::Contents::usual || in == compile::kNone ||
        out == compile::kNone || !shown.first().arguments[in].guessed ||
        !is_signed(shown.first().parameters[in].element)) {
        return;
    }
    Adjusted negative = shown.adjusted();
    negative.contents = Adjusted::Contents::negative;
    const compile::Parameter& result = shown.first().parameters[out];
    std::vector<std::uint64_t> sizes{0}; // 0: that of the launch shown
    if (const std::uint64_t part = n_of_part_of_a_block(shown); part != 0) {
        sizes.push_back(part);
    }
    for (const std::uint64_t n : sizes) {
        Launch unseen;
        std::optional<LaunchRun> run = shown.run_aside(negative, kFirstTries, unseen, n);
        // What a result begins with, in memory, is the host's.
        if (!run || ((result.loads || result.updates) && run->launch().arguments[out].fill == "zeros")) {
            return;
        }
        const Numbers output = run->output(shown.results(*run));
        if (named && shown.keeps_its_name(trace, *run)) {
            continue;
        }
        if (named) {
            trace.tried.push_back({.with = fmt::format("{} = negative{}", shown.first().parameters[in].name,
                                                       n == 0 ? "" : ", " + with_elements(n)),
                                   .found = "not " + trace.equals,
                                   .rest = fmt::format(": {}; what a maximum begins with must not be above any element",
                                                       last_of(trace, result.name, output))});
            return;
        }
        if (!judged(shown, *run, output, trace).pass) {
            const KernelLaunch usual = shown.first();
            std::vector<OtherLaunch> tried = std::move(trace.tried);
            negative.n = n == 0 ? negative.n : n;
            trace = shown.attempt(negative, shown.instructions());
            tried.push_back({.with = fmt::format("{}", fmt::join(shown.other_arguments(usual), ", ")),
                             .found = "right",
                             .rest = ", as an element is above what the maximum begins with",
                             .wrong = false});
            trace.tried = std::move(tried);
            return;
        }
    }
}

// What an n that was chosen as a multiple of the block hides: barriers in a last block that is not full, and
// accesses past the n elements of an array.
void try_part_of_a_block(KernelAttempt& shown, Trace& trace) {
    const auto of_barriers = [](const Finding& f) {
        return f.kind == FindingKind::barrier_divergence || f.kind == FindingKind::deadlock;
    };
    // Of lanes that have ended, and of words that only they would have written.
    const auto of_missing_threads = [&](const Finding& f) {
        const auto same = [&](const Finding& k) { return k.kind == f.kind && k.array == f.array; };
        return (f.kind == FindingKind::bad_mask || f.kind == FindingKind::inactive_lane ||
                f.kind == FindingKind::uninitialised) &&
               std::ranges::none_of(trace.launches.front().findings, same);
    };
    const std::vector<Finding>& known = trace.launches.front().findings;
    const std::uint64_t n = n_of_part_of_a_block(shown);
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none || n == 0 ||
        std::any_of(known.begin(), known.end(), of_barriers)) {
        return;
    }
    Launch launch;
    const std::optional<LaunchRun> run = shown.run_aside(shown.adjusted(), kAside, launch, n);
    const auto barrier = std::ranges::find_if(launch.findings, of_barriers);
    const auto missing = std::ranges::find_if(launch.findings, of_missing_threads);
    const bool both = missing != launch.findings.end() && barrier != launch.findings.end();
    if (missing != launch.findings.end() &&
        (!both || missing->severity < barrier->severity)) { // what is wrong comes first
        trace.tried.push_back(with_n(n, trace, launch, *missing));
    }
    if (barrier != launch.findings.end()) {
        trace.tried.push_back(with_n(n, trace, launch, *barrier));
    }
    if (missing == launch.findings.end() && barrier == launch.findings.end() && run) {
        std::vector<PastTheEnd> all_past = past_the_end(*run);
        Launch unseen; // what takes pairs may leave the last of an odd number, or go past it
        const std::optional<LaunchRun> odd =
            all_past.empty() ? shown.run_aside(shown.adjusted(), kAside, unseen, n - 1) : std::nullopt;
        all_past = odd ? past_the_end(*odd) : all_past;
        const std::vector<PastTheEnd> here = past_the_end(shown.last());
        for (const PastTheEnd& past : all_past) {
            trace.tried.push_back(past_the_end_of(odd ? *odd : *run, past));
            const auto same = std::ranges::find(here, past.parameter, &PastTheEnd::parameter);
            if (!odd && !past.meant && same != here.end() && past.last == past.elements) {
                trace.tried.back().rest +=
                    fmt::format(", as {}[{}] is with n = {}", shown.first().parameters[past.parameter].name, same->last,
                                shown.first().n);
            }
        }
        const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
        if (!all_past.empty() || trace.equals.empty() || shown.output().size() > simt::volume(shown.first().grid) ||
            std::ranges::none_of(shown.first().arguments, is_n)) {
            return;
        }
        for (const auto& [other_n, other] : {std::pair{n, &run}, std::pair{n - 1, &odd}}) {
            if (!*other || shown.keeps_its_name(trace, **other)) {
                continue;
            }
            trace.tried.push_back({.with = with_elements(other_n),
                                   .found = "not " + trace.equals,
                                   .rest = ": " + last_of(trace, shown.first().parameters[shown.first().output].name,
                                                          (*other)->output(shown.results(**other))),
                                   .n = other_n});
            break;
        }
    }
}

// The same of tiles: a result whose name does not hold where n is no multiple of the block's side.
void try_part_of_a_tile(KernelAttempt& shown, Trace& trace) {
    constexpr std::uint64_t kFewer = 5;
    const std::uint64_t n = shown.first().n - kFewer;
    if (!shown.completed() || shown.options().backend != Backend::cpu || trace.equals.empty() ||
        shown.expected().kind != Expected::Kind::none || !shown.first().n_chosen || shown.first().block[1] == 1 ||
        shown.first().n <= 2 * kFewer || !shown.uses_n() || !trace.tried.empty() ||
        !trace.launches.front().findings.empty()) {
        return;
    }
    Launch unseen;
    const std::optional<LaunchRun> run = shown.run_aside(shown.adjusted(), kFirstTries, unseen, n);
    const auto barrier = std::ranges::find_if(unseen.findings, [](const Finding& f) {
        return f.kind == FindingKind::barrier_divergence || f.kind == FindingKind::deadlock;
    });
    if (barrier != unseen.findings.end()) { // why it does not hold then
        trace.tried.push_back(with_n(n, trace, unseen, *barrier));
    } else if (run && !shown.keeps_its_name(trace, *run)) {
        trace.tried.push_back({.with = with_elements(n),
                               .found = "not " + trace.equals,
                               .rest = fmt::format(", which it is where n is a multiple of {}", shown.first().block[0]),
                               .n = n});
    }
}

// A result that is right of an n that was chosen as a multiple of the block, and wrong where the last block is not full.
void try_expected_in_a_part(KernelAttempt& shown, Trace& trace) {
    const std::uint64_t n = n_of_part_of_a_block(shown);
    if (!shown.completed() || !trace.pass || shown.options().backend != Backend::cpu || trace.launches.size() != 1 ||
        shown.expected().kind == Expected::Kind::none || n == 0) {
        return;
    }
    Launch unseen;
    std::optional<LaunchRun> run = shown.run_aside(shown.adjusted(), kAside, unseen, n);
    const auto fault = std::ranges::find(unseen.findings, Severity::fault, &Finding::severity);
    if (fault != unseen.findings.end()) {
        trace.tried.push_back(with_n(n, trace, unseen, *fault));
        return;
    }
    if (!run) {
        return;
    }
    const Verdict verdict = judged(shown, *run, run->output(shown.results(*run)), trace);
    if (!verdict.pass) {
        trace.tried.push_back(
            {.with = with_elements(n),
             .found = "wrong",
             .rest = fmt::format(
                 ": {}{}, expected {}", verdict.first_wrong ? fmt::format("element {} is ", *verdict.first_wrong) : "",
                 to_string({trace.options.type, verdict.result}), to_string({trace.options.type, verdict.reference})),
             .n = n});
    }
}

// What an n leaves open that somebody stated, or that is no number of whole blocks: whether arrays of unstated size have n
// elements. Where the kernel goes past them, the launch is tried with so many.
void try_arrays_of_n(KernelAttempt& shown, Trace& trace) {
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none || n_of_part_of_a_block(shown) != 0) {
        return;
    }
    for (const PastTheEnd& past : past_the_end(shown.last())) {
        if (past.meant) {
            trace.tried.push_back(past_the_end_of(shown.last(), past));
            continue;
        }
        const std::string& name = shown.first().parameters[past.parameter].name;
        RunOptions o = shown.options();
        o.kernel.arguments[name] = fmt::format("{}:{}", shown.first().arguments[past.parameter].text, past.elements);
        Launch launch;
        shown.run_aside(o, shown.adjusted(), kAside, launch, shown.first().n);
        const auto found = std::find_if(launch.findings.begin(), launch.findings.end(), [&](const Finding& f) {
            return f.kind == FindingKind::out_of_bounds && f.array == name;
        });
        // A total in the element after n is no mistake; what thread n stores is.
        const std::uint64_t block = simt::volume(shown.first().block),
                            threads = simt::volume(shown.first().grid) * block;
        const bool own = found != launch.findings.end() && past.elements % threads != 0 &&
                         found->block * block + found->thread == past.elements % threads;
        if (found != launch.findings.end() && (own || !shown.first().parameters[past.parameter].stores ||
                                               shown.first().arguments[past.parameter].guessed)) {
            found->severity = Severity::risk;
            found->times = past.last + 1 - past.elements;
            found->text = fmt::format("it may have only {} elements, here {}: a guard as if (i < {}) keeps threads "
                                      "from what is past them",
                                      past.of, past.elements, past.of);
            trace.launches.front().findings.push_back(std::move(*found));
        }
    }
}

// How many elements of an array of n * n the launch reaches if nothing keeps its threads from what is past them in x, in y
// or in both, row by row or column by column.
std::set<std::uint64_t> reached_without_guard(const KernelLaunch& launch) {
    const std::uint64_t n = launch.n, w = std::uint64_t{launch.grid[0]} * launch.block[0],
                        h = std::uint64_t{launch.grid[1]} * launch.block[1];
    return {(h - 1) * n + w, (n - 1) * n + w, h * n, (w - 1) * n + h, (n - 1) * n + h, w * n};
}

// The same in two dimensions: whether threads beyond width and height, which are n, stay within arrays of n * n elements.
void try_square_arrays(KernelAttempt& shown, Trace& trace) {
    const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
    constexpr std::uint64_t kFewer = 5;
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none || shown.first().block[1] == 1 ||
        std::ranges::none_of(shown.first().arguments, is_n) || shown.first().n <= 2 * kFewer ||
        rows_are_longer(shown.last().program(), shown.last().kernel())) {
        return;
    }
    const std::uint64_t n = shown.first().n_chosen ? shown.first().n - kFewer : shown.first().n;
    RunOptions o = shown.options();
    std::set<std::string> square;
    const auto has_all = [&](std::uint32_t p) {
        return shown.last().is_array(p) && shown.last().reached(p) == shown.first().n * shown.first().n;
    };
    bool whole = false;
    for (std::uint32_t p = 0; p < shown.first().parameters.size(); ++p) {
        whole = whole || has_all(p);
    }
    for (std::uint32_t p = 0; p < shown.first().parameters.size(); ++p) {
        const std::uint64_t reached = shown.last().is_array(p) ? shown.last().reached(p) : 0,
                            all = shown.first().n * shown.first().n;
        // Or a neighbour's row or column past them, beside an array that has as many.
        const bool neighbours = whole && reached > all && reached <= all + shown.first().n + 1;
        if (!shown.first().arguments[p].stated && shown.last().is_array(p) && shown.last().components(p) == 1 &&
            (neighbours ||
             (shown.first().n_chosen ? reached == all
                                     : reached > all && reached_without_guard(shown.first()).contains(reached)))) {
            const std::string& name = shown.first().parameters[p].name;
            o.kernel.arguments[name] = fmt::format("{}:{}", shown.first().arguments[p].text, n * n);
            square.insert(name);
        }
    }
    if (square.empty()) {
        return;
    }
    Launch launch;
    shown.run_aside(o, shown.adjusted(), kAside, launch, n);
    const auto found = std::ranges::find_if(launch.findings, [&](const Finding& f) {
        return f.kind == FindingKind::out_of_bounds && square.contains(f.array);
    });
    if (found == launch.findings.end()) {
        return;
    }
    // No guard would leave the first thread a part in it.
    found->text = fmt::format("it may have only n * n elements, here {} * {}: {}", n, n,
                              found->thread == 0 && found->block == 0
                                  ? "its loop runs too far"
                                  : "a guard in x and y keeps threads from what is past them");
    found->severity = Severity::risk;
    if (shown.first().n_chosen) {
        trace.tried.push_back(with_n(n, trace, launch, *found));
    } else {
        trace.launches.front().findings.push_back(std::move(*found));
    }
}

// A flag that threads wait for and that the kernel never sets is made up, and found set: what the kernel does where nobody sets it.
void try_unset_flags(KernelAttempt& shown, Trace& trace) {
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none) {
        return;
    }
    for (std::size_t p = 0; p < shown.first().parameters.size(); ++p) {
        const compile::Parameter& flag = shown.first().parameters[p];
        if (flag.kind != compile::Parameter::Kind::array || !flag.loads || flag.stores || flag.updates ||
            !shown.first().arguments[p].guessed || flag.type.find("volatile") == std::string::npos) {
            continue;
        }
        RunOptions o = shown.options();
        o.kernel.arguments[flag.name] = "zeros";
        Launch launch;
        shown.run_aside(o, shown.adjusted(), kAside, launch, 0);
        const auto found = std::ranges::find_if(launch.findings, [](const Finding& f) {
            return f.kind == FindingKind::deadlock || f.kind == FindingKind::endless;
        });
        if (found != launch.findings.end()) {
            trace.tried.push_back(launched_with(flag.name + " = zeros", trace, launch, *found));
        }
    }
}
} // namespace

void try_a_second_tile(KernelAttempt& shown, Trace& trace) {
    const auto [x, y] = elements_of_blocks(shown.last().program(), shown.last().kernel()).strides;
    const std::uint64_t tile = std::max(x, y);
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none || !shown.first().n_chosen || shown.first().block[1] == 1 ||
        tile < shown.first().n || !trace.launches.front().findings.empty()) {
        return;
    }
    Adjusted other = shown.adjusted();
    other.n = 2 * tile;
    Launch unseen;
    shown.run_aside(other, kFirstTries, unseen, other.n);
    if (unseen.findings.empty()) {
        return;
    }
    const Adjusted before = shown.adjusted();
    const std::uint64_t n = shown.first().n;
    std::vector<OtherLaunch> tried = std::move(trace.tried);
    trace = shown.attempt(other, shown.instructions());
    if (shown.completed() && !trace.launches.front().findings.empty()) {
        tried.push_back({.with = with_elements(n),
                         .found = "nothing found",
                         .rest = ", as one tile is all that there is",
                         .wrong = false});
    } else {
        trace = shown.attempt(before, shown.instructions());
    }
    trace.tried = std::move(tried);
}

namespace {
// Of a launch of more blocks than are traced a smaller one tells.
void try_edges(KernelAttempt& shown, Trace& trace) {
    const Launch& launch = trace.launches.front();
    const auto tell = [&trace](const LaunchRun& run, const Launch& of) {
        for (const PastTheEnd& past : past_one_edge(run, of)) {
            trace.tried.push_back(past_the_end_of(run, past));
        }
    };
    const std::uint64_t n = shown.last().launch().n;
    if (n == 0 || launch.in_window(static_cast<std::uint32_t>((n - 1) / launch.block))) {
        tell(shown.last(), launch);
    } else if (shown.options().backend == Backend::cpu && passes_an_edge(shown.last())) {
        constexpr std::uint32_t kBlocks = 4;
        Launch few;
        if (const auto run = shown.run_aside(shown.options(), shown.adjusted(), kFirstTries, few,
                                             std::uint64_t{kBlocks} * launch.block, {0, kBlocks})) {
            tell(*run, few);
        }
    }
}
} // namespace

void try_beside(KernelAttempt& shown, Trace& trace) {
    try_unequal_sizes(shown, trace);
    try_negative_elements(shown, trace);
    if (trace.tried.empty()) {
        try_begun_maximum(shown, trace);
    }
    try_part_of_a_block(shown, trace);
    try_expected_in_a_part(shown, trace);
    try_arrays_of_n(shown, trace);
    if (shown.completed() && shown.expected().kind == Expected::Kind::none && trace.tried.empty()) {
        try_edges(shown, trace);
    }
    try_square_arrays(shown, trace);
    try_part_of_a_tile(shown, trace);
    try_unset_flags(shown, trace);
}

} // namespace warptree::runs
