// The harness on a fake device with given answers, and a clock that only the device advances.
#include "app/base/error.hpp"
#include "app/measure/timing/harness.hpp"
#include "app/measure/timing/listing.hpp"
#include "app/measure/timing/results_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace warptree::timing {
namespace {

using testing::HasSubstr;

class FakeClock : public Clock {
  public:
    double now() const override { return time; }
    double time = 100;
};

// How each variant behaves, by name.
struct Behaviour {
    double seconds = 1e-3;
    double jitter = 0; // alternately added and subtracted, as a fraction
    double growth = 1; // factor from each sample to the next
    std::string wrong, refused;
    int fails_at = -1; // index of the sample that throws
};

class FakeDevice : public Device {
  public:
    explicit FakeDevice(FakeClock& clock) : clock_(clock) {}

    Provenance provenance() const override {
        Provenance p;
        p.device = "Fake";
        p.theoretical_bytes_per_second = 1e9;
        p.l2_bytes = 1U << 20;
        return p;
    }
    std::string refusal(const Configuration& what) const override {
        const auto it = behaviours.find(what.variant);
        return it == behaviours.end() ? "" : it->second.refused;
    }
    void prepare(std::uint64_t n, ElementType type) override {
        EXPECT_EQ(open_experiments, 0);
        prepared.emplace_back(n, type);
        log.push_back("prepare");
    }
    std::unique_ptr<Experiment> open(const Configuration& what) override;

    std::map<std::string, Behaviour> behaviours;
    std::vector<std::pair<std::uint64_t, ElementType>> prepared;
    std::vector<std::string> log; // in order: "prepare", "check ID", "sample ID"
    int open_experiments = 0;
    std::function<void(const std::string&)> on_sample;
    FakeClock& clock_;
};

class FakeExperiment : public Experiment {
  public:
    FakeExperiment(FakeDevice& device, const Configuration& what) : device_(device), what_(what) {
        ++device_.open_experiments;
    }
    ~FakeExperiment() override { --device_.open_experiments; }
    std::string check() override {
        device_.log.push_back("check " + what_.variant);
        return device_.behaviours[what_.variant].wrong;
    }
    double sample() override {
        Behaviour& b = device_.behaviours[what_.variant];
        device_.log.push_back("sample " + what_.variant);
        if (device_.on_sample) {
            device_.on_sample(what_.variant);
        }
        if (taken_ == b.fails_at) {
            throw DeviceError("the cable fell out");
        }
        const double seconds = b.seconds * (1 + (taken_ % 2 == 0 ? b.jitter : -b.jitter));
        b.seconds *= b.growth;
        ++taken_;
        device_.clock_.time += 10 * seconds; // overhead takes longer than the work
        return seconds;
    }

  private:
    FakeDevice& device_;
    Configuration what_;
    int taken_ = 0;
};

std::unique_ptr<Experiment> FakeDevice::open(const Configuration& what) {
    return std::make_unique<FakeExperiment>(*this, what);
}

class TimingHarness : public testing::Test {
  protected:
    TimingHarness() {
        measure_options.rule.min_time = 0.2;
        measure_options.rule.time_limit = 1;
    }
    std::vector<Planned> plan_of(std::vector<std::string> variants, std::vector<std::uint64_t> sizes = {1000},
                                 Mode mode = Mode::cold) {
        Axes a;
        a.variants = std::move(variants);
        a.sizes = std::move(sizes);
        a.modes = {mode};
        return plan(std::span(&a, 1), 4);
    }
    Outcome run(const std::vector<Planned>& what) { return measure(what, device, clock, measure_options, cancel); }

