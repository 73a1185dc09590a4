// The machine replays its own logs, recorded under another order of warps and blocks, and must reproduce that order.
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/launch_run.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace warptree {
namespace {

using Logs = std::vector<std::vector<compile::LoggedEvent>>;

std::unique_ptr<simt::DeviceLog> device_log(const Logs& logs) {
    std::vector<std::uint32_t> counts;
    for (const auto& each : logs) {
        counts.push_back(static_cast<std::uint32_t>(each.size()));
    }
    const std::size_t room = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    std::vector<compile::LoggedEvent> events(room * logs.size());
    for (std::size_t t = 0; t < logs.size(); ++t) {
        for (std::size_t e = 0; e < logs[t].size(); ++e) {
            events[e * logs.size() + t] = logs[t][e];
        }
    }
    return std::make_unique<simt::DeviceLog>(std::move(events), std::move(counts));
}

struct Ran {
    Launch launch;
    std::vector<KernelOutput> outputs;
    Logs logs;
    std::uint64_t differs() const {
        return static_cast<std::uint64_t>(
            std::count_if(launch.findings.begin(), launch.findings.end(),
                          [](const Finding& f) { return f.kind == FindingKind::differs_on_gpu; }));
    }
};

// The first launch of a file, replaying `logs` if given.
Ran ran(const RunOptions& options, const Logs* logs = nullptr, bool keep = true) {
    runs::KernelSource source(options);
    const auto compiled = source.compile(options, true);
    RunOptions o = options;
    o.finish = source.finish();
    runs::KernelLaunch launch = runs::choose_launch(*compiled.program, compiled.kernel, source.header(), o);
    launch.shared = std::max<std::uint32_t>(launch.shared, 8 * simt::volume(launch.block));
    const std::uint64_t threads = simt::volume(launch.grid) * simt::volume(launch.block);
    RunControl control;
    runs::LaunchRun run(compiled.program, launch, o, {o.op, o.finish == Finish::atomic}, control);
    Ran result;
    result.logs.resize(threads);
    if (logs != nullptr) {
        run.follow(device_log(*logs));
    } else if (keep) {
        run.keep_log(&result.logs);
    }
    run.execute(o, control, {}, result.launch);
    result.outputs = run.outputs();
    return result;
}

RunOptions options_of(const std::string& path) {
    RunOptions o;
    o.kernel.file = path;
    o.kernel.n_given = true;
    o.n = 700;
    o.workers = 1;
    return o;
}

std::string sum_of(const std::string& what, const KernelOutput& o) {
    std::string text = what + " " + o.name + ":";
    for (const std::uint64_t v : o.values) {
        text += " " + std::to_string(v);
    }
    return text;
}

TEST(DeviceLog, IsFollowedThroughTheCatalogue) {
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    unsigned followed = 0;
    for (const catalogue::Entry& e : all.entries()) {
        if (e.header.racy || e.header.deadlocks) {
            continue;
        }
        RunOptions o = options_of(e.path.string());
        o.n = e.id == "tiled-matmul" ? 20 : o.n;
        o.type = taken_type(require_strategy(e.id));
        try {
            o.order = WarpOrder::in_order;
            const Ran plain = ran(o);
            const Ran same = ran(o, &plain.logs);
            EXPECT_EQ(same.differs(), 0U) << e.id;
            EXPECT_EQ(same.outputs, plain.outputs) << e.id;
            EXPECT_TRUE(same.launch == plain.launch) << e.id;
            EXPECT_TRUE(same.launch == ran(o, nullptr, false).launch)
                << e.id; // all cores, where blocks are independent
            o.order = WarpOrder::reverse;
            const Ran reverse = ran(o);
            o.order = WarpOrder::in_order;
            const Ran after = ran(o, &reverse.logs);
            EXPECT_EQ(after.differs(), 0U) << e.id;
            ASSERT_EQ(after.outputs.size(), reverse.outputs.size());
            for (std::size_t i = 0; i < after.outputs.size(); ++i) {
                EXPECT_EQ(sum_of(e.id, after.outputs[i]), sum_of(e.id, reverse.outputs[i]));
            }
            ++followed;
        } catch (const OptionError& error) {
            ADD_FAILURE() << e.id << ": " << error.what();
        }
    }
    EXPECT_GE(followed, 30U);
}

std::string kernel_in(const std::string& text) {
    const std::string path = testing::TempDir() + "followed.cu";
    std::ofstream(path) << text;
    return path;
}

// Tickets and a total of floats: their order decides every bit.
TEST(DeviceLog, FindsTheOrderOfAtomicsAgain) {
    RunOptions o = options_of(kernel_in("// launch: k<<<8, 64>>>(in, out, ticket, total)\n// arg: ticket = zeros:1\n"
                                        "// arg: total = zeros:1\n// arg: out = zeros:512\n// arg: in = random:512\n"
                                        "__global__ void k(const float* in, float* out, int* ticket, float* total) {\n"
                                        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                        "    out[atomicAdd(ticket, 1)] = i;\n"
                                        "    atomicAdd(total, in[i] * 1.7f);\n"
                                        "}\n"));
    const Ran in_order = ran(o);
    for (const WarpOrder order : {WarpOrder::reverse, WarpOrder::random}) {
        o.order = order;
        const Ran made = ran(o);
        EXPECT_NE(made.outputs, in_order.outputs);
        o.order = WarpOrder::in_order;
        const Ran after = ran(o, &made.logs);
        EXPECT_EQ(after.outputs, made.outputs);
        EXPECT_EQ(after.differs(), 0U);
    }
}

// A race with another outcome in another order: the log decides.
TEST(DeviceLog, DecidesRaces) {
    RunOptions o = options_of(kernel_in("// launch: k<<<1, 64>>>(in, out)\n"
                                        "__global__ void k(const int* in, int* out) {\n"
                                        "    __shared__ int s[64];\n"
                                        "    s[threadIdx.x] = 0;\n"
                                        "    __syncthreads();\n"
                                        "    s[threadIdx.x] = in[threadIdx.x] + 1;\n"
                                        "    out[threadIdx.x] = s[63 - threadIdx.x];\n"
                                        "}\n"));
    const Ran in_order = ran(o);
    o.order = WarpOrder::reverse;
    const Ran reverse = ran(o);
    EXPECT_NE(in_order.outputs, reverse.outputs);
    o.order = WarpOrder::in_order;
    EXPECT_EQ(ran(o, &reverse.logs).outputs, reverse.outputs);
}

// An impossible value is reported with both values.
TEST(DeviceLog, TellsWhatTheMachineComputesOtherwise) {
    RunOptions o = options_of(kernel_in("// launch: k<<<1, 32>>>(in, out)\n"
                                        "__global__ void k(const int* in, int* out) {\n"
                                        "    out[threadIdx.x] = in[threadIdx.x] + 1;\n"
                                        "}\n"));
    Logs logs = ran(o).logs;
    ASSERT_EQ(logs[5].size(), 2U);
    logs[5][1].value = 1000;
    const Ran after = ran(o, &logs);
    ASSERT_EQ(after.differs(), 1U);
    const Finding& f = after.launch.findings.front();
    EXPECT_EQ(f.thread, 5U);
    EXPECT_EQ(f.text, "1000 on the GPU, 14 in the interpreter");
    logs[5].pop_back();
    EXPECT_EQ(ran(o, &logs).differs(), 1U);
}

// A GPU's library may compute the last bits otherwise: they are followed, and what is further off is told.
TEST(DeviceLog, DecidesTheLastBitsOfMathFunctions) {
    RunOptions o = options_of(kernel_in("// launch: k<<<1, 32>>>(in, out)\n"
                                        "__global__ void k(const float* in, float* out) {\n"
                                        "    out[threadIdx.x] = expf(in[threadIdx.x] * 0.125f);\n"
                                        "}\n"));
    const Ran plain = ran(o);
    Logs logs = plain.logs;
    ASSERT_EQ(logs[5].size(), 3U);
    ASSERT_EQ(logs[5][1].what(), compile::LogKind::computed);
    EXPECT_EQ(ran(o, &logs).differs(), 0U);
    logs[5][1].value += 2;
    logs[5][2].value += 2;
    const Ran near = ran(o, &logs);
    EXPECT_EQ(near.differs(), 0U);
    EXPECT_EQ(near.outputs.front().values[5], plain.outputs.front().values[5] + 2);
    logs[5][1].value += 1000;
    logs[5][2].value += 1000;
    const Ran far = ran(o, &logs);
    ASSERT_EQ(far.differs(), 1U);
    EXPECT_EQ(far.launch.findings.front().thread, 5U);
    EXPECT_EQ(far.outputs.front().values[5], plain.outputs.front().values[5] + 1002);
}

} // namespace
} // namespace warptree
