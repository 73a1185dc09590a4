#include "tests/run/trace_differences.hpp"

#include "app/trace/model/element_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <span>

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
        if (compare_trees(golden_, other_) != Trees::same_and_threads) {
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
        if (kinds(g) != kinds(o)) {
            say("steps",
                fmt::format("{} where the golden has {}", fmt::join(kinds(o), ", "), fmt::join(kinds(g), ", ")));
            return;
        }
        for (std::size_t s = 0; s < g.steps.size(); ++s) {
            for (const CounterField& field : counter_fields()) {
                compare("counters", fmt::format("step {} ({}), {}", s, g.steps[s].label, field.name),
                        g.steps[s].counters.*field.member, o.steps[s].counters.*field.member);
            }
        }
        if (g.window_count != o.window_count || g.block != o.block) {
            return;
        }
        for (std::uint32_t b = g.window_first; b < g.window_first + g.window_count; ++b) {
            for (unsigned s = 0; s < g.steps.size(); ++s) {
                for (unsigned w = 0; w < g.warps(); ++w) {
                    const WarpStep &a = g.warp_step(b, s, w), &c = o.warp_step(b, s, w);
                    if (a != c) {
                        say("warps",
                            fmt::format(
                                "block {} step {} ({}) warp {}: active {:08x} other path {:08x} where the golden has "
                                "{:08x} "
                                "{:08x}",
                                b, s, g.steps[s].label, w, c.active, c.other_path, a.active, a.other_path));
                    }
                }
            }
        }
        compare_requests(g, o);
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
        return fmt::format("block {} step {} warp {}: {} of {} bytes, {:08x}, {} wavefronts ({}), {} sectors, at {}",
                           r.block, r.step, r.warp, kKinds[static_cast<int>(r.kind)], r.bytes, r.mask, r.wavefronts,
                           r.ideal, r.sectors,
                           fmt::join(std::span(l.indices).subspan(r.first_index, std::popcount(r.mask)), " "));
    }

    void compare_requests(const Launch& g, const Launch& o) {
        compare("requests", "requests", g.requests.size(), o.requests.size());
        for (std::size_t i = 0; i < std::min(g.requests.size(), o.requests.size()); ++i) {
            const std::string a = text(g, g.requests[i]), b = text(o, o.requests[i]);
            if (a != b) {
                say("requests", fmt::format("request {} is\n      {} where the golden has\n      {}", i, b, a));
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
