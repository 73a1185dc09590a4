#include "app/compile/front_end_options.hpp"

#include "app/compile/compiler.hpp"
#include "app/compile/front_end_diagnostics.hpp"
#include "app/compile/front_end_files.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTReader.h>
#include <clang/Serialization/ASTWriter.h>

#include <vector>

namespace warptree::compile {
namespace {

std::vector<const char*> arguments() {
    return {"-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-pc-linux-gnu", "-target-cpu", "sm_90",
            "-target-feature", "+ptx78", "-target-sdk-version=12.3",
            // Language: what nvcc accepts by default or with common options.
            "-std=gnu++20", "-fcuda-is-device", "-fcuda-allow-variadic-functions", "-fdeclspec", "-fexceptions",
            "-fcxx-exceptions", "-fno-char8_t", "-fno-cxx-modules", "-fno-threadsafe-statics",
            // No system headers: ours, then the file's folder, then that of our kernels.
            "-nostdsysteminc", "-nobuiltininc", "-internal-isystem", "/warptree", "-idirafter", "/source", "-idirafter",
            "/kernels",
            // The module for display: not optimised, but without the clutter of unoptimised code.
            "-O2", "-disable-llvm-passes", "-disable-lifetime-markers", "-debug-info-kind=limited", "-dwarf-version=2",
            "-fdebug-compilation-dir=.",
            "-fdebug-prefix-map=/source/=", "-fdebug-prefix-map=/warptree/=", "-fdebug-prefix-map=/kernels/=",
            "-fmacro-prefix-map=/source/=", "-fmacro-prefix-map=/warptree/=", "-fmacro-prefix-map=/kernels/=",
            // Diagnostics: none for what nvcc accepts silently.
            "-ferror-limit", "0", "-fno-caret-diagnostics", "-Wno-deprecated-volatile", "-Wno-register",
            "-Wno-c++11-narrowing", "-Wno-unknown-cuda-version", "-Wno-writable-strings", "-Wno-unknown-pragmas",
            "-Wno-ignored-attributes", "-Wno-pass-failed", "-Wno-deprecated-enum-enum-conversion", "-Wno-unused-value",
            "-Wno-unused-result", "-Wuninitialized", "-Wno-undefined-inline", "-Wno-undefined-internal",
            "-Wno-macro-redefined", "-Wno-vla-cxx-extension", "-Wno-gnu", "-Wno-return-type-c-linkage", "-x", "cuda"};
}

std::shared_ptr<clang::CompilerInvocation> parsed(std::vector<const char*> words, const std::string& main) {
    const std::string name(SourceFiles::name_of(main));
    words.push_back("-main-file-name");
    words.push_back(name.c_str());
    words.push_back(main.c_str());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    clang::DiagnosticsEngine engine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                    new clang::IgnoringDiagConsumer);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, words, engine))
        throw CompileError("Clang does not accept the options of this build");
    return invocation;
}

class PrecompileAction : public clang::ASTFrontendAction {
  public:
    std::shared_ptr<clang::PCHBuffer> buffer = std::make_shared<clang::PCHBuffer>();

  private:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
        return std::make_unique<clang::PCHGenerator>(compiler.getPreprocessor(), compiler.getModuleCache(),
                                                     kPrecompiled.data(), "", buffer,
                                                     compiler.getFrontendOpts().ModuleFileExtensions, false, false);
    }
    clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
    bool hasASTFileSupport() const override { return false; }
};

std::string precompile() {
    auto files = llvm::makeIntrusiveRefCnt<SourceFiles>("");
    clang::CompilerInstance compiler;
    auto words = arguments();
    words.push_back("-emit-pch");
    compiler.setInvocation(parsed(words, std::string(kPrelude)));
    Diagnostics diagnostics(compiler);
    compiler.createDiagnostics(&diagnostics, false);
    compiler.createFileManager(files);
    PrecompileAction action;
    compiler.ExecuteAction(action);
    for (const Finding& finding : diagnostics.findings())
        if (finding.main.severity == Diagnostic::Severity::error)
            throw CompileError(finding.main.file + ":" + std::to_string(finding.main.line) + ": " +
                               finding.main.message);
    return {action.buffer->Data.begin(), action.buffer->Data.end()};
}

} // namespace

std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::string& main) {
    auto words = arguments();
    words.insert(words.end(), {"-emit-llvm-only", "-fno-validate-pch", "-include", kAfterPrelude.data()});
    return parsed(words, main);
}

void read_prelude(clang::CompilerInstance& compiler) {
    // For every file Clang would check all functions of our headers for calls between host and device; those that the
    // file calls are checked anyway.
    class Reader : public clang::ASTReader {
      public:
        using ASTReader::ASTReader;

      private:
        void ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<clang::Decl*, 4>&) override {}
    };
    const auto reader = llvm::makeIntrusiveRefCnt<Reader>(compiler.getPreprocessor(), compiler.getModuleCache(),
                                                          &compiler.getASTContext(), compiler.getPCHContainerReader(),
                                                          compiler.getFrontendOpts().ModuleFileExtensions, "",
                                                          clang::DisableValidationForModuleKind::All);
    compiler.getASTContext().setExternalSource(reader);
    const auto result = reader->ReadAST(kPrecompiled, clang::serialization::MK_PCH, clang::SourceLocation(),
                                        clang::ASTReader::ARR_None);
    if (result != clang::ASTReader::Success) throw CompileError("the precompiled headers cannot be read");
    compiler.getPreprocessor().setPredefines(reader->getSuggestedPredefines());
}

const std::string& precompiled_prelude() {
    static const std::string bytes = precompile();
    return bytes;
}

} // namespace warptree::compile
