#include "app/compile/front_end/host_variables.hpp"

#include "app/compile/front_end/files.hpp"
#include "app/compile/front_end/walk.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

namespace warptree::compile {
namespace {

class Touches : public SyntaxVisitor {
  public:
    explicit Touches(clang::ASTContext& context) : context_(context) {}
    std::vector<HostTouch> found;

  private:
    static bool is_managed(const clang::VarDecl& variable) { // as warptree/define.h has it
        const auto* section = variable.getAttr<clang::SectionAttr>();
        return section != nullptr && section->getName() == "warptree_managed";
    }
    // Of an element or member: the variable that it is in. Null: not of the device, or a constant, which has a value
    // on both sides.
    const clang::VarDecl* variable(const clang::Expr* place) const {
        for (place = place->IgnoreParenImpCasts();;) {
            if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
                place = element->getBase()->IgnoreParenImpCasts();
            } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place);
                       member != nullptr && !member->isArrow()) {
                place = member->getBase()->IgnoreParenImpCasts();
            } else {
                break;
            }
        }
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(place);
        const auto* named = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        const bool of_device = named != nullptr && !is_managed(*named) &&
                               (named->hasAttr<clang::CUDADeviceAttr>() || named->hasAttr<clang::CUDAConstantAttr>());
        return of_device && !named->isUsableInConstantExpressions(context_) ? named : nullptr;
    }

    void touch(const clang::Expr* place, bool writes) {
        const clang::VarDecl* const named = variable(place);
        if (named == nullptr) return;
        const clang::SourceManager& sources = context_.getSourceManager();
        const clang::SourceLocation at = sources.getFileLoc(place->getExprLoc());
        const auto file = sources.getFileEntryRefForID(sources.getFileID(at));
        if (!file || !SourceFiles::of_request(std::string_view(file->getName()))) return;
        found.push_back({named->getNameAsString(), std::string(SourceFiles::name_of(std::string(file->getName()))),
                         sources.getSpellingLineNumber(at), writes, named->hasAttr<clang::CUDAConstantAttr>()});
    }

    void statement(clang::Stmt* statement) override {
        if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement)) {
            if (cast->getCastKind() == clang::CK_LValueToRValue) touch(cast->getSubExpr(), false);
        } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(statement)) {
            if (binary->isAssignmentOp()) touch(binary->getLHS(), true);
        } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(statement)) {
            if (unary->isIncrementDecrementOp()) touch(unary->getSubExpr(), true);
        }
    }

    clang::ASTContext& context_;
};

} // namespace

std::vector<HostTouch> touches_of(clang::ASTContext& context, const std::vector<clang::FunctionDecl*>& functions) {
    Touches touches(context);
    for (clang::FunctionDecl* function : functions)
        if (!function->hasAttr<clang::CUDADeviceAttr>() && !function->hasAttr<clang::CUDAGlobalAttr>())
            walk(function, ImplicitCode::visited, touches);
    return std::move(touches.found);
}

} // namespace warptree::compile
