// Calls of functions: the file's own, those known to the machine by name, and through pointers.
#include "app/compile/lower/calls.hpp"

#include "app/compile/lower/ballots.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/numbers.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warptree::compile::lowering {

namespace {

void call_function(Body& body, const llvm::CallBase& call, std::uint32_t function) {
    Call made;
    made.function = function;
    for (const llvm::Value* argument : call.args())
        for (std::size_t i = 0; i < body.count(argument); ++i) made.arguments.push_back(body.of(argument, i));
    if (!call.getType()->isVoidTy()) {
        body.define(&call);
        for (std::size_t i = 0; i < body.count(&call); ++i) made.results.push_back(body.of(&call, i));
    }
    Register target;
    if (function == kNone) target = body.of(call.getCalledOperand());
    Instruction& in = body.emit(function == kNone ? Opcode::call_pointer : Opcode::call);
    in.a = target.row;
    in.c = Unit::add(body.program.calls, std::move(made));
}

void shuffle(Body& body, const llvm::CallBase& call) {
    auto* mode = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (mode == nullptr || mode->getZExtValue() > 3) return body.trap("a shuffle of unknown mode");
    ShuffleRequest request{.mode = static_cast<ShuffleMode>(mode->getZExtValue())};
    request.mask = body.of(call.getArgOperand(1));
    request.value = body.of(call.getArgOperand(2));
    request.lane = body.of(call.getArgOperand(3));
    auto* width = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(4));
    if (width == nullptr || width->getZExtValue() != 32) request.width = body.of(call.getArgOperand(4));
    request.type = exchanged_type(body, call.getArgOperand(2));
    body.set(&call, emit_shuffle(body, request).value);
}

void fail_assertion(Body& body, const llvm::CallBase& call) {
    const Register text = body.of(call.getArgOperand(0));
    std::uint32_t line = body.location == 0 ? 0 : body.program.locations[body.location].line;
    if (call.arg_size() > 2)
        if (auto* given = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2)))
            line = static_cast<std::uint32_t>(given->getZExtValue());
    Instruction& in = body.emit(Opcode::assert_fail);
    in.a = text.row;
    in.c = line;
}

// Clang packs the arguments of printf into a struct on the stack.
std::string print_types(const llvm::Value* packed) {
    packed = packed->stripPointerCasts();
    if (llvm::isa<llvm::ConstantPointerNull>(packed)) return "";
    const auto* made = llvm::dyn_cast<llvm::AllocaInst>(packed);
    const auto* record = made == nullptr ? nullptr : llvm::dyn_cast<llvm::StructType>(made->getAllocatedType());
    if (record == nullptr) return std::string(kPrintTypesUnknown);
    std::string types;
    for (const llvm::Type* element : record->elements()) {
        if (element->isDoubleTy())
            types += kPrintDouble;
        else if (element->isPointerTy())
            types += kPrintPointer;
        else if (element->isIntegerTy(32) || element->isIntegerTy(64))
            types += element->isIntegerTy(32) ? kPrintWord : kPrintWide;
        else
            return std::string(kPrintTypesUnknown);
    }
    return types;
}

void print(Body& body, const llvm::CallBase& call) {
    const Register format = body.of(call.getArgOperand(0)), arguments = body.of(call.getArgOperand(1));
    const Register written = body.fresh(1);
    Instruction& in = body.emit(Opcode::print);
    in.dst = written.row;
    in.a = format.row;
    in.b = arguments.row;
    in.c = Unit::add(body.program.texts, print_types(call.getArgOperand(1)));
    body.set(&call, written);
}

void allocate(Body& body, const llvm::CallBase& call) {
    const Register bytes = body.resize(body.of(call.getArgOperand(0)), 2), made = body.fresh(2);
    Instruction& in = body.emit(Opcode::heap_allocate);
    in.dst = made.row;
    in.a = bytes.row;
    body.set(&call, made);
}

void release(Body& body, const llvm::CallBase& call) {
    const Register address = body.of(call.getArgOperand(0));
    body.emit(Opcode::heap_free).a = address.row;
}

bool call_known(Body& body, const llvm::CallBase& call) {
    switch (known(call)) {
    case Known::none: return false;
    case Known::shuffle: shuffle(body, call); break;
    case Known::grid_sync: body.emit(Opcode::grid_barrier); break;
    case Known::lanes_here: {
        const Register made = body.fresh(1);
        Instruction& in = body.emit(Opcode::active_mask);
        in.dst = made.row;
        in.c = 1;
        body.set(&call, made);
        break;
    }
    case Known::print: print(body, call); break;
    case Known::assert_fail: fail_assertion(body, call); break;
    case Known::allocate: allocate(body, call); break;
    case Known::release: release(body, call); break;
    case Known::trap: body.trap("__trap()"); break;
    case Known::math: {
        llvm::StringRef name = call.getCalledFunction()->getName();
        name.consume_front("__nv_");
        return lower_math(body, call, name);
    }
    }
    return true;
}

} // namespace

