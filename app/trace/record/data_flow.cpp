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
    const auto reach_all = [&](Tag tag) {
        reach(tag);
        while (!stack_.empty()) {
            const Node node = nodes[stack_.back() - 1];
            stack_.pop_back();
            reach(node.left);
            reach(node.right);
        }
    };
    each_root(*this, reach_all);
}

} // namespace warptree::record
