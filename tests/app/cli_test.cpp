// Every command through the real program: output, exit codes, one-line errors.
#include "app/catalogue/strategy.hpp"
#include "tests/app/process.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace warptree::testing {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Cli : public ::testing::Test {
  protected:
    void SetUp() override {
        directory_ = std::filesystem::temp_directory_path() / ("warptree_cli_" + std::to_string(getpid()));
        std::filesystem::create_directories(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }
    std::string path(const char* name) const { return (directory_ / name).string(); }
    std::filesystem::path directory_;
};

void expect_refused(const Words& words, int code = 2) {
    const Finished f = run_program(words);
    std::string shown;
    for (const std::string& w : words) {
        shown += w + " ";
    }
    EXPECT_EQ(f.code, code) << shown << f.err;
    EXPECT_EQ(f.out, "") << shown;
    EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << shown << f.err;
    EXPECT_TRUE(f.err.starts_with("warptree: ")) << shown << f.err;
}

TEST_F(Cli, ListsStrategies) {
    const Json list = Json::parse(run_program({"list", "--json"}).out);
    ASSERT_GE(list.size(), 13U);
    for (const Json& s : list) {
        for (const char* key : {"id", "title", "family", "lesson"}) {
            EXPECT_FALSE(s.at(key).get<std::string>().empty());
        }
    }
    EXPECT_EQ(list[0]["id"], "interleaved-modulo");
    EXPECT_NE(run_program({"list"}).out.find("block-atomic"), std::string::npos);
}

TEST_F(Cli, ReportsInJson) {
    const Finished f =
        run_program({"report", "interleaved-modulo", "-n", "1024", "--block", "256", "--json", "--backend", "cpu"});
    EXPECT_EQ(f.code, 0);
    EXPECT_EQ(f.err, "");
    const Json r = Json::parse(f.out);
    EXPECT_EQ(r["result"], 1024);
    EXPECT_EQ(r["launches"][0]["totals"]["shared_load_wavefronts"], 4 * 95);
    EXPECT_EQ(r["tree"]["depth"], 10);
}

// What mends a finding, and where nothing is found, what is said of another n.
TEST_F(Cli, SaysWhatMends) {
    const auto mending = [&](const std::string& guard, Words more) {
        std::ofstream(directory_ / "mended.cu")
            << "__global__ void k(const int* in, int* out, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  int v = in[i];\n  "
            << guard << "out[i] = v;\n}\n";
        Words words{"report", (directory_ / "mended.cu").string(), "--mend"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words).out;
    };
    EXPECT_NE(mending("if (i < n) ", {}).find("to mend what is said of elements = 1000, "), std::string::npos);
    EXPECT_NE(mending("if (i < n) ", {"-n", "1000"}).find("to mend it, "), std::string::npos);
}

TEST_F(Cli, TakesEveryTraceOption) {
    const Finished f = run_program(
        {"report",    "sequential", "-n",       "2^12",         "--block",  "64",      "--type",  "f64",     "--op",
         "max",       "--finish",   "relaunch", "--host-below", "8",        "--input", "random",  "--seed",  "3",
         "--backend", "cpu",        "--banks",  "16",           "--window", "1:2",     "--order", "reverse", "--json"});
    ASSERT_EQ(f.code, 0) << f.err;
    const Json r = Json::parse(f.out);
    EXPECT_EQ(r["n"], 4096);
    EXPECT_EQ(r["banks"], 16);
    EXPECT_EQ(r["launches"].size(), 2U);
}

// A name may be a flag in one strategy and take a value in another.
TEST_F(Cli, TakesEveryParameterOfEveryStrategy) {
    for (const StrategyInfo& info : strategies()) {
        for (const Parameter& p : info.parameters) {
            Words words{"report", std::string(info.id), "--json", "--" + std::string(p.name)};
            if (!p.flag) {
                words.push_back(std::to_string(p.fallback));
            }
            const Finished f = run_program(words);
            ASSERT_EQ(f.code, info.racy || info.deadlocks ? 1 : 0) << info.id << " --" << p.name << ": " << f.err;
            if (p.flag || p.fallback != 0) { // 0 may mean: derived from n
                EXPECT_EQ(Json::parse(f.out)["parameters"][std::string(p.name)], p.flag ? 1 : p.fallback) << info.id;
            }
        }
    }
    EXPECT_NE(run_program({"report", "scan-lookback", "--vectors", "7"}).err.find("take 4 or 12"), std::string::npos);
    expect_refused({"report", "scan-coarsened", "--vectors", "5"});
}

