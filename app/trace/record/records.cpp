#include "app/trace/record/records.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warptree::record {

namespace {
bool is_operation(const DataFlow::Node& node) { return node.role == Role::combines; }
bool counts(const DataFlow::Node& node) { return node.role != Role::maps; }
} // namespace

// Elements read side by side, before anything is made of them: at one place of several arrays, or next to each other.
void Records::of_leaves(const DataFlow& flow, Leaves how) {
    records_.assign(1, {});
    leaf_.assign(flow.leaves.size(), kNothing);
    recent_.clear();
    for (std::size_t i = 0; i < flow.leaves.size(); ++i) {
        const DataFlow::Leaf& leaf = flow.leaves[i];
        if (leaf.kind == LeafKind::identity) {
            continue;
        }
        Recent& before = recent(leaf.thread);
        for (const std::uint32_t at : before.of) {
            if (at == 0 || leaf_[i] != kNothing) {
                continue;
            }
            const DataFlow::Leaf& other = flow.leaves[at - 1];
            const bool same_array = other.allocation == leaf.allocation;
            const std::uint64_t distance =
                other.element < leaf.element ? leaf.element - other.element : other.element - leaf.element;
            const bool beside = other.kind == leaf.kind && other.segment == leaf.segment &&
                                (same_array ? distance == 1 && other.made == leaf.made : distance == 0);
            arrays_ |= beside && !same_array;
            neighbours_ |= beside && same_array;
            if ((same_array && distance == 0 && other.kind == leaf.kind) || (beside && how == Leaves::structures)) {
                leaf_[i] = leaf_[at - 1];
            }
        }
        if (leaf_[i] == kNothing) {
            leaf_[i] = static_cast<std::uint32_t>(records_.size());
            Record& added = records_.emplace_back();
            added.first = kLeafBit | static_cast<Tag>(i);
        }
        before.add(static_cast<std::uint32_t>(i) + 1);
    }
}

// The record of an operation on values of two different ones.
std::uint32_t Records::joined(const DataFlow::Node& node, std::uint32_t left, std::uint32_t right) {
    const auto made_from = [&](std::uint32_t whole, std::uint32_t part) {
        return in_core(node, whole) && (records_[whole].left == part || records_[whole].right == part);
    };
    if (made_from(right, left)) {
        records_[right].within = true;
        return right;
    }
    if (made_from(left, right)) {
        records_[left].within = true;
        return left;
    }
    Recent& before = recent(node.thread);
    for (const std::uint32_t at : before.of) {
        Record& r = records_[at];
        if (at != 0 && r.segment == node.segment &&
            ((r.left == left && r.right == right) || (r.left == right && r.right == left))) {
            ++r.direct;
            return at;
        }
    }
    const auto added = static_cast<std::uint32_t>(records_.size());
    Record& r = records_.emplace_back();
    r.left = left;
    r.right = right;
    r.segment = node.segment;
    r.thread = node.thread;
    r.direct = 1;
    r.left_tag = node.left;
    r.right_tag = node.right;
    before.add(added);
    return added;
}

// Whether any record is made by more than one operation.
bool Records::of_nodes(const DataFlow& flow) {
    node_.assign(flow.nodes.size(), kNothing);
    recent_.clear();
    operators_ = 0;
    bool any = false;
    for (std::size_t i = 0; i < flow.nodes.size(); ++i) {
        const DataFlow::Node& node = flow.nodes[i];
        const std::uint32_t left = record_of(node.left), right = record_of(node.right);
        if (left == right || left == kNothing || right == kNothing) {
            node_[i] = left == kNothing ? right : left;
        } else {
            node_[i] = joined(node, left, right);
            any |= records_[node_[i]].direct > 1 || records_[node_[i]].within;
        }
        operators_ |= is_operation(node) ? 1U << static_cast<unsigned>(node.operation) : 0;
        Record& r = records_[node_[i]];
        if (in_core(node, node_[i])) {
            r.operations |= static_cast<std::uint16_t>(1U << static_cast<unsigned>(node.operation));
            r.combines += is_operation(node) && r.combines < 0xFFFF ? 1 : 0;
            r.followed |= node.operation == Operation::none;
        }
    }
    return any;
}

// Whether it needs no decision: of elements, or merged as one, or made by no application of the operator.
bool Records::settled(std::uint32_t record) const {
    const Record& r = records_[record];
    return r.left == kNothing || r.merged || r.combines == 0;
}

// Decides which records are merged as one; how many.
std::uint64_t Records::judge(const DataFlow& flow) {
    used_.assign(flow.nodes.size(), 0);
    part_.assign(flow.nodes.size(), 0);
    const auto use = [&](Tag tag, const DataFlow::Node* by, std::uint32_t into) {
        if (tag == kNoTag || tag == kIdentityTag || is_leaf(tag)) {
            return;
        }
        used_[tag - 1] = 1;
        const std::uint32_t from = node_[tag - 1];
        if (from == kNothing || !in_core(flow.nodes[tag - 1], from) ||
            (by != nullptr && from == into && in_core(*by, into))) {
            return;
        }
        Record& r = records_[from];
        r.parts += part_[tag - 1] == 0 && r.parts < 0xFFFF ? 1 : 0;
        part_[tag - 1] = 1;
        if (by == nullptr || from == into || !in_core(*by, into)) {
            return;
        }
        Record& user = records_[into];
        Tag& seen = user.left == from ? user.left_tag : user.right_tag;
        if (user.left != from && user.right != from) {
            return;
        }
        r.apart = true;
        r.together |= seen != kNoTag && record_of(seen) == from && seen != tag;
    };
    for (std::size_t i = 0; i < flow.nodes.size(); ++i) {
        use(flow.nodes[i].left, &flow.nodes[i], node_[i]);
        use(flow.nodes[i].right, &flow.nodes[i], node_[i]);
    }
    DataFlow::each_root(flow, [&](Tag tag) { use(tag, nullptr, kNothing); });
    std::uint64_t found = 0;
    for (Record& r : records_) {
        if (r.left == kNothing || r.combines == 0) {
            continue;
        }
        const bool after_records = settled(r.left) && settled(r.right);
        const bool one_uses_another = r.within && std::popcount(r.operations) >= 2 && (r.together || after_records);
        const bool side_by_side = r.direct >= 2 && (r.together || (!r.apart && after_records));
        r.merged = one_uses_another || side_by_side || r.followed;
        found += r.merged ? 1 : 0;
    }
    return found;
}

