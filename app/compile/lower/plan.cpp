// Which loops and statements of a function are the steps of a tree, for one Context.
#include "app/compile/lower/combines.hpp"
#include "app/compile/lower/known.hpp"

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

bool Combines::synchronises(const llvm::Loop& loop) {
    const auto [at, added] = synchronises_.try_emplace(&loop, false);
    if (!added) return at->second;
    for (const llvm::BasicBlock* block : loop.blocks())
        for (const llvm::Instruction& instruction : *block) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr) continue;
            const llvm::Function* callee = callee_of(*call);
            at->second |= lowering::synchronises(*call) || (callee != nullptr && facts_.at(callee)->synchronises);
        }
    return at->second;
}

// The loop whose iterations the source declares as steps, else the innermost loop in which lanes synchronise or
// exchange values; the outermost, if none does.
const llvm::Loop* Combines::stage_loop(const llvm::Loop* innermost) {
    const llvm::Loop* outermost = nullptr;
    for (const llvm::Loop* loop = innermost; loop != nullptr; loop = loop->getParentLoop())
        if (names_steps_(*loop)) return loop;
    for (const llvm::Loop* loop = innermost; loop != nullptr; loop = loop->getParentLoop()) {
        if (synchronises(*loop)) return loop;
        outermost = loop;
    }
    return outermost;
}

Plan Combines::plan(llvm::Function* function, const Context& context) {
    FunctionFacts& facts = *facts_.at(function);
    Plan plan;
    llvm::DenseMap<const llvm::BasicBlock*, std::vector<const Combine*>> unrolled;
    for (const Combine& combine : facts.combines) {
        if (!combine.origin.is(context.staged)) continue;
        plan.steps.insert(combine.at);
        if (const llvm::Loop* loop = stage_loop(combine.loop))
            plan.stage_loops.insert(loop);
        else if (!context.in_stage_loop)
            unrolled[combine.anchor->getParent()].push_back(&combine);
    }
    for (const CallSite& site : facts.calls) {
        Context made = called(site, context, nullptr);
        if (escapes(site.callee, made.staged)) {
            const llvm::Loop* loop = stage_loop(site.loop);
            if (loop != nullptr) plan.stage_loops.insert(loop);
            made = called(site, context, loop);
        } else {
            made.in_stage_loop = false;
        }
        plan.calls[site.call] = made;
    }
    for (const llvm::BasicBlock* block : facts.flow.blocks) {
        const auto steps = unrolled.find(block);
        if (steps == unrolled.end()) continue;
        const std::vector<Plan::Statement> found = statements_in(*block, steps->second, [&](const llvm::Value* value) {
            return origin(value, nullptr, facts).is(context.staged);
        });
        plan.statements.insert(plan.statements.end(), found.begin(), found.end());
    }
    const bool in_kernel = std::any_of(reach_.kernels().begin(), reach_.kernels().end(),
                                       [&](const Reach::Kernel& kernel) { return kernel.function == function; });
    name_statements(plan.statements, in_kernel);
    return plan;
}

} // namespace warptree::compile::lowering
