#include "kernels/trace/check.hpp"

#include "kernels/trace/file.hpp"

#include <fmt/format.h>

#include <bit>
#include <tuple>

namespace warptree {

namespace {
class Check {
  public:
    Check(const Trace& trace, std::size_t index) : l_(trace.launches[index]), index_(index) {}

    void run() {
        launch();
        require(l_.warp_steps.size() == static_cast<std::size_t>(l_.window_count) * l_.steps.size() * l_.warps(),
                "warp_step", l_.warp_steps.size(), "rows do not fill the window");
        rows("step", l_.steps, [](const Step& s) { return s.kind <= StepKind::store && s.phase <= Phase::add_prefix; });
        rows("warp_step", l_.warp_steps,
             [](const WarpStep& w) { return (w.active & ~w.existing) == 0 && (w.other_path & ~w.active) == 0; });
        rows("request", l_.requests, [this](const Request& r) {
            return place(r.block, r.step) && r.warp < l_.warps() && r.kind <= AccessKind::atomic &&
                   (r.bytes == 4 || r.bytes == 8 || r.bytes == 16) && (r.mask & ~existing(r.warp)) == 0 &&
                   r.first_index <= l_.indices.size() &&
                   static_cast<unsigned>(std::popcount(r.mask)) <= l_.indices.size() - r.first_index;
        });
        for (std::size_t i = 0; i < l_.nodes.size(); ++i) {
            require(node(l_.nodes[i], i), "node", i, "points outside the trace, or to a node behind it");
        }
        rows("shuffle", l_.shuffles, [this](const Shuffle& s) {
            return place(s.block, s.step) && s.warp < l_.warps() && s.kind <= ShuffleKind::reduce &&
                   std::has_single_bit(s.width) && s.width <= kWarpSize;
        });
        rows("output", l_.outputs, [this](const Output& o) {
            return place(o.block, o.step) && o.thread < l_.block && (o.node == kNone || o.node < l_.nodes.size()) &&
                   o.index < l_.outputs_total;
        });
        rows("barrier", l_.barriers, [this](const Barrier& b) { return place(b.block, b.step); });
        rows("hazard", l_.hazards, [this](const Hazard& h) {
            return place(h.block, h.first_step) && h.second_step < l_.steps.size() && h.first_thread < l_.block &&
                   h.second_thread < l_.block && h.space <= MemorySpace::output;
        });
    }

  private:
    void require(bool good, const char* table, std::size_t row, const char* what) const {
        if (!good) {
            throw CorruptTrace(fmt::format("launch {}: {} row {}: {}", index_, table, row, what));
        }
    }
    template <class Row, class Good> void rows(const char* table, const std::vector<Row>& list, Good good) const {
        for (std::size_t i = 0; i < list.size(); ++i) {
            require(good(list[i]), table, i, "a value is out of its range");
        }
    }
    bool place(std::uint32_t block, std::uint32_t step) const { return l_.in_window(block) && step < l_.steps.size(); }
    std::uint32_t existing(unsigned warp) const {
        const std::uint32_t left = l_.block - warp * kWarpSize;
        return left >= kWarpSize ? 0xFFFFFFFFU : (1U << left) - 1;
    }

    void launch() const {
        require(l_.block >= 1 && l_.block <= 1024 && l_.grid >= 1, "launch", index_, "grid or block out of range");
        require(!l_.steps.empty() && l_.steps.size() <= 4096, "step", l_.steps.size(), "no steps, or too many");
        require(l_.window_first <= l_.grid && l_.window_count <= l_.grid - l_.window_first, "launch", index_,
                "the window lies outside the grid");
        require(l_.look_backs.empty() || l_.look_backs.size() == l_.grid, "look_back", l_.look_backs.size(),
                "not one for each tile");
        require(l_.partials.size() <= kMaxPartialsKept && l_.partials.size() <= l_.outputs_total, "partial",
                l_.partials.size(), "more partials than the launch has outputs");
    }

    // Operands come from leaves or from combines of the same block that are not later; equal steps may be in any
    // order, so that cycles are sought by rank: (step, then row).
    bool node(const Node& n, std::size_t row) const {
        if (n.kind > NodeKind::partial || !place(n.block, n.step) || n.thread >= l_.block) {
            return false;
        }
        if (n.kind != NodeKind::combine) {
            return n.left == kNone && n.right == kNone &&
                   (n.kind == NodeKind::identity  ? n.element == kNone
                    : n.kind == NodeKind::partial ? n.element < l_.outputs_total
                                                  : n.element < l_.elements);
        }
        return operand(n, row, n.left) && operand(n, row, n.right);
    }
    bool operand(const Node& n, std::size_t row, std::uint32_t index) const {
        if (index == kNone) {
            return true;
        }
        if (index >= l_.nodes.size()) {
            return false;
        }
        const Node& o = l_.nodes[index];
        return o.block == n.block &&
               (o.kind != NodeKind::combine || std::tuple(o.step, std::size_t{index}) < std::tuple(n.step, row));
    }

    const Launch& l_;
    std::size_t index_;
};
} // namespace

void check(const Trace& t) {
    const RunOptions& o = t.options;
    if (t.launches.empty() || !o.block || *o.block != t.launches.front().block || o.n == 0 || o.n > kMaxElements ||
        (o.banks != 32 && o.banks != 16) || !supports(o.type, o.op)) {
        throw CorruptTrace("manifest.json: options and launches do not fit each other");
    }
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        Check(t, i).run();
    }
}

} // namespace warptree
