// The precompiled headers: kept in a file beside the worker, and never believed when they are not what they should be.
#include "app/compile/client/compiler.hpp"
#include "app/compile/front_end/prelude.hpp"
#include "tests/support/compile_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

namespace warptree::tests {
namespace {

using namespace compile;
namespace fs = std::filesystem;

const fs::path kBeside = fs::read_symlink("/proc/self/exe").parent_path();
constexpr const char* kFile = "warptree-compile.pch";

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Prelude, IsKeptBesideTheWorker) {
    const std::string file = read(kBeside / kFile);
    if (file.empty()) GTEST_SKIP() << "cross-compiled: every worker makes its own";
    const std::string prelude = prelude_in(file);
    EXPECT_GT(prelude.size(), 100000);
    EXPECT_TRUE(file_of_prelude(prelude) == file);
}

TEST(Prelude, IsNotBelievedWhenDamagedOrOfAnother) {
    const std::string prelude = "what Clang wrote\nin two lines", file = file_of_prelude(prelude);
    EXPECT_EQ(prelude_in(file), prelude);
    for (std::size_t at = 0; at < file.size(); ++at) {
        std::string damaged = file;
        damaged[at] = static_cast<char>(damaged[at] ^ 4);
        EXPECT_EQ(prelude_in(damaged), "") << at;
        EXPECT_EQ(prelude_in(file.substr(0, at)), "") << at;
    }
    EXPECT_EQ(prelude_in(file + "more"), "");
}

// The worker of a folder where there is no such file, a cut one, and the right one.
TEST(Prelude, MakesNoDifferenceToWhatIsCompiled) {
    const TemporaryFolder folder;
    const std::string worker = folder.string() + "/warptree-compile";
    fs::copy_file(kBeside / "warptree-compile", worker);
    const Request request{
        "k.cu",
        "#include <cooperative_groups.h>\n#include <limits>\n"
        "__global__ void k(float* a) { __shared__ float s[32]; s[threadIdx.x] = a[threadIdx.x];\n"
        "  __syncthreads(); a[threadIdx.x] = fmaxf(s[threadIdx.x ^ 1], __shfl_down_sync(~0u, 1.f, 1));\n"
        "  cooperative_groups::this_thread_block().sync(); }\n",
        "",
        {},
        {}};
    const Program without = Compiler(worker).compile(request);
    ASSERT_TRUE(without.compiled());
    const std::string kept = read(kBeside / kFile);
    for (const std::string& file : {kept.substr(0, kept.size() / 2), kept}) {
        std::ofstream(folder.path() / kFile, std::ios::binary) << file;
        EXPECT_TRUE(Compiler(worker).compile(request) == without) << file.size();
    }
}

// <limits> has its values from the prelude. The host's compiler says what they should be.
template <class T> std::string limits_of(const std::string& type) {
    using Limits = std::numeric_limits<T>;
    std::ostringstream text;
    text << std::hexfloat << std::boolalpha;
    const std::string of = "std::numeric_limits<" + type + ">::";
    const auto is = [&](const char* what, auto value) {
        text << "static_assert(" << of << what << " == " << value << ");\n";
    };
    const auto number = [&](const char* what, T value) {
        text << "static_assert(" << of << what << "() == (" << type << ")";
        if constexpr (std::is_floating_point_v<T>)
            text << '(' << value << "));\n";
        else
            text << static_cast<unsigned long long>(value) << "ull);\n";
    };
    is("is_specialized", true);
    is("is_integer", Limits::is_integer);
    is("is_signed", Limits::is_signed);
    is("is_exact", Limits::is_exact);
    is("has_infinity", Limits::has_infinity);
    is("digits", Limits::digits);
    is("digits10", Limits::digits10);
    is("max_digits10", Limits::max_digits10);
    is("radix", Limits::radix);
    number("min", Limits::min());
    number("max", Limits::max());
    number("lowest", Limits::lowest());
    number("epsilon", Limits::epsilon());
    return text.str();
}

TEST(Prelude, HasTheLimitsOfEveryType) {
    const std::string asserts = limits_of<bool>("bool") + limits_of<char>("char") +
                                limits_of<signed char>("signed char") + limits_of<unsigned char>("unsigned char") +
                                limits_of<short>("short") + limits_of<unsigned short>("unsigned short") +
                                limits_of<int>("int") + limits_of<unsigned>("unsigned") + limits_of<long>("long") +
                                limits_of<unsigned long>("unsigned long") + limits_of<long long>("long long") +
                                limits_of<unsigned long long>("unsigned long long") + limits_of<float>("float") +
                                limits_of<double>("double") + limits_of<int>("const int");
    const auto compiled = [](const std::string& text) {
        return errors(compile_text(text + "__global__ void k(int* a) { a[0] = 1; }\n"));
    };
    EXPECT_THAT(compiled("#include <limits>\n" + asserts), testing::IsEmpty());
    EXPECT_THAT(compiled("#include <limits>\nstruct Mine {};\n"
                         "template <> struct std::numeric_limits<Mine> { static constexpr int digits = 7; };\n"
                         "static_assert(std::numeric_limits<Mine>::digits == 7);\n"
                         "static_assert(!std::numeric_limits<int*>::is_specialized);\n"),
                testing::IsEmpty());
    EXPECT_THAT(compiled(asserts), testing::Not(testing::IsEmpty())) << "only a file that includes <limits> has them";
}

} // namespace
} // namespace warptree::tests
