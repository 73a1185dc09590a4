#include "app/compile/front_end/host.hpp"

#include "app/compile/front_end/diagnostics.hpp"
#include "app/compile/front_end/doubts.hpp"
#include "app/compile/front_end/files.hpp"
#include "app/compile/front_end/host_entries.hpp"
#include "app/compile/front_end/host_options.hpp"
#include "app/compile/front_end/host_variables.hpp"
#include "app/compile/front_end/missing.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Stmt.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace warptree::compile {
namespace {

// An assembler's directives read files and change sections; instructions do neither.
bool has_directive(llvm::StringRef assembly) {
    bool begins = true; // of a word
    for (std::size_t i = 0; i + 1 < assembly.size(); ++i) {
        if (begins && assembly[i] == '.' && llvm::isAlpha(assembly[i + 1])) return true;
        begins = !llvm::isAlnum(assembly[i]) && assembly[i] != '_' && assembly[i] != '.' && assembly[i] != '$';
    }
    return false;
}

bool has_directive(const llvm::Module& module) {
    if (has_directive(module.getModuleInlineAsm())) return true;
    for (const llvm::Function& function : module)
        for (const llvm::Instruction& instruction : llvm::instructions(function))
            if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                call != nullptr && call->isInlineAsm() &&
                has_directive(llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString()))
                return true;
    return false;
}

// The bodies of kernels and device functions are not read: the host calls a kernel by its stub, whose body Clang makes
// for any kernel that has one. So a kernel gets an empty one.
class HostConsumer : public clang::ASTConsumer {
  public:
    HostConsumer(clang::CompilerInstance& compiler, HostCode& code, llvm::LLVMContext& context)
        : compiler_(compiler), code_(code),
          generator_(clang::CreateLLVMCodeGen(compiler.getDiagnostics(), "host", &compiler.getVirtualFileSystem(),
                                              compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                              compiler.getCodeGenOpts(), context)) {}

  private:
    bool is_own(const clang::FunctionDecl& function) const {
        const clang::SourceManager& sources = compiler_.getSourceManager();
        const auto file = sources.getFileEntryRefForID(sources.getFileID(sources.getFileLoc(function.getLocation())));
        return file && SourceFiles::of_request(std::string_view(file->getName()));
    }
    static bool is_for_the_device(const clang::FunctionDecl& function) {
        return function.hasAttr<clang::CUDAGlobalAttr>() ||
               (function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>());
    }
    bool shouldSkipFunctionBody(clang::Decl* d) override {
        if (const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(d)) d = made->getTemplatedDecl();
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(d);
        return function != nullptr && is_for_the_device(*function);
    }
    void look(clang::Decl* d) {
        if (auto* scope = llvm::dyn_cast<clang::DeclContext>(d);
            scope != nullptr && (llvm::isa<clang::NamespaceDecl>(d) || llvm::isa<clang::LinkageSpecDecl>(d)))
            for (clang::Decl* inner : scope->decls()) look(inner);
        has_device_variables_ |= llvm::isa<clang::VarDecl>(d) &&
                                 (d->hasAttr<clang::CUDADeviceAttr>() || d->hasAttr<clang::CUDAConstantAttr>());
        auto* function = llvm::dyn_cast<clang::FunctionDecl>(d);
        if (function == nullptr) return;
        if (function->isMain() && function->isThisDeclarationADefinition()) code_.has_main = true;
        if (function->doesThisDeclarationHaveABody() && !function->isTemplateInstantiation() &&
            !function->isDependentContext() && is_own(*function))
            functions_.push_back(function);
        if (function->hasSkippedBody() && !function->isDependentContext() &&
            function->hasAttr<clang::CUDAGlobalAttr>()) {
            function->setHasSkippedBody(false);
            function->setBody(clang::CompoundStmt::CreateEmpty(compiler_.getASTContext(), 0, false));
        }
    }

