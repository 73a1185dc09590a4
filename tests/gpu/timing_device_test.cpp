// Strategies and files timed from their source text, on the local GPU.
#include "app/base/error.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/gpu/driver.hpp"
#include "app/measure/gpu/real_kernel.hpp"
#include "app/measure/gpu/timing_device.hpp"
#include "app/measure/timing/plan.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace warptree::runs {
namespace {

class TimingDeviceGpu : public testing::Test {
  protected:
    void SetUp() override {
        if (!gpu::usable()) {
            GTEST_SKIP() << gpu::why_not();
        }
    }
    static timing::Outcome measured(const timing::Axes& axes, TimedFiles files = {}) {
        TimingDevice device(files, 1, {});
        std::vector<timing::Planned> plan =
            timing::plan({&axes, 1}, static_cast<std::uint32_t>(gpu::facts().multiprocessors));
        for (const auto& [name, path] : files) {
            for (timing::Planned& p : plan_file(name, path, axes)) {
                plan.push_back(std::move(p));
            }
        }
        timing::MeasureOptions measure_options;
        measure_options.rule = {2, 0, 0.2, 0.005, 0.1, 20};
        const std::atomic<bool> cancel{false};
        return timing::measure(plan, device, timing::steady_clock(), measure_options, cancel);
    }
};

// Every strategy in every type, with finishes that leave no partials to the host.
TEST_F(TimingDeviceGpu, TimesEveryStrategyOfTheCatalogue) {
    timing::Axes axes;
    for (const StrategyInfo& info : strategies()) {
        if (timing::can_be_timed(info)) {
            axes.variants.emplace_back(info.id);
        }
    }
    axes.variants.insert(axes.variants.end(), {"device-copy", "device-read"});
    axes.sizes = {1000, 100'000};
    axes.types = {ElementType::i32, ElementType::u32, ElementType::i64, ElementType::f32, ElementType::f64};
    axes.whole = true;
    const timing::Outcome outcome = measured(axes);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.wrong, 0U);
    unsigned timed = 0;
    for (const timing::Point& p : outcome.series.points) {
        timed += p.skipped.empty() ? 1 : 0;
        if (!p.skipped.empty()) {
            std::printf("%s %s: %s\n", p.what.variant.c_str(), std::string(name(p.what.type)).c_str(),
                        p.skipped.c_str());
        }
    }
    EXPECT_GE(timed, 9 * outcome.series.points.size() / 10);
}

// Otherwise the reset would evict the input of a warm run from the cache.
TEST_F(TimingDeviceGpu, ResetsPartialResultsAndNoMore) {
    RunOptions options;
    options.kernel.file = catalogue::shipped_file("last-block").string();
    options.n = 1U << 22;
    options.kernel.n_given = true;
    options.type = ElementType::f64;
    RealCode code({});
    const RealRun run(options, {}, code, {});
    EXPECT_LE(run.reset_bytes(), 1024U * 8); // the partial result of each block
}

TEST_F(TimingDeviceGpu, TimesEveryFinishAndQuantity) {
    timing::Axes axes;
    axes.variants = {"sequential", "block-shuffle"};
    axes.sizes = {1 << 16};
    axes.types = {ElementType::i32, ElementType::f64};
    axes.ops = {Operator::sum, Operator::max};
    axes.finishes = {Finish::host, Finish::relaunch, Finish::atomic, Finish::last_block};
    axes.quantities = {timing::Quantity::kernel, timing::Quantity::pipeline, timing::Quantity::launch};
    const timing::Outcome outcome = measured(axes);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.wrong, 0U);
    for (const timing::Point& p : outcome.series.points) {
        EXPECT_EQ(p.skipped, "") << p.what.variant << " " << name(p.what.finish) << " " << name(p.what.op);
    }
}

