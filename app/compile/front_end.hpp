// Clang in this process: a request's text becomes a module of its device code, and what is to be said of it.
#pragma once

#include "app/compile/compiled.hpp"
#include "app/compile/compiler.hpp"

namespace warptree::compile {

// Loads Clang and reads our headers into memory once, so that compile() does not. It calls this itself when nobody did.
void prepare_front_end();

// Never throws for what the text says: that is in the diagnostics, and the module is empty when they have an error.
// Kernels that the request asks for by instances come first, in its order.
Compiled compile(const Request& request);

} // namespace warptree::compile
