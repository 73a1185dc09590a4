#include "app/trace/record/data_flow.hpp"

#include <algorithm>
#include <functional>

namespace warptree::record {

void DataFlow::lose_overwritten(std::size_t first) {
    const auto from = outputs.begin() + static_cast<std::ptrdiff_t>(first);
    const auto none = [&](auto equal_or_past) { // as nearly always: each lane has an element of its own
        return std::adjacent_find(from, outputs.end(), [&](const Output& a, const Output& b) {
                   return equal_or_past(a.element, b.element);
               }) == outputs.end();
    };
    if (none(std::greater_equal<>{}) || none(std::less_equal<>{})) {
        return;
    }
    for (auto later = from; later != outputs.end(); ++later) {
        for (auto earlier = from; earlier != later; ++earlier) {
            earlier->lost = earlier->lost || earlier->element == later->element;
        }
    }
}

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
    for (const Output& output : outputs) {
        if (!output.lost) {
            reach_all(output.tag);
        }
    }
    for (const auto* const tags : {&places, &given}) {
        std::for_each(tags->begin(), tags->end(), reach_all);
    }
}

} // namespace warptree::record
