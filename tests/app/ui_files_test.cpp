// Dialogs and files, and dropping a file.
#include "app/base/whole_file.hpp"
#include "tests/app/ui_fixture.hpp"
#include "tests/app/x_client.hpp"

namespace warptree::testing {
namespace {

TEST_F(Ui, SavesOpensAndExports) {
    open();
    key("bracketright", "shown", "interleaved-strided");
    const std::string trace = (directory_ / "t.wtrace").string(), picture = (directory_ / "p.png").string();
    into_dialog("ctrl+s", "save", trace);
    // The program's keys work again immediately.
    key("t", "theme", "contrast");
    written(trace);
    into_dialog("ctrl+e", "export", picture);
    key("t", "theme", "light");
    written(picture);
    EXPECT_GT(std::filesystem::file_size(picture), 1000U);
    const std::string page = (directory_ / "p.html").string();
    into_dialog("ctrl+e", "export", page);
    written(page);
    EXPECT_NE(read_whole(page).find("<title>interleaved-strided</title>"), std::string::npos);
    key("bracketleft", "shown", "interleaved-modulo");
    into_dialog("ctrl+o", "open", trace);
    until([&](const Json& s) { return s["shown"] == "interleaved-strided" && s["file"] == trace; }, "the opened trace");
    key("t", "theme", "dark");
    key("Right", "place", 1);
}

// Without a pause between the keys.
TEST_F(Ui, KeysRightAfterADialogAreTheProgramsAgain) {
    open();
    const std::string trace = (directory_ / "t.wtrace").string();
    xdotool("key ctrl+s type --delay 1 " + trace);
    xdotool("key Return key t key Right");
    until([](const Json& s) { return s["dialog"] == "none" && s["theme"] == "contrast" && s["place"] == 1; },
          "save, theme, step");
    written(trace);
    xdotool("key ctrl+o key Escape key t key Right");
    until([](const Json& s) { return s["dialog"] == "none" && s["theme"] == "light" && s["place"] == 2; },
          "dismiss, theme, step");
}

TEST_F(Ui, OpensByTheListOfFiles) {
    open();
    std::filesystem::create_directories(directory_ / "traces");
    const std::string trace = (directory_ / "traces" / "only.wtrace").string();
    into_dialog("ctrl+s", "save", trace);
    written(trace);
    key("bracketright", "shown", "interleaved-strided");
    key("ctrl+o", "dialog", "open");
    xdotool("type " + (directory_ / "traces").string() + "/");
    xdotool("key Down key Down key Return"); // "..", the file
    until([&](const Json& s) { return s["file"] == trace && s["dialog"] == "none"; }, "the chosen file");
}

TEST_F(Ui, DialogsSayWhyAndStayOpen) {
    open();
    const std::string nowhere = (directory_ / "no such directory" / "x").string();
    const std::string bad = (directory_ / "bad.wtrace").string();
    std::ofstream(bad) << "this is no archive";
    const struct {
        const char *keys, *dialog;
        std::string path;
    } cases[] = {{"ctrl+s", "save", nowhere + ".wtrace"},
                 {"ctrl+e", "export", nowhere + ".png"},
                 {"ctrl+e", "export", (directory_ / "x.bmp").string()},
                 {"ctrl+o", "open", nowhere + ".wtrace"},
                 {"ctrl+o", "open", bad},
                 {"ctrl+o", "open", directory_.string()}};
    for (const auto& c : cases) {
        key(c.keys, "dialog", c.dialog);
        xdotool("type '" + c.path + "'");
        xdotool("key Return");
        const Json s = until([](const Json& j) { return j["dialog_error"] != ""; }, "a reason for " + c.path);
        EXPECT_EQ(s["dialog"], c.dialog);
        EXPECT_EQ(s["dialog_error"].get<std::string>().find('\n'), std::string::npos);
        EXPECT_EQ(s["file"], "");
        key("Escape", "dialog", "none");
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
        EXPECT_NE(entry.path().stem(), "x") << "half-written: " << entry.path();
    }
}

TEST_F(Ui, AsksBeforeItSavesOverAnotherFile) {
    open({"--state", "explore/sequential?n=64&block=64"});
    xdotool("key e");
    until([](const Json& s) { return s["keyboard"] == "source"; }, "a copy in plain CUDA");
    settled();
    const std::string there = (directory_ / "there.cu").string(), free = (directory_ / "free.cu").string();
    std::ofstream(there) << "// mine\n";
    const auto text = [](const std::string& path) {
        std::ifstream in(path);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    key("ctrl+shift+s", "dialog", "save");
    xdotool("key ctrl+a");
    xdotool("type '" + there + "'");
    xdotool("key Return");
    until(
        [](const Json& s) { return s["dialog_error"].get<std::string>().find("exists already") != std::string::npos; },
        "the question");
    EXPECT_EQ(text(there), "// mine\n");
    key("Escape", "dialog", "none");
    EXPECT_EQ(text(there), "// mine\n") << "nothing was written";
    key("ctrl+shift+s", "dialog", "save");
    xdotool("key ctrl+a");
    xdotool("type '" + there + "'");
    xdotool("key Return");
    until([](const Json& s) { return s["dialog_error"] != ""; }, "the question again");
    xdotool("key Return");
    until([](const Json& s) { return s["dialog"] == "none"; }, "a second Enter");
    EXPECT_NE(text(there).find("__global__"), std::string::npos);
    key("ctrl+shift+s", "dialog", "save");
    xdotool("key ctrl+a");
    xdotool("type '" + free + "'");
    key("Return", "dialog", "none");
    EXPECT_NE(text(free).find("__global__"), std::string::npos) << "a new name is no question";
    key("ctrl+shift+s", "dialog", "save"); // its own name is offered and needs no confirmation
    key("Return", "dialog", "none");
    EXPECT_EQ(settled()["notice"].get<std::string>().find("exists already"), std::string::npos);
}

// The failure is known only while writing: the dialog reopens with the reason and the name.
TEST_F(Ui, AFailedSaveBringsItsDialogBack) {
    open();
    const std::string full = "/dev/full";
    if (!std::filesystem::exists(full)) {
        GTEST_SKIP() << "needs /dev/full";
    }
    key("ctrl+s", "dialog", "save");
    xdotool("type " + full);
    xdotool("key Return");
    const Json s = until([](const Json& j) { return j["dialog_error"] != ""; }, "a reason");
    EXPECT_EQ(s["dialog"], "save");
    EXPECT_NE(s["dialog_error"].get<std::string>().find(full), std::string::npos);
    key("Escape", "dialog", "none");
    key("t", "theme", "contrast");
}

TEST_F(Ui, ClosingRightAfterSaveAndExportLeavesWholeFiles) {
    for (const bool by_key : {true, false}) {
        std::filesystem::create_directories(directory_ / "config/warptree");
        std::ofstream(directory_ / "config/warptree/state.json")
            << R"({"strategy": "sequential", "n": 65536, "block": 1024})";
        std::filesystem::create_directories(directory_ / "out");
        const std::string trace = (directory_ / "out" / "t.wtrace").string();
        open();
        key("ctrl+s", "dialog", "save");
        xdotool("type " + trace);
        xdotool(by_key ? "key Return key ctrl+q" : "key Return");
        if (!by_key) {
            kill(child_, SIGINT);
        }
        EXPECT_EQ(wait_for_exit(), 0);
        // Complete or absent, with no other files.
        for (const auto& entry : std::filesystem::directory_iterator(directory_ / "out")) {
            EXPECT_EQ(entry.path().string(), trace);
            EXPECT_EQ(run_program({"report", trace}).code, 0);
        }
        EXPECT_TRUE(!by_key || std::filesystem::exists(trace));
        std::filesystem::remove_all(directory_ / "out");
    }
}

TEST_F(Ui, ADroppedFileIsOpened) {
    const std::string trace = (directory_ / "dropped.wtrace").string(), bad = (directory_ / "bad.wtrace").string();
    std::ofstream(bad) << "this is no archive";
    ASSERT_EQ(run_program({"record", "converging", "-n", "500", "--backend", "cpu", "-o", trace}).code, 0);
    open();
    std::string why;
    ASSERT_TRUE(drop_file(display_, "warptree", trace, why)) << why;
    until([&](const Json& s) { return s["file"] == trace && s["shown"] == "converging"; }, "the dropped trace");
    ASSERT_TRUE(drop_file(display_, "warptree", bad, why)) << why;
    until([](const Json& s) { return s["notice"].get<std::string>().find("bad.wtrace") != std::string::npos; },
          "why the file cannot be shown");
    EXPECT_EQ(state()["file"], trace);
}

TEST_F(Ui, OpensTheFileItIsGiven) {
    const std::string trace = (directory_ / "given.wtrace").string();
    ASSERT_EQ(run_program({"record", "converging", "-n", "500", "--backend", "cpu", "-o", trace}).code, 0);
    open({trace});
    EXPECT_EQ(state()["file"], trace);
    EXPECT_EQ(state()["shown"], "converging");
}

// Large files are read off the drawing thread.
TEST_F(Ui, OpensLargeFilesOneAfterTheOther) {
    const std::string large = (directory_ / "large.wtrace").string(), small = (directory_ / "small.wtrace").string(),
                      cut = (directory_ / "cut.wtrace").string();
    ASSERT_EQ(run_program({"record", "sequential", "-n", "65536", "--window", "0:256", "--input", "random", "--backend",
                           "cpu", "-o", large})
                  .code,
              0);
    ASSERT_EQ(run_program({"record", "converging", "-n", "500", "--backend", "cpu", "-o", small}).code, 0);
    ASSERT_GT(std::filesystem::file_size(large), 400U * 1024);
    std::filesystem::copy_file(large, cut);
    std::filesystem::resize_file(cut, 300 * 1024);
    open({cut, large});
    until([&](const Json& s) { return s["file"] == large && s["shown_n"] == 65536; }, "the large trace");
    EXPECT_EQ(state()["dialog"], "none") << "no dialog asked for what cannot be read";
    into_dialog("ctrl+o", "open", small);
    until([&](const Json& s) { return s["file"] == small && s["shown"] == "converging"; }, "the small trace");
    key("ctrl+o", "dialog", "open"); // the dialog closes only while the file is read
    xdotool("type " + cut);
    xdotool("key Return");
    until([&](const Json& s) { return s["dialog"] == "open" && s["dialog_error"] != ""; }, "why it is not opened");
    EXPECT_EQ(state()["file"], small);
}

} // namespace
} // namespace warptree::testing
