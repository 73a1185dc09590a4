#include "app/features/deck/deck.hpp"

#include "app/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

using namespace warptree;

namespace {
class DeckFiles : public testing::Test {
  protected:
    // The states of a deck with this one, as they are shown; else why it is refused.
    std::string shown(const std::string& state) const {
        folder_.write("course/d.deck", "deck: a\nstate: " + state + "\n");
        std::string text;
        try {
            session::load_deck(folder_.path() / "course/d.deck",
                               [&](const session::StateString& s) { text = session::to_string(s); });
        } catch (const FileError& e) {
            return std::string("refused: ") + e.what();
        }
        return text;
    }
    tests::TemporaryFolder folder_;
};

TEST_F(DeckFiles, LieBelowItsFolder) {
    std::filesystem::create_directories(folder_.path() / "course/inner");
    folder_.write("secret.npy", "x");
    std::filesystem::create_symlink(folder_.path(), folder_.path() / "course/out");
    std::filesystem::create_symlink("inner", folder_.path() / "course/link");
    const char* const outside[] = {"%2Fetc%2Fpasswd.npy", "..%2Fsecret.npy", "a%2F..%2F..%2Fsecret.npy",
                                   "out%2Fsecret.npy", "out%2Fnone.npy"};
    for (const char* file : outside) {
        for (const char* key : {"file", "input", "arg.in"}) {
            EXPECT_THAT(shown(std::string("explore/sequential?") + key + "=" + file), testing::HasSubstr("d.deck:2: "))
                << key << file;
        }
        EXPECT_THAT(shown(std::string("compare?column-1=") + file + ".wtrace"), testing::StartsWith("refused")) << file;
        EXPECT_THAT(shown(std::string("compare?column-1=") + file + ".cu%3Ablock=64"), testing::StartsWith("refused"))
            << file;
    }
    const std::string inside = (folder_.path() / "course/inner/x.npy").string();
    EXPECT_EQ(session::parse_state(shown("explore?file=inner%2Fx.npy")).values.at("file"), inside);
    EXPECT_EQ(session::parse_state(shown("explore?file=link%2Fx.npy")).values.at("file"), inside);
    const auto columns = session::parse_state(shown("compare?column-1=k.cu%3Ablock=64&column-2=sequential")).values;
    EXPECT_EQ(columns.at("column-1"), (folder_.path() / "course/k.cu").string() + ":block=64");
    EXPECT_EQ(columns.at("column-2"), "sequential");
    EXPECT_EQ(shown("explore/sequential?input=iota"), "explore/sequential?input=iota");
}

// A name without a folder is in the one that the person is in.
TEST_F(DeckFiles, LieBelowTheFolderOneIsIn) {
    folder_.write("secret.npy", "x");
    folder_.write("course/d.deck", "deck: a\nstate: explore?file=link.npy\n");
    std::filesystem::create_symlink(folder_.path() / "secret.npy", folder_.path() / "course/link.npy");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path() / "course");
    std::string why;
    try {
        session::load_deck("d.deck", [](const session::StateString&) {});
    } catch (const FileError& e) {
        why = e.what();
    }
    std::filesystem::current_path(before);
    EXPECT_THAT(why, testing::HasSubstr("this link leads out of it"));
}
} // namespace
