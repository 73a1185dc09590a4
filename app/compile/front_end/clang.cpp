#include "app/compile/front_end/clang.hpp"

#include "app/compile/front_end/broken.hpp"
#include "app/compile/front_end/doubts.hpp"
#include "app/compile/front_end/judge.hpp"
#include "app/compile/front_end/options.hpp"
#include "app/compile/front_end/prelude.hpp"
#include "app/compile/front_end/walk.hpp"

#include <clang/AST/GlobalDecl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#ifdef __SANITIZE_ADDRESS__
// LLVM's allocators, inlined here, poison memory; LLVM's libraries, built without ASan, hand it out without unpoisoning
// it.
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
#endif

namespace warptree::compile {
namespace {

constexpr llvm::StringLiteral kInstance = "__warptree_instance_";

// Collects what was included and what was not found.
class Inclusions : public clang::PPCallbacks {
  public:
    Inclusions(clang::CompilerInstance& compiler, Run& run) : compiler_(compiler), run_(run) {}
    // Suppresses Clang's error, as InclusionDirective() reports a missing header; but not for #embed, for which Clang
    // calls this too.
    bool FileNotFound(llvm::StringRef) override { return !in_embed(); }
    void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef name, bool,
                            clang::CharSourceRange range, clang::OptionalFileEntryRef file, llvm::StringRef,
                            llvm::StringRef, const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) override {
        if (!file)
            run_.missing.push_back({name.str(), diagnostic_at(compiler_, range)});
        else if (SourceFiles::of_request(std::string_view(file->getName())) ||
                 file->getName().starts_with(kKernelsRoot))
            run_.read.push_back(file->getName().str());
    }

  private:
    bool in_embed() const {
        const clang::PreprocessorLexer* lexer = compiler_.getPreprocessor().getCurrentFileLexer();
        if (lexer == nullptr) return false;
        const llvm::StringRef text = compiler_.getSourceManager().getBufferData(lexer->getFileID());
        const char* here = static_cast<const clang::Lexer*>(lexer)->getBufferLocation();
        llvm::StringRef line = text.take_front(static_cast<std::size_t>(here - text.data())).rtrim("\r\n");
        line = line.substr(line.rfind('\n') + 1).ltrim();
        return line.consume_front("#") && line.ltrim().starts_with("embed");
    }

    clang::CompilerInstance& compiler_;
    Run& run_;
};

// Replaces pragmas that make Clang look for files and modules, or write them, and those that make it crash.
class RefusedPragma : public clang::PragmaHandler {
  public:
    using PragmaHandler::PragmaHandler;
    void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer, clang::Token& first) override {
        const unsigned id = preprocessor.getDiagnostics().getCustomDiagID(
            clang::DiagnosticsEngine::Error, "'#pragma clang %0' is not part of warptree; remove it");
        preprocessor.Diag(first.getLocation(), id) << getName();
        preprocessor.DiscardUntilEndOfDirective();
    }
};

// atomicCAS is relaxed. Clang's relaxed compare-and-swap is followed by a branch, so our header uses the sequentially
// consistent one, which no other CUDA function uses.
void relax_compare_and_swap(llvm::Module& module) {
    for (llvm::Function& function : module)
        for (llvm::Instruction& instruction : llvm::instructions(function))
            if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
                swap != nullptr && swap->getSuccessOrdering() == llvm::AtomicOrdering::SequentiallyConsistent) {
                swap->setSuccessOrdering(llvm::AtomicOrdering::Monotonic);
                swap->setFailureOrdering(llvm::AtomicOrdering::Monotonic);
            }
}

