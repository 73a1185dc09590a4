// Traces recorded on a GPU against the interpreter.
#include "app/trace/io/file.hpp"
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"
#include "tests/kernels/recorded_traces.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace warptree {
namespace {

struct Case {
    std::string id;
    std::uint64_t n;
    std::uint32_t block;
    ElementType type;
    std::string name() const {
        std::string text =
            id + "-" + std::to_string(n) + "-" + std::to_string(block) + "-" + std::string(warptree::name(type));
        for (char& c : text) {
            c = c == '-' ? '_' : c;
        }
        return text;
    }
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name(); } // for GoogleTest
    RunOptions options(Backend backend) const {
        RunOptions o;
        o.strategy = id;
        o.n = n;
        o.block = block;
        o.type = type;
        o.input = InputKind::random;
        o.window = {0, 2};
        o.backend = backend;
        return o;
    }
};

// Every strategy at its smallest, a middle and its largest useful block, ragged and whole, 4- and 8-byte elements.
std::vector<Case> cases(bool racy = false) {
    std::vector<Case> list;
    for (const StrategyInfo& s : strategies()) {
        if (s.racy != racy || s.deadlocks) { // what never completes is never launched on a GPU
            continue;
        }
        for (const Case& c : {Case{"", 200, 64, ElementType::i32}, Case{"", 257, 128, ElementType::f64},
                              Case{"", 100, 32, ElementType::u32}, Case{"", 513, 256, ElementType::f32},
                              Case{"", 65, 64, ElementType::i64}}) {
            Case with = c;
            with.id = s.id;
            if (s.answer == Answer::matrix) { // edges, and blocks of a tile
                with.n = c.n % 40 + 1;
                with.block = c.block < 256 ? 1024 : 256;
            }
            if (!refusal(with.options(Backend::cpu))) {
                list.push_back(with);
            }
        }
    }
    if (!racy) { // blocks that tell each other
        list.push_back({"vectorized", 5000, 64, ElementType::i32});
    }
    return list;
}

// Everything but who ran it must be equal. Atomics reach the total in the hardware's own order, so a floating total
// may differ by rounding.
void expect_same(Trace gpu, Trace cpu) {
    cpu.options.backend = gpu.options.backend;
    cpu.options.workers = gpu.options.workers;
    cpu.options.window = gpu.options.window;
    cpu.options.last_block = gpu.options.last_block;
    cpu.options.look_backs = gpu.options.look_backs;
    cpu.device = gpu.device;
    cpu.producer = gpu.producer;
    if (cpu.options.finish == Finish::atomic && is_floating(cpu.options.type)) {
        EXPECT_NEAR(gpu.result.as_double(), cpu.result.as_double(), cpu.tolerance);
        gpu.result = cpu.result;
        gpu.reference_error = cpu.reference_error;
        gpu.launches.back().partials = cpu.launches.back().partials;
    }
    ASSERT_EQ(gpu.launches.size(), cpu.launches.size());
    for (std::size_t i = 0; i < gpu.launches.size(); ++i) {
        const Launch &g = gpu.launches[i], &c = cpu.launches[i];
        EXPECT_EQ(g.steps, c.steps);
        EXPECT_EQ(g.warp_steps, c.warp_steps);
        EXPECT_EQ(g.requests, c.requests);
        EXPECT_EQ(g.indices, c.indices);
        EXPECT_EQ(g.nodes, c.nodes);
        EXPECT_EQ(g.shuffles, c.shuffles);
        EXPECT_EQ(g.outputs, c.outputs);
        EXPECT_EQ(g.barriers, c.barriers);
        EXPECT_EQ(g.hazards, c.hazards);
    }
    EXPECT_EQ(gpu, cpu);
}

// The interpreter's trace of the same run, with the order that the hardware chose.
Trace interpreted_like(const Trace& gpu, RunOptions o) {
    o.backend = Backend::cpu;
    if (const std::uint32_t last = gpu.launches.front().last_block; last != kNone) {
        o.last_block = last;
    }
    o.look_backs = gpu.launches.front().look_backs;
    return run(o);
}

// Source lines and texts change with every edit of a kernel's file.
Trace without_lines(Trace trace) {
    for (Launch& l : trace.launches) {
        const auto clear = [](auto& table) {
            for (auto& row : table) {
                row.line = SourceLine::none();
            }
        };
        clear(l.requests);
        clear(l.nodes);
        clear(l.shuffles);
        clear(l.outputs);
        clear(l.barriers);
        for (Hazard& h : l.hazards) {
            h.first_line = h.second_line = SourceLine::none();
        }
    }
    trace.sources.clear();
    return trace;
}

class Golden : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Recorded, Golden, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(Golden, InterpreterAgreesWithTheRecordedGpu) {
    const auto path = tests::source_dir() / "tests/golden/traces" / (GetParam().name() + ".wtrace");
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    Trace gpu = load(path);
    EXPECT_EQ(gpu.options.backend, Backend::cuda);
    Trace cpu = interpreted_like(gpu, GetParam().options(Backend::cpu));
    if (tests::is_of_version_2(gpu)) {
        tests::compare_as_version_2(gpu, cpu);
    }
    expect_same(without_lines(gpu), without_lines(cpu));
}

} // namespace
} // namespace warptree
