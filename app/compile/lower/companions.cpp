#include "app/compile/lower/companions.hpp"

#include "app/compile/lower/clean_up_rewrites.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <map>
#include <optional>

namespace warptree::compile::lowering {

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

// Whether both are the same computation on the same values.
bool same(const llvm::Value* a, const llvm::Value* b, int depth) {
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

bool same_address(const llvm::Value* a, const llvm::Value* b) {
    if (same(a, b)) return true;
    auto *x = llvm::dyn_cast<llvm::Instruction>(a), *y = llvm::dyn_cast<llvm::Instruction>(b);
    const llvm::Instruction* inside = x != nullptr ? x : y;
    if (inside == nullptr) return false;
    const llvm::DataLayout& layout = inside->getModule()->getDataLayout();
    struct Parts {
        llvm::MapVector<llvm::Value*, llvm::APInt> variables;
        llvm::APInt constant{64, 0};
        const llvm::Value* base = nullptr;
    };
    const auto parts = [&](const llvm::Value* pointer) {
        Parts found;
        while (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
            if (!gep->collectOffset(layout, 64, found.variables, found.constant)) return Parts{};
            pointer = gep->getPointerOperand();
        }
        found.base = pointer;
        return found;
    };
    const Parts first = parts(a), second = parts(b);
    if (first.base == nullptr || second.base == nullptr || first.constant != second.constant ||
        first.variables.size() != second.variables.size() || !same(first.base, second.base))
        return false;
    return std::all_of(first.variables.begin(), first.variables.end(), [&](const auto& index) {
        return std::any_of(second.variables.begin(), second.variables.end(), [&](const auto& other) {
            return index.second == other.second && same(index.first, other.first);
        });
    });
}

const llvm::StoreInst* only_store(const llvm::BasicBlock& block, const llvm::Value* address) {
    const llvm::StoreInst* found = nullptr;
    for (const llvm::Instruction& instruction : block) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store == nullptr || (address != nullptr && !same_address(store->getPointerOperand(), address))) continue;
        if (found != nullptr) return nullptr;
        found = store;
    }
    return found;
}

namespace {

const llvm::Value* without_casts(const llvm::Value* value) {
    while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
    return value;
}

// Whether both are one value, or loaded from one address.
bool alike(const llvm::Value* a, const llvm::Value* b) {
    a = without_casts(a);
    b = without_casts(b);
    if (a == b) return true;
    auto *x = llvm::dyn_cast<llvm::LoadInst>(a), *y = llvm::dyn_cast<llvm::LoadInst>(b);
    return x != nullptr && y != nullptr && x->getType() == y->getType() &&
           same_address(x->getPointerOperand(), y->getPointerOperand());
}

// The comparisons by order in a condition: in b > a || (b == a && j < i) two.
void orderings(const llvm::Value* condition, llvm::SmallVectorImpl<const llvm::CmpInst*>& found, int depth = 6) {
    using namespace llvm::PatternMatch;
    condition = without_bool(condition);
    if (auto* comparison = llvm::dyn_cast<llvm::CmpInst>(condition)) {
        if (!comparison->getType()->isVectorTy() && orders(comparison->getPredicate())) found.push_back(comparison);
        return;
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(condition);
    if (instruction == nullptr || depth == 0 || !instruction->getType()->isIntOrIntVectorTy(1)) return;
    auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
    const int below = phi == nullptr ? depth - 1 : std::max(0, depth - 2); // a phi has two ways on for each value
    if (phi != nullptr && phi->getNumIncomingValues() <= 4)
        for (const llvm::BasicBlock* from : phi->blocks()) // flag = a || b: true where a branched here
            if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
                branch != nullptr && branch->isConditional() &&
                llvm::isa<llvm::Constant>(phi->getIncomingValueForBlock(from)))
                orderings(branch->getCondition(), found, below);
    if (llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::SelectInst>(instruction) ||
        (phi != nullptr && phi->getNumIncomingValues() <= 4))
        for (const llvm::Value* operand : instruction->operands()) orderings(operand, found, below);
}

// Which operand of the comparison is passed on where `taken` is chosen over `left`; nullopt: these are not its operands.
std::optional<unsigned> taken_operand(const llvm::CmpInst& comparison, const llvm::Value* taken,
                                      const llvm::Value* left) {
    for (unsigned k = 0; k < 2; ++k)
        if (alike(comparison.getOperand(k), taken) && alike(comparison.getOperand(1 - k), left)) return k;
    return std::nullopt;
}

class Finder {
  public:
    explicit Finder(const Flow& flow) : flow_(flow) {}

