// `warptree lessons` through the real program.
#include "tests/app/process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace warptree::testing {
namespace {

TEST(CliLessons, ListsPrintsAndAnswers) {
    const Finished list = run_program({"lessons"});
    EXPECT_EQ(list.code, 0);
    EXPECT_GE(std::count(list.out.begin(), list.out.end(), '\n'), 12);
    const Finished told = run_program({"lessons", "banks"});
    EXPECT_NE(told.out.find("How many wavefronts"), std::string::npos);
    EXPECT_EQ(told.out.find("\n     = "), std::string::npos) << "no answers unless asked for";
    // With a block of 256, 8 lanes access each of 4 banks; with 128, 16 lanes remain active, 4 per bank.
    EXPECT_NE(run_program({"lessons", "banks", "--answers"}).out.find("= 8\n"), std::string::npos);
    EXPECT_NE(run_program({"lessons", "banks", "--answers", "--block", "128"}).out.find("= 4\n"), std::string::npos);
    EXPECT_NE(run_program({"lessons", "--facts"}).out.find("load_wavefronts([STEP [, WARP]])"), std::string::npos);
}

TEST(CliLessons, RefusesInOneLine) {
    const auto directory = std::filesystem::temp_directory_path() / ("warptree_lesson_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    const std::string bad = (directory / "bad.lesson").string(), good = (directory / "good.lesson").string();
    std::ofstream(bad) << "title: T\ntrace a: sequential\nstage: S\nshow: a at stages(\n";
    std::ofstream(good) << "title: T\ntrace a: sequential\nstage: S\nask: Q\nnumber: stages\nwhy: {stages}\n";
    EXPECT_EQ(run_program({"lessons", "--check", good}).code, 0);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"lessons", "--check", bad},
                                                  {"lessons", "--check", good, bad},
                                                  {"lessons", "--check", good, "--block", "48"},
                                                  {"lessons", "--check", "nowhere.lesson"},
                                                  {"lessons", "tea"},
                                                  {"lessons", "banks", "--stage", "9", "-o", "x.png"},
                                                  {"lessons", "banks", "--stage", "2"},
                                                  {"lessons", "banks", "-o", "nowhere.txt"},
                                                  {"lessons", "banks", "--block", "3"},
                                                  {"lessons", "banks", "-n", "x"}}) {
        const Finished f = run_program(words);
        EXPECT_EQ(f.code, 2) << f.out;
        EXPECT_EQ(f.out, "");
        EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
    }
    EXPECT_NE(run_program({"lessons", "--check", bad}).err.find("bad.lesson:4: "), std::string::npos);
    std::filesystem::remove_all(directory);
}

} // namespace
} // namespace warptree::testing
