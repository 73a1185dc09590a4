// A launch of which only findings and results are wanted is first attempted without the history by which findings are told:
// of each granule of memory only who wrote it last and who has read it is kept, and what a store overwrites. Where two
// accesses may race, or anything else would be told, all stores are undone, and the launch runs again, with its history. So
// what is told, and what is in memory afterwards, never depends on the attempt.
#pragma once

#include "app/simt/memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace warptree::simt {

// The last access of a kind to a granule. time 0: none yet.
struct Last {
    std::uint32_t time = 0;   // of Clocks, which goes on from block to block
    std::uint16_t thread = 0; // or several, as below
    bool atomic = false;      // all of those that it stands for are
    bool elsewhere = false;   // it stands for accesses of other blocks, too

    static constexpr std::uint16_t kOfWarp = 0x8000; // + a warp's number: several of its threads
    static constexpr std::uint16_t kSeveral = 0xFFFF;
    // It stands for the accesses of this thread, too.
    void join(std::uint32_t other, std::uint32_t now) {
        const std::uint32_t warp = other / 32;
        time = now;
        if (thread == other || thread == kSeveral) {
            return;
        }
        const bool near = (thread & kOfWarp) == 0 ? thread / 32 == warp : thread == (kOfWarp | warp);
        thread = near ? static_cast<std::uint16_t>(kOfWarp | warp) : kSeveral;
    }
};

class Attempt {
  public:
    // written: by allocation, whether loads of it have to be kept; shift: log2 of the bytes of a granule; whole_elements:
    // a store of some bytes counts as one of the element, as it does where blocks see what others store.
    Attempt(Memory& memory, std::vector<bool> written, unsigned shift, bool whole_elements)
        : memory_(memory), written_(std::move(written)), shift_(shift), whole_elements_(whole_elements),
          chunks_(memory.count()), updated_(memory.count()) {}
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    static constexpr unsigned kChunkShift = 10; // log2 of its granules
    using Row = std::array<Last, 1U << kChunkShift>;
    struct Chunk {
        Row* writes = nullptr;
        Row* reads = nullptr;                   // null: none yet
        std::byte* before = nullptr;            // null: nothing was stored here
        std::vector<std::uint64_t> initialised; // a bit a byte: what was when `before` was
    };
    unsigned shift() const { return shift_; }
    bool whole_elements() const { return whole_elements_; }
    bool may_be_written(std::uint32_t allocation) const {
        return allocation >= written_.size() || written_[allocation];
    }
    // The chunk of a byte. Throws OptionError if it exceeds the budget.
    Chunk& at(std::uint32_t allocation, std::uint64_t offset) {
        const std::uint64_t number = offset >> (shift_ + kChunkShift);
        if (allocation < chunks_.size() && number < chunks_[allocation].size() &&
            chunks_[allocation][number].writes != nullptr) {
            return chunks_[allocation][number];
        }
        return make(allocation, number);
    }
    Row& reads(Chunk& chunk) {
        chunk.reads = chunk.reads != nullptr ? chunk.reads : static_cast<Row*>(zeros(sizeof(Row)));
        return *chunk.reads;
    }
    // Keeps what is there, before the first store to the chunk.
    void keep(Chunk& chunk, std::uint32_t allocation, std::uint64_t offset) {
        if (chunk.before == nullptr) {
            copy(chunk, allocation, offset);
        }
    }
    // An atomic has changed it.
    void update(std::uint32_t allocation) { updated_[allocation] = true; }
    const std::vector<bool>& updated() const { return updated_; } // by allocation
    std::vector<bool> stored() const;                             // likewise, whether anything was stored to it
    // What was in an allocation; none: it is large, or some of it had not been written.
    std::optional<std::vector<std::byte>> before(std::uint32_t allocation) const;
    // Memory is as it was. The attempt is over.
    void undo();

  private:
    Chunk& make(std::uint32_t allocation, std::uint64_t number);
    void copy(Chunk& chunk, std::uint32_t allocation, std::uint64_t offset);
    void* zeros(std::size_t bytes); // until the attempt ends
    std::uint64_t chunk_bytes() const { return std::uint64_t{1} << (shift_ + kChunkShift); }
    std::uint64_t first_byte(std::uint64_t number) const { return number << (shift_ + kChunkShift); }

    Memory& memory_;
    std::vector<bool> written_;
    unsigned shift_;
    bool whole_elements_;
    std::vector<std::vector<Chunk>> chunks_; // by allocation, by number
    std::vector<bool> updated_;
    std::vector<std::uint32_t> untouched_; // allocations to which nothing had been written
    std::vector<std::span<std::byte>> slabs_;
    std::size_t used_ = 0; // of the last slab
};

} // namespace warptree::simt
