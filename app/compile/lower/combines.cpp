#include "app/compile/lower/combines.hpp"

#include "app/compile/lower/ballots.hpp"
#include "app/compile/lower/known.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warptree::compile::lowering {

namespace {

bool is_operator(unsigned opcode) {
    switch (opcode) {
    case llvm::Instruction::Add:
    case llvm::Instruction::FAdd:
    case llvm::Instruction::Sub:
    case llvm::Instruction::FSub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::FMul:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor: return true;
    default: return false;
    }
}

enum class CallShape : std::uint8_t { other, two, multiply_add };

CallShape shape_of(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return CallShape::other;
    switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::minimum: return CallShape::two;
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd: return CallShape::multiply_add;
    default: break;
    }
    llvm::StringRef name = callee->getName();
    if (name.consume_front("llvm.nvvm."))
        return llvm::StringSwitch<CallShape>(name.split('.').first)
            .Cases("fmin", "fmax", CallShape::two)
            .Case("fma", CallShape::multiply_add)
            .Default(CallShape::other);
    if (!name.consume_front("__nv_")) return CallShape::other;
    if (name == "min" || name == "max" || name == "umin" || name == "umax" || name.starts_with("llm") ||
        name.starts_with("ullm"))
        return CallShape::two;
    const auto math = math_call(name);
    if (!math || math->op == Opcode::math32 || math->op == Opcode::math64) return CallShape::other;
    return math->op == Opcode::fma32 || math->op == Opcode::fma64 ? CallShape::multiply_add : CallShape::two;
}

bool in_same_turn(const llvm::Instruction& instruction, const llvm::Loop* loop, const Flow& flow) {
    return flow.loops.getLoopFor(instruction.getParent()) == loop;
}

} // namespace

bool is_added_product(const llvm::Instruction& instruction) {
    const unsigned opcode = instruction.getOpcode();
    if ((opcode != llvm::Instruction::Mul && opcode != llvm::Instruction::FMul) || !instruction.hasOneUse())
        return false;
    auto* user = llvm::dyn_cast<llvm::BinaryOperator>(*instruction.user_begin());
    return user != nullptr &&
           (user->getOpcode() == llvm::Instruction::Add || user->getOpcode() == llvm::Instruction::FAdd);
}

bool is_place(const llvm::Instruction& instruction) {
    constexpr std::size_t kMost = 16;
    if (!llvm::isa<llvm::BinaryOperator>(instruction)) return false;
    bool found = false;
    llvm::SmallVector<const llvm::Instruction*, 8> values{&instruction};
    for (std::size_t k = 0; k < values.size(); ++k)
        for (const llvm::User* user : values[k]->users()) {
            auto* at = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
            if (at != nullptr && at->getPointerOperand() != values[k]) {
                found = true;
            } else if (llvm::isa<llvm::CastInst>(user) || llvm::isa<llvm::BinaryOperator>(user)) {
                if (!llvm::is_contained(values, user)) values.push_back(llvm::cast<llvm::Instruction>(user));
                if (values.size() > kMost) return false;
            } else if (!llvm::isa<llvm::CmpInst>(user)) {
                return false;
            }
        }
    return found;
}

llvm::SmallVector<const llvm::Value*, 3> combined(const llvm::Instruction& instruction, const Elements& elements) {
    const auto both = [&](const llvm::Value* a, const llvm::Value* b) { return elements.any(a) && elements.any(b); };
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
        if (is_operator(op->getOpcode()) && both(op->getOperand(0), op->getOperand(1)) && !is_added_product(*op) &&
            !is_place(*op))
            return {op->getOperand(0), op->getOperand(1)};
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (is_warp_reduce(*call) && call->arg_size() > 0 && elements.any(call->getArgOperand(0)))
            return {call->getArgOperand(0)};
        if (const auto counted = counted_ballot(call); counted && elements.flagged(*counted->ballot) != nullptr)
            return {counted->ballot};
        const CallShape shape = shape_of(*call);
        if (shape == CallShape::two && both(call->getArgOperand(0), call->getArgOperand(1)))
            return {call->getArgOperand(0), call->getArgOperand(1)};
        if (shape == CallShape::multiply_add && (both(call->getArgOperand(0), call->getArgOperand(2)) ||
                                                 both(call->getArgOperand(1), call->getArgOperand(2))))
            return {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)};
    }
    return {};
}