    std::vector<Companions> all() {
        for (const llvm::BasicBlock* block : flow_.blocks) {
            selects(*block);
            if (!flow_.loops.isLoopHeader(block)) phis(*block);
            stores(*block);
        }
        for (const llvm::BasicBlock* block : flow_.blocks) elsewhere(*block);
        return std::move(found_);
    }

  private:
    // int j = flag ? b : a, by the comparison that chooses elsewhere.
    void elsewhere(const llvm::BasicBlock& block) {
        const llvm::BranchInst* branch = flow_.branch_joined_by(&block);
        if (branch == nullptr) return;
        const llvm::Value* condition = without_bool(branch->getCondition());
        const auto all = std::find_if(found_.begin(), found_.end(), [&](const Companions& c) {
            return c.comparison == condition && !c.chosen.empty();
        });
        if (all == found_.end()) return;
        for (const llvm::PHINode& phi : block.phis())
            if (!phi.getType()->isPointerTy() && !phi.getType()->isIntegerTy(1) &&
                !llvm::is_contained(all->chosen, &phi) && !llvm::is_contained(all->followers, &phi))
                all->followers.push_back(&phi);
    }

    // Selects by one condition.
    void selects(const llvm::BasicBlock& block) {
        std::map<const llvm::Value*, std::vector<const llvm::SelectInst*>> by_condition;
        std::vector<const llvm::Value*> order;
        for (const llvm::Instruction& instruction : block)
            if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
                select != nullptr && !select->getType()->isIntegerTy(1)) {
                const llvm::Value* condition = without_bool(select->getCondition());
                auto& list = by_condition[condition];
                if (list.empty()) order.push_back(condition);
                list.push_back(select);
            }
        for (const llvm::Value* condition : order) {
            llvm::SmallVector<const llvm::CmpInst*, 4> comparisons;
            orderings(condition, comparisons);
            for (const llvm::CmpInst* comparison : comparisons) {
                Companions all;
                all.comparison = comparison;
                for (const llvm::SelectInst* select : by_condition[condition]) {
                    const auto taken = taken_operand(*comparison, select->getTrueValue(), select->getFalseValue());
                    sort_in(all, select, taken, *comparison);
                }
                if (keep(std::move(all))) break;
            }
        }
    }

    // Values that differ by the way on which a block was reached.
    void phis(const llvm::BasicBlock& block) {
        const auto* node = flow_.dominators.getNode(&block);
        if (block.phis().empty() || node == nullptr || node->getIDom() == nullptr) return;
        const llvm::BasicBlock* above = node->getIDom()->getBlock();
        for (const llvm::BasicBlock* between : flow_.blocks) {
            if (!flow_.dominators.dominates(above, between) || flow_.dominators.dominates(&block, between)) continue;
            auto* branch = llvm::dyn_cast<llvm::BranchInst>(between->getTerminator());
            if (branch == nullptr || only_successor(*branch) != nullptr) continue;
            llvm::SmallVector<const llvm::CmpInst*, 4> comparisons;
            orderings(branch->getCondition(), comparisons);
            for (const llvm::CmpInst* comparison : comparisons)
                if (phis_by(block, *comparison)) return;
        }
    }

