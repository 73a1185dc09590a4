#include "app/compile/lower/function.hpp"

#include "app/compile/client/compiler.hpp"
#include "app/compile/lower/address.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/loops.hpp"
#include "app/compile/lower/numbers.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

namespace warptree::compile::lowering {

namespace {

struct PendingEdge {
    std::uint32_t edge = 0; // of Program::edges
    const llvm::BasicBlock *from = nullptr, *to = nullptr;
};

class FunctionLowering {
  public:
    FunctionLowering(Unit& unit, const Unit::Wanted& wanted, std::uint32_t number)
        : body_(unit, *wanted.function, number, unit.combines.plan(wanted.function, wanted.context)),
          flow_(body_.facts.flow), variables_(*wanted.function), first_edge_(count(unit.program.edges)),
          first_loop_(count(unit.program.loops)) {}

    void run() {
        describe();
        parameters();
        results();
        for (const llvm::BasicBlock* block : flow_.blocks)
            for (const llvm::PHINode& phi : block->phis()) body_.define(&phi);
        for (const llvm::BasicBlock* block : flow_.blocks) lower_block(*block);
        const LoopTable loops(body_, body_.facts, body_.plan, variables_);
        for (std::size_t b = 0; b < flow_.blocks.size(); ++b)
            body_.code.blocks[b].loop = loops.innermost(flow_.blocks[b]);
        for (const PendingEdge& edge : edges_) finish(edge, loops);
        add_statements();
        compact(body_.program, body_.code, first_edge_, first_loop_);
        body_.program.functions[body_.number] = std::move(body_.code);
    }

  private:
    template <class T> static std::uint32_t count(const std::vector<T>& table) {
        return static_cast<std::uint32_t>(table.size());
    }
    void describe();
    void parameters();
    void results();
    void own_copy(const llvm::Argument& argument);
    void lower_block(const llvm::BasicBlock& block);
    void lower_instruction(const llvm::Instruction& instruction);
    void lower_terminator(const llvm::Instruction& terminator);
    void lower_switch(const llvm::SwitchInst& it);
    void lower_return(const llvm::ReturnInst& it);
    std::uint32_t edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to);
    void finish(const PendingEdge& pending, const LoopTable& loops);
    void add_moves(const PendingEdge& pending);
    void add_statements();
    void locate(const llvm::Instruction& instruction);

    Body body_;
    const Flow& flow_;
    Variables variables_;
    std::uint32_t first_edge_, first_loop_;
    std::vector<PendingEdge> edges_;
    llvm::DenseMap<const llvm::Instruction*, std::uint32_t> emitted_from_; // index in the code
    bool one_return_ = false;
};

void FunctionLowering::describe() {
    body_.code.name = source_name(body_.function);
    if (const llvm::DISubprogram* debug = body_.function.getSubprogram())
        body_.code.location = body_.unit.locations.of(debug->getFile(), debug->getLine());
}

// Whether a struct passed by the caller may be modified here, or its address escapes.
bool may_change(const llvm::Value& pointer) {
    for (const llvm::User* user : pointer.users()) {
        if (llvm::isa<llvm::LoadInst>(user) || llvm::isa<llvm::CmpInst>(user)) continue;
        if (llvm::isa<llvm::GetElementPtrInst>(user) || llvm::isa<llvm::AddrSpaceCastInst>(user) ||
            llvm::isa<llvm::PHINode>(user) || llvm::isa<llvm::SelectInst>(user)) {
            if (!llvm::isa<llvm::PHINode>(user) && may_change(*user)) return true;
            if (!llvm::isa<llvm::PHINode>(user)) continue;
            for (const llvm::User* next : user->users())
                if (!llvm::isa<llvm::LoadInst>(next) && !llvm::isa<llvm::GetElementPtrInst>(next)) return true;
            continue;
        }
        if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user); copy != nullptr && copy->getRawDest() != &pointer)
            continue;
        return true;
    }
    return false;
}

