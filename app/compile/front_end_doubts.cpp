#include "app/compile/front_end_doubts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::compile {
namespace {

// Functions of the host that take a number of bytes, and which argument that is.
struct Takes {
    std::string_view function;
    unsigned bytes;
};
constexpr std::array kTakeBytes = {Takes{"cudaMalloc", 1},      Takes{"cudaMallocManaged", 1},
                                   Takes{"cudaMallocHost", 1},  Takes{"cudaMemcpy", 2},
                                   Takes{"cudaMemcpyAsync", 2}, Takes{"cudaMemset", 2},
                                   Takes{"cudaMemsetAsync", 2}, Takes{"cudaMemcpyToSymbol", 2}};

// The variable of which an expression is an element or a member; null: none, or the whole of it.
const clang::VarDecl* part_of(const clang::Expr* expression) {
    bool part = false;
    for (;;) {
        expression = expression->IgnoreParenImpCasts();
        if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
            expression = element->getBase();
        } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(expression);
                   member != nullptr && !member->isArrow()) {
            expression = member->getBase();
        } else {
            break;
        }
        part = true;
    }
    const auto* const name = llvm::dyn_cast<clang::DeclRefExpr>(expression);
    return part && name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

// Local arrays and structures that are read or changed in parts, and of which no part is ever set. Of scalars Clang tells that.
class NeverSet : public clang::RecursiveASTVisitor<NeverSet> {
  public:
    bool VisitVarDecl(clang::VarDecl* v) {
        const clang::QualType type = v->getType();
        const auto* const record = v->getASTContext().getBaseElementType(type)->getAsCXXRecordDecl();
        const auto* const made = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(v->getInit());
        const bool begins_unset =
            v->getInit() == nullptr || (made != nullptr && made->getConstructor()->isTrivial() &&
                                        made->getNumArgs() == 0 && !made->requiresZeroInitialization());
        if (v->hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(v) && !v->hasAttr<clang::CUDASharedAttr>() &&
            begins_unset && (type->isConstantArrayType() || type->isRecordType()) && !type->isUnionType() &&
            (record == nullptr || record->hasTrivialDefaultConstructor()))
            uses_.emplace_back(v, Uses{});
        return true;
    }
    bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
        if (Uses* const uses = uses_of(llvm::dyn_cast<clang::VarDecl>(name->getDecl()))) ++uses->names;
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* o) {
        Uses* const uses = o->isAssignmentOp() ? uses_of(part_of(o->getLHS())) : nullptr;
        if (uses != nullptr && o->isCompoundAssignmentOp()) uses->add(o->getLHS()->getBeginLoc());
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* o) {
        if (Uses* const uses = o->isIncrementDecrementOp() ? uses_of(part_of(o->getSubExpr())) : nullptr)
            uses->add(o->getSubExpr()->getBeginLoc());
        return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
        if (Uses* const uses =
                cast->getCastKind() == clang::CK_LValueToRValue ? uses_of(part_of(cast->getSubExpr())) : nullptr)
            uses->add(cast->getBeginLoc());
        return true;
    }
    void report(clang::DiagnosticsEngine& engine) const {
        const unsigned id =
            engine.getCustomDiagID(clang::DiagnosticsEngine::Warning, "variable '%0' is uninitialized when used here");
        for (const auto& [variable, uses] : uses_)
            if (uses.parts != 0 && uses.parts == uses.names) engine.Report(uses.first, id) << variable->getName();
    }

  private:
    struct Uses {
        unsigned names = 0, parts = 0; // all; those that read or change a part
        clang::SourceLocation first;
        void add(clang::SourceLocation at) {
            if (parts++ == 0) first = at;
        }
    };
    Uses* uses_of(const clang::VarDecl* variable) {
        const auto it = std::ranges::find(uses_, variable, &std::pair<const clang::VarDecl*, Uses>::first);
        return it == uses_.end() ? nullptr : &it->second;
    }
    std::vector<std::pair<const clang::VarDecl*, Uses>> uses_; // as they are declared
};

