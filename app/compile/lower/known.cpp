#include "app/compile/lower/known.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace warptree::compile::lowering {

Known known(const llvm::Function& function) {
    if (function.isIntrinsic()) return Known::none;
    const llvm::StringRef name = function.getName();
    if (name.starts_with("__nv_")) return Known::math;
    return llvm::StringSwitch<Known>(name)
        .Cases("__warptree_shuffle_32", "__warptree_shuffle_64", Known::shuffle)
        .Case("__warptree_grid_sync", Known::grid_sync)
        .Case("__warptree_lanes_here", Known::lanes_here)
        .Case("vprintf", Known::print)
        .Cases("__assertfail", "__assert_fail", Known::assert_fail)
        .Cases("malloc", "_Znwm", "_Znam", Known::allocate)
        .Cases("free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", Known::release)
        .Cases("__trap", "abort", Known::trap)
        .Default(Known::none);
}

std::string readable_name(const llvm::Function& function) { return llvm::demangle(function.getName()); }

llvm::Function* callee_of(const llvm::CallBase& call) {
    llvm::Function* callee = call.getCalledFunction();
    return callee == nullptr || callee->isDeclaration() || known(*callee) != Known::none ? nullptr : callee;
}

std::optional<MathCall> math_call(llvm::StringRef name) {
    static const llvm::StringMap<MathCall> kCalls = [] {
        llvm::StringMap<MathCall> calls;
        const auto function = [&](Function f, llvm::StringRef libdevice) {
            calls[libdevice] = {Opcode::math64, f, true};
            calls[(libdevice + "f").str()] = {Opcode::math32, f, false};
        };
        for (int i = 0; i < static_cast<int>(Function::count); ++i) {
            const auto f = static_cast<Function>(i);
            if (f != Function::abs) function(f, compile::name(f)); // __nv_abs is for integers
        }
        function(Function::abs, "fabs");
        function(Function::reciprocal, "rcp");
        function(Function::rint, "nearbyint");
        function(Function::ldexp, "scalbn");
        const auto operation = [&](Opcode op32, Opcode op64, llvm::StringRef libdevice) {
            calls[libdevice] = {op64, Function::abs, true};
            calls[(libdevice + "f").str()] = {op32, Function::abs, false};
        };
        operation(Opcode::fmin32, Opcode::fmin64, "fmin");
        operation(Opcode::fmax32, Opcode::fmax64, "fmax");
        operation(Opcode::fma32, Opcode::fma64, "fma");
        calls["fdividef"] = {Opcode::fdiv32, Function::abs, false};
        calls["saturatef"] = {Opcode::math32, Function::saturate, false};
        return calls;
    }();
    name.consume_front("fast_");
    const auto at = kCalls.find(name);
    if (at != kCalls.end()) return at->second;
    // __nv_fadd_rn, __nv_dsqrt_rz: the machine always rounds to nearest.
    const auto rounded = [&](llvm::StringRef base) {
        for (const char* mode : {"_rn", "_rz", "_ru", "_rd"})
            if (name == (base + mode).str()) return true;
        return false;
    };
    static constexpr std::pair<const char*, MathCall> kRounded[] = {
        {"fadd", {Opcode::fadd32, Function::abs, false}},        {"dadd", {Opcode::fadd64, Function::abs, true}},
        {"fsub", {Opcode::fsub32, Function::abs, false}},        {"dsub", {Opcode::fsub64, Function::abs, true}},
        {"fmul", {Opcode::fmul32, Function::abs, false}},        {"dmul", {Opcode::fmul64, Function::abs, true}},
        {"fdiv", {Opcode::fdiv32, Function::abs, false}},        {"ddiv", {Opcode::fdiv64, Function::abs, true}},
        {"fmaf", {Opcode::fma32, Function::abs, false}},         {"fma", {Opcode::fma64, Function::abs, true}},
        {"fsqrt", {Opcode::math32, Function::sqrt, false}},      {"dsqrt", {Opcode::math64, Function::sqrt, true}},
        {"frcp", {Opcode::math32, Function::reciprocal, false}}, {"drcp", {Opcode::math64, Function::reciprocal, true}},
        {"frsqrt", {Opcode::math32, Function::rsqrt, false}},
    };
    for (const auto& [base, call] : kRounded)
        if (rounded(base)) return call;
    return std::nullopt;
}

bool is_shuffle(const llvm::CallBase& call) {
    if (known(call) == Known::shuffle) return true;
    const llvm::Function* callee = call.getCalledFunction();
    return callee != nullptr && callee->isIntrinsic() && callee->getName().starts_with("llvm.nvvm.shfl.");
}

bool is_warp_reduce(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    return callee != nullptr && callee->getName().starts_with("llvm.nvvm.redux.sync.");
}

bool assembly_has(const llvm::CallBase& call, llvm::StringRef mnemonic) {
    auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
    if (assembly == nullptr) return false;
    const llvm::StringRef text = assembly->getAsmString();
    for (std::size_t at = text.find(mnemonic); at != llvm::StringRef::npos; at = text.find(mnemonic, at + 1))
        if (at == 0 || (!llvm::isAlnum(text[at - 1]) && text[at - 1] != '.' && text[at - 1] != '_')) return true;
    return false;
}

bool uses_clusters(const llvm::Module& module) {
    return std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
        llvm::StringRef name = function.getName();
        if (function.use_empty() || !name.consume_front("llvm.nvvm.")) return false;
        return name.starts_with("mapa") || name.starts_with("getctarank") || name.contains("cluster");
    });
}

bool is_block_barrier(const llvm::CallBase& call) {
    if (call.isInlineAsm()) return assembly_has(call, "bar.sync") || assembly_has(call, "barrier.sync");
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr || !callee->isIntrinsic()) return false;
    const llvm::StringRef name = callee->getName();
    return (name.starts_with("llvm.nvvm.barrier") && !name.starts_with("llvm.nvvm.barrier.cluster.arrive")) ||
           name == "llvm.nvvm.bar.sync";
}

bool synchronises(const llvm::CallBase& call) {
    if (is_mark(call)) return false;
    if (is_shuffle(call) || known(call) == Known::grid_sync) return true;
    if (call.isInlineAsm())
        return assembly_has(call, "bar.") || assembly_has(call, "barrier.") || assembly_has(call, "shfl.");
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr || !callee->isIntrinsic()) return false;
    const llvm::StringRef name = callee->getName();
    return name.starts_with("llvm.nvvm.bar");
}

} // namespace warptree::compile::lowering
