#include "app/scene/tree_index.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <tuple>

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
    hash = stirred(hash, launch.steps.size() + (launch.outputs.size() << 24));
    hash = stirred(hash, launch.hazards.size() + (launch.shuffles.size() << 24));
    const std::size_t stride = launch.nodes.size() / 4096 + 1;
    for (std::size_t i = 0; i < launch.nodes.size(); i += stride) {
        const Node& n = launch.nodes[i];
        hash = stirred(hash, n.step + (std::uint64_t{n.thread} << 16) + (std::uint64_t{n.word} << 32));
        hash = stirred(hash, n.left + (std::uint64_t{n.right} << 32));
        hash = stirred(hash, static_cast<std::uint64_t>(n.kind) + (n.useful ? 8U : 0U));
    }
    for (const Hazard& h : launch.hazards) {
        hash = stirred(hash, h.word + (std::uint64_t{h.second_step} << 32));
    }
    return hash;
}

class Builder {
  public:
    explicit Builder(const Launch& launch) : launch_(launch) {}

    TreeIndex build() {
        t_.blocks = launch_.window_count;
        t_.steps = static_cast<std::uint32_t>(launch_.steps.size());
        // A value that moves by shuffles has no word, or only the slot its warp's total went to: threads tell more.
        t_.by_thread = !launch_.shuffles.empty();
        t_.columns = launch_.block;
        for (const Node& n : launch_.nodes) {
            t_.columns = std::max(t_.columns, column(n) + 1);
        }
        t_.bars = (t_.columns + kColumnsOfBar - 1) / kColumnsOfBar;
        cells();
        sources();
        outputs();
        bars();
        hazards();
        return std::move(t_);
    }

  private:
    std::uint32_t column(const Node& n) const { return t_.by_thread || n.word == kNone ? n.thread : n.word; }
    std::uint32_t local(std::uint32_t block) const { return block - launch_.window_first; }
    bool kept(const Node& n) const { return launch_.in_window(n.block) && n.step < t_.steps; }

