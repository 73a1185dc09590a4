#include "app/trace/record/data_flow.hpp"

namespace warptree::record {

void DataFlow::mark_useful() {
    const auto reach = [this](Tag tag) {
        if (tag == kNoTag || tag == kIdentityTag) {
            return;
        }
        if (is_leaf(tag)) {
            leaves[tag & ~kLeafBit].useful = true;
        } else if (!nodes[tag - 1].useful) {
            nodes[tag - 1].useful = true;
            stack_.push_back(tag);
        }
    };
    for (const Output& output : outputs) {
        reach(output.tag);
        while (!stack_.empty()) {
            const Node node = nodes[stack_.back() - 1];
            stack_.pop_back();
            reach(node.left);
            reach(node.right);
        }
    }
}

} // namespace warptree::record
