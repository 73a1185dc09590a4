#include "app/base/json.hpp"

#include "app/base/error.hpp"
#include "app/measure/clocks/clocks.hpp"
#include "app/measure/code/recording.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/measure/timing/results_file.hpp"
#include "app/theory/kernel_resources.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

using namespace warptree;
using testing::HasSubstr;

namespace {
std::string nested(std::size_t depth, const std::string& open = "[", const std::string& close = "]") {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) {
        text += open;
    }
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) {
        text += close;
    }
    return text;
}
std::string why_not(const std::string& text) {
    try {
        parse_json(text);
    } catch (const JsonError& e) {
        return e.what();
    }
    return "read";
}

TEST(BoundedJson, NestingHasAnEnd) {
    EXPECT_EQ(why_not(nested(kMostJsonDepth)), "read");
    EXPECT_THAT(why_not("\n" + nested(kMostJsonDepth + 1)), HasSubstr("line 2: lists and objects nested more than 64"));
    EXPECT_THAT(why_not(nested(200'000, "{\"a\":[", "]}")), HasSubstr("nested"));
    EXPECT_EQ(why_not("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\""), "read"); // in a string
    std::string wide = "[";
    for (int i = 0; i < 1000; ++i) {
        wide += "[[]],";
    }
    EXPECT_EQ(why_not(wide + "{}]"), "read");
}

// Members are sought one by one: without a limit a few megabytes of them take hours.
TEST(BoundedJson, ObjectsHaveFewMembers) {
    const auto object = [](std::size_t members) {
        std::string text = "{\"a\":{\"b\":1}";
        for (std::size_t i = 1; i < members; ++i) {
            text += fmt::format(",\"{}\":{{\"x\":\"::::\"}}", i);
        }
        return text + "}";
    };
    EXPECT_EQ(why_not(object(kMostJsonMembers)), "read");
    EXPECT_THAT(why_not(object(kMostJsonMembers + 1)), HasSubstr("an object of more than 4096 members"));
    EXPECT_THAT(why_not(object(50'000)), HasSubstr("members"));
}

TEST(BoundedJson, CountsAreWholeAndFit) {
    const auto read = [](const std::string& text) { return whole_number(parse_json(text), 16384); };
    EXPECT_EQ(read("0"), 0U);
    EXPECT_EQ(read("16384"), 16384U);
    for (const std::string text : {"16385", "-1", "1.0", "6e53", "600222222222222222222222222222222222222222222222",
                                   "18446744073709551615", "true", "null", "\"1\"", "[1]"}) {
        EXPECT_EQ(read(text), std::nullopt) << text;
    }
}

TEST(BoundedJson, SaysTheLineOfWhatIsWrong) {
    EXPECT_THAT(why_not("{\n\"a\": 1,\n]"), HasSubstr("line 3: not JSON"));
    EXPECT_THAT(why_not(""), HasSubstr("not JSON"));
    EXPECT_THAT(why_not("{\n\"a\": -1e999}"), HasSubstr("line 2: a number is too large"));
    EXPECT_THROW(parse_json("[1, 2, 3]", 4), JsonError);
    EXPECT_EQ(parse_json("{\"b\": 1, \"a\": 2}").begin().key(), "b"); // in the text's order
}

// Every reader of the model: what is nested a hundred thousand deep is refused by it, in one line.
TEST(BoundedJson, EveryReaderRefusesNesting) {
    const tests::TemporaryFolder folder;
    const std::string deep = nested(100'000), file = (folder.path() / "deep.json").string();
    folder.write("deep.json", R"({"format": "warptree.x", "version": )" + deep + "}");
    EXPECT_THROW(clocks::load(file), FileError);
    EXPECT_THROW(code::load_recording(file), FileError);
    EXPECT_THROW(counters::load_recording(file), FileError);
    EXPECT_THROW(timing::load_results(file), FileError);
    EXPECT_THROW(theory::parse_resources(R"({"format": "warptree.kernel-resources", "version": )" + deep + "}", file),
                 FileError);
    // Where a number is due: the message used to print it, level by level.
    const auto trace = folder.path() / "deep.wtrace";
    folder.write("deep.wtrace", pack({{"manifest.json", R"({"format": "warptree.trace", "version": 4, "producer": "p",
        "device": {"name": "d", "compute_major": )" + deep + "}}"}}));
    EXPECT_THROW(load(trace), CorruptTrace);
}
} // namespace