void FunctionLowering::parameters() {
    for (const llvm::Argument& argument : body_.function.args()) {
        body_.define(&argument);
        for (std::size_t i = 0; i < body_.count(&argument); ++i)
            body_.code.parameters.push_back(body_.of(&argument, i));
    }
    if (body_.function.getCallingConv() == llvm::CallingConv::PTX_Kernel) return;
    for (const Reach::Kernel& kernel : body_.unit.reach.kernels())
        if (kernel.function == &body_.function) return; // the machine copies them in
    for (const llvm::Argument& argument : body_.function.args())
        if (argument.hasByValAttr() && may_change(argument)) own_copy(argument);
}

void FunctionLowering::own_copy(const llvm::Argument& argument) {
    const std::uint64_t size = body_.unit.layout.getTypeAllocSize(argument.getParamByValType()).getFixedValue();
    const std::uint64_t offset = llvm::alignTo(body_.code.local_bytes, argument.getParamAlign().valueOrOne());
    if (offset + size > 0xFFFFFF) return body_.trap("more than 16 MB of local memory");
    body_.code.local_bytes = static_cast<std::uint32_t>(offset + size);
    const Register copy = body_.fresh(2), bytes = body_.constant(size, 2), theirs = body_.of(&argument);
    Instruction& address = body_.emit(Opcode::local_address);
    address.dst = copy.row;
    address.c = static_cast<std::uint32_t>(offset);
    Instruction& in = body_.emit(Opcode::copy_memory);
    in.dst = copy.row;
    in.a = theirs.row;
    in.c = bytes.row;
    body_.set(&argument, copy);
}

// With one return, results stay in the rows where they are computed; with several, they are moved to rows of their own.
void FunctionLowering::results() {
    llvm::Type* type = body_.function.getReturnType();
    if (type->isVoidTy()) return;
    int returns = 0;
    for (const llvm::BasicBlock* block : flow_.blocks)
        returns += llvm::isa<llvm::ReturnInst>(block->getTerminator()) ? 1 : 0;
    one_return_ = returns == 1;
    const std::vector<Scalar>& scalars = body_.unit.types.scalars(type);
    for (std::size_t i = 0; i < scalars.size(); ++i)
        body_.code.results.push_back(
            body_.fresh(rows_of(scalars[i].type), body_.unit.elements.returned(&body_.function, i)));
}

// Its own location, or that of the instruction before it in the block.
void FunctionLowering::locate(const llvm::Instruction& instruction) {
    body_.debug_location = instruction.getDebugLoc().get();
    const std::uint32_t own = body_.unit.locations.of(body_.debug_location);
    if (own != 0) body_.location = own;
}

void FunctionLowering::lower_block(const llvm::BasicBlock& block) {
    if (flow_.number.lookup(&block) != 0) body_.location = 0;
    for (const llvm::Instruction& instruction : block) { // none yet: the first one in the block
        if (body_.location != 0) break;
        body_.location = body_.unit.locations.of(instruction.getDebugLoc().get());
    }
    Block made{.first = count(body_.code.code), .reconverge = flow_.reconverge[flow_.number.lookup(&block)]};
    if (&block == flow_.blocks.front()) made.first = 0; // the copies of by-value arguments come first
    body_.ended = false;
    for (const llvm::Instruction& instruction : block) {
        if (body_.ended) break;
        if (llvm::isa<llvm::PHINode>(instruction)) continue;
        locate(instruction);
        variables_.watch(body_, instruction);
        emitted_from_[&instruction] = count(body_.code.code);
        if (instruction.isTerminator())
            lower_terminator(instruction);
        else
            lower_instruction(instruction);
    }
    made.count = count(body_.code.code) - made.first;
    body_.code.blocks.push_back(made);
}

// What an instruction that is not known is called: a function's name, or LLVM's word for it.
std::string shown(const llvm::Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    return callee == nullptr ? std::string(instruction.getOpcodeName()) : readable_name(*callee);
}

