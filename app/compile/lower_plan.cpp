// Which loops and statements are the steps of a tree, for one way of calling a function.
#include "app/compile/lower_combines.hpp"
#include "app/compile/lower_known.hpp"

namespace warptree::compile::lowering {

bool Combines::escapes(llvm::Function* function, std::uint64_t staged) {
    const FunctionFacts& facts = *facts_.at(function);
    const auto [at, added] = escapes_.try_emplace({function, staged & facts.relevant}, false);
    if (!added) return at->second;
    bool found = false;
    for (const Combine& combine : facts.combines) found |= combine.loop == nullptr && combine.origin.is(staged);
    for (const CallSite& site : facts.calls) {
        if (found) break;
        if (site.loop == nullptr) found = escapes(site.callee, called(site, {.staged = staged}, nullptr).staged);
    }
    escapes_[{function, staged & facts.relevant}] = found;
    return found;
}

Context Combines::called(const CallSite& site, const Context& context, const llvm::Loop* captured) {
    Context made;
    for (unsigned k = 0; k < site.arguments.size() && k < 64; ++k)
        if (site.arguments[k].is(context.staged)) made.staged |= 1ULL << k;
    made.staged &= facts_.at(site.callee)->relevant;
    made.in_stage_loop = captured != nullptr || context.in_stage_loop;
    return made;
}

bool Combines::synchronises(const llvm::Loop& loop) const {
    for (const llvm::BasicBlock* block : loop.blocks())
        for (const llvm::Instruction& instruction : *block) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr) continue;
            if (lowering::synchronises(*call)) return true;
            if (const llvm::Function* callee = callee_of(*call); callee && facts_.at(callee)->synchronises) return true;
        }
    return false;
}

// The innermost loop in which lanes wait for one another or tell each other values; the outermost, where none does.
const llvm::Loop* Combines::stage_loop(const llvm::Loop* innermost, const FunctionFacts&) const {
    const llvm::Loop* outermost = nullptr;
    for (const llvm::Loop* loop = innermost; loop != nullptr; loop = loop->getParentLoop()) {
        if (synchronises(*loop)) return loop;
        outermost = loop;
    }
    return outermost;
}

Plan Combines::plan(llvm::Function* function, const Context& context) {
    const FunctionFacts& facts = *facts_.at(function);
    Plan plan;
    std::vector<const Combine*> unrolled;
    for (const Combine& combine : facts.combines) {
        if (!combine.origin.is(context.staged)) continue;
        plan.steps.insert(combine.at);
        if (const llvm::Loop* loop = stage_loop(combine.loop, facts))
            plan.stage_loops.insert(loop);
        else if (!context.in_stage_loop)
            unrolled.push_back(&combine);
    }
    for (const CallSite& site : facts.calls) {
        Context made = called(site, context, nullptr);
        if (escapes(site.callee, made.staged)) {
            const llvm::Loop* loop = stage_loop(site.loop, facts);
            if (loop != nullptr) plan.stage_loops.insert(loop);
            made = called(site, context, loop);
        } else {
            made.in_stage_loop = false;
        }
        plan.calls[site.call] = made;
    }
    for (const llvm::BasicBlock* block : facts.flow.blocks) {
        const std::vector<Plan::Statement> found = statements_in(*block, unrolled);
        plan.statements.insert(plan.statements.end(), found.begin(), found.end());
    }
    return plan;
}

namespace {

// Positions in a block, and what an instruction of it needs of what comes before.
class BlockOrder {
  public:
    explicit BlockOrder(const llvm::BasicBlock& block) : block_(block) {
        int next = 0;
        for (const llvm::Instruction& instruction : block) position_[&instruction] = next++;
    }
    int of(const llvm::Instruction* instruction) const { return position_.lookup(instruction); }

    // The first instruction behind `after` that these values are computed by, itself or through others.
    const llvm::Instruction* first_needed(llvm::ArrayRef<const llvm::Value*> values, int after) const {
        const llvm::Instruction* first = nullptr;
        llvm::SmallVector<const llvm::Value*, 16> work(values.begin(), values.end());
        std::set<const llvm::Value*> seen;
        while (!work.empty()) {
            auto* instruction = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
            if (instruction == nullptr || instruction->getParent() != &block_ ||
                llvm::isa<llvm::PHINode>(instruction) || of(instruction) <= after || !seen.insert(instruction).second)
                continue;
            if (first == nullptr || of(instruction) < of(first)) first = instruction;
            for (const llvm::Value* operand : instruction->operands()) work.push_back(operand);
        }
        return first;
    }
    bool needs(const llvm::Value* value, const llvm::Instruction* what) const {
        llvm::SmallVector<const llvm::Value*, 16> work{value};
        std::set<const llvm::Value*> seen;
        while (!work.empty()) {
            auto* instruction = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
            if (instruction == what) return true;
            if (instruction == nullptr || instruction->getParent() != &block_ || !seen.insert(instruction).second)
                continue;
            for (const llvm::Value* operand : instruction->operands()) work.push_back(operand);
        }
        return false;
    }
    // The last store of what is made of the combine's result by casts alone; the combine itself where none is.
    int last_use(const llvm::Instruction* combine) const {
        int last = of(combine);
        for (const llvm::User* user : combine->users()) {
            auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
            if (instruction == nullptr || instruction->getParent() != &block_) continue;
            if (llvm::isa<llvm::StoreInst>(instruction))
                last = std::max(last, of(instruction));
            else if (llvm::isa<llvm::CastInst>(instruction))
                last = std::max(last, last_use(instruction));
        }
        return last;
    }

  private:
    const llvm::BasicBlock& block_;
    llvm::DenseMap<const llvm::Instruction*, int> position_;
};

// a + b + c on one line: the later combine takes the earlier's result and something that does not need it.
bool continues(const Combine& combine, const Combine& before, const BlockOrder& order) {
    const llvm::DILocation *here = combine.at->getDebugLoc().get(), *there = before.at->getDebugLoc().get();
    if (here == nullptr || there == nullptr || here->getLine() != there->getLine() ||
        here->getInlinedAt() != there->getInlinedAt())
        return false;
    int through = 0;
    for (const llvm::Value* operand : combine.operands) through += order.needs(operand, before.anchor) ? 1 : 0;
    return through > 0 && through < static_cast<int>(combine.operands.size());
}

} // namespace

std::vector<Plan::Statement> statements_in(const llvm::BasicBlock& block, const std::vector<const Combine*>& steps) {
    std::vector<const Combine*> mine;
    for (const Combine* step : steps)
        if (step->anchor->getParent() == &block) mine.push_back(step);
    if (mine.empty()) return {};
    const BlockOrder order(block);
    std::stable_sort(mine.begin(), mine.end(),
                     [&](const Combine* a, const Combine* b) { return order.of(a->anchor) < order.of(b->anchor); });
    std::vector<Plan::Statement> made;
    int after = -1;
    const Combine* before = nullptr;
    for (const Combine* step : mine) {
        const bool same_choice = before != nullptr && before->anchor == step->anchor; // several fields of one struct
        if (!same_choice && (before == nullptr || !continues(*step, *before, order))) {
            const llvm::Instruction* begin = order.first_needed(step->operands, after);
            made.push_back({begin == nullptr ? step->anchor : begin, step->at});
        }
        after = std::max(after, order.last_use(step->anchor));
        before = step;
    }
    return made;
}

} // namespace warptree::compile::lowering
