// Each policy, tried from within: a confined child does what it must not, and what it must be able to.
#include "app/confine/confine.hpp"
#include "tests/confine/confined.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warptree::tests {
namespace {

using confine::Policy;
using testing::HasSubstr;
using testing::Not;

Policy strict() { return confine::compiler_policy(); }
Policy program() { return confine::program_policy(); }

struct Forbidden {
    const char* call; // as the line names it
    std::function<long()> attempt;
};

// A raw system call, so that nothing of the C library stands between. io_uring would do file and network work unseen.
std::vector<Forbidden> forbidden() {
    return {
        {"socket", [] { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }},
        {"socketpair",
         [] {
             std::array<int, 2> ends{};
             return syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, &ends);
         }},
        {"clone", [] { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); }},
        {"clone", [] { return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr); }},
        {"execve",
         [] {
             std::array<char*, 1> none{};
             return syscall(SYS_execve, "/bin/true", none.data(), none.data());
         }},
        {"ptrace", [] { return syscall(SYS_ptrace, PTRACE_SEIZE, getppid(), nullptr, nullptr); }},
        {"kill", [] { return syscall(SYS_kill, getppid(), 0); }},
        {"kill", [] { return syscall(SYS_kill, -1, 0); }},
        {"tgkill", [] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }},
        {"process_vm_readv", [] { return syscall(SYS_process_vm_readv, getppid(), nullptr, 0, nullptr, 0, 0); }},
        {"pidfd_open", [] { return syscall(SYS_pidfd_open, getppid(), 0); }},
        {"unshare", [] { return syscall(SYS_unshare, CLONE_NEWUSER); }},
        {"setsid", [] { return syscall(SYS_setsid); }},
        {"setpgid", [] { return syscall(SYS_setpgid, 0, 0); }},
        {"setuid", [] { return syscall(SYS_setuid, 0); }},
        {"mount", [] { return syscall(SYS_mount, "none", "/", "tmpfs", 0, nullptr); }},
        {"chroot", [] { return syscall(SYS_chroot, "/"); }},
        {"bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0); }},
        {"perf_event_open", [] { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
        {"io_uring_setup",
         [] {
             io_uring_params facts{};
             return syscall(SYS_io_uring_setup, 8, &facts);
         }},
        {"keyctl", [] { return syscall(SYS_keyctl, 0, 0); }},
        {"shmget", [] { return syscall(SYS_shmget, 0, 4096, 0600); }},
        {"memfd_create", [] { return syscall(SYS_memfd_create, "x", 0); }},
        {"inotify_init1", [] { return syscall(SYS_inotify_init1, 0); }},
        {"fcntl", [] { return syscall(SYS_fcntl, 2, F_SETOWN, getppid()); }},
        {"fcntl", [] { return syscall(SYS_fcntl, 2, F_SETFL, O_ASYNC); }},
        {"prctl", [] { return syscall(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0); }},
        {"prctl", [] { return syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0); }},
        {"seccomp", [] { return syscall(SYS_seccomp, 1, 0, nullptr); }},
    };
}

