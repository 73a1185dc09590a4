#include "app/compile/lower_choices.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

namespace warptree::compile::lowering {

namespace {

// Strips conversions between bool and integer, and negations.
const llvm::Value* without_bool(const llvm::Value* value) {
    using namespace llvm::PatternMatch;
    for (;;) {
        llvm::Value* inner = nullptr;
        llvm::CmpInst::Predicate predicate{};
        if (match(value, m_Trunc(m_Value(inner))) || match(value, m_ZExt(m_Value(inner))) ||
            match(value, m_Not(m_Value(inner))) || match(value, m_Freeze(m_Value(inner)))) {
            value = inner;
        } else if (match(value, m_ICmp(predicate, m_ZExt(m_Value(inner)), m_ZeroInt())) &&
                   llvm::ICmpInst::isEquality(predicate) && inner->getType()->isIntegerTy(1)) {
            value = inner;
        } else {
            return value;
        }
    }
}

bool holds_when_greater(llvm::CmpInst::Predicate predicate) {
    switch (predicate) {
    case llvm::CmpInst::ICMP_SGT:
    case llvm::CmpInst::ICMP_SGE:
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_UGE:
    case llvm::CmpInst::FCMP_OGT:
    case llvm::CmpInst::FCMP_OGE:
    case llvm::CmpInst::FCMP_UGT:
    case llvm::CmpInst::FCMP_UGE: return true;
    default: return false;
    }
}

bool orders(llvm::CmpInst::Predicate predicate) {
    switch (predicate) {
    case llvm::CmpInst::FCMP_OLT:
    case llvm::CmpInst::FCMP_OLE:
    case llvm::CmpInst::FCMP_ULT:
    case llvm::CmpInst::FCMP_ULE: return true;
    default:
        return holds_when_greater(predicate) ||
               (llvm::CmpInst::isIntPredicate(predicate) && !llvm::ICmpInst::isEquality(predicate));
    }
}

const llvm::LoadInst* loaded(const llvm::Value* value) {
    while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
    return llvm::dyn_cast<llvm::LoadInst>(value);
}

// Whether both are the same computation on the same values.
bool same(const llvm::Value* a, const llvm::Value* b, int depth = 8) {
    if (a == b) return true;
    auto *x = llvm::dyn_cast<llvm::Instruction>(a), *y = llvm::dyn_cast<llvm::Instruction>(b);
    if (x == nullptr || y == nullptr || depth == 0 || !x->isSameOperationAs(y) || llvm::isa<llvm::PHINode>(x))
        return false;
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(x); // special registers
        call != nullptr ? !call->doesNotAccessMemory() : x->mayReadOrWriteMemory())
        return false;
    for (unsigned i = 0; i < x->getNumOperands(); ++i)
        if (!same(x->getOperand(i), y->getOperand(i), depth - 1)) return false;
    return true;
}

const llvm::StoreInst* only_store(const llvm::BasicBlock& block, const llvm::Value* address) {
    const llvm::StoreInst* found = nullptr;
    for (const llvm::Instruction& instruction : block) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store == nullptr || (address != nullptr && !same(store->getPointerOperand(), address))) continue;
        if (found != nullptr) return nullptr;
        found = store;
    }
    return found;
}

} // namespace

Choices::Choices(const Flow& flow, const Elements& elements) : elements_(elements) {
    for (const llvm::BasicBlock* block : flow.blocks) {
        if (const llvm::BranchInst* branch = flow.branch_joined_by(block))
            if (const auto choice = of_condition(branch->getCondition()))
                for (const llvm::PHINode& phi : block->phis())
                    values[&phi] = {choice->comparison, choice->greater, &phi};
        for (const llvm::Instruction& instruction : *block)
            if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
                if (const auto choice = of_condition(select->getCondition()))
                    values[select] = {choice->comparison, choice->greater, select};
        auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        if (branch != nullptr && only_successor(*branch) == nullptr) conditional_stores(*branch);
    }
}

std::optional<Choice> Choices::of_condition(const llvm::Value* condition) const {
    auto* comparison = llvm::dyn_cast<llvm::CmpInst>(without_bool(condition));
    if (comparison == nullptr || comparison->getType()->isVectorTy() || !orders(comparison->getPredicate()))
        return std::nullopt;
    if (!elements_.is(comparison->getOperand(0)) || !elements_.is(comparison->getOperand(1))) return std::nullopt;
    return Choice{comparison, holds_when_greater(comparison->getPredicate()), nullptr};
}

std::optional<Choice> Choices::of_pointer(const llvm::Value* pointer) const {
    while (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer)) {
        if (!gep->hasAllConstantIndices()) break;
        pointer = gep->getPointerOperand();
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(pointer);
    const auto at = instruction == nullptr ? values.end() : values.find(instruction);
    return at == values.end() ? std::nullopt : std::optional(at->second);
}

// For sides of one block each that meet again: both store to one address, or one stores where a compared value was
// loaded from.
void Choices::conditional_stores(const llvm::BranchInst& branch) {
    const auto choice = of_condition(branch.getCondition());
    if (!choice) return;
    const llvm::BasicBlock* sides[] = {branch.getSuccessor(0), branch.getSuccessor(1)};
    const auto alone = [](const llvm::BasicBlock* side) { return side->getSinglePredecessor() != nullptr; };
    for (int i = 0; i < 2; ++i) {
        const llvm::BasicBlock *side = sides[i], *other = sides[1 - i];
        const bool skips = alone(other) && other->size() == 1 && other->getSingleSuccessor() != nullptr;
        const llvm::BasicBlock* join = skips ? other->getSingleSuccessor() : other;
        if (!alone(side) || (side->getSingleSuccessor() != other && side->getSingleSuccessor() != join)) continue;
        for (const llvm::Value* operand : choice->comparison->operands()) {
            const llvm::LoadInst* kept = loaded(operand);
            if (kept == nullptr) continue;
            const llvm::StoreInst* store = only_store(*side, kept->getPointerOperand());
            if (store == nullptr || !elements_.is(store->getValueOperand())) continue;
            stores[store] = {choice->comparison, choice->greater, store};
            this->kept.push_back({branch.getParent(), other, kept, stores[store]});
            return;
        }
    }
    if (!alone(sides[0]) || !alone(sides[1])) return;
    if (sides[0]->getSingleSuccessor() == nullptr || sides[0]->getSingleSuccessor() != sides[1]->getSingleSuccessor())
        return;
    const llvm::StoreInst* first = only_store(*sides[0], nullptr);
    const llvm::StoreInst* second = first == nullptr ? nullptr : only_store(*sides[1], first->getPointerOperand());
    if (second == nullptr) return;
    stores[first] = {choice->comparison, choice->greater, first};
    stores[second] = {choice->comparison, choice->greater, second};
}

} // namespace warptree::compile::lowering
