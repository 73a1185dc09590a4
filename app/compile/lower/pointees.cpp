#include "app/compile/lower/pointees.hpp"

#include "app/compile/lower/known.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace warptree::compile::lowering {

bool ObjectSet::empty() const {
    for (const std::uint64_t word : words_)
        if (word != 0) return false;
    return true;
}

bool ObjectSet::add(const ObjectSet& other) {
    bool grew = false;
    for (std::size_t w = 0; w < words_.size(); ++w) {
        const std::uint64_t sum = words_[w] | other.words_[w];
        grew |= sum != words_[w];
        words_[w] = sum;
    }
    return grew;
}

bool ObjectSet::intersects(const ObjectSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
        if ((words_[w] & other.words_[w]) != 0) return true;
    return false;
}

Pointees::Pointees(const Compiled& compiled, const Reach& reach, const MemoryMap& map, const Program& program)
    : reach_(reach) {
    collect_objects(compiled, map, program);
    const std::size_t count = objects_.size();
    unknown_ = none_ = ObjectSet(count);
    unknown_.add(0);
    sets_.assign(reach_.numbers(), none_);
    contents_.assign(count, none_);
    for (std::size_t i = 0; i < count; ++i) {
        switch (objects_[i].kind) {
        case Object::Kind::parameter:
        case Object::Kind::record: // the object behind it follows
            set(objects_[i].value).add(i);
            contents_[i].add(i + 1);
            break;
        case Object::Kind::unknown:
        case Object::Kind::behind: contents_[i].add(i); break;
        case Object::Kind::variable: contents_[i].add(std::size_t{0}); break; // the host may set it
        default: break;
        }
    }
    while (sweep()) {
    }
    // An integer cast to a pointer and not derived from one may point anywhere.
    bool changed = false;
    for (const llvm::Function* function : reach_.functions())
        for (const llvm::Instruction& instruction : llvm::instructions(*function))
            if (llvm::isa<llvm::IntToPtrInst>(instruction) && set(&instruction).empty())
                changed |= set(&instruction).add(unknown_);
    while (changed && sweep()) {
    }
}

void Pointees::collect_objects(const Compiled& compiled, const MemoryMap& map, const Program& program) {
    objects_.emplace_back();
    const auto add = [&](Object object) {
        object_of_[object.value] = static_cast<std::uint32_t>(objects_.size());
        objects_.push_back(object);
    };
    for (std::uint32_t k = 0; k < reach_.kernels().size(); ++k) {
        const llvm::Function* kernel = reach_.kernels()[k].function;
        for (const llvm::Argument& argument : kernel->args()) {
            if (!argument.getType()->isPointerTy()) continue;
            Object object{.value = &argument, .kernel = k, .parameter = argument.getArgNo()};
            object.kind = argument.hasByValAttr() ? Object::Kind::record : Object::Kind::parameter;
            object.space = argument.hasByValAttr() ? Space::local : Space::global;
            if (argument.getArgNo() < compiled.kernels[k].parameters.size())
                object.element = compiled.kernels[k].parameters[argument.getArgNo()].element;
            add(object);
            object.kind = Object::Kind::behind;
            object.value = nullptr;
            object.space = Space::global;
            object.element = ValueType::none;
            objects_.push_back(object);
        }
    }
    for (const llvm::GlobalVariable* variable : reach_.globals()) {
        if (const std::uint32_t shared = map.shared(variable); shared != kNone)
            add({.kind = Object::Kind::shared,
                 .value = variable,
                 .space = Space::shared,
                 .element = program.shared[shared].element});
        else if (const std::uint32_t global = map.global(variable); global != kNone)
            add({.kind = Object::Kind::variable,
                 .value = variable,
                 .space = program.globals[global].space,
                 .element = program.globals[global].element});
    }
    for (const llvm::Function* function : reach_.functions())
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (llvm::isa<llvm::AllocaInst>(instruction)) {
                add({.kind = Object::Kind::local, .value = &instruction, .space = Space::local});
            } else if (call != nullptr && known(*call) == Known::allocate && heap_ == kNone) {
                heap_ = static_cast<std::uint32_t>(objects_.size());
                add({.kind = Object::Kind::heap, .value = &instruction, .space = Space::global});
            }
        }
}

ObjectSet& Pointees::constant_set(const llvm::Constant* constant) {
    auto& entry = constants_[constant];
    if (entry != nullptr) return *entry;
    auto found = std::make_unique<ObjectSet>(objects_.size());
    if (const auto at = object_of_.find(constant); at != object_of_.end())
        found->add(std::size_t{at->second});
    else if (!llvm::isa<llvm::ConstantData>(constant) && !llvm::isa<llvm::GlobalValue>(constant))
        for (const llvm::Use& operand : constant->operands())
            if (auto* inner = llvm::dyn_cast<llvm::Constant>(operand.get())) found->add(constant_set(inner));
    auto& slot = constants_[constant]; // the map may have grown
    slot = std::move(found);
    return *slot;
}

ObjectSet& Pointees::set(const llvm::Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant_set(constant);
    const std::uint32_t number = reach_.number(value);
    return number == kNone || number >= sets_.size() ? none_ : sets_[number];
}

