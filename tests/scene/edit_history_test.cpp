// Undo and redo of the code editor.
#include "app/features/explore/edit_history.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace warptree::tests {
namespace {
using session::EditHistory;

// An editor with its cursor behind the last character typed.
struct Editor {
    EditHistory history;
    std::string text;
    int cursor = 0;

    void type(std::string_view what) {
        for (const char c : what) {
            std::string after = text;
            after.insert(static_cast<std::size_t>(cursor), 1, c);
            history.changed({text, cursor}, after);
            text = after;
            ++cursor;
        }
    }
    bool step(bool back) {
        const auto s = back ? history.undo({text, cursor}) : history.redo({text, cursor});
        if (!s) return false;
        history.changed({text, cursor}, s->text); // as an editor reports it
        text = s->text;
        cursor = s->cursor;
        return true;
    }
    bool undo() { return step(true); }
    bool redo() { return step(false); }
};

TEST(EditHistory, TakesAWordForOneChange) {
    Editor e;
    e.type("int x;");
    std::vector<std::string> seen;
    while (e.undo()) seen.push_back(e.text);
    EXPECT_EQ(seen, (std::vector<std::string>{"int x", "int ", "int", ""}));
    seen.clear();
    while (e.redo()) seen.push_back(e.text);
    EXPECT_EQ(seen, (std::vector<std::string>{"int", "int ", "int x", "int x;"}));
    EXPECT_EQ(e.cursor, 6);
}

TEST(EditHistory, StartsAWordAnewWhereTheCursorWasMoved) {
    Editor e;
    e.type("ab");
    e.cursor = 0;
    e.type("cd");
    EXPECT_EQ(e.text, "cdab");
    ASSERT_TRUE(e.undo());
    EXPECT_EQ(e.text, "ab");
    EXPECT_EQ(e.cursor, 0);
    ASSERT_TRUE(e.undo());
    EXPECT_EQ(e.text, "");
    EXPECT_FALSE(e.undo());
}

TEST(EditHistory, ForgetsWhatWasUndoneWhenTheTextChangesOtherwise) {
    Editor typed;
    typed.type("a b");
    ASSERT_TRUE(typed.undo());
    typed.type("c");
    EXPECT_FALSE(typed.redo());
    ASSERT_TRUE(typed.undo());
    EXPECT_EQ(typed.text, "a ");

    Editor replaced;
    replaced.type("a b");
    ASSERT_TRUE(replaced.undo());
    replaced.history.replaced({replaced.text, replaced.cursor});
    replaced.text = "another file";
    EXPECT_FALSE(replaced.redo());
    ASSERT_TRUE(replaced.undo());
    EXPECT_EQ(replaced.text, "a ");
}

TEST(EditHistory, RemembersAChangeAfterAStepThatChangedNothing) {
    Editor e;
    e.type("a");
    e.history.replaced({"a", 1}); // by the same text
    const auto same = e.history.undo({"a", 1});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->text, "a"); // so the editor reports no change
    e.type(" ");
    ASSERT_TRUE(e.undo());
    EXPECT_EQ(e.text, "a");
}

TEST(EditHistory, KeepsABoundedNumberAndSize) {
    Editor many;
    for (std::size_t i = 0; i < EditHistory::kMost + 10; ++i) many.type(";");
    std::size_t steps = 0;
    while (many.undo()) ++steps;
    EXPECT_EQ(steps, EditHistory::kMost);
    EXPECT_EQ(many.text, std::string(10, ';'));

    Editor large;
    large.text = std::string(EditHistory::kMostBytes / 4 + 1, ' ');
    for (int i = 0; i < 10; ++i) large.type(";");
    steps = 0;
    while (large.undo()) ++steps;
    EXPECT_EQ(steps, 3U);

    Editor huge;
    huge.text = std::string(EditHistory::kMostBytes + 1, ' ');
    huge.type(";;");
    EXPECT_TRUE(huge.undo()) << "the latest is kept, whatever its size";
    EXPECT_FALSE(huge.undo());
}

} // namespace
} // namespace warptree::tests
