// Who keeps what is compiled, for where nothing can be compiled later.
#pragma once

#include "app/compile/compiler.hpp"

#include <functional>

namespace warptree::runs {

using CompileWatcher = std::function<void(const compile::Request&, const compile::Program&)>;
// Called with every program that runs compile from here on.
void watch_compiles(CompileWatcher watcher);

} // namespace warptree::runs
