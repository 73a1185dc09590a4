// Programs compiled beforehand, for where no compiler can be started: those of a kernel file, by what was asked for.
#pragma once

#include "app/compile/client/compiler.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::compile {

// Two requests that agree in all that decides the program have the same; where files lie does not.
std::string kept_key(const Request& request);

// By the key of their request: bytes of a Program.
using KeptPrograms = std::map<std::string, std::vector<std::uint8_t>>;
std::string kept_bytes(const KeptPrograms& programs);
KeptPrograms kept_from(std::string_view bytes); // throws CompileError for what kept_bytes() does not write

// From now on what is not there is asked of the server that handed out the page, under the name that the page has there.
void ask_server_as(std::string name);

// Below the data folder (resources.hpp): "programs/sequential.cu.kept".
std::string kept_file(const std::string& kernel_file);

} // namespace warptree::compile
