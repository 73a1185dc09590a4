#include "app/views/tree/tree_columns.hpp"

#include "app/base/value_type.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warptree::scene {

namespace {

// Whether values are moved, as in a copy or a transposition, each to a place of its own: who loads and who stores it is all that
// there is to see.
bool only_moves(const Launch& launch) {
    constexpr std::size_t kMost = 1U << 16; // of more no cell can be seen
    std::set<std::pair<std::uint16_t, std::uint32_t>> places;
    return launch.outputs.size() <= kMost &&
           std::none_of(launch.nodes.begin(), launch.nodes.end(),
                        [](const Node& n) { return n.kind == NodeKind::combine || n.kind == NodeKind::partial; }) &&
           std::all_of(launch.outputs.begin(), launch.outputs.end(), [&](const Output& o) {
               return !o.atomic && places.insert({o.allocation, o.index}).second;
           });
}

// Whether a block loads about each of its elements once, and at least half of the outputs are among these, as a scan's are: a
// reversal has as many outputs as elements, too, a sum of two arrays loads two of an index, and all threads of a convolution load
// its weights.
bool stores_where_it_loads(const Launch& launch) {
    std::vector<std::vector<std::uint32_t>> loaded(launch.window_count); // elements, by block
    for (const Node& n : launch.nodes) {
        if (n.kind == NodeKind::leaf && launch.in_window(n.block)) {
            loaded[n.block - launch.window_first].push_back(n.element());
        }
    }
    std::size_t loads = 0, elements = 0;
    for (std::vector<std::uint32_t>& of_block : loaded) {
        loads += of_block.size();
        std::sort(of_block.begin(), of_block.end());
        of_block.erase(std::unique(of_block.begin(), of_block.end()), of_block.end());
        elements += of_block.size();
    }
    const auto there = std::count_if(launch.outputs.begin(), launch.outputs.end(), [&](const Output& o) {
        const std::vector<std::uint32_t>* const own =
            launch.in_window(o.block) ? &loaded[o.block - launch.window_first] : nullptr;
        return own == nullptr || own->empty() || (o.index >= own->front() && o.index <= own->back());
    });
    return 2 * loads <= 3 * elements && 2 * there >= std::ssize(launch.outputs);
}

// By node: the last element that it is made of; kBefore: of none.
constexpr std::int64_t kBefore = -1;
std::vector<std::int64_t> last_elements(const Launch& launch) {
    std::vector<std::int64_t> last;
    for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
        const Node& n = launch.nodes[i];
        last.push_back(n.kind == NodeKind::leaf ? std::int64_t{n.element()} : kBefore);
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (has_operands(n.kind) && operand < i) {
                last[i] = std::max(last[i], last[operand]);
            }
        }
    }
    return last;
}

// Whether at least half of the outputs are made of elements up to about their own, as those of a scan, and of a stencil: what all
// elements of a block go into has no element of its own.
bool ends_where_it_stores(const Launch& launch, const std::vector<std::int64_t>& last) {
    constexpr std::int64_t kBeyond = 8; // elements
    std::size_t known = 0, near = 0;
    for (const Output& o : launch.outputs) {
        if (o.node < last.size() && last[o.node] != kBefore) {
            ++known;
            near += last[o.node] <= std::int64_t{o.index} + kBeyond ? 1U : 0U;
        }
    }
    return 2 * near >= known;
}

// Whether each thread stores one element, of what it has loaded or found in shared memory and of nothing that another thread
// combined, and most are not made of the elements up to about their own: neither a scan nor a stencil.
bool gathers(const Launch& launch, const std::vector<std::int64_t>& last) {
    constexpr std::int64_t kNear = 8; // elements
    const std::vector<Node>& nodes = launch.nodes;
    std::set<std::pair<std::uint32_t, std::uint16_t>> threads;
    std::set<std::pair<std::uint16_t, std::uint32_t>> places;
    std::size_t far = 0;
    for (const Output& o : launch.outputs) {
        if (o.atomic || o.node >= nodes.size() || !threads.insert({o.block, o.thread}).second ||
            !places.insert({o.allocation, o.index}).second) {
            return false;
        }
        const std::int64_t end = last[o.node];
        far += end + kNear < std::int64_t{o.index} || end > std::int64_t{o.index} + kNear ? 1U : 0U;
    }
    const auto of_another = [&](const Node& n, std::uint32_t operand) {
        return operand < nodes.size() && has_operands(nodes[operand].kind) &&
               (nodes[operand].thread != n.thread || nodes[operand].block != n.block);
    };
    return 2 * far > launch.outputs.size() && std::none_of(nodes.begin(), nodes.end(), [&](const Node& n) {
               return n.kind == NodeKind::partial ||
                      (has_operands(n.kind) && (of_another(n, n.left) || of_another(n, n.right())));
           });
}

