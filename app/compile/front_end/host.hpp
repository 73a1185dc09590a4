// Runs Clang in this process over the host's half of a request's text: an object file of machine code for this computer.
#pragma once

#include "app/compile/client/compiler.hpp"
#include "app/compile/client/files.hpp"
#include "app/compile/program/program.hpp"

namespace warptree::compile {

// Never throws because of the text: problems are in the diagnostics, and the object is empty if one is an error.
HostCode compile_host(const Request& request, const FindFile& find);

// Sets `lines` from the object's debug records.
void add_lines(HostCode& code);

} // namespace warptree::compile
