#include "app/compile/client/compiler.hpp"
#include "app/compile/client/process.hpp"
#include "app/compile/client/wire.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warptree::tests {
namespace {

using namespace compile;
using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;

const Request kGoodRequest{"good.cu", "__global__ void good(int* a) { a[0] = 1; }\n", "", {}, {}};
const Request kSlow{"slow.cu",
                    "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n"
                    "template <int D, int I> struct B { B<D - 1, I * 2> l; B<D - 1, I * 2 + 1> r; };\n"
                    "template <int I> struct B<0, I> { int x; };\n"
                    "__global__ void slow(int* a) { a[0] = sizeof(B<22, 1>); }\n",
                    "",
                    {},
                    {}};

// Overflows the compiler's stack.
Request crashing() { return {"crash.cu", "int a = " + std::string(300'000, '!') + "1;\n", "", {}, {}}; }

std::size_t open_files() {
    std::size_t count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder) != nullptr) ++count;
    closedir(folder);
    return count;
}

// Child processes of this one, zombies included.
std::vector<pid_t> children() {
    std::vector<pid_t> result;
    DIR* folder = opendir("/proc");
    while (const dirent* entry = readdir(folder)) {
        FILE* file = std::strtol(entry->d_name, nullptr, 10) > 0
                         ? std::fopen((std::string("/proc/") + entry->d_name + "/stat").c_str(), "r")
                         : nullptr;
        if (file == nullptr) continue;
        std::string text(512, '\0');
        text.resize(std::fread(text.data(), 1, text.size(), file));
        std::fclose(file);
        const std::size_t end = text.rfind(')');
        if (end == std::string::npos || text.size() < end + 4) continue;
        if (std::strtol(text.c_str() + end + 4, nullptr, 10) == getpid())
            result.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
    closedir(folder);
    return result;
}

// Whether all threads of the process are blocked.
bool sleeps(pid_t process) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
        std::ifstream file(task.path() / "stat");
        std::string text;
        std::getline(file, text);
        const std::size_t end = text.rfind(')');
        if (end == std::string::npos || text.size() < end + 3 || text[end + 2] != 'S') return false;
    }
    return true;
}

TEST(Compiler, Compiles) {
    Compiler compiler;
    const Program program = compiler.compile(kGoodRequest);
    EXPECT_TRUE(program.compiled());
    ASSERT_EQ(program.kernels.size(), 1);
    EXPECT_EQ(program.kernels[0].name, "good");
    ASSERT_FALSE(program.files.empty());
    EXPECT_EQ(program.files[0].path, "good.cu");
    EXPECT_EQ(program.files[0].text, kGoodRequest.text);
    const Program broken = compiler.compile({"broken.cu", "__global__ void k() { nowhere; }", "", {}, {}});
    EXPECT_FALSE(broken.compiled());
    ASSERT_EQ(broken.diagnostics.size(), 1);
    EXPECT_EQ(broken.diagnostics[0].message, "use of undeclared identifier 'nowhere'");
    EXPECT_TRUE(broken.kernels.empty());
}

TEST(Compiler, IsWarmAfterWarmUp) {
    Compiler compiler;
    compiler.warm_up();
    EXPECT_EQ(children().size(), 1);
    compiler.warm_up();
    EXPECT_EQ(children().size(), 1);
    compiler.compile(kGoodRequest);
    EXPECT_EQ(children().size(), 1);
}

TEST(Compiler, SaysWhereItLooked) {
    if (tests::kEmulated) GTEST_SKIP() << "qemu-user answers for it";
    Compiler missing("/nowhere/warptree-compile");
    try {
        missing.compile(kGoodRequest);
        ADD_FAILURE();
    } catch (const CompileError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "cannot start the compiler /nowhere/warptree-compile: No such file or directory");
    }
    missing.warm_up();
    Compiler other("/bin/true");
    EXPECT_THROW(
        {
            try {
                other.compile(kGoodRequest);
            } catch (const CompileError& error) {
                EXPECT_THAT(error.what(), HasSubstr("the compiler /bin/true does not start"));
                throw;
            }
        },
        CompileError);
    setenv("WARPTREE_COMPILER", "/from/the/environment", 1);
    Compiler named;
    EXPECT_THROW(named.compile(kGoodRequest), CompileError);
    unsetenv("WARPTREE_COMPILER");
}

