// Shared memory of one block: its bytes, and for each granule what its value is made of and its accesses.
#pragma once

#include "app/simt/history.hpp"
#include "app/trace/record/data_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptree::simt {

class SharedMemory {
  public:
    // granule_shift: log2 of the tracking granularity in bytes: 2, or 0 if the kernel accesses less than a word.
    void begin_block(std::uint32_t bytes, unsigned granule_shift) {
        shift_ = granule_shift;
        data_.assign(bytes, std::byte{0xCD});
        const std::size_t granules = (bytes >> shift_) + 2;
        tags_.assign(granules, record::kNoTag);
        written_.assign(granules, 0);
        if (history_.size() < granules) {
            history_.resize(granules);
        }
    }
    std::uint32_t bytes() const { return static_cast<std::uint32_t>(data_.size()); }
    std::byte* at(std::uint32_t offset) { return data_.data() + offset; }
    unsigned shift() const { return shift_; }
    // Of the granule that contains the byte.
    record::Tag& tag(std::uint32_t offset) { return tags_[offset >> shift_]; }
    std::uint8_t& written(std::uint32_t offset) { return written_[offset >> shift_]; }
    History& history(std::uint32_t offset) { return history_[offset >> shift_]; }

  private:
    unsigned shift_ = 2;
    std::vector<std::byte> data_;
    std::vector<record::Tag> tags_;
    std::vector<std::uint8_t> written_;
    std::vector<History> history_; // stale entries are recognised by their clocks
};

} // namespace warptree::simt
