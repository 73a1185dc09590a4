// The data flow of one block while it is recorded: leaves, combines, and what the outputs reach.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace warptree {

// Where a value comes from. Combines are numbered within the block; leaves have the top bit set.
using NodeRef = std::uint32_t;
inline constexpr NodeRef kNoNode = 0xFFFFFFFFU;
inline constexpr NodeRef kIdentityRef = 0xFFFFFFFEU;
inline constexpr NodeRef kLeafBit = 0x80000000U;
inline constexpr NodeRef kCountedLeaf = 0xBFFFFFFFU; // any leaf that is only counted
inline bool is_leaf(NodeRef ref) { return (ref & kLeafBit) != 0 && ref < kIdentityRef; }

struct Origin {
    NodeRef node = kNoNode;
    std::uint32_t depth = 0; // combines on the longest path from a leaf
    bool empty = false;      // stands for no element: the identity, or what only identities were combined to
};

// What an element of a later launch's input stands for.
struct PartialMeta {
    std::uint64_t leaves = 1;
    std::uint32_t depth = 0;
    bool empty = false; // as Origin::empty
};

class BlockNodes {
  public:
    struct Detail {
        SourceLine line = SourceLine::none();
        std::uint32_t word = kNone;
        std::uint64_t bits = 0;
    };
    struct Leaf {
        std::uint32_t element;
        std::uint16_t step, thread;
        NodeKind kind;
        bool useful;
        Detail detail;
    };
    enum class Operation : std::uint8_t { combine, padding, product };
    struct Combine { // or product
        NodeRef left, right;
        std::uint32_t count;  // combines merged into this one that are no padding
        std::uint32_t leaves; // leaf operands of merged combines
        std::uint16_t step, thread;
        bool useful; // an output depends on it
        Operation operation;
    };

    void clear();
    // `keep` false: only counted, every leaf is the same one.
    NodeRef leaf(bool keep, const Leaf& leaf) {
        if (!keep) {
            return kCountedLeaf;
        }
        leaves.push_back(leaf);
        return kLeafBit | static_cast<NodeRef>(leaves.size() - 1);
    }
    // With `merge_into` the thread's combines become one counted node (*merge_into: that node, or kNoNode).
    NodeRef combine(NodeRef* merge_into, bool keep, Operation operation, NodeRef left, NodeRef right,
                    std::uint16_t step, std::uint16_t thread, const Detail& detail) {
        const std::uint32_t count = operation == Operation::combine ? 1 : 0;
        if (merge_into != nullptr) {
            return merge(*merge_into, count, left, right, step, thread);
        }
        combines.push_back({left, right, count, 0, step, thread, false, operation});
        if (keep) {
            details.push_back(detail);
        }
        return static_cast<NodeRef>(combines.size() - 1);
    }
    // The first store of a value decides its word. Only when kept.
    void stored(NodeRef node, std::uint32_t word);
    // Marks what `node` depends on; returns the leaves newly reached: through `input` when the launch's input are an
    // earlier one's partials, through `partials` where this launch's own are read back
    // (null: those of other blocks, which count where they are loaded).
    std::uint64_t mark_useful(NodeRef node, const PartialMeta* input, const PartialMeta* partials);

    std::vector<Leaf> leaves;
    std::vector<Combine> combines;
    std::vector<Detail> details; // of the combines, when kept

  private:
    NodeRef merge(NodeRef& node, std::uint32_t count, NodeRef left, NodeRef right, std::uint16_t step,
                  std::uint16_t thread);
    std::vector<NodeRef> stack_;
};

} // namespace warptree