TEST(Compiler, LeavesNothingBehind) {
    const std::size_t files = open_files();
    for (int i = 0; i < 3; ++i) {
        Compiler compiler;
        compiler.compile(kGoodRequest);
        try {
            compiler.compile(crashing());
        } catch (const CompileError&) {
        }
        compiler.compile(kGoodRequest);
    }
    { const Compiler unused; }
    EXPECT_EQ(open_files(), files);
    EXPECT_TRUE(children().empty()) << "no zombies";
}

TEST(Compiler, KeepsItsTongue) {
    testing::internal::CaptureStderr();
    {
        Compiler compiler;
        EXPECT_THROW(compiler.compile(crashing()), CompileError);
        compiler.compile({"warning.cu", "#warning one\n#pragma message(\"two\")\nint", "", {}, {}});
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Compiler, StartsAnotherWhenAnIdleOneIsGone) {
    Compiler compiler;
    compiler.compile(kGoodRequest);
    const auto running = children();
    ASSERT_EQ(running.size(), 1);
    kill(running[0], SIGKILL);
    siginfo_t ended{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(running[0]), &ended, WEXITED | WNOWAIT),
              0); // takes long on a busy machine
    EXPECT_EQ(compiler.compile(kGoodRequest).kernels.size(), 1) << "whose end was no fault of this file";
}

std::string status_line(pid_t process, const std::string& name) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
    return {};
}

TEST(Compiler, IsConfined) {
    Compiler compiler;
    compiler.compile(kGoodRequest);
    const auto running = children();
    ASSERT_EQ(running.size(), 1);
    EXPECT_EQ(status_line(running[0], "Seccomp"), "2") << "a filter";
    EXPECT_EQ(status_line(running[0], "NoNewPrivs"), "1");
    EXPECT_EQ(status_line(running[0], "CapEff"), "0000000000000000");
}

// As when the client is killed: nobody is left to end it when it takes too long.
TEST(Compiler, EndsAtOnceWhenItsClientIsGone) {
    if (tests::kEmulated) GTEST_SKIP() << "qemu-user has threads of its own";
    const std::string worker = find_worker();
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], 0);
        execl(worker.c_str(), worker.c_str(), std::to_string(4ULL << 30).c_str(), nullptr);
        _exit(127);
    }
    close(ends[1]);
    Request request = kSlow;
    request.text.replace(request.text.find("B<22"), 4, "B<40");
    const std::string frame = frame_of(request);
    char ready = 0;
    ASSERT_EQ(read(ends[0], &ready, 1), 1);
    ASSERT_EQ(write(ends[0], frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
    while (sleeps(process)) std::this_thread::sleep_for(1ms);
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status; // not out of memory, nor done
}

TEST(Compiler, EndsWhatIsCancelled) {
    Compiler compiler;
    compiler.compile(kGoodRequest);
    for (int i = 0; i < 3; ++i) {
        std::atomic<bool> cancelled{false};
        std::thread asks([&] {
            try {
                compiler.compile(kSlow);
            } catch (const Cancelled&) {
                cancelled = true;
            } catch (const CompileError&) {
            }
        });
        std::this_thread::sleep_for(100ms);
        compiler.cancel();
        asks.join();
        EXPECT_TRUE(cancelled) << "not ended by the limit of time";
        EXPECT_EQ(compiler.compile(kGoodRequest).kernels.size(), 1)
            << "an answer nobody waits for is not taken for this one";
    }
    compiler.cancel();
    EXPECT_EQ(compiler.compile(kGoodRequest).kernels.size(), 1) << "nothing was waiting";
}

TEST(Compiler, KeepsAWorkerWhoseCancelledAnswerComesSoon) {
    Compiler compiler;
    compiler.compile(kGoodRequest);
    const auto before = children();
    std::string text;
    for (int i = 0; i < 300; ++i) text += "__global__ void k" + std::to_string(i) + "(int* a) { a[0] = 1; }\n";
    std::thread asks([&] {
        try {
            compiler.compile({"long.cu", text, "", {}, {}});
        } catch (const Cancelled&) {
        }
    });
    std::this_thread::sleep_for(20ms);
    compiler.cancel();
    asks.join();
    while (!sleeps(before.at(0))) std::this_thread::sleep_for(20ms); // by then it has answered
    EXPECT_EQ(compiler.compile(kGoodRequest).kernels.size(), 1);
    EXPECT_EQ(children(), before);
}

TEST(Compiler, TakesTurns) {
    Compiler compiler;
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                const std::string name = "k" + std::to_string(t * 100 + i);
                const Program program =
                    compiler.compile({"t.cu", "__global__ void " + name + "(int* a) {}\n", "", {}, {}});
                if (program.kernels.size() == 1 && program.kernels[0].name == name) ++right;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 40);
}

