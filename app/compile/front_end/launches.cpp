#include "app/compile/front_end/launches.hpp"

#include "app/compile/front_end/walk.hpp"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <optional>
#include <set>

namespace warptree::compile {
namespace {

constexpr int kDeepest = 50; // levels of variables defined by variables

// Collects launches, and variables that are modified after their definition.
struct Launches {
    std::vector<const clang::CUDAKernelCallExpr*> calls;
    std::set<const clang::ValueDecl*> changed;
};

const clang::ValueDecl* variable_of(const clang::Expr* expression) {
    expression = expression->IgnoreParens();
    while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression))
        expression = member->getBase()->IgnoreParens();
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
    return reference == nullptr ? nullptr : reference->getDecl();
}

class LaunchFinder : public SyntaxVisitor {
  public:
    explicit LaunchFinder(Launches& launches) : launches_(launches) {}

    void statement(clang::Stmt* statement) override {
        if (const auto* launch = llvm::dyn_cast<clang::CUDAKernelCallExpr>(statement))
            launches_.calls.push_back(launch);
        if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(statement)) {
            if (operation->isAssignmentOp()) change(operation->getLHS());
        } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(statement)) {
            if (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf) change(unary->getSubExpr());
        } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) {
            // An argument passed by reference may be modified through it.
            for (const clang::Expr* argument : call->arguments())
                if (argument != nullptr && argument->isLValue() && !argument->getType().isConstQualified())
                    change(argument);
            const auto* assignment = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
            if (assignment != nullptr && assignment->isAssignmentOp() && assignment->getNumArgs() > 0)
                change(assignment->getArg(0));
        }
    }

  private:
    void change(const clang::Expr* expression) {
        if (const clang::ValueDecl* variable = variable_of(expression)) launches_.changed.insert(variable);
    }
    Launches& launches_;
};

class Evaluator {
  public:
    Evaluator(const clang::ASTContext& context, const std::set<const clang::ValueDecl*>& changed)
        : context_(context), changed_(changed) {}

    std::optional<std::int64_t> number(const clang::Expr* expression, int depth = 0) const {
        if (expression == nullptr || depth > kDeepest) return std::nullopt;
        expression = inside(expression);
        if (!expression->isValueDependent() && !expression->containsErrors() &&
            expression->getType()->isIntegralOrEnumerationType()) {
            clang::Expr::EvalResult result;
            if (expression->EvaluateAsInt(result, context_)) return result.Val.getInt().getExtValue();
        }
        if (const clang::Expr* initial = initial_of(expression)) return number(initial, depth + 1);
        if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression))
            return number(cast->getSubExpr(), depth + 1);
        if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
            const auto size = block(member->getBase(), depth + 1);
            const llvm::StringRef name = member->getMemberDecl()->getName();
            if (!size || name.size() != 1 || name[0] < 'x' || name[0] > 'z') return std::nullopt;
            return (*size)[static_cast<std::size_t>(name[0] - 'x')];
        }
        if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
            const auto condition = number(choice->getCond(), depth + 1);
            if (!condition) return std::nullopt;
            return number(*condition != 0 ? choice->getTrueExpr() : choice->getFalseExpr(), depth + 1);
        }
        if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
            const auto left = number(operation->getLHS(), depth + 1), right = number(operation->getRHS(), depth + 1);
            if (left && right) return applied(operation->getOpcode(), *left, *right);
        }
        return std::nullopt;
    }

    std::optional<BlockSize> block(const clang::Expr* expression, int depth = 0) const {
        if (expression == nullptr || depth > kDeepest) return std::nullopt;
        expression = inside(expression);
        if (const clang::Expr* initial = initial_of(expression)) return block(initial, depth + 1);
        if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) return block(cast->getSubExpr(), depth + 1);
        const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(expression);
        if (made == nullptr || made->getNumArgs() == 0 || made->getNumArgs() > 3) return std::nullopt;
        if (made->getNumArgs() == 1 && made->getArg(0)->getType()->isRecordType())
            return block(made->getArg(0), depth + 1);
        BlockSize size = {1, 1, 1};
        for (unsigned i = 0; i < made->getNumArgs(); ++i) {
            const clang::Expr* argument = made->getArg(i);
            if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
            const auto value = number(argument, depth + 1);
            if (!value || *value < 1 || *value > 1024) return std::nullopt;
            size[i] = static_cast<std::uint32_t>(*value);
        }
        return size;
    }

  private:
    static const clang::Expr* inside(const clang::Expr* expression) {
        for (;;) {
            expression = expression->IgnoreParens();
            if (const auto* full = llvm::dyn_cast<clang::FullExpr>(expression))
                expression = full->getSubExpr();
            else if (const auto* kept = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expression))
                expression = kept->getSubExpr();
            else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(expression))
                expression = bound->getSubExpr();
            else
                return expression;
        }
    }
    // The initial value of a variable that is never modified.
    const clang::Expr* initial_of(const clang::Expr* expression) const {
        const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
        if (reference == nullptr || changed_.contains(reference->getDecl())) return nullptr;
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
        return variable == nullptr || llvm::isa<clang::ParmVarDecl>(variable) ? nullptr : variable->getAnyInitializer();
    }
    static std::optional<std::int64_t> applied(clang::BinaryOperatorKind operation, std::int64_t a, std::int64_t b) {
        constexpr std::int64_t kLargest = std::int64_t{1} << 31;
        if (a < -kLargest || a > kLargest || b < -kLargest || b > kLargest) return std::nullopt;
        switch (operation) {
        case clang::BO_Add: return a + b;
        case clang::BO_Sub: return a - b;
        case clang::BO_Mul: return a * b;
        case clang::BO_Div: return b == 0 ? std::nullopt : std::optional(a / b);
        case clang::BO_Rem: return b == 0 ? std::nullopt : std::optional(a % b);
        case clang::BO_Shl: return a < 0 || b < 0 || b > 30 ? std::nullopt : std::optional(a << b);
        case clang::BO_Shr: return b < 0 || b > 62 ? std::nullopt : std::optional(a >> b);
        case clang::BO_LT: return a < b;
        case clang::BO_GT: return a > b;
        case clang::BO_LE: return a <= b;
        case clang::BO_GE: return a >= b;
        case clang::BO_EQ: return a == b;
        case clang::BO_NE: return a != b;
        default: return std::nullopt;
        }
    }

    const clang::ASTContext& context_;
    const std::set<const clang::ValueDecl*>& changed_;
};

} // namespace

std::map<const clang::FunctionDecl*, BlockSize> launched_blocks(clang::ASTContext& context,
                                                                const std::vector<clang::Decl*>& declarations) {
    Launches launches;
    LaunchFinder finder(launches);
    for (clang::Decl* declaration : declarations) walk(declaration, ImplicitCode::skipped, finder);
    const Evaluator evaluator(context, launches.changed);
    std::map<const clang::FunctionDecl*, BlockSize> blocks;
    for (const clang::CUDAKernelCallExpr* call : launches.calls) {
        const clang::FunctionDecl* kernel = call->getDirectCallee();
        const clang::CallExpr* configuration = call->getConfig();
        if (kernel == nullptr || configuration == nullptr || configuration->getNumArgs() < 2) continue;
        if (const auto size = evaluator.block(configuration->getArg(1)))
            blocks.emplace(kernel->getCanonicalDecl(), *size);
    }
    return blocks;
}

} // namespace warptree::compile