// Whether threads of a block store, in one step and without atomics, to one element: each has its own value to store there.
bool threads_overwrite(const Launch& launch) {
    std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint16_t, std::uint32_t>, std::uint16_t> threads;
    return std::any_of(launch.outputs.begin(), launch.outputs.end(), [&](const Output& o) {
        return !o.atomic && o.node < launch.nodes.size() && has_operands(launch.nodes[o.node].kind) &&
               threads.emplace(std::tuple(o.block, o.step, o.allocation, o.index), o.thread).first->second != o.thread;
    });
}

// Whether two values become their minimum and their maximum, as in a sort: each has a place of its own.
bool sorts_pairs(const Launch& launch) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> least, greatest;
    for (const Node& n : launch.nodes) {
        const std::pair<std::uint32_t, std::uint32_t> pair = std::minmax(n.left, n.right());
        const bool minimum = n.operation == Operation::minimum;
        if (!has_operands(n.kind) || (!minimum && n.operation != Operation::maximum)) {
            continue;
        }
        (minimum ? least : greatest).insert(pair);
        if ((minimum ? greatest : least).contains(pair)) {
            return true;
        }
    }
    return false;
}

// By block: elements loaded in any step, and the identities of the first step. Identities before all elements, set
// by an exclusive scan, stay first; those past the end of the input may lie among a thread's elements, and go last.
std::vector<std::vector<std::uint32_t>> loaded_by_block(const Launch& launch) {
    std::vector<std::vector<std::uint32_t>> loaded(launch.window_count);
    for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
        const Node& n = launch.nodes[i];
        if (launch.in_window(n.block) && (n.kind == NodeKind::leaf || (n.kind == NodeKind::identity && n.step == 0))) {
            loaded[n.block - launch.window_first].push_back(i);
        }
    }
    const auto element = [&](std::uint32_t i) { return launch.nodes[i].element(); }; // kNone: of an identity
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return element(a) < element(b); };
    for (std::vector<std::uint32_t>& block : loaded) {
        const auto first = std::find_if(block.begin(), block.end(), [&](auto i) { return element(i) != kNone; });
        std::stable_sort(first, block.end(), before);
    }
    return loaded;
}