    void cells() {
        const std::size_t rows = std::size_t{t_.blocks} * t_.steps;
        std::vector<std::uint32_t> order; // nodes by (block, step, column), leaves first
        order.reserve(launch_.nodes.size());
        for (std::uint32_t i = 0; i < launch_.nodes.size(); ++i) {
            if (kept(launch_.nodes[i])) {
                order.push_back(i);
            }
        }
        const auto key = [this](std::uint32_t i) {
            const Node& n = launch_.nodes[i];
            return std::tuple(n.block, n.step, column(n), i);
        };
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });

        t_.cell_of_node.assign(launch_.nodes.size(), kNone);
        t_.row_start.assign(rows + 1, 0);
        std::uint32_t block = kNone;
        for (const std::uint32_t i : order) {
            const Node& n = launch_.nodes[i];
            TreeIndex::Cell* cell = t_.cells.empty() ? nullptr : &t_.cells.back();
            if (cell == nullptr || block != n.block || cell->step != n.step || cell->column != column(n)) {
                cell = &t_.cells.emplace_back();
                cell->column = column(n);
                cell->step = n.step;
                cell->identity = true;
                block = n.block;
                ++t_.row_start[std::size_t{local(n.block)} * t_.steps + n.step + 1];
            }
            cell->node = i;
            cell->thread = n.thread;
            cell->useful = n.useful;
            cell->identity = cell->identity && n.kind == NodeKind::identity;
            cell->combines = cell->combines || n.kind == NodeKind::combine;
            cell->leaves += n.kind == NodeKind::combine ? 0 : 1;
            t_.cell_of_node[i] = static_cast<std::uint32_t>(t_.cells.size() - 1);
        }
        for (std::size_t r = 0; r < rows; ++r) {
            t_.row_start[r + 1] += t_.row_start[r];
        }
        order_ = std::move(order);
    }

    void sources() {
        for (std::size_t i = 0; i < order_.size();) {
            const std::uint32_t c = t_.cell_of_node[order_[i]];
            TreeIndex::Cell& cell = t_.cells[c];
            cell.first_source = static_cast<std::uint32_t>(t_.sources.size());
            for (; i < order_.size() && t_.cell_of_node[order_[i]] == c; ++i) {
                const Node& n = launch_.nodes[order_[i]];
                if (n.kind != NodeKind::combine) {
                    continue;
                }
                for (const std::uint32_t operand : {n.left, n.right}) {
                    const std::uint32_t from = operand < t_.cell_of_node.size() ? t_.cell_of_node[operand] : kNone;
                    if (from != kNone && from != c) {
                        t_.sources.push_back(from);
                    }
                }
            }
            cell.sources = static_cast<std::uint32_t>(t_.sources.size()) - cell.first_source;
        }
    }

    void outputs() {
        t_.outputs.resize(t_.blocks);
        for (std::uint32_t i = 0; i < launch_.outputs.size(); ++i) {
            const auto& out = launch_.outputs[i];
            if (!launch_.in_window(out.block) || out.step >= t_.steps) {
                continue;
            }
            const std::uint32_t cell = out.node < t_.cell_of_node.size() ? t_.cell_of_node[out.node] : kNone;
            const std::uint32_t at = cell != kNone ? t_.cells[cell].column : out.thread;
            t_.outputs[local(out.block)].push_back({i, cell, at, out.step});
        }
    }

    void bars() {
        t_.bar_table.resize(std::size_t{t_.blocks} * t_.steps * t_.bars);
        t_.flows.resize(t_.blocks);
        for (std::uint32_t block = 0; block < t_.blocks; ++block) {
            std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint16_t, std::uint32_t>, std::uint32_t> flows;
            for (std::uint32_t step = 0; step < t_.steps; ++step) {
                for (const auto& cell : t_.row(block, step)) {
                    const std::uint32_t bar = cell.column / kColumnsOfBar;
                    auto& entry = t_.bar_table[(std::size_t{block} * t_.steps + step) * t_.bars + bar];
                    ++entry.cells;
                    entry.useful += cell.useful ? 1 : 0;
                    for (const std::uint32_t s : t_.sources_of(cell)) {
                        const auto& from = t_.cells[s];
                        ++flows[{from.step, from.column / kColumnsOfBar, cell.step, bar}];
                    }
                }
            }
            for (const auto& [key, count] : flows) {
                const auto& [from_step, from_bar, step, bar] = key;
                t_.flows[block].push_back({from_step, step, from_bar, bar, count});
            }
        }
    }

    void hazards() {
        std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>, std::uint32_t> marks;
        for (std::uint32_t i = 0; i < launch_.hazards.size(); ++i) {
            const Hazard& h = launch_.hazards[i];
            if (launch_.in_window(h.block) && h.second_step < t_.steps) {
                const std::uint32_t at = t_.by_thread ? h.second_thread : h.word;
                marks.try_emplace({local(h.block), h.second_step, std::min(at, t_.columns - 1)}, i);
            }
        }
        for (const auto& [key, hazard] : marks) {
            const auto& [block, step, at] = key;
            t_.hazards.push_back({block, at, hazard, step});
            ++t_.bar_table[(std::size_t{block} * t_.steps + step) * t_.bars + at / kColumnsOfBar].hazards;
        }
    }

    const Launch& launch_;
    TreeIndex t_;
    std::vector<std::uint32_t> order_;
};

} // namespace

TreeIndex make_tree_index(const Launch& launch) { return Builder(launch).build(); }

const TreeIndex& tree_index(const Launch& launch) {
    constexpr std::size_t kKept = 16;
    struct Entry {
        std::uint64_t key;
        TreeIndex index;
    };
    thread_local std::list<Entry> recent;
    const std::uint64_t key = fingerprint(launch);
    const auto found = std::find_if(recent.begin(), recent.end(), [key](const Entry& e) { return e.key == key; });
    if (found != recent.end()) {
        recent.splice(recent.begin(), recent, found);
    } else {
        recent.push_front({key, make_tree_index(launch)});
        if (recent.size() > kKept) {
            recent.pop_back();
        }
    }
    return recent.front().index;
}

} // namespace warptree::scene
