// A comparison in words.
#include "app/features/compare/compare_table.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/model/metrics.hpp"
#include "app/views/parts.hpp"
#include "app/views/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace warptree::scene {

namespace {
// "21 extra wavefronts", "no extra wavefronts instead of 21", "5 barriers instead of 8"; empty where nothing changed.
std::string instead(std::uint64_t before, std::uint64_t after, const std::string& singular, const char* ending = "s") {
    if (before == after) {
        return "";
    }
    const std::string now = after == 0   ? "no " + singular + ending
                            : after == 1 ? "1 " + singular
                                         : grouped(after) + " " + singular + ending;
    return before == 0 ? now : fmt::format("{} instead of {}", now, grouped(before));
}

std::string tree_words(const Trace& before, const Trace& after, Trees trees) {
    const std::uint64_t was = before.tree.useful_combines, is = after.tree.useful_combines;
    std::string out;
    if (before.tree.combines == 0 && after.tree.combines == 0) {
        return "";
    }
    if (trees == Trees::different) {
        out = was == is ? fmt::format("another tree of the same {}", plural(is, "combine"))
                        : fmt::format("another tree, {} instead of {}", plural(is, "combine"), grouped(was));
    } else {
        out = was == is ? fmt::format("same tree, same {}", plural(is, "combine"))
                        : fmt::format("same tree in a block, {}", instead(was, is, "combine"));
        out += trees == Trees::same ? ", by other threads" : ", by the same threads";
    }
    const auto useless_of = [](const TreeTotals& t) { return t.combines - t.useful_combines - t.padding_combines; };
    const std::uint64_t useless_before = useless_of(before.tree), useless = useless_of(after.tree);
    if (useless != useless_before) {
        out += useless_before == 0 ? fmt::format(", and {} useless one{}", grouped(useless), useless == 1 ? "" : "s")
                                   : fmt::format(", {} useless instead of {}", useless == 0 ? "none" : grouped(useless),
                                                 grouped(useless_before));
    }
    if (before.tree.padding_combines != after.tree.padding_combines) {
        out += fmt::format(", {} of padding",
                           instead(before.tree.padding_combines, after.tree.padding_combines, "combine"));
    }
    return out;
}

// "0", "2–3", "1, 4–7"
std::string ranges(const std::vector<std::uint32_t>& sorted) {
    std::string out;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t end = i + 1;
        while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) {
            ++end;
        }
        out += (out.empty() ? "" : ", ") + std::to_string(sorted[i]);
        out += end - i > 1 ? "\u2013" + std::to_string(sorted[end - 1]) : "";
        i = end;
    }
    return out;
}

// Warps of a block that retire earlier than before, counted in stages. Blocks of different sizes are not compared.
std::string retirement_words(const Trace& before, const Trace& after) {
    const Launch &a = before.launches.front(), &b = after.launches.front();
    if (a.block != b.block || a.window_count == 0 || b.window_count == 0) {
        return "";
    }
    const auto stages_to = [](const Launch& launch, std::uint32_t step) {
        std::uint32_t count = 0;
        for (std::uint32_t s = 1; s <= step; ++s) {
            count += launch.steps[s].kind == StepKind::stage ? 1 : 0;
        }
        return count;
    };
    if (b.steps.empty() || stages_to(b, static_cast<std::uint32_t>(b.steps.size()) - 1) == 0) {
        return ""; // all of its work is done while loading or storing
    }
    const auto was = retirement(a, a.window_first), is = retirement(b, b.window_first);
    std::map<std::uint32_t, std::vector<std::uint32_t>> earlier; // by last step
    for (std::uint32_t w = 0; w < is.size(); ++w) {
        if (stages_to(b, is[w]) < stages_to(a, was[w])) {
            earlier[is[w]].push_back(w);
        }
    }
    std::string out;
    std::size_t told = 0;
    for (const auto& [step, warps] : earlier) {
        if (told++ == 3) {
            return out + " and so on";
        }
        const bool one = warps.size() == 1;
        out += fmt::format("{}warp{} {}{} after {}", out.empty() ? "" : ", ", one ? "" : "s", ranges(warps),
                           told > 1 ? ""
                           : one    ? " retires"
                                    : " retire",
                           step == 0 ? std::string("the load") : b.steps[step].label);
    }
    return out;
}

// How often threads race, as findings count it.
std::string times(std::uint64_t count) { return count == 1 ? std::string("once") : grouped(count) + " times"; }
} // namespace