class Doubts : public clang::RecursiveASTVisitor<Doubts> {
  public:
    Doubts(clang::DiagnosticsEngine& engine, const clang::ASTContext& context) : engine_(engine), context_(context) {}

    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
        const auto* const divides = llvm::dyn_cast<clang::BinaryOperator>(cast->getSubExpr()->IgnoreParens());
        if (cast->getCastKind() != clang::CK_IntegralToFloating || divides == nullptr ||
            divides->getOpcode() != clang::BO_Div)
            return true;
        const auto above = number(divides->getLHS()), below = number(divides->getRHS());
        if (above && below && *above > 0 && *above < *below) {
            const unsigned id =
                engine_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                        "the quotient of the integers %0 and %1 is 0; a floating-point number "
                                        "is one with a point, as %0.0");
            engine_.Report(divides->getOperatorLoc(), id) << static_cast<int>(*above) << static_cast<int>(*below);
        }
        return true;
    }

    bool VisitCallExpr(clang::CallExpr* call) {
        const clang::FunctionDecl* const callee = call->getDirectCallee();
        if (callee == nullptr || !callee->getDeclName().isIdentifier()) return true;
        const auto* const takes = std::ranges::find(kTakeBytes, std::string_view(callee->getName()), &Takes::function);
        if (takes == kTakeBytes.end() || takes->bytes >= call->getNumArgs()) return true;
        const auto* const size =
            llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(call->getArg(takes->bytes)->IgnoreParenImpCasts());
        if (size == nullptr || size->getKind() != clang::UETT_SizeOf || size->isArgumentType()) return true;
        const auto* const of = llvm::dyn_cast<clang::DeclRefExpr>(size->getArgumentExpr()->IgnoreParens());
        if (of == nullptr || !of->getType()->isPointerType() || of->getType()->getPointeeType()->isFunctionType() ||
            !is_given(*call, *of->getDecl()))
            return true;
        const unsigned id = engine_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                                    "sizeof(%0) is the size of a pointer, %1 bytes, not of the array "
                                                    "that it points to");
        engine_.Report(size->getBeginLoc(), id)
            << of->getDecl()->getName() << static_cast<int>(context_.getTypeSizeInChars(of->getType()).getQuantity());
        return true;
    }

  private:
    // A small number that is known; not one that a template's argument makes.
    std::optional<std::int64_t> number(const clang::Expr* expression) const {
        clang::Expr::EvalResult value;
        if (expression->isValueDependent() || !expression->getType()->isIntegerType() ||
            !expression->EvaluateAsInt(value, context_) || value.Val.getInt().getSignificantBits() > 31)
            return std::nullopt;
        return value.Val.getInt().getExtValue();
    }
    // Whether the array itself is an argument, or the address of its pointer.
    static bool is_given(const clang::CallExpr& call, const clang::ValueDecl& array) {
        return std::any_of(call.arg_begin(), call.arg_end(), [&](const clang::Expr* argument) {
            argument = argument->IgnoreParenCasts();
            if (const auto* const address = llvm::dyn_cast<clang::UnaryOperator>(argument);
                address != nullptr && address->getOpcode() == clang::UO_AddrOf)
                argument = address->getSubExpr()->IgnoreParenCasts();
            const auto* const name = llvm::dyn_cast<clang::DeclRefExpr>(argument);
            return name != nullptr && name->getDecl() == &array;
        });
    }

    clang::DiagnosticsEngine& engine_;
    const clang::ASTContext& context_;
};

} // namespace

void report_doubts(clang::DiagnosticsEngine& engine, const clang::FunctionDecl& function) {
    if (!function.hasBody() || function.isDependentContext()) return;
    Doubts(engine, function.getASTContext()).TraverseStmt(function.getBody());
    NeverSet never;
    never.TraverseStmt(function.getBody());
    never.report(engine);
}

} // namespace warptree::compile
