// Linked where LLVM's archives are: Debian's Clang refers to the Polly extension, whose archive is in a package of its own.
// Its passes, of loops for caches of CPUs, have nothing to do here.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "Polly", "none", [](llvm::PassBuilder&) {}};
}
