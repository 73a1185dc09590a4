// Clang's diagnostics as data, and whether each is about host or device code: an error in host code stops nothing,
// because host code is only parsed.
#pragma once

#include "app/compile/program/program.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceLocation.h>

#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
class FunctionDecl;
class Sema;
} // namespace clang

namespace warptree::compile {

enum class Side : std::uint8_t { device, host, file }; // file: outside of functions

// Side::device: __device__ or __global__, explicit or inherited by a lambda from its enclosing function.
Side side_of(const clang::FunctionDecl* function);
// The outermost function of the device that contains this one, or is it; null: none.
const clang::FunctionDecl* device_function(const clang::FunctionDecl* function);

struct Finding {
    Diagnostic main;
    std::vector<Diagnostic> notes;
    Side side = Side::file;
    const clang::FunctionDecl* function = nullptr; // canonical: of the device, which it breaks; null: none, or unknown
    clang::SourceLocation at;
    bool cause = false;        // the errors of functions may follow from it
    bool name_missing = false; // something is undeclared; a missing header may declare it
    bool explained = false;    // the message itself says that something is not part of warptree
    bool directive = false;    // about a directive, or a token
    bool syntax = false;       // a parse error, which may affect code after the function
    int instance = -1;         // the appended line that it is about, from 0; -1: none
};

// Sets only the place, from `range`.
Diagnostic diagnostic_at(clang::CompilerInstance& compiler, clang::CharSourceRange range);

class Diagnostics : public clang::DiagnosticConsumer {
  public:
    // Lines of the main file after `own_lines` are not the user's.
    explicit Diagnostics(clang::CompilerInstance& compiler, std::uint32_t own_lines = 0xFFFFFFFF)
        : compiler_(compiler), own_lines_(own_lines) {}
    void BeginSourceFile(const clang::LangOptions& options, const clang::Preprocessor*) override {
        options_ = &options;
    }
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override;

    std::vector<Finding>& findings() { return findings_; }
    bool lost_errors() const { return lost_errors_; } // there were more than are kept

  private:
    // The appended line that the diagnostic is about, from 0, removing its place from the diagnostic. -1: it is about
    // the user's text.
    int take_instance(Diagnostic& diagnostic, clang::FullSourceLoc at) const;

    static constexpr std::size_t kMostFindings = 200, kMostNotes = 12;
    clang::CompilerInstance& compiler_;
    std::uint32_t own_lines_;
    const clang::LangOptions* options_ = nullptr;
    std::vector<Finding> findings_;
    bool keeping_ = false;         // keep the notes that follow
    bool hides_ours_ = false;      // notes of declarations in our headers, which say nothing of this error
    bool hides_suggested_ = false; // the note that follows is about a suggestion left out of the message
    bool lost_errors_ = false;
};

} // namespace warptree::compile
