// Tables, pictures and animations that commands export for documents, through the real program.
#include "tests/app/process.hpp"
#include "tests/support/csv.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace warptree::testing {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

std::vector<std::vector<std::string>> csv_of(const Words& words) {
    const Finished f = run_program(words);
    EXPECT_EQ(f.code, 0) << f.err;
    auto lines = parse_csv(f.out);
    for (const auto& line : lines) {
        EXPECT_EQ(line.size(), lines[0].size()) << f.out;
    }
    return lines;
}

TEST(CliTables, TheoryIsExactInCsv) {
    const auto lines = csv_of({"theory", "work", "-n", "1000", "--csv"});
    const Json ways = Json::parse(run_program({"theory", "work", "-n", "1000", "--json"}).out)["ways"];
    ASSERT_EQ(lines.size(), ways.size() + 1);
    for (std::size_t i = 0; i < ways.size(); ++i) {
        EXPECT_EQ(lines[i + 1][0], ways[i]["name"].get<std::string>());
        EXPECT_EQ(std::stoull(lines[i + 1][1]), ways[i]["processors"].get<std::uint64_t>());
        EXPECT_EQ(std::stoull(lines[i + 1][3]), ways[i]["cost"].get<std::uint64_t>());
        EXPECT_EQ(std::stod(lines[i + 1][5]), ways[i]["efficiency"].get<double>());
    }
    EXPECT_NE(run_program({"theory", "occupancy", "--markdown"}).out.find("|---|---:|"), std::string::npos);
    EXPECT_EQ(run_program({"theory", "work", "--csv", "--json"}).code, 2);
}

// 228 KB, of which a block takes its tiles and 1 KB for the system.
TEST(CliTables, TilesLeaveRoomForTheSystem) {
    for (const Json& tile : Json::parse(run_program({"theory", "tiles", "--json"}).out)["tiles"]) {
        const auto bytes = tile["shared_bytes"].get<std::uint64_t>();
        EXPECT_EQ(tile["blocks_by_shared_memory"].get<std::uint64_t>(),
                  228 * 1024 / ((bytes + 127) / 128 * 128 + 1024));
    }
}

TEST(CliTables, CountsOfARunAddUp) {
    const Words run{"report", "first-add", "-n", "1000", "--block", "64", "--backend", "cpu"};
    Words csv = run, json = run;
    csv.insert(csv.end(), {"--format", "csv"});
    json.push_back("--json");
    const auto lines = csv_of(csv);
    const Json totals = Json::parse(run_program(json).out)["launches"][0]["totals"];
    ASSERT_EQ(lines[0].size(), 3 + totals.size());
    ASSERT_GT(lines.size(), 2U);
    for (std::size_t column = 3; column < lines[0].size(); ++column) {
        std::uint64_t sum = 0;
        for (std::size_t line = 1; line < lines.size(); ++line) {
            sum += std::stoull(lines[line][column]);
        }
        EXPECT_EQ(sum, totals[lines[0][column]].get<std::uint64_t>()) << lines[0][column];
    }
}

TEST(CliTables, BanksListEveryLane) {
    const auto lines = csv_of({"banks", "--index", "8*lane", "--csv"});
    ASSERT_EQ(lines.size(), 5U) << "four banks are asked for eight words each";
    int lanes = 0;
    for (std::size_t line = 1; line < lines.size(); ++line) {
        EXPECT_EQ(lines[line][1], "8");
        lanes += static_cast<int>(std::count(lines[line][3].begin(), lines[line][3].end(), ',')) + 1;
    }
    EXPECT_EQ(lanes, 32);
}

class CliPictures : public ::testing::Test {
  protected:
    void SetUp() override {
        directory_ = std::filesystem::temp_directory_path() / ("warptree_take_" + std::to_string(getpid()));
        std::filesystem::create_directories(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }
    std::string path(const char* name) const { return (directory_ / name).string(); }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(directory_), std::filesystem::directory_iterator()));
    }
    std::filesystem::path directory_;
};

TEST_F(CliPictures, ARequestIsDrawn) {
    ASSERT_EQ(run_program({"banks", "--index", "2*lane", "-o", path("b.svg"), "--size", "640x480"}).code, 0);
    std::ifstream in(path("b.svg"));
    const std::string svg{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(svg.find("640"), std::string::npos);
    EXPECT_NE(svg.find("480"), std::string::npos);
    EXPECT_EQ(run_program({"banks", "--index", "2*lane", "-o", path("b.bmp")}).code, 2);
}

TEST_F(CliPictures, AComparisonIsPlayedInLockStep) {
    const Words words{"render",     "interleaved-modulo",
                      "sequential", "-n",
                      "64",         "--block",
                      "32",         "--view",
                      "compare",    "--size",
                      "480x360",    "--fps",
                      "2",          "--speed",
                      "2"};
    const auto with = [&](const Words& more) {
        Words all = words;
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    };
    const Finished f = with({"--animate", "-o", path("c.png"), "--steps", "0:2"});
    ASSERT_EQ(f.code, 0) << f.err;
    // One frame per step; the last is held 1.5 s longer.
    for (const char* frame : {"frame-0001.png", "frame-0003.png", "frame-0006.png"}) {
        EXPECT_TRUE(std::filesystem::exists(directory_ / "c-frames" / frame)) << frame;
    }
    EXPECT_FALSE(std::filesystem::exists(directory_ / "c-frames/frame-0007.png"));
    // A frame is the picture of its step.
    ASSERT_EQ(with({"--step", "1", "-o", path("one.png")}).code, 0);
    const auto bytes = [](const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    EXPECT_EQ(bytes(directory_ / "c-frames/frame-0002.png"), bytes(path("one.png")));
    EXPECT_NE(bytes(directory_ / "c-frames/frame-0001.png"), bytes(path("one.png")));
    const std::size_t before = files();
    EXPECT_EQ(with({"--animate", "-o", path("d.png"), "--steps", "0:99"}).code, 2);
    EXPECT_EQ(with({"--animate", "-o", path("d.png"), "--step", "1"}).code, 2);
    EXPECT_EQ(with({"-o", path("d.gif")}).code, 2) << "a movie is asked for by --animate";
    EXPECT_EQ(files(), before);
}

} // namespace
} // namespace warptree::testing
