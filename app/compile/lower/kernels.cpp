// Properties of the kernels: parameters and their use, shared arrays, whether their blocks may run in any order.
#include "app/compile/lower/kernels.hpp"

#include "app/compile/client/compiler.hpp"
#include "app/compile/lower/known.hpp"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

namespace warptree::compile::lowering {

namespace {

// What a kernel does to memory that other blocks see.
class Uses {
  public:
    Uses(Unit& unit, const Reach::Kernel& kernel)
        : unit_(unit), loads_(objects()), stores_(objects()), updates_(objects()), reads_back_(objects()),
          plain_loads_(objects()), polls_(objects()) {
        for (const llvm::Function* function : kernel.functions)
            for (const llvm::Instruction& instruction : llvm::instructions(*function)) visit(instruction);
    }

    bool loads(std::size_t object) const { return loads_.has(object) || loads_.has(0); }
    bool stores(std::size_t object) const { return stores_.has(object) || stores_.has(0); }
    bool updates(std::size_t object) const { return updates_.has(object); }
    bool signals(std::size_t object) const {
        return (polls_.has(object) || reads_back_.has(object)) && !plain_loads_.has(object) && !plain_loads_.has(0);
    }
    bool cooperative() const { return cooperative_; }
    std::vector<Diagnostic>& undefined() { return undefined_; }
    bool independent() const {
        if (cooperative_ || talks_) return false;
        ObjectSet written = stores_;
        written.add(updates_);
        ObjectSet read = loads_;
        read.add(reads_back_);
        bool apart = true;
        written.each([&](std::size_t object) {
            const bool shared = unit_.pointees.objects()[object].is_global();
            apart &= !shared || !(read.has(object) || (object != 0 && read.has(0)));
            if (shared && object == 0)
                read.each([&](std::size_t o) { apart &= !unit_.pointees.objects()[o].is_global(); });
        });
        return apart;
    }

  private:
    std::size_t objects() const { return unit_.pointees.objects().size(); }
    void visit(const llvm::Instruction& instruction);
    void visit_call(const llvm::CallBase& call);
    void visit_assembly(const llvm::CallBase& call, llvm::StringRef text);
    void note_undefined(const llvm::CallBase& call, const llvm::Function& callee);
    const ObjectSet& at(const llvm::Value* pointer) const { return unit_.pointees.of(pointer); }

    Unit& unit_;
    ObjectSet loads_, stores_, updates_;
    ObjectSet reads_back_;          // by atomics whose old value is used
    ObjectSet plain_loads_, polls_; // polls: volatile or atomic
    bool cooperative_ = false;
    std::vector<Diagnostic> undefined_;
    bool talks_ = false; // may communicate with other blocks: fences, volatile or ordered accesses, the heap, clusters
};

void Uses::visit(const llvm::Instruction& instruction) {
    const auto outward = [&](const llvm::Value* pointer) {
        bool found = false;
        at(pointer).each([&](std::size_t object) { found |= unit_.pointees.objects()[object].is_global(); });
        return found;
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        const bool polls = load->isVolatile() || load->isAtomic();
        loads_.add(at(load->getPointerOperand()));
        (polls ? polls_ : plain_loads_).add(at(load->getPointerOperand()));
        if (polls) talks_ |= outward(load->getPointerOperand());
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        stores_.add(at(store->getPointerOperand()));
        if (store->isVolatile() || store->isAtomic()) talks_ |= outward(store->getPointerOperand());
    } else if (llvm::isa<llvm::AtomicRMWInst>(instruction) || llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
        const ObjectSet& where = at(instruction.getOperand(0));
        updates_.add(where);
        if (!instruction.use_empty()) reads_back_.add(where);
    } else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
        talks_ |= fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        visit_call(*call);
    }
}

void Uses::visit_call(const llvm::CallBase& call) {
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
        stores_.add(at(copy->getRawDest()));
        loads_.add(at(copy->getRawSource()));
        plain_loads_.add(at(copy->getRawSource()));
        return;
    }
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&call)) {
        stores_.add(at(fill->getRawDest()));
        return;
    }
    if (auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
        return visit_assembly(call, assembly->getAsmString());
    if (known(call) == Known::grid_sync) cooperative_ = true;
    if (known(call) == Known::allocate || known(call) == Known::release) talks_ = true;
    const llvm::Function* callee = call.getCalledFunction();
    if (callee != nullptr && callee->isDeclaration() && !callee->isIntrinsic() && known(call) == Known::none)
        note_undefined(call, *callee);
    if (callee == nullptr || !callee->isIntrinsic()) return;
    llvm::StringRef name = callee->getName();
    if (!name.consume_front("llvm.nvvm.")) return;
    if (name == "membar.gl" || name == "membar.sys" || name.starts_with("barrier.cluster.") || name.starts_with("mapa"))
        talks_ = true;
    if (name.starts_with("atomic.")) {
        updates_.add(at(call.getArgOperand(0)));
        if (!call.use_empty()) reads_back_.add(at(call.getArgOperand(0)));
    } else if (name.starts_with("ldg.") || name.starts_with("ldu.")) {
        loads_.add(at(call.getArgOperand(0)));
        plain_loads_.add(at(call.getArgOperand(0)));
    } else if (name.starts_with("cp.async.c")) {
        if (call.arg_size() < 2) return;
        stores_.add(at(call.getArgOperand(0)));
        loads_.add(at(call.getArgOperand(1)));
        plain_loads_.add(at(call.getArgOperand(1)));
    }
}

