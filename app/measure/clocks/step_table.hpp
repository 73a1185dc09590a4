// The steps of a launch, as its threads meet them.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace warptree {

// Steps keep their id; their order is that of `order()`. A thread that skips steps does not disturb the others.
class StepTable {
  public:
    struct Entry {
        StepKind kind;
        std::uint32_t stride;
        std::uint16_t next;
        Phase phase;
        std::uint16_t rank; // place in order()
    };
    static constexpr std::uint16_t kEnd = 0xFFFF;

    StepTable() : entries_{{StepKind::load, 0, kEnd, Phase::none, 0}} {} // every kernel starts loading

    // The first step after `from` of that kind, stride and phase, added right behind `from` if there is none.
    std::uint16_t advance(std::uint16_t from, StepKind kind, std::uint32_t stride, Phase phase) {
        const std::uint16_t next = entries_[from].next;
        if (next != kEnd && is(next, kind, stride, phase)) {
            return next;
        }
        return search(from, kind, stride, phase);
    }
    std::size_t size() const { return entries_.size(); }
    const Entry& operator[](std::size_t id) const { return entries_[id]; }
    std::vector<std::uint16_t> order() const; // ids, first to last

  private:
    bool is(std::uint16_t id, StepKind kind, std::uint32_t stride, Phase phase) const {
        const Entry& e = entries_[id];
        return e.kind == kind && e.stride == stride && e.phase == phase;
    }
    std::uint16_t search(std::uint16_t from, StepKind kind, std::uint32_t stride, Phase phase);
    std::vector<Entry> entries_;
};

} // namespace warptree