// Gives the atomics of cuda::atomic and atomic_ref the scope of their type (include/cuda/atomic), before they are inlined.
void set_scopes(llvm::Module& module) {
    const llvm::SyncScope::ID block = module.getContext().getOrInsertSyncScopeID("block");
    for (llvm::Function& function : module) {
        const llvm::StringRef name = function.getName();
        if (!name.starts_with("_ZNK4cuda19__atomic_operationsI")) continue;
        if (!name.contains("12thread_scopeE2E") && !name.contains("12thread_scopeE3E")) continue; // block, thread
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && load->isAtomic())
                load->setSyncScopeID(block);
            else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && store->isAtomic())
                store->setSyncScopeID(block);
            else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
                update->setSyncScopeID(block);
            else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
                swap->setSyncScopeID(block);
        }
    }
}

// Keeps what Clang parsed until the whole file is judged: code is generated only if device code has no errors.
class Consumer : public clang::ASTConsumer {
  public:
    Consumer(clang::CompilerInstance& compiler, Diagnostics& diagnostics, Run& run, std::size_t instances)
        : compiler_(compiler), diagnostics_(diagnostics), run_(run), instances_(instances) {}

  private:
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        keep([this, group](clang::ASTConsumer& to) {
            for (clang::Decl* declaration : group)
                if (can_be_generated(declaration)) to.HandleTopLevelDecl(clang::DeclGroupRef(declaration));
        });
        for (clang::Decl* declaration : group) {
            const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            if (function == nullptr || !function->isTemplateInstantiation()) declarations_.push_back(declaration);
        }
        compiler_.getDiagnostics().Reset(true); // an error in host code must not stop what follows
        return true;
    }
    // From the precompiled headers.
    void HandleInterestingDecl(clang::DeclGroupRef group) override {
        keep([group](clang::ASTConsumer& to) { to.HandleTopLevelDecl(group); });
    }
    void HandleInlineFunctionDefinition(clang::FunctionDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.HandleInlineFunctionDefinition(d); });
    }
    void HandleTagDeclDefinition(clang::TagDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.HandleTagDeclDefinition(d); });
    }
    void HandleTagDeclRequiredDefinition(const clang::TagDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.HandleTagDeclRequiredDefinition(d); });
    }
    void CompleteTentativeDefinition(clang::VarDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.CompleteTentativeDefinition(d); });
    }
    void CompleteExternalDeclaration(clang::DeclaratorDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.CompleteExternalDeclaration(d); });
    }
    void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.HandleCXXStaticMemberVarInstantiation(d); });
    }
    void HandleVTable(clang::CXXRecordDecl* d) override {
        keep([d](clang::ASTConsumer& to) { to.HandleVTable(d); });
    }
    // Called only when bodies are to be skipped.
    bool shouldSkipFunctionBody(clang::Decl* d) override {
        if (const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(d)) d = made->getTemplatedDecl();
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(d);
        return function != nullptr && side_of(function) == Side::host && !instance_number(function);
    }
    void keep(std::function<void(clang::ASTConsumer&)> event) {
        if (generator_ != nullptr)
            event(*generator_); // generating code loads more of the precompiled headers
        else
            events_.push_back(std::move(event));
    }

    void HandleTranslationUnit(clang::ASTContext& context) override {
        compiler_.getDiagnostics().Reset(true);
        FileFacts facts = facts_of(context, declarations_);
        for (const clang::FunctionDecl* function : facts.device_functions)
            if (!facts.with_invalid.contains(device_function(function)->getCanonicalDecl()))
                report_doubts(compiler_.getDiagnostics(), *function);
        run_.templates = std::move(facts.templates);
        run_.host_code = std::move(facts.host_code);
        const std::vector<const clang::FunctionDecl*> asked = find_instances();
        Verdict verdict = judge(diagnostics_.findings(), context, declarations_, facts);
        if (verdict.stops || (!verdict.broken.empty() && diagnostics_.lost_errors())) return;
        remove_bodies(verdict.broken, facts.device_functions);
        without_ = verdict.names;

        run_.context = std::make_unique<llvm::LLVMContext>();
        std::unique_ptr<clang::CodeGenerator> generator(
            clang::CreateLLVMCodeGen(compiler_.getDiagnostics(), compiler_.getFrontendOpts().Inputs[0].getFile(),
                                     &compiler_.getVirtualFileSystem(), compiler_.getHeaderSearchOpts(),
                                     compiler_.getPreprocessorOpts(), compiler_.getCodeGenOpts(), *run_.context));
        generator->Initialize(context);
        generator_ = std::move(generator);
        for (const auto& event : std::exchange(events_, {})) event(*generator_);
        generator_->HandleTranslationUnit(context);
        std::ranges::stable_sort(facts.kernels, {}, [&](const KernelFound& kernel) {
            return std::ranges::find(asked, kernel.function) - asked.begin();
        });
        for (KernelFound& kernel : facts.kernels) {
            kernel.facts.symbol =
                generator_->GetMangledName(clang::GlobalDecl(kernel.function, clang::KernelReferenceKind::Kernel))
                    .str();
        }
        refuse(verdict.broken, facts.kernels);
        for (KernelFound& kernel : facts.kernels) run_.kernels.push_back(std::move(kernel.facts));
        run_.module.reset(generator_->ReleaseModule());
        if (run_.module != nullptr) {
            if (llvm::GlobalVariable* const notes = run_.module->getGlobalVariable("llvm.global.annotations"))
                notes->eraseFromParent(); // of __cluster_dims__, which are among the facts
            relax_compare_and_swap(*run_.module);
            set_scopes(*run_.module);
        }
        std::erase_if(run_.kernels, [&](const KernelFacts& kernel) {
            const llvm::Function* function = run_.module == nullptr ? nullptr : run_.module->getFunction(kernel.symbol);
            return function == nullptr || function->isDeclaration();
        });
        if (verdict.broken.empty() || !run_.kernels.empty() || !run_.templates.empty())
            excuse(diagnostics_.findings());
        else
            run_.module.reset(); // no kernel is left
    }

    // Takes the kernels that are broken, or need a function that is, out of the module and the list of templates. Of
    // what no kernel needs only functions with an error of their own are told.
    void refuse(const Functions& broken, const std::vector<KernelFound>& kernels) {
        if (broken.empty() || generator_->GetModule() == nullptr) return;
        const auto callers = remove_callers(*generator_, broken);
        std::set<const Finding*> told;
        const auto add = [&](const std::string& name, const clang::FunctionDecl* because) {
            RefusedKernel& refused = run_.refused.emplace_back();
            refused.name = name;
            const Finding* reason = reason_of(diagnostics_.findings(), because);
            if (reason != nullptr) refused.why = reason->main;
            refused.why.severity = Diagnostic::Severity::warning;
            told.insert(reason);
        };
        for (const KernelFound& kernel : kernels) {
            const clang::FunctionDecl* function = kernel.function->getCanonicalDecl();
            if (broken.contains(function))
                add(kernel.facts.name, function);
            else if (const auto at = callers.find(kernel.facts.symbol); at != callers.end())
                add(kernel.facts.name, at->second);
        }
        for (const clang::FunctionDecl* function : in_order(broken)) { // instances that were never made
            const std::string name = name_of(function);
            if (function->hasAttr<clang::CUDAGlobalAttr>() && !function->isDependentContext() &&
                std::ranges::find(run_.refused, name, &RefusedKernel::name) == run_.refused.end())
                add(name, function);
        }
        std::erase_if(run_.templates, [&](const TemplateFound& found) {
            const clang::FunctionDecl* pattern = found.pattern->getCanonicalDecl();
            if (!broken.contains(pattern)) return false;
            add(found.facts.name, pattern);
            return true;
        });
        for (const clang::FunctionDecl* function : in_order(broken)) {
            if (function->hasAttr<clang::CUDAGlobalAttr>() || !function->hasAttr<clang::CUDADeviceAttr>()) continue;
            const Finding* reason = reason_of(diagnostics_.findings(), function);
            if (reason != nullptr && reason->function == function && !told.contains(reason))
                add("__device__ " + name_of(function), function);
        }
    }

    bool can_be_generated(const clang::Decl* declaration) const {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        return variable == nullptr || (!variable->isInvalidDecl() && !without_.contains(variable->getNameAsString()));
    }

    // Its number, if the function is in one of the lines after the file's text.
    std::optional<std::size_t> instance_number(const clang::FunctionDecl* function) const {
        std::size_t number = 0;
        if (!function->getDeclName().isIdentifier()) return std::nullopt;
        llvm::StringRef name = function->getName();
        if (!name.consume_front(kInstance) || name.getAsInteger(10, number) || number >= instances_)
            return std::nullopt;
        return number;
    }
    // The kernels requested by the lines after the file's text.
    std::vector<const clang::FunctionDecl*> find_instances() {
        struct Finder : SyntaxVisitor {
            const clang::FunctionDecl* found = nullptr;
            void statement(clang::Stmt* statement) override {
                const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(statement);
                if (reference == nullptr) return;
                const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
                if (function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>())
                    found = function->getDefinition();
            }
        };
        std::vector<const clang::FunctionDecl*> asked(instances_);
        run_.instances.resize(instances_);
        for (clang::Decl* declaration : declarations_) {
            auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            const auto number = function == nullptr ? std::nullopt : instance_number(function);
            if (!number) continue;
            Finder finder;
            walk(function, ImplicitCode::skipped, finder);
            asked[*number] = finder.found;
            if (finder.found != nullptr) run_.instances[*number] = name_of(finder.found);
        }
        return asked;
    }

    clang::CompilerInstance& compiler_;
    Diagnostics& diagnostics_;
    Run& run_;
    std::size_t instances_;
    std::vector<clang::Decl*> declarations_; // of the file, in order
    std::set<std::string> without_;          // variables with errors
    std::vector<std::function<void(clang::ASTConsumer&)>> events_;
    std::unique_ptr<clang::CodeGenerator> generator_;
};