void Uses::note_undefined(const llvm::CallBase& call, const llvm::Function& callee) {
    const Location& at = unit_.program.locations[unit_.locations.of(call.getDebugLoc().get())];
    Diagnostic diagnostic;
    diagnostic.file = unit_.program.files[at.file].path;
    diagnostic.line = at.line;
    diagnostic.column = at.column;
    diagnostic.message = readable_name(callee) + " is declared but not defined";
    undefined_.push_back(std::move(diagnostic));
}

void Uses::visit_assembly(const llvm::CallBase& call, llvm::StringRef text) {
    if (assembly_has(call, "cp.async.bulk.prefetch.")) return;
    const bool copies = assembly_has(call, "cp.async."), loads = copies || assembly_has(call, "ld.");
    const bool stores = copies || assembly_has(call, "st.");
    const bool polls = text.contains(".relaxed") || text.contains(".acquire") || text.contains(".volatile");
    const bool updates = assembly_has(call, "atom.") || assembly_has(call, "red.");
    for (const llvm::Value* argument : call.args()) {
        const ObjectSet& where = at(argument);
        if (where.has(0) && !argument->getType()->isPointerTy()) continue;
        const bool first = argument == call.getArgOperand(0);
        if (copies ? !first : loads) { // cp.async [to], [from]
            loads_.add(where);
            (polls ? polls_ : plain_loads_).add(where);
        }
        if (copies ? first : stores) stores_.add(where);
        if (updates) updates_.add(where);
        if (updates && !call.use_empty()) reads_back_.add(where);
    }
    for (const char* word : {".relaxed", ".acquire", ".release", ".volatile", "membar.gl", "membar.sys", "fence."})
        talks_ |= text.contains(word);
}

// As cc 7.0 and later take them since CUDA 12.1.
void refuse_large_parameters(const Unit& unit, const KernelFacts& facts, const llvm::Function& function) {
    constexpr std::uint64_t kMost = 32764;
    std::uint64_t bytes = 0;
    for (const llvm::Argument& argument : function.args())
        bytes +=
            unit.layout.getTypeAllocSize(argument.hasByValAttr() ? argument.getParamByValType() : argument.getType())
                .getFixedValue();
    if (bytes > kMost)
        throw CompileError((facts.line == 0 ? "" : "line " + std::to_string(facts.line) + ": ") + "the kernel " +
                           facts.name + " has " + std::to_string(bytes) +
                           " bytes of parameters, and a GPU takes at most " + std::to_string(kMost) +
                           "; pass a pointer to them");
}

