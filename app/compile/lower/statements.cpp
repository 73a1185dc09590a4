// Hand-unrolled steps: where each begins, and what distinguishes it from the others.
#include "app/compile/lower/combines.hpp"
#include "app/compile/lower/known.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>

namespace warptree::compile::lowering {

namespace {

// Positions in a block, and which earlier instructions an instruction depends on.
class BlockOrder {
  public:
    explicit BlockOrder(const llvm::BasicBlock& block) : block_(block) {
        int next = 0;
        for (const llvm::Instruction& instruction : block) position_[&instruction] = next++;
    }
    int of(const llvm::Instruction* instruction) const { return position_.lookup(instruction); }

    // The first instruction after position `after` that produces these values from shared memory or another lane: loads
    // and shuffles, conversions of their results, and the address arithmetic on the same source line.
    const llvm::Instruction* first_needed(llvm::ArrayRef<const llvm::Value*> values, int after, Staged staged) const {
        struct Work {
            const llvm::Value* value;
            unsigned line; // of the access whose address this is; 0: a value
        };
        const llvm::Instruction* first = nullptr;
        llvm::SmallVector<Work, 16> work;
        for (const llvm::Value* value : values) work.push_back({value, 0});
        std::set<const llvm::Value*> seen;
        while (!work.empty()) {
            const auto [value, line] = work.pop_back_val();
            auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
            if (instruction == nullptr || instruction->getParent() != &block_ ||
                llvm::isa<llvm::PHINode>(instruction) || of(instruction) <= after ||
                (line == 0 ? !staged(value) : line_of(*instruction) != line) || !seen.insert(instruction).second)
                continue;
            if (first == nullptr || of(instruction) < of(first)) first = instruction;
            const bool brings = llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::CallBase>(instruction);
            for (const llvm::Value* operand : instruction->operands()) {
                work.push_back({operand, line != 0 ? line : brings ? line_of(*instruction) : 0});
                if (line == 0 && brings && !operand->getType()->isPointerTy()) work.push_back({operand, 0});
            }
        }
        return first;
    }
    // The position of the last block barrier before `end`; -1: none.
    int last_barrier_before(const llvm::Instruction* end) const {
        int last = -1;
        for (const llvm::Instruction& instruction : block_) {
            if (&instruction == end) break;
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call != nullptr && is_block_barrier(*call)) last = of(call);
        }
        return last;
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
    // The position of the last store of the combine's result, also through casts; without one, of the combine itself.
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
    static unsigned line_of(const llvm::Instruction& instruction) {
        return instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
    }
    const llvm::BasicBlock& block_;
    llvm::DenseMap<const llvm::Instruction*, int> position_;
};

// a + b + c on one line: the later combine takes the earlier one's result and an operand that does not depend on it.
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

std::vector<Plan::Statement> statements_in(const llvm::BasicBlock& block, std::vector<const Combine*> steps,
                                           Staged staged) {
    const BlockOrder order(block);
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const Combine* a, const Combine* b) { return order.of(a->anchor) < order.of(b->anchor); });
    std::vector<Plan::Statement> made;
    int after = -1;
    const Combine* before = nullptr;
    for (const Combine* step : steps) {
        const bool same_choice = before != nullptr && before->anchor == step->anchor; // several fields of one struct
        if (!same_choice && (before == nullptr || !continues(*step, *before, order))) {
            const int from = std::max(after, order.last_barrier_before(step->anchor));
            const llvm::Instruction* begin = order.first_needed(step->operands, from, staged);
            made.push_back({begin == nullptr ? step->anchor : begin, step->at});
        }
        after = std::max(after, order.last_use(step->anchor));
        before = step;
    }
    return made;
}

namespace {

// The first integer among a function's template arguments.
const llvm::DITemplateValueParameter* integer_argument(const llvm::DISubprogram& function) {
    for (const llvm::DITemplateParameter* parameter : function.getTemplateParams()) {
        auto* value = llvm::dyn_cast_or_null<llvm::DITemplateValueParameter>(parameter);
        if (value == nullptr || !llvm::isa_and_nonnull<llvm::ConstantAsMetadata>(value->getValue())) continue;
        const ValueType type = value_type(value->getType());
        if (type != ValueType::none && type != ValueType::boolean && !is_floating(type) && type != ValueType::pointer)
            return value;
    }
    return nullptr;
}

// A function's text, inlined at one call.
using Text = std::pair<const llvm::DISubprogram*, const llvm::DILocation*>;

} // namespace

void name_statements(std::vector<Plan::Statement>& statements, bool in_kernel) {
    std::map<Text, std::set<unsigned>> lines;
    std::vector<Text> texts;
    for (Plan::Statement& statement : statements) {
        const llvm::DILocation* location = statement.combine->getDebugLoc().get();
        Text& text = texts.emplace_back();
        for (; location != nullptr; location = location->getInlinedAt()) {
            const llvm::DISubprogram* function = location->getScope()->getSubprogram();
            const auto* argument = function == nullptr ? nullptr : integer_argument(*function);
            if (argument == nullptr || (in_kernel && location->getInlinedAt() == nullptr)) continue;
            const auto* value = llvm::dyn_cast<llvm::ConstantInt>(
                llvm::cast<llvm::ConstantAsMetadata>(argument->getValue())->getValue());
            if (value == nullptr || value->getBitWidth() > 64) break;
            statement.parameter = argument->getName().str();
            statement.value = is_signed(value_type(argument->getType()))
                                  ? value->getSExtValue()
                                  : static_cast<std::int64_t>(value->getZExtValue());
            text = {function, location->getInlinedAt()};
            lines[text].insert(location->getLine());
            break;
        }
    }
    // An argument that several lines of a text share does not distinguish them: reduce<512> with six lines.
    for (std::size_t i = 0; i < statements.size(); ++i)
        if (texts[i].first != nullptr && lines[texts[i]].size() > 1) statements[i].parameter.clear();
}

} // namespace warptree::compile::lowering