TEST_F(TimingDeviceGpu, TimesAFileAndTellsOneThatIsWrong) {
    const tests::TemporaryFolder folder;
    const std::string right = folder.string() + "/right.cu", wrong = folder.string() + "/wrong.cu";
    const std::string header = "// launch: k<<<ceil(n / B), B>>>(in, out, n)\n// block: 128\n// expect: sum\n";
    std::ofstream(right) << header
                         << "__global__ void k(const int* in, int* out, unsigned n) {\n"
                            "    if (threadIdx.x != 0) return;\n    int sum = 0;\n"
                            "    for (unsigned i = 0; i < blockDim.x; ++i)\n"
                            "        if (blockIdx.x * blockDim.x + i < n) sum += in[blockIdx.x * blockDim.x + i];\n"
                            "    out[blockIdx.x] = sum;\n}\n";
    std::ofstream(wrong) << header
                         << "__global__ void k(const int* in, int* out, unsigned n) { out[blockIdx.x] = 1; }\n";
    timing::Axes axes;
    axes.variants = {"sequential"};
    axes.sizes = {10'000};
    const timing::Outcome outcome = measured(axes, {{"right.cu", right}, {"wrong.cu", wrong}});
    ASSERT_EQ(outcome.series.points.size(), 3U);
    EXPECT_EQ(outcome.series.points[0].skipped, "");
    EXPECT_EQ(outcome.series.points[1].skipped, "");
    EXPECT_NE(outcome.series.points[2].skipped.find("wrong in the interpreter"), std::string::npos);
}

// Each kernel alone, starting with an empty cache: how long a user waits the first time and every later time.
TEST_F(TimingDeviceGpu, CompilesAKernelWithinASecondAndHasItFromTheCacheAtOnce) {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    if (!gpu::has_nvrtc()) {
        GTEST_SKIP() << "NVRTC is not here";
    }
    const tests::TemporaryFolder cache;
    const char* const before = std::getenv("XDG_CACHE_HOME");
    const std::string kept = before == nullptr ? "" : before;
    setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    unsigned compiled = 0;
    double slowest = 0, slowest_again = 0;
    for (const StrategyInfo& info : strategies()) {
        for (const ElementType type : {ElementType::i32, ElementType::f32, ElementType::f64}) {
            if (!timing::can_be_timed(info) || taken_type(info, type) != type) {
                continue;
            }
            RunOptions o;
            o.kernel.file = catalogue::shipped_file(info.id).string();
            o.kernel.n_given = true;
            o.n = 1 << 24;
            o.type = type;
            KernelSource source(o);
            o.finish = source.finish();
            const gpu::KernelText text = kernel_text(source.compile(o, true));
            const auto begin = Clock::now();
            const gpu::KernelCode first = gpu::compile_with_nvrtc(text, gpu::facts().architecture());
            const double took = seconds(begin);
            const auto later = Clock::now();
            const gpu::KernelCode again = gpu::compile_with_nvrtc(text, gpu::facts().architecture());
            const gpu::Module module(again.image);
            const double took_again = seconds(later);
            EXPECT_FALSE(first.cached) << info.id;
            EXPECT_TRUE(again.cached) << info.id;
            const double patience = info.id == "cluster" ? 3 : 1; // cooperative_groups.h alone takes more than a second
            EXPECT_LE(took, patience) << info.id << " " << name(type);
            EXPECT_LE(took_again, patience * 0.005) << info.id << " " << name(type);
            std::printf("%s %s: %.0f ms, from the cache %.2f ms\n", std::string(info.id).c_str(),
                        std::string(name(type)).c_str(), 1e3 * took, 1e3 * took_again);
            slowest = std::max(slowest, took);
            slowest_again = std::max(slowest_again, took_again);
            ++compiled;
        }
    }
    kept.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", kept.c_str(), 1);
    EXPECT_GE(compiled, 60U);
    std::printf("%u kernels, the slowest %.0f ms, from the cache %.2f ms\n", compiled, 1e3 * slowest,
                1e3 * slowest_again);
}

} // namespace
} // namespace warptree::runs
