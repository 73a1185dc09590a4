#include "app/trace/io/check.hpp"

#include "app/trace/io/file.hpp"

#include <fmt/format.h>

#include <bit>
#include <tuple>

namespace warptree {

namespace {
// Useful and padding combines together are at most all combines. For Counters and TreeTotals.
template <class Counts> bool adds_up(const Counts& c) {
    return c.useful_combines <= c.combines && c.padding_combines <= c.combines - c.useful_combines;
}

class Check {
  public:
    Check(const Trace& trace, std::size_t index) : l_(trace.launches[index]), index_(index) {}

    void run() {
        launch();
        require(l_.warp_steps.size() == static_cast<std::size_t>(l_.window_count) * l_.steps.size() * l_.warps(),
                "warp_step", l_.warp_steps.size(), "rows do not fill the window");
        rows("step", l_.steps, [](const Step& s) { return s.kind <= StepKind::other; });
        rows("step", l_.steps, [](const Step& s) { return adds_up(s.counters); });
        rows("warp_step", l_.warp_steps,
             [](const WarpStep& w) { return (w.active & ~w.existing) == 0 && (w.other_path & ~w.active) == 0; });
        rows("request", l_.requests, [this](const Request& r) {
            return place(r.block, r.step) && r.warp < l_.warps() && r.kind <= AccessKind::remote_atomic &&
                   std::has_single_bit(r.bytes) && r.bytes <= 16 && memory(r.allocation) &&
                   (r.mask & ~existing(r.warp)) == 0 && kept(r.index_shape, r.mask, r.first_index, l_.indices.size());
        });
        for (std::size_t i = 0; i < l_.nodes.size(); ++i) {
            require(node(l_.nodes[i]), "node", i, "points outside the trace, or to another block");
        }
        acyclic();
        rows("part", l_.parts, [this](const NodePart& p) {
            return p.node < l_.nodes.size() && l_.nodes[p.node].operation == Operation::merge &&
                   p.operation <= Operation::merge && p.type <= ValueType::bf16;
        });
        rows("shuffle", l_.shuffles, [this](const Shuffle& s) {
            return place(s.block, s.step) && s.warp < l_.warps() && s.kind <= ShuffleKind::reduce &&
                   std::has_single_bit(s.width) && s.width <= kWarpSize &&
                   (s.first_source == kNone || (l_.shuffle_sources.size() >= kWarpSize &&
                                                s.first_source <= l_.shuffle_sources.size() - kWarpSize));
        });
        rows("output", l_.outputs, [this](const Output& o) {
            return place(o.block, o.step) && o.thread < l_.block && (o.node == kNone || o.node < l_.nodes.size()) &&
                   o.index < elements(o.allocation, l_.outputs_total);
        });
        rows("barrier", l_.barriers, [this](const Barrier& b) { return place(b.block, b.step); });
        rows("stall", l_.stalls, [this](const Stall& s) {
            return place(s.block, s.step) && s.warp < l_.warps() && s.kind <= StallKind::memory && s.mask != 0 &&
                   (s.mask & ~existing(s.warp)) == 0 && s.expected >= 1 && s.expected <= l_.block;
        });
        require(l_.stalled_blocks <= l_.grid && (l_.stalls.empty() || l_.stalled_blocks != 0), "stall",
                l_.stalled_blocks, "more blocks wait than there are, or none waits");
        rows("hazard", l_.hazards, [this](const Hazard& h) {
            return place(h.block, h.first_step) && h.second_step < l_.steps.size() && h.first_thread < l_.block &&
                   h.second_thread < l_.block;
        });
        of_kernels();
    }

