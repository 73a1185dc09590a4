// nvcc compiles every kernel of the catalogue unchanged. All in one text, each in a namespace of its own: the headers
// of CUDA, which take half a second, are read once. That each file is whole by itself, the interpreter's compiler
// and NVRTC show (Nvrtc.CompilesTheCatalogue).
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
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

// What belongs to no namespace: the lines that include a file of CUDA or of C++.
std::set<std::string> system_headers(const std::filesystem::path& folder) {
    std::set<std::string> lines;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
        std::ifstream in(file.path());
        for (std::string line; std::getline(in, line);) {
            if (line.rfind("#include <", 0) == 0) {
                lines.insert(line);
            }
        }
    }
    return lines;
}

TEST(CatalogueNvcc, CompilesEveryFile) {
    if (tests::kSanitized) GTEST_SKIP() << "nvcc does the same beside a sanitizer";
    if (nvcc().empty()) {
        GTEST_SKIP() << "nvcc is not here";
    }
    const std::filesystem::path kernels = tests::source_dir() / "kernels";
    const catalogue::Catalogue all(kernels, {});
    std::string text;
    for (const std::string& line : system_headers(kernels)) {
        text += line + "\n";
    }
    for (const auto& file : std::filesystem::recursive_directory_iterator(kernels)) {
        if (file.path().extension() == ".cuh") {
            text += "#include \"" + file.path().string() + "\"\n";
        }
    }
    unsigned files = 0;
    std::vector<std::string> of_floats; // files that need another type than int
    for (const catalogue::Entry& e : all.entries()) {
        if (taken_type(require_strategy(e.id)) != ElementType::i32) {
            of_floats.push_back(e.path.string());
            continue;
        }
        text += "namespace of_" + std::to_string(files++) + " {\n#include \"" + e.path.string() + "\"\n}\n";
    }
    EXPECT_GE(files, 40U);
    const tests::TemporaryFolder folder;
    folder.write("catalogue.cu", text);
    const std::string ptx = folder.string() + "/catalogue.ptx";
    const std::string command = nvcc() + " -std=c++17 -arch=sm_90 -ptx -o '" + ptx + "' -I '" + kernels.string() +
                                "' '" + folder.string() + "/catalogue.cu' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_FALSE(of_floats.empty());
    for (const std::string& file : of_floats) {
        for (const char* type : {"float", "double"}) {
            EXPECT_EQ(std::system((nvcc() + " -std=c++17 -arch=sm_90 -ptx -o /dev/null -DREDUCTION_TYPE=" + type +
                                   " -I '" + kernels.string() + "' '" + file + "' 2>&1")
                                      .c_str()),
                      0);
        }
    }
    std::ifstream in(ptx);
    unsigned kernels_made = 0;
    for (std::string word; in >> word;) {
        kernels_made += word == ".entry" ? 1 : 0;
    }
    EXPECT_GE(kernels_made, 30U); // the others are templates
}

} // namespace
} // namespace warptree
