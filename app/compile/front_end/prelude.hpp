// Our headers in precompiled form, which take longer to read than most kernel files. The build keeps them in a file beside
// the worker; without that file, or with one of another version of Clang or of the headers, each worker makes its own.
#pragma once

#include <clang/Frontend/CompilerInstance.h>

#include <string>
#include <string_view>

namespace warptree::compile {

// The name under which Clang finds it.
inline constexpr std::string_view kPrecompiled = "/warptree/prelude.pch";

// Read or made on the first call. Throws CompileError when a header of ours has an error.
const std::string& precompiled_prelude();

// Makes `compiler`, whose file system has the precompiled prelude, read it before its file.
void read_prelude(clang::CompilerInstance& compiler);

// The file's content, for these headers and this Clang; empty: the file is of others, or damaged.
std::string prelude_in(std::string_view file);
// The same as a file.
std::string file_of_prelude(std::string_view prelude);

} // namespace warptree::compile
