#include "app/compile/front_end/diagnostics.hpp"

#include "app/compile/front_end/files.hpp"
#include "app/compile/front_end/missing.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/DiagnosticRenderer.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>

namespace warptree::compile {
namespace {

// The position of a character: in the actual file, ignoring #line.
struct Place {
    std::string file;
    std::uint32_t line = 0, column = 0;
};

Place place_of(const clang::SourceManager& sources, clang::SourceLocation at) {
    const auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(at));
    Place place;
    if (const auto entry = sources.getFileEntryRefForID(file))
        place.file = SourceFiles::name_of(std::string_view(entry->getName()));
    place.line = sources.getLineNumber(file, offset);
    place.column = sources.getColumnNumber(file, offset);
    return place;
}

bool in_our_headers(const clang::SourceManager& sources, clang::SourceLocation at) {
    const auto entry = sources.getFileEntryRefForID(sources.getFileID(sources.getFileLoc(at)));
    return entry && SourceFiles::ours(std::string_view(entry->getName()));
}

// Message text with names as programs know them (not our own paths), cut to a readable length.
std::string shown(llvm::StringRef text) {
    constexpr std::size_t kLongest = 1000;
    std::string result = text.str();
    for (const std::string_view hidden :
         {std::string_view("__cooperative_groups"), kSourceRoot, kHeaderRoot, kKernelsRoot}) {
        const std::size_t count = hidden[0] == '_' ? 2 : hidden.size();
        for (std::size_t at = 0; (at = result.find(hidden, at)) != std::string::npos;) result.erase(at, count);
    }
    if (result.size() > kLongest) result.replace(kLongest / 2, result.size() - kLongest, " ... ");
    return result;
}

Diagnostic make_diagnostic(clang::DiagnosticsEngine::Level level, llvm::StringRef message) {
    Diagnostic diagnostic;
    diagnostic.severity = level >= clang::DiagnosticsEngine::Error     ? Diagnostic::Severity::error
                          : level == clang::DiagnosticsEngine::Warning ? Diagnostic::Severity::warning
                                                                       : Diagnostic::Severity::note;
    diagnostic.message = shown(message);
    return diagnostic;
}

void put_place(Diagnostic& diagnostic, clang::FullSourceLoc at) {
    const Place place = place_of(at.getManager(), at);
    diagnostic.file = place.file;
    diagnostic.line = place.line;
    diagnostic.column = place.column;
}

// The part of a range on its first line, or (`whole`) all of a range on one line; empty if there is none.
Diagnostic::Range range_of(const clang::SourceManager& sources, const clang::LangOptions& options,
                           clang::CharSourceRange range, bool whole) {
    range = clang::Lexer::makeFileCharRange(range, sources, options);
    if (range.isInvalid()) return {};
    const Place first = place_of(sources, range.getBegin()), end = place_of(sources, range.getEnd());
    if (first.line == end.line) return {first.line, first.column, end.column};
    if (whole) return {};
    const llvm::StringRef text = sources.getBufferData(sources.getFileID(range.getBegin()));
    const std::size_t begin = sources.getFileOffset(range.getBegin());
    const std::size_t stop = std::min(text.find_first_of("\r\n", begin), text.size());
    return {first.line, first.column, first.column + static_cast<std::uint32_t>(stop - begin)};
}

// What clang would print: the message, with the notes for macros and inclusions.
class Renderer : public clang::DiagnosticNoteRenderer {
  public:
    using DiagnosticNoteRenderer::DiagnosticNoteRenderer;
    Diagnostic main;
    std::vector<Diagnostic> notes;

