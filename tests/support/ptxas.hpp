// CUDA's assembler, if installed.
#pragma once

#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace warptree::tests {

inline std::string ptxas() {
    for (const char* path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    return {};
}

// The first error of ptxas; empty: it accepts the text.
inline std::string refused_by_ptxas(const std::string& ptx, const std::string& architecture) {
    const TemporaryFolder folder;
    folder.write("code.ptx", ptx);
    const std::string log = folder.string() + "/log";
    const int status = std::system(
        (ptxas() + " -arch=" + architecture + " -c -o /dev/null " + folder.string() + "/code.ptx > " + log + " 2>&1")
            .c_str());
    std::ifstream in(log);
    std::string line;
    std::getline(in, line);
    return status == 0 ? "" : "ptxas: " + line;
}

} // namespace warptree::tests
