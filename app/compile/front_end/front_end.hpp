// Runs Clang in this process: turns a request's text into a module of its device code, with diagnostics.
#pragma once

#include "app/compile/client/compiler.hpp"
#include "app/compile/client/files.hpp"
#include "app/compile/lower/compiled.hpp"

namespace warptree::compile {

// Loads Clang and reads our headers into memory once. compile() calls this itself if necessary.
void prepare_front_end();

// Never throws because of the text: problems are in the diagnostics, and the module is empty if one is an error.
// Kernels requested as instances come first, in the order of the request.
Compiled compile(const Request& request, FindFile find);
// The same, with the request's folders read by this process itself.
Compiled compile(const Request& request);

} // namespace warptree::compile
