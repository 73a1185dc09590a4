#include "app/compile/lower/target.hpp"

#include "app/compile/client/compiler.hpp"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <algorithm>
#include <array>
#include <cstdlib>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
}

namespace warptree::compile {

std::unique_ptr<llvm::TargetMachine> make_target(const std::string& architecture) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget("nvptx64-nvidia-cuda", error);
    if (target == nullptr) throw CompileError("LLVM has no NVPTX target: " + error);
    constexpr std::array kKnown{90, 89, 87, 86, 80, 75};
    const int wanted = architecture.starts_with("sm_") ? std::atoi(architecture.c_str() + 3) : 0;
    const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](int each) { return each <= wanted; });
    if (known == kKnown.end())
        throw CompileError("no code is generated for " + architecture + "; it needs sm_75 or newer");
    const char* ptx = *known >= 90   ? "+ptx80" // needs a driver of CUDA 12.0 or newer; for bulk prefetches
                      : *known >= 89 ? "+ptx78"
                      : *known >= 86 ? "+ptx74"
                      : *known >= 80 ? "+ptx70"
                                     : "+ptx64";
    // Products and sums are rounded separately, as in the machine.
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine("nvptx64-nvidia-cuda", "sm_" + std::to_string(*known), ptx, options, std::nullopt));
}

} // namespace warptree::compile
