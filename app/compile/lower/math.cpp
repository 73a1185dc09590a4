// Math functions by libdevice's names and by NVVM's intrinsics.
#include "app/compile/lower/calls.hpp"
#include "app/compile/lower/device_math.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/numbers.hpp"

#include <llvm/ADT/StringSwitch.h>

namespace warptree::compile::lowering {

namespace {

using Arg = llvm::function_ref<Register(unsigned)>;

llvm::Type* float_type(Body& body, bool is_double) {
    llvm::LLVMContext& context = body.function.getContext();
    return is_double ? llvm::Type::getDoubleTy(context) : llvm::Type::getFloatTy(context);
}

// The upper half of a product.
Register upper_product(Body& body, bool is_signed, Register a, Register b) {
    const Opcode op = is_signed ? Opcode::smulhi32 : Opcode::umulhi32;
    return body.compute(by_width(op, a.rows), a.rows, a, b);
}

// The low 24 bits of both, multiplied.
Register product_24(Body& body, bool is_signed, Register a, Register b) {
    const Register x = is_signed ? body.sign_low(a, 24) : body.keep_low(a, 24);
    const Register y = is_signed ? body.sign_low(b, 24) : body.keep_low(b, 24);
    return body.compute(Opcode::mul32, 1, x, y);
}

// |a - b| + c
Register absolute_difference(Body& body, bool is_signed, Register a, Register b, Register c) {
    const Opcode least = is_signed ? Opcode::smin32 : Opcode::umin32,
                 most = is_signed ? Opcode::smax32 : Opcode::umax32;
    const Register difference =
        body.compute(Opcode::sub32, 1, body.compute(most, 1, a, b), body.compute(least, 1, a, b));
    return body.compute(Opcode::add32, 1, difference, c);
}

// The lowest bit set, counted from 1; 0 for none.
Register find_first_set(Body& body, Register a) {
    const Register at = body.compute(by_width(Opcode::ctz32, a.rows), 1, a);
    const Register found = body.compute(by_width(Opcode::ne32, a.rows), 1, a, body.constant(0, a.rows));
    return body.if_else(found, body.compute(Opcode::add32, 1, at, body.constant(1)), body.constant(0));
}

bool integer_function(Body& body, const llvm::CallBase& call, llvm::StringRef name, Arg arg) {
    const auto set = [&](Register made) {
        body.set(&call, body.resize(made, rows_of(call.getType())));
        return true;
    };
    const auto width = [](Register a) { return 32U * a.rows; };
    if (name == "popc" || name == "popcll") {
        if (const Register flags = emit_count_of_flags(body, call); flags.row != kNone) return set(flags);
        return set(body.compute(by_width(Opcode::popc32, arg(0).rows), 1, arg(0)));
    }
    if (name == "clz" || name == "clzll") return set(body.compute(by_width(Opcode::clz32, arg(0).rows), 1, arg(0)));
    if (name == "ffs" || name == "ffsll") return set(find_first_set(body, arg(0)));
    if (name == "brev" || name == "brevll")
        return set(body.compute(by_width(Opcode::brev32, arg(0).rows), arg(0).rows, arg(0)));
    if (name == "byte_perm") return set(body.compute(Opcode::prmt, 1, arg(0), arg(1), arg(2)));
    if (name == "mulhi" || name == "mul64hi") return set(upper_product(body, true, arg(0), arg(1)));
    if (name == "umulhi" || name == "umul64hi") return set(upper_product(body, false, arg(0), arg(1)));
    if (name == "mul24" || name == "umul24") return set(product_24(body, name == "mul24", arg(0), arg(1)));
    if (name == "sad" || name == "usad") return set(absolute_difference(body, name == "sad", arg(0), arg(1), arg(2)));
    if (name == "abs" || name == "llabs") return set(absolute(body, call.getType(), arg(0)));
    const auto choice = llvm::StringSwitch<std::optional<Opcode>>(name)
                            .Cases("min", "llmin", Opcode::smin32)
                            .Cases("max", "llmax", Opcode::smax32)
                            .Cases("umin", "ullmin", Opcode::umin32)
                            .Cases("umax", "ullmax", Opcode::umax32)
                            .Default(std::nullopt);
    if (choice) return set(integer_choice(body, *choice, width(arg(0)), arg(0), arg(1)));
    return false;
}

// Functions that return values through pointers.
bool pointer_function(Body& body, const llvm::CallBase& call, llvm::StringRef name, Arg arg) {
    const bool single = name.ends_with("f");
    const llvm::Type* type = float_type(body, !single);
    const auto store = [&](unsigned operand, Register value) {
        const Access access{.bytes = static_cast<std::uint8_t>(4 * value.rows), .type = value_type(type)};
        const Register to = arg(operand);
        const std::uint32_t index = Unit::add(body.program.accesses, access);
        Instruction& in = body.emit(Opcode::store);
        in.dst = value.row;
        in.tag_dst = value.tag;
        in.a = to.row;
        in.c = index;
    };
    if (name == "sincosf" || name == "sincos") {
        store(1, float_function(body, Function::sin, type, arg(0)));
        store(2, float_function(body, Function::cos, type, arg(0)));
    } else if (name == "sincospif" || name == "sincospi") {
        store(1, float_function(body, Function::sinpi, type, arg(0)));
        store(2, float_function(body, Function::cospi, type, arg(0)));
    } else if (name == "modff" || name == "modf") {
        const Register whole = float_function(body, Function::trunc, type, arg(0));
        store(1, whole);
        const Register rest = float_operation(body, Opcode::fsub32, type, arg(0), Register{whole.row, whole.rows, 0});
        body.set(&call, float_function(body, Function::copysign, type, rest, arg(0)));
    } else {
        return false;
    }
    return true;
}

// Functions that take several of the machine's operations.
bool composed(Body& body, const llvm::CallBase& call, llvm::StringRef name, Arg arg) {
    llvm::Type* type = call.getArgOperand(0)->getType();
    if (!type->isFloatingPointTy()) return false;
    if (type->isFloatTy() && !name.consume_back("f")) return false;
    const auto reciprocal = [&](Register of) { return float_function(body, Function::reciprocal, type, of); };
    Register made;
    if (name == "rcbrt") {
        made = reciprocal(float_function(body, Function::cbrt, type, arg(0)));
    } else if (name == "rhypot") {
        made = reciprocal(float_function(body, Function::hypot, type, arg(0), arg(1)));
    } else if (name == "powi") {
        llvm::Type* integer = call.getArgOperand(1)->getType();
        made = float_function(body, Function::pow, type, arg(0),
                              cast(body, llvm::Instruction::SIToFP, integer, type, arg(1)));
    } else if (name == "fdim") {
        const Register above = compare(body, llvm::CmpInst::FCMP_OGT, type, arg(0), arg(1));
        made = body.if_else(above, float_operation(body, Opcode::fsub32, type, arg(0), arg(1)),
                            body.constant(0, rows_of(type)));
    } else if (name == "lrint" || name == "llrint" || name == "lround" || name == "llround") {
        const Function f = name.contains("rint") ? Function::rint : Function::round;
        made = cast(body, llvm::Instruction::FPToSI, type, call.getType(), float_function(body, f, type, arg(0)));
    } else {
        return false;
    }
    body.set(&call, made);
    return true;
}

bool classification(Body& body, const llvm::CallBase& call, llvm::StringRef name, Arg arg) {
    const bool is_double = name.ends_with("d");
    const llvm::Type* type = float_type(body, is_double);
    const std::uint8_t rows = is_double ? 2 : 1;
    const auto magnitude = [&] { return float_function(body, Function::abs, type, arg(0)); };
    const Register infinity = body.constant(is_double ? 0x7FF0000000000000ULL : 0x7F800000ULL, rows);
    Register answer;
    if (name == "isnanf" || name == "isnand")
        answer = compare(body, llvm::CmpInst::FCMP_UNO, type, arg(0), arg(0));
    else if (name == "isinff" || name == "isinfd")
        answer = compare(body, llvm::CmpInst::FCMP_OEQ, type, magnitude(), infinity);
    else if (name == "finitef" || name == "isfinited" || name == "isfinitef")
        answer = compare(body, llvm::CmpInst::FCMP_OLT, type, magnitude(), infinity);
    else if (name == "signbitf" || name == "signbitd")
        answer = body.resize(
            body.compute(by_width(Opcode::lshr32, rows), rows, arg(0), body.constant(32U * rows - 1, rows)), 1);
    else
        return false;
    body.set(&call, answer);
    return true;
}

// float2int_rn, double2ull_rz, int2float_rn, uint2double_rn: to an integer as named, to floating point always to
// nearest.
bool conversion(Body& body, const llvm::CallBase& call, llvm::StringRef name, Arg arg) {
    const auto [from, rest] = name.split('2');
    const auto [to, mode] = rest.split('_');
    if (to.empty()) return false;
    const llvm::Type *source = call.getArgOperand(0)->getType(), *result = call.getType();
    Register value = arg(0);
    if (source->isFloatingPointTy() && result->isIntegerTy()) {
        if (mode != "rz") {
            const Function f = mode == "rn" ? Function::rint : mode == "ru" ? Function::ceil : Function::floor;
            value = float_function(body, f, source, value);
        }
        const bool is_signed = !to.starts_with("u");
        value = cast(body, is_signed ? llvm::Instruction::FPToSI : llvm::Instruction::FPToUI, source, result, value);
    } else if (source->isIntegerTy() && result->isFloatingPointTy()) {
        const bool is_signed = !from.starts_with("u");
        value = cast(body, is_signed ? llvm::Instruction::SIToFP : llvm::Instruction::UIToFP, source, result, value);
    } else if (source->isFloatingPointTy() && result->isFloatingPointTy()) {
        value = cast(body, llvm::Instruction::FPTrunc, source, result, value);
    } else {
        return false;
    }
    body.set(&call, value);
    return true;
}

} // namespace

bool lower_math(Body& body, const llvm::CallBase& call, llvm::StringRef name) {
    const auto arg = [&](unsigned k) { return body.of(call.getArgOperand(k)); };
    if (const auto known = math_call(name)) {
        const llvm::Type* type = float_type(body, known->is_double);
        const Opcode op32 = known->is_double ? static_cast<Opcode>(static_cast<int>(known->op) - 1) : known->op;
        if (op32 == Opcode::math32) {
            body.set(&call, float_function(body, known->function, type, arg(0),
                                           takes_two(known->function) ? arg(1) : Register{}));
            if (of_math_library(*call.getCalledFunction())) body.code.code.back().flags |= kOfLibrary;
        } else if (op32 == Opcode::fma32)
            body.set(&call, multiply_add(body, type, arg(0), arg(1), arg(2)));
        else
            body.set(&call, float_operation(body, op32, type, arg(0), arg(1)));
        return true;
    }
    return integer_function(body, call, name, arg) || pointer_function(body, call, name, arg) ||
           composed(body, call, name, arg) || classification(body, call, name, arg) ||
           conversion(body, call, name, arg);
}

// fmax.ftz.nan.f, sqrt.rn.d, ex2.approx.ftz.f, mulhi.ui, f2i.rn: operation, rounding and flushing, type.
bool lower_nvvm_math(Body& body, const llvm::CallBase& call, llvm::StringRef name) {
    const auto arg = [&](unsigned k) { return body.of(call.getArgOperand(k)); };
    const auto [op, rest] = name.split('.');
    llvm::Type* type = call.getType();
    if (type->isVoidTy() || type->isAggregateType()) return false;
    const auto each = [&](auto&& lower) {
        for (std::size_t i = 0; i < body.count(&call); ++i) {
            const auto scalar = [&](unsigned k) { return body.of(call.getArgOperand(k), i); };
            body.set(&call, i, lower(body.type_of(&call, i), scalar));
        }
        return true;
    };
    const auto function = llvm::StringSwitch<std::optional<Function>>(op)
                              .Case("sqrt", Function::sqrt)
                              .Case("rsqrt", Function::rsqrt)
                              .Case("rcp", Function::reciprocal)
                              .Case("ex2", Function::exp2)
                              .Case("lg2", Function::log2)
                              .Case("sin", Function::sin)
                              .Case("cos", Function::cos)
                              .Case("fabs", Function::abs)
                              .Case("floor", Function::floor)
                              .Case("ceil", Function::ceil)
                              .Case("trunc", Function::trunc)
                              .Case("round", Function::rint)
                              .Case("saturate", Function::saturate)
                              .Default(std::nullopt);
    if (function)
        return each([&](const llvm::Type* t, auto scalar) { return float_function(body, *function, t, scalar(0)); });
    const auto operation = llvm::StringSwitch<std::optional<Opcode>>(op)
                               .Case("add", Opcode::fadd32)
                               .Case("mul", Opcode::fmul32)
                               .Case("div", Opcode::fdiv32)
                               .Case("fmin", Opcode::fmin32)
                               .Case("fmax", Opcode::fmax32)
                               .Default(std::nullopt);
    if (operation && type->isFPOrFPVectorTy() && !rest.contains("xorsign"))
        return each([&](const llvm::Type* t, auto scalar) {
            return float_operation(body, *operation, t, scalar(0), scalar(1));
        });
    if (op == "fma" && type->isFPOrFPVectorTy() && !rest.contains("relu") && !rest.contains("sat"))
        return each(
            [&](const llvm::Type* t, auto scalar) { return multiply_add(body, t, scalar(0), scalar(1), scalar(2)); });
    Register made;
    if (op == "prmt") {
        made = body.compute(Opcode::prmt, 1, arg(0), arg(1), arg(2));
    } else if (op == "mulhi" && bits_of(type) >= 32) {
        made = upper_product(body, !rest.starts_with("u"), arg(0), arg(1));
    } else if (op == "mul24") {
        made = product_24(body, rest == "i", arg(0), arg(1));
    } else if (op == "sad" && bits_of(type) == 32) {
        made = absolute_difference(body, rest == "i", arg(0), arg(1), arg(2));
    } else if (op == "move" || op == "bitcast" || op == "reflect") {
        made = op == "reflect" ? body.constant(0) : arg(0);
    } else if (op == "lohi" && rest == "i2d") {
        made = repack(body, {arg(0), arg(1)}, 32, 64).front();
    } else if (op == "d2i" && (rest == "hi" || rest == "lo")) {
        made = repack(body, arg(0), 64, 32)[rest == "hi" ? 1 : 0];
    } else if (op.contains('2') && call.arg_size() == 1) { // d2ui.rm: libdevice's double2uint_rd
        std::string written = op.str() + "_" + rest.split('.').first.str();
        if (llvm::StringRef(written).ends_with("_rm")) written.replace(written.size() - 2, 2, "rd");
        if (llvm::StringRef(written).ends_with("_rp")) written.replace(written.size() - 2, 2, "ru");
        return conversion(body, call, written, arg);
    } else {
        return false;
    }
    body.set(&call, made);
    return true;
}

} // namespace warptree::compile::lowering
