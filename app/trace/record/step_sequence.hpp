// The steps of a block, or of a launch, in the order in which its warps reach them.
#pragma once

#include "app/trace/model/kinds.hpp"

#include <cstdint>
#include <vector>

namespace warptree::record {

// Identifies a step. Warps and blocks that execute steps with the same keys in the same order execute the same steps.
struct StepKey {
    StepKind kind = StepKind::load;
    bool statement = false;   // of a stage: `source` is a statement, not a loop
    std::uint32_t source = 0; // stage: loop or statement of the program; other: the location where it begins; load and
                              // store: the location of the name in the source; 0: none
    std::int64_t value = 0;   // stage of a loop: its variable's value, or the iteration number if it has none
    friend bool operator==(const StepKey&, const StepKey&) = default;
};

// The value that the variable of the loop around a stage's has in it: of steps that are one the same, or it is not told.
struct OuterValue {
    enum class Known : std::uint8_t { no, yes, differs } known = Known::no;
    std::int64_t value = 0;
    void add(const OuterValue& other) {
        const bool alike = known == Known::no || (known == other.known && value == other.value);
        *this = other.known == Known::no ? *this : alike ? other : OuterValue{Known::differs, 0};
    }
};

// A linked list, so that a warp that skips steps does not disturb the others. A step keeps its number; the order is
// that of the list.
class StepSequence {
  public:
    static constexpr std::uint32_t kBefore = 0;  // the place before the first step
    static constexpr std::uint32_t kMost = 4096; // steps; anything later is counted in the last one

    StepSequence() { clear(); }
    void clear() {
        entries_.assign(1, {});
        last_ = kBefore;
    }
    // Whether there is a step after `from` with that key.
    bool has(std::uint32_t from, const StepKey& key) const {
        for (std::uint32_t s = entries_[from].next; s != kBefore; s = entries_[s].next) {
            if (entries_[s].key == key) {
                return true;
            }
        }
        return false;
    }
    // The first step after `from` with that key; inserted right after `from` if there is none.
    std::uint32_t advance(std::uint32_t from, const StepKey& key) {
        for (std::uint32_t s = entries_[from].next; s != kBefore; s = entries_[s].next) {
            if (entries_[s].key == key) {
                return s;
            }
        }
        if (size() == kMost) {
            return last_;
        }
        const auto added = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({key, entries_[from].next});
        entries_[from].next = added;
        if (last_ == from) {
            last_ = added;
        }
        return added;
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size() - 1); }
    const StepKey& key(std::uint32_t step) const { return entries_[step].key; }
    std::uint32_t first() const { return entries_[kBefore].next; }               // kBefore: there is none
    std::uint32_t next(std::uint32_t step) const { return entries_[step].next; } // kBefore: it is the last
    // Which of two places comes later.
    std::uint32_t later(std::uint32_t a, std::uint32_t b) const {
        if (a == b || a == kBefore) {
            return b;
        }
        for (std::uint32_t s = entries_[a].next; s != kBefore; s = entries_[s].next) {
            if (s == b) {
                return b;
            }
        }
        return a;
    }

  private:
    struct Entry {
        StepKey key;
        std::uint32_t next = kBefore;
    };
    std::vector<Entry> entries_;
    std::uint32_t last_ = kBefore;
};

} // namespace warptree::record
