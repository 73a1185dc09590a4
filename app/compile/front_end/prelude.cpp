#include "app/compile/front_end/prelude.hpp"

#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/compile/client/compiler.hpp"
#include "app/compile/front_end/diagnostics.hpp"
#include "app/compile/front_end/files.hpp"
#include "app/compile/front_end/options.hpp"
#include "app/compile/worker/worker.hpp"

#include <clang/Basic/Version.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Serialization/ASTReader.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/xxhash.h>

#include <cstdio>
#include <filesystem>

namespace warptree::compile {
namespace {

constexpr std::string_view kFile = "warptree-compile.pch"; // beside the program

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
    auto files = llvm::makeIntrusiveRefCnt<SourceFiles>();
    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation_of_prelude());
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

// The first line of the file: what the rest was made from, and the rest's own hash.
std::string heading(std::string_view prelude) {
    std::string from = clang::getClangFullVersion() + "\n" + all_options();
    for (const EmbeddedHeader& header : embedded_headers()) (((from += header.path) += '\n') += header.text) += '\n';
    return "warptree prelude " + llvm::utohexstr(llvm::xxh3_64bits(from)) + " " +
           llvm::utohexstr(llvm::xxh3_64bits(llvm::StringRef(prelude))) + "\n";
}

std::filesystem::path file_path() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / kFile;
}

std::string kept_prelude() {
    try {
        return prelude_in(read_whole(file_path()));
    } catch (const FileError&) { // none is kept
        return {};
    }
}

} // namespace

std::string prelude_in(std::string_view file) {
    const std::size_t end = file.find('\n');
    if (end == std::string_view::npos) return {};
    const std::string_view prelude = file.substr(end + 1);
    return file.substr(0, end + 1) == heading(prelude) ? std::string(prelude) : std::string();
}

std::string file_of_prelude(std::string_view prelude) { return heading(prelude).append(prelude); }

int keep_prelude() {
    try {
        write_whole(file_path(), file_of_prelude(precompile()));
        return 0;
    } catch (const std::exception& error) { // FileError or CompileError
        std::fprintf(stderr, "warptree-compile: %s\n", error.what());
        return 1;
    }
}

const std::string& precompiled_prelude() {
    static const std::string bytes = [] {
        std::string kept = kept_prelude();
        return kept.empty() ? precompile() : kept;
    }();
    return bytes;
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

} // namespace warptree::compile