ValueType exchanged_type(const Body& body, const llvm::Value* value) {
    while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value))
        return element_type(body, load->getPointerOperand(), load->getType());
    return value_type(value->getType());
}

Shuffled emit_shuffle(Body& body, const ShuffleRequest& request) {
    Shuffled made;
    made.value = body.fresh(request.value.rows, request.value.tag != 0);
    if (request.wants_range) made.in_range = body.fresh(1);
    const Exchange exchange{.mode = static_cast<std::uint8_t>(request.mode),
                            .bytes = static_cast<std::uint8_t>(4 * request.value.rows),
                            .mask = request.mask.row,
                            .lane = request.lane.row,
                            .width = request.width.row,
                            .in_range = made.in_range.row,
                            .type = request.type};
    Instruction& in = body.emit(Opcode::shuffle);
    in.dst = made.value.row;
    in.tag_dst = made.value.tag;
    in.a = request.value.row;
    in.tag_a = request.value.tag;
    in.c = Unit::add(body.program.exchanges, exchange);
    return made;
}

Register emit_exchange(Body& body, Opcode op, std::uint8_t mode, Register mask, Register value, ValueType type) {
    const Register made = body.fresh(1, op == Opcode::reduce_warp && value.tag != 0);
    const Exchange exchange{
        .mode = mode, .bytes = static_cast<std::uint8_t>(4 * value.rows), .mask = mask.row, .type = type};
    Instruction& in = body.emit(op);
    in.dst = made.row;
    in.tag_dst = made.tag;
    in.a = value.row;
    in.tag_a = op == Opcode::reduce_warp ? value.tag : std::uint16_t{0};
    in.c = Unit::add(body.program.exchanges, exchange);
    return made;
}

Register emit_ballot(Body& body, const llvm::CallBase& ballot, Register mask, Register flag) {
    const llvm::Value* element = body.unit.elements.flagged(ballot);
    const std::uint16_t tag = element != nullptr && body.has(element) ? body.of(element).tag : std::uint16_t{0};
    const Register made = emit_exchange(body, Opcode::vote, static_cast<std::uint8_t>(VoteMode::ballot), mask, flag);
    if (tag != 0) {
        Instruction& in = body.code.code.back();
        in.tag_a = tag;
        in.tag_dst = body.fresh(1, true).tag;
        body.flags[&ballot] = in.tag_dst;
    }
    return made;
}

Register emit_count_of_flags(Body& body, const llvm::CallBase& count) {
    const auto counted = counted_ballot(&count);
    const auto flags = counted ? body.flags.find(counted->ballot) : body.flags.end();
    if (flags == body.flags.end()) return {};
    Register lanes = body.constant(0xFFFFFFFF);
    for (const llvm::Value* mask : counted->masks) {
        Register some = body.resize(body.of(mask), 1);
        some.tag = 0;
        lanes = body.compute(Opcode::and32, 1, lanes, some);
    }
    Register held = body.of(count.getArgOperand(0));
    held.tag = 0;
    held = body.resize(held, 1);
    const Register made = body.fresh(1, true);
    Instruction& in = body.emit(Opcode::count_flags);
    in.dst = made.row;
    in.tag_dst = made.tag;
    in.a = held.row;
    in.tag_a = flags->second;
    in.b = lanes.row;
    in.flags = kCombines | body.stage;
    in.type = body.combine_type != ValueType::none ? body.combine_type : ValueType::i32;
    return made;
}

Register emit_barrier(Body& body, Barrier barrier) {
    barrier.within = body.unit.locations.around(body.debug_location);
    Register answer;
    if (barrier.reduce != Barrier::Reduce::none) answer = body.fresh(1);
    Instruction& in = body.emit(Opcode::barrier);
    in.dst = answer.row;
    in.c = Unit::add(body.program.barriers, std::move(barrier));
    return answer;
}

void emit_fence(Body& body, Scope scope) { body.emit(Opcode::fence).c = static_cast<std::uint32_t>(scope); }

bool lower_call(Body& body, const llvm::CallBase& call) {
    if (call.isInlineAsm()) {
        lower_assembly(body, call);
        return true;
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) {
        call_function(body, call, kNone);
        return true;
    }
    if (llvm::Function* target = callee_of(call)) {
        const auto context = body.plan.calls.find(&call);
        call_function(body, call,
                      body.unit.function(target, context == body.plan.calls.end() ? Context{} : context->second));
        return true;
    }
    if (callee->isIntrinsic()) {
        const bool nvvm = callee->getName().starts_with("llvm.nvvm.");
        return nvvm ? lower_nvvm(body, call) : lower_intrinsic(body, call);
    }
    if (!call_known(body, call)) body.trap(readable_name(*callee) + " is declared but not defined");
    return true;
}

} // namespace warptree::compile::lowering
