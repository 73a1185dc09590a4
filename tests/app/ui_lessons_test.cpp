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
    // The step labels that the views show, "?" for hidden ones.
    void shown(const std::string& steps) const {
        until([&](const Json& s) { return s["page_shown"].value("steps", "") == steps; }, "the steps are " + steps);
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
    value("progress-tree", ".l.....");
    settled();
    xdotool("key n");
    value("stage", "3");
    shown("load, ?"); // the answer is hidden
    type_answer("32");
    value("progress-tree", ".lr....");
    shown("load, s = 1, ?");
    settled();
    xdotool("key n");
    value("stage", "4");
    xdotool("key s");
    value("progress-tree", ".lrs...");
    shown("load, s = 1, s = 2, s = 4, s = 8, s = 16, s = 32, ?");
    xdotool("key n");
    value("stage", "5");
    settled();
    key("a", "keyboard", "answer");
    settled();
    xdotool("key Down"); // the second of three options
    settled();
    xdotool("key Return");
    value("progress-tree", ".lrsr..");
    settled();
    xdotool("key n");
    value("stage", "6");
    settled();
    xdotool("key n");
    value("stage", "7");
    settled();
    key("a", "keyboard", "answer");
    settled();
    xdotool("key Return"); // thread 0, where the arrows begin
    value("progress-tree", ".lrsr.r");
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "lessons");
    value("progress-tree", ".lrsr.r");
    value("stage", "7");
    xdotool("key bracketright");
    value("lesson", "warps");
    value("stage", "1");
    value("progress-tree", ".lrsr.r");
}

// Digits go to the question, a wrong answer stays selected, and the keys of the screen work meanwhile.
TEST_F(UiLessons, DigitsAreTheAnswer) {
    open({"--state", "lessons/tree?stage=2"});
    place("lesson-told");
    settled();
    xdotool("type 64");
    settled();
    EXPECT_EQ(state()["page"], "lessons");
    xdotool("key Return");
    place("answer-show");
    until([](const Json& s) { return s["typing"] == true && s["keyboard"] == "answer"; },
          "the field keeps the keyboard");
    settled();
    xdotool("type 63"); // in place of what was selected
    xdotool("key Return");
    value("progress-tree", ".l.....");
    settled();
    xdotool("key n");
    value("stage", "3");
    settled();
    xdotool("type 31");
    xdotool("key Return");
    place("answer-show");
    settled();
    xdotool("key s");
    value("progress-tree", ".ls....");
    key("1", "page", "explore");
}

// A wrong answer may be replaced after a click into the field, too, and Enter gives the new one.
TEST_F(UiLessons, EnterAnswersAfterAClickIntoTheField) {
    open({"--state", "lessons/tree?stage=2"});
    place("lesson-told");
    settled();
    xdotool("type 60");
    settled();
    xdotool("key Return");
    place("answer-show");
    settled();
    click("answer-number");
    settled();
    xdotool("key ctrl+a");
    xdotool("type 63");
    settled();
    xdotool("key Return");
    value("progress-tree", ".l.....");
}

// Digits still choose screens after a lesson was opened by its name, though it asks for a number.
TEST_F(UiLessons, OpenedByNameLeaveTheDigitsToTheScreens) {
    open({"--state", "lessons/tree?stage=1"});
    place("lesson-told");
    settled();
    key("ctrl+k", "dialog", "palette");
    settled();
    xdotool("type 'sequential addressing'");
    settled();
    xdotool("key Return");
    value("lesson", "sequential");
    place("answer-number");
    settled();
    key("1", "page", "explore");
}

TEST_F(UiLessons, AreTakenByTheMouse) {
    open({"--state", "lessons/index?stage=1"});
    value("lesson", "index");
    place("lesson-told");
    settled();
    click("answer-option-0");
    place("answer-show");
    click("answer-option-1");
    value("progress-index", "l.....");
    settled();
    click("lesson-next");
    value("stage", "2");
    settled();
    click("answer-number");
    until([](const Json& s) { return s["typing"] == true; }, "the field has the keyboard");
    settled();
    xdotool("type 0");
    click("answer");
    value("progress-index", "lr....");
    settled();
    click("lesson-next");
    value("stage", "3");
    settled();
    shown("load, ?, ?, ?, ?, ?, ?, ?, ?");    // to be clicked, still hidden
    const Json warps = place("lesson-warps"); // four warps side by side: the third and fourth never combine
    click(warps[0].get<int>() + static_cast<int>(warps[2].get<double>() * 0.75),
          warps[1].get<int>() + static_cast<int>(warps[3].get<double>() * 0.35));
    value("progress-index", "lrr...");
    shown("load, s = 1, ?, ?, ?, ?, ?, ?, ?");
    settled();
    click("lesson-next");
    value("stage", "4");
    settled();
    // Rows of the steps from the top: load, seven strides, store. Warps diverge from s = 4, with 16 active threads.
    const auto row = [&](int step) {
        return warps[1].get<int>() + static_cast<int>(warps[3].get<double>() * (0.192 + 0.0834 * step));
    };
    const int label = warps[0].get<int>() + 30;
    click(label, row(4));
    place("answer-show");
    EXPECT_EQ(state()["page_values"].value("progress-index", ""), "lrr...");
    click(label, row(3));
    value("progress-index", "lrrl..");
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
    value("progress-warps", "r.....");
    EXPECT_EQ(settled()["state"], "lessons/warps?n=1000&block=256");
    key("i", "keyboard", "sizes");
    settled();
    xdotool("key Tab"); // from the elements to the block
    settled();
    xdotool("type 512");
    xdotool("key Return");
    value("block", "512");
    settled();
    xdotool("key Escape");
    until([](const Json& s) { return s["keyboard"] == ""; }, "the sizes let go");
    settled();
    xdotool("key n");
    value("stage", "2");
    settled();
    type_answer("32"); // two blocks of 512 have 16 warps each
    place("answer-show");
    xdotool("key Escape");
    until([](const Json& s) { return s["keyboard"] == ""; }, "the field lets go");
    settled();
    type_answer("16");
    value("progress-warps", "rl....");
}