TEST_F(Cli, RunsAProgramOfSeveralFiles) {
    std::ofstream(path("main.cu")) << "#include <cstdio>\nint half(int);\n"
                                      "int main(int, char** words) { printf(\"%d %s\\n\", half(SIZE), words[1]); }\n";
    std::ofstream(path("half.cpp")) << "#include <unit.h>\nint half(int x) { return x / UNIT; }\n";
    std::filesystem::create_directories(path("headers"));
    std::ofstream(path("headers/unit.h")) << "#define UNIT 2\n";
    // An option takes one word: what follows is a file.
    for (const Words& words :
         {Words{"run", "-I", path("headers"), "-D", "SIZE=8", path("main.cu"), path("half.cpp"), "--", "-I"},
          Words{"run", path("main.cu"), path("half.cpp"), "-D", "SIZE=8", "-I", path("headers"), "--", "-I"}}) {
        const Finished f = run_program(words);
        EXPECT_EQ(f.code, 0) << f.err;
        EXPECT_EQ(f.out, "4 -I\n");
    }
}

TEST_F(Cli, RecordsAndReportsTheSame) {
    const Words options{"-n", "777", "--block", "64", "--backend", "cpu", "--input", "random"};
    Words record{"record", "first-add", "-o", path("a.wtrace")}, live{"report", "first-add", "--json"};
    record.insert(record.end(), options.begin(), options.end());
    live.insert(live.end(), options.begin(), options.end());
    EXPECT_EQ(run_program(record).code, 0);
    EXPECT_EQ(run_program({"report", path("a.wtrace"), "--json"}).out, run_program(live).out);
    expect_refused({"report", path("a.wtrace"), "-n", "5"});
}

TEST_F(Cli, RendersEveryViewAndFormat) {
    const std::vector<const char*> formats{"p.png", "p.svg", "p.pdf"};
    std::size_t turn = 0;
    for (const char* view : {"tree", "warps", "banks", "source"}) {
        ++turn; // under a sanitizer formats take turns
        for (const char* file : tests::sampled(formats, {formats[turn % formats.size()]})) {
            const Finished f =
                run_program({"render", "sequential", "-n", "64", "--block", "64", "--view", view, "-o", path(file)});
            EXPECT_EQ(f.code, 0) << view << file << f.err;
            EXPECT_GT(std::filesystem::file_size(path(file)), 500U);
        }
    }
    expect_refused({"render", "sequential", "-o", path("p.gif")});
    expect_refused({"render", "sequential", "-o", path("p.png"), "--step", "99"});
    expect_refused({"render", "sequential", "-o", path("p.png"), "--size", "10x10"});
    expect_refused({"render", "sequential", "-o", path("p.png"), "--theme", "pink"});
    expect_refused({"render", "sequential", "-o", path("p.png"), "--view", "timings"});
    expect_refused({"render", "sequential", "-o", path("no/such/p.png")});
}

TEST_F(Cli, Compares) {
    const Words columns{"report", "--compare", "interleaved-modulo", "interleaved-strided:block=32"};
    const auto with = [&](Words more) {
        more.insert(more.begin(), columns.begin(), columns.end());
        return more;
    };
    const Json j = Json::parse(run_program(with({"-n", "64", "--block", "64", "--json"})).out);
    EXPECT_EQ(j["reports"][0]["block"], 64);
    EXPECT_EQ(j["reports"][1]["block"], 32) << "its own goes first";
    EXPECT_EQ(j["reports"][1]["n"], 64);
    const Finished text = run_program(with({"-n", "64"}));
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("diverging warp-steps"), std::string::npos);
    EXPECT_NE(run_program(with({"--format", "csv"})).out.find("metric,interleaved-modulo"), std::string::npos);
    EXPECT_NE(run_program(with({"--format", "markdown"})).out.find("|---|---:|---:|"), std::string::npos);
    EXPECT_EQ(run_program({"record", "sequential", "-n", "64", "-o", path("a.wtrace")}).code, 0);
    EXPECT_EQ(run_program({"report", "--compare", path("a.wtrace"), "first-add", "-n", "64"}).code, 0);
    std::ofstream(path("mine.cu")) << "__global__ void tree(const int* in, int* out, int n) {\n"
                                      "    __shared__ int s[1024];\n"
                                      "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                                      "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
                                      "    for (int k = blockDim.x / 2; k > 0; k /= 2) {\n"
                                      "        if (t < k) s[t] += s[t + k];\n        __syncthreads();\n    }\n"
                                      "    if (t == 0) out[blockIdx.x] = s[0];\n}\n";
    EXPECT_NE(run_program({"report", "--compare", path("mine.cu"), "sequential:block=64", "-n", "64"})
                  .out.find("Same tree, same 63 combines, by the same threads"),
              std::string::npos)
        << "in the block of the strategy beside";
    EXPECT_EQ(
        run_program({"report", "--compare", "sequential", "missing-barrier", "-n", "128", "--input", "random"}).code,
        1);
    EXPECT_EQ(run_program({"render", "--view", "compare", "sequential", "first-add", "--step", "1", "--align",
                           "combines", "-o", path("c.svg")})
                  .code,
              0);
    EXPECT_GT(std::filesystem::file_size(path("c.svg")), 2000U);
    expect_refused({"report", "--compare", "sequential"});
    expect_refused({"report", "--compare", "sequential", "sequentiel"});
    expect_refused({"report", "--compare", "sequential", "first-add:blocks=2"});
    expect_refused({"report", "sequential", "--compare", "sequential", "first-add"});
    expect_refused({"report"});
    expect_refused(with({"--format", "html"}));
    expect_refused({"render", "sequential", "first-add", "-o", path("c.svg")});
    expect_refused({"render", "--view", "compare", "sequential", "first-add", "--step", "99", "-o", path("c.svg")});
    expect_refused({"render", "--view", "compare", "sequential", "first-add", "--align", "x", "-o", path("c.svg")});
}

