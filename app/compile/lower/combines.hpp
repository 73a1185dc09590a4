// Where operators are applied to elements, and which of these applications are steps of a tree: those with an operand
// that comes, within the same iteration of a loop, from shared memory, another lane, or an array that the result goes
// back to.
//
// Whether an operator in a function of its own (`op(a, b)`) is a step depends on what the caller passes, so a function
// is lowered once for each kind of call.
#pragma once

#include "app/compile/lower/choices.hpp"

#include <functional>
#include <map>
#include <set>

namespace warptree::compile::lowering {

// How a function is called, as far as it matters for its combines.
struct Context {
    std::uint64_t staged = 0;   // bit k: argument k comes from a source of a step's operands
    bool in_stage_loop = false; // the caller's loop already separates the steps
    friend auto operator<=>(const Context&, const Context&) = default;
};

// Where a value comes from within an iteration.
struct Origin {
    bool staged = false;
    std::uint64_t arguments = 0; // bit k: staged if argument k is
    bool is(std::uint64_t staged_arguments) const { return staged || (arguments & staged_arguments) != 0; }
    void add(const Origin& other) {
        staged |= other.staged;
        arguments |= other.arguments;
    }
};

// An operator applied to two values that can both be made of elements.
struct Combine {
    const llvm::Instruction* at = nullptr;     // the operation, select, phi or store
    const llvm::Instruction* anchor = nullptr; // where it is computed: for a phi or store, the comparison
    llvm::SmallVector<const llvm::Value*, 3> operands = {};
    const llvm::Loop* loop = nullptr; // innermost around the anchor
    Origin origin = {};
};

struct CallSite {
    const llvm::CallBase* call = nullptr;
    llvm::Function* callee = nullptr;
    const llvm::Loop* loop = nullptr;
    std::vector<Origin> arguments;
};

struct FunctionFacts {
    FunctionFacts(llvm::Function& function, const Elements& elements) : flow(function), choices(flow, elements) {}
    Flow flow;
    Choices choices;
    std::vector<Combine> combines; // in program order
    std::vector<CallSite> calls;
    Origin returned;
    std::uint64_t relevant = 0; // bit k: the origin of argument k matters
    ObjectSet stored;           // by it and its callees
    bool synchronises = false;
};

// What one lowering of a function needs to know about its combines.
struct Plan {
    std::set<const llvm::Instruction*> steps; // Combine::at of those that are steps of a tree
    std::set<const llvm::Loop*> stage_loops;
    llvm::DenseMap<const llvm::CallBase*, Context> calls;
    struct Statement {
        const llvm::Instruction* begin = nullptr;
        const llvm::Instruction* combine = nullptr;
        std::string parameter = {}; // template parameter that distinguishes it from others of the same text
        std::int64_t value = 0;
    };
    std::vector<Statement> statements; // hand-unrolled steps, in program order
};

class Combines {
  public:
    // names_steps: whether the source declares the iterations of a loop as steps (program_notes.hpp).
    Combines(const Reach& reach, const Pointees& pointees, const Elements& elements,
             std::function<bool(const llvm::Loop&)> names_steps);
    const FunctionFacts& facts(const llvm::Function* function) const { return *facts_.at(function); }
    Plan plan(llvm::Function* function, const Context& context);

  private:
    void summarise(llvm::Function& function);
    void find_combines(FunctionFacts& facts);
    void find_origins(llvm::Function* function);
    Origin origin(const llvm::Value* value, const llvm::Loop* loop, FunctionFacts& facts);
    Origin origin_of_instruction(const llvm::Instruction& instruction, const llvm::Loop* loop, FunctionFacts& facts);
    // The origin of what is read through a pointer; for a local, that of what the same iteration stored there.
    Origin origin_in_memory(const llvm::Value* pointer, const llvm::Loop* loop, FunctionFacts& facts);
    Origin origin_of_local(const llvm::AllocaInst& local, const llvm::Loop* loop, FunctionFacts& facts);
    bool goes_back(const llvm::Value* pointer, const llvm::Loop* loop, const FunctionFacts& facts);
    const ObjectSet& stored_in(const llvm::Loop* loop, const FunctionFacts& facts);
    // Whether a step of it belongs to the caller's loop around the call.
    bool escapes(llvm::Function* function, std::uint64_t staged);
    Context called(const CallSite& site, const Context& context, const llvm::Loop* captured);
    const llvm::Loop* stage_loop(const llvm::Loop* innermost);
    bool synchronises(const llvm::Loop& loop);

    const Reach& reach_;
    const Pointees& pointees_;
    const Elements& elements_;
    std::function<bool(const llvm::Loop&)> names_steps_;
    std::map<const llvm::Function*, std::unique_ptr<FunctionFacts>> facts_;
    std::set<const llvm::Function*> done_, open_;
    std::map<std::pair<const llvm::Function*, std::uint64_t>, bool> escapes_;
    llvm::DenseMap<const llvm::Value*, Origin> origins_;
    std::set<const llvm::Value*> locals_in_progress_;
    llvm::DenseMap<const llvm::Loop*, ObjectSet> stored_in_; // also by functions that the loop calls
    llvm::DenseMap<const llvm::Loop*, bool> synchronises_;
};

// Whether it is the product in sum += a * b: an element of the sum, not an application of the operator.
bool is_added_product(const llvm::Instruction& instruction);

// Whether it is an operation whose result only computes addresses: where something goes, as in out[before + own] = x.
bool is_place(const llvm::Instruction& instruction);

// The values that an instruction combines, when both sides can be made of elements.
llvm::SmallVector<const llvm::Value*, 3> combined(const llvm::Instruction& instruction, const Elements& elements);

// The template arguments by which the source distinguishes statements of the same text: stage<256>, stage<128>. Those
// of a kernel itself are the same for all of its statements.
void name_statements(std::vector<Plan::Statement>& statements, bool in_kernel);
// Where the hand-unrolled steps of a block begin, given its combines that are steps. `staged`: whether a value comes
// from a source of a step's operands.
using Staged = llvm::function_ref<bool(const llvm::Value*)>;
std::vector<Plan::Statement> statements_in(const llvm::BasicBlock& block, std::vector<const Combine*> steps,
                                           Staged staged);

} // namespace warptree::compile::lowering
