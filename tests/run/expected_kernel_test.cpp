// Results compared with those of another kernel of the file, and with a file.
#include "app/base/error.hpp"
#include "app/base/npy.hpp"
#include "app/run/kernel_run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace warptree {
namespace {

constexpr const char* kText = R"(
// expect: kernel plain
__global__ void tiled(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (i > 0 ? in[i - 1] : 0) + in[i] WRONG;
}
__global__ void plain(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (i == 0 ? 0 : in[i - 1]) + in[i];
}
)";

class ExpectedKernel : public testing::Test {
  protected:
    Trace run(const std::string& wrong, const std::string& expect = "", const std::string& kernel = "tiled") {
        std::string text = kText;
        text.replace(text.find("WRONG"), 5, wrong);
        folder_.write("two.cu", text);
        RunOptions o;
        o.kernel.file = (folder_.path() / "two.cu").string();
        o.kernel.kernel = kernel;
        o.kernel.expect = expect;
        o.n = 77;
        o.kernel.n_given = true;
        o.block = 32;
        RunControl control;
        return runs::run_kernel_file(o, control);
    }
    tests::TemporaryFolder folder_;
};

TEST_F(ExpectedKernel, IsCalledWithTheSameData) {
    EXPECT_TRUE(run("").pass);
    const Trace wrong = run("+ (i == 40 ? 1 : 0)");
    EXPECT_FALSE(wrong.pass);
    EXPECT_EQ(wrong.first_wrong, 40U);
}

TEST_F(ExpectedKernel, HasToBeThere) { EXPECT_THROW(run("", "kernel simple"), OptionError); }

TEST_F(ExpectedKernel, MayBeAFile) {
    const Trace plain = run("", "none", "plain");
    std::string data;
    for (const std::uint64_t bits : plain.outputs.front().values) {
        const auto word = static_cast<std::uint32_t>(bits);
        data.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    folder_.write("ref.npy", npy::encode("<f4", plain.outputs.front().values.size(), data));
    const std::string file = "file " + (folder_.path() / "ref.npy").string();
    EXPECT_TRUE(run("", file).pass);
    EXPECT_FALSE(run("+ (i == 76 ? 1 : 0)", file).pass);
    EXPECT_THROW(run("", "file /nowhere.npy"), FileError);
    folder_.write("few.npy", npy::encode("<i4", plain.outputs.front().values.size(), data));
    EXPECT_THROW(run("", "file " + (folder_.path() / "few.npy").string()), FileError) << "of another type";
    folder_.write("none.npy", npy::encode("<f4", 0, ""));
    EXPECT_THROW(run("", "file " + (folder_.path() / "none.npy").string()), OptionError) << "of no elements";
}

} // namespace
} // namespace warptree
