// Shared memory of one block: its bytes, and for each granule what its value is made of and its accesses.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/shared_history.hpp"
#include "app/trace/record/data_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptree::simt {

class SharedMemory {
  public:
    // granule_shift: log2 of the tracking granularity in bytes: 2, or 0 if the kernel accesses less than a word. full:
    // writer() is wanted. history: what is below is; else nothing but the bytes is kept. clustered: blocks of a cluster access
    // it, too.
    void begin_block(std::uint32_t bytes, unsigned granule_shift, bool full, bool history, bool clustered) {
        shift_ = granule_shift;
        if (!history) {
            data_.resize(bytes);
            return;
        }
        data_.assign(bytes, std::byte{0xCD});
        const std::size_t granules = (bytes >> shift_) + 2;
        tags_.assign(granules, record::kNoTag);
        written_.assign(granules, 0);
        writers_.assign(full ? granules : 0, {});
        origins_.assign(clustered ? granules : 0, 0);
        history_.begin_block(granules, clustered);
    }
    std::uint32_t bytes() const { return static_cast<std::uint32_t>(data_.size()); }
    std::byte* at(std::uint32_t offset) { return data_.data() + offset; }
    unsigned shift() const { return shift_; }
    // Of the granule that contains the byte.
    record::Tag& tag(std::uint32_t offset) { return tags_[offset >> shift_]; }
    // In a cluster: the block in whose data flow that is.
    std::uint32_t& origin(std::uint32_t offset) { return origins_[offset >> shift_]; }
    std::uint8_t& written(std::uint32_t offset) { return written_[offset >> shift_]; }
    // By granule: an offset, shifted.
    SharedHistory& history() { return history_; }
    // Notes an access of at most 8 bytes, as SharedHistory::add_usual; false: maybe part of it. bits: what is written.
    [[gnu::always_inline]] bool note_usual(std::uint32_t offset, unsigned bytes, Note now, std::uint64_t bits,
                                           std::uint32_t settled) {
        for (unsigned done = 0; done < bytes; done += 1U << shift_) {
            now.value = static_cast<std::uint32_t>(bits >> 8 * done);
            if (!history_.add_usual((offset + done) >> shift_, now, settled)) {
                return false;
            }
        }
        return true;
    }
    struct Writer { // the latest store; location kNone: none in this block
        std::uint32_t location = compile::kNone, segment = 0;
        std::uint16_t thread = 0;
    };
    const Writer& writer(std::uint32_t offset) const { return writers_[offset >> shift_]; }
    void set_writer(std::uint32_t offset, unsigned bytes, const Writer& writer) {
        for (unsigned done = 0; done < bytes; done += 1U << shift_) {
            writers_[(offset + done) >> shift_] = writer;
        }
    }

  private:
    unsigned shift_ = 2;
    std::vector<std::byte> data_;
    std::vector<record::Tag> tags_;
    std::vector<std::uint8_t> written_;
    SharedHistory history_;
    std::vector<Writer> writers_;
    std::vector<std::uint32_t> origins_;
};

} // namespace warptree::simt