    void Initialize(clang::ASTContext& context) override { generator_->Initialize(context); }
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        for (clang::Decl* d : group) look(d);
        return generator_->HandleTopLevelDecl(group);
    }
    void HandleInterestingDecl(clang::DeclGroupRef group) override { HandleTopLevelDecl(group); }
    void HandleInlineFunctionDefinition(clang::FunctionDecl* d) override {
        generator_->HandleInlineFunctionDefinition(d);
    }
    void HandleTagDeclDefinition(clang::TagDecl* d) override { generator_->HandleTagDeclDefinition(d); }
    void HandleTagDeclRequiredDefinition(const clang::TagDecl* d) override {
        generator_->HandleTagDeclRequiredDefinition(d);
    }
    void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* d) override {
        generator_->HandleCXXStaticMemberVarInstantiation(d);
    }
    void CompleteTentativeDefinition(clang::VarDecl* d) override { generator_->CompleteTentativeDefinition(d); }
    void CompleteExternalDeclaration(clang::DeclaratorDecl* d) override { generator_->CompleteExternalDeclaration(d); }
    void HandleVTable(clang::CXXRecordDecl* d) override { generator_->HandleVTable(d); }
    void AssignInheritanceModel(clang::CXXRecordDecl* d) override { generator_->AssignInheritanceModel(d); }
    void HandleImplicitImportDecl(clang::ImportDecl* d) override { generator_->HandleImplicitImportDecl(d); }

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (compiler_.getDiagnostics().hasErrorOccurred()) return;
        for (const clang::FunctionDecl* function : functions_) report_doubts(compiler_.getDiagnostics(), *function);
        code_.entries = entries_of(context, functions_);
        if (has_device_variables_) code_.touches = touches_of(context, functions_);
        generator_->HandleTranslationUnit(context);
        const std::unique_ptr<llvm::Module> module(generator_->ReleaseModule());
        if (module == nullptr) return;
        if (has_directive(*module)) {
            code_.problem = "its host code has inline assembly with an assembler's directives, which is not part of "
                            "warptree; instructions are";
            return;
        }
        llvm::SmallVector<char, 0> object;
        clang::EmitBackendOutput(compiler_.getDiagnostics(), compiler_.getHeaderSearchOpts(),
                                 compiler_.getCodeGenOpts(), compiler_.getTargetOpts(), compiler_.getLangOpts(),
                                 context.getTargetInfo().getDataLayoutString(), module.get(), clang::Backend_EmitObj,
                                 &compiler_.getVirtualFileSystem(),
                                 std::make_unique<llvm::raw_svector_ostream>(object));
        code_.object.assign(object.begin(), object.end());
    }

    clang::CompilerInstance& compiler_;
    HostCode& code_;
    bool has_device_variables_ = false;
    std::vector<clang::FunctionDecl*> functions_; // of the file and its headers, with bodies
    std::unique_ptr<clang::CodeGenerator> generator_;
};

class HostAction : public clang::ASTFrontendAction {
  public:
    explicit HostAction(HostCode& code) : code_(code) {}

  private:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
        return std::make_unique<HostConsumer>(compiler, code_, context_);
    }
    HostCode& code_;
    llvm::LLVMContext context_;
};

void initialise_target() {
    static const bool once = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser();
        return true;
    }();
    (void)once;
}

HostCode compile_as(const Request& request, const FindFile& find, HostStandard standard) {
    HostCode code;
    const std::string path = std::string(kSourceRoot) + std::string(request.name);
    auto sources = llvm::makeIntrusiveRefCnt<SourceFiles>(find, Headers::and_the_systems);
    sources->add(path, request.text);
    sources->add(std::string(kGpuBinary), "warptree"); // so that Clang registers kernels and variables
    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation_of_host(path, request.folders, standard));
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    for (const Define& define : request.defines)
        compiler.getPreprocessorOpts().addMacroDef(define.name + "=" + define.value);
    Diagnostics diagnostics(compiler);
    compiler.createDiagnostics(&diagnostics, false);
    compiler.createFileManager(sources);
    HostAction action(code);
    compiler.ExecuteAction(action);
    for (Finding& finding : diagnostics.findings()) {
        if (finding.main.severity == Diagnostic::Severity::warning) code.warnings.push_back(std::move(finding.main));
        if (finding.main.severity != Diagnostic::Severity::error) continue;
        code.diagnostics.push_back(std::move(finding.main));
        for (Diagnostic& note : finding.notes) code.diagnostics.push_back(std::move(note));
    }
    if (!code.diagnostics.empty()) code.object.clear();
    return code;
}

} // namespace

HostCode compile_host(const Request& request, const FindFile& find) {
    HostCode code;
    if (!system_headers().problem.empty()) {
        code.problem = system_headers().problem;
        return code;
    }
    initialise_target();
    code = compile_as(request, find, HostStandard::cxx17);
    if (!code.diagnostics.empty()) {
        HostCode newer = compile_as(request, find, HostStandard::cxx20);
        if (newer.diagnostics.empty()) code = std::move(newer);
    }
    if (code.problem.empty() && code.diagnostics.empty() && code.object.empty())
        throw CompileError(request.name + ": Clang generated no host code and did not say why");
    add_lines(code);
    return code;
}

} // namespace warptree::compile