  private:
    void emitDiagnosticMessage(clang::FullSourceLoc at, clang::PresumedLoc, clang::DiagnosticsEngine::Level level,
                               llvm::StringRef message, llvm::ArrayRef<clang::CharSourceRange>,
                               clang::DiagOrStoredDiag) override {
        if (std::exchange(has_main_, true)) return emitNote(at, message); // where a macro came from
        main = make_diagnostic(level, message);
        if (at.isValid()) put_place(main, at);
        context_is_mains_ = true;
    }
    void emitDiagnosticLoc(clang::FullSourceLoc, clang::PresumedLoc, clang::DiagnosticsEngine::Level,
                           llvm::ArrayRef<clang::CharSourceRange>) override {}
    void emitCodeContext(clang::FullSourceLoc at, clang::DiagnosticsEngine::Level,
                         llvm::SmallVectorImpl<clang::CharSourceRange>& ranges,
                         llvm::ArrayRef<clang::FixItHint> hints) override {
        if (!std::exchange(context_is_mains_, false)) return;
        const clang::SourceManager& sources = at.getManager();
        const auto same_file = [&](clang::SourceLocation other) {
            return sources.isWrittenInSameFile(sources.getFileLoc(other), sources.getFileLoc(at));
        };
        for (const clang::CharSourceRange& range : ranges) {
            if (range.isInvalid() || !same_file(range.getBegin())) continue;
            const Diagnostic::Range shown = range_of(sources, LangOpts, range, false);
            if (shown.line != 0 && std::find(main.ranges.begin(), main.ranges.end(), shown) == main.ranges.end())
                main.ranges.push_back(shown);
        }
        for (const clang::FixItHint& hint : hints) {
            if (hint.isNull() || hint.RemoveRange.getBegin().isMacroID() || hint.InsertFromRange.isValid() ||
                !same_file(hint.RemoveRange.getBegin()))
                continue;
            const Diagnostic::Range replaced = range_of(sources, LangOpts, hint.RemoveRange, true);
            if (replaced.line != 0) main.fix_its.push_back({replaced, hint.CodeToInsert});
        }
    }
    // The expansion of a macro in our headers means nothing to the user.
    void emitNote(clang::FullSourceLoc at, llvm::StringRef message) override {
        if (at.isInvalid() || in_our_headers(at.getManager(), at) || notes.size() >= kMostRendered) return;
        Diagnostic note = make_diagnostic(clang::DiagnosticsEngine::Note, message);
        put_place(note, at);
        if (!note.file.empty()) notes.push_back(std::move(note)); // else what a macro has made
    }

    static constexpr std::size_t kMostRendered = 6;
    bool has_main_ = false, context_is_mains_ = false;
};

bool includes(clang::CompilerInstance& compiler, std::string_view header) {
    const std::string path = std::string(kHeaderRoot) + std::string(header);
    if (!compiler.hasPreprocessor()) return false;
    const auto& all = compiler.getPreprocessor().getIncludedFiles();
    return std::any_of(all.begin(), all.end(),
                       [&](const clang::FileEntry* file) { return file->tryGetRealPathName() == path; });
}

bool says_not_declared(unsigned id) {
    switch (id) {
    case clang::diag::err_undeclared_var_use:
    case clang::diag::err_undeclared_var_use_suggest:
    case clang::diag::err_undeclared_use:
    case clang::diag::err_undeclared_use_suggest:
    case clang::diag::err_unknown_typename:
    case clang::diag::err_unknown_typename_suggest:
    case clang::diag::err_typename_nested_not_found:
    case clang::diag::err_unknown_nested_typename_suggest:
    case clang::diag::err_no_template:
    case clang::diag::err_no_template_suggest:
    case clang::diag::err_no_member:
    case clang::diag::err_no_member_suggest:
    case clang::diag::err_no_member_template:
    case clang::diag::err_no_member_template_suggest:
    case clang::diag::err_expected_class_name:
    case clang::diag::err_expected_class_or_namespace:
    case clang::diag::err_expected_namespace_name:
    case clang::diag::err_using_directive_suggest:
    case clang::diag::err_explicit_instantiation_not_known: return true;
    default: return false;
    }
}

} // namespace

Side side_of(const clang::FunctionDecl* function) {
    for (const clang::DeclContext* at = function; at != nullptr; at = at->getParent()) {
        const auto* current = llvm::dyn_cast<clang::FunctionDecl>(at);
        if (current == nullptr) continue;
        if (current->hasAttr<clang::CUDAGlobalAttr>()) return Side::device;
        const auto* device = current->getAttr<clang::CUDADeviceAttr>();
        const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(current);
        const bool lambda = method != nullptr && method->getParent()->isLambda();
        if (device != nullptr && (!device->isImplicit() || !lambda)) return Side::device;
        if (!lambda) return Side::host;
    }
    return function == nullptr ? Side::file : Side::host;
}

const clang::FunctionDecl* device_function(const clang::FunctionDecl* function) {
    const clang::FunctionDecl* outermost = nullptr;
    for (const clang::DeclContext* at = function; at != nullptr; at = at->getParent())
        if (const auto* current = llvm::dyn_cast<clang::FunctionDecl>(at);
            current != nullptr && side_of(current) == Side::device)
            outermost = current;
    return outermost;
}

Diagnostic diagnostic_at(clang::CompilerInstance& compiler, clang::CharSourceRange range) {
    Diagnostic diagnostic;
    put_place(diagnostic, clang::FullSourceLoc(range.getBegin(), compiler.getSourceManager()));
    const Diagnostic::Range shown = range_of(compiler.getSourceManager(), compiler.getLangOpts(), range, false);
    if (shown.line != 0) diagnostic.ranges.push_back(shown);
    return diagnostic;
}

