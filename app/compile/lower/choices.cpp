#include "app/compile/lower/choices.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

namespace warptree::compile::lowering {

namespace {

const llvm::LoadInst* loaded(const llvm::Value* value) {
    while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
    return llvm::dyn_cast<llvm::LoadInst>(value);
}

} // namespace

Choices::Choices(const Flow& flow, const Elements& elements) : elements_(elements) {
    for (const llvm::BasicBlock* block : flow.blocks) {
        if (const llvm::BranchInst* branch = flow.branch_joined_by(block))
            if (const auto choice = of_condition(branch->getCondition()))
                for (const llvm::PHINode& phi : block->phis())
                    values[&phi] = {choice->comparison, choice->greater, &phi, false, {}};
        for (const llvm::Instruction& instruction : *block)
            if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
                if (const auto choice = of_condition(select->getCondition()))
                    values[select] = {choice->comparison, choice->greater, select, false, {}};
        auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        if (branch != nullptr && only_successor(*branch) == nullptr) conditional_stores(*branch);
    }
    for (const Companions& all : companions_in(flow)) add(all);
    for (const Swap& swap : swaps_in(flow)) add(swap);
}

void Choices::add(const Swap& swap) {
    const llvm::Value *x = swap.second->getValueOperand(), *y = swap.first->getValueOperand();
    if (!elements_.is(x) || !elements_.is(y)) return;
    llvm::erase_if(kept, [&](const KeptStore& k) { return k.choice.at == swap.first || k.choice.at == swap.second; });
    for (const llvm::StoreInst* store : {swap.first, swap.second}) {
        Choice& choice = stores[store];
        choice = {swap.comparison, holds_when_greater(swap.comparison->getPredicate()), store, false, {}};
        if (!swap.always_compared) {
            choice.x = x;
            choice.y = y;
        }
    }
    for (const Swap::Past& past : swap.past)
        for (const llvm::Value* operand : past.comparison->operands()) {
            const llvm::LoadInst* load = loaded(operand);
            const llvm::StoreInst* at =
                same_address(load->getPointerOperand(), swap.first->getPointerOperand()) ? swap.first : swap.second;
            kept.push_back({past.from,
                            past.to,
                            load->getPointerOperand(),
                            load->getType(),
                            {past.comparison, holds_when_greater(past.comparison->getPredicate()), at, false, {}}});
        }
}

void Choices::add(const Companions& all) {
    if (!elements_.is(all.comparison->getOperand(0)) || !elements_.is(all.comparison->getOperand(1))) return;
    const bool greater = holds_when_greater(all.comparison->getPredicate());
    const auto note = [&](const llvm::Instruction* at, bool follows) {
        const Choice choice{all.comparison, greater, at, follows, all.greatest};
        auto* store = llvm::dyn_cast<llvm::StoreInst>(at);
        if (store == nullptr) {
            values[at] = choice;
            return;
        }
        if (!follows && stores.contains(store)) return; // by conditional_stores
        stores[store] = choice;
        for (const auto& [from, to, past] : all.kept)
            if (past == store)
                kept.push_back({from, to, follows ? store->getPointerOperand() : all.replaced,
                                store->getValueOperand()->getType(), choice});
    };
    for (const llvm::Instruction* at : all.chosen) note(at, false);
    for (const llvm::Instruction* at : all.followers) note(at, true);
}

std::optional<Choice> Choices::of_condition(const llvm::Value* condition) const {
    auto* comparison = llvm::dyn_cast<llvm::CmpInst>(without_bool(condition));
    if (comparison == nullptr || comparison->getType()->isVectorTy() || !orders(comparison->getPredicate()))
        return std::nullopt;
    if (!elements_.is(comparison->getOperand(0)) || !elements_.is(comparison->getOperand(1))) return std::nullopt;
    return Choice{.comparison = comparison, .greater = holds_when_greater(comparison->getPredicate())};
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
            stores[store] = {choice->comparison, choice->greater, store, false, {}};
            this->kept.push_back(
                {branch.getParent(), other, kept->getPointerOperand(), kept->getType(), stores[store]});
            return;
        }
    }
    if (!alone(sides[0]) || !alone(sides[1])) return;
    if (sides[0]->getSingleSuccessor() == nullptr || sides[0]->getSingleSuccessor() != sides[1]->getSingleSuccessor())
        return;
    const llvm::StoreInst* first = only_store(*sides[0], nullptr);
    const llvm::StoreInst* second = first == nullptr ? nullptr : only_store(*sides[1], first->getPointerOperand());
    if (second == nullptr) return;
    stores[first] = {choice->comparison, choice->greater, first, false, {}};
    stores[second] = {choice->comparison, choice->greater, second, false, {}};
}

} // namespace warptree::compile::lowering