    FakeClock clock;
    FakeDevice device{clock};
    MeasureOptions measure_options;
    std::atomic<bool> cancel{false};
};

TEST_F(TimingHarness, ChecksWarmsUpAndTakesTurns) {
    const Outcome o = run(plan_of({"sequential", "first-add", "cub-reduce"}));
    ASSERT_EQ(o.series.points.size(), 3U);
    EXPECT_EQ(o.series.name, "Fake");
    for (const Point& p : o.series.points) {
        EXPECT_TRUE(p.verified);
        EXPECT_EQ(p.stop, Stop::noise_low);
        EXPECT_GE(p.samples.size(), 10U);
        EXPECT_EQ(p.samples.size(), p.rounds.size());
        EXPECT_EQ(p.bytes, 4000U);
        // Five per round; the other points take theirs in between.
        for (std::size_t k = 0; k < p.rounds.size(); ++k) {
            EXPECT_EQ(p.rounds[k], k / measure_options.batch);
        }
    }
    // A point's check and three warm-up runs precede its samples.
    const std::vector<std::string> start{"prepare",           "check sequential",  "sample sequential",
                                         "sample sequential", "sample sequential", "check first-add"};
    EXPECT_TRUE(std::equal(start.begin(), start.end(), device.log.begin()));
    const auto counted = std::count(device.log.begin(), device.log.end(), "sample sequential");
    EXPECT_EQ(static_cast<std::size_t>(counted), o.series.points[0].samples.size() + measure_options.warm_ups);
    // After the checks, the points take turns with five samples each.
    const std::size_t first = 1 + 3 * 4;
    for (std::size_t k = 0; k < 30; ++k) {
        const char* who[] = {"sample sequential", "sample first-add", "sample cub-reduce"};
        EXPECT_EQ(device.log[first + k], who[k / 5 % 3]) << k;
    }
}

TEST_F(TimingHarness, WarmRunsOnceBeforeItsTurn) {
    const Outcome o = run(plan_of({"sequential", "first-add"}, {1000}, Mode::warm));
    const Point& p = o.series.points[0];
    const auto runs = static_cast<std::size_t>(std::count(device.log.begin(), device.log.end(), "sample sequential"));
    EXPECT_EQ(runs, p.samples.size() + measure_options.warm_ups + p.rounds.back() + 1);
}

TEST_F(TimingHarness, DoesNotTimeWhatIsWrong) {
    device.behaviours["first-add"].wrong = "3 instead of 4";
    const Outcome o = run(plan_of({"sequential", "first-add"}));
    EXPECT_EQ(o.wrong, 1U);
    const Point& p = o.series.points[1];
    EXPECT_TRUE(p.samples.empty());
    EXPECT_FALSE(p.verified);
    EXPECT_THAT(p.skipped, HasSubstr("3 instead of 4"));
    EXPECT_EQ(std::count(device.log.begin(), device.log.end(), "sample first-add"), 0);
    EXPECT_FALSE(o.series.points[0].samples.empty());
}

TEST_F(TimingHarness, KeepsWhatWasSkippedWithItsReason) {
    device.behaviours["first-add"].refused = "no room";
    const Outcome o = run(plan_of({"first-add", "missing-barrier", "sequential"}));
    ASSERT_EQ(o.series.points.size(), 3U);
    EXPECT_EQ(o.series.points[0].skipped, "no room");
    EXPECT_THAT(o.series.points[1].skipped, HasSubstr("on purpose"));
    EXPECT_EQ(o.wrong, 0U);
    EXPECT_THAT(to_text(o.series), HasSubstr("no room"));
}

TEST_F(TimingHarness, MakesEachInputOnce) {
    run(plan_of({"sequential", "first-add"}, {1000, 2000, 1000}));
    const std::vector<std::pair<std::uint64_t, ElementType>> want{{1000, ElementType::i32}, {2000, ElementType::i32}};
    EXPECT_EQ(device.prepared, want);
    EXPECT_EQ(device.open_experiments, 0);
}

TEST_F(TimingHarness, RefusesARateAboveTheCeiling) {
    // 4 MB at 1 GB/s take at least 4 ms.
    device.behaviours["sequential"].seconds = 3.9e-3;
    device.behaviours["first-add"].seconds = 4.1e-3;
    const Outcome o = run(plan_of({"sequential", "first-add"}, {1000000}));
    EXPECT_TRUE(o.series.points[0].samples.empty());
    EXPECT_THAT(o.series.points[0].skipped, HasSubstr("exceeds the memory's 1 GB/s"));
    EXPECT_FALSE(o.series.points[1].samples.empty());
    // Such points survive a round trip through a file.
    EXPECT_EQ(series_from_json(to_json(std::span(&o.series, 1)), "it").front(), o.series);
}

TEST_F(TimingHarness, SaysWhichCriterionEndedAPoint) {
    device.behaviours["sequential"].jitter = 0.1;
    device.behaviours["first-add"].growth = 1.05;
    const Outcome o = run(plan_of({"sequential", "first-add", "cub-reduce"}));
    EXPECT_EQ(o.series.points[0].stop, Stop::noise_stable);
    EXPECT_NEAR(o.series.points[0].noise, 0.1, 0.01);
    EXPECT_EQ(o.series.points[1].stop, Stop::time_limit);
    EXPECT_THAT(o.series.points[1].remark, HasSubstr("noise of"));
    EXPECT_EQ(o.series.points[2].stop, Stop::noise_low);
}

TEST_F(TimingHarness, KeepsWhatItHasWhenItIsCancelled) {
    int left = 20;
    device.on_sample = [&](const std::string&) { cancel = --left == 0 || cancel; };
    std::vector<std::size_t> kept;
    measure_options.keep = [&](const Series& s) { kept.push_back(s.points.size()); };
    const auto what = plan_of({"sequential", "first-add"}, {1000, 2000});
    const Outcome o = run(what);
    EXPECT_TRUE(o.cancelled);
    ASSERT_EQ(o.series.points.size(), 2U); // none of n = 2000
    for (const Point& p : o.series.points) {
        EXPECT_EQ(p.stop, Stop::cancelled);
        EXPECT_FALSE(p.samples.empty());
    }
    EXPECT_EQ(kept, std::vector<std::size_t>{2});

    // Resuming measures the cancelled points again, and the rest.
    cancel = false;
    device.on_sample = nullptr;
    measure_options.already = o.series.points;
    const Outcome rest = run(what);
    ASSERT_EQ(rest.series.points.size(), 4U);
    for (const Point& p : rest.series.points) {
        EXPECT_EQ(p.stop, Stop::noise_low);
    }
}

TEST_F(TimingHarness, GoesOnWhereAnEarlierRunEnded) {
    const auto first = plan_of({"sequential"}, {1000});
    const Outcome before = run(first);
    device.log.clear();
    measure_options.already = before.series.points;
    const Outcome after = run(plan_of({"first-add", "cub-reduce"}, {1000}));
    ASSERT_EQ(after.series.points.size(), 3U); // points outside the plan are kept
    EXPECT_EQ(after.series.points[0], before.series.points[0]);
    device.log.clear();
    measure_options.already = after.series.points;
    EXPECT_EQ(run(plan_of({"sequential", "first-add", "cub-reduce"}, {1000})).series.points.size(), 3U);
    EXPECT_TRUE(device.log.empty()); // nothing is left to do
}

TEST_F(TimingHarness, KeepsWhatItHasWhenTheDeviceFails) {
    device.behaviours["first-add"].fails_at = 8;
    const Outcome o = run(plan_of({"sequential", "first-add"}, {1000, 2000}));
    EXPECT_EQ(o.failure, "the cable fell out");
    EXPECT_FALSE(o.cancelled);
    ASSERT_EQ(o.series.points.size(), 2U);
    EXPECT_EQ(o.series.points[0].stop, Stop::cancelled);
    EXPECT_EQ(o.series.points[1].samples.size(), 5U);
}

TEST_F(TimingHarness, ProgressRisesToTheEnd) {
    double last = 0;
    std::size_t done = 0;
    measure_options.progress = [&](const Progress& p) {
        EXPECT_GE(p.fraction, last - 1e-9);
        EXPECT_LE(p.fraction, 1);
        EXPECT_GE(p.seconds_left, 0);
        EXPECT_NE(p.now, nullptr);
        EXPECT_EQ(p.all, 4U);
        last = p.fraction;
        done = p.done;
    };
    const double begin = clock.time;
    run(plan_of({"sequential", "first-add"}, {1000, 2000}));
    EXPECT_GT(last, 0.8);
    EXPECT_GE(done, 3U);
    EXPECT_NEAR(clock.time - begin, 4 * 0.2, 0.4); // about the requested time, with warm-ups
}

TEST_F(TimingHarness, DocumentTellsColdFromWarm) {
    Axes a;
    a.variants = {"sequential", "scan-warp"};
    a.sizes = {1U << 12};
    a.modes = {Mode::cold, Mode::warm};
    const std::string text = to_markdown(run(plan(std::span(&a, 1), 4)).series);
    for (const char* title : {"### 2^12 i32 sum, cold, kernel\n", "### 2^12 i32 sum, warm, kernel\n",
                              "### 2^12 i32 inclusive scan, cold, kernel\n"}) {
        EXPECT_THAT(text, HasSubstr(title));
    }
    const Outcome o = run(plan(std::span(&a, 1), 4));
    EXPECT_EQ(all_rows(o.series).size(), 4U);
}

TEST_F(TimingHarness, TextHasAPointALine) {
    const Outcome o = run(plan_of({"sequential", "device-read"}, {1U << 20}));
    device.behaviours.clear();
    const std::string text = to_text(o.series);
    EXPECT_THAT(text, HasSubstr("not measured")); // 4 MB in a millisecond
    device.behaviours["sequential"].seconds = 8e-3;
    device.behaviours["device-read"].seconds = 5e-3;
    const std::string good = to_text(run(plan_of({"sequential", "device-read"}, {1U << 20})).series);
    EXPECT_THAT(good, HasSubstr("2^20 i32 sum, kernel"));
    EXPECT_THAT(good, HasSubstr("2^20 i32 by copy and read, kernel"));
    EXPECT_THAT(good, HasSubstr("8000.00"));
    EXPECT_THAT(good, HasSubstr("62.5")); // percent of device-read
    EXPECT_THAT(good, testing::Not(HasSubstr("not measured")));
}

} // namespace
} // namespace warptree::timing
