#include "app/session/file_job.hpp"

#include "kernels/error.hpp"

#include <gtest/gtest.h>

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
