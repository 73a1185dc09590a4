// Kernel files traced on the local GPU, compared with the interpreter.
#include "app/catalogue/catalogue.hpp"
#include "app/gpu/driver.hpp"
#include "app/run/kernel_run.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace warptree {
namespace {

class TracedGpu : public testing::Test {
  protected:
    void SetUp() override {
        if (!gpu::usable()) {
            GTEST_SKIP() << gpu::why_not();
        }
    }
};

Trace traced(RunOptions o, Backend backend) {
    o.backend = backend;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// The first launch that differs, and how; empty: none does.
std::string difference(const Trace& a, const Trace& b) {
    if (a.launches.size() != b.launches.size()) {
        return "launches";
    }
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        const Launch &x = a.launches[i], &y = b.launches[i];
        const std::string at = " of launch " + std::to_string(i);
        if (x.findings != y.findings) {
            return "findings" + at + (y.findings.empty() ? "" : ": " + y.findings.front().text);
        }
        if (!(x.totals() == y.totals())) {
            return "totals" + at;
        }
        if (!(x.steps == y.steps)) {
            return "steps" + at;
        }
        if (!(x == y)) {
            return "something" + at;
        }
    }
    return a.outputs == b.outputs ? a.pass == b.pass ? "" : "pass" : "outputs";
}

TEST_F(TracedGpu, EqualsTheInterpreter) {
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    unsigned equal = 0, ordered = 0;
    for (const catalogue::Entry& e : all.entries()) {
        if (e.header.racy || e.header.deadlocks) {
            continue;
        }
        RunOptions o;
        o.kernel.file = e.path.string();
        o.kernel.n_given = true;
        o.n = e.id == "tiled-matmul" ? 40 : 1000;
        try {
            const Trace cpu = traced(o, Backend::cpu), on_gpu = traced(o, Backend::cuda);
            EXPECT_EQ(on_gpu.options.backend, Backend::cuda) << e.id;
            EXPECT_EQ(on_gpu.pass, cpu.pass) << e.id;
            const std::string what = difference(cpu, on_gpu);
            const bool atomics = std::any_of(cpu.launches.begin(), cpu.launches.end(),
                                             [](const Launch& l) { return l.totals().atomics != 0; });
            const bool talks = atomics || e.id.find("lookback") != std::string::npos || e.id == "vectorized";
            std::printf("%-28s %s\n", e.id.c_str(), what.empty() ? "equal" : what.c_str());
            if (talks) { // the order of atomics and blocks depends on the GPU
                ++ordered;
            } else {
                EXPECT_EQ(what, "") << e.id;
                ++equal;
            }
            for (const Launch& l : on_gpu.launches) {
                for (const Finding& f : l.findings) {
                    EXPECT_NE(f.kind, FindingKind::differs_on_gpu) << e.id << ": " << f.text;
                }
            }
        } catch (const OptionError& error) {
            std::printf("%-28s %s\n", e.id.c_str(), error.what());
        }
    }
    EXPECT_GE(equal, 25U);
    EXPECT_GE(ordered, 3U);
}

// A kernel that fails in the interpreter is not run on the GPU.
TEST_F(TracedGpu, IsRefusedWhereTheInterpreterFindsIt) {
    const std::string path = testing::TempDir() + "outside.cu";
    std::ofstream(path) << "__global__ void k(const int* in, int* out) {\n"
                           "    __shared__ int s[16];\n"
                           "    s[threadIdx.x] = in[threadIdx.x];\n"
                           "    out[threadIdx.x] = s[threadIdx.x];\n"
                           "}\n";
    RunOptions o;
    o.kernel.file = path;
    o.kernel.block = "64";
    const Trace trace = traced(o, Backend::cuda);
    EXPECT_EQ(trace.options.backend, Backend::cpu);
    EXPECT_FALSE(trace.pass);
}

} // namespace
} // namespace warptree
