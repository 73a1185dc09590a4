#include "app/compile/front_end/doubts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Analysis/CFG.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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

// The name of the variable of which an expression is the whole, an element or a member; null: none.
const clang::DeclRefExpr* name_in(const clang::Expr* expression) {
    for (;;) {
        expression = expression->IgnoreParens();
        if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
            const auto* const array = llvm::dyn_cast<clang::ImplicitCastExpr>(element->getBase()->IgnoreParens());
            if (array == nullptr || array->getCastKind() != clang::CK_ArrayToPointerDecay) return nullptr;
            expression = array->getSubExpr();
        } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(expression);
                   member != nullptr && !member->isArrow()) {
            expression = member->getBase();
        } else {
            return llvm::dyn_cast<clang::DeclRefExpr>(expression);
        }
    }
}

// What is done with local variables that begin without a value, by the expression with which it happens.
class Uses : public clang::RecursiveASTVisitor<Uses> {
  public:
    struct Use {
        const clang::VarDecl* variable = nullptr;
        bool reads = false, sets = false; // what is read first, and then set, does both
    };

    bool VisitVarDecl(clang::VarDecl* v) {
        const clang::QualType type = v->getType();
        const auto* const record = v->getASTContext().getBaseElementType(type)->getAsCXXRecordDecl();
        const auto* const made = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(v->getInit());
        const bool begins_unset =
            v->getInit() == nullptr || (made != nullptr && made->getConstructor()->isTrivial() &&
                                        made->getNumArgs() == 0 && !made->requiresZeroInitialization());
        if (v->hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(v) && !v->hasAttr<clang::CUDASharedAttr>() &&
            begins_unset && !type->isReferenceType() && !type->isUnionType() && !type.isVolatileQualified() &&
            (record == nullptr || (record->hasDefinition() && record->hasTrivialDefaultConstructor())))
            variables_.push_back(v);
        return true;
    }
    bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
        // Where nothing else is known of it, it may be set through its address or a reference.
        const auto* const v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        if (v != nullptr && !settled_.contains(name)) uses_[name] = {v, false, true};
        return true;
    }
    bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
        for (const clang::LambdaCapture& capture : lambda->captures())
            if (capture.capturesVariable()) std::erase(variables_, capture.getCapturedVar());
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* o) {
        if (o->isAssignmentOp()) by(o, o->getLHS(), o->isCompoundAssignmentOp(), true);
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* o) {
        if (o->isIncrementDecrementOp()) by(o, o->getSubExpr(), true, true);
        return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
        if (cast->getCastKind() == clang::CK_LValueToRValue) by(cast, cast->getSubExpr(), true, false);
        return true;
    }

    const std::vector<const clang::VarDecl*>& variables() const { return variables_; }
    // Of that variable; null: none.
    const Use* of(const clang::Stmt* expression, const clang::VarDecl* variable) const {
        const auto it = uses_.find(expression);
        return it == uses_.end() || it->second.variable != variable ? nullptr : &it->second;
    }

  private:
    void by(const clang::Expr* expression, const clang::Expr* of, bool reads, bool sets) {
        const clang::DeclRefExpr* const name = name_in(of);
        const auto* const v = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        if (v == nullptr) return;
        uses_[expression] = {v, reads, sets};
        settled_.insert(name);
    }

    std::vector<const clang::VarDecl*> variables_;
    std::unordered_map<const clang::Stmt*, Use> uses_;
    std::unordered_set<const clang::Stmt*> settled_;
};

// Finds the reads of a variable that come before anything sets it, on whatever way they are first reached: what sets it is only
// reached by way of them.
class FirstReads {
  public:
    FirstReads(const clang::CFG& graph, const Uses& uses, const clang::VarDecl* variable)
        : uses_(uses), variable_(variable) {
        for (const clang::CFGBlock* block : graph) begin(*block);
        while (!left_.empty()) {
            const clang::CFGBlock* const block = left_.back();
            left_.pop_back();
            walk(*block, 0);
        }
    }
    // Where they begin; nothing sets it before.
    std::vector<clang::SourceLocation> places() const { return set_ ? std::vector<clang::SourceLocation>() : places_; }

