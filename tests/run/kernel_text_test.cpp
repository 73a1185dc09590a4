#include "app/catalogue/kernel_text.hpp"
#include "app/run/kernel_run.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warptree {
namespace {

using catalogue::finished_text;
using catalogue::mapped_text;

constexpr const char* kKernel = R"(// expect: sum
#include "reduction.cuh"
// out[blockIdx.x] = not this;
__global__ void reduce(const T* in, T* out, unsigned n) {
    if (threadIdx.x == 0)
        out[blockIdx.x] = in[blockIdx.x];
}
)";

TEST(KernelText, MakesTheLastStatementAnAtomic) {
    const std::string text = finished_text(kKernel, Finish::atomic);
    EXPECT_NE(text.find("        atomic_op(out, in[blockIdx.x]);\n}"), std::string::npos) << text;
    EXPECT_NE(text.find("// out[blockIdx.x] = not this;"), std::string::npos);
    EXPECT_EQ(finished_text(kKernel, Finish::host), kKernel);
    EXPECT_EQ(finished_text(kKernel, Finish::relaunch), kKernel);
}

TEST(KernelText, GoesOnInTheLastBlock) {
    const std::string text = finished_text(kKernel, Finish::last_block);
    EXPECT_NE(text.find("#include \"reduce/last_block.cuh\"\n#include \"reduction.cuh\"\n"), std::string::npos) << text;
    EXPECT_NE(text.find("in[blockIdx.x];\n    finish_in_last_block(out);\n}\n"), std::string::npos) << text;
}

TEST(KernelText, LeavesAKernelThatGoesOnAsItIs) {
    const std::string text = std::string(kKernel).insert(std::string(kKernel).rfind('}'), "    out[0] = 1;\n");
    EXPECT_EQ(finished_text(text, Finish::atomic), text);
    EXPECT_EQ(catalogue::finishes(catalogue::read_header(text), text, true), std::vector{Finish::host});
    EXPECT_EQ(catalogue::finishes(catalogue::read_header(kKernel), kKernel, true).size(), 4U);
    EXPECT_EQ(catalogue::finishes(catalogue::read_header(kKernel), kKernel, false), std::vector{Finish::host});
}

TEST(KernelText, MapsWhatIsLoaded) {
    EXPECT_EQ(mapped_text("x = in[i + at[k]] + min[2] + s.in[3]; // in[4]\n"),
              "x = map(in[i + at[k]]) + min[2] + s.in[3]; // in[4]\n");
    EXPECT_EQ(mapped_text("x = map(in[i]);"), "x = map(in[i]);");
    EXPECT_EQ(mapped_text("in["), "in[");
}

// A file in any folder may include the catalogue's headers.
TEST(KernelText, AStudentsFileHasTheOperator) {
    KernelOptions k;
    k.text = std::string("// launch: reduce<<<n, 1>>>(in, out, n)\n") + kKernel;
    k.n_given = k.input_given = true;
    for (const Finish finish : {Finish::host, Finish::relaunch, Finish::atomic}) {
        RunOptions o;
        o.kernel = k;
        o.n = 10;
        o.type = ElementType::f64;
        o.op = Operator::max;
        o.finish = finish;
        o.input = InputKind::iota;
        RunControl control;
        if (finish == Finish::relaunch) { // each block takes one element and leaves one
            EXPECT_THROW(runs::run_kernel_file(o, control), OptionError);
            continue;
        }
        const Trace t = runs::run_kernel_file(o, control);
        EXPECT_TRUE(t.pass) << name(finish);
        EXPECT_EQ(t.result.as_double(), 9) << name(finish);
        // The operator's code is attributed to the line that calls it.
        for (const Node& node : t.launches.front().nodes) {
            EXPECT_LE(node.line.line(), 9U);
        }
    }
}

TEST(KernelText, RefusesWhatTheHeaderDoesNotKnow) {
    RunOptions o;
    o.kernel.file = (tests::source_dir() / "kernels/reduce/hand_off.cu").string();
    o.kernel.n_given = true;
    RunControl control;
    const auto refused = [&](auto&& change) {
        RunOptions other = o;
        change(other);
        EXPECT_THROW(runs::run_kernel_file(other, control), OptionError);
    };
    refused([](RunOptions& r) { r.parameters = {{"segments", 2}}; });
    refused([](RunOptions& r) { r.parameters = {{"stop-at", 33}}; });
    refused([](RunOptions& r) { r.parameters = {{"stop-at", 128}}, r.block = 64; });
    refused([](RunOptions& r) { r.block = 48; });
    refused([](RunOptions& r) { r.finish = Finish::atomic; });
    refused([](RunOptions& r) { r.type = ElementType::f32, r.op = Operator::xor_; });
}

} // namespace
} // namespace warptree
