#include "app/measure/clocks/step_table.hpp"

namespace warptree {

std::uint16_t StepTable::search(std::uint16_t from, StepKind kind, std::uint32_t stride, Phase phase) {
    for (std::uint16_t id = entries_[from].next; id != kEnd; id = entries_[id].next) {
        if (is(id, kind, stride, phase)) {
            return id;
        }
    }
    const auto id = static_cast<std::uint16_t>(entries_.size());
    entries_.push_back({kind, stride, entries_[from].next, phase, 0});
    entries_[from].next = id;
    std::uint16_t rank = 0;
    for (std::uint16_t it = 0; it != kEnd; it = entries_[it].next) {
        entries_[it].rank = rank++;
    }
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