TEST_F(Cli, AnswersBankQuestions) {
    const Json j = Json::parse(run_program({"banks", "--index", "2*s*t", "--stride", "8", "--json"}).out);
    EXPECT_EQ(j["wavefronts"], 16);
    EXPECT_EQ(j["ideal"], 1);
    EXPECT_EQ(Json::parse(run_program({"banks", "--lanes", "0,32,64", "--json"}).out)["wavefronts"], 3);
    EXPECT_EQ(Json::parse(run_program({"banks", "--index", "t", "--mask", "ff", "--bytes", "8", "--store", "--json"})
                              .out)["wavefronts"],
              1);
    expect_refused({"banks"});
    expect_refused({"banks", "--index", "2*"});
    expect_refused({"banks", "--index", "0-t"});
    expect_refused({"banks", "--index", "t", "--lanes", "1"});
    expect_refused({"banks", "--index", "t", "--bytes", "5"});
    expect_refused({"banks", "--index", "t", "--mask", "xyz"});
    expect_refused({"banks", "--lanes", "1,,2"});
}

TEST_F(Cli, DescribesTheMachine) {
    const Json j = Json::parse(run_program({"device", "--json"}).out);
    EXPECT_GE(j["interpreter"]["cores"].get<int>(), 1);
    EXPECT_TRUE(j["gpus"].is_array());
    EXPECT_EQ(run_program({"device"}).code, 0);
}

class Absurd : public ::testing::TestWithParam<Words> {};
INSTANTIATE_TEST_SUITE_P(
    Requests, Absurd,
    ::testing::Values(
        Words{"frobnicate"}, Words{"--nope"}, Words{"report"}, Words{"report", "nope"}, Words{"report", ""},
        Words{"report", "a\nb"}, Words{"report", std::string(5000, 'x')}, Words{"report", "sequential", "-n", "0"},
        Words{"report", "sequential", "-n", "-5"}, Words{"report", "sequential", "-n", "1e9"},
        Words{"report", "sequential", "-n", "99999999999999999999"}, Words{"report", "sequential", "-n", "2^64"},
        Words{"report", "sequential", "-n", ""}, Words{"report", "sequential", "--block", "48"},
        Words{"report", "sequential", "--block", "2048"}, Words{"report", "warp-shuffle", "--block", "64"},
        Words{"report", "sequential", "--type", "f16"}, Words{"report", "sequential", "--op", "xor", "--type", "f32"},
        Words{"report", "sequential", "--finish", "magic"}, Words{"report", "warp-atomic", "--finish", "host"},
        Words{"report", "sequential", "--host-below", "4"}, Words{"report", "sequential", "--window", "5"},
        Words{"report", "sequential", "--window", "a:b"}, Words{"report", "sequential", "--banks", "31"},
        Words{"report", "sequential", "--order", "sideways"}, Words{"report", "sequential", "--backend", "tpu"},
        Words{"report", "sequential", "--input", "/no/such/file"}, Words{"report", "sequential", "--seed", "x"},
        Words{"report", "sequential", "--exclusive"}, Words{"report", "sequential", "--tile", "16"},
        Words{"report", "scan-coarsened", "--batch", "3"}, Words{"report", "hand-off", "--stop-at", "48"},
        Words{"report", "segmented", "--segments", "0"}, Words{"report", "tiled-matmul", "--shape", "1,2"},
        Words{"report", "tiled-matmul", "--shape", "0,1,1"}, Words{"report", "tiled-matmul", "--tile", "5"},
        Words{"report", "tiled-matmul", "--block", "512"}, Words{"report", "tiled-matmul", "-n", "2^20"},
        Words{"report", "sequential", "--finish", "relaunch", "--block", "1"}, Words{"report", "/no/such.wtrace"},
        Words{"record", "sequential"}, Words{"record", "sequential", "-o", "/no/such/dir/x.wtrace"},
        Words{"record", "sequential", "-o", "/proc/x.wtrace"}, Words{"bench", "nope"},
        Words{"bench", "ladder", "--mode", "hot"}, Words{"bench", "sequential", "-n", "4..2"},
        Words{"bench", "--min-time", "soon"}, Words{"bench", "--resume"}),
    [](const auto& info) { return "case_" + std::to_string(info.index); });
