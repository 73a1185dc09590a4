#include "app/document/file_job.hpp"

#include "app/base/error.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace warptree::session {
namespace {

FileJob::Outcome outcome_of(FileJob& job) {
    for (int i = 0; i < 4000; ++i) {
        if (auto outcome = job.take()) {
            return *outcome;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "never over";
    return {};
}

TEST(FileJob, WritesAndSaysSoOnce) {
    std::atomic<int> woken{0};
    bool written = false;
    FileJob job([&] { ++woken; });
    EXPECT_FALSE(job.busy());
    job.start("writing", [&](RunControl& control) {
        control.progress(0.5);
        written = true;
    });
    const auto outcome = outcome_of(job);
    EXPECT_EQ(outcome.error, "");
    EXPECT_FALSE(outcome.cancelled);
    EXPECT_TRUE(written);
    EXPECT_EQ(job.what(), "writing");
    EXPECT_DOUBLE_EQ(job.progress(), 0.5);
    EXPECT_FALSE(job.take());
    EXPECT_GE(woken, 1);
}

TEST(FileJob, CancelReachesTheWork) {
    FileJob job([] {});
    job.start("writing", [](RunControl& control) {
        while (!control.cancel) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        throw Cancelled();
    });
    EXPECT_TRUE(job.busy());
    EXPECT_THROW(job.start("another", [](RunControl&) {}), OptionError);
    job.cancel();
    EXPECT_TRUE(outcome_of(job).cancelled);
}

TEST(FileJob, ReadingATraceSaysHowFarItIsAndCanBeCancelled) {
    const auto path =
        std::filesystem::temp_directory_path() / ("warptree_read_" + std::to_string(getpid()) + ".wtrace");
    const Trace& trace = tests::trace_of({"sequential", 1000, 64});
    save(trace, path);
    RunControl control;
    std::vector<double> seen;
    control.progress = [&](double fraction) { seen.push_back(fraction); };
    EXPECT_EQ(load(path, &control), trace);
    ASSERT_GT(seen.size(), 2U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_GT(seen.front(), 0);
    EXPECT_LE(seen.back(), 1);
    control.progress = [&](double) { control.cancel = true; };
    EXPECT_THROW(load(path, &control), Cancelled);
    std::filesystem::remove(path);
}

TEST(FileJob, AnErrorIsHandedOnAndTheNextWorks) {
    FileJob job([] {});
    job.start("writing", [](RunControl&) { throw FileError("full"); });
    EXPECT_EQ(outcome_of(job).error, "full");
    while (job.busy()) {
        std::this_thread::yield();
    }
    job.start("writing", [](RunControl&) {});
    EXPECT_EQ(outcome_of(job).error, "");
}

TEST(FileJob, TheEndWaitsUntilItIsWhole) {
    std::atomic<bool> whole{false};
    {
        FileJob job([] {});
        job.start("writing", [&](RunControl&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            whole = true;
        });
    }
    EXPECT_TRUE(whole);
}

} // namespace
} // namespace warptree::session
