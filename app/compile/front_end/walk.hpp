// Walks what Clang parsed. One instance of Clang's own visitor for all who ask, as it takes long to compile.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLFunctionalExtras.h>

namespace warptree::compile {

class SyntaxVisitor {
  public:
    SyntaxVisitor() = default;
    SyntaxVisitor(const SyntaxVisitor&) = delete;
    SyntaxVisitor& operator=(const SyntaxVisitor&) = delete;
    virtual ~SyntaxVisitor() = default;

    virtual void declaration(clang::Decl*) {}
    virtual void statement(clang::Stmt*) {} // expressions, too
    // Calls `inside`, which walks the function and all that is in it.
    virtual void function(clang::FunctionDecl*, llvm::function_ref<void()> inside) { inside(); }
};

enum class ImplicitCode { visited, skipped };

// A declaration and all that is in it, instances of templates included, each before what is in it.
void walk(clang::Decl* declaration, ImplicitCode implicit, SyntaxVisitor& visitor);

} // namespace warptree::compile
