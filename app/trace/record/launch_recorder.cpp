#include "app/trace/record/launch_recorder.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace warptree::record {

namespace {
constexpr std::size_t kMostReserved = 1U << 22; // per list
constexpr std::uint64_t kMostDepths = 1U << 28; // elements whose depths are kept
} // namespace

const std::vector<std::uint32_t>& LaunchRecorder::add(BlockRecorder& block, std::uint32_t number) {
    numbers_.clear();
    std::uint32_t at = StepSequence::kBefore;
    for (const BlockRecorder::Step& step : block.steps()) {
        at = sequence_.advance(at, step.key);
        if (at >= counters_.size()) {
            counters_.resize(at + 1U);
            outers_.resize(at + 1U);
        }
        outers_[at].add(step.outer);
        counters_[at] += step.counters;
        numbers_.push_back(at);
    }
    count_leaves(block.flow());
    if (block.full()) {
        number_segments(block);
        write_flow(block.flow(), number);
        write_events(block.events(), number, block.warps());
        if (kept_.empty()) {
            reserve();
        }
        Kept k;
        k.block = number;
        k.steps = numbers_;
        for (std::size_t s = 0; s < block.steps().size(); ++s) {
            for (unsigned w = 0; w < block.warps(); ++w) {
                k.lanes.push_back(block.lanes(s, w));
            }
        }
        for (unsigned w = 0; w < block.warps(); ++w) {
            k.existing.push_back(block.existing(w));
        }
        kept_.push_back(std::move(k));
    }
    return numbers_;
}

void LaunchRecorder::count_leaves(const DataFlow& flow) {
    for (const DataFlow::Output& o : flow.outputs) {
        depth_ = std::max<std::uint64_t>(depth_, flow.depth(o.tag));
        atomics_ += o.atomic && o.tag != kNoTag ? 1 : 0;
        padding_atomics_ += o.atomic && o.tag != kNoTag && flow.is_padding(o.tag) ? 1 : 0;
        if (o.tag != kNoTag && !flow.is_padding(o.tag)) {
            if (o.allocation >= stores_data_.size()) {
                stores_data_.resize(o.allocation + 1U);
            }
            stores_data_[o.allocation] = true;
            if (o.atomic) {
                ++joined_[std::uint64_t{o.allocation} << 48 | o.element];
            }
        }
        if (kept_depths_ != nullptr && o.allocation == kept_allocation_ && o.element < kMostDepths) {
            if (o.element >= kept_depths_->size()) {
                kept_depths_->resize(o.element + 1);
            }
            (*kept_depths_)[o.element] = flow.is_padding(o.tag) ? kOnlyIdentity : flow.depth(o.tag);
        }
    }
    for (const Tag tag : flow.places) {
        depth_ = std::max<std::uint64_t>(depth_, flow.depth(tag));
    }
    for (const DataFlow::Leaf& leaf : flow.leaves) {
        if (!leaf.useful || leaf.kind != LeafKind::element) {
            continue;
        }
        if (leaf.allocation >= reached_.size()) {
            reached_.resize(leaf.allocation + 1U);
        }
        std::vector<std::uint64_t>& bits = reached_[leaf.allocation];
        if (leaf.element / 64 >= bits.size()) {
            bits.resize(std::max<std::size_t>(leaf.element / 64 + 1, bits.size() * 2));
        }
        const std::uint64_t bit = 1ULL << leaf.element % 64;
        leaves_ += (bits[leaf.element / 64] & bit) == 0 ? 1 : 0;
        bits[leaf.element / 64] |= bit;
    }
}

