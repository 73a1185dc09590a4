// Decks are read as written; an invalid one is refused with its line.
#include "app/base/error.hpp"
#include "app/features/deck/deck.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace warptree::tests {
namespace {
using session::Deck;
using session::parse_deck;
using ::testing::HasSubstr;

std::string why_no_deck(const std::string& text) {
    try {
        parse_deck(text, "d.deck");
    } catch (const FileError& e) {
        return e.what();
    }
    return "is a deck";
}

TEST(Deck, IsReadAsWritten) {
    const Deck deck = parse_deck("# mine\n\ndeck:  Two steps \n\nstate: explore/sequential?n=64\ntitle: One: first\n"
                                 "Say this\nand that.\n\nNew paragraph.\n\n\nstate: theory/warps\r\n",
                                 "d.deck");
    EXPECT_EQ(deck.title, "Two steps");
    ASSERT_EQ(deck.states.size(), 2U);
    EXPECT_EQ(deck.states[0].state, "explore/sequential?n=64");
    EXPECT_EQ(deck.states[0].title, "One: first");
    EXPECT_EQ(deck.states[0].note, "Say this and that.\nNew paragraph.");
    EXPECT_EQ(deck.states[0].line, 5);
    EXPECT_EQ(deck.states[1].title, "theory/warps") << "without one, the state";
    Deck again = parse_deck(session::to_text(deck), "d.deck");
    for (std::size_t i = 0; i < 2; ++i) {
        again.states[i].line = deck.states[i].line;
    }
    EXPECT_EQ(again, deck);
}

TEST(Deck, ThatIsNoneIsRefusedWithItsLine) {
    EXPECT_THAT(why_no_deck(""), HasSubstr("d.deck:1: is empty"));
    EXPECT_THAT(why_no_deck("hello\n"), HasSubstr("d.deck:1: does not begin with 'deck: TITLE'"));
    EXPECT_THAT(why_no_deck("deck: a\n"), HasSubstr("has no state"));
    EXPECT_THAT(why_no_deck("deck: a\nwords\n"), HasSubstr("d.deck:2: comes before the first state"));
    EXPECT_THAT(why_no_deck("deck: a\n\nstate: explore/sequential?n\n"), HasSubstr("d.deck:3: "));
    EXPECT_THAT(why_no_deck("deck: a\nstate:\n"), HasSubstr("d.deck:2: "));
    EXPECT_THAT(why_no_deck("deck: a\nstate: theory\ntitle: b\ntitle: c\n"), HasSubstr("d.deck:4: is a second title"));
    EXPECT_THAT(why_no_deck("deck: a\nstate: theory\nb\x01\n"), HasSubstr("d.deck:3: is not UTF-8 text"));
    for (const char* bad : {"\xFF", "\xC3", "\xE2\x80", "\xC0\x80", "\xF8\x80\x80\x80", "\x1B[2J"}) {
        EXPECT_THAT(why_no_deck(std::string("deck: a\nstate: theory\nnote ") + bad + "\n"), HasSubstr("UTF-8")) << bad;
    }
    EXPECT_EQ(why_no_deck("deck: ä\nstate: theory\nζ – 2 × 3 𝔸\n"), "is a deck");
    EXPECT_THAT(why_no_deck("deck: a\nstate: theory\n" + std::string(9000, 'x')), HasSubstr("8192"));
    EXPECT_THAT(why_no_deck("deck: a\n" + std::string(300000, '\n')), HasSubstr("256 KiB"));
    std::string many = "deck: a\n";
    for (int i = 0; i < 201; ++i) {
        many += "state: theory\n";
    }
    EXPECT_THAT(why_no_deck(many), HasSubstr("d.deck:202: is one state too many: a deck may have 200"));
}

TEST(Deck, FilesOfItsStatesAreBesideIt) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "d.deck";
    std::ofstream(path) << "deck: a\nstate: explore?file=run.wtrace\nstate: explore?file=below%2Fa.wtrace\n";
    std::vector<std::string> asked;
    session::load_deck(path, [&](const session::StateString& s) { asked.push_back(s.values.at("file")); });
    EXPECT_THAT(asked, ::testing::ElementsAre((folder.path() / "run.wtrace").string(),
                                              (folder.path() / "below/a.wtrace").string()));
    try {
        session::load_deck(path, [](const session::StateString&) { throw OptionError("cannot be shown"); });
        ADD_FAILURE() << "taken";
    } catch (const FileError& e) {
        EXPECT_THAT(e.what(), HasSubstr("d.deck:2: cannot be shown"));
    }
}

TEST(Deck, IsWrittenWithFilesFromItsFolder) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "mine.cu", path = folder.path() / "d.deck";
    std::ofstream(file) << "__global__ void k(int* out) { out[0] = 1; }\n";
    Deck deck{"Mine",
              {{"explore?file=" + file.string() + "&step=1", "One", "Say\nthis", 0}, {"theory", "theory", "", 0}}};
    session::save_deck(deck, path);
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(text, HasSubstr("file=mine.cu"));
    const Deck read = session::load_deck(path, [](const session::StateString&) {});
    ASSERT_EQ(read.states.size(), 2U);
    EXPECT_EQ(read.states[0].state, deck.states[0].state) << "as it was";
    EXPECT_EQ(read.states[0].note, "Say\nthis");
    EXPECT_EQ(read.states[1].title, "theory");
    const TemporaryFolder other;
    EXPECT_THROW(session::save_deck(deck, other.path() / "d.deck"), FileError) << "a file of another folder";
    EXPECT_FALSE(std::filesystem::exists(other.path() / "d.deck"));
    deck.states[0].note = "state: not one";
    EXPECT_THROW(session::save_deck(deck, path), OptionError) << "it would be read as a state";
    EXPECT_EQ(session::load_deck(path, [](const session::StateString&) {}), read) << "unchanged";
}

TEST(Deck, APageWithoutATitleSaysItsFileAndStep) {
    const auto shown = [](const std::string& state, const std::string& title = "") {
        return session::shown_title({state, title.empty() ? state : title, "", 1});
    };
    EXPECT_EQ(shown("explore?file=/home/me/sum_ok.cu&step=1&frame=values"), "sum_ok.cu, step 2")
        << "as the window counts";
    EXPECT_EQ(shown("explore?file=two.cu&launch=2&step=0"), "two.cu, launch 2, step 1");
    EXPECT_EQ(shown("explore/sequential?n=64"), "sequential");
    EXPECT_EQ(shown("theory/warps"), "theory, warps");
    EXPECT_EQ(shown("compare?align=stage"), "compare");
    EXPECT_EQ(shown("theory/warps", "Warps"), "Warps");
}

TEST(Deck, APageWithoutATitleHasNoneWhereItsFileIsFound) {
    const TemporaryFolder folder;
    folder.write("mine.cu", "__global__ void k(int* out) { out[threadIdx.x] = 1; }\n");
    folder.write("d.deck", "deck: a\nstate: explore?file=mine.cu&step=1\n");
    const Deck deck = session::load_deck(folder.path() / "d.deck", [](const session::StateString&) {});
    EXPECT_EQ(session::shown_title(deck.states[0]), "mine.cu, step 2");
    session::save_deck(deck, folder.path() / "e.deck");
    EXPECT_EQ(session::load_deck(folder.path() / "e.deck", [](const session::StateString&) {}).states[0].title,
              deck.states[0].title);
}

} // namespace
} // namespace warptree::tests
