// With the probe off, a strategy is the very machine code of the plain kernel.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace {

// The bytes of one section of an ELF file; a cubin is one.
std::string section(const std::string& elf, const std::string& name) {
    Elf64_Ehdr header;
    std::memcpy(&header, elf.data(), sizeof header);
    const auto section_at = [&](unsigned i) {
        Elf64_Shdr s;
        std::memcpy(&s, elf.data() + header.e_shoff + i * sizeof s, sizeof s);
        return s;
    };
    const Elf64_Shdr names = section_at(header.e_shstrndx);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section_at(i);
        if (name == elf.data() + names.sh_offset + s.sh_name) {
            return elf.substr(s.sh_offset, s.sh_size);
        }
    }
    return {};
}

class ZeroCost : public testing::TestWithParam<const char*> {
  protected:
    static void SetUpTestSuite() {
        const std::string nvcc = WARPTREE_NVCC;
        if (nvcc.empty()) {
            return;
        }
        const auto file =
            std::filesystem::temp_directory_path() / ("warptree_twins_" + std::to_string(getpid()) + ".cubin");
        const std::string source = WARPTREE_SOURCE_DIR;
        const std::string command = "'" + nvcc + "' -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -cubin -I'" +
                                    source + "' -o '" + file.string() + "' '" + source +
                                    "/tests/kernels/twins.cu' 2>&1";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
        std::ifstream in(file, std::ios::binary);
        cubin_ = new std::string(std::istreambuf_iterator<char>(in), {});
        std::filesystem::remove(file);
    }
    static void TearDownTestSuite() {
        delete cubin_;
        cubin_ = nullptr;
    }
    static std::string* cubin_;
};
std::string* ZeroCost::cubin_ = nullptr;

TEST_P(ZeroCost, SameMachineCodeAsThePlainTwin) {
    if (cubin_ == nullptr) {
        GTEST_SKIP() << "nvcc was not found when this was built";
    }
    const std::string name = GetParam();
    const std::string plain = section(*cubin_, ".text.plain_" + name);
    ASSERT_FALSE(plain.empty());
    EXPECT_EQ(section(*cubin_, ".text.off_" + name), plain);
}
INSTANTIATE_TEST_SUITE_P(Twins, ZeroCost, testing::Values("interleaved_modulo", "sequential", "block_shuffle"),
                         [](const auto& info) { return std::string(info.param); });

} // namespace