  private:
    // Tables that only kernel files have.
    void of_kernels() const {
        rows("shuffle_source", l_.shuffle_sources, [](std::uint8_t lane) { return lane < kWarpSize; });
        rows("vote", l_.votes, [this](const Vote& v) {
            return place(v.block, v.step) && v.warp < l_.warps() && v.kind <= VoteKind::match_all &&
                   (v.mask & ~existing(v.warp)) == 0;
        });
        rows("branch", l_.branches, [this](const Branch& b) {
            return place(b.block, b.step) && b.warp < l_.warps() && (b.taken & b.not_taken) == 0 &&
                   ((b.taken | b.not_taken) & ~existing(b.warp)) == 0;
        });
        rows("warp_barrier", l_.warp_barriers,
             [this](const WarpBarrier& w) { return place(w.block, w.step) && w.warp < l_.warps(); });
        rows("arrival", l_.arrivals, [this](const Arrival& a) {
            return a.barrier < l_.barriers.size() && a.warp < l_.warps() && (a.mask & ~existing(a.warp)) == 0;
        });
        rows("watch", l_.watches, [this](const Watch& w) {
            return place(w.block, w.step) && w.warp < l_.warps() && w.variable < l_.variables.size() &&
                   (w.mask & ~existing(w.warp)) == 0 && kept(w.shape, w.mask, w.first_value, l_.watched.size());
        });
        const StoredLanes* before = nullptr;
        rows("stored", l_.stored, [&](const StoredLanes& s) {
            const bool in_order =
                before == nullptr || std::pair(before->request, before->part) < std::pair(s.request, s.part);
            before = &s;
            return in_order && s.request < l_.requests.size() && s.parts != 0 && s.part < s.parts &&
                   l_.requests[s.request].bytes % s.parts == 0 && (s.mask & ~l_.requests[s.request].mask) == 0 &&
                   kept(s.shape, s.mask, s.first_value, l_.stored_values.size());
        });
        std::uint64_t held = 0;
        rows("allocation", l_.allocations, [&](const Allocation& a) {
            held += a.held;
            return a.element_bytes >= 1 && a.held <= a.elements;
        });
        require(held == l_.held.size(), "held", l_.held.size(), "rows are not those of the allocations");
        rows("shared_array", l_.shared_arrays, [](const SharedArray& a) { return a.element_bytes >= 1; });
        rows("finding", l_.findings, [this](const Finding& f) {
            return f.block < l_.grid && f.thread < l_.block && f.step < l_.steps.size() &&
                   (f.other_block == kNobody || f.other_block < l_.grid) &&
                   (f.other_thread == kNobody || f.other_thread < l_.block) && f.other_step < l_.steps.size();
        });
        const auto threads = [](const std::array<std::uint32_t, 3>& shape) {
            return shape[0] == 0 || shape[1] == 0 || shape[2] == 0
                       ? 0
                       : std::uint64_t{shape[0]} * std::min<std::uint64_t>(shape[1], 1U << 16) *
                             std::min<std::uint64_t>(shape[2], 1U << 16);
        };
        require(l_.allocations.empty() || (threads(l_.grid_shape) == l_.grid && threads(l_.block_shape) == l_.block),
                "launch", index_, "the shape of grid or block does not match its size");
    }
    // Whether what is kept of lanes lies in a list of that size.
    static bool kept(LaneShape shape, std::uint32_t mask, std::uint32_t first, std::size_t size) {
        return shape <= LaneShape::even && first <= size && kept_numbers(shape, mask) <= size - first;
    }
    bool memory(std::uint16_t allocation) const {
        return allocation == kSharedMemory || l_.allocations.empty() || allocation < l_.allocations.size();
    }
    // The number of elements of an array; `otherwise` if the launch lists no allocations.
    std::uint64_t elements(std::uint16_t allocation, std::uint64_t otherwise) const {
        if (l_.allocations.empty()) {
            return otherwise;
        }
        return allocation < l_.allocations.size()
                   ? std::max(l_.allocations[allocation].elements, l_.allocations[allocation].reached)
                   : 0;
    }

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
        require(l_.partials.size() <= kMaxPartialsKept && l_.partials.size() <= l_.outputs_total, "partial",
                l_.partials.size(), "more partials than the launch has outputs");
    }

    // Operands belong to the same block, but for what comes from another block of the cluster.
    bool node(const Node& n) const {
        if (n.kind > NodeKind::product || !place(n.block, n.step) || n.thread >= l_.block ||
            n.operation > Operation::merge || n.type > ValueType::bf16 || !memory(n.word_allocation)) {
            return false;
        }
        if (n.kind == NodeKind::partial && n.allocation == kSharedMemory) {
            return n.element() < l_.shared_bytes && (n.left == kNone || of_cluster(n, n.left));
        }
        if (!has_operands(n.kind)) {
            return n.left == kNone &&
                   (n.kind == NodeKind::identity  ? n.element() == kNone
                    : n.kind == NodeKind::partial ? n.element() < elements(n.allocation, l_.outputs_total)
                                                  : n.element() < elements(n.allocation, l_.elements));
        }
        return operand(n, n.left) && operand(n, n.right());
    }
    bool of_cluster(const Node& n, std::uint32_t index) const {
        return index < l_.nodes.size() && l_.nodes[index].block != n.block;
    }
    bool operand(const Node& n, std::uint32_t index) const {
        return index == kNone || (index < l_.nodes.size() && l_.nodes[index].block == n.block);
    }

    // Whether the row comes after its operands by (step, row), as it does unless a race read a value from a later step.
    bool in_order(std::size_t row) const {
        const Node& n = l_.nodes[row];
        const auto before = [&](std::uint32_t i) {
            return i == kNone || (!has_operands(l_.nodes[i].kind) && l_.nodes[i].left == kNone) ||
                   std::tuple(l_.nodes[i].step, std::size_t{i}) < std::tuple(n.step, row);
        };
        return before(n.left) && before(n.right());
    }
    void acyclic() const {
        bool ordered = true;
        for (std::size_t row = 0; row < l_.nodes.size() && ordered; ++row) {
            ordered = in_order(row);
        }
        if (ordered) {
            return;
        }
        enum class Seen : std::uint8_t { no, above, done }; // above: on the path from the root to the current node
        std::vector<Seen> seen(l_.nodes.size(), Seen::no);
        std::vector<std::uint32_t> way;
        for (std::uint32_t root = 0; root < l_.nodes.size(); ++root) {
            way.assign(seen[root] == Seen::no ? 1 : 0, root);
            while (!way.empty()) {
                const std::uint32_t at = way.back();
                if (seen[at] != Seen::no) {
                    seen[at] = Seen::done;
                    way.pop_back();
                    continue;
                }
                seen[at] = Seen::above;
                for (const std::uint32_t next : {l_.nodes[at].left, l_.nodes[at].right()}) {
                    if (next != kNone) {
                        require(seen[next] != Seen::above, "node", at, "depends on itself");
                        if (seen[next] == Seen::no) {
                            way.push_back(next);
                        }
                    }
                }
            }
        }
    }

    const Launch& l_;
    std::size_t index_;
};
} // namespace

void check(const Trace& t) {
    const RunOptions& o = t.options;
    if (t.launches.empty() || !o.block || *o.block != t.launches.front().block || o.n == 0 || o.n > kMaxElements ||
        (o.banks != 32 && o.banks != 16) || !supports(o.type, o.op) || !adds_up(t.tree)) {
        throw CorruptTrace("manifest.json: options and launches do not match");
    }
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        Check(t, i).run();
    }
}

} // namespace warptree
