// Who stored each element of an array during a launch: made where it is touched, so that a launch which stores to a few elements
// of a large array costs those few.
#pragma once

#include "app/simt/memory_budget.hpp"
#include "app/trace/record/data_flow.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree::simt {

// Who stored an element last, and what its value is made of. All zeros: nobody.
struct Stored {
    std::uint32_t next_to = 0;        // 1 more than the block; 0: nobody
    record::Tag tag = record::kNoTag; // in that block's data flow
    std::uint32_t depth = 0;          // of the tag, for loads by other blocks
    bool atomic = false;              // by an atomic: belongs to no single block

    bool by_anybody() const { return next_to != 0; }
    bool by(std::uint32_t block) const { return next_to == block + 1; }
    void is_by(std::uint32_t block) { next_to = block + 1; }
};

class StoredElements {
  public:
    explicit StoredElements(MemoryBudget& budget) : budget_(budget) {}
    ~StoredElements();
    StoredElements(const StoredElements&) = delete;
    StoredElements& operator=(const StoredElements&) = delete;

    bool any() const { return any_; }
    // Of each element, to be read; null: nobody stored any.
    const Stored* data() const { return any_ ? data_ : nullptr; }
    // To be changed. `most`: elements that the array may ever have, less than which `element` is; `name`: the array's. Throws
    // OptionError if it exceeds the budget.
    Stored& change(std::uint64_t element, std::uint64_t most, const std::string& name) {
        const std::uint64_t chunk = element / kChunk;
        if (chunk >= touched_.size() || touched_[chunk] == 0) {
            touch(chunk, most, name);
        }
        return data_[element];
    }
    // Calls seen(element) for each that somebody stored, and forgets them all.
    template <class Seen> void clear(Seen&& seen) {
        for (std::uint64_t chunk = 0; any_ && chunk < touched_.size(); ++chunk) {
            for (std::uint64_t i = chunk * kChunk; touched_[chunk] != 0 && i < std::min((chunk + 1) * kChunk, most_);
                 ++i) {
                if (data_[i].by_anybody()) {
                    seen(i);
                }
            }
        }
        forget();
    }
    void forget();

  private:
    static constexpr std::uint64_t kChunk = 1024; // elements: four pages
    void touch(std::uint64_t chunk, std::uint64_t most, const std::string& name);

    MemoryBudget& budget_;
    Stored* data_ = nullptr; // zeros where nothing was touched
    std::uint64_t most_ = 0; // elements for which there is room
    std::vector<std::uint8_t> touched_;
    std::uint64_t chunks_ = 0; // that were touched
    bool any_ = false;
};

} // namespace warptree::simt
