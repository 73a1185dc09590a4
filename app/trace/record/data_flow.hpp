// The data flow of one block: which element or operation each value came from, and what reaches the block's outputs.
#pragma once

#include "app/base/value_type.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace warptree::record {

// What a value is made of: a leaf, if the top bit is set, or an operation. 0: not tracked.
using Tag = std::uint32_t;
inline constexpr Tag kNoTag = 0, kLeafBit = 0x80000000U, kIdentityTag = 0xFFFFFFFFU;
inline constexpr std::uint16_t kSharedAllocation = 0xFFFF; // in place of an allocation: shared memory
inline constexpr std::uint32_t kOnlyIdentity =
    0xFFFFFFFF; // in place of a partial result's depth: it is made only of the identity
constexpr bool is_leaf(Tag tag) { return (tag & kLeafBit) != 0; }

// maps: not an application of the operator, e.g. the products of a dot product. pads: an operand is only the identity.
enum class Role : std::uint8_t { maps, combines, pads };
enum class LeafKind : std::uint8_t { element, identity, partial };

class DataFlow {
  public:
    struct Leaf {
        std::uint64_t element = 0; // of the allocation
        std::uint32_t segment = 0;
        std::uint32_t depth = 0; // applications of the operator already in its value
        std::uint16_t allocation = 0, thread = 0;
        LeafKind kind = LeafKind::element;
        bool useful = false;
        std::uint32_t made = 0; // operations before it
    };
    struct Node {
        Tag left = kNoTag, right = kNoTag; // right: kNoTag for an operation on one tracked value
        std::uint32_t segment = 0;
        std::uint32_t depth = 0; // applications of the operator on the longest path from a leaf
        std::uint16_t thread = 0;
        Operation operation = Operation::none;
        Role role = Role::maps;
        bool useful : 1 = false;
        bool atomic : 1 = false;
        bool empty : 1 = false; // both operands are padding
    };
    struct Detail { // of a leaf or node, in a block recorded in full
        std::uint64_t bits = 0;
        std::uint32_t location = 0;
        ValueType type = ValueType::none;
        std::uint16_t allocation = 0; // where it was first stored, with `word`
        std::uint32_t word = kNowhere;
    };
    static constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;
    // A value of a merge of records (records.hpp).
    struct Part {
        Tag merge = kNoTag;
        Operation operation = Operation::none;
        Detail detail;
    };
    // A value that leaves the block.
    struct Output {
        std::uint64_t element = 0;
        Tag tag = kNoTag;
        std::uint32_t segment = 0, location = 0;
        std::uint16_t allocation = 0, thread = 0;
        bool atomic = false;
        bool lost = false; // the same instruction stored another lane's value over it
    };

    // A leaf that is a value of another block of the cluster: of those it gives, which.
    struct Taken {
        Tag leaf = kNoTag;
        std::uint32_t block = 0, given = 0;
    };

