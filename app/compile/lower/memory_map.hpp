// The addresses of a module's variables (Program::globals, Program::shared), and with them the value of any constant.
#pragma once

#include "app/compile/lower/locations.hpp"
#include "app/compile/lower/reach.hpp"

#include <functional>

namespace warptree::compile::lowering {

// Of arrays declared in a file: more than any GPU has for a block.
inline constexpr std::uint32_t kMostStaticShared = 1U << 24;

class MemoryMap {
  public:
    MemoryMap(const Reach& reach, const llvm::DataLayout& layout, Locations& locations, Program& program);

    // Index in Program::shared or Program::globals; kNone: not there.
    std::uint32_t shared(const llvm::GlobalVariable* variable) const;
    std::uint32_t global(const llvm::GlobalVariable* variable) const;
    std::uint64_t address(const llvm::GlobalVariable* variable) const;

    // The bits of a scalar; undefined is 0. `function`: gives the number of a function whose address is taken.
    using Number = std::function<std::uint32_t(llvm::Function*)>;
    std::uint64_t bits(const llvm::Constant* constant, const Number& function) const;
    // Sets the initial values, including addresses in them. Call it once functions have numbers.
    void initialise(const Number& function);

  private:
    void add_shared(const llvm::GlobalVariable& variable);
    void place_shared(const Reach& reach);
    void add_global(const llvm::GlobalVariable& variable);
    void write(Global& global, std::uint64_t at, const llvm::Constant* constant, const Number& function);

    const llvm::DataLayout& layout_;
    Locations& locations_;
    Program& program_;
    llvm::DenseMap<const llvm::GlobalVariable*, std::uint32_t> shared_, globals_;
};

} // namespace warptree::compile::lowering
