// How stores reach global memory: at once, if blocks read what others store; or noted and applied in block order, if
// blocks run in parallel and none reads the results.
#pragma once

#include "app/compile/program.hpp"
#include "app/simt/finding.hpp"
#include "app/simt/memory.hpp"

#include <cstdint>
#include <vector>

namespace warptree::simt {

// The new bits. old: the previous bits; expected: of a compare-and-swap. bytes: 1, 2, 4 or 8.
std::uint64_t apply(compile::AtomicOperation operation, ValueType type, unsigned bytes, std::uint64_t old,
                    std::uint64_t value, std::uint64_t expected);

struct NotedStore {
    std::uint64_t offset = 0, bits = 0;
    std::uint32_t location = 0;
    std::uint16_t allocation = 0, thread = 0;
    std::uint8_t bytes = 4;
    bool atomic = false;
    compile::AtomicOperation operation = compile::AtomicOperation::add;
    ValueType type = ValueType::none;
};

class Stores {
  public:
    explicit Stores(bool noted) : noted_(noted) {}
    bool noted() const { return noted_; }
    std::vector<NotedStore>& list() { return list_; }
    std::uint64_t bytes() const { return list_.size() * sizeof(NotedStore); }

    // Between blocks: a store is ordered before another block's accesses once that block has made a volatile or atomic
    // load after the storing block's next fence and volatile or atomic store.
    std::uint32_t next() { return ++sequence_; }
    void release(std::uint32_t block);
    void acquire(std::uint32_t block);
    bool ordered(std::uint32_t storing_block, std::uint32_t stored, std::uint32_t block) const;
    void begin_launch(std::uint64_t blocks);

  private:
    struct SeenStores {
        std::vector<std::uint32_t> released;
        std::uint32_t acquired = 0;
    };
    bool noted_;
    std::vector<NotedStore> list_;
    std::uint32_t sequence_ = 0;
    std::vector<SeenStores> seen_; // by block
};

// Applies the noted stores in block order, and reports blocks that store different values to the same place.
class StoreMaker {
  public:
    StoreMaker(const compile::Program& program, Memory& memory)
        : program_(program), memory_(memory), writers_(memory.count()) {}
    void make(std::uint32_t block, const std::vector<NotedStore>& stores, Findings& findings);

  private:
    struct Writer {
        std::uint32_t block = 0; // + 1; 0: none
        std::uint32_t location = 0;
        std::uint16_t thread = 0;
    };
    const compile::Program& program_;
    Memory& memory_;
    std::vector<std::vector<Writer>> writers_; // by allocation, by element
};

} // namespace warptree::simt
