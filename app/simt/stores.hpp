// How stores reach global memory: at once, if blocks read what others store; or noted and applied in block order, if
// blocks run in parallel and none reads the results.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/fences.hpp"
#include "app/simt/finding.hpp"
#include "app/simt/memory.hpp"
#include "app/simt/prepared.hpp"
#include "app/simt/shadow.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warptree::simt {

// The lowest bytes.
inline std::uint64_t cut(std::uint64_t value, unsigned bytes) {
    return bytes >= 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

// The new bits. old: the previous bits; expected: of a compare-and-swap. bytes: 1, 2, 4 or 8.
std::uint64_t apply(compile::AtomicOperation operation, ValueType type, unsigned bytes, std::uint64_t old,
                    std::uint64_t value, std::uint64_t expected);

// Whether an atomic sum of integers is more, or less, than an int holds.
bool loses(compile::AtomicOperation operation, ValueType type, std::uint64_t old, std::uint64_t value);
Finding overflow_of(std::uint64_t old, std::uint64_t value);

// A store, or an atomic whose old value nobody wants, to be made later; or a load that others' stores may race with.
struct NotedStore {
    std::uint64_t offset = 0, bits = 0;
    std::uint32_t location = 0;
    std::uint16_t allocation = 0, thread = 0;
    std::uint16_t flags = 0;   // NoteFlag; without kWrites a load, of `bytes` up to 16
    std::uint16_t segment = 0; // of the recording; the last that the type holds stands for those behind it, too
    std::uint8_t bytes = 4;
    bool atomic = false;
    compile::AtomicOperation operation = compile::AtomicOperation::add;
    ValueType type = ValueType::none;
};

class Stores {
  public:
    // written: by allocation, whether the launch may write it, so that loads have to be noted; later ones may be.
    // shift: log2 of the bytes in which accesses are noted.
    Stores(bool noted, std::vector<bool> written, unsigned shift)
        : noted_(noted), shift_(shift), written_(std::move(written)) {}
    bool noted() const { return noted_; }
    std::vector<NotedStore>& list() { return list_; }
    std::uint64_t bytes() const { return list_.size() * sizeof(NotedStore) + shadow_.bytes(); }
    unsigned shift() const { return shift_; }
    bool may_be_written(std::uint32_t allocation) const {
        return allocation >= written_.size() || written_[allocation];
    }
    // What this object's blocks access, and where they release.
    Shadow& shadow() { return shadow_; }
    Flags& flags() { return flags_; }
    Sequences& sequences() { return sequences_; }
    // All that has been accessed is ordered before all that will be.
    void settle() {
        list_.clear();
        shadow_.clear();
        flags_.clear();
        sequences_.clear();
    }

  private:
    bool noted_;
    unsigned shift_;
    std::vector<bool> written_;
    std::vector<NotedStore> list_;
    Shadow shadow_;
    Sequences sequences_;
    Flags flags_{sequences_};
};

// Of two accesses that race: one is a load that compares, and finds the same after the other.
bool only_compares(const Note& a, const Note& b);
// Of two accesses that race: one is a plain load that guesses (Prepared), the other an atomic.
bool is_guess(const Prepared& prepared, const Note& a, const Note& b);

// Applies the noted stores in block order, and reports races between blocks. Of the usual word, which one block
// stores in one way, only that is kept.
class StoreMaker {
  public:
    StoreMaker(const compile::Program& program, const Prepared& prepared, Memory& memory, unsigned shift)
        : program_(program), prepared_(prepared), memory_(memory), shift_(shift), cells_(memory.count()) {}
    // Afterwards NotedStore::bits are, of an atomic too, what it has left in memory.
    void make(std::uint32_t block, std::vector<NotedStore>& stores, Findings& findings);
    // Whether it is about an atomic on elements that were later stored to, after all: then a race has been reported.
    bool races_instead(const Finding& finding) const;

  private:
    struct Cell {
        std::uint32_t block = 0; // + 1; 0: none
        std::uint16_t thread = 0;
        std::uint16_t kind = 0; // of kinds_, + kChanged; kWord: more than one, which words_ has
    };
    static constexpr std::uint16_t kChanged = 0x8000, kWord = 0x7FFF;
    std::uint16_t kind_of(std::uint32_t location, std::uint16_t flags);
    // Calls tell(before, severity) for each race.
    template <class Tell> void note(const Note& now, const NotedStore& store, std::uint64_t at, Tell&& tell);
    void report(const Note& now, const Note& before, Severity severity, const NotedStore& store, Findings& findings);
    Finding overflow(const Note& now, const NotedStore& store, std::uint64_t old) const;
    Finding unwritten(const Note& now, const NotedStore& store) const;

    const compile::Program& program_;
    const Prepared& prepared_;
    Memory& memory_;
    unsigned shift_;
    std::vector<std::vector<Cell>> cells_; // by allocation, by granule
    std::unordered_map<std::uint64_t, Word> words_;
    // Elements that atomics changed before anything was stored there, and whether something was later.
    std::unordered_map<std::uint64_t, bool> unset_;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> kinds_; // location, flags
    std::unordered_map<std::uint64_t, std::uint16_t> kind_numbers_;
};

} // namespace warptree::simt