// Operations that only serve merges: on one value of a side, or on the identity.
void Records::find_absorbed(const DataFlow& flow) {
    enum : std::uint8_t { kUnused, kServes, kStays };
    std::vector<std::uint8_t> serves(flow.nodes.size(), kUnused);
    const auto stays = [&](Tag tag, bool yes) {
        if (tag != kNoTag && tag != kIdentityTag && !is_leaf(tag)) {
            std::uint8_t& s = serves[tag - 1];
            s = yes ? std::uint8_t{kStays} : std::max<std::uint8_t>(s, kServes);
        }
    };
    DataFlow::each_root(flow, [&](Tag tag) { stays(tag, true); });
    for (const Record& r : records_) { // the values by which a merge is linked to what it was made from
        for (const auto& [from, tag] : {std::pair(r.left, r.left_tag), std::pair(r.right, r.right_tag)}) {
            if (r.merged && records_[from].left != kNothing && !records_[from].merged) {
                stays(tag, true);
            }
        }
    }
    absorbed_.assign(flow.nodes.size(), 0);
    for (std::size_t i = flow.nodes.size(); i-- > 0;) {
        const DataFlow::Node& node = flow.nodes[i];
        const bool in_merge = records_[node_[i]].merged && in_core(node, node_[i]);
        const std::uint32_t left = record_of(node.left), right = record_of(node.right);
        const bool one_side = left == right || left == kNothing || right == kNothing;
        absorbed_[i] = in_merge || (serves[i] == kServes && (one_side || node.role == Role::maps)) ? 1 : 0;
        stays(node.left, absorbed_[i] == 0);
        stays(node.right, absorbed_[i] == 0);
    }
}

void Records::rebuild(DataFlow& flow, const Dropped& dropped) {
    find_absorbed(flow);
    const bool full = !flow.node_details.empty();
    std::vector<DataFlow::Node> nodes;
    std::vector<DataFlow::Detail> details;
    std::vector<Tag> moved(flow.nodes.size(), kNoTag); // by node: its tag now
    nodes.swap(flow.nodes);
    details.swap(flow.node_details);
    const auto now = [&](Tag tag) {
        return tag == kNoTag || tag == kIdentityTag || is_leaf(tag) ? tag : moved[tag - 1];
    };
    const auto side = [&](std::uint32_t record, Tag tag) {
        return records_[record].first != kNoTag ? records_[record].first : now(tag);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const DataFlow::Node& node = nodes[i];
        const std::uint32_t of = node_[i];
        Record& r = records_[of];
        const bool in_merge = r.merged && in_core(node, of);
        if (absorbed_[i] != 0 && !in_merge) {
            if (counts(node)) {
                dropped(node);
            }
            moved[i] = r.first != kNoTag ? r.first : now(node.left != kNoTag ? node.left : node.right);
            continue;
        }
        const DataFlow::Detail detail = full ? details[i] : DataFlow::Detail{};
        if (!in_merge) {
            DataFlow::Node it = node;
            it.left = now(node.left);
            it.right = now(node.right);
            if (is_operation(node) && it.left == it.right && node.left != node.right) { // of parts of one record
                it.right = kNoTag;
                it.role = Role::maps;
                dropped(node);
            }
            moved[i] = flow.node(it, detail);
            continue;
        }
        if (r.first == kNoTag) { // all of its operands are there by now
            DataFlow::Node it = node;
            it.left = side(r.left, r.left_tag);
            it.right = side(r.right, r.right_tag);
            it.operation = Operation::merge;
            it.role = Role::combines;
            r.first = flow.node(it, detail);
            r.combines = 0; // from here on: the applications that the merge stands for
        }
        moved[i] = r.first;
        if (counts(node) && (!is_operation(node) || ++r.combines > 1)) {
            dropped(node);
        }
        if (full && (part_[i] != 0 || used_[i] == 0)) {
            flow.parts.push_back({r.first, node.operation, detail});
            DataFlow::Detail& whole = flow.node_details[r.first - 1];
            if (is_operation(node) && !r.shown) { // the first that is combined
                whole = detail;
                r.shown = true;
            }
        }
    }
    DataFlow::each_root(flow, [&](Tag& tag) { tag = now(tag); });
}

void Records::fold(DataFlow& flow, const Dropped& dropped) {
    arrays_ = neighbours_ = false;
    of_leaves(flow, Leaves::single);
    const bool any = of_nodes(flow);
    if (any && judge(flow) != 0) {
        rebuild(flow, dropped);
        return;
    }
    if (!arrays_ && !(neighbours_ && std::popcount(operators_) > 1)) {
        return;
    }
    of_leaves(flow, Leaves::structures);
    if (of_nodes(flow) && judge(flow) != 0) {
        rebuild(flow, dropped);
    }
}

} // namespace warptree::record