TEST_F(UiLessons, OfOnesOwnAreOpenedAndRemembered) {
    const std::string mine = (directory_ / "03-mine.lesson").string(), bad = (directory_ / "bad.lesson").string();
    std::ofstream(mine) << "title: Mine\nabout: One question.\nn: 100\nblock: 32\ntrace a: sequential\n"
                           "stage: S\nshow: a at load\nask: How many stages?\nnumber: stages\nwhy: {stages}.\n";
    std::ofstream(bad) << "title: Bad\ntrace a: sequential\nstage: S\nshow: a at stages(\n";
    open({mine});
    value("lesson", "mine");
    EXPECT_EQ(state()["page"], "lessons");
    shown("load, ?");
    settled();
    type_answer("5");
    value("progress-mine", "r");
    shown("load, s = 16, s = 8, s = 4, s = 2, s = 1, store"); // no question is open
    key("ctrl+o", "dialog", "open");
    xdotool("key ctrl+a");
    xdotool("type " + bad);
    xdotool("key Return");
    until(
        [](const Json& s) { return s["dialog_error"].get<std::string>().find("bad.lesson:4: ") != std::string::npos; },
        "the line of what is wrong");
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "lessons");
    value("lesson", "mine");
    value("progress-mine", "r");
    value("file", mine);
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

TEST_F(UiLessons, EndWithASummaryAndShowSourceAndLoads) {
    open({"--state", "lessons/cascading?stage=6"});
    place("lesson-told");
    EXPECT_TRUE(settled()["places_on_screen"].contains("lesson-source")) << "beside the views";
    EXPECT_FALSE(state()["places_on_screen"].contains("lesson-loads")) << "it gives the answer away";
    EXPECT_FALSE(state()["places_on_screen"].contains("lesson-summary"));
    type_answer("4");
    value("progress-cascading", ".....r");
    settled();
    EXPECT_TRUE(settled()["places_on_screen"].contains("lesson-loads"));
    EXPECT_TRUE(state()["places_on_screen"].contains("lesson-summary"));
    xdotool("key b");
    value("stage", "5");
    EXPECT_FALSE(settled()["places_on_screen"].contains("lesson-summary"));
    xdotool("key n key n"); // on to the next lesson
    value("lesson", "shuffle");
}

TEST_F(UiLessons, AskToWriteAKernel) {
    open({"--state", "lessons/index?stage=6"});
    place("answer-write");
    settled();
    click("answer-write");
    until([](const Json& s) { return s["page"] == "explore" && s["shown"] == "interleaved-modulo-copy.cu"; },
          "its text");
    settled();
    const auto replace = [&](const std::string& from, const std::string& to) {
        key("e", "keyboard", "source");
        settled();
        xdotool("key ctrl+f");
        settled();
        xdotool("key ctrl+a");
        xdotool("type '" + from + "'");
        xdotool("key Return");
        settled();
        xdotool("key Escape");
        until([](const Json& s) { return s["keyboard"] == ""; }, "the text is found");
        settled();
        key("e", "keyboard", "source");
        until([](const Json& s) { return s["typing"] == true; }, "the editor");
        settled();
        xdotool("type '" + to + "'");
        settled();
        key("Escape", "keyboard", "");
        advance(0.2);
        settled();
    };
    const auto check = [&] {
        key("5", "page", "lessons");
        settled();
        click("answer");
        settled();
        return state()["page_values"].value("progress-index", "");
    };
    EXPECT_NE(check(), ".....r") << "what it begins with is no answer";
    key("1", "page", "explore");
    replace("tid % (2 * s) == 0", "2 * s * tid < blockDim.x");
    replace("sdata[tid] = op(sdata[tid], sdata[tid + s])",
            "sdata[2 * s * tid] = op(sdata[2 * s * tid], sdata[2 * s * tid + s])");
    until([](const Json& s) { return !s["busy"].get<bool>() && s["kernel"]["stale"] == false; }, "its run");
    EXPECT_EQ(check(), ".....l") << "right, not at once";
}

} // namespace
} // namespace warptree::testing
