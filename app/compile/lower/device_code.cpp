// PTX from LLVM's NVPTX back end: for kernels that log, and for machines without NVRTC.
#include "app/compile/lower/clock_marks.hpp"
#include "app/compile/lower/compiled.hpp"
#include "app/compile/lower/device_math.hpp"
#include "app/compile/lower/instrument.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/pass_managers.hpp"
#include "app/compile/lower/target.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <cstdlib>
#include <string>

extern "C" {
void LLVMInitializeNVPTXAsmPrinter();
}

namespace warptree::compile {
namespace {

// Functions that the driver provides and our headers only declare.
bool driver_has(llvm::StringRef name) {
    return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail";
}

std::string missing_function(const llvm::Module& module) {
    for (const llvm::Function& function : module)
        if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
            !driver_has(function.getName())) {
            llvm::StringRef name = function.getName();
            const bool math = name.consume_front("__nv_");
            return "it calls " + name.str() +
                   (math ? ", which LLVM cannot compile without CUDA's libdevice"
                         : ", which is not defined for the GPU");
        }
    return {};
}

// Clang allows that a product and a sum are rounded together, which the target's options do not take back.
void round_separately(llvm::Module& module) {
    for (llvm::Function& function : module)
        for (llvm::Instruction& instruction : llvm::instructions(function))
            if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.setHasAllowContract(false);
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
    llvm::PassBuilder builder(&target);
    PassManagers managers(builder);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, managers.modules);
}

// 90 of "sm_90".
int generation(const std::string& architecture) {
    return architecture.starts_with("sm_") ? std::atoi(architecture.c_str() + 3) : 0;
}

// LLVM 19 has no attribute for it.
void put_cluster(std::string& ptx, const Kernel& kernel) {
    const std::size_t entry = ptx.find(".entry " + kernel.symbol + "(");
    const std::size_t end = entry == std::string::npos ? entry : ptx.find(')', entry);
    if (kernel.cluster[0] == 0 || end == std::string::npos) return;
    ptx.insert(end + 1, "\n.explicitcluster\n.reqnctapercluster " + std::to_string(kernel.cluster[0]) + ", " +
                            std::to_string(kernel.cluster[1]) + ", " + std::to_string(kernel.cluster[2]));
}

} // namespace

DeviceCode device_code(Compiled& compiled, const Program& program, const Request& request) {
    DeviceCode code;
    LLVMInitializeNVPTXAsmPrinter();
    llvm::Module& module = *compiled.module;
    if (request.code == Code::traced) {
        round_separately(module);
        code.problem = instrument(compiled, program);
        code.shared = program.static_shared_bytes;
        if (code.problem.empty()) code.problem = link_math(module);
    }
    if (request.code == Code::clocked) code.problem = clock_marks(compiled);
    if (code.problem.empty()) code.problem = missing_function(module);
    const bool clusters =
        lowering::uses_clusters(module) ||
        std::ranges::any_of(program.kernels, [](const Kernel& kernel) { return kernel.cluster[0] != 0; });
    if (code.problem.empty() && clusters && generation(request.architecture) < 90)
        code.problem = "clusters of blocks need a GPU of compute capability 9.0 or newer";
    if (!code.problem.empty()) return code;

    const std::unique_ptr<llvm::TargetMachine> target = make_target(request.architecture);
    for (llvm::Function& function : module) {
        function.removeFnAttr("target-cpu");
        function.removeFnAttr("target-features");
    }
    const bool fast = request.code != Code::traced;
    if (fast) optimise(module, *target);
    if (fast && request.code != Code::listed)
        llvm::StripDebugInfo(module); // a driver may not optimise code with debug info
    else
        llvm::stripNonLineTableDebugInfo(module);
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (target->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
        code.problem = "LLVM cannot generate PTX";
        return code;
    }
    passes.run(module);
    code.ptx = text.str().str();
    for (const Kernel& kernel : program.kernels) put_cluster(code.ptx, kernel);
    return code;
}

} // namespace warptree::compile
