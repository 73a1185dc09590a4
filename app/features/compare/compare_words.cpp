// A comparison in words.
#include "app/features/compare/compare_table.hpp"
#include "app/trace/model/metrics.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <map>

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
        return "neither combines";
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
} // namespace

std::string what_changed(const Trace& before, const Trace& after, Trees trees) {
    const Metrics a = metrics(before), b = metrics(after);
    std::vector<std::string> parts{tree_words(before, after, trees)};
    const auto add = [&](const std::string& text) {
        if (!text.empty()) {
            parts.push_back(text);
        }
    };
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
    add(instead(a.totals.hazards, b.totals.hazards, "race"));
    if (before.pass != after.pass) {
        add(after.pass ? "the result is right" : "the result is wrong");
    }
    if (parts.size() == 1 && trees == Trees::same_and_threads) {
        add("no count differs");
    }
    std::string out = fmt::format("{}.", fmt::join(parts, "; "));
    out[0] = static_cast<char>(out[0] >= 'a' && out[0] <= 'z' ? out[0] - 'a' + 'A' : out[0]);
    return out;
}

} // namespace warptree::scene