  private:
    // Behind the variable's declaration, if it is in the block.
    void begin(const clang::CFGBlock& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            const auto element = block[i].getAs<clang::CFGStmt>();
            const auto* const d = element ? llvm::dyn_cast<clang::DeclStmt>(element->getStmt()) : nullptr;
            if (d != nullptr && std::find(d->decl_begin(), d->decl_end(), variable_) != d->decl_end())
                walk(block, i + 1);
        }
    }
    void walk(const clang::CFGBlock& block, std::size_t from) {
        for (std::size_t i = from; i < block.size(); ++i) {
            const auto element = block[i].getAs<clang::CFGStmt>();
            const Uses::Use* const use = element ? uses_.of(element->getStmt(), variable_) : nullptr;
            if (use == nullptr) continue;
            if (!use->reads) {
                set_ = true;
                return;
            }
            places_.push_back(element->getStmt()->getBeginLoc());
            return;
        }
        for (const clang::CFGBlock* next : block.succs())
            if (next != nullptr && seen_.insert(next).second) left_.push_back(next);
    }

    const Uses& uses_;
    const clang::VarDecl* variable_;
    bool set_ = false;
    std::vector<clang::SourceLocation> places_;
    std::vector<const clang::CFGBlock*> left_;
    std::unordered_set<const clang::CFGBlock*> seen_;
};

// Clang tells it of most scalars; not of one that a loop reads first and then sets, nor of arrays and structures.
void report_unset(clang::DiagnosticsEngine& engine, const clang::FunctionDecl& function, const clang::CFG& graph) {
    Uses uses;
    uses.TraverseStmt(function.getBody());
    const unsigned id =
        engine.getCustomDiagID(clang::DiagnosticsEngine::Warning, "variable '%0' is uninitialized when used here");
    for (const clang::VarDecl* v : uses.variables()) {
        const std::vector<clang::SourceLocation> places = FirstReads(graph, uses, v).places();
        if (!places.empty()) engine.Report(*std::min_element(places.begin(), places.end()), id) << v->getName();
    }
}

// Integers that are data, not places: elements of arrays, what is summed up or taken from them, and what the host gets back.
class Data : public clang::RecursiveASTVisitor<Data> {
  public:
    bool VisitVarDecl(clang::VarDecl* v) {
        if (v->getInit() != nullptr && is_element(v->getInit())) variables_.insert(v);
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* o) {
        const auto* const name = llvm::dyn_cast<clang::DeclRefExpr>(o->getLHS()->IgnoreParens());
        if (name != nullptr && (o->getOpcode() == clang::BO_Assign || o->getOpcode() == clang::BO_AddAssign) &&
            is_element(o->getRHS()))
            variables_.insert(name->getDecl());
        return true;
    }
    bool VisitCallExpr(clang::CallExpr* call) {
        const clang::FunctionDecl* const callee = call->getDirectCallee();
        if (callee == nullptr || !callee->getDeclName().isIdentifier() || call->getNumArgs() == 0 ||
            !callee->getName().starts_with("cudaMemcpy"))
            return true;
        const auto* const to = llvm::dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenCasts());
        const auto* const name = to == nullptr || to->getOpcode() != clang::UO_AddrOf
                                     ? nullptr
                                     : llvm::dyn_cast<clang::DeclRefExpr>(to->getSubExpr()->IgnoreParens());
        if (name != nullptr) variables_.insert(name->getDecl());
        return true;
    }

    // Whether it is such a number, or a sum or a product with one.
    bool has(const clang::Expr* expression) const {
        expression = expression->IgnoreParenImpCasts();
        if (const auto* const o = llvm::dyn_cast<clang::BinaryOperator>(expression);
            o != nullptr && (o->isAdditiveOp() || o->getOpcode() == clang::BO_Mul))
            return has(o->getLHS()) || has(o->getRHS());
        const auto* const name = llvm::dyn_cast<clang::DeclRefExpr>(expression);
        return name != nullptr ? variables_.contains(name->getDecl()) : is_element(expression);
    }

  private:
    static bool is_element(const clang::Expr* expression) {
        expression = expression->IgnoreParenImpCasts();
        const auto* const points = llvm::dyn_cast<clang::UnaryOperator>(expression);
        return expression->getType()->isIntegerType() &&
               (llvm::isa<clang::ArraySubscriptExpr>(expression) ||
                (points != nullptr && points->getOpcode() == clang::UO_Deref));
    }

    std::unordered_set<const clang::ValueDecl*> variables_;
};