void FunctionLowering::lower_instruction(const llvm::Instruction& instruction) {
    const auto supported = [&](const llvm::Value* value) {
        if (value->getType()->isVoidTy() || !value->getType()->isFirstClassType()) return true;
        if (value->getType()->isLabelTy() || value->getType()->isMetadataTy() || value->getType()->isTokenTy())
            return true;
        for (const Scalar& scalar : body_.unit.types.scalars(value->getType()))
            if (!has_row(scalar.type)) return false;
        return true;
    };
    body_.maps = is_added_product(instruction);
    body_.places = is_place(instruction);
    body_.stage = body_.plan.steps.contains(&instruction) ? kStage : 0;
    body_.combine_type = source_type(body_, variables_, &instruction);
    bool known = supported(&instruction);
    for (const llvm::Value* operand : instruction.operands()) known &= supported(operand);
    if (!known)
        return body_.trap("integers of more than 64 bits are not supported by warptree (" + shown(instruction) + ")");
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        known = lower_call(body_, *call);
    else
        known = lower_arithmetic(body_, instruction) || lower_memory(body_, instruction) ||
                lower_atomic(body_, instruction);
    if (!known) body_.trap("not supported by warptree: " + shown(instruction));
}

std::uint32_t FunctionLowering::edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to) {
    const std::uint32_t index = Unit::add(body_.program.edges, Edge{.block = flow_.number.lookup(to)});
    edges_.push_back({index, from, to});
    return index;
}

void FunctionLowering::lower_terminator(const llvm::Instruction& terminator) {
    const llvm::BasicBlock* block = terminator.getParent();
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator)) {
        if (const llvm::BasicBlock* to = only_successor(*branch)) {
            const std::uint32_t there = edge(block, to);
            body_.emit(Opcode::jump).c = there;
            return;
        }
        const Register condition = body_.of(branch->getCondition());
        const std::uint32_t then = edge(block, branch->getSuccessor(0)),
                            otherwise = edge(block, branch->getSuccessor(1));
        Instruction& in = body_.emit(Opcode::branch);
        in.a = condition.row;
        in.b = then;
        in.c = otherwise;
    } else if (auto* it = llvm::dyn_cast<llvm::SwitchInst>(&terminator)) {
        lower_switch(*it);
    } else if (auto* it = llvm::dyn_cast<llvm::ReturnInst>(&terminator)) {
        lower_return(*it);
    } else if (llvm::isa<llvm::UnreachableInst>(terminator)) {
        const bool failed = !body_.code.code.empty() && body_.code.code.back().op == Opcode::assert_fail;
        if (failed)
            body_.emit(Opcode::exit);
        else
            body_.trap(
                "control reaches code marked unreachable, such as the end of a function that should return a value");
    } else {
        body_.trap("not supported by warptree: " + shown(terminator));
    }
}

void FunctionLowering::lower_switch(const llvm::SwitchInst& it) {
    const Register value = body_.of(it.getCondition());
    if (it.getNumCases() == 0) {
        const std::uint32_t there = edge(it.getParent(), it.getDefaultDest());
        body_.emit(Opcode::jump).c = there;
        return;
    }
    Switch table;
    table.wide = value.rows == 2;
    llvm::SmallDenseMap<const llvm::BasicBlock*, std::uint32_t> edges;
    const auto edge_to = [&](const llvm::BasicBlock* to) {
        const auto [at, added] = edges.try_emplace(to, 0);
        if (added) at->second = edge(it.getParent(), to);
        return at->second;
    };
    for (const auto& one : it.cases()) {
        table.values.push_back(one.getCaseValue()->getZExtValue());
        table.edges.push_back(edge_to(one.getCaseSuccessor()));
    }
    table.edges.push_back(edge_to(it.getDefaultDest()));
    Instruction& in = body_.emit(Opcode::branch_switch);
    in.a = value.row;
    in.c = Unit::add(body_.program.switches, std::move(table));
}

