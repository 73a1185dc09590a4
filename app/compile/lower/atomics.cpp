#include "app/compile/lower/atomics.hpp"

#include "app/compile/lower/numbers.hpp"

#include <llvm/IR/Constants.h>

namespace warptree::compile::lowering {

// CUDA's atomics have device scope by default, which Clang leaves unnamed.
Scope scope_of(const llvm::Instruction& it, llvm::SyncScope::ID id) {
    llvm::SmallVector<llvm::StringRef, 8> names;
    it.getContext().getSyncScopeNames(names);
    const llvm::StringRef name = id < names.size() ? names[id] : "";
    if (name == "block" || name == "cta" || name == "workgroup" || name == "singlethread" || name == "wavefront")
        return Scope::block;
    return name == "sys" ? Scope::system : Scope::device;
}

namespace {

void fence_for(Body& body, bool wanted, Scope scope) {
    if (wanted) body.emit(Opcode::fence).c = static_cast<std::uint32_t>(scope);
}

std::optional<AtomicOperation> operation_of(llvm::AtomicRMWInst::BinOp op) {
    switch (op) {
    case llvm::AtomicRMWInst::Xchg: return AtomicOperation::exchange;
    case llvm::AtomicRMWInst::Add: return AtomicOperation::add;
    case llvm::AtomicRMWInst::Sub: return AtomicOperation::sub;
    case llvm::AtomicRMWInst::And: return AtomicOperation::and_;
    case llvm::AtomicRMWInst::Or: return AtomicOperation::or_;
    case llvm::AtomicRMWInst::Xor: return AtomicOperation::xor_;
    case llvm::AtomicRMWInst::Max: return AtomicOperation::max;
    case llvm::AtomicRMWInst::Min: return AtomicOperation::min;
    case llvm::AtomicRMWInst::UMax: return AtomicOperation::umax;
    case llvm::AtomicRMWInst::UMin: return AtomicOperation::umin;
    case llvm::AtomicRMWInst::FAdd:
    case llvm::AtomicRMWInst::FSub: return AtomicOperation::fadd;
    case llvm::AtomicRMWInst::FMax: return AtomicOperation::fmax;
    case llvm::AtomicRMWInst::FMin: return AtomicOperation::fmin;
    case llvm::AtomicRMWInst::UIncWrap: return AtomicOperation::increment;
    case llvm::AtomicRMWInst::UDecWrap: return AtomicOperation::decrement;
    default: return std::nullopt;
    }
}

void read_modify_write(Body& body, const llvm::AtomicRMWInst& it) {
    const auto operation = operation_of(it.getOperation());
    if (!operation || it.getType()->isVectorTy())
        return body.trap("this atomic operation is not supported by warptree");
    const Scope scope = scope_of(it, it.getSyncScopeID());
    fence_for(body, llvm::isReleaseOrStronger(it.getOrdering()), scope);
    AtomicRequest request{.operation = *operation,
                          .pointer = it.getPointerOperand(),
                          .type = it.getType(),
                          .value = body.of(it.getValOperand()),
                          .scope = scope,
                          .used = !it.use_empty(),
                          .tagged = body.unit.elements.is(&it)};
    if (it.getOperation() == llvm::AtomicRMWInst::FSub) request.value = negate(body, it.getType(), request.value);
    const Register old = emit_atomic(body, request);
    if (request.used) body.set(&it, old);
    fence_for(body, llvm::isAcquireOrStronger(it.getOrdering()), scope);
}

void compare_exchange(Body& body, const llvm::AtomicCmpXchgInst& it) {
    const llvm::Type* type = it.getNewValOperand()->getType();
    const Scope scope = scope_of(it, it.getSyncScopeID());
    fence_for(body, llvm::isReleaseOrStronger(it.getSuccessOrdering()), scope);
    const AtomicRequest request{.operation = AtomicOperation::compare_exchange,
                                .pointer = it.getPointerOperand(),
                                .type = type,
                                .value = body.of(it.getNewValOperand()),
                                .expected = body.of(it.getCompareOperand()),
                                .scope = scope,
                                .used = !it.use_empty(),
                                .tagged = body.unit.elements.is(&it)};
    const Register old = emit_atomic(body, request);
    if (request.used) {
        body.set(&it, 0, old);
        body.set(&it, 1, compare(body, llvm::CmpInst::ICMP_EQ, type, old, request.expected));
    }
    fence_for(body, llvm::isAcquireOrStronger(it.getSuccessOrdering()), scope);
}

// Whether the operation combines its value with the one in memory.
bool can_count(AtomicOperation operation) {
    return operation != AtomicOperation::exchange && operation != AtomicOperation::compare_exchange &&
           operation != AtomicOperation::increment && operation != AtomicOperation::decrement;
}

} // namespace

Register emit_atomic(Body& body, const AtomicRequest& request, const Address& address, Access access) {
    const unsigned bits = bits_of(request.type);
    if (!has_row(request.type) || (bits != 16 && bits != 32 && bits != 64)) {
        body.trap("an atomic operation on " + std::to_string(bits) + " bits is not supported by warptree");
        return body.constant(0, rows_of(request.type));
    }
    access.is_volatile = access.atomic = true;
    access.scope = request.scope;
    const bool counts = !request.used && request.value.tag == 0 && address.tag != 0 && can_count(request.operation);
    const Register old = request.used ? body.fresh(rows_of(request.type), request.tagged) : Register{};
    const Atomic atomic{.operation = request.operation,
                        .access = Unit::add(body.program.accesses, access),
                        .value = request.value.row,
                        .expected = request.expected.row,
                        .tag_value = counts ? address.tag : request.value.tag,
                        .tag_expected = request.expected.tag,
                        .scope = request.scope,
                        .result_used = request.used,
                        .counts = counts};
    Instruction& in = body.emit(Opcode::atomic);
    in.dst = old.row;
    in.tag_dst = old.tag;
    in.a = address.base.row;
    in.b = address.kind == Access::Index::none ? kNone : address.index.row;
    in.c = Unit::add(body.program.atomics, atomic);
    return old;
}

Register emit_atomic(Body& body, const AtomicRequest& request) {
    const Address address = address_of(body, request.pointer);
    return emit_atomic(body, request, address, access(body, request.pointer, address, request.type));
}

bool lower_atomic(Body& body, const llvm::Instruction& instruction) {
    if (auto* it = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        read_modify_write(body, *it);
    } else if (auto* it = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        compare_exchange(body, *it);
    } else if (auto* it = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
        const Scope scope =
            it->getSyncScopeID() == llvm::SyncScope::System ? Scope::system : scope_of(*it, it->getSyncScopeID());
        body.emit(Opcode::fence).c = static_cast<std::uint32_t>(scope);
    } else {
        return false;
    }
    return true;
}

} // namespace warptree::compile::lowering
