#include "tests/run/trace_differences.hpp"

#include "app/trace/explain/array_contents.hpp"
#include "app/trace/model/element_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <set>

namespace warptree::tests {

namespace {
class Comparison {
  public:
    Comparison(const Trace& golden, const Trace& other) : golden_(golden), other_(other) {}

    std::vector<Difference> run() {
        if (golden_.result.bits != other_.result.bits) {
            say("result",
                fmt::format("{} where the golden has {}", to_string(other_.result), to_string(golden_.result)));
        }
        compare("totals", "leaves", golden_.tree.leaves, other_.tree.leaves);
        compare("totals", "combines", golden_.tree.combines, other_.tree.combines);
        compare("totals", "useful combines", golden_.tree.useful_combines, other_.tree.useful_combines);
        compare("totals", "padding combines", golden_.tree.padding_combines, other_.tree.padding_combines);
        compare("totals", "depth", golden_.tree.depth, other_.tree.depth);
        compare("launches", "launches", golden_.launches.size(), other_.launches.size());
        for (std::size_t i = 0; i < std::min(golden_.launches.size(), other_.launches.size()); ++i) {
            launch_ = i;
            compare_launch(golden_.launches[i], other_.launches[i]);
        }
        // Of what has no tree a trace does not equal itself.
        if (compare_trees(golden_, other_) != compare_trees(golden_, golden_)) {
            say("tree", fmt::format("{}", compare_trees(golden_, other_) == Trees::same ? "other threads combine"
                                                                                        : "other trees"));
        }
        return std::move(found_);
    }

  private:
    void say(const char* what, const std::string& text) {
        found_.push_back({what, fmt::format("launch {}: {}", launch_ + 1, text)});
    }
    template <class V> void compare(const char* what, const std::string& name, const V& golden, const V& other) {
        if (golden != other) {
            say(what, fmt::format("{}: {} where the golden has {}", name, other, golden));
        }
    }

    void compare_launch(const Launch& g, const Launch& o) {
        compare("grid", "grid", g.grid, o.grid);
        compare("grid", "block", g.block, o.block);
        compare("grid", "elements", g.elements, o.elements);
        compare("grid", "outputs", g.outputs_total, o.outputs_total);
        compare("shared", "bytes of shared memory", g.shared_bytes, o.shared_bytes);
        std::vector<std::uint64_t> golden, other;
        for (const Scalar& s : g.partials) {
            golden.push_back(s.bits);
        }
        for (const Scalar& s : o.partials) {
            other.push_back(s.bits);
        }
        if (golden != other) {
            say("partials", fmt::format("other partial results"));
        }
        const bool same_steps = kinds(g) == kinds(o);
        if (!same_steps) {
            say("steps",
                fmt::format("{} where the golden has {}", fmt::join(kinds(o), ", "), fmt::join(kinds(g), ", ")));
        }
        const bool same_window =
            g.window_first == o.window_first && g.window_count == o.window_count && g.block == o.block;
        for (const CounterField& field : counter_fields()) {
            for (std::size_t s = 0; same_steps && s < g.steps.size(); ++s) {
                compare("counters", fmt::format("step {} ({}), {}", s, g.steps[s].label, field.name),
                        g.steps[s].counters.*field.member, o.steps[s].counters.*field.member);
            }
        }
        if (!same_window) {
            return;
        }
        compare_requests(g, o);
        if (!same_steps) {
            return;
        }
        compare_warps(g, o);
        compare_arrays();
        std::vector<std::pair<std::uint32_t, std::uint16_t>> golden_barriers, other_barriers;
        for (const Barrier& b : g.barriers) {
            golden_barriers.emplace_back(b.block, b.step);
        }
        for (const Barrier& b : o.barriers) {
            other_barriers.emplace_back(b.block, b.step);
        }
        if (golden_barriers != other_barriers) {
            say("barriers", fmt::format("{} where the golden has {}", fmt::join(other_barriers, " "),
                                        fmt::join(golden_barriers, " ")));
        }
    }

