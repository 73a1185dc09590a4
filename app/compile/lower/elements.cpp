#include "app/compile/lower/elements.hpp"

#include "app/compile/lower/ballots.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/vectors.hpp"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace warptree::compile::lowering {

Elements::Elements(const Reach& reach, const Pointees& pointees, Types& types)
    : reach_(reach), pointees_(pointees), types_(types) {
    element_.assign(reach_.numbers(), 0);
    for (const Object& object : pointees_.objects()) memory_.push_back(object.is_input() ? 1 : 0);
    for (llvm::Function* function : reach_.functions())
        for (Companions& all : companions_in(Flow(*function)))
            if (!all.followers.empty()) companions_.push_back(std::move(all));
    while (sweep()) {
    }
}

bool Elements::any(const llvm::Value* value) const {
    const std::uint32_t number = reach_.number(value);
    if (number == kNone) return false;
    for (std::size_t i = 0; i < count(value); ++i)
        if (element_[number + i] != 0) return true;
    return false;
}

bool Elements::in_memory(const llvm::Value* pointer) const {
    bool found = false;
    pointees_.of(pointer).each([&](std::size_t object) { found |= memory_[object] != 0; });
    return found;
}

bool Elements::returned(const llvm::Function* function, std::size_t scalar) const {
    const auto at = returned_.find(function);
    return at != returned_.end() && scalar < at->second.size() && at->second[scalar] != 0;
}

const llvm::Value* Elements::flagged(const llvm::CallBase& ballot) const {
    for (const llvm::Value* value : compared_for(ballot))
        if (any(value)) return value;
    return nullptr;
}

bool Elements::sweep() {
    bool changed = false;
    for (const llvm::Function* function : reach_.functions())
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) changed |= transfer(instruction);
    for (const Companions& all : companions_) changed |= follow(all);
    return changed;
}

// What travels with an element is made of it.
bool Elements::follow(const Companions& all) {
    if (!is(all.comparison->getOperand(0)) || !is(all.comparison->getOperand(1))) return false;
    bool changed = false;
    for (const llvm::Instruction* at : all.followers) {
        auto* it = llvm::dyn_cast<llvm::StoreInst>(at);
        changed |= it != nullptr ? store(it->getPointerOperand()) : mark_all(at);
    }
    return changed;
}

bool Elements::mark(const llvm::Value* value, std::size_t scalar) {
    const std::uint32_t number = reach_.number(value);
    if (number == kNone || scalar >= count(value) || element_[number + scalar] != 0) return false;
    if (types_.scalars(value->getType())[scalar].type->isPointerTy()) return false;
    element_[number + scalar] = 1;
    return true;
}

bool Elements::mark_all(const llvm::Value* value) {
    bool changed = false;
    for (std::size_t i = 0; i < count(value); ++i) changed |= mark(value, i);
    return changed;
}

bool Elements::store(const llvm::Value* pointer) {
    bool changed = false;
    pointees_.of(pointer).each([&](std::size_t object) {
        changed |= memory_[object] == 0;
        memory_[object] = 1;
    });
    return changed;
}

// Whether an index in the address is made of elements: a counter there counts those elements.
bool Elements::is_at_element(const llvm::Value* pointer) const {
    while (true) {
        if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
            pointer = cast->getPointerOperand();
        } else if (auto* at = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
            if (std::any_of(at->idx_begin(), at->idx_end(), [this](const llvm::Use& index) { return any(index); }))
                return true;
            pointer = at->getPointerOperand();
        } else {
            return false;
        }
    }
}

bool Elements::transfer(const llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
        return !any(load) && in_memory(load->getPointerOperand()) && mark_all(load);
    if (auto* it = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        return any(it->getValueOperand()) && store(it->getPointerOperand());
    if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        const bool counts = atomic->use_empty() && is_at_element(atomic->getPointerOperand());
        bool changed = (counts || any(atomic->getValOperand())) && store(atomic->getPointerOperand());
        if (in_memory(atomic->getPointerOperand())) changed |= mark(atomic, 0);
        return changed;
    }
    if (auto* atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        bool changed = any(atomic->getNewValOperand()) && store(atomic->getPointerOperand());
        if (in_memory(atomic->getPointerOperand())) changed |= mark(atomic, 0);
        return changed;
    }
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
        const llvm::Value* value = ret->getReturnValue();
        if (value == nullptr || !any(value)) return false;
        auto& returned = returned_[ret->getFunction()];
        returned.resize(count(value));
        bool changed = false;
        for (std::size_t i = 0; i < returned.size(); ++i) {
            changed |= is(value, i) && returned[i] == 0;
            returned[i] |= is(value, i) ? 1 : 0;
        }
        return changed;
    }
    if (auto* it = llvm::dyn_cast<llvm::CallBase>(&instruction)) return call(*it);
    if (instruction.getType()->isVoidTy() || llvm::isa<llvm::CmpInst>(instruction) ||
        llvm::isa<llvm::IntToPtrInst>(instruction) || llvm::isa<llvm::PtrToIntInst>(instruction))
        return false;
    return scalars(instruction);
}

