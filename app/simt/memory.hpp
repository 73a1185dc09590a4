// Global and constant memory of a launch: allocations with their sizes, what was written, and by which thread.
#pragma once

#include "app/base/options.hpp"
#include "app/base/value_type.hpp"
#include "app/compile/program/program.hpp"
#include "app/simt/memory_budget.hpp"
#include "app/simt/stored_elements.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warptree::simt {

// Of a file, which another process may map, too.
struct FilePart {
    int descriptor = -1; // -1: none, memory of this process
    std::uint64_t offset = 0;
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
    Allocation(Shape shape, Fill fill, MemoryBudget& budget, FilePart file = {});
    ~Allocation();
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    const Shape& shape() const { return shape_; }
    // What its elements are, as seen by the kernel that comes next; no stores may be noted.
    void retype(ValueType element, std::uint32_t element_bytes);
    std::uint64_t element_at(std::uint64_t byte) const {
        return shift_ < 64 ? byte >> shift_ : byte / shape_.element_bytes;
    }
    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }
    std::uint64_t bytes() const { return bytes_; } // accessible without growing
    // Makes `bytes` accessible; false: more than allowed. One block may grow it while another reads: existing data
    // stays in place. Filling takes a while: throws Cancelled when `cancel` is set, OptionError if it exceeds the budget.
    bool grow(std::uint64_t bytes, const std::atomic<bool>* cancel = nullptr);
    // The bits of an element that it has not grown to, as they will be; of up to 8 bytes.
    std::uint64_t bits_after_growth(std::uint64_t element) const;
    // Elements to which it may grow, if it does.
    std::uint64_t most_elements() const { return reserved_ / shape_.element_bytes; }
    std::uint64_t reached() const { return reached_; } // elements up to the last one accessed, if it grows
    void touched(std::uint64_t bytes);

    // By element; null: nobody stored any during this launch.
    const Stored* stored() const { return stored_.data(); }
    bool has_stores() const { return stored_.any(); }
    // Of one element, to be changed; throws OptionError if it exceeds the budget.
    Stored& store(std::uint64_t element) { return stored_.change(element, most_elements(), shape_.name); }
    // What was written from outside of a launch, or before it: bytes. Kept only if Shape::defined is false.
    void initialise(std::uint64_t first, std::uint64_t bytes);
    bool initialised(std::uint64_t first, std::uint64_t bytes) const;
    bool untouched() const { return !shape_.defined && initialised_.empty(); } // nothing was ever written to it
    bool is_whole() const { return shape_.defined || whole_; }                 // known to be written throughout
    // What initialise() has kept of these bytes, whose first is a multiple of 64; to be put back.
    std::vector<std::uint64_t> initialised_words(std::uint64_t first, std::uint64_t bytes) const;
    void restore_initialised(std::uint64_t first, const std::vector<std::uint64_t>& words);
    void forget_initialised();
    // The end of what a launch loaded, in bytes.
    void loaded(std::uint64_t end) {
        std::uint64_t before = loaded_.load(std::memory_order_relaxed);
        while (end > before && !loaded_.compare_exchange_weak(before, end, std::memory_order_relaxed)) {
        }
    }
    std::uint64_t loaded() const { return loaded_; }
    // From now on, until the launch ends, it is noted which bytes are loaded and which are stored.
    void watch() { watched_ = true; }
    bool watched() const { return watched_; }
    void saw_load(std::uint64_t first, std::uint64_t bytes) { mark(seen_loads_, first, bytes); }
    void saw_store(std::uint64_t first, std::uint64_t bytes) { mark(seen_stores_, first, bytes); }
    // In ascending order; runs that touch one another are one. Empty where it is not watched.
    using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>; // first byte, byte after the last
    Spans seen_loads() const { return spans(seen_loads_); }
    Spans seen_stores() const { return spans(seen_stores_); }
    // The stores of a launch become what was there before the next one, of which nothing is loaded yet.
    void end_launch();
    bool freed() const { return freed_; }
    void free();               // its contents are gone
    std::uint64_t address = 0; // where it begins
    // By element, for partial results: how many applications of the operator each stands for.
    std::vector<std::uint32_t> depths;

  private:
    using Marks =
        std::atomic<std::uint64_t*>; // a bit a byte, made when the first one is set; by several threads at once
    void set_shift();
    void mark(Marks& marks, std::uint64_t first, std::uint64_t bytes);
    Spans spans(const Marks& marks) const;
    void forget(Marks& marks);
    Shape shape_;
    Fill fill_;
    std::vector<std::uint64_t> initialised_; // a bit a byte; empty: none
    bool whole_ = false, changed_ = false;   // all of them are set; some were since that was looked at
    Marks seen_loads_{nullptr}, seen_stores_{nullptr};
    bool watched_ = false;
    std::atomic<std::uint64_t> loaded_{0};
    std::byte* data_ = nullptr;
    bool mapped_ = false; // data_: from mmap, else from calloc
    std::uint64_t bytes_ = 0, reserved_ = 0, reached_ = 0;
    MemoryBudget& budget_;
    bool freed_ = false;
    unsigned shift_ = 64; // log2 of the element bytes; 64: not a power of two
    StoredElements stored_;
    std::mutex growing_;
};

class Memory {
  public:
    // What a constant that has no initial value holds until something is copied to it.
    enum class Constants : std::uint8_t { defined, unset };
    // Allocates the program's globals, which are the first allocations. most: bytes of the budget. Throws OptionError.
    explicit Memory(const compile::Program& program, std::uint64_t most = RunLimits().memory,
                    Constants constants = Constants::defined);

    MemoryBudget& budget() { return budget_; }
    // Throws OptionError when there is no memory left or the budget is used up, and Cancelled.
    // Where all numbers are taken, a new allocation takes that of the one freed first.
    std::uint32_t add(Allocation::Shape shape, Allocation::Fill fill = {}, const std::atomic<bool>* cancel = nullptr);
    // Memory that the host sees, too, in a file that both map, at one of compile::host_address().
    std::uint32_t add_shared(Allocation::Shape shape, FilePart file);
    std::uint32_t count() const { return static_cast<std::uint32_t>(allocations_.size()); }
    bool full() const { return count() == compile::kMostAllocations && freed_first() == order_.end(); }
    Allocation& operator[](std::uint32_t i) { return *allocations_[i]; }
    const Allocation& operator[](std::uint32_t i) const { return *allocations_[i]; }

    // The allocation that an address points into or near, or nullptr; `offset`: from its start.
    Allocation* find(std::uint64_t address, std::int64_t& offset, std::uint32_t& index);

    // After a launch: see Allocation::end_launch().
    void end_launch();

  private:
    std::uint32_t place(std::unique_ptr<Allocation> allocation);
    std::vector<std::uint32_t>::const_iterator freed_first() const; // of order_
    MemoryBudget budget_;
    std::vector<std::unique_ptr<Allocation>> allocations_;
    std::uint32_t globals_ = 0;
    std::vector<std::uint32_t> order_;  // of all that are no globals, since they were added
    std::vector<std::uint32_t> shared_; // by host number: of allocations_
};

} // namespace warptree::simt
