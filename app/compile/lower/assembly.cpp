#include "app/compile/lower/assembly.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>

namespace warptree::compile::lowering {

namespace {

std::string one_line(llvm::StringRef text) {
    std::string line;
    bool space = false;
    for (const char c : text) {
        if (llvm::isSpace(c)) {
            space = !line.empty();
            continue;
        }
        if (space) line += ' ';
        space = false;
        line += c == '$' ? '%' : c; // as in the source
        if (line.size() >= 80) return line + "…";
    }
    return line;
}

} // namespace

Assembly::Assembly(Body& body, const llvm::CallBase& call) : body_(body), call_(call) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    unsigned number = 0, argument = 0;
    for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
        if (constraint.Type == llvm::InlineAsm::isClobber || constraint.Type == llvm::InlineAsm::isLabel) continue;
        const std::string name = "$" + std::to_string(number++);
        if (constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect) {
            outputs_.push_back(name);
            names_[name];
            continue;
        }
        const llvm::Value* value = call.getArgOperand(argument++);
        Bound bound{body.of(value), value};
        if (!constraint.Codes.empty()) { // "+r": the value that an output begins with
            unsigned tied = 0;
            if (!llvm::StringRef(constraint.Codes.front()).getAsInteger(10, tied))
                names_["$" + std::to_string(tied)] = bound;
        }
        names_[name] = bound;
    }
}

bool Assembly::run() {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call_.getCalledOperand());
    const auto statements = ptx::parse(assembly->getAsmString());
    if (!statements) return false;
    for (const ptx::Statement& s : *statements) {
        if (body_.ended) return true; // exit, trap
        if (!statement(s) || !good_) return false;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        Register made = names_[outputs_[i]].value;
        const std::uint8_t rows = rows_of(body_.type_of(&call_, i));
        if (made.row == kNone) made = body_.constant(0, rows);
        body_.set(&call_, i, body_.resize(made, rows));
    }
    return true;
}

const llvm::Type* Assembly::llvm_type(const ptx::Type& type) const {
    llvm::LLVMContext& context = body_.function.getContext();
    if (type.floating())
        return type.bits == 16   ? llvm::Type::getHalfTy(context)
               : type.bits == 32 ? llvm::Type::getFloatTy(context)
                                 : llvm::Type::getDoubleTy(context);
    return llvm::Type::getIntNTy(context, type.kind == ptx::Type::Kind::predicate ? 1 : type.bits);
}

Register Assembly::fitted(Register value, const ptx::Type& type) {
    return body_.keep_low(body_.resize(value, type.rows()), type.bits);
}

Register Assembly::read(const std::string& name, const ptx::Type& type) {
    const auto found = names_.find(name);
    if (found != names_.end()) {
        if (found->second.value.row == kNone) return body_.constant(0, type.rows()); // not written yet
        return body_.resize(found->second.value, type.rows());
    }
    llvm::StringRef special = name;
    special.consume_front("$"); // "%%tid.x" in the source, "$%tid.x" or "%tid.x" here
    if (special.consume_front("%")) {
        const Register made = special_register(body_, special);
        if (made.row != kNone) return body_.resize(made, type.rows());
        if (special == "WARP_SZ") return body_.constant(32, type.rows());
    }
    if (name == "WARP_SZ") return body_.constant(32, type.rows());
    good_ = false;
    return body_.constant(0, type.rows());
}

Register Assembly::read(const ptx::Operand& operand, const ptx::Type& type) {
    if (operand.kind == ptx::Operand::Kind::number) {
        const std::uint64_t mask = type.bits >= 64 ? ~0ULL : (1ULL << type.bits) - 1;
        return body_.constant(operand.number & mask, type.rows());
    }
    if (operand.kind != ptx::Operand::Kind::name) {
        good_ = false;
        return body_.constant(0, type.rows());
    }
    return read(operand.name, type);
}

void Assembly::write(const std::string& name, const ptx::Type& type, Register value) {
    if (name == "_") return; // a sink
    Bound& bound = names_[name];
    bound.value = type.kind == ptx::Type::Kind::predicate ? value : body_.resize(value, type.rows());
    bound.source = nullptr;
}

void Assembly::write(const ptx::Operand& operand, const ptx::Type& type, Register value) {
    good_ &= operand.kind == ptx::Operand::Kind::name;
    write(operand.name, type, value);
}

Register Assembly::predicate(const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::number) return body_.constant(operand.number != 0 ? 1 : 0);
    const Register value = read(operand.name, {ptx::Type::Kind::predicate, 1});
    return operand.negated ? body_.compute(Opcode::xor32, 1, value, body_.constant(1)) : value;
}

const llvm::Value* Assembly::value_of(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second.source;
}

// A number in the text, or an operand of the constraint "n".
std::optional<std::uint64_t> Assembly::immediate(const ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::number) return operand.number;
    auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value_of(operand.name));
    return constant == nullptr ? std::nullopt : std::optional(constant->getZExtValue());
}

bool Assembly::statement(const ptx::Statement& s) {
    if (s.op() == ".reg") {
        for (const ptx::Operand& operand : s.operands) names_[operand.name];
        return true;
    }
    if (s.op() == ".pragma") return true;
    if (s.guard.empty()) {
        const auto type = ptx::type_of(s);
        return threads(s) || memory(s) ||
               (type && (arithmetic(s, *type) || bit_operation(s, *type) || multiply(s, *type) ||
                         conversion(s, *type) || comparison(s, *type)));
    }
    // Predicated: the result keeps its old value where the predicate is false; side effects would need a branch.
    static constexpr const char* kComputing[] = {"mov", "add", "sub", "mul", "mad",  "min", "max", "and", "or",
                                                 "xor", "not", "shl", "shr", "selp", "cvt", "neg", "abs", "fma"};
    bool computes = false;
    for (const char* op : kComputing) computes |= s.op() == op;
    if (!computes || s.operands.empty() || s.operands.front().kind != ptx::Operand::Kind::name) return false;
    const ptx::Operand& target = s.operands.front();
    ptx::Statement plain = s;
    plain.guard.clear();
    const Register before = names_[target.name].value;
    if (!statement(plain)) return false;
    const Register after = names_[target.name].value;
    if (before.row == kNone) return true;
    ptx::Operand guard{.name = s.guard, .second = {}, .negated = s.guard_negated, .names = {}};
    names_[target.name].value = body_.if_else(predicate(guard), after, body_.resize(before, after.rows));
    return good_;
}

void lower_assembly(Body& body, const llvm::CallBase& call) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    if (!Assembly(body, call).run())
        body.trap("inline assembly \"" + one_line(assembly->getAsmString()) + "\" is not supported by warptree");
}

} // namespace warptree::compile::lowering