// Elements that a block stores have columns though it has not loaded them, as those of a[i] = a[i + 1]; and what is made in the step
// that stores it stands where it is stored, with what it is made of there.
void place_what_is_stored(const Launch& launch, PlacedInColumns& t) {
    constexpr std::uint32_t kBeyond = 64; // columns; what lies further off has none
    const std::vector<std::uint32_t> loaded = t.first_elements;
    std::map<std::uint16_t, std::size_t> stores; // by allocation; the others hold what blocks tell one another
    for (const Output& o : launch.outputs) {
        ++stores[o.allocation];
    }
    const auto most_stored = std::max_element(stores.begin(), stores.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto known = [&](const Output& o) {
        return launch.in_window(o.block) && o.node < launch.nodes.size() && o.allocation == most_stored->first;
    };
    for (const Output& o : launch.outputs) {
        if (known(o)) {
            std::uint32_t& first = t.first_elements[o.block - launch.window_first];
            first = o.index < first && (first == kNone || first - o.index <= kBeyond) ? o.index : first;
        }
    }
    for (std::size_t i = 0; i < t.of_node.size(); ++i) {
        const std::uint32_t block = launch.nodes[i].block - launch.window_first;
        if (launch.in_window(launch.nodes[i].block) && loaded[block] != kNone) {
            t.of_node[i] += loaded[block] - t.first_elements[block];
            t.columns = std::max(t.columns, t.of_node[i] + 1);
        }
    }
    const std::uint32_t most = t.columns + kBeyond;
    const auto column_of = [&](const Output& o) { // kNone: it has none
        const std::uint32_t block = o.block - launch.window_first;
        const bool has = known(o) && o.index >= t.first_elements[block] && t.output_column(block, o.index) < most;
        return has ? t.output_column(block, o.index) : kNone;
    };
    std::vector<bool> placed(launch.nodes.size(), false);
    for (const Output& o : launch.outputs) {
        if (column_of(o) != kNone) {
            t.columns = std::max(t.columns, column_of(o) + 1);
            placed[o.node] = true;
        }
    }
    for (const Output& o : launch.outputs) {
        const std::uint32_t column = column_of(o);
        if (column == kNone || launch.nodes[o.node].step != o.step) {
            continue;
        }
        std::vector<std::uint32_t> open{o.node};
        while (!open.empty()) {
            const Node& n = launch.nodes[open.back()];
            t.of_node[open.back()] = column;
            open.pop_back();
            for (const std::uint32_t operand : {n.left, n.right()}) {
                if (operand < placed.size() && !placed[operand] && has_operands(launch.nodes[operand].kind) &&
                    launch.nodes[operand].step == o.step && launch.nodes[operand].thread == o.thread &&
                    launch.nodes[operand].block == o.block) {
                    placed[operand] = true;
                    open.push_back(operand);
                }
            }
        }
    }
}

// Loaded values are in element order, with the identities set beside them; a combine is in the column where
// the later of its operands ends. What other tiles published comes before the tile.
void place_in_scan(const Launch& launch, PlacedInColumns& t) {
    const std::vector<std::vector<std::uint32_t>> loaded = loaded_by_block(launch);
    std::vector<std::int64_t> end(launch.nodes.size(), kBefore);
    std::size_t tile = 0;
    for (const std::vector<std::uint32_t>& block : loaded) {
        tile = std::max(tile, block.size());
        t.first_elements.push_back(kNone);
        for (std::size_t k = 0; k < block.size(); ++k) {
            end[block[k]] = static_cast<std::int64_t>(k);
            t.first_elements.back() = std::min(t.first_elements.back(), launch.nodes[block[k]].element());
        }
    }
    for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
        const Node& n = launch.nodes[i];
        if (has_operands(n.kind)) {
            for (const std::uint32_t operand : {n.left, n.right()}) {
                end[i] = operand < i ? std::max(end[i], end[operand]) : end[i];
            }
        }
        t.lead |= n.kind == NodeKind::partial ? 1U : 0U;
    }
    for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
        const Node& n = launch.nodes[i];
        const bool set_in_word = end[i] == kBefore && n.kind == NodeKind::identity && n.word < tile;
        t.of_node.push_back(set_in_word ? n.word + t.lead
                                        : static_cast<std::uint32_t>(std::max<std::int64_t>(0, end[i] + t.lead)));
    }
    t.columns = static_cast<std::uint32_t>(tile) + t.lead;
    place_what_is_stored(launch, t);
}

// Columns by the index of what is stored to arrays. What stays in registers has that of its thread; an element that is combined only
// in a later step has one beside it, if elements of several arrays are loaded.
class ByIndex {
  public:
    explicit ByIndex(const Launch& launch) : launch_(launch) {
        for (const Node& n : launch.nodes) {
            if (n.word != kNone && n.word_allocation != kSharedMemory) {
                Words& words = words_[{n.block, n.word_allocation}];
                words.all.push_back(n.word);
                const auto [one, added] = words.by_thread.emplace(n.thread, n.word);
                words.one_each = words.one_each && (added || one->second == n.word);
            }
        }
        for (auto& [_, words] : words_) {
            std::sort(words.all.begin(), words.all.end());
            words.all.erase(std::unique(words.all.begin(), words.all.end()), words.all.end());
            words.one_each = words.one_each && words.by_thread.size() == words.all.size();
        }
        std::vector<bool> combined(launch.nodes.size(), false); // in the step that loads it
        for (const Node& n : launch.nodes) {
            for (const std::uint32_t operand : {n.left, n.right()}) {
                if (operand < combined.size() && launch.nodes[operand].step == n.step) {
                    combined[operand] = true;
                }
            }
        }
        for (std::size_t i = 0; i < launch.nodes.size(); ++i) {
            const Node& n = launch.nodes[i];
            const bool apart = n.kind == NodeKind::leaf && !combined[i];
            places_.push_back(n.word != kNone ? stored(n)
                              : apart         ? Place{kInputs + n.allocation, n.thread}
                                              : Place{kRegisters, n.thread});
            if (std::find(arrays_.begin(), arrays_.end(), places_.back().array) == arrays_.end()) {
                arrays_.push_back(places_.back().array);
            }
        }
    }