void LaunchRecorder::write_steps() {
    if (sequence_.size() == 0) { // no block accessed anything
        sequence_.advance(StepSequence::kBefore, {StepKind::other});
        counters_.resize(2);
        outers_.resize(2);
    }
    places_.assign(sequence_.size() + 1U, 0);
    std::map<std::string, unsigned> met;
    for (std::uint32_t s = sequence_.first(); s != StepSequence::kBefore; s = sequence_.next(s)) {
        places_[s] = static_cast<std::uint32_t>(launch_.steps.size());
        const StepKey& key = sequence_.key(s);
        Step step;
        step.kind = key.kind;
        step.counters = counters_[s];
        const bool plain = (key.kind == StepKind::load || key.kind == StepKind::store) && key.source == 0;
        const Counters& c = step.counters;
        const bool loads = c.global_load_requests != 0 || c.shared_load_requests != 0;
        const bool stores = c.global_store_requests != 0 || c.shared_store_requests != 0 || c.atomics != 0;
        StepName name =
            plain ? StepName{key.kind == StepKind::load && (loads || !stores) ? "load" : "store", 0, {}} : name_(key);
        step.label = !name.outer.empty() && outers_[s].known == OuterValue::Known::yes
                         ? name.outer + " = " + std::to_string(outers_[s].value) + ", " + name.text
                         : std::move(name.text);
        step.stride = static_cast<std::uint32_t>(name.stride);
        step.purpose = std::move(name.sentence);
        if (const unsigned times = ++met[step.label]; times > 1) {
            step.label += " (" + std::to_string(times) + ")";
        }
        launch_.steps.push_back(std::move(step));
    }
}

// Fills number_of_ and rank_of_ for the block added.
void LaunchRecorder::number_segments(const BlockRecorder& block) {
    number_of_.clear();
    rank_of_.clear();
    std::vector<std::uint16_t> rank; // by step of the block; steps beyond StepSequence::kMost share a number
    for (std::size_t s = 0; s < numbers_.size(); ++s) {
        rank.push_back(s > 0 && numbers_[s] == numbers_[s - 1] ? rank.back() : static_cast<std::uint16_t>(s));
    }
    for (const std::uint32_t step : block.segments()) {
        number_of_.push_back(static_cast<std::uint16_t>(numbers_.empty() ? 0 : numbers_[step]));
        rank_of_.push_back(numbers_.empty() ? std::uint16_t{0} : rank[step]);
    }
}

// For all blocks recorded in full: each needs about as much as the first, which is written.
void LaunchRecorder::reserve() {
    const auto reserve = [&](auto&... lists) {
        (lists.reserve(std::max(lists.size(), std::min<std::size_t>(full_blocks_ * lists.size(), kMostReserved))), ...);
    };
    reserve(launch_.nodes, launch_.outputs, launch_.requests, launch_.indices, launch_.shuffles,
            launch_.shuffle_sources, launch_.branches, launch_.watches, launch_.watched, launch_.barriers,
            launch_.arrivals, launch_.stored, launch_.stored_values);
}

// Visits events by step and warp, those of a warp in their order.
template <class Event, class Visit> void LaunchRecorder::by_place(const std::vector<Event>& events, Visit&& visit) {
    order_.clear();
    for (std::size_t i = 0; i < events.size(); ++i) {
        order_.push_back(std::uint64_t{rank_of_[events[i].segment]} << 48 | std::uint64_t{events[i].warp} << 32 | i);
    }
    std::sort(order_.begin(), order_.end());
    for (const std::uint64_t at : order_) {
        visit(events[at & 0xFFFFFFFFU]);
    }
}

