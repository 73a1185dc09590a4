// Where tests find files. The environment takes precedence, so that a test program built on one machine runs on
// another; the defaults are the source tree and the test program's folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace warptree::tests {

inline std::string from_environment(const char* variable, std::string_view otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::string(value) : std::string(otherwise);
}

inline std::filesystem::path source_dir() { return from_environment("WARPTREE_SOURCE_DIR", WARPTREE_SOURCE_DIR); }
inline std::filesystem::path golden_dir() { return source_dir() / "tests/golden"; }

// The CUDA compiler; empty when there is none on this machine.
inline std::string nvcc() {
    std::string path = from_environment("WARPTREE_NVCC", "");
    return std::filesystem::exists(path) ? path : std::string();
}

// Where to write recorded goldens instead of comparing with them; empty: compare.
inline std::filesystem::path record_goldens_dir() { return from_environment("WARPTREE_RECORD_GOLDENS", ""); }

inline std::filesystem::path beside_this_program(const char* name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

// The program itself.
inline std::filesystem::path binary() {
    return from_environment("WARPTREE_BINARY", beside_this_program("warptree").string());
}

// Stands in for NVIDIA's driver: see support/pretend_driver.cpp.
inline std::filesystem::path pretend_driver() { return beside_this_program("libwarptree_pretend_driver.so"); }

} // namespace warptree::tests
