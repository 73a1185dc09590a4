#include "app/compile/lower/reach.hpp"

#include "app/compile/client/compiler.hpp"
#include "app/compile/lower/known.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace warptree::compile::lowering {

Reach::Reach(const Compiled& compiled, Types& types) : types_(types) {
    for (const KernelFacts& facts : compiled.kernels) {
        llvm::Function* function = compiled.module->getFunction(facts.symbol);
        if (function == nullptr || function->isDeclaration())
            throw CompileError("line " + std::to_string(facts.line) + ": the kernel " + facts.name +
                               " has no code in the compiled module");
        Kernel& kernel = kernels_.emplace_back();
        kernel.function = function;
        kernel.functions.insert(function);
        follow_from(0, kernel);
    }
    for (const llvm::GlobalVariable& variable : compiled.module->globals())
        if (!variable.isConstant() && variable.hasInitializer() &&
            llvm::isa<llvm::Function>(variable.getInitializer()->stripPointerCasts()))
            holders_.push_back(&variable);
    while (follow_pointers()) {
    }
    for (const Kernel& kernel : kernels_) {
        functions_.insert(kernel.functions.begin(), kernel.functions.end());
        globals_.insert(kernel.globals.begin(), kernel.globals.end());
    }
    for (llvm::Function* function : functions_) number(*function);
}

void Reach::follow_from(std::size_t first, Kernel& kernel) {
    for (std::size_t i = first; i < kernel.functions.size(); ++i) // grows in the loop
        for (llvm::Instruction& instruction : llvm::instructions(kernel.functions[i])) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            for (const llvm::Use& operand : instruction.operands())
                if (auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
                    follow(constant, call != nullptr && call->isCallee(&operand), kernel);
        }
}

bool Reach::follow_pointers() {
    bool more = false;
    for (Kernel& kernel : kernels_) {
        const std::size_t before = kernel.functions.size();
        for (std::size_t i = 0; i < before; ++i)
            for (const llvm::Instruction& instruction : llvm::instructions(kernel.functions[i]))
                if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                    call != nullptr && call->isIndirectCall()) {
                    for (const llvm::GlobalVariable* variable : holders_) follow(variable, false, kernel);
                    for (llvm::Function* target : targets(*call)) kernel.functions.insert(target);
                }
        follow_from(before, kernel);
        more |= kernel.functions.size() != before;
    }
    return more;
}

void Reach::follow(const llvm::Constant* constant, bool is_callee, Kernel& kernel) {
    if (auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
        auto* target = const_cast<llvm::Function*>(function);
        if (function->isDeclaration() || known(*function) != Known::none) return;
        if (!is_callee) address_taken_.insert(target);
        kernel.functions.insert(target);
    } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
        if (kernel.globals.insert(const_cast<llvm::GlobalVariable*>(variable)) && variable->hasInitializer())
            follow(variable->getInitializer(), false, kernel);
    } else if (!llvm::isa<llvm::ConstantData>(constant)) {
        for (const llvm::Use& operand : constant->operands())
            if (auto* inner = llvm::dyn_cast<llvm::Constant>(operand.get())) follow(inner, false, kernel);
    }
}

void Reach::number(llvm::Function& function) {
    first_[&function] = next_;
    for (llvm::Argument& argument : function.args()) {
        numbers_[&argument] = next_;
        next_ += static_cast<std::uint32_t>(types_.count(argument.getType()));
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (instruction.getType()->isVoidTy()) continue;
        numbers_[&instruction] = next_;
        next_ += static_cast<std::uint32_t>(types_.count(instruction.getType()));
    }
}

std::vector<llvm::Function*> Reach::targets(const llvm::CallBase& call) const {
    std::vector<llvm::Function*> found;
    for (llvm::Function* function : address_taken_)
        if (function->getFunctionType() == call.getFunctionType()) found.push_back(function);
    return found;
}

} // namespace warptree::compile::lowering
