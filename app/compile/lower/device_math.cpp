#include "app/compile/lower/device_math.hpp"

#include "app/compile/lower/known.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

namespace warptree::compile {

std::string_view math_bitcode(); // made by the build from libclc's; empty: it was not found

namespace {

std::optional<Function> math_function(const llvm::Function& function) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("__nv_")) return std::nullopt;
    const auto call = lowering::math_call(name);
    if (!call || (call->op != Opcode::math32 && call->op != Opcode::math64)) return std::nullopt;
    return call->function;
}

// Writes the body of one function.
class Writer {
  public:
    explicit Writer(llvm::Function& function)
        : function_(function), build_(llvm::BasicBlock::Create(function.getContext(), "", &function)) {}

    // False: there is no code for it.
    bool write(Function f) {
        switch (f) {
        case Function::rsqrt:
            result(build_.CreateFDiv(one(), build_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, arg(0))));
            break;
        case Function::reciprocal: result(build_.CreateFDiv(one(), arg(0))); break;
        case Function::saturate:
            result(
                build_.CreateMinNum(build_.CreateMaxNum(arg(0), llvm::ConstantFP::get(arg(0)->getType(), 0)), one()));
            break;
        case Function::normcdf: {
            llvm::Value* scaled = build_.CreateFDiv(build_.CreateFNeg(wide(arg(0))), number(std::numbers::sqrt2));
            result(build_.CreateFDiv(core("_Z4erfcd", {scaled}), number(2)));
            break;
        }
        case Function::nextafter:
            result(core(arg(0)->getType()->isFloatTy() ? "_Z9nextafterff" : "_Z9nextafterdd", {arg(0), arg(1)}));
            break;
        case Function::ldexp: result(core("_Z5ldexpdi", {wide(arg(0)), arg(1)})); break;
        case Function::erfinv: return false;
        default: {
            const std::string name = compile::name(f);
            std::vector<llvm::Value*> values;
            for (unsigned k = 0; k < function_.arg_size(); ++k) values.push_back(wide(arg(k)));
            result(core("_Z" + std::to_string(name.size()) + name + std::string(values.size(), 'd'), values));
        }
        }
        return true;
    }

  private:
    llvm::Value* arg(unsigned k) { return function_.getArg(k); }
    llvm::Value* one() { return llvm::ConstantFP::get(arg(0)->getType(), 1); }
    llvm::Value* number(double value) { return llvm::ConstantFP::get(build_.getDoubleTy(), value); }
    llvm::Value* wide(llvm::Value* value) { return build_.CreateFPExt(value, build_.getDoubleTy()); }
    llvm::Value* core(const std::string& name, std::vector<llvm::Value*> values) {
        std::vector<llvm::Type*> types;
        for (llvm::Value* value : values) types.push_back(value->getType());
        return build_.CreateCall(
            function_.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(types[0], types, false)), values);
    }
    void result(llvm::Value* value) { build_.CreateRet(build_.CreateFPTrunc(value, function_.getReturnType())); }

    llvm::Function& function_;
    llvm::IRBuilder<> build_;
};

} // namespace

bool of_math_library(const llvm::Function& function) { return math_function(function).has_value(); }

std::string link_math(llvm::Module& module) {
    std::vector<llvm::Function*> needed;
    for (llvm::Function& function : module)
        if (!function.use_empty() && of_math_library(function)) needed.push_back(&function);
    if (needed.empty()) return {};
    const auto without = [](const llvm::Function& function, const char* why) {
        return "it calls " + function.getName().drop_front(5).str() + ", " + why;
    };
    const std::string_view bitcode = math_bitcode();
    if (bitcode.empty())
        return without(*needed.front(), "for which this build has no code: install libclc-19 and build again");
    for (llvm::Function* function : needed) {
        const Function known = *math_function(*function); // before it has a body
        if (!Writer(*function).write(known))
            return without(*function, "for which there is no code to trace it on a GPU");
    }
    auto library = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "libclc"), module.getContext());
    if (!library) return "libclc's code cannot be read: " + llvm::toString(library.takeError());
    (*library)->setTargetTriple(module.getTargetTriple());
    (*library)->setDataLayout(module.getDataLayout());
    if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
        return "libclc's code cannot be linked";
    return {};
}

} // namespace warptree::compile
