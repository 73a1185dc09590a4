#include "kernels/trace/steps.hpp"

namespace warptree {

std::uint16_t StepTable::search(std::uint16_t from, StepKind kind, std::uint32_t stride) {
    for (std::uint16_t id = entries_[from].next; id != kEnd; id = entries_[id].next) {
        if (entries_[id].kind == kind && entries_[id].stride == stride) {
            return id;
        }
    }
    const auto id = static_cast<std::uint16_t>(entries_.size());
    entries_.push_back({kind, stride, entries_[from].next});
    entries_[from].next = id;
    return id;
}

std::vector<std::uint16_t> StepTable::order() const {
    std::vector<std::uint16_t> ids;
    for (std::uint16_t id = 0; id != kEnd; id = entries_[id].next) {
        ids.push_back(id);
    }
    return ids;
}

} // namespace warptree