class Action : public clang::ASTFrontendAction {
  public:
    Action(Diagnostics& diagnostics, Run& run, std::size_t instances)
        : diagnostics_(diagnostics), run_(run), instances_(instances) {}

  private:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
        clang::Preprocessor& preprocessor = compiler.getPreprocessor();
        preprocessor.addPPCallbacks(std::make_unique<Inclusions>(compiler, run_));
        for (const char* name : {"module", "__debug"}) {
            clang::EmptyPragmaHandler clangs(name); // found by its name
            preprocessor.RemovePragmaHandler("clang", &clangs);
            preprocessor.AddPragmaHandler("clang", new RefusedPragma(name));
        }
        read_prelude(compiler);
        return std::make_unique<Consumer>(compiler, diagnostics_, run_, instances_);
    }
    Diagnostics& diagnostics_;
    Run& run_;
    std::size_t instances_;
};

} // namespace

void prepare_clang() { precompiled_prelude(); }

std::string instance_line(std::size_t number, const std::string& instance) {
    return "static void " + kInstance.str() + std::to_string(number) + "() { (void)&" + instance + "; }\n";
}

Run run_clang(const llvm::IntrusiveRefCntPtr<SourceFiles>& files, const std::string& path, std::uint32_t own_lines,
              const Request& request, HostBodies bodies) {
    files->add(std::string(kPrecompiled), precompiled_prelude());
    Run run;
    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation_of(path, request.folders));
    compiler.getFrontendOpts().SkipFunctionBodies = bodies == HostBodies::skipped;
    for (const Define& define : request.defines)
        compiler.getPreprocessorOpts().addMacroDef(define.name + "=" + define.value);
    Diagnostics diagnostics(compiler, own_lines);
    compiler.createDiagnostics(&diagnostics, false);
    compiler.createFileManager(files);
    Action action(diagnostics, run, request.instances.size());
    compiler.ExecuteAction(action);
    run.findings = std::move(diagnostics.findings());
    return run;
}

} // namespace warptree::compile
