#include "app/views/tree/tree_index.hpp"

#include "app/views/lane_look.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <mutex>
#include <tuple>
#include <utility>

namespace warptree::scene {

namespace {

std::uint64_t stirred(std::uint64_t hash, std::uint64_t value) {
    hash ^= value;
    hash *= 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
}

// A hash of everything the index is made from: must include whatever Builder reads.
std::uint64_t fingerprint(const Launch& launch) {
    std::uint64_t hash = stirred(launch.block, launch.nodes.size());
    const auto add = [&hash](std::uint64_t low, std::uint64_t high = 0) { hash = stirred(hash, low + (high << 32)); };
    add(launch.window_first, launch.window_count);
    add(launch.steps.size(), launch.outputs_total);
    add(launch.elements);
    add(launch.grid, launch.shuffles.empty() ? 1 : 0);
    add(launch.cluster[0], launch.cluster[1]);
    add(launch.cluster[2]);
    for (const Node& n : launch.nodes) {
        add(n.step + (std::uint64_t{n.thread} << 16), n.word);
        add(n.left, n.right());
        add(n.word_allocation, static_cast<std::uint64_t>(n.type));
        add(n.element(), n.block);
        add(static_cast<std::uint64_t>(n.kind), n.useful ? 1 : 0);
    }
    for (const SharedArray& a : launch.shared_arrays) {
        add(a.offset, a.bytes);
        add(a.element_bytes);
    }
    add(launch.outputs.size(), launch.hazards.size());
    for (const Output& o : launch.outputs) {
        add(o.node, o.step);
        add(o.block, o.index);
        add(o.allocation, o.thread);
    }
    for (const StoredLanes& stored : launch.stored) {
        add(stored.request, stored.mask);
        add(launch.stored_values[stored.first_value] & 0xFFFFFFFFU, launch.stored_values[stored.first_value] >> 32);
    }
    for (const Hazard& h : launch.hazards) {
        add(h.word, h.second_step);
        add(h.block, h.second_thread);
    }
    for (const Finding& f : launch.findings) {
        add(static_cast<std::uint64_t>(f.kind), f.line.line());
        add(f.other_line.line(), f.array.size());
    }
    for (const Step& s : launch.steps) {
        add(static_cast<std::uint64_t>(s.kind));
    }
    for (const WarpStep& w : launch.warp_steps) {
        add(w.active, w.existing);
    }
    return hash;
}

class Builder {
  public:
    explicit Builder(const Launch& launch) : launch_(launch) {}

    TreeIndex build() {
        t_.first_block = launch_.window_first;
        t_.blocks = launch_.window_count;
        t_.steps = static_cast<std::uint32_t>(launch_.steps.size());
        columns_ = columns_of_tree(launch_);
        static_cast<TreeColumns&>(t_) = columns_;
        t_.racing = global_races(launch_);
        add_plain_stores();
        sort_nodes();
        add_cells();
        add_edges();
        show_what_is_loaded();
        measure_rows();
        mark_hazards();
        mark_global_races();
        count_lanes();
        t_.merged = std::move(order_);
        return std::move(t_);
    }

  private:
    TreeRow& row(std::uint32_t block, std::uint32_t step) {
        return t_.rows[std::size_t{block - t_.first_block} * t_.steps + step];
    }

    // The window's nodes by block, step, column and node index.
    void sort_nodes() {
        order_.reserve(launch_.nodes.size());
        for (std::uint32_t i = 0; i < launch_.nodes.size(); ++i) {
            const Node& n = launch_.nodes[i];
            if (launch_.in_window(n.block) && n.step < t_.steps && !is_plain_[n.step]) {
                order_.push_back(i);
            }
        }
        const auto key = [this](std::uint32_t i) {
            const Node& n = launch_.nodes[i];
            return std::tuple(n.block, n.step, columns_.of_node[i], i);
        };
        std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return key(a) < key(b); });
    }