// What the kernel itself says of a confined process.
std::string status_of_confined(const Policy& policy) {
    std::array<int, 2> alive{};
    if (pipe(alive.data()) != 0) return {};
    const pid_t child = fork();
    if (child == 0) {
        confine::confine(policy);
        if (write(alive[1], "c", 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(alive[1]);
    char confined_now = 0;
    std::ostringstream text;
    if (read(alive[0], &confined_now, 1) == 1)
        text << std::ifstream("/proc/" + std::to_string(child) + "/status").rdbuf();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(alive[0]);
    return text.str();
}

TEST(Confined, MakesNoCallThatIsNotInTheList) {
    for (const Forbidden& one : forbidden()) {
        const Ended ended = confined(strict(), [&] { return outcome(one.attempt()); });
        EXPECT_EQ(ended.code, EPERM) << one.call;
        EXPECT_EQ(ended.out, "") << one.call;
    }
}

TEST(Confined, NamesTheCallOfAProgramAndEndsIt) {
    for (const Forbidden& one : forbidden()) {
        const Ended ended = confined(program(), [&] { return outcome(one.attempt()); });
        EXPECT_EQ(ended.code, confine::kRefusedCode) << one.call;
        EXPECT_EQ(ended.out, std::string(confine::kRefusedCall) + one.call + "\n");
    }
}

TEST(Confined, IsNotFreedByItsOwnHandler) {
    const Ended ended = confined(program(), [] {
        signal(SIGSYS, SIG_IGN);
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, nullptr);
        return outcome(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
    });
    EXPECT_TRUE(ended.code == confine::kRefusedCode || ended.signal == SIGSYS) << ended.code;
}

#if defined(__x86_64__)
TEST(Confined, EndsAtACallOfAnotherKind) { // 32-bit calls have other numbers, which the filter would misread
    const auto old_call = [] {
        signal(SIGSEGV, SIG_DFL); // not a sanitizer's report of it
        long result = 20;         // getpid
        asm volatile("int $0x80" : "+a"(result) : : "memory");
        return outcome(result < 0 ? -1 : 0);
    };
    const auto x32 = [] { return outcome(syscall(0x40000000 + SYS_getpid)); };
    const pid_t free = fork(); // not confined: a kernel without 32-bit calls ends it in its own way
    if (free == 0) {
        old_call();
        _exit(0);
    }
    int status = 0;
    waitpid(free, &status, 0);
    const bool known = !WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV;
    EXPECT_EQ(confined(strict(), old_call).signal, known ? SIGSYS : SIGSEGV);
    EXPECT_NE(confined(strict(), x32).code, 0);
}
#endif

TEST(Confined, OpensNoFile) {
    const TemporaryFolder folder;
    folder.write("secret", "x");
    const std::string path = (folder.path() / "secret").string(), made = (folder.path() / "made").string();
    for (const Policy& policy : {strict(), program()}) {
        const auto code = [&](const std::function<int()>& attempt) { return confined(policy, attempt).code; };
        if (!kSanitized) { // which may open for reading what Landlock lets it
            EXPECT_NE(code([&] { return outcome(open(path.c_str(), O_RDONLY)); }), 0);
            EXPECT_NE(code([&] { return outcome(open("/etc/passwd", O_RDONLY)); }), 0);
            EXPECT_NE(code([&] { return outcome(open("/proc/self/mem", O_RDWR)); }), 0);
            EXPECT_NE(code([&] { return outcome(access(path.c_str(), F_OK)); }), 0);
        }
        EXPECT_NE(code([&] { return outcome(open(made.c_str(), O_WRONLY | O_CREAT, 0600)); }), 0);
        EXPECT_NE(code([&] { return outcome(open(path.c_str(), O_RDWR)); }), 0);
        EXPECT_NE(code([&] { return outcome(open(folder.path().c_str(), O_TMPFILE | O_RDWR, 0600)); }), 0);
        EXPECT_NE(code([&] { return outcome(unlink(path.c_str())); }), 0);
        EXPECT_NE(code([&] { return outcome(rename(path.c_str(), made.c_str())); }), 0);
        EXPECT_NE(code([&] { return outcome(mkdir(made.c_str(), 0700)); }), 0);
        EXPECT_NE(code([&] { return outcome(symlink(path.c_str(), made.c_str())); }), 0);
        EXPECT_NE(code([&] { return outcome(truncate(path.c_str(), 0)); }), 0);
        EXPECT_NE(code([&] { return outcome(chmod(path.c_str(), 0777)); }), 0);
    }
    EXPECT_FALSE(std::filesystem::exists(made));
    EXPECT_EQ(std::filesystem::file_size(path), 1U);
}

TEST(Confined, NamesTheFileThatAProgramAsksFor) {
    const Ended ended = confined(program(), [] {
        std::FILE* file = std::fopen("/tmp/\x1b[31mresult", "w");
        return file == nullptr && errno == EACCES ? 7 : 0;
    });
    EXPECT_EQ(ended.code, 7) << "it goes on, as in a folder that it may not write to";
    EXPECT_THAT(ended.out, HasSubstr(std::string(confine::kRefusedCall) + "openat /tmp/?[31mresult\n"));
    const Ended often = confined(program(), [] {
        for (int i = 0; i < 1000; ++i) unlink("/tmp/x");
        return 0;
    });
    EXPECT_LT(often.out.size(), 4000U) << "it cannot flood the descriptor by it";
}

TEST(Confined, WritesNowhereWhereThatIsAllowed) {
    Policy policy = program();
    policy.nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(policy.nowhere, 0);
    const TemporaryFolder folder;
    folder.write("kept", "x");
    const std::string kept = (folder.path() / "kept").string(), made = (folder.path() / "made").string();
    const Ended ended = confined(policy, [&] {
        for (const std::string& path : {kept, made}) {
            std::FILE* const file = std::fopen(path.c_str(), "w");
            if (file == nullptr || std::fputs("text", file) < 0 || std::fclose(file) != 0) return 1;
        }
        if (creat(made.c_str(), 0600) < 0 || open(kept.c_str(), O_WRONLY | O_APPEND) < 0) return 2;
        // What could be read back, or has no name, is refused as before.
        if (open(made.c_str(), O_RDWR | O_CREAT, 0600) >= 0) return 3;
        return open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600) >= 0 ? 4 : 0;
    });
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.out, HasSubstr(std::string(confine::kWrittenNowhere) + made + "\n"));
    EXPECT_FALSE(std::filesystem::exists(made));
    EXPECT_EQ(std::filesystem::file_size(kept), 1U);
    close(policy.nowhere);
}

TEST(Confined, ReadsTheFilesItIsGivenAndNoOther) {
    const TemporaryFolder folder, other;
    folder.write("given", "x");
    folder.write("below/given", "x");
    other.write("secret", "x");
    std::filesystem::create_symlink(other.path() / "secret", folder.path() / "link");
    for (Policy policy : {strict(), program()}) {
        policy.readable = {folder.path().string(), "/nowhere"};
        const auto code = [&](const std::filesystem::path& path, int flags) {
            return confined(policy, [&] { return outcome(open(path.c_str(), flags, 0600)); }).code;
        };
        EXPECT_EQ(code(folder.path() / "given", O_RDONLY), 0);
        EXPECT_EQ(code(folder.path() / "below/given", O_RDONLY), 0);
        EXPECT_EQ(code(folder.path(), O_RDONLY | O_DIRECTORY), 0);
        EXPECT_EQ(code(folder.path() / "none", O_RDONLY), ENOENT);
        EXPECT_NE(code(folder.path() / "given", O_RDWR), 0);
        EXPECT_NE(code(folder.path() / "given", O_RDONLY | O_TRUNC), 0);
        EXPECT_NE(code(folder.path() / "new", O_WRONLY | O_CREAT), 0);
        if (confine::tried(policy).landlock == 0) continue;
        EXPECT_EQ(code(other.path() / "secret", O_RDONLY), EACCES);
        EXPECT_EQ(code(folder.path() / "link", O_RDONLY), EACCES);
        EXPECT_EQ(code("/etc/passwd", O_RDONLY), EACCES);
        EXPECT_EQ(code("/proc/self/environ", O_RDONLY), EACCES);
    }
    EXPECT_EQ(std::filesystem::file_size(folder.path() / "given"), 1U);
}

TEST(Confined, ReadsAsRootWhatOthersOwn) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can try";
    const TemporaryFolder folder, other;
    for (const TemporaryFolder* one : {&folder, &other}) {
        one->write("file", "x");
        for (const std::filesystem::path& path : {one->path() / "file", one->path()}) {
            ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
            ASSERT_EQ(chmod(path.c_str(), 0700), 0);
        }
    }
    Policy policy = program();
    policy.readable = {folder.path().string()};
    if (confine::tried(policy).landlock == 0) GTEST_SKIP() << "no file is opened";
    const auto code = [&](const TemporaryFolder& one) {
        return confined(policy, [&] { return outcome(open((one.path() / "file").c_str(), O_RDONLY)); }).code;
    };
    EXPECT_EQ(code(folder), 0);
    EXPECT_EQ(code(other), EACCES);
    EXPECT_THAT(status_of_confined(policy), HasSubstr("CapEff:\t0000000000000004\n"));
}

