#include "app/compile/front_end/walk.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace warptree::compile {
namespace {

class Walk : public clang::RecursiveASTVisitor<Walk> {
  public:
    Walk(ImplicitCode implicit, SyntaxVisitor& visitor) : implicit_(implicit), visitor_(visitor) {}
    bool shouldVisitTemplateInstantiations() const { return true; }
    bool shouldVisitImplicitCode() const { return implicit_ == ImplicitCode::visited; }

    bool VisitDecl(clang::Decl* declaration) {
        visitor_.declaration(declaration);
        return true;
    }
    bool VisitStmt(clang::Stmt* statement) {
        visitor_.statement(statement);
        return true;
    }
    bool TraverseFunctionDecl(clang::FunctionDecl* f) {
        return function(f, [&] { return RecursiveASTVisitor::TraverseFunctionDecl(f); });
    }
    bool TraverseCXXMethodDecl(clang::CXXMethodDecl* f) {
        return function(f, [&] { return RecursiveASTVisitor::TraverseCXXMethodDecl(f); });
    }
    bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl* f) {
        return function(f, [&] { return RecursiveASTVisitor::TraverseCXXConstructorDecl(f); });
    }
    bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl* f) {
        return function(f, [&] { return RecursiveASTVisitor::TraverseCXXDestructorDecl(f); });
    }
    bool TraverseCXXConversionDecl(clang::CXXConversionDecl* f) {
        return function(f, [&] { return RecursiveASTVisitor::TraverseCXXConversionDecl(f); });
    }

  private:
    bool function(clang::FunctionDecl* function, llvm::function_ref<bool()> traverse) {
        bool goes_on = true;
        visitor_.function(function, [&] { goes_on = traverse(); });
        return goes_on;
    }

    ImplicitCode implicit_;
    SyntaxVisitor& visitor_;
};

} // namespace

void walk(clang::Decl* declaration, ImplicitCode implicit, SyntaxVisitor& visitor) {
    Walk(implicit, visitor).TraverseDecl(declaration);
}

} // namespace warptree::compile