    void add_cells() {
        t_.cell_of.assign(launch_.nodes.size(), kNone);
        t_.rows.resize(std::size_t{t_.blocks} * t_.steps);
        const Node* last = nullptr;
        std::uint32_t last_column = 0;
        for (std::uint32_t k = 0; k < order_.size(); ++k) {
            const std::uint32_t i = order_[k];
            const Node& n = launch_.nodes[i];
            if (last == nullptr || last->block != n.block || last->step != n.step ||
                last_column != columns_.of_node[i]) {
                TreeRow& r = row(n.block, n.step);
                if (r.cells++ == 0) {
                    r.first_cell = static_cast<std::uint32_t>(t_.cells.size());
                }
                t_.cells.push_back({i, columns_.of_node[i], 0, k});
                first_node_.push_back(i);
            }
            last = &n;
            last_column = columns_.of_node[i];
            t_.cells.back().node = i;
            t_.cells.back().leaves += has_operands(n.kind) ? 0 : 1;
            t_.cell_of[i] = static_cast<std::uint32_t>(t_.cells.size() - 1);
        }
    }

    bool operand_is_set(std::uint32_t node) const {
        return launch_.nodes[node].kind == NodeKind::identity && launch_.nodes[node].step != 0;
    }
    std::uint16_t step_of(std::uint32_t cell) const { return launch_.nodes[t_.cells[cell].node].step; }
    void pass(std::uint32_t cell, std::uint32_t row) { t_.passed_to[cell] = std::max(t_.passed_to[cell], row); }

    void add_edges() {
        const bool clustered = launch_.cluster != std::array<std::uint32_t, 3>{1, 1, 1};
        for (std::uint32_t c = 0; c < t_.cells.size(); ++c) {
            t_.passed_to.push_back(step_of(c));
        }
        for (const std::uint32_t i : order_) {
            const Node& n = launch_.nodes[i];
            TreeRow& r = row(n.block, n.step);
            if (!has_operands(n.kind) && n.left == kNone) {
                continue;
            }
            for (const std::uint32_t operand : {n.left, n.right()}) {
                const std::uint32_t from = operand < t_.cell_of.size() ? t_.cell_of[operand] : kNone;
                const std::uint32_t to = t_.cell_of[i];
                // An identity set in a word of a scan shares the column of another value, and has no effect.
                if (from != kNone && t_.scan && operand_is_set(operand)) {
                    continue;
                }
                if (from == kNone || from == to) {
                    continue;
                }
                if (r.edges++ == 0) {
                    r.first_edge = static_cast<std::uint32_t>(t_.edges.size());
                }
                t_.edges.push_back({from, to});
                const auto from_step = static_cast<std::uint16_t>(t_.scan && n.step > 0 ? n.step - 1 : step_of(from));
                if (t_.scan && t_.cells[from].column != t_.cells[to].column && n.step > 0) {
                    pass(from, n.step - 1U);
                }
                const Node& source = launch_.nodes[operand];
                t_.links.push_back({from_step, n.step, source.thread / kWarpSize, n.thread / kWarpSize,
                                    clustered ? source.block : kNone, clustered ? n.block : kNone});
            }
        }
        for (const Output& o : launch_.outputs) {
            const std::uint32_t from = o.node < t_.cell_of.size() ? t_.cell_of[o.node] : kNone;
            if (t_.scan && from != kNone && o.step > 0) {
                pass(from, o.step - 1U);
            }
        }
        std::sort(t_.links.begin(), t_.links.end());
        t_.links.erase(std::unique(t_.links.begin(), t_.links.end()), t_.links.end());
    }

    // In a step that loads, what is computed of a single element and only stored: that stands where it is stored, and here the
    // element.
    void show_what_is_loaded() {
        std::vector<bool> goes_on(t_.cells.size(), false);
        for (const auto& edge : t_.edges) {
            goes_on[edge.from] = true;
        }
        for (std::size_t c = 0; c < t_.cells.size(); ++c) {
            const Node& first = launch_.nodes[first_node_[c]];
            if (t_.cells[c].leaves == 1 && !goes_on[c] && first.kind == NodeKind::leaf &&
                launch_.steps[first.step].kind == StepKind::load) {
                t_.cells[c].node = first_node_[c];
            }
        }
    }