TEST_P(Absurd, IsRefusedInOneLine) { expect_refused(GetParam()); }

TEST_F(Cli, BadFilesEachHaveTheirLine) {
    const auto says = [&](const std::string& bytes, const std::string& expected) {
        std::ofstream(path("bad.wtrace"), std::ios::binary) << bytes;
        const Finished f = run_program({"report", path("bad.wtrace")});
        EXPECT_EQ(f.code, 2);
        EXPECT_NE(f.err.find(expected), std::string::npos) << f.err;
        EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
    };
    says("", "empty");
    says("this is a text", "not a warptree trace");
    ASSERT_EQ(run_program({"record", "sequential", "-n", "100", "-o", path("good.wtrace")}).code, 0);
    std::ifstream in(path("good.wtrace"), std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    says(whole.substr(0, whole.size() / 2), "truncated");
    std::string damaged = whole;
    damaged[damaged.size() / 3] ^= 0x55;
    says(damaged, "damaged");
}

TEST_F(Cli, InputFilesAreRead) {
    std::ofstream(path("numbers.txt")) << "1 2 3\n4\n";
    const Finished f =
        run_program({"report", "sequential", "-n", "4", "--block", "4", "--input", path("numbers.txt"), "--json"});
    EXPECT_EQ(Json::parse(f.out)["result"], 10);
    expect_refused({"report", "sequential", "-n", "5", "--input", path("numbers.txt")});
    std::ofstream(path("numbers.txt")) << "1 two 3";
    expect_refused({"report", "sequential", "-n", "3", "--input", path("numbers.txt")});
}

// A file in the user's own folder is a strategy, named after the file.
TEST_F(Cli, OwnFilesAreListedAndRun) {
    std::filesystem::create_directories(path("own/course"));
    std::ofstream(path("own/course/my_sum.cu")) << "// title: A sum of mine\n// lesson: One thread does it all.\n"
                                                   "// expect: sum\n"
                                                   "__global__ void k(const int* in, int* out, int n) {\n"
                                                   "    int sum = 0;\n"
                                                   "    for (int i = 0; i < n; ++i) sum += in[i];\n"
                                                   "    if (threadIdx.x == 0) out[0] = sum;\n"
                                                   "}\n";
    std::ofstream(path("own/broken.cu")) << "// title: Broken\n// blocks: green\n";
    setenv("WARPTREE_KERNELS", path("own").c_str(), 1);
    const Finished list = run_program({"list"}), json = run_program({"list", "--json"});
    const Finished run = run_program({"report", "my-sum", "-n", "100", "--json"});
    const Finished compared = run_program({"report", "--compare", "my-sum", "sequential", "-n", "64"});
    const Finished code = run_program({"code", "my-sum"});
    const Finished recorded = run_program({"code", "my-sum", "--record", path("code.json")});
    const Finished none = run_program({"report", "my-other-sum"});
    unsetenv("WARPTREE_KERNELS");
    EXPECT_NE(list.out.find("A sum of mine"), std::string::npos);
    EXPECT_NE(list.out.find(path("own")), std::string::npos) << "where the folder is";
    EXPECT_NE(list.out.find("One thread does it all."), std::string::npos);
    const Json all = Json::parse(json.out);
    const auto found = std::find_if(all.begin(), all.end(), [](const Json& e) { return e["id"] == "my-sum"; });
    ASSERT_NE(found, all.end());
    EXPECT_EQ((*found)["family"], "own");
    const auto broken = std::find_if(all.begin(), all.end(), [](const Json& e) { return e["id"] == "broken"; });
    ASSERT_NE(broken, all.end());
    EXPECT_NE((*broken)["problem"], "");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(Json::parse(run.out)["pass"], true);
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_EQ(code.code, 0) << code.err;
    EXPECT_NE(code.out.find("PTX"), std::string::npos);
    EXPECT_EQ(recorded.code, 2);
    EXPECT_FALSE(std::filesystem::exists(path("code.json")));
}

TEST_F(Cli, AFullStandardOutputIsAnError) {
    const Finished f = run_program(Start{{"list"}, {}, {}, "/dev/full"});
    EXPECT_EQ(f.code, 2);
    EXPECT_NE(f.err.find("standard output"), std::string::npos);
}

TEST_F(Cli, AReaderThatLeavesIsNone) {
    int out[2], err[2];
    ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(err, O_CLOEXEC), 0);
    close(out[0]);
    const pid_t child = spawn(Start{{"list"}, {}, {}, {}}, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    EXPECT_EQ(slurp(err[0]), "");
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(exit_code(status), 0);
}

// Waits until the process has installed a handler for the signal.
bool catches(pid_t process, int signal) {
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    while (std::chrono::steady_clock::now() < end) {
        std::ifstream status("/proc/" + std::to_string(process) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("SigCgt:") && (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0) {
                return true;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

// Sends the signal once the command would catch it; returns what it wrote and its exit code.
Finished stopped(const std::vector<std::string>& arguments, int signal) {
    int err[2];
    if (pipe2(err, O_CLOEXEC) != 0) {
        return {};
    }
    const pid_t child = spawn(Start{arguments, {}, {}, {}}, err[1], err[1]);
    close(err[1]);
    EXPECT_TRUE(catches(child, signal)) << "it never got ready to be stopped";
    kill(child, signal);
    Finished f;
    f.err = slurp(err[0]);
    int status = 0;
    waitpid(child, &status, 0);
    f.code = exit_code(status);
    return f;
}

TEST_F(Cli, SignalsLeaveNothingBehind) {
    for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
        const Finished f = stopped({"record", "sequential", "-n", "2^29", "--memory", "16G", "--time", "0", "--backend",
                                    "cpu", "-o", path("long.wtrace")},
                                   signal);
        EXPECT_EQ(f.code, code) << f.err;
        EXPECT_EQ(f.err, "warptree: stopped; nothing was written\n");
        EXPECT_TRUE(std::filesystem::is_empty(directory_));
    }
}

// It waits for the compiler, which has four more seconds, and looks at nothing else meanwhile.
TEST_F(Cli, SignalsEndWhatDoesNotLook) {
    const std::string file = path("slow.cu");
    std::ofstream(file) << "template <int D, int I> struct B { B<D - 1, I * 2> l; B<D - 1, I * 2 + 1> r; };\n"
                           "template <int I> struct B<0, I> { int x; };\n"
                           "__global__ void k(int* a) { a[0] = sizeof(B<26, 1>); }\n";
    EXPECT_EQ(stopped({"report", file}, SIGTERM).code, 143);
    EXPECT_EQ(stopped({"report", file}, SIGINT).code, 130);
}

TEST_F(Cli, NoGpuAndNoDisplayAreExitThree) {
    const Json device = Json::parse(run_program({"device", "--json"}).out);
    if (device["backend"] == "cpu") {
        expect_refused({"report", "sequential", "--backend", "cuda"}, 3);
    }
    const Finished f = run_program(Start{{}, {}, {"DISPLAY", "WAYLAND_DISPLAY"}, {}});
    EXPECT_EQ(f.code, 3);
    EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
    EXPECT_NE(f.err.find("LIBGL_ALWAYS_SOFTWARE=1"), std::string::npos) << f.err;
}

TEST_F(Cli, HelpsAndNamesItsVersion) {
    EXPECT_EQ(run_program({"--version"}).out, "warptree 0.1.0\n");
    const Finished f = run_program({"--help"});
    EXPECT_EQ(f.code, 0);
    for (const char* word : {"list", "report", "record", "render", "banks", "bench", "device"}) {
        EXPECT_NE(f.out.find(word), std::string::npos) << word;
    }
}

} // namespace
} // namespace warptree::testing
