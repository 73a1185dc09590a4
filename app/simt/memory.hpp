// Global and constant memory of a launch: allocations with their sizes, what was written, and by which thread.
#pragma once

#include "app/base/options.hpp"
#include "app/base/value_type.hpp"
#include "app/compile/program.hpp"
#include "app/simt/memory_budget.hpp"
#include "app/trace/record/data_flow.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warptree::simt {

// Who stored an element last, and what its value is made of. Elements are those of Allocation::Shape.
struct Stored {
    std::uint32_t block = kNobodyStored;
    record::Tag tag = record::kNoTag; // in that block's data flow
    std::uint32_t depth = 0;          // of the tag, for loads by other blocks
    bool atomic = false;              // by an atomic: belongs to no single block
    static constexpr std::uint32_t kNobodyStored = 0xFFFFFFFFU;
};

class Allocation {
  public:
    struct Shape {
        std::string name;
        ValueType element = ValueType::u8;
        std::uint32_t element_bytes = 1; // of a scalar: 4 for an array of float4
        std::uint64_t elements = 0;
        bool read_only = false;
        bool defined = true; // false: elements are uninitialised until stored
        bool grows = false;  // its size was not stated: grows as it is accessed
    };
    // fill(first, count, to): writes the initial elements; empty: zeros.
    using Fill = std::function<void(std::uint64_t first, std::uint64_t count, std::byte* to)>;

    // Reserves address space; nothing is accessible until grow(). `budget` outlives it.
    Allocation(Shape shape, Fill fill, MemoryBudget& budget);
    ~Allocation();
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    const Shape& shape() const { return shape_; }
    std::uint64_t element_at(std::uint64_t byte) const {
        return shift_ < 64 ? byte >> shift_ : byte / shape_.element_bytes;
    }
    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }
    std::uint64_t bytes() const { return bytes_; } // accessible without growing
    // Makes `bytes` accessible; false: more than allowed. One block may grow it while another reads: existing data
    // stays in place. Filling takes a while: throws Cancelled when `cancel` is set, OptionError if it exceeds the budget.
    bool grow(std::uint64_t bytes, const std::atomic<bool>* cancel = nullptr);
    std::uint64_t reached() const { return reached_; } // elements up to the last one accessed, if it grows
    void touched(std::uint64_t bytes);

    // By element; null before note_stores(), which throws OptionError if it exceeds the budget.
    Stored* stored() { return stored_.empty() ? nullptr : stored_.data(); }
    bool has_stores() const { return !stored_.empty(); }
    void note_stores();
    void forget_stores() { stored_.clear(); }
    bool freed() const { return freed_; }
    void free(); // its contents are gone
    // By element, for partial results: how many applications of the operator each stands for.
    std::vector<std::uint32_t> depths;

  private:
    Shape shape_;
    Fill fill_;
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0, reserved_ = 0, reached_ = 0;
    MemoryBudget& budget_;
    bool freed_ = false;
    unsigned shift_ = 64; // log2 of the element bytes; 64: not a power of two
    std::vector<Stored> stored_;
    std::mutex growing_;
};

class Memory {
  public:
    // Allocates the program's globals, which are the first allocations. most: bytes of the budget. Throws OptionError.
    explicit Memory(const compile::Program& program, std::uint64_t most = RunLimits().memory);

    MemoryBudget& budget() { return budget_; }
    // Throws OptionError when there is no memory left or the budget is used up, and Cancelled.
    std::uint32_t add(Allocation::Shape shape, Allocation::Fill fill = {}, const std::atomic<bool>* cancel = nullptr);
    std::uint32_t count() const { return static_cast<std::uint32_t>(allocations_.size()); }
    Allocation& operator[](std::uint32_t i) { return *allocations_[i]; }
    const Allocation& operator[](std::uint32_t i) const { return *allocations_[i]; }

    // The allocation that an address points into or near, or nullptr; `offset`: from its start.
    Allocation* find(std::uint64_t address, std::int64_t& offset, std::uint32_t& index);

  private:
    MemoryBudget budget_;
    std::vector<std::unique_ptr<Allocation>> allocations_;
};

} // namespace warptree::simt
