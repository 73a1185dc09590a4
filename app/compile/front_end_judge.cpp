#include "app/compile/front_end_judge.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace warptree::compile {
namespace {

constexpr int kMostHostWarnings = 8;

bool on_device(const clang::Decl* declaration) {
    return declaration->hasAttr<clang::CUDADeviceAttr>() || declaration->hasAttr<clang::CUDAGlobalAttr>() ||
           declaration->hasAttr<clang::CUDAConstantAttr>() || declaration->hasAttr<clang::CUDASharedAttr>();
}

// The side of the function or variable that contains `at`; file: none does.
Side side_of_text(const clang::SourceManager& sources, const clang::Decl* declaration, clang::SourceLocation at) {
    const clang::SourceLocation begin = sources.getFileLoc(declaration->getBeginLoc());
    const clang::SourceLocation end = sources.getFileLoc(declaration->getEndLoc());
    if (begin.isInvalid() || end.isInvalid() || !sources.isPointWithin(at, begin, end)) return Side::file;
    if (const auto* made = llvm::dyn_cast<clang::TemplateDecl>(declaration))
        declaration = made->getTemplatedDecl() != nullptr ? made->getTemplatedDecl() : declaration;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) return side_of(function);
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
        if (on_device(variable)) return Side::device;
        // Device code may use constants too.
        const bool constant = variable->isConstexpr() || variable->getType().isConstQualified();
        return constant || variable->isStaticDataMember() ? Side::file : Side::host;
    }
    if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration))
        for (const clang::Decl* member : inner->decls())
            if (const Side side = side_of_text(sources, member, at); side != Side::file) return side;
    return Side::file;
}

} // namespace

bool judge(std::vector<Finding>& findings, const clang::ASTContext& context,
           const std::vector<clang::Decl*>& declarations, bool device_code_has_errors) {
    const clang::SourceManager& sources = context.getSourceManager();
    int host_warnings = 0;
    bool stops = false;
    std::vector<bool> dropped(findings.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Finding& finding = findings[i];
        if (finding.main.severity != Diagnostic::Severity::error) continue;
        Side side = finding.instance >= 0 ? Side::device : finding.side; // requested instances are device code
        if (side == Side::file && finding.at.isValid()) {
            const clang::SourceLocation at = sources.getFileLoc(finding.at);
            for (const clang::Decl* declaration : declarations)
                if (side = side_of_text(sources, declaration, at); side != Side::file) break;
            // An unknown name outside device code stops nothing, unless device code needs what the line declares.
            if (side == Side::host && device_code_has_errors) side = Side::file;
            if (side == Side::file && finding.name_missing && !device_code_has_errors) side = Side::host;
        }
        if (side != Side::host) {
            stops = true;
            continue;
        }
        finding.side = Side::host;
        finding.main.severity = Diagnostic::Severity::warning;
        finding.main.message = "in host code, which is not run: " + finding.main.message;
        dropped[i] = ++host_warnings > kMostHostWarnings;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (dropped[i]) continue;
        if (kept != i) findings[kept] = std::move(findings[i]);
        ++kept;
    }
    findings.resize(kept);
    return stops;
}

} // namespace warptree::compile