Combines::Combines(const Reach& reach, const Pointees& pointees, const Elements& elements,
                   std::function<bool(const llvm::Loop&)> names_steps)
    : reach_(reach), pointees_(pointees), elements_(elements), names_steps_(std::move(names_steps)) {
    for (llvm::Function* function : reach_.functions()) summarise(*function);
    for (bool changed = true; changed;) { // callers inherit what their callees do
        changed = false;
        for (const auto& [function, facts] : facts_)
            for (const CallSite& site : facts->calls) {
                const FunctionFacts& callee = *facts_.at(site.callee);
                changed |= facts->stored.add(callee.stored);
                changed |= callee.synchronises && !facts->synchronises;
                facts->synchronises |= callee.synchronises;
            }
    }
    for (llvm::Function* function : reach_.functions()) find_origins(function);
}

void Combines::summarise(llvm::Function& function) {
    auto& facts = facts_[&function];
    facts = std::make_unique<FunctionFacts>(function, elements_);
    facts->stored = ObjectSet(pointees_.objects().size());
    for (const llvm::BasicBlock* block : facts->flow.blocks) {
        const llvm::Loop* loop = facts->flow.loops.getLoopFor(block);
        for (const llvm::Instruction& instruction : *block) {
            if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
                facts->stored.add(pointees_.of(store->getPointerOperand()));
            else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
                facts->stored.add(pointees_.of(copy->getRawDest()));
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr) continue;
            facts->synchronises |= lowering::synchronises(*call);
            if (llvm::Function* callee = callee_of(*call)) facts->calls.push_back({call, callee, loop, {}});
        }
    }
    find_combines(*facts);
}

void Combines::find_combines(FunctionFacts& facts) {
    for (const llvm::BasicBlock* block : facts.flow.blocks)
        for (const llvm::Instruction& instruction : *block) {
            Combine combine{.at = &instruction, .anchor = &instruction, .operands = combined(instruction, elements_)};
            const Choice* choice = nullptr;
            if (const auto at = facts.choices.values.find(&instruction); at != facts.choices.values.end()) {
                if (elements_.any(&instruction) || instruction.getType()->isPointerTy()) choice = &at->second;
            } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
                if (const auto s = facts.choices.stores.find(store); s != facts.choices.stores.end())
                    choice = &s->second;
            }
            if (choice != nullptr) {
                combine.operands = {choice->comparison->getOperand(0), choice->comparison->getOperand(1)};
                if (choice->x != nullptr) combine.operands = {choice->x, choice->y};
                if (!llvm::isa<llvm::SelectInst>(instruction)) combine.anchor = choice->comparison;
            }
            if (combine.operands.empty()) continue;
            combine.loop = facts.flow.loops.getLoopFor(combine.anchor->getParent());
            facts.combines.push_back(std::move(combine));
        }
}

void Combines::find_origins(llvm::Function* function) {
    if (!open_.insert(function).second) return; // done, or recursion, which adds nothing new
    FunctionFacts& facts = *facts_.at(function);
    for (Combine& combine : facts.combines) {
        for (const llvm::Value* operand : combine.operands) combine.origin.add(origin(operand, combine.loop, facts));
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(combine.at))
            combine.origin.staged |= is_warp_reduce(*call) || counted_ballot(call).has_value();
        facts.relevant |= combine.origin.arguments;
    }
    for (CallSite& site : facts.calls) {
        find_origins(site.callee);
        const std::uint64_t theirs = facts_.at(site.callee)->relevant;
        for (unsigned k = 0; k < site.call->arg_size(); ++k) {
            const llvm::Value* argument = site.call->getArgOperand(k);
            site.arguments.push_back(origin(argument, site.loop, facts));
            if (k < 64 && (theirs >> k & 1) != 0) facts.relevant |= site.arguments.back().arguments;
        }
    }
    for (const llvm::BasicBlock* block : facts.flow.blocks)
        if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block->getTerminator());
            ret != nullptr && ret->getReturnValue())
            facts.returned.add(origin(ret->getReturnValue(), facts.flow.loops.getLoopFor(block), facts));
    done_.insert(function);
}

Origin Combines::origin(const llvm::Value* value, const llvm::Loop* loop, FunctionFacts& facts) {
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) { // computed before any loop
        Origin origin;
        if (loop == nullptr && argument->getArgNo() < 64) origin.arguments = 1ULL << argument->getArgNo();
        return origin;
    }
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(value)) return origin_of_local(*local, loop, facts);
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || !in_same_turn(*instruction, loop, facts.flow)) return {};
    const auto [at, added] = origins_.try_emplace(instruction);
    if (!added) return at->second;
    const Origin found = origin_of_instruction(*instruction, loop, facts);
    origins_[instruction] = found;
    return found;
}

const ObjectSet& Combines::stored_in(const llvm::Loop* loop, const FunctionFacts& facts) {
    const auto [at, added] = stored_in_.try_emplace(loop, pointees_.objects().size());
    if (!added) return at->second;
    for (const llvm::BasicBlock* block : loop->blocks())
        for (const llvm::Instruction& instruction : *block) {
            if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
                at->second.add(pointees_.of(store->getPointerOperand()));
            else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
                at->second.add(pointees_.of(copy->getRawDest()));
        }
    for (const CallSite& site : facts.calls)
        if (loop->contains(site.call)) at->second.add(facts_.at(site.callee)->stored);
    return at->second;
}

