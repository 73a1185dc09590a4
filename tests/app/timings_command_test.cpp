// Recorded timings through the real program.
#include "tests/app/process.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace warptree::testing {
namespace {

using Words = std::vector<std::string>;

std::string picture(const char* name) {
    return (std::filesystem::path(::testing::TempDir()) / (std::to_string(getpid()) + name)).string();
}
void expect_refused(const Words& words, const char* said) {
    const Finished f = run_program(words);
    EXPECT_EQ(f.code, 2) << f.err;
    EXPECT_EQ(f.out, "");
    EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
    EXPECT_NE(f.err.find(said), std::string::npos) << f.err;
}

TEST(TimingsCommand, PrintsTheLadderOf2007) {
    const Finished text = run_program({"timings", "--series", "g80"});
    EXPECT_EQ(text.code, 0) << text.err;
    for (const char* wanted : {"8.054 ms", "30.05×", "72.5 %", "Harris"}) {
        EXPECT_NE(text.out.find(wanted), std::string::npos) << wanted;
    }
    const Finished csv = run_program({"timings", "--series", "g80", "--csv"});
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 8) << "a heading and seven kernels";
    const auto json = nlohmann::json::parse(run_program({"timings", "--series", "g80", "--json"}).out);
    EXPECT_EQ(json["format"], "warptree.timings");
    EXPECT_EQ(json["series"][0]["points"].size(), 7U);
    EXPECT_TRUE(run_program({"timings", "--markdown"}).out.starts_with("| series |"));
}

TEST(TimingsCommand, GoesToWhatASeriesHas) {
    const Finished lab = run_program({"timings", "--series", "TGA"});
    EXPECT_EQ(lab.code, 0) << lab.err;
    EXPECT_NE(lab.out.find("17.98 GB/s"), std::string::npos) << lab.out;
    EXPECT_NE(lab.out.find("prints 8.990"), std::string::npos) << lab.out;
    const std::string file = (tests::source_dir() / "assets/timings/h100-scan-blog.json").string();
    EXPECT_NE(run_program({"timings", file}).out.find("scan-coarsened"), std::string::npos);
}

TEST(TimingsCommand, RefusesInOneLine) {
    expect_refused({"timings", "-n", "0"}, "-n '0'");
    expect_refused({"timings", "--block", "5000"}, "--block '5000'");
    expect_refused({"timings", "--type", "f16"}, "--type 'f16'");
    expect_refused({"timings", "--series", "nobody"}, "no series is named 'nobody'");
    expect_refused({"timings", "-n", "12345"}, "no series has");
    expect_refused({"timings", "--json", "--csv"}, "take one");
    expect_refused({"timings", "/no/such/file.json"}, "/no/such/file.json");
    expect_refused({"timings", (tests::source_dir() / "assets/clocks/sequential-256-i32.json").string()},
                   "not a result file");
    expect_refused({"render", "--view", "timings", "--input", "ones", "-o", picture("a.png")},
                   "--input does not apply");
    expect_refused({"render", "sequential", "--show", "time", "-o", picture("a.png")}, "belong to --view timings");
    expect_refused({"render", "-o", picture("a.png")}, "name a strategy");
}

TEST(TimingsCommand, DrawsWithoutADisplay) {
    for (const char* name : {"t.png", "t.svg", "t.pdf"}) {
        const Finished f = run_program({"render", "--view", "timings", "--show", "bandwidth", "--figure", "modes", "-n",
                                        "2^22", "--block", "fastest", "--theme", "dark", "-o", picture(name)});
        EXPECT_EQ(f.code, 0) << f.err;
        EXPECT_GT(std::filesystem::file_size(picture(name)), 500U);
        std::filesystem::remove(picture(name));
    }
}

} // namespace
} // namespace warptree::testing
