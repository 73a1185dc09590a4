// Measuring off the drawing thread, on a fake device.
#include "app/base/error.hpp"
#include "app/features/timings/state/measure_job.hpp"
#include "tests/support/pretend_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace warptree::session {
namespace {

using tests::Pretend;

std::vector<timing::Planned> planned(std::uint32_t multiprocessors) {
    timing::Axes a;
    a.variants = {"interleaved-modulo", "sequential", "first-add"};
    a.sizes = {1000, 4096};
    a.blocks = {128};
    return timing::plan({&a, 1}, multiprocessors);
}
const timing::StopRule kQuick{2, 0, 0.2, 0.005, 0.1, 20};

template <class Done> void until(Done done) {
    for (int i = 0; i < 20000 && !done(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST(MeasureJob, GivesTheSeriesAndSaysHowItEnded) {
    std::atomic<int> wakes{0};
    MeasureJob job([&] { ++wakes; });
    job.start(
        planned, [] { return std::make_unique<Pretend>(); }, kQuick);
    until([&] { return !job.busy(); });
    ASSERT_FALSE(job.busy());
    const auto series = job.take();
    ASSERT_TRUE(series);
    EXPECT_EQ(series->name, "Pretend (this GPU)");
    EXPECT_EQ(series->provenance.date.size(), 20U);
    ASSERT_EQ(series->points.size(), 6U);
    for (const timing::Point& p : series->points) {
        if (p.what.variant == "sequential") {
            EXPECT_THAT(p.skipped, testing::HasSubstr("no room"));
        } else {
            ASSERT_FALSE(p.samples.empty());
            EXPECT_DOUBLE_EQ(p.samples[0], static_cast<double>(p.what.n) * 1e-6);
            EXPECT_TRUE(p.verified);
        }
    }
    EXPECT_THAT(job.take_end().value_or(""), testing::HasSubstr("measured 6 points"));
    EXPECT_FALSE(job.take_end()) << "once";
    EXPECT_FALSE(job.take());
    EXPECT_GT(wakes, 1);
}

TEST(MeasureJob, IsCancelledAndKeepsWhatItHas) {
    std::atomic<bool> hold{true};
    MeasureJob job([] {});
    job.start(
        planned, [&] { return std::make_unique<Pretend>(&hold); }, kQuick);
    EXPECT_TRUE(job.busy());
    job.cancel();
    hold = false;
    until([&] { return !job.busy(); });
    ASSERT_FALSE(job.busy());
    EXPECT_THAT(job.take_end().value_or(""), testing::HasSubstr("cancelled"));
}

TEST(MeasureJob, SaysWhyThereIsNoDevice) {
    MeasureJob job([] {});
    job.start(planned, []() -> std::unique_ptr<timing::Device> { throw MissingDevice("no GPU here; go elsewhere"); });
    until([&] { return !job.busy(); });
    EXPECT_EQ(job.take_end().value_or(""), "no GPU here; go elsewhere");
    EXPECT_FALSE(job.take());
}

} // namespace
} // namespace warptree::session
