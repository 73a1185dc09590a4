// Result files: round trips, published tables as data, and damaged files, each refused in one line without a crash.
#include "app/measure/timing/results_file.hpp"
#include "app/measure/timing/table.hpp"
#include "tests/support/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace warptree::timing {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

// One of each kind; every member differs from its default somewhere.
std::vector<Series> sample() {
    Point measured;
    measured.what = {
        "multiple-adds",   1000, 128, 64, ElementType::f64, Operator::max, Finish::relaunch, {{"batch", 8}}, Mode::warm,
        Quantity::pipeline};
    measured.bytes = 8000;
    measured.samples = {1.0 / 3, 0.1, 5e-7};
    measured.rounds = {0, 1, 1};
    measured.stop = Stop::time_limit;
    measured.noise = 0.25;
    measured.verified = true;
    measured.min_time = 0.25;
    Point whole = measured; // whole nanoseconds; several samples per round
    whole.what.block = 256;
    whole.samples = {3.8976e-05, 0.002606336, 1e-9, 17.0};
    whole.rounds = {0, 0, 2, 2};
    whole.stop = Stop::noise_low;
    Point skipped;
    skipped.what.variant = "scan-lookback";
    skipped.what.n = 1ULL << 33;
    skipped.skipped = "more than the memory holds";
    Point published;
    published.what.variant = "interleaved-modulo";
    published.what.n = 31;
    published.what.mode = Mode::unstated;
    published.bytes = 124;
    published.published_seconds = 8.054e-3;
    published.remark = "prints half: \"8.990\"";
    Provenance p{"NVIDIA Test", "9.0", "580.1", "13.0.88", "-O3", "abc123", "2026-01-02T03:04:05Z", "nobody"};
    p.multiprocessors = 132;
    p.core_clock_khz = 1980000;
    p.memory_clock_khz = 3201000;
    p.memory_bus_bits = 6144;
    p.l2_bytes = 50ULL << 20;
    p.flush_bytes = 128ULL << 20;
    p.seed = std::numeric_limits<std::uint64_t>::max();
    p.theoretical_bytes_per_second = 4814e9;
    return {{"one", p, {measured, skipped, whole}}, {"µ-two", {}, {published}}, {"empty", {}, {}}};
}

std::string message(const std::string& text) {
    try {
        series_from_json(text, "file.json");
    } catch (const FileError& e) {
        return e.what();
    }
    return {};
}

// The sample's file after `change`.
template <class Change> std::string changed(Change change) {
    Json json = Json::parse(to_json(sample()));
    change(json);
    return json.dump();
}

TEST(ResultsFile, KeepsEverything) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("warptree_results_" + std::to_string(getpid()));
    save_results(path, sample());
    EXPECT_EQ(load_results(path), sample());
    EXPECT_EQ(to_json(load_results(path)), to_json(sample()));
    std::filesystem::remove(path);
    EXPECT_THROW(load_results(path), FileError);
}

TEST(ResultsFile, WholeNanosecondsAreShort) {
    const std::string text = to_json(sample());
    EXPECT_THAT(text, HasSubstr(R"("nanoseconds":[38976,2606336,1,17000000000],"turns":[2,0,2])"));
    EXPECT_THAT(text, HasSubstr(R"("samples":[0.3333333333333333,0.1,5e-07],"turns":[1,2])"));
    // Rounds that decrease, or skip many numbers, are written as they are.
    for (const std::vector<std::uint32_t>& rounds : {std::vector<std::uint32_t>{1, 0, 1}, {0, 1, 4000000000U}}) {
        std::vector<Series> all = sample();
        all[0].points[0].rounds = rounds;
        EXPECT_THAT(to_json(all), HasSubstr("\"rounds\""));
        EXPECT_EQ(series_from_json(to_json(all), "f"), all);
    }
}

TEST(ResultsFile, ReadsVersion1) {
    const std::string old = R"({"format": "warptree.timings", "version": 1, "series": [{"name": "old", "provenance": {},
        "points": [{"variant": "sequential", "n": 32, "type": "i32", "finish": "host", "mode": "cold", "quantity":
        "kernel", "bytes": 128, "stop": "noise-low", "samples": [3.5e-06, 3.6e-06], "rounds": [0, 0]}]}]})";
    const auto all = series_from_json(old, "f");
    EXPECT_EQ(all[0].points[0].samples, (std::vector<double>{3.5e-6, 3.6e-6}));
    EXPECT_EQ(all[0].points[0].min_time, 0);
}