    void begin(bool full) {
        full_ = full;
        leaves.clear();
        nodes.clear();
        outputs.clear();
        leaf_details.clear();
        node_details.clear();
        parts.clear();
        places.clear();
        given.clear();
        taken.clear();
    }
    // The value decides where an output goes, as a scan of flags does in a compaction: it is of use if it combines.
    void place(Tag tag) {
        if (tag != kNoTag && !is_leaf(tag) && nodes[tag - 1].depth != 0 && (places.empty() || places.back() != tag) &&
            places.size() < kMost) {
            places.push_back(tag);
        }
    }
    // Another block of the cluster takes the value from shared memory. Returns its place in `given`.
    std::uint32_t give(Tag tag) {
        if (given.empty() || given.back() != tag) {
            given.push_back(tag);
        }
        return static_cast<std::uint32_t>(given.size() - 1);
    }
    void takes(Tag leaf, std::uint32_t block, std::uint32_t given_there) {
        if (full_ && leaf != kNoTag) {
            taken.push_back({leaf, block, given_there});
        }
    }
    // The most leaves, and the most nodes, tracked per block; further values get no tag. A hostile file may reach it.
    static constexpr std::size_t kMost = 1U << 24;
    // Leaves and nodes are added member by member: a copy of the whole struct would read with wide loads what was just
    // written with narrower stores, which defeats store forwarding (a fifth of the time of a trace).
    Tag leaf(const Leaf& leaf, const Detail& detail) {
        if (leaves.size() == kMost) {
            return kNoTag;
        }
        Leaf& l = leaves.emplace_back();
        l.element = leaf.element;
        l.segment = leaf.segment;
        l.depth = leaf.depth;
        l.allocation = leaf.allocation;
        l.thread = leaf.thread;
        l.kind = leaf.kind;
        l.useful = leaf.useful;
        l.made = static_cast<std::uint32_t>(nodes.size());
        if (full_) {
            add(leaf_details, detail);
        }
        return kLeafBit | static_cast<Tag>(leaves.size() - 1);
    }
    Tag identity(const Leaf& leaf, const Detail& detail) { return full_ ? this->leaf(leaf, detail) : kIdentityTag; }
    Tag node(const Node& node, const Detail& detail) {
        if (nodes.size() == kMost) {
            return kNoTag;
        }
        const std::uint32_t below = depth(node.left), beside = depth(node.right);
        const bool empty = node.role == Role::pads && is_padding(node.left) && is_padding(node.right);
        Node& n = nodes.emplace_back();
        n.left = node.left;
        n.right = node.right;
        n.segment = node.segment;
        n.depth = (below > beside ? below : beside) + (node.role != Role::maps ? 1 : 0);
        n.thread = node.thread;
        n.operation = node.operation;
        n.role = node.role;
        n.useful = node.useful;
        n.atomic = node.atomic;
        n.empty = empty;
        if (full_) {
            add(node_details, detail);
        }
        return static_cast<Tag>(nodes.size());
    }
    // The same while only counting, for two tracked values that the operator combines; kNoTag if either is padding.
    Tag counted_combine(Tag left, Tag right, Operation operation, std::uint32_t segment, std::uint16_t thread) {
        std::uint32_t below = 0, beside = 0;
        if (!has_elements(left, below) || !has_elements(right, beside) || nodes.size() == kMost) {
            return kNoTag;
        }
        Node& n = nodes.emplace_back();
        n.left = left;
        n.right = right;
        n.segment = segment;
        n.depth = (below > beside ? below : beside) + 1;
        n.thread = thread;
        n.operation = operation;
        n.role = Role::combines;
        return static_cast<Tag>(nodes.size());
    }
    std::uint32_t depth(Tag tag) const {
        return tag == kNoTag || tag == kIdentityTag ? 0
               : is_leaf(tag)                       ? leaves[tag & ~kLeafBit].depth
                                                    : nodes[tag - 1].depth;
    }
    Node& node_of(Tag tag) { return nodes[tag - 1]; }
    const Node& node_of(Tag tag) const { return nodes[tag - 1]; }
    // For a block recorded in full; ValueType::none if unknown.
    ValueType type(Tag tag) const {
        return !full_ || tag == kNoTag || tag == kIdentityTag ? ValueType::none
               : is_leaf(tag)                                 ? leaf_details[tag & ~kLeafBit].type
                                                              : node_details[tag - 1].type;
    }
    // Whether both are one value: one element may have been loaded twice.
    bool is_same(Tag a, Tag b) const {
        if (a == b || a == kIdentityTag || b == kIdentityTag || !is_leaf(a) || !is_leaf(b)) {
            return a == b;
        }
        const Leaf &x = leaves[a & ~kLeafBit], &y = leaves[b & ~kLeafBit];
        return x.kind == LeafKind::element && y.kind == LeafKind::element && x.allocation == y.allocation &&
               x.element == y.element;
    }
    // Whether it is made only of the identity.
    bool is_padding(Tag tag) const {
        return tag == kIdentityTag ||
               (tag != kNoTag && is_leaf(tag) && leaves[tag & ~kLeafBit].kind == LeafKind::identity) ||
               (tag != kNoTag && !is_leaf(tag) && nodes[tag - 1].empty);
    }
    // Records where a value was first stored.
    void stored(Tag tag, std::uint16_t allocation, std::uint32_t word) {
        if (!full_ || tag == kNoTag || tag == kIdentityTag) {
            return;
        }
        Detail& d = is_leaf(tag) ? leaf_details[tag & ~kLeafBit] : node_details[tag - 1];
        if (d.word == kNowhere) {
            d.allocation = allocation;
            d.word = word;
        }
    }
    std::uint64_t bytes() const {
        return leaves.size() * sizeof(Leaf) + nodes.size() * sizeof(Node) + outputs.size() * sizeof(Output) +
               (leaf_details.size() + node_details.size()) * sizeof(Detail) +
               (given.size() + places.size()) * sizeof(Tag) + taken.size() * sizeof(Taken);
    }
    // Calls f(tag) for all that leaves the block or decides where something goes.
    template <class Flow, class F> static void each_root(Flow& flow, F&& f) {
        for (auto& output : flow.outputs) {
            f(output.tag);
        }
        for (auto* const tags : {&flow.places, &flow.given}) {
            for (auto& tag : *tags) {
                f(tag);
            }
        }
    }
    // One instruction of a warp made the outputs from here on: where several lanes store to one element, the last one's stays.
    void lose_overwritten(std::size_t first);
    // Marks everything that the outputs, or other blocks of the cluster, depend on.
    void mark_useful();

    std::vector<Leaf> leaves;
    std::vector<Node> nodes;
    std::vector<Output> outputs;
    std::vector<Detail> leaf_details, node_details; // if recorded in full
    std::vector<Part> parts;                        // the same
    std::vector<Tag> places;                        // of outputs
    std::vector<Tag> given;                         // to other blocks of the cluster
    std::vector<Taken> taken;                       // from them, if recorded in full

  private:
    // Whether it is more than the identity; sets its depth.
    bool has_elements(Tag tag, std::uint32_t& depth) const {
        if (tag == kIdentityTag) {
            return false;
        }
        if (is_leaf(tag)) {
            const Leaf& leaf = leaves[tag & ~kLeafBit];
            depth = leaf.depth;
            return leaf.kind != LeafKind::identity;
        }
        const Node& n = nodes[tag - 1];
        depth = n.depth;
        return !n.empty;
    }
    static void add(std::vector<Detail>& details, const Detail& from) {
        Detail& d = details.emplace_back();
        d.bits = from.bits;
        d.location = from.location;
        d.type = from.type;
        d.allocation = from.allocation;
        d.word = from.word;
    }

    bool full_ = false;
    std::vector<Tag> stack_;
};

} // namespace warptree::record
