// Past accesses to the shared memory of a block, by granule (SharedMemory). Usually one thread at most has read a granule
// since the last barrier, and one at most has written it: that is kept in place. Any other granule has a Word until all
// its accesses are ordered before those that come.
#pragma once

#include "app/simt/history.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptree::simt {

class SharedHistory {
  public:
    // Accesses of earlier blocks are recognised by their time. clustered: add_by_any() is called, and nothing else.
    void begin_block(std::size_t granules, bool clustered) {
        if (clustered) {
            of_cluster_.clear();
            of_cluster_.resize(granules);
        } else if (cells_.size() < granules) {
            cells_.resize(granules);
        }
    }
    // Notes an access of any block of the cluster, whose times do not compare.
    template <class Order, class Tell>
    Word* add_by_any(std::size_t granule, const Note& now, const Order& order, Tell&& tell) {
        Word& word = of_cluster_[granule];
        word.add(now, order, tell);
        return &word;
    }
    // Notes an access of which nothing but its time, thread and flags has to be looked at. settled: accesses before this
    // time are ordered before every later one. False: it is another case, for add().
    [[gnu::always_inline]] bool add_usual(std::size_t granule, const Note& now, std::uint32_t settled) {
        Cell& cell = cells_[granule];
        const bool fresh_read = cell.read.time < settled, fresh_write = cell.write.time < settled;
        if (now.is(kWrites)) {
            if ((!fresh_write && !cell.write.again(now)) || (!fresh_read && cell.read.thread != now.thread)) {
                return false;
            }
            const unsigned changed = fresh_write ? 0 : cell.write.flags & (kChanges | kComparisons);
            cell.write.set(now);
            cell.write.flags |= static_cast<std::uint16_t>(changed);
            cell.value = now.value;
            return true;
        }
        if ((!fresh_read && !cell.read.again(now)) || (!fresh_write && cell.write.thread != now.thread)) {
            return false;
        }
        cell.read.set(now);
        return true;
    }
    // Notes an access, as Word::add does; order has `settled`, too. Returns the granule's Word, if it has one.
    template <class Order, class Tell>
    Word* add(std::size_t granule, const Note& now, const Order& order, Tell&& tell) {
        Cell& cell = cells_[granule];
        if (cell.has_word() && words_[cell.read.location].stale(order)) { // it is given back
            spare_.push_back(cell.read.location);
            cell = {};
        }
        if (add_usual(granule, now, order.settled)) {
            return nullptr;
        }
        if (!cell.has_word()) {
            cell = in_word(cell, now, order);
        }
        Word& word = words_[cell.read.location];
        word.add(now, order, tell);
        return &word;
    }

  private:
    struct Access {
        std::uint32_t time = 0, location = 0, segment = 0;
        std::uint16_t thread = 0, flags = 0;

        void set(const Note& note) {
            time = note.time;
            location = note.location;
            segment = note.segment;
            thread = note.thread;
            flags = note.flags;
        }
        // By the same thread, in the same place of the source, in the same way.
        bool again(const Note& note) const {
            return thread == note.thread && location == note.location && ((flags ^ note.flags) & kKindOfAccess) == 0;
        }
    };
    struct Cell {
        Access read, write;
        std::uint32_t value = 0; // written
        // Then read.location is its number, and no time is before any other.
        bool has_word() const { return write.thread == kNoThread; }
    };
    static constexpr std::uint16_t kNoThread = 0xFFFF;
    static constexpr std::uint32_t kNeverSettled = 0xFFFFFFFF;

    static Note note_of(const Access& access, std::uint32_t value, std::uint32_t block) {
        Note note;
        note.time = access.time;
        note.location = access.location;
        note.segment = access.segment;
        note.block = block;
        note.value = value;
        note.thread = access.thread;
        note.flags = access.flags;
        return note;
    }
    // Moves what is kept in place to a Word. Returns the cell that says which.
    template <class Order> Cell in_word(const Cell& cell, const Note& now, const Order& order) {
        std::uint32_t number = 0;
        if (spare_.empty()) {
            number = static_cast<std::uint32_t>(words_.size());
            words_.emplace_back();
        } else {
            number = spare_.back();
            spare_.pop_back();
            words_[number] = Word();
        }
        const Note read = note_of(cell.read, 0, now.block), write = note_of(cell.write, cell.value, now.block);
        const bool read_first = read.time <= write.time;
        for (const Note& before : {read_first ? read : write, read_first ? write : read}) {
            if (!order.stale(before)) {
                words_[number].keep(before);
            }
        }
        Cell out;
        out.read.time = out.write.time = kNeverSettled;
        out.read.thread = out.write.thread = kNoThread;
        out.read.location = number;
        return out;
    }

    std::vector<Cell> cells_;
    std::vector<Word> words_;
    std::vector<std::uint32_t> spare_; // of words_: not in use
    std::vector<Word> of_cluster_;     // by granule
};

} // namespace warptree::simt
