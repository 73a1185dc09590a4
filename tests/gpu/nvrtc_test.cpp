// NVRTC needs no GPU.
#include "app/catalogue/catalogue.hpp"
#include "app/gpu/nvrtc.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace warptree::gpu {
namespace {

class Nvrtc : public testing::Test {
  protected:
    void SetUp() override {
        if (!has_nvrtc()) {
            GTEST_SKIP() << "NVRTC was not found";
        }
        setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
    }
    tests::TemporaryFolder cache_;
};

KernelText text_of(std::string text, std::vector<std::string> kernels) {
    return {"mine.cu", std::move(text), {}, {}, std::move(kernels)};
}

TEST_F(Nvrtc, NamesInstancesOfTemplates) {
    const KernelCode code = compile_with_nvrtc(
        text_of("template <unsigned B> __global__ void k(float* out) { out[threadIdx.x] = B; }\n", {"k<256>", "k<32>"}),
        "sm_90");
    EXPECT_EQ(code.symbols, (std::vector<std::string>{"_Z1kILj256EEvPf", "_Z1kILj32EEvPf"}));
    EXPECT_TRUE(code.image.starts_with("\x7F"
                                       "ELF"));
    EXPECT_FALSE(code.cached);
}

TEST_F(Nvrtc, ComesFromTheCacheTheSecondTime) {
    const KernelText text = text_of("__global__ void k(float* out) { out[0] = 1; }\n", {"k"});
    const KernelCode first = compile_with_nvrtc(text, "sm_90"), second = compile_with_nvrtc(text, "sm_90");
    EXPECT_FALSE(first.cached);
    EXPECT_TRUE(second.cached);
    EXPECT_EQ(first.image, second.image);
    EXPECT_EQ(first.symbols, second.symbols);
    EXPECT_FALSE(compile_with_nvrtc(text, "sm_90", {"--use_fast_math"}).cached);
    EXPECT_FALSE(compile_with_nvrtc(text, "sm_80").cached);
    KernelText other = text;
    other.included = {"another header"};
    EXPECT_FALSE(compile_with_nvrtc(other, "sm_90").cached);
}

TEST_F(Nvrtc, SaysWhatItCannotCompile) {
    try {
        compile_with_nvrtc(text_of("__global__ void k(float* out) { out[0] = nothing; }\n", {"k"}), "sm_90");
        FAIL();
    } catch (const RtcError& e) {
        EXPECT_NE(std::string(e.what()).find("mine.cu(1): error: identifier \"nothing\" is undefined"),
                  std::string::npos)
            << e.what();
    }
    EXPECT_THROW(compile_with_nvrtc(text_of("__global__ void k(float* out) {}\n", {"other"}), "sm_90"), RtcError);
}

TEST_F(Nvrtc, HasTheStandardLibraryThatKernelsUse) {
    EXPECT_NO_THROW(compile_with_nvrtc(
        text_of("#include <cstdint>\n#include <cfloat>\n#include <cmath>\n#include <limits>\n#include <cassert>\n"
                "#include <vector>\n#include <stdio.h>\nusing namespace std;\n"
                "__global__ void k(float* out, std::uint32_t n) {\n"
                "    assert(n > 0);\n"
                "    out[0] = std::max(out[0], std::numeric_limits<float>::lowest()) + FLT_MAX + INFINITY;\n"
                "    out[1] = std::sqrt(out[2]) + max(1, 2) + numeric_limits<int>::max();\n"
                "}\n",
                {"k"}),
        "sm_90"));
}

TEST_F(Nvrtc, CompilesTheCatalogue) {
    if (tests::kSanitized) GTEST_SKIP() << "NVRTC does the same beside a sanitizer";
    const std::filesystem::path kernels = tests::source_dir() / "kernels";
    const catalogue::Catalogue all(kernels, {});
    EXPECT_GE(all.entries().size(), 40U);
    for (const catalogue::Entry& e : all.entries()) {
        std::ifstream in(e.path);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (const char* type : {"int", "double"}) {
            const KernelText kernel{e.path.filename(),
                                    text,
                                    {e.path.parent_path().string(), kernels.string()},
                                    {{"REDUCTION_TYPE", type}, {"REDUCTION_OPERATOR", "3"}},
                                    {}};
            if (!e.header.types.empty()) {
                continue;
            }
            try {
                compile_with_nvrtc(kernel, "sm_90");
            } catch (const std::exception& error) {
                ADD_FAILURE() << e.id << " of " << type << ": " << error.what();
            }
        }
    }
}

} // namespace
} // namespace warptree::gpu
