#include "app/compile/front_end/host_entries.hpp"

#include "app/compile/front_end/walk.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <map>
#include <optional>
#include <set>

namespace warptree::compile {
namespace {

// What a body does that matters here.
struct Body : SyntaxVisitor {
    bool launches = false;
    std::set<const clang::FunctionDecl*> calls;
    std::map<const clang::ValueDecl*, std::int64_t> compared;

    explicit Body(clang::ASTContext& context) : context_(context) {}
    void statement(clang::Stmt* statement) override {
        launches |= llvm::isa<clang::CUDAKernelCallExpr>(statement);
        if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
            if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
                calls.insert(function->getCanonicalDecl());
                launches |= function->getDeclName().isIdentifier() && function->getName().starts_with("cudaLaunch");
            }
        }
        const auto* comparison = llvm::dyn_cast<clang::BinaryOperator>(statement);
        if (comparison == nullptr || comparison->getOpcode() != clang::BO_EQ) return;
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(comparison->getLHS()->IgnoreParenImpCasts());
        clang::Expr::EvalResult value;
        if (name != nullptr && comparison->getRHS()->EvaluateAsInt(value, context_) &&
            value.Val.getInt().getSignificantBits() <= 31)
            compared.try_emplace(name->getDecl(), value.Val.getInt().getExtValue());
    }

  private:
    clang::ASTContext& context_;
};

bool is_plain(clang::QualType type) { return type->isArithmeticType() && !type->isAnyComplexType(); }

// Empty: a parameter is of a type for which nothing can be chosen.
std::optional<HostEntry> entry_of(const clang::ASTContext& context, const clang::FunctionDecl& function,
                                  const Body& body) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    if (function.isMain() || function.isVariadic() || (method != nullptr && !method->isStatic()) ||
        !function.getDeclName().isIdentifier() || function.getDeclContext()->getEnclosingNamespaceContext() == nullptr)
        return std::nullopt;
    HostEntry entry;
    entry.name = function.getQualifiedNameAsString();
    entry.line = context.getSourceManager().getSpellingLineNumber(function.getLocation());
    if (entry.name.find("(anonymous") != std::string::npos) return std::nullopt;
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
        HostEntry::Parameter& one = entry.parameters.emplace_back();
        clang::QualType type = parameter->getType().getNonReferenceType();
        if (const auto* pointer = type->getAs<clang::PointerType>()) {
            one.pointer = true;
            type = pointer->getPointeeType();
        }
        if (!is_plain(type) || parameter->getName().empty()) return std::nullopt;
        one.name = parameter->getName().str();
        one.type = type.getUnqualifiedType().getCanonicalType().getAsString(context.getPrintingPolicy());
        one.floating = type->isFloatingType();
        if (const auto found = body.compared.find(parameter); found != body.compared.end())
            one.compared = found->second;
    }
    return entry;
}

} // namespace

std::vector<HostEntry> entries_of(clang::ASTContext& context, const std::vector<clang::FunctionDecl*>& functions) {
    std::map<const clang::FunctionDecl*, Body> bodies;
    for (clang::FunctionDecl* function : functions) {
        Body& body = bodies.try_emplace(function->getCanonicalDecl(), context).first->second;
        walk(function, ImplicitCode::skipped, body);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& [function, body] : bodies)
            for (const clang::FunctionDecl* called : body.calls)
                if (const auto found = bodies.find(called);
                    !body.launches && found != bodies.end() && found->second.launches)
                    changed = body.launches = true;
    }
    std::vector<HostEntry> entries;
    for (const clang::FunctionDecl* function : functions) {
        const Body& body = bodies.at(function->getCanonicalDecl());
        if (!body.launches) continue;
        if (auto entry = entry_of(context, *function, body)) entries.push_back(std::move(*entry));
    }
    return entries;
}

} // namespace warptree::compile