void FunctionLowering::lower_return(const llvm::ReturnInst& it) {
    const llvm::Value* value = it.getReturnValue();
    std::vector<Value>& results = body_.code.results;
    if (one_return_ && !results.empty()) {
        llvm::SmallVector<Register, 4> values;
        for (std::size_t i = 0; i < results.size(); ++i) values.push_back(body_.of(value, i));
        Register first = body_.side_by_side(values);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::uint16_t tag = first.tag == 0 ? 0 : static_cast<std::uint16_t>(first.tag + i);
            results[i] = {first.row, values[i].rows, values.size() == 1 ? first.tag : tag};
            first.row += values[i].rows;
        }
        body_.emit(Opcode::ret).a = results.front().row;
        return;
    }
    for (std::size_t i = 0; value != nullptr && i < results.size(); ++i) {
        const Register from = body_.of(value, i);
        Instruction& move = body_.emit(results[i].rows == 2 ? Opcode::mov64 : Opcode::mov32);
        move.dst = results[i].row;
        move.tag_dst = results[i].tag;
        move.a = from.row;
        move.tag_a = from.tag;
    }
    body_.emit(Opcode::ret).a = results.empty() ? kNone : results.front().row;
}

void FunctionLowering::add_moves(const PendingEdge& pending) {
    std::vector<Move> moves;
    const auto& chosen = body_.facts.choices.values;
    for (const llvm::PHINode& phi : pending.to->phis()) {
        const llvm::Value* from = phi.getIncomingValueForBlock(pending.from);
        if (llvm::isa<llvm::UndefValue>(from)) continue; // undefined: keeps whatever is there
        const auto choice = chosen.find(&phi);
        for (std::size_t i = 0; i < body_.count(&phi); ++i) {
            const Register dst = body_.of(&phi, i), src = body_.of(from, i);
            if (dst.row == src.row) continue;
            moves.push_back({.dst = dst.row, .src = src.row, .tag_dst = dst.tag, .tag_src = src.tag, .rows = dst.rows});
            if (choice != chosen.end() && dst.tag != 0 &&
                body_.facts.flow.dominators.dominates(choice->second.comparison->getParent(), pending.from))
                moves.back().selection =
                    body_.selection_of(choice->second, phi, value_type(body_.type_of(&phi, i), true));
        }
    }
    Edge& edge = body_.program.edges[pending.edge];
    edge.first_move = count(body_.program.moves);
    edge.move_count = count(moves);
    for (const Move& a : moves)
        for (const Move& b : moves) edge.overlapping |= a.dst == b.src;
    body_.program.moves.insert(body_.program.moves.end(), moves.begin(), moves.end());
}

// A Keep uses the address of the load of the kept value.
void FunctionLowering::finish(const PendingEdge& pending, const LoopTable& loops) {
    add_moves(pending);
    for (const KeptStore& kept : body_.facts.choices.kept) {
        if (kept.from != pending.from || kept.to != pending.to) continue;
        const Address address = address_of(body_, kept.pointer);
        Access there = access(body_, kept.pointer, address, kept.type);
        there.selection = body_.selection_of(kept.choice, *kept.choice.at, value_type(kept.type, true));
        const Keep keep{.access = Unit::add(body_.program.accesses, there),
                        .a = address.base.row,
                        .b = address.kind == Access::Index::none ? kNone : address.index.row,
                        .next = body_.program.edges[pending.edge].keep};
        body_.program.edges[pending.edge].keep = Unit::add(body_.program.keeps, keep);
    }
    Edge& edge = body_.program.edges[pending.edge];
    edge.begins = loops.begins(pending.from, pending.to);
    edge.ends = loops.ends(pending.from, pending.to);
}

void FunctionLowering::add_statements() {
    std::vector<Statement> made;
    for (const Plan::Statement& statement : body_.plan.statements) {
        const auto at = emitted_from_.find(statement.begin);
        if (at == emitted_from_.end() || at->second >= body_.code.code.size()) continue; // after a trap
        made.push_back({at->second, body_.unit.locations.of(statement.combine->getDebugLoc().get()),
                        statement.parameter, statement.value});
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const Statement& a, const Statement& b) { return a.instruction < b.instruction; });
    body_.code.statements = std::move(made);
}

} // namespace

void lower_function(Unit& unit, const Unit::Wanted& wanted, std::uint32_t number) {
    FunctionLowering(unit, wanted, number).run();
}

std::string source_name(const llvm::Function& function) {
    const llvm::DISubprogram* debug = function.getSubprogram();
    return debug == nullptr || debug->getName().empty() ? function.getName().str() : debug->getName().str();
}

} // namespace warptree::compile::lowering