// Writes leaves before operations, each in the order recorded, so that operands precede their uses.
void LaunchRecorder::write_flow(const DataFlow& flow, std::uint32_t block) {
    const auto first = static_cast<std::uint32_t>(launch_.nodes.size());
    const auto node_of = [&](Tag tag) {
        return tag == kNoTag || tag == kIdentityTag ? warptree::kNone
               : is_leaf(tag)                       ? first + (tag & ~kLeafBit)
                                                    : first + static_cast<std::uint32_t>(flow.leaves.size()) + tag - 1;
    };
    for (std::size_t i = 0; i < flow.leaves.size(); ++i) {
        const DataFlow::Leaf& leaf = flow.leaves[i];
        const DataFlow::Detail& d = flow.leaf_details[i];
        Node n;
        n.kind = leaf.kind == LeafKind::identity  ? NodeKind::identity
                 : leaf.kind == LeafKind::partial ? NodeKind::partial
                                                  : NodeKind::leaf;
        n.useful = leaf.useful && leaf.kind != LeafKind::identity;
        n.step = number_of_[leaf.segment];
        n.thread = leaf.thread;
        n.block = block;
        n.right_or_element =
            leaf.kind == LeafKind::identity ? warptree::kNone : static_cast<std::uint32_t>(leaf.element);
        n.allocation = leaf.allocation;
        n.word = d.word;
        n.word_allocation = d.allocation;
        n.line = line_(d.location);
        n.bits = d.bits;
        n.type = d.type;
        launch_.nodes.push_back(n);
    }
    for (std::size_t i = 0; i < flow.nodes.size(); ++i) {
        const DataFlow::Node& node = flow.nodes[i];
        const DataFlow::Detail& d = flow.node_details[i];
        Node n;
        n.kind = node.role == Role::maps ? NodeKind::product : NodeKind::combine;
        n.padding = node.role == Role::pads;
        n.useful = node.useful && !n.padding;
        n.step = number_of_[node.segment];
        n.thread = node.thread;
        n.block = block;
        n.left = node_of(node.left);
        n.right_or_element = node_of(node.right);
        n.operation = node.operation;
        n.word = d.word;
        n.word_allocation = d.allocation;
        n.line = line_(d.location);
        n.bits = d.bits;
        n.type = d.type;
        launch_.nodes.push_back(n);
    }
    for (const Tag tag : flow.given) {
        given_[block].push_back(node_of(tag));
    }
    for (const DataFlow::Taken& t : flow.taken) {
        taken_.push_back({node_of(t.leaf), t.block, t.given});
    }
    const std::size_t first_part = launch_.parts.size();
    for (const DataFlow::Part& part : flow.parts) {
        const DataFlow::Detail& d = part.detail;
        launch_.parts.push_back({node_of(part.merge), line_(d.location), part.operation, d.type, d.bits});
    }
    std::stable_sort(launch_.parts.begin() + static_cast<std::ptrdiff_t>(first_part), launch_.parts.end(),
                     [](const NodePart& a, const NodePart& b) { return a.node < b.node; });
    for (const DataFlow::Output& o : flow.outputs) {
        Output out;
        out.block = block;
        out.step = number_of_[o.segment];
        out.thread = o.thread;
        out.atomic = o.atomic;
        out.index = static_cast<std::uint32_t>(o.element);
        out.node = node_of(o.tag);
        out.line = line_(o.location);
        out.allocation = o.allocation;
        launch_.outputs.push_back(out);
    }
}

