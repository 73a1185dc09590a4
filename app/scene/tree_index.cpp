#include "app/scene/tree_index.hpp"

#include <algorithm>
#include <list>
#include <tuple>
#include <utility>

namespace warptree::scene {

namespace {

std::uint64_t stirred(std::uint64_t hash, std::uint64_t value) {
    hash ^= value;
    hash *= 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
}

// Of everything the index is made from; nodes are sampled when there are many.
std::uint64_t fingerprint(const Launch& launch) {
    std::uint64_t hash = stirred(launch.block, launch.nodes.size());
    hash = stirred(hash, launch.window_first + (std::uint64_t{launch.window_count} << 32));
    hash = stirred(hash, launch.steps.size());
    hash = stirred(hash, launch.hazards.size() + (std::uint64_t{launch.shuffles.size()} << 24));
    const std::size_t stride = launch.nodes.size() / 4096 + 1;
    for (std::size_t i = 0; i < launch.nodes.size(); i += stride) {
        const Node& n = launch.nodes[i];
        hash = stirred(hash, n.step + (std::uint64_t{n.thread} << 16) + (std::uint64_t{n.word} << 32));
        hash = stirred(hash, n.left + (std::uint64_t{n.right} << 32));
        hash = stirred(hash, static_cast<std::uint64_t>(n.kind));
    }
    for (const Hazard& h : launch.hazards) {
        hash = stirred(hash, h.word + (std::uint64_t{h.second_step} << 32) + h.block);
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
        // A value that moves by shuffles has no word, or only the slot its warp's total went to: threads tell more.
        t_.by_thread = !launch_.shuffles.empty();
        t_.columns = launch_.block;
        for (const Node& n : launch_.nodes) {
            t_.columns = std::max(t_.columns, column(n) + 1);
        }
        sort_nodes();
        add_cells();
        add_edges();
        measure_rows();
        mark_hazards();
        return std::move(t_);
    }

  private:
    std::uint32_t column(const Node& n) const { return t_.by_thread || n.word == kNone ? n.thread : n.word; }
    TreeRow& row(std::uint32_t block, std::uint32_t step) {
        return t_.rows[std::size_t{block - t_.first_block} * t_.steps + step];
    }

    // Window's nodes by block, step, column; leaves first.
    void sort_nodes() {
        order_.reserve(launch_.nodes.size());
        for (std::uint32_t i = 0; i < launch_.nodes.size(); ++i) {
            const Node& n = launch_.nodes[i];
            if (launch_.in_window(n.block) && n.step < t_.steps) {
                order_.push_back(i);
            }
        }
        const auto key = [this](std::uint32_t i) {
            const Node& n = launch_.nodes[i];
            return std::tuple(n.block, n.step, column(n), i);
        };
        std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return key(a) < key(b); });
    }

    void add_cells() {
        t_.cell_of.assign(launch_.nodes.size(), kNone);
        t_.rows.resize(std::size_t{t_.blocks} * t_.steps);
        const Node* last = nullptr;
        for (const std::uint32_t i : order_) {
            const Node& n = launch_.nodes[i];
            if (last == nullptr || last->block != n.block || last->step != n.step || column(*last) != column(n)) {
                TreeRow& r = row(n.block, n.step);
                if (r.cells++ == 0) {
                    r.first_cell = static_cast<std::uint32_t>(t_.cells.size());
                }
                t_.cells.push_back({i, column(n), 0});
            }
            last = &n;
            t_.cells.back().node = i;
            t_.cells.back().leaves += n.kind == NodeKind::combine ? 0 : 1;
            t_.cell_of[i] = static_cast<std::uint32_t>(t_.cells.size() - 1);
        }
    }

    void add_edges() {
        for (const std::uint32_t i : order_) {
            const Node& n = launch_.nodes[i];
            TreeRow& r = row(n.block, n.step);
            if (n.kind != NodeKind::combine) {
                continue;
            }
            for (const std::uint32_t operand : {n.left, n.right}) {
                const std::uint32_t from = operand < t_.cell_of.size() ? t_.cell_of[operand] : kNone;
                const std::uint32_t to = t_.cell_of[i];
                if (from == kNone || from == to) {
                    continue;
                }
                if (r.edges++ == 0) {
                    r.first_edge = static_cast<std::uint32_t>(t_.edges.size());
                }
                t_.edges.push_back({from, to});
                t_.links.push_back({launch_.nodes[t_.cells[from].node].step, n.step,
                                    launch_.nodes[operand].thread / kWarpSize, n.thread / kWarpSize});
            }
        }
        std::sort(t_.links.begin(), t_.links.end());
        t_.links.erase(std::unique(t_.links.begin(), t_.links.end()), t_.links.end());
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
    }

    // At the later access of the race; its column may have no cell of that step: then the last one before.
    void mark_hazards() {
        t_.hazardous.assign(t_.cells.size(), 0);
        for (const Hazard& h : launch_.hazards) {
            if (!launch_.in_window(h.block) || t_.steps == 0) {
                continue;
            }
            const std::uint32_t wanted = t_.by_thread ? h.second_thread : h.word;
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

    const Launch& launch_;
    TreeIndex t_;
    std::vector<std::uint32_t> order_;
};

} // namespace

TreeIndex make_tree_index(const Launch& launch) { return Builder(launch).build(); }

std::shared_ptr<const TreeIndex> tree_index(const Trace& trace, std::uint32_t launch) {
    constexpr std::size_t kKept = 16;
    using Entry = std::pair<std::uint64_t, std::shared_ptr<const TreeIndex>>;
    thread_local std::list<Entry> recent;
    const std::uint64_t key = fingerprint(trace.launches[launch]);
    const auto found = std::find_if(recent.begin(), recent.end(), [key](const Entry& e) { return e.first == key; });
    if (found != recent.end()) {
        recent.splice(recent.begin(), recent, found);
    } else {
        recent.emplace_front(key, std::make_shared<const TreeIndex>(make_tree_index(trace.launches[launch])));
        if (recent.size() > kKept) {
            recent.pop_back();
        }
    }
    return recent.front().second;
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
        open.push_back(launch.nodes[i].right);
    }
    return flags;
}

} // namespace warptree::scene