// A thread that began before would not be held by Landlock.
TEST(Confined, HasOneThreadAtFirst) {
    const Ended ended = confined(strict(), [] { return 0; });
    EXPECT_EQ(ended.code, 0);
    std::atomic<bool> done{false};
    std::thread other([&] {
        while (!done) std::this_thread::yield();
    });
    EXPECT_THROW(confine::confine(strict()), confine::ConfineError);
    done = true;
    other.join();
}

TEST(Confined, DoesWhatProgramsDo) {
    for (const Policy& policy : {strict(), program()}) {
        const Ended ended = confined(policy, [] {
            std::vector<int> numbers(1 << 20, 1);
            long sum = 0;
            std::thread adds([&] {
                for (const int number : numbers) sum += number;
            });
            adds.join();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            std::fprintf(stderr, "%ld %u\n", sum, std::thread::hardware_concurrency() > 0 ? 1U : 0U);
            struct stat facts {};
            return fstat(2, &facts) == 0 && isatty(2) == 0 && sum == 1 << 20 ? 0 : 1;
        });
        EXPECT_EQ(ended.code, 0) << policy.name << ended.out;
        EXPECT_THAT(ended.out, HasSubstr("1048576 1\n"));
    }
    EXPECT_EQ(confined(program(),
                       [] {
                           std::abort();
                           return 0;
                       })
                  .signal,
              SIGABRT);
    EXPECT_EQ(confined(program(), [] { return raise(SIGTERM); }).signal, SIGTERM);
}