    void measure_rows() {
        t_.closest.assign(t_.steps, kNone);
        for (std::size_t r = 0; r < t_.rows.size(); ++r) {
            const TreeRow& row = t_.rows[r];
            for (std::uint32_t c = row.first_cell + 1; c < row.first_cell + row.cells; ++c) {
                auto& closest = t_.closest[r % t_.steps];
                closest = std::min(closest, t_.cells[c].column - t_.cells[c - 1].column);
            }
        }
        t_.mixed.assign(t_.steps, false);
        for (const Output& o : launch_.outputs) {
            if (launch_.in_window(o.block) && o.step < t_.steps && o.node < launch_.nodes.size() &&
                launch_.nodes[o.node].step != o.step && row(o.block, o.step).cells != 0) {
                t_.mixed[o.step] = true;
                t_.closest[o.step] = 1;
            }
        }
        t_.across.assign(t_.steps, kNone);
        for (std::size_t r = t_.steps; r < t_.rows.size(); ++r) {
            const TreeRow &before = t_.rows[r - t_.steps], &row = t_.rows[r];
            if (before.cells != 0 && row.cells != 0) {
                auto& across = t_.across[r % t_.steps];
                const TreeCell& last = t_.cells[before.first_cell + before.cells - 1];
                across = std::min(across, t_.columns - last.column + t_.cells[row.first_cell].column);
            }
        }
    }

    // At the later access of the race; if its column has no cell in that step, at the last one before.
    void mark_hazards() {
        t_.hazardous.assign(t_.cells.size(), 0);
        for (std::size_t i = 0; i < launch_.hazards.size(); ++i) {
            const Hazard& h = launch_.hazards[i];
            if (!launch_.in_window(h.block) || t_.steps == 0) {
                continue;
            }
            const std::uint32_t wanted = columns_.of_race[i];
            for (std::uint32_t step = std::min<std::uint32_t>(h.second_step, t_.steps - 1) + 1; step-- > 0;) {
                const TreeRow& r = row(h.block, step);
                const auto first = t_.cells.begin() + r.first_cell;
                const auto found = std::lower_bound(first, first + r.cells, wanted,
                                                    [](const TreeCell& cell, auto at) { return cell.column < at; });
                if (found != first + r.cells && found->column == wanted) {
                    t_.hazardous[static_cast<std::size_t>(found - t_.cells.begin())] = 1;
                    break;
                }
            }
        }
    }

    void add_plain_stores() {
        std::vector<bool> shown(t_.steps, false); // has values that something is made of
        for (const Node& n : launch_.nodes) {
            if (n.step < t_.steps && (n.useful || launch_.steps[n.step].kind != StepKind::store)) {
                shown[n.step] = true;
            }
        }
        for (const Output& o : launch_.outputs) {
            if (o.node < launch_.nodes.size() && o.step < t_.steps) {
                shown[o.step] = true;
            }
        }
        for (const StoredLanes& s : launch_.stored) {
            const Request& r = launch_.requests[s.request];
            const bool known = (r.kind == AccessKind::global_store || r.kind == AccessKind::atomic) && s.parts == 1 &&
                               r.step < t_.steps && r.allocation < launch_.allocations.size() &&
                               launch_.allocations[r.allocation].element != ValueType::none &&
                               bytes(launch_.allocations[r.allocation].element) == r.bytes;
            for (std::uint32_t rest = s.mask; known && !shown[r.step] && rest != 0; rest &= rest - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(rest));
                t_.plain.push_back({r.block, r.step, static_cast<std::uint16_t>(r.warp * kWarpSize + lane),
                                    r.allocation, r.kind == AccessKind::atomic, launch_.index_of(r, lane),
                                    launch_.value_of(s, lane)});
            }
        }
        const auto place = [](const PlainStore& s) {
            return std::tuple(s.block, s.step, s.thread, s.allocation, s.element);
        };
        const auto same = [&](const PlainStore& a, const PlainStore& b) { return place(a) == place(b); };
        std::stable_sort(t_.plain.begin(), t_.plain.end(), [&](auto& a, auto& b) { return place(a) < place(b); });
        std::reverse(t_.plain.begin(), t_.plain.end()); // of several of one thread the last stays
        t_.plain.erase(std::unique(t_.plain.begin(), t_.plain.end(), same), t_.plain.end());
        std::reverse(t_.plain.begin(), t_.plain.end());
        is_plain_.resize(t_.steps);
        for (PlainStore& s : t_.plain) {
            is_plain_[s.step] = true;
            s.races = std::binary_search(t_.racing.begin(), t_.racing.end(),
                                         RacingAccess{s.block, s.step, s.thread, s.allocation, s.element});
        }
    }

    // Of races on global memory: a value that its thread stores, or loads, where it races.
    void mark_global_races() {
        for (std::size_t c = 0; c < t_.cells.size(); ++c) {
            const Node& n = launch_.nodes[t_.cells[c].node];
            const RacingAccess from{n.block, n.step, n.thread, 0, 0};
            const auto at = std::lower_bound(t_.racing.begin(), t_.racing.end(), from);
            if (at != t_.racing.end() && at->block == n.block && at->step == n.step && at->thread == n.thread) {
                t_.hazardous[c] = 1;
            }
        }
    }

    void count_lanes() {
        t_.warps = launch_.warps();
        const std::size_t all = std::size_t{t_.blocks} * t_.warps;
        const bool known = launch_.warp_steps.size() == all * t_.steps;
        for (std::uint32_t step = 0; step < t_.steps; ++step) {
            TreeIndex::Lanes sum;
            for (std::size_t w = 0; w <= all; ++w) {
                t_.lanes_before.push_back(sum);
                if (w < all && known) {
                    const WarpStep it =
                        lanes_at_work(launch_, t_.first_block + static_cast<std::uint32_t>(w / t_.warps), step,
                                      static_cast<unsigned>(w % t_.warps));
                    sum.active += static_cast<unsigned>(std::popcount(it.active));
                    sum.existing += static_cast<unsigned>(std::popcount(it.existing));
                }
            }
        }
    }

    const Launch& launch_;
    TreeIndex t_;
    PlacedInColumns columns_;
    std::vector<bool> is_plain_; // by step
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> first_node_; // by cell
};

} // namespace

