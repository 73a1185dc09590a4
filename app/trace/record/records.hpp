// Merges of records. A record is several values that come from the same elements and go on together: a maximum with its
// index, a mean with its moment, a sum with what was rounded off. Merging two of them takes several operations, which
// are one step of a tree.
//
// They are found in a block's finished data flow. Every value belongs to a record: a loaded element to its own, a
// result to that of its operands if they have one in common or one was made from the other, else to the record that its
// thread makes of the two in this segment. A record whose operations use one another's operands (the difference of two
// means, then a mean of them), whose values are merged together again, or where an index travels with the greater of two
// values, was merged as one: its operations become one
// node, Operation::merge, with the values as its parts. Applying one operator twice to the same values is no record.
#pragma once

#include "app/trace/record/data_flow.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace warptree::record {

class Records {
  public:
    // Called for each application of the operator that is no step of its own any more.
    using Dropped = std::function<void(const DataFlow::Node&)>;
    void fold(DataFlow& flow, const Dropped& dropped);

  private:
    static constexpr std::uint32_t kNothing = 0; // the record of a value that is made of no element
    struct Record {
        std::uint32_t left = kNothing, right = kNothing; // that it was merged from; both nothing: of elements
        std::uint32_t segment = 0;
        std::uint16_t thread = 0;
        std::uint16_t operations = 0;              // bit k: Operation k is applied in it
        std::uint16_t direct = 0, combines = 0;    // operations on one value of each side; of the operator
        std::uint16_t parts = 0;                   // values that are used outside
        bool within = false;                       // an operation has an operand that the record itself made
        bool followed = false;                     // a value travels with one of two that are compared
        bool apart = false, together = false;      // parts go on one by one, several at once
        bool merged = false, shown = false;        // as one; its node shows a value
        Tag left_tag = kNoTag, right_tag = kNoTag; // the first operand from each side
        Tag first = kNoTag;                        // a leaf's; of a merge, the node
    };
    // How leaves become records: each element for itself, or elements that a thread reads side by side as one.
    enum class Leaves : std::uint8_t { single, structures };

    void of_leaves(const DataFlow& flow, Leaves how);
    bool of_nodes(const DataFlow& flow);
    std::uint64_t judge(const DataFlow& flow);
    void rebuild(DataFlow& flow, const Dropped& dropped);
    std::uint32_t record_of(Tag tag) const {
        return tag == kNoTag || tag == kIdentityTag ? kNothing : is_leaf(tag) ? leaf_[tag & ~kLeafBit] : node_[tag - 1];
    }
    std::uint32_t joined(const DataFlow::Node& node, std::uint32_t left, std::uint32_t right);
    // Whether the node is made where its record is: by the same thread in the same segment.
    bool in_core(const DataFlow::Node& node, std::uint32_t record) const {
        const Record& r = records_[record];
        return r.left != kNothing && r.thread == node.thread && r.segment == node.segment;
    }
    bool settled(std::uint32_t record) const;
    void find_absorbed(const DataFlow& flow);

    // What a thread loaded or merged last: parts of a record are loaded and merged close together.
    static constexpr std::size_t kRecent = 8;
    struct Recent {
        std::array<std::uint32_t, kRecent> of{};
        std::uint8_t next = 0;
        void add(std::uint32_t it) {
            of[next] = it;
            next = static_cast<std::uint8_t>((next + 1) % kRecent);
        }
    };
    Recent& recent(std::uint16_t thread) {
        if (thread >= recent_.size()) {
            recent_.resize(thread + 1U);
        }
        return recent_[thread];
    }

    std::vector<Record> records_;
    std::vector<std::uint32_t> leaf_, node_; // the record of each
    std::vector<Recent> recent_;             // by thread
    std::vector<std::uint8_t> used_, absorbed_, part_;
    bool arrays_ = false, neighbours_ = false; // whether elements of several arrays, or of one, were read side by side
    std::uint32_t operators_ = 0;              // bit k: Operation k combines
};

} // namespace warptree::record
