// nvcc compiles every kernel of the catalogue unchanged.
#include "app/catalogue/catalogue.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace warptree {
namespace {

// The nvcc of this build, else one in the usual places.
std::string nvcc() {
    for (const std::string& path : {tests::nvcc(), std::string("/usr/local/cuda/bin/nvcc")}) {
        if (!path.empty() && std::filesystem::exists(path)) {
            return path;
        }
    }
    return {};
}

TEST(CatalogueNvcc, CompilesEveryFile) {
    if (tests::kSanitized) GTEST_SKIP() << "nvcc does the same beside a sanitizer";
    if (nvcc().empty()) {
        GTEST_SKIP() << "nvcc is not here";
    }
    const std::filesystem::path kernels = tests::source_dir() / "kernels";
    const catalogue::Catalogue all(kernels, {});
    for (const catalogue::Entry& e : all.entries()) {
        const std::string command = nvcc() + " -std=c++17 -arch=sm_90 -ptx -o /dev/null -I '" + kernels.string() +
                                    "' '" + e.path.string() + "' 2>&1";
        EXPECT_EQ(std::system(command.c_str()), 0) << e.id;
    }
}

} // namespace
} // namespace warptree