void LaunchRecorder::write_events(const BlockEvents& events, std::uint32_t block, unsigned warps) {
    std::uint16_t ordinal = 0;
    const RequestEvent* before = nullptr;
    std::vector<std::uint32_t> rows(events.requests.size()); // of the launch's requests, by event
    by_place(events.requests, [&](const RequestEvent& e) {
        rows[static_cast<std::size_t>(&e - events.requests.data())] =
            static_cast<std::uint32_t>(launch_.requests.size());
        Request r;
        r.block = block;
        r.step = number_of_[e.segment];
        r.warp = e.warp;
        r.kind = e.kind;
        r.bytes = e.bytes;
        ordinal = before != nullptr && number_of_[before->segment] == r.step && before->warp == r.warp
                      ? static_cast<std::uint16_t>(ordinal + 1)
                      : std::uint16_t{0};
        before = &e;
        r.ordinal = ordinal;
        r.mask = e.mask;
        r.wavefronts = e.wavefronts;
        r.ideal = e.ideal;
        r.sectors = e.sectors;
        r.line = line_(e.location);
        r.first_index = static_cast<std::uint32_t>(launch_.indices.size());
        r.allocation = is_shared(e.kind) || is_remote(e.kind) ? kSharedMemory : e.allocation;
        std::array<std::uint32_t, kWarpSize> indices{};
        auto from = events.indices.begin() + e.first_index;
        for (std::uint32_t rest = e.mask; rest != 0; rest &= rest - 1) {
            indices[static_cast<unsigned>(std::countr_zero(rest))] = *from++;
        }
        r.index_shape = keep_lanes(launch_.indices, indices, e.mask);
        launch_.requests.push_back(r);
    });
    write_stored(events, rows);
    by_place(events.shuffles, [&](const ShuffleEvent& e) {
        Shuffle s;
        s.block = block;
        s.step = number_of_[e.segment];
        s.warp = e.warp;
        s.kind = e.kind;
        s.width = e.width;
        s.delta = e.delta;
        s.mask = e.mask;
        s.line = line_(e.location);
        s.first_source = static_cast<std::uint32_t>(launch_.shuffle_sources.size());
        const auto from = events.sources.begin() + e.first_source;
        launch_.shuffle_sources.insert(launch_.shuffle_sources.end(), from, from + kWarpSize);
        launch_.shuffles.push_back(s);
    });
    by_place(events.votes, [&](const VoteEvent& e) {
        launch_.votes.push_back({block, number_of_[e.segment], e.warp, e.kind, e.mask, e.asked, line_(e.location)});
    });
    by_place(events.branches, [&](const BranchEvent& e) {
        launch_.branches.push_back({block, number_of_[e.segment], e.warp, e.taken, e.not_taken, line_(e.location)});
    });
    by_place(events.syncs, [&](const SyncEvent& e) {
        launch_.warp_barriers.push_back({block, number_of_[e.segment], e.warp, e.mask, line_(e.location)});
    });
    std::vector<HazardEvent> hazards = events.hazards;
    std::stable_sort(hazards.begin(), hazards.end(), [&](const HazardEvent& a, const HazardEvent& b) {
        const auto key = [&](const HazardEvent& e) {
            return std::tuple(rank_of_[e.segment], e.word, e.thread, rank_of_[e.other_segment], e.other_thread);
        };
        return key(a) < key(b);
    });
    for (const HazardEvent& e : hazards) {
        Hazard h;
        h.block = block;
        h.word = e.word;
        h.first_step = number_of_[e.other_segment];
        h.first_thread = static_cast<std::uint16_t>(e.other_thread);
        h.first_writes = e.other_writes;
        h.across_shuffle = e.across_shuffle;
        h.first_line = line_(e.other_location);
        h.second_step = number_of_[e.segment];
        h.second_thread = static_cast<std::uint16_t>(e.thread);
        h.second_writes = e.writes;
        h.second_line = line_(e.location);
        launch_.hazards.push_back(h);
    }
    by_place(events.watches, [&](const WatchEvent& e) {
        Watch w;
        w.block = block;
        w.step = number_of_[e.segment];
        w.warp = e.warp;
        w.variable = e.variable;
        w.mask = e.mask;
        w.first_value = static_cast<std::uint32_t>(launch_.watched.size());
        std::array<std::uint64_t, kWarpSize> values{};
        std::copy_n(events.values.begin() + e.first_value, kWarpSize, values.begin());
        w.shape = keep_lanes(launch_.watched, values, e.mask);
        launch_.watches.push_back(w);
    });
    for (const BarrierEvent& e : events.barriers) {
        Barrier b;
        b.block = block;
        b.step = static_cast<std::uint16_t>(numbers_.empty() ? 0 : numbers_[e.step]);
        b.line = line_(e.location);
        b.number = static_cast<std::uint16_t>(e.number);
        b.expected = static_cast<std::uint16_t>(e.expected);
        for (unsigned w = 0; w < warps; ++w) {
            if (const std::uint32_t mask = events.arrived[e.first_mask + w]; mask != 0) {
                launch_.arrivals.push_back(
                    {static_cast<std::uint32_t>(launch_.barriers.size()), static_cast<std::uint16_t>(w), mask});
            }
        }
        launch_.barriers.push_back(b);
    }
}

