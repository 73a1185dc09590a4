#include "app/compile/lower/flow.hpp"

#include "app/compile/program/program.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace warptree::compile::lowering {

llvm::BasicBlock* only_successor(const llvm::BranchInst& branch) {
    if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) return branch.getSuccessor(0);
    auto* condition = llvm::dyn_cast<llvm::Constant>(branch.getCondition());
    if (condition == nullptr) return nullptr;
    return branch.getSuccessor(condition->isOneValue() ? 0 : 1);
}

Flow::Flow(llvm::Function& function) : dominators(function), loops(dominators) {
    // Reverse post-order, the true side of a branch first: roughly source order.
    std::vector<std::pair<llvm::BasicBlock*, unsigned>> path{{&function.getEntryBlock(), 0}};
    llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen{&function.getEntryBlock()};
    while (!path.empty()) {
        auto& [block, done] = path.back();
        const llvm::Instruction* last = block->getTerminator();
        if (done == last->getNumSuccessors()) {
            blocks.push_back(block);
            path.pop_back();
        } else if (llvm::BasicBlock* next = last->getSuccessor(last->getNumSuccessors() - ++done);
                   seen.insert(next).second) {
            path.emplace_back(next, 0);
        }
    }
    std::reverse(blocks.begin(), blocks.end());
    for (llvm::BasicBlock* block : blocks) number[block] = static_cast<std::uint32_t>(number.size());
    find_meets();
}

const llvm::BranchInst* Flow::branch_joined_by(const llvm::BasicBlock* block) const {
    const auto* node = dominators.getNode(block);
    if (node == nullptr || node->getIDom() == nullptr || loops.isLoopHeader(block)) return nullptr;
    const llvm::BasicBlock* above = node->getIDom()->getBlock();
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (branch == nullptr || only_successor(*branch) != nullptr) return nullptr;
    return reconverge[number.lookup(above)] == number.lookup(block) && llvm::pred_size(block) == 2 ? branch : nullptr;
}

namespace {

// Immediate post-dominators among a subset of the blocks, by the iterative algorithm of Cooper, Harvey and Kennedy on
// the reversed graph. The last number is the exit.
class PostDominators {
  public:
    PostDominators(const Flow& flow, const std::vector<bool>& among, const std::vector<bool>& exits)
        : exit_(static_cast<std::uint32_t>(flow.blocks.size())), order_(exit_ + 1, kNone), above_(exit_ + 1, kNone) {
        std::vector<std::vector<std::uint32_t>> before(exit_ + 1), after(exit_ + 1);
        for (std::uint32_t b = 0; b < exit_; ++b) {
            if (!among[b]) continue;
            for (const llvm::BasicBlock* next : llvm::successors(flow.blocks[b]))
                if (const std::uint32_t n = flow.number.lookup(next); among[n]) {
                    after[b].push_back(n);
                    before[n].push_back(b);
                }
            if (exits[b]) {
                after[b].push_back(exit_);
                before[exit_].push_back(b);
            }
        }
        // Post-order of the reversed graph from the exit.
        std::vector<std::uint32_t> post;
        std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit_, 0}};
        std::vector<bool> seen(exit_ + 1, false);
        seen[exit_] = true;
        while (!stack.empty()) {
            auto& [block, next] = stack.back();
            if (next < before[block].size()) {
                const std::uint32_t to = before[block][next++];
                if (seen[to]) continue;
                seen[to] = true;
                stack.emplace_back(to, 0);
            } else {
                order_[block] = static_cast<std::uint32_t>(post.size());
                post.push_back(block);
                stack.pop_back();
            }
        }
        above_[exit_] = exit_;
        for (bool changed = true; changed;) {
            changed = false;
            for (auto at = post.rbegin() + 1; at != post.rend(); ++at) {
                std::uint32_t found = kNone;
                for (const std::uint32_t next : after[*at])
                    if (above_[next] != kNone) found = found == kNone ? next : common(found, next);
                changed |= above_[*at] != found;
                above_[*at] = found;
            }
        }
    }

    // kNone: the exit.
    std::uint32_t of(std::uint32_t block) const { return above_[block] == exit_ ? kNone : above_[block]; }

  private:
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
        while (a != b) {
            while (order_[a] < order_[b]) a = above_[a];
            while (order_[b] < order_[a]) b = above_[b];
        }
        return a;
    }

    std::uint32_t exit_;
    std::vector<std::uint32_t> order_, above_;
};

} // namespace

// Paths that never return (a failed assertion, a trap) are left out, so that lanes reconverge after an assert as they
// would without it. Lanes on such a path reconverge at post-dominators within it.
void Flow::find_meets() {
    const std::size_t count = blocks.size();
    std::vector<bool> returning(count, false), lost(count, false), returns(count, false), ends(count, false);
    std::vector<std::uint32_t> work;
    for (std::uint32_t b = 0; b < count; ++b) {
        const llvm::Instruction* last = blocks[b]->getTerminator();
        returns[b] = llvm::isa<llvm::ReturnInst>(last);
        ends[b] = last->getNumSuccessors() == 0;
        if (!returns[b]) continue;
        returning[b] = true;
        work.push_back(b);
    }
    while (!work.empty()) {
        const llvm::BasicBlock* block = blocks[work.back()];
        work.pop_back();
        for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
            const auto at = number.find(before);
            if (at == number.end() || returning[at->second]) continue;
            returning[at->second] = true;
            work.push_back(at->second);
        }
    }
    bool any_lost = false;
    for (std::uint32_t b = 0; b < count; ++b) any_lost |= lost[b] = !returning[b];
    reconverge.assign(count, kNone);
    const PostDominators main(*this, returning, returns);
    for (std::uint32_t b = 0; b < count; ++b)
        if (returning[b]) reconverge[b] = main.of(b);
    if (!any_lost) return;
    const PostDominators rest(*this, lost, ends);
    for (std::uint32_t b = 0; b < count; ++b)
        if (lost[b]) reconverge[b] = rest.of(b);
}

} // namespace warptree::compile::lowering