std::string what_matters(const ComparedTrace& before, const ComparedTrace& after) {
    const Trace &x = *before.trace, &y = *after.trace;
    const Metrics a = metrics(x), b = metrics(y);
    // The better one first.
    const auto sides = [&](bool second) { return second ? std::pair(&after, &before) : std::pair(&before, &after); };
    if (x.completed() != y.completed()) {
        const auto [good, bad] = sides(y.completed());
        return fmt::format("{} does not come to its end, {} does.", bad->title, good->title);
    }
    if (!expects_nothing(x) && !expects_nothing(y) && x.pass != y.pass) {
        const auto [good, bad] = sides(y.pass);
        return fmt::format("The result of {} is wrong, that of {} right.", bad->title, good->title);
    }
    if (const std::uint64_t was = a.totals.hazards, is = b.totals.hazards; was != is) {
        const auto [few, many] = sides(is < was);
        const std::uint64_t least = std::min(was, is);
        return fmt::format("{} races {}, {} {}.", many->title, times(std::max(was, is)), few->title,
                           least == 0 ? "never" : times(least));
    }
    struct Cost {
        std::uint64_t was = 0, is = 0;
        const char* has;  // what is counted, with its verb
        const char* less; // of what there is so many times less
    };
    const std::array costs{
        Cost{a.sectors(), b.sectors(), "asks for {} sectors", "less global-memory traffic"},
        Cost{a.shared_wavefronts(), b.shared_wavefronts(), "takes {} wavefronts", "fewer passes through shared memory"},
        Cost{a.totals.atomics, b.totals.atomics, "has {} atomic operations", "fewer"}};
    for (const Cost& cost : costs) {
        const auto [least, most] = std::minmax(cost.was, cost.is);
        const double ratio = least == 0 ? 0 : static_cast<double>(most) / static_cast<double>(least);
        if (ratio >= 1.2) {
            const auto [few, many] = sides(cost.is < cost.was);
            const auto has = [&](std::uint64_t n) { return fmt::format(fmt::runtime(cost.has), grouped(n)); };
            return fmt::format("{} {} where {} {}, {:.3g} times {}.", few->title, has(least), many->title, has(most),
                               ratio, cost.less);
        }
    }
    return "";
}

std::string what_changed(const Trace& before, const Trace& after, Trees trees) {
    const Metrics a = metrics(before), b = metrics(after);
    std::vector<std::string> parts;
    const auto add = [&](const std::string& text) {
        if (!text.empty()) {
            parts.push_back(text);
        }
    };
    add(tree_words(before, after, trees));
    const bool nothing = parts.empty(); // that is combined
    add(instead(a.launches, b.launches, "launch", "es"));
    add(instead(a.blocks, b.blocks, "block"));
    add(retirement_words(before, after));
    add(instead(a.diverging_warp_steps, b.diverging_warp_steps, "diverging warp-step"));
    add(instead(a.excess_wavefronts(), b.excess_wavefronts(), "extra wavefront"));
    if (a.excess_wavefronts() == b.excess_wavefronts()) {
        add(instead(a.shared_wavefronts(), b.shared_wavefronts(), "shared wavefront"));
    }
    add(instead(a.totals.barriers, b.totals.barriers, "barrier"));
    add(instead(a.sectors(), b.sectors(), "global sector"));
    add(instead(a.totals.shuffles, b.totals.shuffles, "shuffle"));
    add(instead(a.totals.atomics, b.totals.atomics, "atomic operation"));
    if (const auto was = a.totals.hazards, is = b.totals.hazards; was != is) {
        add(is == 0    ? "no races instead of " + times(was)
            : was == 0 ? "races " + times(is)
                       : fmt::format("races {} instead of {}", times(is), times(was)));
    }
    if (before.completed() && !after.completed()) {
        add("it ends without a result: " + what_ended(after));
    } else if (after.completed() && !expects_nothing(after) && before.pass != after.pass) {
        add(after.pass ? "the result is right" : "the result is wrong");
    }
    if (nothing ? parts.empty() : parts.size() == 1 && trees == Trees::same_and_threads) {
        add("no count differs");
    }
    std::string out = fmt::format("{}.", fmt::join(parts, "; "));
    out[0] = static_cast<char>(out[0] >= 'a' && out[0] <= 'z' ? out[0] - 'a' + 'A' : out[0]);
    return out;
}

} // namespace warptree::scene