    bool phis_by(const llvm::BasicBlock& block, const llvm::CmpInst& comparison) {
        Companions all;
        all.comparison = &comparison;
        const llvm::PHINode* decisive = nullptr;
        std::vector<bool> first; // by predecessor: whether the decisive phi passes the first operand on
        for (const llvm::PHINode& phi : block.phis()) {
            std::vector<bool> sides;
            for (const llvm::Value* value : phi.incoming_values()) {
                const bool is_first = alike(value, comparison.getOperand(0));
                if (!is_first && !alike(value, comparison.getOperand(1))) break;
                sides.push_back(is_first);
            }
            if (sides.size() != phi.getNumIncomingValues() || std::count(sides.begin(), sides.end(), true) == 0 ||
                std::count(sides.begin(), sides.end(), false) == 0)
                continue;
            all.chosen.push_back(&phi);
            decisive = decisive != nullptr ? decisive : &phi;
            first = decisive == &phi ? sides : first;
        }
        if (decisive == nullptr) return false;
        // What is passed on where the comparison holds comes by a block that only its true side reaches.
        const llvm::BasicBlock* from = nullptr;
        for (const llvm::User* user : comparison.users())
            if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(user)) from = branch->getSuccessor(0);
        bool greatest = holds_when_greater(comparison.getPredicate());
        for (unsigned k = 0; k < decisive->getNumIncomingValues(); ++k)
            if (decisive->getIncomingBlock(k) == from) greatest = greatest == first[k];
        all.greatest = greatest;
        for (const llvm::PHINode& phi : block.phis()) {
            if (phi.getType()->isPointerTy() || phi.getType()->isIntegerTy(1) ||
                std::find(all.chosen.begin(), all.chosen.end(), &phi) != all.chosen.end())
                continue;
            const llvm::Value* values[2] = {};
            bool fits = true;
            for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
                const int at = decisive->getBasicBlockIndex(phi.getIncomingBlock(k));
                if (at < 0) return false;
                const llvm::Value*& side = values[first[static_cast<unsigned>(at)] ? 0 : 1];
                fits &= side == nullptr || side == phi.getIncomingValue(k);
                side = phi.getIncomingValue(k);
            }
            if (fits && values[0] != values[1]) all.followers.push_back(&phi);
        }
        return keep(std::move(all));
    }

    static bool writes(const llvm::BasicBlock& block) {
        return std::any_of(block.begin(), block.end(), [](const llvm::Instruction& i) { return i.mayWriteToMemory(); });
    }

    // What lies between a first block, `side`, and `join`, where they meet.
    struct Paths {
        llvm::SmallVector<const llvm::BranchInst*, 6> branches; // that lead to the side, past it, or to the others
        llvm::SmallVector<const llvm::BasicBlock*, 2> others;   // with stores instead of the side's
    };
    // None: something else is between.
    Paths paths_to(const llvm::BasicBlock* first, const llvm::BasicBlock& side, const llvm::BasicBlock& join) const {
        constexpr std::size_t kMost = 6;
        Paths found;
        llvm::SmallVector<const llvm::BasicBlock*, 6> blocks{first};
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            if (const llvm::BasicBlock* next = blocks[k]->getSingleSuccessor();
                k != 0 && next != nullptr && skips_to(next, join)) {
                found.others.push_back(blocks[k]);
                continue;
            }
            auto* branch = llvm::dyn_cast<llvm::BranchInst>(blocks[k]->getTerminator());
            if (branch == nullptr || only_successor(*branch) != nullptr || k == kMost) return {};
            if (k != 0 && writes(*blocks[k])) return {};
            found.branches.push_back(branch);
            for (const llvm::BasicBlock* next : branch->successors()) {
                if (next == &side || skips_to(next, join) || llvm::is_contained(blocks, next)) continue;
                if (!flow_.dominators.dominates(first, next) || flow_.loops.isLoopHeader(next)) return {};
                blocks.push_back(next);
            }
        }
        return found;
    }

    // if (b > a || (b == a && j < i)) { *p = b; *q = j; }, where a was loaded through p: one or several branches lead to the stores and
    // past them.
    void stores(const llvm::BasicBlock& side) {
        const llvm::BasicBlock* join = side.getSingleSuccessor();
        const auto* node = flow_.dominators.getNode(&side);
        if (join == nullptr || node == nullptr || node->getIDom() == nullptr || flow_.loops.isLoopHeader(&side)) return;
        const llvm::BasicBlock* first = node->getIDom()->getBlock();
        const llvm::BasicBlock* above = nullptr;
        while (!writes(*first) && (above = before_that_skips(*first, *join)) != nullptr) first = above;
        const Paths paths = paths_to(first, side, *join);
        for (const llvm::BranchInst* branch : paths.branches) {
            const llvm::BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
            const bool holds = yes == &side || skips_to(no, *join);
            if (!holds && no != &side && !skips_to(yes, *join)) continue;
            llvm::SmallVector<const llvm::CmpInst*, 4> comparisons;
            orderings(branch->getCondition(), comparisons);
            for (const llvm::CmpInst* comparison : comparisons)
                if (stores_by(side, *join, paths, *comparison, holds)) return;
        }
    }

    bool stores_by(const llvm::BasicBlock& side, const llvm::BasicBlock& join, const Paths& paths,
                   const llvm::CmpInst& comparison, bool holds) {
        Companions all;
        all.comparison = flow_.dominators.dominates(comparison.getParent(), &side)
                             ? &comparison
                             : of_the_same(paths.branches, side, comparison);
        if (all.comparison == nullptr) return false;
        for (const llvm::Instruction& instruction : side) {
            auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
            if (store == nullptr) continue;
            const llvm::Value* value = store->getValueOperand();
            bool compared = false;
            for (unsigned k = 0; k < 2; ++k) {
                if (!alike(value, comparison.getOperand(k))) continue;
                compared = true;
                for (const llvm::Value* operand : all.comparison->operands()) {
                    auto* kept = llvm::dyn_cast<llvm::LoadInst>(without_casts(operand));
                    if (kept == nullptr || !alike(operand, comparison.getOperand(1 - k)) ||
                        !same_address(kept->getPointerOperand(), store->getPointerOperand()))
                        continue;
                    all.chosen.push_back(store);
                    all.replaced = kept->getPointerOperand();
                    all.greatest = ((k == 0) == holds_when_greater(comparison.getPredicate())) == holds;
                }
            }
            auto* address = llvm::dyn_cast<llvm::Instruction>(store->getPointerOperand());
            const bool known =
                address == nullptr || flow_.dominators.dominates(address, all.comparison->getParent()->getTerminator());
            if (!compared && known && !value->getType()->isPointerTy()) all.followers.push_back(store);
        }
        if (all.chosen.size() != 1) return false;
        const auto past = [&](const llvm::BasicBlock* from, const llvm::BasicBlock* to,
                              const llvm::Instruction* store) {
            if (flow_.dominators.dominates(all.comparison->getParent(), from))
                all.kept.push_back({from, to, llvm::cast<llvm::StoreInst>(store)});
        };
        auto stores = all.followers;
        stores.push_back(all.chosen.front());
        for (const llvm::Instruction* store : stores) {
            for (const llvm::BranchInst* branch : paths.branches)
                for (const llvm::BasicBlock* next : branch->successors())
                    if (skips_to(next, join)) past(branch->getParent(), next, store);
            for (const llvm::BasicBlock* other : paths.others) {
                const llvm::StoreInst* instead =
                    only_store(*other, llvm::cast<llvm::StoreInst>(store)->getPointerOperand());
                if (instead == nullptr)
                    past(other, other->getSingleSuccessor(), store);
                else if (store == all.chosen.front())
                    return false;
                else // else if (b == a && j < i) *q = j;
                    all.followers.push_back(instead);
            }
        }
        found_.push_back(std::move(all));
        return true;
    }

    const llvm::CmpInst* of_the_same(llvm::ArrayRef<const llvm::BranchInst*> branches, const llvm::BasicBlock& side,
                                     const llvm::CmpInst& other) const {
        for (const llvm::BranchInst* branch : branches)
            if (flow_.dominators.dominates(branch->getParent(), &side))
                if (const llvm::CmpInst* found = of_the_same(branch->getCondition(), other)) return found;
        return nullptr;
    }
    // A comparison in the condition, of whatever kind, of the values that the other one compares.
    static const llvm::CmpInst* of_the_same(const llvm::Value* condition, const llvm::CmpInst& other, int depth = 4) {
        condition = without_bool(condition);
        if (auto* comparison = llvm::dyn_cast<llvm::CmpInst>(condition))
            return taken_operand(*comparison, other.getOperand(0), other.getOperand(1)) ? comparison : nullptr;
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(condition);
        if (instruction == nullptr || depth == 0 || !instruction->getType()->isIntegerTy(1)) return nullptr;
        for (const llvm::Value* operand : instruction->operands())
            if (const llvm::CmpInst* found = of_the_same(operand, other, depth - 1)) return found;
        return nullptr;
    }

    static void sort_in(Companions& all, const llvm::SelectInst* select, std::optional<unsigned> taken,
                        const llvm::CmpInst& comparison) {
        if (taken) {
            all.chosen.push_back(select);
            all.greatest = (*taken == 0) == holds_when_greater(comparison.getPredicate());
        } else if (!select->getType()->isPointerTy()) {
            all.followers.push_back(select);
        }
    }
    bool keep(Companions all) {
        if (all.chosen.empty()) return false;
        found_.push_back(std::move(all));
        return true;
    }

    const Flow& flow_;
    std::vector<Companions> found_;
};

} // namespace

std::vector<Companions> companions_in(const Flow& flow) { return Finder(flow).all(); }

} // namespace warptree::compile::lowering