TEST(ResultsFile, EachKindOfDamageHasItsMessage) {
    const std::string whole = to_json(sample());
    for (const std::size_t cut : {std::size_t{60}, whole.size() / 2, whole.size() - 3}) {
        EXPECT_THROW(series_from_json(whole.substr(0, cut), "f"), TruncatedResults) << cut;
    }
    EXPECT_THROW(series_from_json("", "f"), NotResults);
    EXPECT_THROW(series_from_json("PK\x03\x04", "f"), NotResults);
    EXPECT_THROW(series_from_json("[1, 2]", "f"), NotResults);
    EXPECT_THROW(series_from_json(R"({"format": "warptree.clocks", "version": 1})", "f"), NotResults);
    const std::string newer = changed([](Json& j) { j["version"] = kResultsVersion + 1; });
    EXPECT_THROW(series_from_json(newer, "f"), NewerResults);
    EXPECT_THAT(message(newer), HasSubstr("version 3"));
    for (const std::string& text : {whole.substr(0, 60), std::string("{}"), newer}) {
        EXPECT_THAT(message(text), HasSubstr("file.json: "));
        EXPECT_EQ(message(text).find('\n'), std::string::npos);
    }
}

TEST(ResultsFile, EveryValueIsChecked) {
    const auto point = [](Json& j, std::size_t s, std::size_t p) -> Json& { return j["series"][s]["points"][p]; };
    const std::vector<std::pair<std::string, std::string>> bad{
        {"\"n\"", changed([&](Json& j) { point(j, 0, 0)["n"] = 0; })},
        {"\"n\"", changed([&](Json& j) { point(j, 0, 0)["n"] = -5; })},
        {"\"n\"", changed([&](Json& j) { point(j, 0, 0)["n"] = 1.5; })},
        {"\"n\"", changed([&](Json& j) { point(j, 0, 0)["n"] = 1ULL << 41; })},
        {"\"block\"", changed([&](Json& j) { point(j, 0, 0)["block"] = 1025; })},
        {"\"type\"", changed([&](Json& j) { point(j, 0, 0)["type"] = "f16"; })},
        {"\"op\"", changed([&](Json& j) { point(j, 0, 0)["op"] = "mean"; })},
        {"\"finish\"", changed([&](Json& j) { point(j, 0, 0)["finish"] = 3; })},
        {"\"mode\"", changed([&](Json& j) { point(j, 0, 0)["mode"] = "tepid"; })},
        {"\"quantity\"", changed([&](Json& j) { point(j, 0, 0).erase("quantity"); })},
        {"\"variant\"", changed([&](Json& j) { point(j, 0, 0)["variant"] = ""; })},
        {"\"samples\"", changed([&](Json& j) { point(j, 0, 0)["samples"][1] = 0; })},
        {"\"samples\"", changed([&](Json& j) { point(j, 0, 0)["samples"][1] = -1e-6; })},
        {"\"samples\"", changed([&](Json& j) { point(j, 0, 0)["samples"][1] = nullptr; })},
        {"\"samples\"", changed([&](Json& j) { point(j, 0, 0)["samples"][1] = 1e7; })},
        {"3 samples and 2 rounds", changed([&](Json& j) { point(j, 0, 0)["turns"][0] = 0; })},
        {"\"nanoseconds\"", changed([&](Json& j) { point(j, 0, 2)["nanoseconds"][1] = 0; })},
        {"\"nanoseconds\"", changed([&](Json& j) { point(j, 0, 2)["nanoseconds"][1] = 1.5; })},
        {"leave one out", changed([&](Json& j) {
             point(j, 0, 2)["samples"] = {1, 2, 3, 4};
         })},
        {"leave one out", changed([&](Json& j) {
             point(j, 0, 2)["rounds"] = {0, 0, 1, 1};
         })},
        {"more in its \"turns\"", changed([&](Json& j) {
             point(j, 0, 2)["turns"] = {2, 3};
         })},
        {"\"turns\"", changed([&](Json& j) { point(j, 0, 2)["turns"] = {1ULL << 40}; })},
        {"4 samples and 2 rounds", changed([&](Json& j) { point(j, 0, 2)["turns"] = {2}; })},
        {"\"min_time\"", changed([&](Json& j) { point(j, 0, 0)["min_time"] = -1; })},
        {"\"noise\"", changed([&](Json& j) { point(j, 0, 0)["noise"] = -0.1; })},
        {"\"verified\"", changed([&](Json& j) { point(j, 0, 0)["verified"] = 1; })},
        {"\"parameters\"", changed([&](Json& j) { point(j, 0, 0)["parameters"]["batch"] = -1; })},
        {"what stopped", changed([&](Json& j) { point(j, 0, 0).erase("stop"); })},
        {"what stopped", changed([&](Json& j) { point(j, 1, 0)["stop"] = "time-limit"; })},
        {"one of measured", changed([&](Json& j) { point(j, 1, 0)["skipped"] = "why"; })},
        {"one of measured", changed([&](Json& j) { point(j, 1, 0).erase("published_seconds"); })},
        {"one of measured", changed([&](Json& j) { point(j, 0, 0)["published_seconds"] = 1; })},
        {"how many bytes", changed([&](Json& j) { point(j, 1, 0)["bytes"] = 0; })},
        {"\"blck\"", changed([&](Json& j) { point(j, 1, 0)["blck"] = 128; })},
        {"point 1 of series 2", changed([&](Json& j) { point(j, 1, 0) = 7; })},
        {"\"seed\"", changed([&](Json& j) { j["series"][0]["provenance"]["seed"] = "x"; })},
        {"\"date\"", changed([&](Json& j) { j["series"][0]["provenance"]["date"] = "one\ntwo"; })},
        {"provenance", changed([&](Json& j) { j["series"][1].erase("provenance"); })},
        {"\"points\"", changed([&](Json& j) { j["series"][1].erase("points"); })},
        {"no series", changed([&](Json& j) { j["series"] = Json::array(); })},
    };
    for (const auto& [wanted, text] : bad) {
        EXPECT_THROW(series_from_json(text, "f"), BrokenResults) << wanted;
        EXPECT_THAT(message(text), HasSubstr(wanted));
        EXPECT_EQ(message(text).find('\n'), std::string::npos) << wanted;
    }
}

