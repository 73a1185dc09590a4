// Kernel files by name, and the text a new one begins with.
#pragma once

#include <filesystem>
#include <string>

namespace warptree::session {

// A strategy of the catalogue as plain CUDA; empty: there is none of that id.
std::string strategy_text(const std::string& id);
std::string copy_name(const std::string& id); // of a file to change it in: "sequential-copy.cu"

std::string first_kernel();               // a reduction of Harris's, to be changed
std::filesystem::path free_kernel_path(); // kernel.cu, kernel-2.cu … where the program was started

} // namespace warptree::session
