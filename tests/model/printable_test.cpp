// Untrusted text: what reaches a terminal, and what documents are made of.
#include "app/base/json_text.hpp"
#include "app/base/printable.hpp"
#include "app/base/utf8.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace warptree::tests {
namespace {

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(Utf8, TakesWellFormedCharactersOnly) {
    for (const char* good :
         {"a", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x8c\xb2", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(utf8_length(good), std::string(good).size()) << good;
        EXPECT_EQ(valid_utf8(good), good);
    }
    // Bytes out of place, too long a form, half of a pair, beyond the last character, cut off.
    for (const char* bad : {"\x80", "\xc0\xaf", "\xc1\x81", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "\xf0\x9f\x8c", "\xc3"}) {
        EXPECT_EQ(utf8_length(bad), 0U) << bad;
    }
    EXPECT_EQ(utf8_length(""), 0U);
    EXPECT_EQ(valid_utf8("a\xff\xe2\x82"
                         "b\xc3\xa9"),
              "a" + kReplacement + kReplacement + kReplacement + "b\xc3\xa9");
}

// The JSON library has a checker of its own.
TEST(Utf8, AgreesWithAnotherReader) {
    for (unsigned first = 0; first < 256; ++first) {
        for (unsigned second = 0; second < 256; ++second) {
            for (const char* rest : {"", "\x80", "\x80\x80", "z"}) {
                std::string text = {static_cast<char>(first), static_cast<char>(second)};
                text += rest;
                bool taken = true;
                try {
                    (void)nlohmann::json(text).dump();
                } catch (const nlohmann::json::type_error&) {
                    taken = false;
                }
                ASSERT_EQ(valid_utf8(text) == text, taken) << first << " " << second << " " << rest;
            }
        }
    }
}

TEST(Printable, EscapesWhatATerminalObeys) {
    EXPECT_EQ(printable("a\x1b[2J\x07\x7f\n"), "a\\x1b[2J\\x07\\x7f\\x0a");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\xc2\\x9b31m")
        << "the same as ESC [";
    EXPECT_EQ(printable("\xff\xe2\x82"), "\\xff\\xe2\\x82");
    EXPECT_EQ(printable("\xc3\xa9 \xf0\x9f\x8c\xb2"), "\xc3\xa9 \xf0\x9f\x8c\xb2");
    EXPECT_EQ(printable_lines("a\nb\tc\x1b\n"), "a\nb\tc\\x1b\n");
    EXPECT_EQ(printable(std::string(79, 'a') + "\xe2\x82\xac"), std::string(79, 'a') + "...") << "no half character";
    EXPECT_EQ(printable(std::string(100, '\x80')).substr(0, 8), "\\x80\\x80");
}

TEST(JsonText, ReplacesWhatIsNoText) {
    const nlohmann::ordered_json j{{"name", "\xff.cu"}};
    EXPECT_EQ(json_text(j), "{\"name\":\"" + kReplacement + ".cu\"}");
    // Printed as a program prints, it still is JSON.
    const nlohmann::ordered_json controls{{"\x7f\xc2\x9b\x1b", "\xc2\xa0"}};
    EXPECT_EQ(json_text(controls), "{\"\\u007f\\u009b\\u001b\":\"\xc2\xa0\"}");
    EXPECT_EQ(printable_lines(json_text(controls)), json_text(controls));
    EXPECT_EQ(json_text(j, 1), "{\n \"name\": \"" + kReplacement + ".cu\"\n}");
}

} // namespace
} // namespace warptree::tests
