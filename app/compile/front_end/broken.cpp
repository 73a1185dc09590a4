#include "app/compile/front_end/broken.hpp"

#include "app/compile/front_end/facts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/IR/Instruction.h>

#include <algorithm>
#include <utility>

namespace warptree::compile {
namespace {

// A constructor or destructor has a symbol for each of its variants.
std::vector<std::string> symbols_of(clang::CodeGenerator& generator, const clang::FunctionDecl* function) {
    std::vector<clang::GlobalDecl> variants;
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
        variants = {{made, clang::Ctor_Complete}, {made, clang::Ctor_Base}};
    else if (const auto* ended = llvm::dyn_cast<clang::CXXDestructorDecl>(function))
        variants = {{ended, clang::Dtor_Complete}, {ended, clang::Dtor_Base}};
    else if (function->hasAttr<clang::CUDAGlobalAttr>())
        variants = {{function, clang::KernelReferenceKind::Kernel}};
    else
        variants = {{function}};
    std::vector<std::string> symbols;
    for (const clang::GlobalDecl& variant : variants) symbols.push_back(generator.GetMangledName(variant).str());
    return symbols;
}

} // namespace

bool mentions(const clang::Decl* declaration, const std::set<std::string>& names) {
    if (names.empty()) return false;
    const clang::ASTContext& context = declaration->getASTContext();
    const clang::SourceManager& sources = context.getSourceManager();
    const auto [file, first] = sources.getDecomposedLoc(sources.getFileLoc(declaration->getBeginLoc()));
    const auto [last_file, last] = sources.getDecomposedLoc(sources.getFileLoc(declaration->getEndLoc()));
    if (file != last_file || declaration->getBeginLoc().isInvalid()) return true; // in doubt
    const clang::SourceLocation own = sources.getFileLoc(declaration->getLocation());
    const llvm::StringRef text = sources.getBufferData(file);
    clang::Lexer lexer(sources.getLocForStartOfFile(file), context.getLangOpts(), text.begin(), text.begin() + first,
                       text.end());
    for (clang::Token token; !lexer.LexFromRawLexer(token) && sources.getFileOffset(token.getLocation()) <= last;)
        if (token.is(clang::tok::raw_identifier) && token.getLocation() != own &&
            names.contains(token.getRawIdentifier().str()))
            return true;
    return false;
}

std::vector<const clang::FunctionDecl*> in_order(const Functions& functions) {
    std::vector<const clang::FunctionDecl*> list(functions.begin(), functions.end());
    std::ranges::sort(list, {}, [](const clang::FunctionDecl* function) { // instances of a template are at one place
        return std::pair(function->getLocation().getRawEncoding(), name_of(function));
    });
    return list;
}

void remove_bodies(Functions& broken, const std::vector<clang::FunctionDecl*>& all) {
    for (const clang::FunctionDecl* function : all)
        if (const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern();
            pattern != nullptr && broken.contains(pattern->getCanonicalDecl()))
            broken.insert(function->getCanonicalDecl());
    for (clang::FunctionDecl* function : all)
        if (broken.contains(function->getCanonicalDecl()) && function->doesThisDeclarationHaveABody())
            function->setBody(nullptr);
}

std::map<std::string, const clang::FunctionDecl*> remove_callers(clang::CodeGenerator& generator,
                                                                 const Functions& broken) {
    llvm::Module& module = *generator.GetModule();
    std::map<std::string, const clang::FunctionDecl*> removed;
    std::set<const llvm::Value*> seen;
    std::vector<llvm::GlobalVariable*> variables; // with the address of a function
    const auto follow = [&](const clang::FunctionDecl* reason, llvm::Value* used) {
        std::vector<llvm::Value*> rest = {used};
        while (!rest.empty()) {
            llvm::Value* value = rest.back();
            rest.pop_back();
            if (!seen.insert(value).second) continue;
            if (llvm::isa<llvm::Function>(value)) removed.emplace(value->getName().str(), reason);
            if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) variables.push_back(variable);
            for (llvm::User* user : value->users()) {
                auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
                rest.push_back(instruction == nullptr ? user : static_cast<llvm::Value*>(instruction->getFunction()));
            }
        }
    };
    for (const clang::FunctionDecl* function : in_order(broken)) {
        if (function->isDependentContext()) continue;
        for (const std::string& symbol : symbols_of(generator, function))
            if (llvm::Function* used = module.getFunction(symbol)) follow(function, used);
    }
    for (const auto& [symbol, reason] : removed) module.getFunction(symbol)->deleteBody();
    for (llvm::GlobalVariable* variable : variables)
        if (variable->hasInitializer() && !variable->hasAppendingLinkage())
            variable->setInitializer(llvm::Constant::getNullValue(variable->getValueType()));
    return removed;
}

} // namespace warptree::compile