int Diagnostics::take_instance(Diagnostic& diagnostic, clang::FullSourceLoc at) const {
    const clang::SourceManager& sources = at.getManager();
    if (diagnostic.line <= own_lines_ || sources.getFileID(sources.getFileLoc(at)) != sources.getMainFileID())
        return -1;
    const int line = static_cast<int>(diagnostic.line - own_lines_ - 1);
    diagnostic.file.clear();
    diagnostic.line = diagnostic.column = 0;
    diagnostic.ranges.clear();
    diagnostic.fix_its.clear();
    return line;
}

void Diagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level == clang::DiagnosticsEngine::Ignored || level == clang::DiagnosticsEngine::Remark) return;
    const bool note = level == clang::DiagnosticsEngine::Note;
    // Our declarations of the standard library are never defined or linked.
    const bool undefined = info.getID() == clang::diag::err_undefined_internal_type;
    if (undefined) {
        keeping_ = false;
        return;
    }
    if (note && (!keeping_ || findings_.empty() || findings_.back().notes.size() >= kMostNotes)) return;
    if (!note) {
        keeping_ = findings_.size() < kMostFindings;
        lost_errors_ |= !keeping_ && level >= clang::DiagnosticsEngine::Error;
    }
    if (!keeping_) return;

    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    clang::LangOptions none;
    Renderer renderer(options_ != nullptr ? *options_ : none, &compiler_.getDiagnosticOpts());
    if (info.getLocation().isValid() && info.hasSourceManager())
        renderer.emitDiagnostic(clang::FullSourceLoc(info.getLocation(), info.getSourceManager()), level, message,
                                info.getRanges(), info.getFixItHints(), &info);
    else
        renderer.main = make_diagnostic(level, message);
    const int instance =
        info.getLocation().isValid() && info.hasSourceManager()
            ? take_instance(renderer.main, clang::FullSourceLoc(info.getLocation(), info.getSourceManager()))
            : -1;
    if (note) {
        if (std::exchange(hides_suggested_, false)) return; // where the suggestion is declared
        if (hides_ours_ && in_our_headers(info.getSourceManager(), info.getLocation())) return;
        std::vector<Diagnostic>& notes = findings_.back().notes;
        if (instance >= 0) findings_.back().instance = instance;
        notes.push_back(renderer.main);
        notes.insert(notes.end(), renderer.notes.begin(), renderer.notes.end());
        return;
    }
    const Diagnostic& main = renderer.main;
    if (level == clang::DiagnosticsEngine::Warning && std::ranges::any_of(findings_, [&](const Finding& f) {
            return f.main.severity == main.severity && f.main.message == main.message && f.main.file == main.file &&
                   f.main.line == main.line && f.main.column == main.column;
        })) { // ours of what Clang has said, or of another instance
        keeping_ = false;
        return;
    }
    Finding& finding = findings_.emplace_back();
    finding.main = std::move(renderer.main);
    finding.name_missing = says_not_declared(info.getID());
    hides_suggested_ = false;
    // Our operators are those of other types.
    hides_ours_ = finding.main.message.starts_with("invalid operands") ||
                  finding.main.message.starts_with("invalid argument type") ||
                  finding.main.message.starts_with("no viable overloaded '");
    if (level >= clang::DiagnosticsEngine::Error) {
        const std::string plain = without_internal_suggestion(finding.main.message);
        hides_suggested_ = plain != finding.main.message;
        if (hides_suggested_) finding.main.fix_its.clear();
        finding.main.message = explained(plain, [&](std::string_view header) {
            return !(finding.name_missing || hides_ours_) || includes(compiler_, header);
        });
    }
    finding.explained = finding.main.message.find("not part of warptree") != std::string::npos;
    finding.notes = std::move(renderer.notes);
    finding.instance = instance;
    finding.at = info.getLocation();
    const llvm::StringRef category =
        clang::DiagnosticIDs::getCategoryNameFromID(clang::DiagnosticIDs::getCategoryNumberForDiag(info.getID()));
    finding.syntax = category == "Parse Issue";
    // Those beyond Clang's own are of pragmas that we refuse.
    finding.directive = (info.getID() >= clang::diag::DIAG_START_LEX && info.getID() < clang::diag::DIAG_START_PARSE) ||
                        info.getID() >= clang::diag::DIAG_UPPER_LIMIT;
    // Before the first declaration there is none: of the file's encoding, say.
    if (!compiler_.hasSema() || compiler_.getSema().CurContext == nullptr) return;
    const clang::FunctionDecl* function = compiler_.getSema().getCurFunctionDecl(true);
    finding.side = side_of(function);
    // A directive is read before the parser gets there: it may stand behind the function.
    if (!finding.directive)
        if (const clang::FunctionDecl* broken = device_function(function))
            finding.function = broken->getCanonicalDecl();
}

} // namespace warptree::compile
