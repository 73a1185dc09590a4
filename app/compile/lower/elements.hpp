// Which values can be made of the kernel's elements, and so need a tag row: a fixpoint over everything the kernels
// reach. Loop counters, thread indices, addresses and comparisons must not be among them.
#pragma once

#include "app/compile/lower/companions.hpp"
#include "app/compile/lower/pointees.hpp"

namespace warptree::compile::lowering {

class Elements {
  public:
    Elements(const Reach& reach, const Pointees& pointees, Types& types);

    bool is(const llvm::Value* value, std::size_t scalar = 0) const {
        const std::uint32_t number = reach_.number(value);
        return number != kNone && element_[number + scalar] != 0;
    }
    bool any(const llvm::Value* value) const;
    // Whether the memory that the pointer may point into can hold elements.
    bool in_memory(const llvm::Value* pointer) const;
    bool returned(const llvm::Function* function, std::size_t scalar) const;
    // What is made of elements among what a ballot's flag compares; null: nothing.
    const llvm::Value* flagged(const llvm::CallBase& ballot) const;

  private:
    bool is_at_element(const llvm::Value* pointer) const;
    bool sweep();
    bool follow(const Companions& all);
    bool transfer(const llvm::Instruction& instruction);
    bool call(const llvm::CallBase& call);
    bool pass(const llvm::CallBase& call, const llvm::Function& callee);
    bool memory_call(const llvm::CallBase& call);
    bool scalars(const llvm::Instruction& instruction); // from operands to result
    bool mark(const llvm::Value* value, std::size_t scalar);
    bool mark_all(const llvm::Value* value);
    bool store(const llvm::Value* pointer);
    std::size_t count(const llvm::Value* value) const { return types_.count(value->getType()); }

    const Reach& reach_;
    const Pointees& pointees_;
    Types& types_;
    std::vector<std::uint8_t> element_; // by Reach::number
    std::vector<std::uint8_t> memory_;  // by object
    llvm::DenseMap<const llvm::Function*, std::vector<std::uint8_t>> returned_;
    std::vector<Companions> companions_; // of all functions
};

} // namespace warptree::compile::lowering