const ObjectSet& Pointees::of(const llvm::Value* pointer) const {
    const ObjectSet& found = const_cast<Pointees*>(this)->set(pointer);
    return found.empty() ? unknown_ : found;
}

const Object* Pointees::only(const llvm::Value* pointer) const {
    const Object* found = nullptr;
    bool several = false;
    of(pointer).each([&](std::size_t object) {
        several |= found != nullptr;
        found = &objects_[object];
    });
    return several || found->kind == Object::Kind::unknown ? nullptr : found;
}

Space Pointees::space(const llvm::Value* pointer) const {
    switch (pointer->getType()->getPointerAddressSpace()) {
    case 1: return Space::global;
    case 3: return Space::shared;
    case 4: return Space::constant;
    case 5: return Space::local;
    default: break;
    }
    std::optional<Space> space;
    of(pointer).each([&](std::size_t object) {
        if (!space) space = objects_[object].space;
        if (*space != objects_[object].space) space = Space::unknown;
    });
    return *space;
}

bool Pointees::sweep() {
    bool changed = false;
    for (const llvm::Function* function : reach_.functions())
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) changed |= transfer(instruction);
    return changed;
}

bool Pointees::into_memory(const ObjectSet& where, const ObjectSet& what) {
    if (what.empty()) return false;
    bool changed = false;
    (where.empty() ? unknown_ : where).each([&](std::size_t object) { changed |= contents_[object].add(what); });
    return changed;
}

bool Pointees::from_memory(ObjectSet& into, const ObjectSet& where) {
    bool changed = false;
    (where.empty() ? unknown_ : where).each([&](std::size_t object) { changed |= into.add(contents_[object]); });
    return changed;
}

// Pointers may pass through integers and structs: every computed value inherits what its operands point to.
bool Pointees::transfer(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::CmpInst>(instruction)) return false;
    if (llvm::isa<llvm::AllocaInst>(instruction)) {
        ObjectSet one(objects_.size());
        one.add(std::size_t{object_of_.at(&instruction)});
        return set(&instruction).add(one);
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        llvm::Type* type = load->getType();
        if (!type->isAggregateType() && bits_of(type) < 64) return false;
        if (type->isFPOrFPVectorTy()) return false;
        return from_memory(set(load), set(load->getPointerOperand()));
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        return into_memory(set(store->getPointerOperand()), set(store->getValueOperand()));
    const auto exchange = [&](const llvm::Value* pointer, const llvm::Value* value) {
        bool changed = into_memory(set(pointer), set(value));
        if (bits_of(value->getType()) == 64) changed |= from_memory(set(&instruction), set(pointer));
        return changed;
    };
    if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
        return exchange(atomic->getPointerOperand(), atomic->getValOperand());
    if (auto* atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        return exchange(atomic->getPointerOperand(), atomic->getNewValOperand());
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
        if (ret->getReturnValue() == nullptr) return false;
        auto& returned = returned_.try_emplace(ret->getFunction(), none_).first->second;
        return returned.add(set(ret->getReturnValue()));
    }
    if (auto* it = llvm::dyn_cast<llvm::CallBase>(&instruction)) return call(*it);
    if (instruction.getType()->isVoidTy()) return false;
    ObjectSet& mine = set(&instruction);
    bool changed = false;
    const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
    for (unsigned i = first; i < instruction.getNumOperands(); ++i) {
        const llvm::Value* operand = instruction.getOperand(i);
        if (!llvm::isa<llvm::ConstantData>(operand) && !llvm::isa<llvm::BasicBlock>(operand))
            changed |= mine.add(set(operand));
    }
    return changed;
}

bool Pointees::call(const llvm::CallBase& call) {
    bool changed = false;
    const auto pass = [&](const llvm::Function& callee) {
        for (unsigned i = 0; i < callee.arg_size() && i < call.arg_size(); ++i)
            changed |= set(callee.getArg(i)).add(set(call.getArgOperand(i)));
        if (const auto at = returned_.find(&callee); at != returned_.end() && !call.getType()->isVoidTy())
            changed |= set(&call).add(at->second);
    };
    if (const llvm::Function* callee = callee_of(call)) {
        pass(*callee);
        return changed;
    }
    if (call.isIndirectCall()) {
        for (const llvm::Function* target : reach_.targets(call)) pass(*target);
        return changed;
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
        ObjectSet moved(objects_.size());
        const ObjectSet& from = set(copy->getRawSource());
        (from.empty() ? unknown_ : from).each([&](std::size_t object) { moved.add(contents_[object]); });
        return into_memory(set(copy->getRawDest()), moved);
    }
    if (call.getType()->isVoidTy()) return false;
    ObjectSet& mine = set(&call);
    if (known(call) == Known::allocate) {
        ObjectSet one(objects_.size());
        one.add(std::size_t{heap_});
        return mine.add(one);
    }
    for (const llvm::Value* argument : call.args())
        if (!llvm::isa<llvm::ConstantData>(argument)) changed |= mine.add(set(argument));
    return changed;
}

} // namespace warptree::compile::lowering