void place_records(Unit& unit, Kernel& kernel, const llvm::Function& function) {
    FunctionCode& code = unit.program.functions[kernel.function];
    for (unsigned i = 0; i < kernel.parameters.size(); ++i) {
        Parameter& parameter = kernel.parameters[i];
        const llvm::Argument& argument = *function.getArg(i);
        parameter.row = code.parameters[i].row;
        if (!argument.hasByValAttr()) {
            const llvm::Type* type = argument.getType();
            parameter.kind = type->isPointerTy() && parameter.kind != Parameter::Kind::value ? Parameter::Kind::array
                                                                                             : Parameter::Kind::value;
            if (parameter.kind == Parameter::Kind::value && bytes(parameter.element) != std::max(1U, bits_of(type) / 8))
                parameter.element = value_type(type);
            if (parameter.kind == Parameter::Kind::array) {
                parameter.element_bytes = std::max(parameter.element_bytes, 1U);
                parameter.components = std::max(parameter.components, 1U);
            }
            continue;
        }
        parameter.kind = Parameter::Kind::record;
        parameter.bytes =
            static_cast<std::uint32_t>(unit.layout.getTypeAllocSize(argument.getParamByValType()).getFixedValue());
        if (parameter.element == ValueType::pointer || bytes(parameter.element) != parameter.bytes)
            parameter.element = ValueType::none; // not a number in a class, as __half is
        parameter.local_offset = static_cast<std::uint32_t>(llvm::alignTo(code.local_bytes, 16));
        code.local_bytes = parameter.local_offset + parameter.bytes;
    }
}

// What is known of a record's pointers is known of them together. A record that is a number has no members.
void add_members(Kernel& kernel) {
    std::erase_if(kernel.members, [&](const Parameter& member) {
        const Parameter& record = kernel.parameters[member.record];
        return record.kind != Parameter::Kind::record || record.element != ValueType::none;
    });
    for (Parameter& member : kernel.members) {
        if (member.kind != Parameter::Kind::array) continue;
        const Parameter& record = kernel.parameters[member.record];
        member.element_bytes = std::max(member.element_bytes, 1U);
        member.components = std::max(member.components, 1U);
        member.loads = record.loads;
        member.stores = record.stores && !member.constant;
        member.updates = record.updates && !member.constant;
        member.signals = record.signals && !member.constant;
    }
}

} // namespace

void add_kernels(Unit& unit) {
    for (std::size_t k = 0; k < unit.reach.kernels().size(); ++k) {
        const Reach::Kernel& reached = unit.reach.kernels()[k];
        const KernelFacts& facts = unit.compiled.kernels[k];
        Kernel kernel;
        kernel.name = facts.name;
        kernel.function = unit.function(reached.function);
        kernel.parameters = facts.parameters;
        kernel.members = facts.members;
        FunctionCode& code = unit.program.functions[kernel.function];
        code.name = facts.name;
        if (facts.parameters.size() != reached.function->arg_size() ||
            code.parameters.size() != facts.parameters.size())
            throw CompileError((facts.line == 0 ? "" : "line " + std::to_string(facts.line) + ": ") + "the kernel " +
                               facts.name +
                               " has a parameter of a vector type, which warptree cannot set; use a struct");
        kernel.most_threads = facts.most_threads;
        kernel.symbol = facts.symbol;
        kernel.location = code.location;
        std::copy(std::begin(facts.launched_block), std::end(facts.launched_block), kernel.launched_block);
        std::copy(std::begin(facts.cluster), std::end(facts.cluster), kernel.cluster);
        refuse_large_parameters(unit, facts, *reached.function);
        place_records(unit, kernel, *reached.function);
        Uses uses(unit, reached);
        for (std::size_t o = 0; o < unit.pointees.objects().size(); ++o) {
            const Object& object = unit.pointees.objects()[o];
            if (object.kernel != k || !object.is_input()) continue;
            Parameter& parameter = kernel.parameters[object.parameter];
            parameter.loads |= uses.loads(o);
            // Of what a lambda captures no pointer is told from another; what points to constants is not stored to.
            parameter.stores |= uses.stores(o) && !parameter.constant;
            parameter.updates |= uses.updates(o) && !parameter.constant;
            parameter.signals |= uses.signals(o);
        }
        for (Parameter& parameter : kernel.parameters) parameter.signals &= parameter.stores || parameter.updates;
        add_members(kernel);
        for (const llvm::GlobalVariable* variable : reached.globals)
            if (const std::uint32_t shared = unit.map.shared(variable); shared != kNone)
                kernel.shared.push_back(shared);
        kernel.cooperative = uses.cooperative();
        kernel.independent_blocks = uses.independent();
        kernel.undefined = std::move(uses.undefined());
        unit.program.kernels.push_back(std::move(kernel));
    }
}

} // namespace warptree::compile::lowering
