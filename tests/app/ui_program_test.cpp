// Whole programs in the window: the story above the tree, walking from launch to launch, ends that go wrong.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

// Adds n numbers in two launches, of which the first has the most combines.
constexpr const char* kTwo = R"(#include <cstdio>
#include <vector>
__global__ void reduce(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
int main() {
    const int n = 256;
    std::vector<int> h_in(n, 3);
    int *d_in, *d_part, *d_out, sum = 0;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_part, 4 * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, h_in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<4, 64>>>(d_in, d_part, n);
    reduce<<<1, 4>>>(d_part, d_out, 4);
    cudaMemcpy(&sum, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("sum %d\n%s\n", sum, sum == 768 ? "TEST PASS" : "TEST FAIL");
    cudaFree(d_in);
    cudaFree(d_part);
    cudaFree(d_out);
}
)";

class UiProgram : public Ui {
  protected:
    std::string write(const std::string& text, const char* name = "lab.cu") {
        const std::string path = (directory_ / name).string();
        std::ofstream(path + ".new") << text;
        std::filesystem::rename(path + ".new", path);
        return path;
    }
    static std::string replaced(std::string text, const std::string& from, const std::string& to) {
        const auto at = text.find(from);
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    }
    static bool has_story(const Json& s) { return s.contains("story") && !s["busy"].get<bool>(); }
    static bool ran(const Json& s) {
        return s.contains("kernel") && !s["busy"].get<bool>() && !s["kernel"]["stale"].get<bool>();
    }
    static std::string end_of(const Json& s) { return s["story"].back().get<std::string>(); }
};

TEST_F(UiProgram, ComparesItsLaunches) {
    const std::string twice =
        replaced(replaced(kTwo, "int main()",
                          "__global__ void other(const int* in, int* out, int "
                          "n) { for (int i = 0; i < n; ++i) *out += in[i]; }\n"
                          "int main()"),
                 "reduce<<<1, 4>>>(d_part", "cudaMemset(d_out, 0, 4);\n    other<<<1, 1>>>(d_part");
    open({write(twice)});
    until(has_story, "the story");
    const auto titles = [](const Json& s) {
        return s["page_shown"].value("title-1", "") + ", " + s["page_shown"].value("title-2", "");
    };
    key("2", "page", "compare");
    until([&](const Json& s) { return titles(s) == "launch 1 of lab.cu, launch 2 of lab.cu"; }, "both kernels");
    key("1", "page", "explore");
    key("ctrl+shift+Right", "launch", 1);
    key("2", "page", "compare");
    xdotool("key x");
    until([&](const Json& s) { return titles(s) == "launch 2 of lab.cu, launch 2 of lab.cu"; }, "the launch explored");
}

TEST_F(UiProgram, ShowsTheStoryAndWalksFromLaunchToLaunch) {
    open({write(kTwo)});
    Json s = until(has_story, "the story");
    EXPECT_EQ(s["story"], Json({"d_in | 1 KB on the device", "d_part | 16 B on the device", "d_out | 4 B on the device",
                                "h_in → d_in | copy 1 KB in", "reduce<<<4, 64>>> | launch 1 · d_in → d_part",
                                "reduce<<<1, 4>>> | launch 2 · d_part → d_out", "d_out → sum | copy 4 B back: 768",
                                "prints | sum 768 … TEST PASS", "free | d_in, d_part, d_out", "exit 0 | sum = 768"}));
    EXPECT_EQ(s["launch"], 0) << "the one with the most combines";
    EXPECT_EQ(s["verdict"], "TEST PASS · exit 0");
    key("ctrl+shift+Right", "launch", 1);
    key("End", "launch", 1);
    key("ctrl+shift+Right", "notice", "This is the program's last launch");
    s = settled();
    EXPECT_EQ(s["launch"], 1);
    EXPECT_NE(s["state"].get<std::string>().find("launch=2"), std::string::npos) << s["state"];
    key("ctrl+shift+Left", "launch", 0);
    EXPECT_EQ(settled()["step"], 0);
    key("Right", "step", 1);
    click("story-5");
    until([](const Json& j) { return j["launch"] == 1 && j["step"] == 0; }, "the launch that was clicked");
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiProgram, ShowsAllThatIsPrintedBelowTheSource) {
    const auto has = [](bool shown) {
        return [shown](const Json& s) { return s["places_on_screen"].contains("printed") == shown; };
    };
    open({write(kTwo)});
    until(has_story, "the story");
    until(has(false), "nothing unasked for");
    click("story-7"); // "prints"
    until(has(true), "what is printed");
    click("code-Printed");
    until(has(false), "the source alone");
    // Of a kernel alone what that prints.
    write("#include <cstdio>\n__global__ void k(int n) {\n    printf(\"%d\\n\", n);\n}\n");
    until([](const Json& s) { return ran(s) && !s.contains("story"); }, "the kernel");
    click("code-Printed");
    until(has(true), "what the kernel prints");
    write("__global__ void k(int* out) {\n    out[threadIdx.x] = 1;\n}\n");
    until([](const Json& s) { return ran(s) && !s["places_on_screen"].contains("code-Printed"); }, "nothing printed");
    EXPECT_FALSE(settled()["places_on_screen"].contains("printed"));
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiProgram, BeginsAtTheLaunchThatIsAskedFor) {
    const std::string path = write(kTwo);
    open({path, "--launch", "2"});
    EXPECT_EQ(settled()["launch"], 1);
    EXPECT_EQ(close_window(), 0);
    open({"--state", "explore?file=" + path + "&launch=2&step=1"});
    const Json s = settled();
    EXPECT_EQ(s["launch"], 1);
    EXPECT_EQ(s["step"], 1);
}

TEST_F(UiProgram, RunsAgainAsItIsEdited) {
    const std::string path = write(kTwo);
    open({path});
    until(has_story, "the story");
    key("ctrl+shift+Right", "launch", 1);
    write(replaced(kTwo, "h_in(n, 3)", "h_in(n, 4)"));
    Json s = until([](const Json& j) { return ran(j) && end_of(j) == "exit 0 | sum = 1024"; }, "the other sum");
    EXPECT_EQ(s["launch"], 1) << "the launch is kept";
    EXPECT_EQ(s["verdict"], "TEST FAIL · exit 0");
    write(replaced(kTwo, "sum = 0;", "sum = 0"));
    s = until([](const Json& j) { return j["kernel"]["diagnostics"] > 0; },
              "what the compiler says of the host's half");
    EXPECT_EQ(s["verdict"], "does not compile");
    EXPECT_TRUE(has_story(s)) << "what ran last stays";
    write(kTwo);
    until([](const Json& j) { return ran(j) && end_of(j) == "exit 0 | sum = 768"; }, "all well again");
}

TEST_F(UiProgram, RunsAKernelAloneWhereItsCallIsSaid) {
    open({write(kTwo)});
    until(has_story, "the story");
    key("i", "keyboard", "parameters");
    xdotool("type 8");
    xdotool("key Return");
    Json s = until([](const Json& j) { return ran(j) && !j.contains("story"); }, "a kernel alone");
    click("whole-program");
    until([](const Json& j) { return ran(j) && has_story(j); }, "the program again");
}

TEST_F(UiProgram, SaysHowItEndedWhereItCrashes) {
    open({write(replaced(kTwo, "    printf(", "    printf(\"%d\", d_out[0]);\n    printf("))});
    const Json s = until(has_story, "the story");
    EXPECT_EQ(end_of(s).find("exit 139 | line 25: the host uses d_out"), 0U) << end_of(s);
    EXPECT_EQ(s["places"], 8 + 4) << "load, a step for each halving and store, of 64 and of 4 threads";
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiProgram, ShowsAProgramOfWhichNothingIsLaunched) {
    open({write(replaced(replaced(kTwo, "<<<4, 64>>>", "<<<4, 2048>>>"), "<<<1, 4>>>", "<<<0, 4>>>"))});
    const Json s = until(has_story, "the story");
    EXPECT_EQ(s["verdict"].get<std::string>().find("failed launch"), 0U) << s["verdict"];
    EXPECT_EQ(s["places"], 1);
    for (const char* keys : {"Right", "Left", "space", "g", "shift+g", "j", "period", "shift+period", "f", "n", "z",
                             "z", "ctrl+shift+Right", "alt+Down", "2", "1"}) {
        xdotool(std::string("key ") + keys);
        settled();
    }
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiProgram, StaysAliveWhileAProgramRunsAndCancels) {
    open({write(kTwo)});
    until(has_story, "the story");
    write(replaced(kTwo, "    printf(", "    for (volatile long i = 0;; i = i + 1) {}\n    printf("));
    until([](const Json& j) { return j["busy"].get<bool>() && j["places_on_screen"].contains("cancel-run"); },
          "a program that does not end, with a button");
    key("t", "theme", "contrast");
    key("ctrl+shift+Right", "launch", 1);
    xdotool("key Escape");
    const Json s = until([](const Json& j) { return !j["busy"].get<bool>(); }, "it is cancelled");
    EXPECT_NE(s["notice"].get<std::string>().find("cancelled"), std::string::npos);
    EXPECT_TRUE(has_story(s));
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiProgram, IsDrawnWithItsStoryWithoutAWindow) {
    const std::string path = write(kTwo), picture = (directory_ / "lab.svg").string();
    const auto drawn = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"render", path, "-o", picture};
        words.insert(words.end(), more.begin(), more.end());
        const Finished run = run_program(words);
        EXPECT_EQ(run.code, 0) << run.err;
        std::ifstream in(picture);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    const std::string first = drawn({}), second = drawn({"--launch", "2"});
    for (const char* words : {"launch 1 of 2", "d_part", "reduce&lt;&lt;&lt;4, 64"}) {
        EXPECT_NE(first.find(words), std::string::npos) << words;
    }
    EXPECT_NE(second.find("launch 2 of 2"), std::string::npos);
    for (const auto& [words, why] :
         {std::pair{std::vector<std::string>{"--launch", "3"}, "launches 1 to 2"},
          std::pair{std::vector<std::string>{"--launch", "2", "--step", "9"}, "steps 0 to 3"},
          std::pair{std::vector<std::string>{"--launch", "0"}, "--launch"}}) {
        std::vector<std::string> all{"render", path, "-o", picture};
        all.insert(all.end(), words.begin(), words.end());
        const Finished run = run_program(all);
        EXPECT_EQ(run.code, 2);
        EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
    }
    // Not a launch of the kernel alone in its stead.
    const std::string broken = write(std::string(kTwo) + "int more() { return missing; }\n");
    const Finished run = run_program({"render", broken, "-o", picture, "--launch", "2"});
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find("--launch 2 is of the program, whose host code "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("missing"), std::string::npos) << run.err;
}

} // namespace
} // namespace warptree::testing
