#include "app/compile/lower/loops.hpp"

#include "app/compile/lower/known.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warptree::compile::lowering {

namespace {

// Whether the block computes and loads, but changes nothing and combines nothing.
bool only_looks(const llvm::BasicBlock& block, const std::set<const llvm::Instruction*>& working) {
    for (const llvm::Instruction& instruction : block) {
        if (working.contains(&instruction)) return false;
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr && is_mark(*call)) continue;
        if (!llvm::isa<llvm::LoadInst>(instruction) && instruction.mayHaveSideEffects()) return false;
        if (call != nullptr && call->isConvergent() && !call->doesNotAccessMemory()) return false;
    }
    return true;
}

// Whether it can differ between threads of a block, other than through memory.
bool depends_on_thread(const llvm::Value* value) {
    std::set<const llvm::Value*> seen;
    std::vector<const llvm::Value*> work{value};
    while (!work.empty()) {
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(work.back());
        work.pop_back();
        if (instruction == nullptr || instruction->mayReadFromMemory() || !seen.insert(instruction).second) continue;
        if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
            const llvm::StringRef name = call->getCalledFunction()->getName();
            if (name.contains("sreg.tid") || name.contains("sreg.laneid")) return true;
        }
        for (const llvm::Value* operand : instruction->operands()) work.push_back(operand);
    }
    return false;
}

} // namespace

LoopTable::LoopTable(Body& body, const FunctionFacts& facts, const Plan& plan, Variables& variables) : facts_(facts) {
    for (const Combine& combine : facts.combines) working_.insert(combine.anchor);
    for (const llvm::Loop* loop : facts.flow.loops.getLoopsInPreorder()) {
        Loop made;
        if (const llvm::Loop* parent = loop->getParentLoop()) made.parent = numbers_.at(parent);
        made.header = facts.flow.number.lookup(loop->getHeader());
        made.stage = plan.stage_loops.contains(loop);
        made.location = body.unit.locations.of(loop->getStartLoc().get());
        find_variable(body, *loop, made, variables);
        numbers_[loop] = Unit::add(body.program.loops, made);
        find_tests(*loop);
    }
}

// The header and the blocks after it, as long as they only test and can leave the loop or lead to blocks that can.
void LoopTable::find_tests(const llvm::Loop& loop) {
    std::set<const llvm::BasicBlock*>& tests = tests_[&loop];
    const auto leaves = [&](const llvm::BasicBlock* block) {
        for (const llvm::BasicBlock* next : llvm::successors(block))
            if (!loop.contains(next)) return true;
        return false;
    };
    // Blocks reached only through testing blocks, in order of flow; those that cannot leave the loop are removed again.
    std::vector<const llvm::BasicBlock*> order;
    for (const llvm::BasicBlock* block : facts_.flow.blocks) {
        if (!loop.contains(block) || facts_.flow.loops.getLoopFor(block) != &loop || !only_looks(*block, working_))
            continue;
        bool reached = block == loop.getHeader();
        if (!reached) {
            reached = true;
            for (const llvm::BasicBlock* before : llvm::predecessors(block)) reached &= tests.contains(before);
        }
        if (!reached) continue;
        tests.insert(block);
        order.push_back(block);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            if (!tests.contains(*at) || leaves(*at)) continue;
            bool goes_on = true;
            for (const llvm::BasicBlock* next : llvm::successors(*at))
                goes_on &= tests.contains(next) && next != loop.getHeader();
            if (goes_on) continue;
            tests.erase(*at);
            changed = true;
        }
    }
    bool has_body = false;
    for (const llvm::BasicBlock* block : tests)
        for (const llvm::BasicBlock* next : llvm::successors(block))
            has_body |= loop.contains(next) && !tests.contains(next);
    if (!tests.contains(loop.getHeader()) || !has_body) tests.clear();
}

void LoopTable::find_variable(Body& body, const llvm::Loop& loop, Loop& made, Variables& variables) const {
    // The values that the loop's tests are computed from, not through memory.
    std::set<const llvm::Value*> tested;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    std::vector<const llvm::Value*> work;
    for (const llvm::BasicBlock* block : exiting)
        if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator()); branch && branch->isConditional())
            work.push_back(branch->getCondition());
    while (!work.empty()) {
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(work.back());
        work.pop_back();
        if (instruction == nullptr || !loop.contains(instruction) || !tested.insert(instruction).second) continue;
        if (llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() == loop.getHeader()) continue;
        if (instruction->mayReadOrWriteMemory()) continue;
        for (const llvm::Value* operand : instruction->operands()) work.push_back(operand);
    }
    const llvm::PHINode* best = nullptr;
    bool best_tested = false;
    for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
        const llvm::DILocalVariable* variable = variables.of(&phi);
        if (variable == nullptr || variables.number(body, variable) == kNone || !phi.getType()->isIntegerTy()) continue;
        const bool is_tested = tested.contains(&phi);
        if (best != nullptr && (best_tested || !is_tested)) continue;
        best = &phi;
        best_tested = is_tested;
    }
    if (best == nullptr) return;
    if (made.stage && depends_on_thread(best)) return; // it would give each warp different steps
    const std::uint32_t variable = variables.number(body, variables.of(best));
    const Register row = body.of(best);
    if (row.rows != (bytes(body.program.variables[variable].type) == 8 ? 2 : 1)) return;
    made.variable = variable;
    made.row = row.row;
}

std::uint32_t LoopTable::innermost(const llvm::BasicBlock* block) const {
    const llvm::Loop* loop = facts_.flow.loops.getLoopFor(block);
    return loop == nullptr ? kNone : numbers_.lookup(loop);
}

std::uint32_t LoopTable::begins(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
    for (const llvm::Loop* loop = facts_.flow.loops.getLoopFor(to); loop != nullptr; loop = loop->getParentLoop()) {
        const std::set<const llvm::BasicBlock*>& tests = tests_.at(loop);
        if (tests.empty() ? to == loop->getHeader() : tests.contains(from) && !tests.contains(to))
            return numbers_.at(loop);
    }
    return kNone;
}

std::uint32_t LoopTable::ends(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
    std::uint32_t outermost = kNone;
    for (const llvm::Loop* loop = facts_.flow.loops.getLoopFor(from); loop != nullptr && !loop->contains(to);
         loop = loop->getParentLoop())
        outermost = numbers_.at(loop);
    return outermost;
}

} // namespace warptree::compile::lowering