class Doubts : public clang::RecursiveASTVisitor<Doubts> {
  public:
    Doubts(clang::DiagnosticsEngine& engine, const clang::FunctionDecl& function)
        : engine_(engine), context_(function.getASTContext()) {
        data_.TraverseStmt(function.getBody());
    }

    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
        const clang::BinaryOperator* const divides = quotient(cast->getSubExpr());
        if (cast->getCastKind() != clang::CK_IntegralToFloating || divides == nullptr) return true;
        const auto above = number(divides->getLHS()), below = number(divides->getRHS());
        if (above && below && *above > 0 && *above < *below) {
            const unsigned id =
                engine_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                        "the quotient of the integers %0 and %1 is 0; a floating-point number "
                                        "is one with a point, as %0.0");
            engine_.Report(divides->getOperatorLoc(), id) << static_cast<int>(*above) << static_cast<int>(*below);
        }
        const clang::Expr* const by = divides->getRHS()->IgnoreParenImpCasts();
        if (above && *above == 1 && !below && !by->isEvaluatable(context_)) { // a reciprocal
            const unsigned id = engine_.getCustomDiagID(
                clang::DiagnosticsEngine::Warning, "the quotient of the integers 1 and %0 is 0 where %0 is above 1; a "
                                                   "floating-point number is one with a point, as 1.0");
            engine_.Report(divides->getOperatorLoc(), id) << text_of(*by);
        }
        if (!above && data_.has(divides->getLHS())) {
            const unsigned id =
                engine_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                        "the quotient of two integers is cut off to a whole number before "
                                        "it becomes a %0; a cast of the first one, (%0), keeps its fraction");
            engine_.Report(divides->getOperatorLoc(), id)
                << cast->getType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
        }
        return true;
    }

    bool VisitVarDecl(clang::VarDecl* v) { // int n = sizeof(text);
        const clang::DeclRefExpr* const of =
            v->getInit() != nullptr && v->getType()->isIntegerType() ? pointer_of_size(v->getInit()) : nullptr;
        if (of != nullptr) report_size(*of);
        return true;
    }

    bool VisitCallExpr(clang::CallExpr* call) {
        const clang::FunctionDecl* const callee = call->getDirectCallee();
        if (callee == nullptr || !callee->getDeclName().isIdentifier()) return true;
        const auto* const takes = std::ranges::find(kTakeBytes, std::string_view(callee->getName()), &Takes::function);
        if (takes == kTakeBytes.end() || takes->bytes >= call->getNumArgs()) return true;
        const clang::DeclRefExpr* const of = pointer_of_size(call->getArg(takes->bytes));
        if (of != nullptr && is_given(*call, *of->getDecl())) report_size(*of);
        return true;
    }

  private:
    // p of sizeof(p), if that is a pointer; null: the expression is none such.
    static const clang::DeclRefExpr* pointer_of_size(const clang::Expr* expression) {
        const auto* const size = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(expression->IgnoreParenImpCasts());
        if (size == nullptr || size->getKind() != clang::UETT_SizeOf || size->isArgumentType()) return nullptr;
        const auto* const of = llvm::dyn_cast<clang::DeclRefExpr>(size->getArgumentExpr()->IgnoreParens());
        return of == nullptr || !of->getType()->isPointerType() || of->getType()->getPointeeType()->isFunctionType()
                   ? nullptr
                   : of;
    }
    void report_size(const clang::DeclRefExpr& of) {
        const unsigned id = engine_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                                    "sizeof(%0) is the size of a pointer, %1 bytes, not of the array "
                                                    "that it points to");
        engine_.Report(of.getBeginLoc(), id)
            << of.getDecl()->getName() << static_cast<int>(context_.getTypeSizeInChars(of.getType()).getQuantity());
    }

    // a / b, or a factor of a product that is one in brackets.
    static const clang::BinaryOperator* quotient(const clang::Expr* expression) {
        const auto* const o = llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParens());
        if (o == nullptr || o->getOpcode() == clang::BO_Div) return o;
        for (const clang::Expr* factor : {o->getLHS(), o->getRHS()}) {
            if (o->getOpcode() != clang::BO_Mul || !llvm::isa<clang::ParenExpr>(factor->IgnoreImpCasts())) continue;
            const auto* const inner = llvm::dyn_cast<clang::BinaryOperator>(factor->IgnoreParenImpCasts());
            if (inner != nullptr && inner->getOpcode() == clang::BO_Div) return inner;
        }
        return nullptr;
    }

    std::string text_of(const clang::Expr& expression) const {
        return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(expression.getSourceRange()),
                                           context_.getSourceManager(), context_.getLangOpts())
            .str();
    }

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
    Data data_;
};

} // namespace

void report_doubts(clang::DiagnosticsEngine& engine, const clang::FunctionDecl& function) {
    if (!function.hasBody() || function.isDependentContext()) return;
    Doubts(engine, function).TraverseStmt(function.getBody());
    clang::CFG::BuildOptions options;
    options.setAllAlwaysAdd();
    if (const auto graph = clang::CFG::buildCFG(&function, function.getBody(), &function.getASTContext(), options))
        report_unset(engine, function, *graph);
}

} // namespace warptree::compile