    // What a thread computes on the way to a value that it stores to an array in the same step stands where that does.
    void place_beside_stored() {
        const auto elsewhere = static_cast<int>(kMostRows * launch_.shared_arrays.size());
        for (std::size_t i = launch_.nodes.size(); i-- > 0;) {
            const Node& user = launch_.nodes[i];
            if (places_[i].array < elsewhere || places_[i].array >= kInputs || !has_operands(user.kind)) {
                continue;
            }
            for (const std::uint32_t operand : {user.left, user.right()}) {
                const bool own = operand < i && places_[operand].array == kRegisters &&
                                 launch_.nodes[operand].thread == user.thread &&
                                 launch_.nodes[operand].block == user.block && launch_.nodes[operand].step == user.step;
                places_[own ? operand : i] = places_[i];
            }
        }
    }

    void place(PlacedInColumns& t) const {
        const std::map<int, std::uint32_t> lanes = lanes_of(arrays_that_meet());
        for (const auto& [array, lane] : lanes) {
            t.beside = std::max(t.beside, lane + 1);
        }
        t.by_index =
            std::count_if(arrays_.begin(), arrays_.end(), [](int a) { return a != kRegisters && a < kInputs; }) > 1;
        t.columns = launch_.block * t.beside;
        for (const Place& p : places_) {
            t.of_node.push_back(p.index * t.beside + lanes.at(p.array));
            t.columns = std::max(t.columns, t.of_node.back() + 1);
        }
        for (const Hazard& h : launch_.hazards) {
            const Place p = in_shared(h.word, 0);
            const auto lane = lanes.find(p.array);
            t.of_race.push_back(p.index * t.beside + (lane == lanes.end() ? 0 : lane->second));
        }
    }

  private:
    struct Place {
        int array =
            kUnknown; // the number of one in shared memory, after them those of allocations; or one of the below
        std::uint32_t index = 0;
    };
    static constexpr int kRegisters = -1, kUnknown = -2;
    static constexpr int kInputs = 1 << 24; // and the allocation that an element was loaded from
    static constexpr std::uint32_t kMostRows = 4;
    using Pairs = std::set<std::pair<int, int>>;

