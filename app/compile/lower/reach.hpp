// What the kernels reach: functions, variables in memory, and a number for every scalar of every value, used as an
// index by the analyses.
#pragma once

#include "app/compile/lower/compiled.hpp"
#include "app/compile/lower/types.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace warptree::compile::lowering {

class Reach {
  public:
    Reach(const Compiled& compiled, Types& types);

    struct Kernel {
        llvm::Function* function = nullptr;
        llvm::SetVector<llvm::Function*> functions; // that it may run, itself first
        llvm::SetVector<llvm::GlobalVariable*> globals;
    };
    const std::vector<Kernel>& kernels() const { return kernels_; } // in the order of Compiled::kernels
    const llvm::SetVector<llvm::Function*>& functions() const { return functions_; }
    const llvm::SetVector<llvm::GlobalVariable*>& globals() const { return globals_; }
    // Functions whose address is taken and whose signature is that of the call.
    std::vector<llvm::Function*> targets(const llvm::CallBase& call) const;

    // The first number of a value's scalars; kNone for constants and values without any.
    std::uint32_t number(const llvm::Value* value) const {
        const auto at = numbers_.find(value);
        return at == numbers_.end() ? kNone : at->second;
    }
    std::uint32_t numbers() const { return next_; }
    // The numbers of a function's values are consecutive from here on.
    std::uint32_t first_number(const llvm::Function* function) const { return first_.at(function); }

  private:
    void follow(const llvm::Constant* constant, bool is_callee, Kernel& kernel);
    // What a kernel's functions name, from one of them on.
    void follow_from(std::size_t first, Kernel& kernel);
    // What kernels call through pointers, which another kernel may have stored, as that which makes an object with virtual
    // functions does. False: nothing was added.
    bool follow_pointers();
    void number(llvm::Function& function);

    Types& types_;
    std::vector<Kernel> kernels_;
    llvm::SetVector<llvm::Function*> functions_, address_taken_;
    llvm::SetVector<llvm::GlobalVariable*> globals_;
    // Variables that begin as the address of a function: the host may copy it and hand it to any kernel.
    std::vector<const llvm::GlobalVariable*> holders_;
    llvm::DenseMap<const llvm::Value*, std::uint32_t> numbers_;
    llvm::DenseMap<const llvm::Function*, std::uint32_t> first_;
    std::uint32_t next_ = 0;
};

} // namespace warptree::compile::lowering
