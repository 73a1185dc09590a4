// What Clang has no warning for, though it is hardly ever meant: told as a warning, where it stands.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Basic/Diagnostic.h>

namespace warptree::compile {

// Looks through a function's body: a quotient of constant integers that is 0 and becomes a floating-point number; the size of a
// pointer as the number of bytes that an array has; variables, arrays and structures that are read before anything sets them,
// where that is so on every way.
void report_doubts(clang::DiagnosticsEngine& engine, const clang::FunctionDecl& function);

} // namespace warptree::compile