TEST(Compiler, LosesNothingWhenItsWorkerIsKilledAtRandom) {
    Compiler compiler;
    std::atomic<bool> over{false};
    std::thread killer([&] {
        unsigned state = 12345;
        while (!over) {
            state = state * 1664525 + 1013904223;
            std::this_thread::sleep_for(std::chrono::milliseconds(state >> 25));
            for (const pid_t child : children()) kill(child, (state & 64) != 0 ? SIGKILL : SIGSEGV);
        }
    });
    int answers = 0, failures = 0;
    const auto until = std::chrono::steady_clock::now() + 4s;
    while (std::chrono::steady_clock::now() < until) {
        try {
            const Program program = compiler.compile(kGoodRequest);
            EXPECT_EQ(program.kernels.size(), 1);
            ++answers;
        } catch (const CompileError& error) {
            EXPECT_THAT(error.what(),
                        AnyOf(HasSubstr("good.cu: the compiler failed on it: "), HasSubstr("does not start")));
            ++failures;
        }
    }
    over = true;
    killer.join();
    // The last signal may still be pending: the worker's main thread takes it, while the other one goes on compiling. It
    // hits one request at most.
    int hit = 0;
    for (int i = 0; i < 8; ++i) {
        try {
            EXPECT_EQ(compiler.compile(kGoodRequest).kernels.size(), 1);
        } catch (const CompileError&) {
            ++hit;
        }
    }
    EXPECT_LE(hit, 1);
    EXPECT_GT(failures, 5);
    RecordProperty("answers", answers);
}

TEST(Compiler, SurvivesAWorkerThatTalksNonsense) {
    const TemporaryFolder folder;
    const std::string path = folder.string() + "/worker";
    std::ofstream(path) << "#!/bin/sh\nprintf '\\001\\000\\000\\000\\000\\000\\000\\000x' >&0\n";
    chmod(path.c_str(), 0700);
    Compiler compiler(path);
    EXPECT_THROW(compiler.compile(kGoodRequest), CompileError);
    std::ofstream(path) << "#!/bin/sh\nprintf '\\377\\377\\377\\377\\377\\377\\377\\377' >&0\nsleep 5\n";
    EXPECT_THROW(compiler.compile(kGoodRequest), CompileError);
    EXPECT_TRUE(children().empty());
}

TEST(Compiler, ReadsTheFolderOfTheRequest) {
    const TemporaryFolder folder;
    folder.write("own.cuh", "__device__ int own() { return 3; }\n");
    Compiler compiler;
    const Request request{
        "mine.cu", "#include \"own.cuh\"\n__global__ void k(int* a) { a[0] = own(); }\n", folder.string(), {}, {}};
    EXPECT_EQ(compiler.compile(request).files.size(), 2);
    folder.write("own.cuh", "__device__ int own() { return nowhere; }\n");
    EXPECT_FALSE(compiler.compile(request).compiled()) << "as the disk is now";
}

} // namespace
} // namespace warptree::tests
