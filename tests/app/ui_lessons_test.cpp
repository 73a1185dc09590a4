// Lessons taken with real keys and mouse.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class UiLessons : public Ui {
  protected:
    void value(const char* name, const std::string& wanted) const {
        until([&](const Json& s) { return s["page_values"].value(name, "") == wanted; },
              std::string(name) + " = " + wanted);
    }
    void type_answer(const std::string& text) const {
        key("a", "keyboard", "answer");
        until([](const Json& s) { return s["typing"] == true; }, "the field has the keyboard");
        settled();
        xdotool("type " + text);
        xdotool("key Return");
    }
};

TEST_F(UiLessons, AreTakenByKeysAndRemembered) {
    open();
    key("5", "page", "lessons");
    value("lesson", "tree");
    place("lesson-told");
    settled();
    xdotool("key n");
    value("stage", "2");
    type_answer("64");
    place("answer-show"); // offered after a wrong answer
    EXPECT_EQ(state()["page_values"].value("progress-tree", ""), "");
    xdotool("key Escape");
    until([](const Json& s) { return s["keyboard"] == ""; }, "the field lets go");
    settled();
    type_answer("63");
    value("progress-tree", ".l....");
    settled();
    xdotool("key n");
    value("stage", "3");
    type_answer("6");
    value("progress-tree", ".lr...");
    settled();
    xdotool("key n");
    value("stage", "4");
    xdotool("key s");
    value("progress-tree", ".lrs..");
    xdotool("key n");
    value("stage", "5");
    xdotool("key n");
    value("stage", "6");
    settled();
    key("a", "keyboard", "answer");
    settled();
    xdotool("key Return"); // thread 0, where the arrows begin
    value("progress-tree", ".lrs.r");
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "lessons");
    value("progress-tree", ".lrs.r");
    value("stage", "6");
    xdotool("key bracketright");
    value("lesson", "warps");
    value("stage", "1");
    value("progress-tree", ".lrs.r");
}

TEST_F(UiLessons, AreTakenByTheMouse) {
    open({"--state", "lessons/index?stage=1"});
    value("lesson", "index");
    place("lesson-told");
    settled();
    click("answer-option-0");
    place("answer-show");
    click("answer-option-1");
    value("progress-index", "l....");
    settled();
    click("lesson-next");
    value("stage", "2");
    settled();
    click("answer-number");
    until([](const Json& s) { return s["typing"] == true; }, "the field has the keyboard");
    settled();
    xdotool("type 0");
    click("answer");
    value("progress-index", "lr...");
    settled();
    click("lesson-next");
    value("stage", "3");
    settled();
    const Json warps = place("lesson-warps"); // four warps side by side: the third and fourth never combine
    click(warps[0].get<int>() + static_cast<int>(warps[2].get<double>() * 0.75),
          warps[1].get<int>() + static_cast<int>(warps[3].get<double>() * 0.35));
    value("progress-index", "lrr..");
    click("lesson-scan");
    value("lesson", "scan");
    EXPECT_EQ(settled()["state"], "lessons/scan");
}

TEST_F(UiLessons, WorkAtOtherSizes) {
    open({"--state", "lessons/warps?n=1000&block=256"});
    value("block", "256");
    place("lesson-told");
    settled();
    type_answer("8");
    value("progress-warps", "r....");
    EXPECT_EQ(settled()["state"], "lessons/warps?n=1000&block=256");
}

TEST_F(UiLessons, FoldUpAtTheLargestText) {
    open({"--state", "lessons/banks?scale=3"});
    until([](const Json& s) { return s["scale"] == 3; }, "text at 300 %");
    const Json text = place("lesson-text");
    EXPECT_GT(text[2].get<double>(), 400);
    settled();
    xdotool("key v");
    const Json tree = place("lesson-banks");
    EXPECT_GT(tree[2].get<double>(), 400);
}

} // namespace
} // namespace warptree::testing