// Scalar by scalar if the instruction works like that or only rearranges, else from any scalar to all of the result.
bool Elements::scalars(const llvm::Instruction& instruction) {
    bool changed = false;
    if (const auto sources = rearranged(instruction, types_)) {
        for (std::size_t i = 0; i < sources->size(); ++i)
            if (const auto& [value, scalar] = (*sources)[i]; value != nullptr && is(value, scalar))
                changed |= mark(&instruction, i);
        return changed;
    }
    const std::size_t mine = count(&instruction);
    const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
    for (unsigned k = first; k < instruction.getNumOperands(); ++k) {
        const llvm::Value* operand = instruction.getOperand(k);
        if (reach_.number(operand) == kNone || !any(operand)) continue;
        if (count(operand) != mine) {
            changed |= mark_all(&instruction);
            continue;
        }
        for (std::size_t i = 0; i < mine; ++i)
            if (is(operand, i)) changed |= mark(&instruction, i);
    }
    return changed;
}

bool Elements::pass(const llvm::CallBase& call, const llvm::Function& callee) {
    bool changed = false;
    for (unsigned k = 0; k < callee.arg_size() && k < call.arg_size(); ++k)
        for (std::size_t i = 0; i < count(callee.getArg(k)); ++i)
            if (is(call.getArgOperand(k), i)) changed |= mark(callee.getArg(k), i);
    if (!call.getType()->isVoidTy())
        for (std::size_t i = 0; i < count(&call); ++i)
            if (returned(&callee, i)) changed |= mark(&call, i);
    return changed;
}

// Atomics and copies by intrinsic or inline assembly: any operand may be stored wherever a pointer operand points, and
// what is there may be the result.
bool Elements::memory_call(const llvm::CallBase& call) {
    bool changed = false, stores = false, loads = false;
    const auto points = [&](const llvm::Value* value) {
        return value->getType()->isPointerTy() || !pointees_.of(value).has(0);
    };
    for (const llvm::Value* argument : call.args()) {
        stores |= any(argument);
        loads |= points(argument) && in_memory(argument);
    }
    for (const llvm::Value* argument : call.args())
        if (points(argument) && (stores || loads) && call.arg_size() > 1) changed |= store(argument);
    if (!call.getType()->isVoidTy() && (loads || stores)) changed |= mark_all(&call);
    return changed;
}

bool Elements::call(const llvm::CallBase& call) {
    if (const llvm::Function* callee = callee_of(call)) return pass(call, *callee);
    if (call.isIndirectCall()) {
        bool changed = false;
        for (const llvm::Function* target : reach_.targets(call)) changed |= pass(call, *target);
        return changed;
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call))
        return in_memory(copy->getRawSource()) && store(copy->getRawDest());
    if (llvm::isa<llvm::MemSetInst>(call)) return false;
    if (const auto counted = counted_ballot(&call)) return flagged(*counted->ballot) != nullptr && mark_all(&call);
    if (assembly_has(call, "cp.async.bulk.prefetch.")) return false;
    for (const char* access : {"ld.", "st.", "ldu.", "atom.", "red.", "cp.async"})
        if (assembly_has(call, access)) return memory_call(call);
    const llvm::StringRef name = call.getCalledFunction() != nullptr ? call.getCalledFunction()->getName() : "";
    if (name.starts_with("llvm.nvvm.atomic.") || name.starts_with("llvm.nvvm.ldg.") ||
        name.starts_with("llvm.nvvm.ldu.") || name.starts_with("llvm.nvvm.cp.async."))
        return memory_call(call);
    if (name.starts_with("llvm.nvvm.vote.") || name.starts_with("llvm.nvvm.match.") ||
        name.starts_with("llvm.nvvm.barrier0.") || known(call) == Known::print || call.getType()->isVoidTy())
        return false;
    if (is_shuffle(call)) { // shfl(mask, value, ...), __warptree_shuffle(mode, mask, value, ...)
        const unsigned value = known(call) == Known::shuffle ? 2 : 1;
        return any(call.getArgOperand(value)) && mark(&call, 0);
    }
    return scalars(call);
}

} // namespace warptree::compile::lowering
