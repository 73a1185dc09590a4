// Kernels with clock readings: their marks in the interpreter, their PTX with ptxas if installed, and both on a GPU.
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/gpu/driver.hpp"
#include "app/measure/clocks/step_marks.hpp"
#include "app/measure/gpu/clocked_run.hpp"
#include "app/run/kernel_run.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/ptxas.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warptree {
namespace {

RunOptions options_of(const catalogue::Entry& e, std::uint64_t n) {
    RunOptions o;
    o.kernel.file = e.path.string();
    o.kernel.n_given = true;
    o.n = n;
    o.type = taken_type(require_strategy(e.id));
    o.input = InputKind::random;
    o.window = {0, 2};
    o.backend = Backend::cpu;
    return o;
}

// Marks change no step, and every step but the first begins at a mark.
TEST(ClockedCode, MarksTheStepsThatTheTraceHas) {
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    unsigned tried = 0;
    for (const char* id : {"sequential", "interleaved-strided", "unroll-complete", "block-shuffle", "scan-warp",
                           "scan-blelloch", "scan-double-buffer", "tiled-matmul"}) {
        const catalogue::Entry* const e = all.find(id);
        ASSERT_NE(e, nullptr) << id;
        const RunOptions o = options_of(*e, e->id == "tiled-matmul" ? 64 : 1000);
        RunControl control;
        const Launch plain = runs::run_kernel_file(o, control).launches.front();
        const Launch marked = runs::marked_launch(o, {}, "sm_90");
        ASSERT_EQ(marked.steps.size(), plain.steps.size()) << id;
        for (std::size_t s = 0; s < plain.steps.size(); ++s) {
            EXPECT_EQ(marked.steps[s].label, plain.steps[s].label) << id;
        }
        const auto lines = clocks::StepMarks(marked).beginnings();
        const Launch fewer = runs::marked_launch(o, lines, "sm_90");
        EXPECT_LT(fewer.warp_barriers.size(), marked.warp_barriers.size()) << id;
        std::set<std::uint16_t> begun;
        for (const WarpBarrier& mark : fewer.warp_barriers) {
            begun.insert(mark.step);
        }
        for (std::uint16_t s = 1; s < plain.steps.size(); ++s) {
            EXPECT_TRUE(begun.count(s) == 1) << id << ": " << plain.steps[s].label;
        }
        ++tried;
    }
    EXPECT_EQ(tried, 8U);
}

TEST(ClockedCode, IsMadeOfTheCatalogue) {
    if (tests::kSanitized) GTEST_SKIP() << "TracedCode and the test above compile under a sanitizer, too";
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    unsigned made = 0;
    for (const catalogue::Entry& e : all.entries()) {
        const RunOptions o = options_of(e, 1000);
        runs::KernelSource source(o);
        source.clock_on("sm_90", {});
        const compile::DeviceCode code = source.compile(o, true).program->code;
        if (e.id.starts_with("softmax")) { // another library's powers would be slower than those that are measured
            EXPECT_NE(code.problem.find("exp"), std::string::npos) << code.problem;
            continue;
        }
        EXPECT_EQ(code.problem, "") << e.id;
        EXPECT_NE(code.ptx.find("%clock64"), std::string::npos) << e.id;
        if (!tests::ptxas().empty()) {
            EXPECT_EQ(tests::refused_by_ptxas(code.ptx, "sm_90"), "") << e.id;
        }
        ++made;
    }
    EXPECT_GE(made, 40U);
}

// The readings have the steps of the trace, and the schedule has every block.
TEST(ClockedGpu, ReadingsAreOfTheTracesSteps) {
    if (!gpu::usable()) {
        GTEST_SKIP() << gpu::why_not();
    }
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    for (const catalogue::Entry& e : all.entries()) {
        if (e.header.racy || e.header.deadlocks || e.id == "tiled-matmul" || e.id.starts_with("softmax")) {
            continue;
        }
        // A block alone goes through all of the input, and has room for so many readings only.
        RunOptions o = options_of(e, e.header.family == "applied reductions" ? 300 : 5000);
        RunControl control;
        const Launch plain = runs::run_kernel_file(o, control).launches.front();
        const clocks::Recording r = runs::measure_clocks(o);
        EXPECT_EQ(r.blocks.size(), plain.grid) << e.id;
        EXPECT_GT(r.plain_us, 0) << e.id;
        std::vector<std::string> labels, expected;
        for (const clocks::StepCycles& step : r.steps) {
            EXPECT_LT(step.most, 1e8) << e.id << " " << step.label;
            labels.push_back(step.label);
        }
        for (const Step& step : plain.steps) {
            expected.push_back(step.label);
        }
        std::printf("%-24s %5.2f us, with readings %5.2f us\n", e.id.c_str(), r.plain_us, r.clocked_us);
        // How far a tile looks back, which block finishes last, and how often one waits for another depend on the GPU; and the
        // additions of an exact sum's pieces, three steps of one line, are one reading, as are a histogram's load and its atomic.
        if (e.id != "scan-lookback" && e.id != "histogram" && e.id != "last-block" && e.id != "scan-pipelined" &&
            !e.id.starts_with("exact-")) {
            EXPECT_EQ(labels, expected) << e.id;
        }
    }
}

} // namespace
} // namespace warptree
