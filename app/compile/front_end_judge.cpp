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

// What contains a place of the text.
struct Container {
    Side side = Side::file;
    const clang::FunctionDecl* function = nullptr; // of the device
    bool invalid = false; // a variable or class that Clang knows to be invalid, as it does each use of it
};

Container container_of(const clang::SourceManager& sources, const clang::Decl* declaration, clang::SourceLocation at) {
    const clang::SourceLocation begin = sources.getFileLoc(declaration->getBeginLoc());
    const clang::SourceLocation end = sources.getFileLoc(declaration->getEndLoc());
    if (begin.isInvalid() || end.isInvalid() || !sources.isPointWithin(at, begin, end)) return {};
    if (const auto* made = llvm::dyn_cast<clang::TemplateDecl>(declaration))
        declaration = made->getTemplatedDecl() != nullptr ? made->getTemplatedDecl() : declaration;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
        const clang::FunctionDecl* of_device = device_function(function);
        return {side_of(function), of_device == nullptr ? nullptr : of_device->getCanonicalDecl()};
    }
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
        if (on_device(variable)) return {Side::device, nullptr, variable->isInvalidDecl()};
        // Device code may use constants too.
        const bool constant = variable->isConstexpr() || variable->getType().isConstQualified();
        return {constant || variable->isStaticDataMember() ? Side::file : Side::host, nullptr,
                variable->isInvalidDecl()};
    }
    if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration))
        for (const clang::Decl* member : inner->decls())
            if (const Container found = container_of(sources, member, at);
                found.side != Side::file || found.function != nullptr || found.invalid)
                return found;
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
    return {Side::file, nullptr, record != nullptr && record->isInvalidDecl()};
}

void demote(Finding& finding, const std::string& beginning) {
    finding.main.severity = Diagnostic::Severity::warning;
    finding.main.message = beginning + finding.main.message;
}

} // namespace

Verdict judge(std::vector<Finding>& findings, const clang::ASTContext& context,
              const std::vector<clang::Decl*>& declarations, const FileFacts& facts) {
    const clang::SourceManager& sources = context.getSourceManager();
    Verdict verdict;
    verdict.broken = facts.with_invalid;
    std::vector<Container> containers(findings.size());
    Functions explained; // by errors in them
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Finding& finding = findings[i];
        if (finding.main.severity != Diagnostic::Severity::error) continue;
        Container& container = containers[i];
        container = {finding.instance >= 0 ? Side::device : finding.side, finding.function};
        if (container.side == Side::file && finding.at.isValid())
            for (const clang::Decl* declaration : declarations) {
                container = container_of(sources, declaration, sources.getFileLoc(finding.at));
                if (container.side != Side::file || container.invalid) break;
            }
        if (container.side != Side::device || finding.instance >= 0 || container.function == nullptr) continue;
        finding.function = container.function;
        explained.insert(container.function);
        verdict.broken.insert(container.function);
    }
    const bool needs_others = facts.invalid_variables || !std::ranges::includes(explained, facts.with_invalid);
    int host_warnings = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Finding& finding = findings[i];
        const Container& container = containers[i];
        const bool error = finding.main.severity == Diagnostic::Severity::error;
        if (error && (finding.function == nullptr || finding.instance >= 0)) {
            // What a line declares may be missed: where that is a name, or known to be invalid, uses of it are errors.
            const bool traced = container.invalid || finding.name_missing;
            if (container.side == Side::device || finding.instance >= 0)
                verdict.stops |= !container.invalid || finding.instance >= 0;
            else if (container.side == Side::file && !traced)
                verdict.stops = true;
            else if (needs_others && finding.side != Side::host)
                finding.cause = true;
            else if (++host_warnings > kMostHostWarnings)
                continue;
            else {
                finding.side = Side::host;
                demote(finding, "in host code, which is not run: ");
            }
            finding.cause |= container.side == Side::device && container.invalid;
        }
        if (kept != i) findings[kept] = std::move(finding);
        ++kept;
    }
    findings.resize(kept);
    return verdict;
}

const Finding* reason_of(const std::vector<Finding>& findings, const clang::FunctionDecl* function) {
    const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern();
    const auto in_it = [&](const Finding& f) {
        return f.function != nullptr &&
               (f.function == function || (pattern != nullptr && f.function == pattern->getCanonicalDecl()));
    };
    const auto first = [&](auto&& fits) {
        const auto at = std::ranges::find_if(
            findings, [&](const Finding& f) { return f.main.severity == Diagnostic::Severity::error && fits(f); });
        return at == findings.end() ? nullptr : &*at;
    };
    // What is not part of warptree explains what else is unknown.
    if (const Finding* finding = first([&](const Finding& f) { return in_it(f) && f.explained; })) return finding;
    if (const Finding* finding = first(in_it)) return finding;
    const Finding* cause = first([](const Finding& f) { return f.cause; });
    return cause != nullptr ? cause : first([](const Finding&) { return true; }); // of a declaration that it uses
}

void excuse(std::vector<Finding>& findings) {
    for (Finding& finding : findings)
        if (finding.main.severity == Diagnostic::Severity::error)
            demote(finding, finding.function == nullptr ? "what needs this is not run: "
                                                        : "in " + name_of(finding.function) + ", which is not run: ");
}

} // namespace warptree::compile