TEST(Confined, ReachesItsLimits) {
    Policy policy = program();
    policy.limits.seconds = 1;
    EXPECT_EQ(confined(policy,
                       [] {
                           for (volatile int i = 0;;) i = i + 1;
                           return 0;
                       })
                  .signal,
              SIGXCPU);
    const auto stubborn = [] {
        signal(SIGXCPU, SIG_IGN);
        for (volatile int i = 0;;) i = i + 1;
        return 0;
    };
    EXPECT_EQ(confined(policy, stubborn).signal, SIGKILL);
    const auto files = [] {
        int count = 0;
        while (dup(2) >= 0) ++count;
        return count < 64 ? 0 : 1;
    };
    EXPECT_EQ(confined(policy, files).code, 0);
    policy.limits.memory = 64 << 20;
    const auto hungry = [] {
        return mmap(nullptr, 100 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 0
                                                                                                                  : 1;
    };
    if (!kSanitized) {
        EXPECT_EQ(confined(policy, hungry).code, 0);
    }
    const auto raise_them = [] {
        rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
        return setrlimit(RLIMIT_CPU, &none) == 0 ? 1 : 0;
    };
    EXPECT_EQ(confined(policy, raise_them).code, 0);
}

TEST(Confined, StartsNoMoreThreadsThanItsLimit) {
    Policy policy = program();
    policy.limits.threads = 8;
    if (!confine::tried(policy).counts_threads) GTEST_SKIP() << "the system does not count them, and says so";
    const auto bomb = [] {
        int started = 0;
        pthread_t thread{};
        while (started < 100 && pthread_create(
                                    &thread, nullptr, [](void*) -> void* { return pause(), nullptr; }, nullptr) == 0)
            ++started;
        return started;
    };
    EXPECT_EQ(confined(policy, bomb).code, 7) << "and the first one";
}

TEST(Confined, LosesItsEnvironment) {
    setenv("WARPTREE_TOKEN", "secret", 1);
    setenv("WARPTREE_KEPT", "kept", 1);
    const char* before = getenv("WARPTREE_TOKEN");
    Policy policy = strict();
    policy.environment = {"WARPTREE_KEPT"};
    const Ended ended = confined(policy, [&] {
        return getenv("WARPTREE_TOKEN") == nullptr && std::string(before).empty() && getenv("WARPTREE_KEPT") != nullptr
                   ? 0
                   : 1;
    });
    EXPECT_EQ(ended.code, 0);
    unsetenv("WARPTREE_TOKEN");
    unsetenv("WARPTREE_KEPT");
}

TEST(Confined, HasNoPrivileges) {
    for (const Policy& policy : {strict(), program()}) {
        const std::string status = status_of_confined(policy);
        EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
        EXPECT_THAT(status, HasSubstr("Seccomp:\t2\n"));
        for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
            EXPECT_THAT(status, HasSubstr(std::string(set) + ":\t0000000000000000\n"));
    }
}

// Reads until the other end is closed: by the confined grandchild, when its parent is gone.
bool ends_with_its_parent(bool by_lifeline) {
    std::array<int, 2> alive{}, life{};
    if (pipe(alive.data()) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, life.data()) != 0) return false;
    const pid_t parent = fork();
    if (parent == 0) {
        const pid_t self = getpid();
        if (fork() == 0) {
            close(alive[0]);
            close(life[1]);
            Policy policy = strict();
            if (by_lifeline)
                policy.lifeline = life[0];
            else
                policy.parent = self;
            confine::confine(policy);
            if (write(alive[1], "c", 1) != 1) _exit(1);
            for (;;) pause();
        }
        close(alive[1]);
        char confined_now = 0;
        _exit(read(alive[0], &confined_now, 1) == 1 ? 0 : 1); // without a word to the child
    }
    close(alive[1]);
    close(life[0]);
    close(life[1]);
    int status = 0;
    waitpid(parent, &status, 0);
    char rest = 0;
    const bool closed = read(alive[0], &rest, 1) == 0; // blocks while the grandchild lives
    close(alive[0]);
    return closed && WEXITSTATUS(status) == 0;
}