// rows: of the launch's requests, by event.
void LaunchRecorder::write_stored(const BlockEvents& events, const std::vector<std::uint32_t>& rows) {
    std::vector<std::array<std::uint32_t, 3>> order; // row, part, event: of atomics, the first of the request's
    for (std::uint32_t i = 0; i < events.stores.size(); ++i) {
        order.push_back({rows[events.stores[i].request], events.stores[i].part, i});
    }
    // Of atomics of one element in one step the last one's value stays. By request, what stays of its lanes.
    std::unordered_map<std::uint64_t, std::size_t> last;
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::array<std::uint64_t, kWarpSize>>> stays;
    const auto element = [&](const AtomicEvent& a) {
        const Request& r = launch_.requests[rows[a.request]];
        return std::uint64_t{r.step} << 48 | std::uint64_t{r.allocation} << 32 | launch_.index_of(r, a.lane);
    };
    for (std::size_t i = 0; i < events.atomics.size(); ++i) {
        last[element(events.atomics[i])] = i;
    }
    for (std::size_t i = 0; i < events.atomics.size(); ++i) {
        const AtomicEvent& a = events.atomics[i];
        if (last[element(a)] == i) {
            auto& [mask, values] = stays[rows[a.request]];
            mask |= 1U << a.lane;
            values[a.lane] = a.bits;
        }
    }
    for (const auto& [row, lanes] : stays) {
        order.push_back({row, 0, warptree::kNone});
    }
    std::sort(order.begin(), order.end());
    for (const auto& [row, part, event] : order) {
        StoredLanes s;
        s.request = row;
        s.first_value = static_cast<std::uint32_t>(launch_.stored_values.size());
        if (event == warptree::kNone) {
            const auto& [mask, values] = stays[row];
            s.mask = mask;
            s.shape = keep_lanes(launch_.stored_values, values, mask);
        } else {
            const StoreEvent& e = events.stores[event];
            s.part = e.part;
            s.parts = e.parts;
            s.mask = e.mask;
            s.shape = e.shape;
            const auto from = events.stored.begin() + e.first_value;
            launch_.stored_values.insert(launch_.stored_values.end(), from, from + kept_numbers(e.shape, e.mask));
        }
        launch_.stored.push_back(s);
    }
}

void LaunchRecorder::write_warp_steps(const Kept& k) {
    const auto warps = static_cast<unsigned>(k.existing.size());
    for (std::size_t s = 0, done = 0; s < launch_.steps.size(); ++s) { // the block may lack steps that others have
        const bool has = done < k.steps.size() && places_[k.steps[done]] == s;
        for (unsigned w = 0; w < warps; ++w) {
            WarpStep row;
            row.existing = k.existing[w];
            if (has) {
                const LaneMasks& m = k.lanes[done * warps + w];
                row.active = m.active(launch_.steps[s].kind);
                row.other_path = m.other & row.active;
            }
            launch_.warp_steps.push_back(row);
        }
        done += has ? 1 : 0;
    }
}

// Until finish(), events hold the numbers of steps; this replaces them with indices into Launch::steps.
void LaunchRecorder::place_events() {
    const auto place = [&](std::uint16_t& step) { step = static_cast<std::uint16_t>(places_[step]); };
    const auto place_all = [&](auto&... lists) {
        (..., std::for_each(lists.begin(), lists.end(), [&](auto& it) { place(it.step); }));
    };
    place_all(launch_.nodes, launch_.requests, launch_.shuffles, launch_.votes, launch_.branches, launch_.warp_barriers,
              launch_.watches, launch_.barriers, launch_.outputs);
    for (Hazard& h : launch_.hazards) {
        place(h.first_step);
        place(h.second_step);
    }
}

// A value that another block has put into shared memory is that block's, if it is recorded.
void LaunchRecorder::join_clusters() {
    for (const Taken& t : taken_) {
        if (const auto from = given_.find(t.block); from != given_.end() && t.given < from->second.size()) {
            launch_.nodes[t.node].left = from->second[t.given];
        }
    }
}

void LaunchRecorder::finish() {
    write_steps();
    place_events();
    join_clusters();
    for (const Kept& k : kept_) {
        write_warp_steps(k);
    }
    // The stride of a hand-unrolled stage is the distance of its operands in one array, taken from the first such pair.
    std::vector<bool> done(launch_.steps.size());
    for (const Node& n : launch_.nodes) {
        Step& step = launch_.steps[n.step];
        if (n.kind != NodeKind::combine || step.kind != StepKind::stage || step.stride != 0 || done[n.step] ||
            n.left == warptree::kNone || n.right() == warptree::kNone) {
            continue;
        }
        const Node &a = launch_.nodes[n.left], &b = launch_.nodes[n.right()];
        if (a.word != warptree::kNone && b.word != warptree::kNone && a.word_allocation == b.word_allocation) {
            step.stride = a.word < b.word ? b.word - a.word : a.word - b.word;
            done[n.step] = true;
        }
    }
    kept_.clear();
}

} // namespace warptree::record
