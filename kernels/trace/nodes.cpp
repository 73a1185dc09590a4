#include "kernels/trace/nodes.hpp"

namespace warptree {

void BlockNodes::clear() {
    leaves.clear();
    combines.clear();
    details.clear();
}

NodeRef BlockNodes::merge(NodeRef& node, std::uint32_t count, NodeRef left, NodeRef right, std::uint16_t step,
                          std::uint16_t thread) {
    if (node == kNoNode) {
        combines.push_back({kIdentityRef, kIdentityRef, 0, 0, step, thread, false, Operation::combine});
        node = static_cast<NodeRef>(combines.size() - 1);
    }
    Combine& c = combines[node];
    c.count += count;
    c.leaves += (is_leaf(left) ? 1U : 0U) + (is_leaf(right) ? 1U : 0U);
    return node;
}

void BlockNodes::stored(NodeRef node, std::uint32_t word) {
    if (node >= kIdentityRef) {
        return;
    }
    Detail& d = is_leaf(node) ? leaves[node & ~kLeafBit].detail : details[node];
    if (d.word == kNone) {
        d.word = word;
    }
}

namespace {
std::uint64_t stands_for(const BlockNodes::Leaf& leaf, const PartialMeta* input, const PartialMeta* partials) {
    switch (leaf.kind) {
    case NodeKind::identity: return 0;
    case NodeKind::partial: return partials != nullptr ? partials[leaf.element].leaves : 0;
    default: return input != nullptr ? input[leaf.element].leaves : 1;
    }
}
} // namespace

std::uint64_t BlockNodes::mark_useful(NodeRef node, const PartialMeta* input, const PartialMeta* partials) {
    std::uint64_t reached = 0;
    stack_.assign(1, node);
    while (!stack_.empty()) {
        const NodeRef ref = stack_.back();
        stack_.pop_back();
        if (ref >= kIdentityRef) {
            continue;
        }
        if (is_leaf(ref)) {
            const std::uint32_t i = ref & ~kLeafBit;
            if (i < leaves.size()) {
                reached += leaves[i].useful ? 0 : stands_for(leaves[i], input, partials);
                leaves[i].useful = true;
            } else {
                ++reached;
            }
            continue;
        }
        Combine& c = combines[ref];
        if (c.useful) {
            continue;
        }
        c.useful = true;
        reached += c.leaves;
        stack_.push_back(c.left);
        stack_.push_back(c.right);
    }
    return reached;
}

} // namespace warptree