TEST(Confined, EndsWithItsParent) {
    EXPECT_TRUE(ends_with_its_parent(false));
    EXPECT_TRUE(ends_with_its_parent(true));
}

TEST(Confined, EndsAtOnceIfItsParentIsGoneAlready) {
    Policy policy = strict();
    policy.parent = getppid(); // not that of the child
    EXPECT_EQ(confined(policy, [] { return 0; }).code, 1);
}

// A system that has none of these: a filter of ours answers for it.
void without(std::initializer_list<const char*> calls, int error) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    for (const char* call : calls)
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), seccomp_syscall_resolve_name(call), 0);
    seccomp_load(filter);
    seccomp_release(filter);
}

// The lines of what is missing, from a child on such a system, and whether the attempt succeeds then.
std::string missing_without(std::initializer_list<const char*> calls, int error, const Policy& policy,
                            const std::function<int()>& attempt) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return {};
    const pid_t child = fork();
    if (child == 0) {
        without(calls, error);
        const confine::Achieved given = confine::confine(policy);
        std::string text = given.holds_programs() ? "holds programs\n" : "does not hold programs\n";
        for (const std::string& line : given.missing) text += line + "\n";
        text += attempt() == 0 ? "attempted\n" : "refused\n";
        _exit(write(ends[1], text.data(), text.size()) > 0 ? 0 : 1);
    }
    close(ends[1]);
    std::array<char, 4096> buffer{};
    std::string text;
    for (ssize_t count = 0; (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return text;
}

TEST(Missing, IsSaid) {
    const auto passwd = [] { return outcome(open("/etc/passwd", O_RDONLY)); };
    Policy reads = program();
    reads.readable = {"/etc"};
    std::string said = missing_without({"landlock_create_ruleset"}, ENOSYS, reads, passwd);
    EXPECT_THAT(said, HasSubstr("no Landlock: no file can be opened\n"));
    EXPECT_THAT(said, HasSubstr("holds programs\n"));
    if (!kSanitized) {
        EXPECT_THAT(said, HasSubstr("refused\n")) << "not even what was given: nothing would keep it to that";
    }

    reads = strict();
    reads.readable = {"/etc"};
    said = missing_without({"landlock_create_ruleset"}, ENOSYS, reads, passwd);
    EXPECT_THAT(said, HasSubstr("no Landlock: only the program itself looks at what it opens\n"));
    EXPECT_THAT(said, HasSubstr("attempted\n"));

    const auto connects = [] { return outcome(socket(AF_INET, SOCK_STREAM, 0)); };
    said = missing_without({"unshare"}, EPERM, program(), [] { return 0; });
    EXPECT_THAT(said, HasSubstr("no network namespace of its own: Operation not permitted\n"));
    EXPECT_THAT(said, HasSubstr("holds programs\n")) << "the filter has no sockets";
    EXPECT_THAT(missing_without({"unshare"}, EPERM, strict(), connects), HasSubstr("refused\n"));

    said = missing_without({"seccomp"}, EPERM, program(), [] { return 0; });
    EXPECT_THAT(said, HasSubstr("does not hold programs\n"));
    EXPECT_THAT(said, HasSubstr("no filter of system calls: "));
}

TEST(Tried, TellsWhatTheSystemGives) {
    const confine::Achieved given = confine::tried(program());
    EXPECT_TRUE(given.filter);
    EXPECT_TRUE(given.limits);
    EXPECT_TRUE(given.no_network);
    EXPECT_TRUE(given.holds_programs());
    EXPECT_EQ(given.landlock == 0, testing::Value(given.missing, testing::Contains(HasSubstr("no Landlock"))));
}

} // namespace
} // namespace warptree::tests