TreeIndex make_tree_index(const Launch& launch) { return Builder(launch).build(); }

namespace {
using KnownTrace = std::weak_ptr<const Trace>;

// Of all threads: pictures are also drawn beside the window.
std::mutex guard;
std::vector<KnownTrace> known_traces;

struct KeptIndex {
    std::uint64_t key = 0;
    KnownTrace of; // expired: of a trace that is found by its contents
    std::uint32_t launch = 0;
    std::shared_ptr<const TreeIndex> index;
};
} // namespace

void know_trace(const std::shared_ptr<const Trace>& trace) {
    const std::lock_guard lock(guard);
    std::erase_if(known_traces, [&](const KnownTrace& t) { return t.expired() || t.lock() == trace; });
    known_traces.push_back(trace);
}

std::shared_ptr<const TreeIndex> tree_index(const Trace& trace, std::uint32_t launch) {
    constexpr std::size_t kKept = 16;
    static std::list<KeptIndex> recent;
    const std::lock_guard lock(guard);
    const auto is_it = [&](const KnownTrace& t) { return t.lock().get() == &trace; };
    const auto keep_first = [&](const auto& found) {
        recent.splice(recent.begin(), recent, found);
        return recent.front().index;
    };
    const auto at_once = std::find_if(recent.begin(), recent.end(),
                                      [&](const KeptIndex& k) { return k.launch == launch && is_it(k.of); });
    if (at_once != recent.end()) {
        return keep_first(at_once);
    }
    const auto known = std::find_if(known_traces.begin(), known_traces.end(), is_it);
    const KnownTrace of = known == known_traces.end() ? KnownTrace() : *known;
    const std::uint64_t key = fingerprint(trace.launches[launch]);
    const auto alike = std::find_if(recent.begin(), recent.end(), [key](const KeptIndex& k) { return k.key == key; });
    if (alike != recent.end() && known == known_traces.end()) {
        return keep_first(alike);
    }
    recent.push_front({key, of, launch,
                       alike != recent.end()
                           ? alike->index
                           : std::make_shared<const TreeIndex>(make_tree_index(trace.launches[launch]))});
    if (recent.size() > kKept) {
        recent.pop_back();
    }
    return recent.front().index;
}

std::vector<std::uint8_t> subtree(const Launch& launch, std::uint32_t root) {
    std::vector<std::uint8_t> flags(launch.nodes.size(), 0);
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        const std::uint32_t i = open.back();
        open.pop_back();
        if (i >= flags.size() || flags[i] != 0) {
            continue;
        }
        flags[i] = 1;
        open.push_back(launch.nodes[i].left);
        open.push_back(launch.nodes[i].right());
    }
    return flags;
}

} // namespace warptree::scene