    Place stored(const Node& n) const {
        if (n.word_allocation == kSharedMemory) {
            return in_shared(n.word, bytes(n.type));
        }
        // A block in two dimensions has rows that lie apart: its columns are those of its threads, one row after the other.
        const Words& words = words_.at({n.block, n.word_allocation});
        const bool rows = launch_.block_shape[1] * launch_.block_shape[2] > 1 && words.all.size() <= launch_.block;
        return {static_cast<int>(kMostRows * launch_.shared_arrays.size()) + n.word_allocation,
                !rows ? n.word - words.all.front()
                : words.one_each
                    ? n.thread
                    : static_cast<std::uint32_t>(std::lower_bound(words.all.begin(), words.all.end(), n.word) -
                                                 words.all.begin())};
    }
    // `word` counts elements of so many bytes; 0: of those of the array that it is in.
    Place in_shared(std::uint32_t word, unsigned bytes) const {
        for (std::size_t a = 0; a < launch_.shared_arrays.size(); ++a) {
            const SharedArray& array = launch_.shared_arrays[a];
            const std::uint32_t size = bytes != 0 ? bytes : std::max(1U, array.element_bytes);
            const std::uint64_t at = std::uint64_t{word} * size;
            if (at >= array.offset && at < std::uint64_t{array.offset} + array.bytes) {
                const auto index = static_cast<std::uint32_t>((at - array.offset) / size);
                // A few long rows are as many arrays: buf[2][64] is two that take turns.
                const std::uint32_t all = std::max(1U, array.bytes / size);
                const std::uint32_t row = array.row == 0 || all > kMostRows * array.row ? all : array.row;
                return {static_cast<int>(kMostRows * a + index / row), index % row};
            }
        }
        return {kUnknown, word};
    }
    // Those of which one step of a block has several values of the same index, and not of a few indices only, which would not be
    // worth the width of all rows.
    Pairs arrays_that_meet() const {
        constexpr unsigned kOften = 4;
        Pairs meet;
        if (arrays_.size() < 2) {
            return meet;
        }
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, int>> all; // block, step, index, array
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i].array != kRegisters) {
                all.emplace_back(launch_.nodes[i].block, launch_.nodes[i].step, places_[i].index, places_[i].array);
            }
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        std::map<std::tuple<int, int, std::uint32_t, std::uint32_t>, unsigned> times; // by arrays, block and step
        for (std::size_t first = 0, i = 1; i < all.size(); ++i) {
            const auto [block, step, index, array] = all[i];
            const auto& [first_block, first_step, first_index, _] = all[first];
            if (std::tuple(block, step, index) != std::tie(first_block, first_step, first_index)) {
                first = i;
            }
            for (std::size_t k = first; k < i; ++k) {
                const int other = std::get<3>(all[k]);
                if ((other < kInputs) == (array < kInputs) && ++times[{other, array, block, step}] == kOften) {
                    meet.insert({other, array});
                    meet.insert({array, other});
                }
            }
        }
        return meet;
    }
    // By array, which of the columns of an index it has.
    std::map<int, std::uint32_t> lanes_of(const Pairs& meet) const {
        constexpr std::uint32_t kMost = 4; // of more arrays the last share theirs
        std::map<int, std::uint32_t> lanes;
        for (const int array : arrays_) {
            std::uint32_t lane = 0;
            const auto taken = [&](const auto& other) {
                return other.second == lane && meet.count({array, other.first}) != 0;
            };
            while (lane + 1 < kMost && std::any_of(lanes.begin(), lanes.end(), taken)) {
                ++lane;
            }
            lanes[array] = lane;
        }
        return lanes;
    }

    const Launch& launch_;
    struct Words { // of an array, to which a block stores
        std::vector<std::uint32_t> all;
        std::map<std::uint16_t, std::uint32_t> by_thread;
        bool one_each = true; // each thread stores to one of its own
    };
    std::map<std::pair<std::uint32_t, std::uint16_t>, Words> words_; // by block and allocation
    std::vector<Place> places_;                                      // by node
    std::vector<int> arrays_;                                        // in the order in which they have a value
};

} // namespace

PlacedInColumns columns_of_tree(const Launch& launch) {
    PlacedInColumns t;
    const bool as_many = launch.stores_each_element() && stores_where_it_loads(launch) && !sorts_pairs(launch);
    const std::vector<std::int64_t> last = as_many ? last_elements(launch) : std::vector<std::int64_t>();
    const bool gathered = as_many && gathers(launch, last);
    t.scan = as_many && !gathered && ends_where_it_stores(launch, last);
    t.by_storer = gathered || (!t.scan && only_moves(launch));
    // A value that moves by shuffles has no word, or only the slot for its warp's total: columns are threads.
    t.by_thread = !launch.shuffles.empty() || t.by_storer || (!t.scan && threads_overwrite(launch));
    t.columns = launch.block;
    if (t.scan) {
        place_in_scan(launch, t);
    } else if (t.by_thread) {
        for (const Node& n : launch.nodes) {
            t.of_node.push_back(n.thread);
            t.columns = std::max(t.columns, t.of_node.back() + 1);
        }
    } else {
        ByIndex by_index(launch);
        by_index.place_beside_stored();
        by_index.place(t);
        return t;
    }
    for (const Hazard& h : launch.hazards) {
        t.of_race.push_back(h.second_thread + t.lead);
    }
    return t;
}

} // namespace warptree::scene