bool Combines::goes_back(const llvm::Value* pointer, const llvm::Loop* loop, const FunctionFacts& facts) {
    ObjectSet global(pointees_.objects().size());
    pointees_.of(pointer).each([&](std::size_t object) {
        if (pointees_.objects()[object].is_global()) global.add(object);
    });
    if (loop != nullptr) return global.intersects(stored_in(loop, facts));
    const llvm::Function* function = facts.flow.blocks.front()->getParent();
    for (const Reach::Kernel& kernel : reach_.kernels()) // what the kernels that run this function store
        if (kernel.functions.contains(const_cast<llvm::Function*>(function)) &&
            global.intersects(facts_.at(kernel.function)->stored))
            return true;
    return false;
}

Origin Combines::origin_in_memory(const llvm::Value* pointer, const llvm::Loop* loop, FunctionFacts& facts) {
    const llvm::Value* base = llvm::getUnderlyingObject(pointer);
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(base); argument != nullptr && argument->hasByValAttr())
        return origin(argument, loop, facts); // a struct passed by value is a value
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(base)) return origin_of_local(*local, loop, facts);
    Origin found;
    pointees_.of(pointer).each(
        [&](std::size_t o) { found.staged |= pointees_.objects()[o].kind == Object::Kind::shared; });
    found.staged = found.staged || goes_back(pointer, loop, facts);
    return found;
}

Origin Combines::origin_of_local(const llvm::AllocaInst& local, const llvm::Loop* loop, FunctionFacts& facts) {
    Origin found;
    if (!locals_in_progress_.insert(&local).second) return found;
    std::vector<const llvm::Value*> pointers{&local};
    for (std::size_t i = 0; i < pointers.size(); ++i)
        for (const llvm::User* user : pointers[i]->users()) {
            auto* instruction = llvm::cast<llvm::Instruction>(user);
            if (llvm::isa<llvm::GetElementPtrInst>(instruction) || llvm::isa<llvm::AddrSpaceCastInst>(instruction)) {
                pointers.push_back(instruction);
                continue;
            }
            if (!in_same_turn(*instruction, loop, facts.flow)) continue;
            if (auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
                store != nullptr && store->getPointerOperand() == pointers[i])
                found.add(origin(store->getValueOperand(), loop, facts));
            else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(instruction);
                     copy != nullptr && copy->getRawDest() == pointers[i])
                found.add(origin_in_memory(copy->getRawSource(), loop, facts));
        }
    locals_in_progress_.erase(&local);
    return found;
}

Origin Combines::origin_of_instruction(const llvm::Instruction& instruction, const llvm::Loop* loop,
                                       FunctionFacts& facts) {
    Origin found;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (load->getType()->isPointerTy()) return found;
        return origin_in_memory(load->getPointerOperand(), loop, facts);
    }
    if (!combined(instruction, elements_).empty()) return found; // not an operand of the same step
    if (facts.choices.values.contains(&instruction) && elements_.any(&instruction)) return found;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
        if (loop != nullptr && phi->getParent() == loop->getHeader()) return found; // from the previous iteration
        for (const llvm::Value* incoming : phi->incoming_values()) found.add(origin(incoming, loop, facts));
        return found;
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (is_shuffle(*call) || assembly_has(*call, "shfl.")) return {.staged = true};
        if (assembly_has(*call, "ld.")) {
            for (const llvm::Value* argument : call->args())
                if (argument->getType()->isPointerTy() || !pointees_.of(argument).has(0))
                    found.add(origin_in_memory(argument, loop, facts));
            return found;
        }
        if (llvm::Function* callee = callee_of(*call)) {
            find_origins(callee);
            const Origin& returned = facts_.at(callee)->returned;
            found.staged = returned.staged;
            for (unsigned k = 0; k < call->arg_size() && k < 64; ++k)
                if ((returned.arguments >> k & 1) != 0) found.add(origin(call->getArgOperand(k), loop, facts));
            return found;
        }
        for (const llvm::Value* argument : call->args())
            if (!argument->getType()->isPointerTy()) found.add(origin(argument, loop, facts));
        return found;
    }
    if (instruction.mayReadOrWriteMemory() || instruction.getType()->isPointerTy() ||
        llvm::isa<llvm::CmpInst>(instruction))
        return found;
    const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
    for (unsigned i = first; i < instruction.getNumOperands(); ++i)
        found.add(origin(instruction.getOperand(i), loop, facts));
    return found;
}

} // namespace warptree::compile::lowering