    // What is in the arrays after each step, and who stored it.
    void compare_arrays() {
        const auto number = static_cast<std::uint32_t>(launch_);
        const Launch& l = golden_.launches[launch_];
        // Blocks come in another order on a GPU.
        std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> block_of;
        std::set<std::pair<std::uint32_t, std::uint64_t>> shared_by_blocks;
        for (const Output& out : l.outputs) {
            const std::pair<std::uint32_t, std::uint64_t> element{out.allocation, out.index};
            const auto [at, is_new] = block_of.try_emplace(element, out.block);
            if (l.grid > 1 && (out.atomic || at->second != out.block)) {
                shared_by_blocks.insert(element);
            }
        }
        for (const ArrayPlace& array : arrays_of(l)) {
            for (std::uint32_t b = 0; b < (array.is_shared() ? l.window_count : 1); ++b) {
                for (std::uint32_t s = 0; s < l.steps.size(); ++s) {
                    const auto of = [&](const Trace& trace) {
                        return contents(trace, number, array, l.window_first + b, s, 0, array.elements);
                    };
                    const std::vector<ArrayElement> golden = of(golden_), other = of(other_);
                    for (std::size_t k = 0; k < golden.size(); ++k) {
                        const ArrayElement &x = golden[k], &y = other[k];
                        if (!array.is_shared() && shared_by_blocks.contains({array.allocation, k})) {
                            continue;
                        }
                        if (x.known != y.known || (x.has_value() && x.bits != y.bits) ||
                            (array.is_shared() && x.thread != y.thread)) {
                            say("arrays",
                                fmt::format("{}[{}] after step {}: {:#x} by {} where the golden has {:#x} by {}",
                                            array.name, k, s, y.bits, y.thread, x.bits, x.thread));
                            return;
                        }
                    }
                }
            }
        }
    }

    void compare_warps(const Launch& g, const Launch& o) {
        for (std::uint32_t b = g.window_first; b < g.window_first + g.window_count; ++b) {
            for (unsigned s = 0; s < g.steps.size(); ++s) {
                for (unsigned w = 0; w < g.warps(); ++w) {
                    const WarpStep &a = g.warp_step(b, s, w), &c = o.warp_step(b, s, w);
                    if (a != c) {
                        say("warps",
                            fmt::format("block {} step {} ({}) warp {}: active {:08x} other path {:08x} where "
                                        "the golden has {:08x} {:08x}",
                                        b, s, g.steps[s].label, w, c.active, c.other_path, a.active, a.other_path));
                    }
                }
            }
        }
    }

    static std::vector<std::string> kinds(const Launch& l) {
        std::vector<std::string> list;
        for (const Step& s : l.steps) {
            list.push_back(s.kind == StepKind::stage   ? "stage"
                           : s.kind == StepKind::load  ? "load"
                           : s.kind == StepKind::store ? "store"
                                                       : "other");
        }
        return list;
    }

    static std::string text(const Launch& l, const Request& r) {
        constexpr const char* kKinds[] = {"shared load",  "shared store", "global load",
                                          "global store", "atomic",       "shared atomic"};
        std::vector<std::uint32_t> at;
        for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            at.push_back(l.index_of(r, static_cast<unsigned>(std::countr_zero(rest))));
        }
        return fmt::format("{} of {} bytes, {:08x}, {} wavefronts ({}), {} sectors, at {}",
                           kKinds[static_cast<int>(r.kind)], r.bytes, r.mask, r.wavefronts, r.ideal, r.sectors,
                           fmt::join(at, " "));
    }

    // Requests of each warp of the window, sorted: a golden orders those of a step by path.
    using Requests = std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<std::string>>;
    static Requests by_warp(const Launch& l) {
        Requests all;
        for (const Request& r : l.requests) {
            all[{r.block, r.warp}].push_back(fmt::format("step {}: {}", r.step, text(l, r)));
        }
        for (auto& [warp, list] : all) {
            std::sort(list.begin(), list.end());
        }
        return all;
    }
    void compare_requests(const Launch& g, const Launch& o) {
        const Requests golden = by_warp(g), other = by_warp(o);
        for (const auto& [warp, list] : golden) {
            const auto found = other.find(warp);
            const std::vector<std::string> mine = found == other.end() ? std::vector<std::string>{} : found->second;
            std::vector<std::string> more, less;
            std::set_difference(mine.begin(), mine.end(), list.begin(), list.end(), std::back_inserter(more));
            std::set_difference(list.begin(), list.end(), mine.begin(), mine.end(), std::back_inserter(less));
            if (!more.empty() || !less.empty()) {
                say("requests",
                    fmt::format("block {} warp {} has\n      {}\n    where the golden has\n      {}", warp.first,
                                warp.second, fmt::join(more, "\n      "), fmt::join(less, "\n      ")));
                return;
            }
        }
    }

    const Trace &golden_, &other_;
    std::size_t launch_ = 0;
    std::vector<Difference> found_;
};
} // namespace

std::vector<Difference> differences(const Trace& golden, const Trace& other) { return Comparison(golden, other).run(); }

} // namespace warptree::tests