TEST(ResultsFile, NoByteFlipCrashes) {
    const std::string whole = to_json(sample());
    for (std::size_t i = 0; i < whole.size(); i += 3) {
        std::string text = whole;
        text[i] = static_cast<char>(text[i] ^ 0x15);
        try {
            series_from_json(text, "f");
        } catch (const FileError& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
        }
    }
}

TEST(ResultsFile, NamesComeBack) {
    for (const Mode m : {Mode::cold, Mode::warm, Mode::unstated}) {
        EXPECT_EQ(mode_from(name(m)), m);
    }
    for (const Quantity q : {Quantity::kernel, Quantity::pipeline, Quantity::launch}) {
        EXPECT_EQ(quantity_from(name(q)), q);
    }
    for (const Stop s : {Stop::none, Stop::noise_low, Stop::noise_stable, Stop::time_limit, Stop::cancelled}) {
        EXPECT_EQ(stop_from(name(s)), s);
    }
    EXPECT_FALSE(mode_from("Cold"));
}

Series shipped(const char* file) {
    auto all = load_results(tests::source_dir() / "assets/timings" / file);
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
}

TEST(Published, EveryShippedFileIsReadAndNamesItsOrigin) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "assets/timings")) {
        for (const Series& s : load_results(entry.path())) {
            EXPECT_FALSE(s.provenance.source.empty() && s.provenance.device.empty()) << entry.path();
            EXPECT_FALSE(s.points.empty());
            ++files;
        }
    }
    EXPECT_GE(files, 3);
}

TEST(Published, TheLadderOf2007) {
    const std::vector<Series> g80{shipped("g80-2007.json")};
    EXPECT_EQ(g80[0].provenance.theoretical_bytes_per_second, 384 * 1800e6 / 8);
    const auto r = rows(g80, Conditions{});
    ASSERT_EQ(r.size(), 7U);
    const double ms[] = {8.054, 3.456, 1.722, 0.965, 0.536, 0.381, 0.268};
    const double printed_step[] = {0, 2.33, 2.01, 1.78, 1.8, 1.41, 1.42}; // as on its last slide
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_DOUBLE_EQ(*r[i].seconds, ms[i] / 1e3);
        EXPECT_EQ(r[i].step.has_value(), i > 0);
        EXPECT_NEAR(r[i].step.value_or(0), printed_step[i], 0.011);
    }
    EXPECT_NEAR(*r[6].cumulative, 30.04, 0.02);
    EXPECT_DOUBLE_EQ(*r[6].bytes_per_second, 62.671e9);
    EXPECT_NEAR(*r[0].bytes_per_second, 2.083e9, 1e6);
    EXPECT_NEAR(*r[6].share, 0.725, 0.001);
}

TEST(Published, TheLabsSheetPrintsHalfOfItsOwnDefinition) {
    const Series tga = shipped("tga-lab.json");
    ASSERT_EQ(tga.points.size(), 1U);
    const double rate = *bytes_per_second_of(tga.points[0]);
    EXPECT_NEAR(rate, 17.98e9, 5e6);
    EXPECT_NEAR(rate / 2, 8.990e9, 5e6);
    EXPECT_EQ(tga.points[0].what.quantity, Quantity::pipeline);
    EXPECT_THAT(tga.points[0].remark, HasSubstr("8.990"));
    EXPECT_FALSE(share_of_peak(tga.points[0], tga.provenance)) << "the GPU is not named";
}

TEST(Published, TheBlogsSharesFollowFromItsRates) {
    const std::vector<Series> blog{shipped("h100-scan-blog.json")};
    const auto r = rows(blog, {.kernels = Kernels::scans, .n = 1ULL << 30, .block = std::nullopt});
    ASSERT_EQ(r.size(), 5U);
    const double printed[] = {24.968, 39.05, 48.99, 59.89, 92.62};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(100 * *r[i].share, printed[i], 0.01) << r[i].point->what.variant;
    }
}

} // namespace
} // namespace warptree::timing
