#include "app/compile/front_end/judge.hpp"

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
    const clang::NamedDecl* named = nullptr;       // a variable, type or template
};

void add_names(const clang::NamedDecl* named, std::set<std::string>& to) {
    to.insert(named->getNameAsString());
    if (const auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(named))
        for (const clang::EnumConstantDecl* value : enumeration->enumerators()) to.insert(value->getNameAsString());
    to.erase("");
}

// Of the namespaces' members too.
void each_at_file_scope(const clang::Decl* declaration, llvm::function_ref<void(const clang::Decl*)> f) {
    f(declaration);
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration))
        for (const clang::Decl* inner : llvm::cast<clang::DeclContext>(declaration)->decls())
            each_at_file_scope(inner, f);
}

// Adds the names of variables and types whose text has one of the names.
void add_made_of(const std::vector<clang::Decl*>& declarations, std::set<std::string>& names) {
    for (std::size_t before = 0; before != names.size();) {
        before = names.size();
        for (const clang::Decl* declaration : declarations)
            each_at_file_scope(declaration, [&](const clang::Decl* at) {
                const auto* named = llvm::dyn_cast<clang::NamedDecl>(at);
                const bool holds =
                    llvm::isa<clang::NamespaceDecl, clang::FunctionDecl, clang::FunctionTemplateDecl>(at);
                if (named != nullptr && !holds && mentions(at, names)) add_names(named, names);
            });
    }
}

// Whether a syntax error comes from a name before it in the line: "void f(thrust::vector<int>& v);".
bool follows_missing_name(const std::vector<Finding>& findings, std::size_t count, const Finding& error) {
    return error.syntax &&
           std::any_of(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(count), [&](const Finding& f) {
               return f.name_missing && f.main.file == error.main.file && f.main.line == error.main.line;
           });
}

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
        if (on_device(variable)) return {Side::device, nullptr, variable};
        // Device code may use constants too.
        const bool constant = variable->isConstexpr() || variable->getType().isConstQualified();
        if (constant || variable->isStaticDataMember()) return {Side::file, nullptr, variable};
        return {Side::host};
    }
    if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration))
        for (const clang::Decl* member : inner->decls())
            if (const Container found = container_of(sources, member, at);
                found.side != Side::file || found.function != nullptr || found.named != nullptr)
                return llvm::isa<clang::RecordDecl>(declaration) && found.function == nullptr
                           ? Container{Side::file, nullptr, llvm::cast<clang::RecordDecl>(declaration)}
                           : found;
    if (llvm::isa<clang::NamespaceDecl>(declaration)) return {};
    return {Side::file, nullptr, llvm::dyn_cast<clang::NamedDecl>(declaration)};
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
    verdict.names = facts.invalid_names;
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
                if (container.side != Side::file || container.named != nullptr) break;
            }
        if (container.named != nullptr) add_names(container.named, verdict.names);
        if (container.side != Side::device || finding.instance >= 0 || container.function == nullptr) continue;
        finding.function = container.function;
        explained.insert(container.function);
        verdict.broken.insert(container.function);
    }
    add_made_of(declarations, verdict.names);
    for (const clang::FunctionDecl* function : facts.device_functions)
        if (mentions(function, verdict.names)) verdict.broken.insert(device_function(function)->getCanonicalDecl());
    const bool needs_others = facts.invalid_variables || !std::ranges::includes(explained, verdict.broken);
    int host_warnings = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Finding& finding = findings[i];
        const Container& container = containers[i];
        const bool error = finding.main.severity == Diagnostic::Severity::error;
        if (error && (finding.function == nullptr || finding.instance >= 0)) {
            // What a line declares may be missed: where that is a name, or known to be invalid, uses of it are errors.
            const bool known = container.named != nullptr && !finding.syntax && !finding.directive;
            const bool traced = known || finding.name_missing || follows_missing_name(findings, kept, finding);
            if (container.side == Side::device || finding.instance >= 0)
                verdict.stops |= !known || finding.instance >= 0;
            else if (container.side == Side::file && !traced)
                verdict.stops = true;
            else if (finding.side != Side::host &&
                     (needs_others || (!verdict.broken.empty() && finding.main.message.ends_with("> is missing"))))
                finding.cause = true;
            else if (++host_warnings > kMostHostWarnings)
                continue;
            else {
                finding.side = Side::host;
                demote(finding, "in host code, which is not run: ");
            }
            finding.cause |= container.side == Side::device && container.named != nullptr;
        }
        if (kept != i) findings[kept] = std::move(finding);
        ++kept;
    }
    findings.resize(kept);
    if (host_warnings > kMostHostWarnings) {
        Finding more;
        more.side = Side::host;
        more.main.file = findings.empty() ? std::string() : findings.back().main.file;
        more.main.severity = Diagnostic::Severity::warning;
        more.main.message = "in host code, which is not run: " + std::to_string(host_warnings - kMostHostWarnings) +
                            " more of " + std::to_string(host_warnings);
        findings.push_back(std::move(more));
    }
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
