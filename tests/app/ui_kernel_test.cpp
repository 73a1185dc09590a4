// A user's kernel file: opened, edited, watched, saved, and its errors.
#include "tests/app/ui_fixture.hpp"
#include "tests/app/x_client.hpp"

namespace warptree::testing {
namespace {

constexpr const char* kSum = R"(// expect: sum
__global__ void sum(const int* in, int* out, int n) {
    __shared__ int s[256];
    int tid = threadIdx.x;
    s[tid] = tid < n ? in[tid] : 0;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid == 0) out[0] = s[0];
}
)";

class UiKernel : public Ui {
  protected:
    std::string path_;

    std::string write(const std::string& text, const char* name = "mine.cu") {
        const std::string path = (directory_ / name).string();
        const std::string other = path + ".new"; // as editors do: write a new file, then rename it
        std::ofstream(other) << text;
        std::filesystem::rename(other, path);
        return path;
    }
    static bool ran(const Json& s) {
        return s.contains("kernel") && !s["busy"].get<bool>() && !s["kernel"]["stale"].get<bool>();
    }
    // Waits until the current text has been run.
    Json run_of(const std::string& what) const {
        return until([](const Json& s) { return ran(s); }, what);
    }
    void open_kernel(const std::string& text) {
        path_ = write(text);
        open({path_});
        const Json s = run_of("the kernel's trace");
        EXPECT_EQ(s["shown"], "mine.cu");
    }
    static std::string replaced(std::string text, const std::string& from, const std::string& to) {
        const auto at = text.find(from);
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    }
    std::string disk() const {
        std::ifstream in(path_);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

// What it came to stands on the screens that show no run of their own, and leads back. Compare judges its columns, where the
// input is another; measured times are no run.
TEST_F(UiKernel, ItsVerdictIsOnEveryScreen) {
    open_kernel(replaced(kSum, "if (tid < d)", "if (tid < d - 1)"));
    place("verdict");
    const std::string said = settled()["verdict"];
    EXPECT_NE(said.find("wrong"), std::string::npos) << said;
    key("2", "page", "compare");
    until(
        [&](const Json& s) {
            const std::string own = s["verdict"];
            return own.starts_with("wrong: ") && own != said;
        },
        "the column's");
    key("3", "page", "timings");
    EXPECT_FALSE(settled()["places_on_screen"].contains("verdict"));
    key("5", "page", "lessons");
    EXPECT_FALSE(settled()["places_on_screen"].contains("verdict")) << "a lesson has a kernel of its own";
    for (const auto& [digit, page] : {std::pair{"4", "theory"}, {"6", "stride-playground"}}) {
        key(digit, "page", page);
        settled();
        EXPECT_TRUE(settled()["places_on_screen"].contains("verdict")) << page;
        EXPECT_EQ(settled()["verdict"], said) << page;
    }
    click("verdict");
    until([](const Json& s) { return s["page"] == "explore"; }, "back to it");
}

// A long one is shortened, in a small window down to its kind.
TEST_F(UiKernel, ItsVerdictHasRoomInASmallWindow) {
    std::filesystem::create_directories(directory_ / "config/warptree");
    std::ofstream(directory_ / "config/warptree/state.json") << R"({"width": 1280, "height": 720})";
    open({write("__global__ void add(const float* a, const float* b, float* c, int w, int h) {\n"
                "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                "    if (x < w && y < h) c[y * h + x] = a[y * h + x] + b[y * h + x];\n}\n",
                "add_two_large_images.cu")});
    run_of("the kernel's trace");
    place("verdict");
    const std::string said = settled()["verdict"];
    EXPECT_TRUE(said.starts_with("out of bounds (risk) with w = 32, h = 64")) << said;
}

TEST_F(UiKernel, OpensAFileAndStepsThroughIt) {
    open_kernel(kSum);
    const Json s = state();
    EXPECT_EQ(s["kernel"]["findings"], 0);
    EXPECT_EQ(s["kernel"]["diagnostics"], 0);
    EXPECT_GT(s["places"].get<int>(), 8);
    key("Right", "place", 1);
    key("End", "place", s["places"].get<int>() - 1);
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiKernel, FollowsTheFile) {
    open_kernel(kSum);
    key("Right", "place", 1);
    const std::string without = replaced(kSum, "        __syncthreads();\n    }", "    }");
    write(without);
    Json s = until([](const Json& j) { return ran(j) && j["kernel"]["findings"] > 0; }, "the race");
    EXPECT_EQ(s["place"], 1) << "the step is kept";
    write(replaced(kSum, "int tid", "int tod"));
    s = until([](const Json& j) { return j["kernel"]["diagnostics"] > 0; }, "what the compiler says");
    EXPECT_TRUE(s["kernel"]["stale"].get<bool>());
    EXPECT_GT(s["places"].get<int>(), 8) << "the last good trace stays";
    write(kSum);
    s = until([](const Json& j) { return ran(j) && j["kernel"]["findings"] == 0 && j["kernel"]["diagnostics"] == 0; },
              "all well again");
    EXPECT_FALSE(s["kernel"]["unsaved"].get<bool>());
}

// A finding's remedy is shown, written and taken back by keys.
TEST_F(UiKernel, WritesWhatMendsAFinding) {
    const std::string without = replaced(kSum, "        __syncthreads();\n    }", "    }");
    open_kernel(without);
    EXPECT_GT(state()["kernel"]["findings"], 0);
    xdotool("key ctrl+period");
    advance(1);
    until([](const Json& s) { return s["kernel"]["mending"] == "a barrier at the end of each iteration"; }, "a remedy");
    EXPECT_EQ(disk(), without);
    xdotool("key ctrl+period");
    advance(1);
    const Json s = until([](const Json& j) { return ran(j) && j["kernel"]["findings"] == 0; }, "it is mended");
    EXPECT_TRUE(s["kernel"]["unsaved"].get<bool>());
    EXPECT_NE(s["keyboard"], "source") << "the next key still steps";
    xdotool("key ctrl+z");
    advance(1);
    until([](const Json& j) { return ran(j) && j["kernel"]["findings"] > 0; }, "it is taken back");
    xdotool("key ctrl+shift+z");
    advance(1);
    until([](const Json& j) { return ran(j) && j["kernel"]["findings"] == 0; }, "and written again");
    xdotool("key ctrl+s");
    advance(1);
    until([](const Json& j) { return !j["kernel"]["unsaved"].get<bool>(); }, "it is saved");
    EXPECT_EQ(disk(), kSum);
}

// Where nothing is found: what makes it cheaper.
TEST_F(UiKernel, WritesWhatMakesItCheaper) {
    const auto transpose = [](const std::string& row) {
        return "__global__ void t(const float* in, float* out, int n) {\n    __shared__ float tile[32][" + row +
               "];\n    int x = threadIdx.x, y = threadIdx.y;\n    if (x < n && y < n) tile[y][x] = in[y * n + x];\n"
               "    __syncthreads();\n    if (x < n && y < n) out[y * n + x] = tile[x][y];\n}\n";
    };
    open_kernel(transpose("32"));
    EXPECT_EQ(state()["kernel"]["findings"], 0);
    xdotool("key ctrl+period");
    advance(1);
    until(
        [](const Json& s) {
            return s["kernel"]["mending"] == "rows of one element more, so that a column is in as many banks";
        },
        "a change");
    xdotool("key ctrl+period");
    advance(1);
    until([](const Json& s) { return ran(s) && s["kernel"]["unsaved"].get<bool>(); }, "it is written");
    xdotool("key ctrl+s");
    advance(1);
    until([](const Json& s) { return !s["kernel"]["unsaved"].get<bool>(); }, "it is saved");
    EXPECT_EQ(disk(), transpose("33"));
}

TEST_F(UiKernel, EditsMendsAndSaves) {
    path_ = write(replaced(kSum, "in[tid] : 0", "in[tid] : 0 +"));
    start({path_});
    Json s = until([](const Json& j) { return j["kernel"]["diagnostics"] > 0; }, "an error");
    key("e", "keyboard", "source");
    settled();
    xdotool("key ctrl+f");
    xdotool("type '0 +;'");
    xdotool("key Return");
    settled();
    xdotool("key Escape key e"); // the match is marked
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("type '0;'");
    until([&](const Json& j) { return j["kernel"]["text"] == kSum; }, "the text as typed");
    advance(0.2);
    s = until([](const Json& j) { return ran(j) && j["kernel"]["diagnostics"] == 0; }, "no error");
    EXPECT_TRUE(s["kernel"]["unsaved"].get<bool>());
    EXPECT_NE(disk(), kSum);
    xdotool("key ctrl+s");
    until([](const Json& j) { return !j["kernel"]["unsaved"].get<bool>(); }, "saved");
    EXPECT_EQ(disk(), kSum);
    key("Escape", "keyboard", "");
    key("Right", "place", s["place"].get<int>() + 1);
}

TEST_F(UiKernel, AClickPutsTheCaretWhereItIsAndEscapeLeavesTheEditor) {
    open_kernel(kSum);
    const Json panel = place("source");
    const int x = panel[0].get<int>() + panel[2].get<int>() / 2, y = panel[1].get<int>() + panel[3].get<int>() / 2;
    click(x, y);
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("type Q");
    Json s = until([](const Json& j) { return j["kernel"]["text"].get<std::string>().find('Q') != std::string::npos; },
                   "what was typed");
    EXPECT_GT(s["kernel"]["text"].get<std::string>().find('Q'), 30U) << "behind the first line";
    click(x, y - 30);
    EXPECT_EQ(settled()["keyboard"], "source") << "a second click leaves it with the editor";
    key("Escape", "keyboard", "");
    const std::string text = settled()["kernel"]["text"];
    xdotool("type t");
    EXPECT_EQ(settled()["kernel"]["text"], text);
}

TEST_F(UiKernel, CopiesAndPastesByQuickKeys) {
    open_kernel(kSum);
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    kill(child_, SIGSTOP); // so that all of them wait for the same frame
    xdotool("key ctrl+a key ctrl+c key ctrl+End key ctrl+v");
    kill(child_, SIGCONT);
    until([](const Json& j) { return j["kernel"]["text"] == std::string(kSum) + kSum; }, "the text twice");
}

TEST_F(UiKernel, SaysThatAFileHasNoKernel) {
    open_kernel(kSum);
    write(replaced(kSum, "__global__", "__device__"));
    const Json s = until([](const Json& j) { return j["error"] != ""; }, "why it does not run");
    EXPECT_NE(s["error"].get<std::string>().find("no __global__ function"), std::string::npos);
    EXPECT_TRUE(s["kernel"]["stale"].get<bool>());
    EXPECT_GT(s["places"].get<int>(), 8) << "the last good trace stays";
    write(kSum);
    until([](const Json& j) { return ran(j) && j["error"] == ""; }, "all well again");
}

TEST_F(UiKernel, UndoesAndIndents) {
    open_kernel(kSum);
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("key ctrl+Home key Tab");
    until([](const Json& j) { return j["kernel"]["text"].get<std::string>().starts_with("    // expect"); },
          "indented");
    key("Escape", "keyboard", "");
    xdotool("key ctrl+z"); // which takes back choices here
    until(
        [](const Json& j) {
            return j["notice"].get<std::string>().find("E, then Ctrl+Z takes back") != std::string::npos;
        },
        "where typing is taken back");
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor again");
    xdotool("key ctrl+z");
    until([](const Json& j) { return j["kernel"]["text"] == kSum; }, "undone");
    xdotool("key ctrl+y");
    until([](const Json& j) { return j["kernel"]["text"].get<std::string>().starts_with("    // expect"); }, "again");
    xdotool("key shift+Tab");
    until([](const Json& j) { return j["kernel"]["text"] == kSum; }, "moved back");
    xdotool("key ctrl+Home key Down key End key Return");
    xdotool("type 'int x = 1;'");
    until(
        [](const Json& j) {
            return j["kernel"]["text"].get<std::string>().find("int n) {\n    int x = 1;\n") != std::string::npos;
        },
        "a new line within the braces");
    xdotool("key Return");
    xdotool("type 'for (int k = 0; k < 4; ++k)'");
    xdotool("key Return Tab");
    xdotool("type 'x += k;'");
    xdotool("key Return");
    xdotool("type '__syncthreads();'");
    until(
        [](const Json& j) {
            return j["kernel"]["text"].get<std::string>().find("    for (int k = 0; k < 4; ++k)\n        x += k;\n"
                                                               "    __syncthreads();\n") != std::string::npos;
        },
        "a new line behind all that a loop has");
}

TEST_F(UiKernel, UnsavedTextSurvivesACrash) {
    open_kernel(kSum);
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("key ctrl+Home");
    xdotool("type '//x'");
    until([](const Json& j) { return j["kernel"]["text"].get<std::string>().starts_with("//x"); }, "typed");
    advance(0.2);
    settled();
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
    EXPECT_EQ(disk(), kSum);
    open({});
    const Json s = until([](const Json& j) { return j.contains("kernel"); }, "the kernel");
    EXPECT_TRUE(s["kernel"]["text"].get<std::string>().starts_with("//x"));
    EXPECT_TRUE(s["kernel"]["unsaved"].get<bool>());
}

TEST_F(UiKernel, TellsWhenBothChanged) {
    open_kernel(kSum);
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("key ctrl+Home");
    xdotool("type '//x'");
    until([](const Json& j) { return j["kernel"]["text"].get<std::string>().starts_with("//x"); }, "typed");
    write(std::string("// theirs\n") + kSum);
    Json s = until([](const Json& j) { return j["kernel"]["differs"].get<bool>(); }, "the other text");
    EXPECT_TRUE(s["kernel"]["text"].get<std::string>().starts_with("//x")) << "ours stays";
    xdotool("key ctrl+s");
    until([](const Json& j) { return !j["kernel"]["differs"].get<bool>(); }, "ours is saved");
    EXPECT_TRUE(disk().starts_with("//x"));
}

TEST_F(UiKernel, GoesToWhatWentWrong) {
    open_kernel(replaced(kSum, "        __syncthreads();\n    }", "    }"));
    Json s = until([](const Json& j) { return j["kernel"]["findings"] > 0; }, "races");
    xdotool("key n");
    s = until([](const Json& j) { return j["selected"]["kind"] == 2; }, "a thread is lit"); // Target::Kind::thread
    EXPECT_GT(s["place"].get<int>(), 0);
}

// The last block has only a part of the elements, and is none of the first eight.
TEST_F(UiKernel, GoesToABlockThatWasNotTraced) {
    open_kernel(
        "// n: 1000\n__global__ void part(const float* in, float* out, int n) {\n    __shared__ float s[32];\n"
        "    int t = threadIdx.x, i = blockIdx.x * 32 + t;\n    if (i < n) s[t] = in[i];\n    __syncthreads();\n"
        "    for (int k = 16; k > 0; k /= 2) {\n        if (t < k) s[t] += s[t + k];\n        __syncthreads();\n"
        "    }\n    if (t == 0) out[blockIdx.x] = s[0];\n}\n");
    until([](const Json& j) { return j["kernel"]["findings"] > 0; }, "what nobody wrote");
    xdotool("key n");
    until([](const Json& j) { return j["selected"]["kind"] == 2 && j["selected"]["block"] == 31; },
          "a thread of the last block");
    xdotool("key ctrl+k");
    xdotool("type 'block 2'");
    xdotool("key Return");
    until([](const Json& j) { return j["selected"]["kind"] != 2 || j["selected"]["block"] == 2; }, "a block before");
    EXPECT_EQ(run_of("the run with it")["shown_n"], 1000);
}

TEST_F(UiKernel, NAndPGoToTheNextAndThePreviousFinding) {
    open_kernel("__global__ void f(int* out) { // two races\n"
                "    __shared__ int a[64], b[64];\n"
                "    const int t = threadIdx.x;\n"
                "    a[t] = t;\n"
                "    out[t] = a[63 - t];\n"
                "    __syncthreads();\n"
                "    b[t] = t;\n"
                "    out[64 + t] = b[63 - t];\n"
                "}\n");
    until([](const Json& j) { return j["kernel"]["findings"] > 1; }, "races");
    const auto where = [this](const char* press) {
        xdotool(std::string("key ") + press);
        const Json s = settled();
        return Json{s["place"], s["selected"]};
    };
    const Json first = where("n"), second = where("n");
    EXPECT_NE(first, second);
    EXPECT_EQ(where("p"), first);
    EXPECT_EQ(where("n"), second);
}

TEST_F(UiKernel, AStateOfAKernelComesBack) {
    open_kernel(kSum);
    key("Right", "place", 1);
    const std::string text = settled()["state"];
    EXPECT_NE(text.find("mine.cu"), std::string::npos) << text;
    close_window();
    open({"--state", text + "&n=100&arg.in=iota"});
    const Json s = until([](const Json& j) { return ran(j) && j["shown_n"] == 100 && j["place"] == 1; }, "the state");
    EXPECT_EQ(s["shown"], "mine.cu");
}

TEST_F(UiKernel, AStrategyAndBack) {
    open_kernel(kSum);
    key("bracketright", "shown", "interleaved-strided");
    EXPECT_FALSE(state()["kernel"]["runs"].get<bool>());
    xdotool("key e"); // a copy of the strategy, in plain CUDA
    const Json s =
        until([](const Json& j) { return ran(j) && j["shown"] == "interleaved-strided-copy.cu"; }, "the copy");
    EXPECT_TRUE(s["kernel"]["unsaved"].get<bool>());
    EXPECT_NE(s["kernel"]["text"].get<std::string>().find("__global__"), std::string::npos);
    EXPECT_EQ(s["kernel"]["findings"], 0);
    EXPECT_EQ(s["places"], 8) << "load, six strides, store";
}

TEST_F(UiKernel, ActionsByNameReachTheKernel) {
    open_kernel(
        "__global__ void k(const int* in, int* out, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = in[i];\n}\n");
    const int n = state()["shown_n"];
    key("Prior", "shown_n", 2 * n);
    key("Next", "shown_n", n);
    command("Block: 64");
    until([](const Json& j) { return ran(j) && j["shown_block"] == 64; }, "blocks of 64");
    command("Input: iota");
    Json s = until([](const Json& j) { return ran(j) && j["kernel"]["arguments"]["in"] == "iota"; }, "the input");
    key("bracketright", "shown", "interleaved-strided");
    command("Back to the kernel file");
    s = until([](const Json& j) { return ran(j) && j["shown"] == "mine.cu"; }, "the kernel again");
    EXPECT_EQ(s["shown_block"], 64);
    EXPECT_EQ(s["kernel"]["arguments"]["in"], "iota");
}

TEST_F(UiKernel, TheLastKeysBeforeTheEndAreKept) {
    open_kernel(kSum);
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("key ctrl+Home");
    xdotool("type '//x'"); // the window's clock stands still, so delayed actions never run
    until([](const Json& j) { return j["kernel"]["text"].get<std::string>().starts_with("//x"); }, "typed");
    EXPECT_EQ(close_window(), 0);
    open({path_});
    const Json s = until([](const Json& j) { return j.contains("kernel"); }, "the kernel");
    EXPECT_TRUE(s["kernel"]["text"].get<std::string>().starts_with("//x"));
    EXPECT_EQ(s["notice"], path_ + ": unsaved text restored");
}

TEST_F(UiKernel, AnEmptiedFieldIsTheProgramsChoiceAgain) {
    open_kernel("__global__ void k(const int* in, int* out, int block) {\n"
                "    out[threadIdx.x] = in[threadIdx.x] + block;\n}\n"); // a parameter named like a field
    const int n = state()["shown_n"], threads = state()["shown_block"];
    const auto type = [&](int down, const std::string& text) {
        key("i", "keyboard", "parameters");
        settled();
        for (int i = 0; i < down; ++i) {
            xdotool("key Down");
            settled();
        }
        xdotool("key ctrl+a key " + (text.empty() ? std::string("Delete") : "Delete type " + text));
        xdotool("key Return");
    };
    type(0, "96");
    until([](const Json& j) { return ran(j) && j["shown_n"] == 96; }, "96 elements");
    type(0, "");
    until([&](const Json& j) { return ran(j) && j["shown_n"] == n; }, "as many as the program takes");
    type(2, "64");
    until([](const Json& j) { return ran(j) && j["shown_block"] == 64; }, "blocks of 64");
    type(2, "");
    until([&](const Json& j) { return ran(j) && j["shown_block"] == threads; }, "the program's block");
    type(5, "7");
    const Json s =
        until([](const Json& j) { return ran(j) && j["kernel"]["arguments"]["block"] == "7"; }, "the argument");
    EXPECT_EQ(s["shown_block"], threads);
}

TEST_F(UiKernel, ADroppedFileIsOpened) {
    open({});
    path_ = write(kSum);
    std::string why;
    ASSERT_TRUE(drop_file(display_, "warptree", path_, why)) << why;
    const Json s = until([](const Json& j) { return ran(j) && j["shown"] == "mine.cu"; }, "the kernel");
    EXPECT_EQ(s["page"], "explore");
}

TEST_F(UiKernel, ItsTraceIsSavedAndOpened) {
    open_kernel(kSum);
    const std::string file = (directory_ / "mine.wtrace").string();
    key("ctrl+k", "dialog", "palette");
    xdotool("type 'Save the trace'");
    key("Return", "dialog", "save");
    xdotool("type " + file);
    key("Return", "dialog", "none");
    written(file);
    close_window();
    open({file});
    const Json s = settled();
    EXPECT_EQ(s["file"], file);
    EXPECT_EQ(s["shown"], "mine.cu");
    EXPECT_GT(s["places"].get<int>(), 8);
    EXPECT_FALSE(s.contains("kernel")) << "a recording is not edited";
}

TEST_F(UiKernel, TakesTheTextOfTheDisk) {
    open_kernel(kSum);
    key("e", "keyboard", "source");
    until([](const Json& j) { return j["typing"].get<bool>(); }, "the editor");
    xdotool("key ctrl+Home");
    xdotool("type '//x'");
    until([](const Json& j) { return j["kernel"]["unsaved"].get<bool>(); }, "typed");
    const std::string theirs = std::string("// theirs\n") + kSum;
    write(theirs);
    until([](const Json& j) { return j["kernel"]["differs"].get<bool>(); }, "the other text");
    const Json source = place("source");
    click(source[0].get<int>() + 60, source[1].get<int>() + 64); // the first button, below the heading and one line
    until([&](const Json& j) { return ran(j) && j["kernel"]["text"] == theirs; }, "their text");
    EXPECT_FALSE(state()["kernel"]["unsaved"].get<bool>());
}

TEST_F(UiKernel, AColumnOfCompareIsOfTheKernel) {
    open_kernel(kSum);
    key("2", "page", "compare");
    until([](const Json& j) { return j["page_shown"]["ready"] == "yes"; }, "the columns");
    xdotool("key x");
    const Json s = until(
        [](const Json& j) {
            return j["page_shown"]["ready"] == "yes" &&
                   j["state"].get<std::string>().find("mine.cu") != std::string::npos;
        },
        "the kernel in a column");
    EXPECT_EQ(s["page"], "compare");
}

TEST_F(UiKernel, OpensWithValuesThatCanBeReadAndNothingOfTheFileBefore) {
    open();
    key("g", "frame", "warp");
    key("greater", "warp", 1);
    const std::string path = write(kSum);
    into_dialog("ctrl+o", "open", path);
    Json s = until([](const Json& j) { return ran(j) && j["shown"] == "mine.cu"; }, "the file");
    s = settled();
    EXPECT_EQ(s["frame"], "values");
    EXPECT_EQ(s["warp"], 0xFFFFFFFFU);
    EXPECT_EQ(s["selected"]["kind"], 0);
    key("f", "frame", "all");
}

TEST_F(UiKernel, AStateWithoutAFrameShowsValues) {
    const std::string path = write(kSum);
    open({"--state", "explore?file=" + path});
    until([](const Json& j) { return ran(j) && j["shown"] == "mine.cu"; }, "the file");
    EXPECT_EQ(settled()["frame"], "values");
    key("f", "frame", "all");
    const std::string all = settled()["state"];
    EXPECT_NE(all.find("frame=all"), std::string::npos) << all;
    EXPECT_EQ(close_window(), 0);
    open({"--state", all});
    until([](const Json& j) { return ran(j) && j["shown"] == "mine.cu"; }, "the file");
    EXPECT_EQ(settled()["frame"], "all") << "as asked";
}

TEST_F(UiKernel, AStrategyThatIsTooDenseOpensWithValues) {
    open({"--state", "explore/sequential?n=1024&block=1024"});
    until([](const Json& s) { return s["shown_n"] == 1024; }, "its tree");
    EXPECT_EQ(settled()["frame"], "values");
    key("4", "page", "theory");
    EXPECT_EQ(settled()["verdict"], "right: 1024") << "on other screens, too";
}

TEST_F(UiKernel, FindsTheSmallestRunThatGoesWrong) {
    // Adds the first 32 words only.
    const std::string path = write(replaced(kSum, "d = 128", "d = 16"));
    open({path});
    until([](const Json& j) { return ran(j) && j["shown"] == "mine.cu"; }, "the file");
    xdotool("key shift+n");
    const Json s = until([](const Json& j) { return ran(j) && j["shown_n"] == 33; }, "n = 33 loses an element");
    EXPECT_EQ(s["shown_block"], 32) << "each block reads the same elements, so that fewer threads lose it, too";
    EXPECT_NE(settled()["verdict"].get<std::string>().find("wrong"), std::string::npos);
}

TEST_F(UiKernel, ListsTheFilesThatWereOpened) {
    open();
    EXPECT_TRUE(settled()["places_on_screen"].contains("list-open"));
    write(kSum, "one.cu");
    write(kSum, "two.cu");
    into_dialog("ctrl+o", "open", (directory_ / "one.cu").string());
    until([](const Json& j) { return ran(j) && j["shown"] == "one.cu"; }, "the first");
    into_dialog("ctrl+o", "open", (directory_ / "two.cu").string());
    until([](const Json& j) { return ran(j) && j["shown"] == "two.cu"; }, "the second");
    click("file-one.cu");
    until([](const Json& j) { return ran(j) && j["shown"] == "one.cu"; }, "the first again");
    EXPECT_TRUE(settled()["places_on_screen"].contains("file-two.cu")) << "it stays in the list";
    click("list-open");
    until([](const Json& j) { return j["dialog"] == "open"; }, "the dialog");
    key("Escape", "dialog", "none");
    click("list-new");
    until([](const Json& j) { return j["kernel"]["path"].get<std::string>().find("kernel.cu") != std::string::npos; },
          "a new file");
    close_window();
    std::filesystem::remove(directory_ / "two.cu");
    open();
    EXPECT_TRUE(settled()["places_on_screen"].contains("file-one.cu")) << "another session offers it";
    EXPECT_FALSE(settled()["places_on_screen"].contains("file-two.cu")) << "that is no longer there";
    click("file-one.cu");
    until([](const Json& j) { return ran(j) && j["shown"] == "one.cu"; }, "the file of the session before");
}

TEST_F(UiKernel, SaysWhatTheRunCameTo) {
    const std::string sum = std::string("// n: 256\n// launch: sum<<<1, 256>>>(in, out, n)\n") + kSum;
    open_kernel(sum);
    const std::string right = settled()["verdict"];
    EXPECT_NE(right.find("right: "), std::string::npos) << right;
    write(replaced(sum, "if (tid < d) s[tid] += s[tid + d]", "if (tid < d) s[tid] += 1"));
    Json s =
        until([](const Json& j) { return ran(j) && j["verdict"].get<std::string>().find("wrong: ") == 0; }, "wrong");
    write(replaced(sum, "        __syncthreads();\n    }", "    }"));
    s = until([](const Json& j) { return ran(j) && j["verdict"].get<std::string>().find("race") != std::string::npos; },
              "races");
    write(replaced(sum, "int tid", "int tod"));
    until([](const Json& j) { return j["verdict"] == "does not compile"; }, "no verdict of an older text");
    write(replaced(sum, "// expect: sum\n", ""));
    s = until(
        [](const Json& j) {
            return ran(j) && j["verdict"].get<std::string>().find("not checked") != std::string::npos;
        },
        "nothing is expected");
    click("expect");
    click("expect-sum");
    until([](const Json& j) { return ran(j) && j["verdict"].get<std::string>().find("right: ") != std::string::npos; },
          "it is compared with the sum");
}

TEST_F(UiKernel, SaysThatTheFileWasDeleted) {
    open_kernel(kSum);
    std::filesystem::remove(path_);
    until([](const Json& j) { return j["notice"].get<std::string>().find("mine.cu was deleted") == 0; }, "a word");
    const Json s = settled();
    EXPECT_EQ(s["kernel"]["text"], kSum);
    xdotool("key ctrl+s");
    until([&](const Json&) { return std::filesystem::exists(path_); }, "it is written again");
    EXPECT_EQ(disk(), kSum);
}

} // namespace
} // namespace warptree::testing
