#include "app/confine/calls.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <seccomp.h>
#include <ucontext.h>
#include <unistd.h>

namespace warptree::confine {
namespace {

constexpr int kCalls = 1024, kMostTold = 20, kOnlyWrites = 99;

// What the handler does with a call; its place in the table is its number.
struct Answer {
    const char* name = nullptr;
    int error = 0;    // what the call returns; 0: the process ends
    int path = -1;    // which argument is a path
    bool told = true; // named on the descriptor
    int flags = -1;   // which argument says how a file is opened; kOnlyWrites: none, for writing only
};

struct Exception {
    const char* name;
    Answer answer;
};
// Calls that ask for a file, or for a form that libraries do without; any other ends the process.
constexpr auto kExceptions = std::to_array<Exception>({
    {"open", {"open", EACCES, 0, true, 1}},
    {"openat", {"openat", EACCES, 1, true, 2}},
    {"creat", {"creat", EACCES, 0, true, kOnlyWrites}},
    {"access", {"access", EACCES, 0}},
    {"faccessat", {"faccessat", EACCES, 1}},
    {"faccessat2", {"faccessat2", EACCES, 1}},
    {"stat", {"stat", EACCES, 0, false}},
    {"lstat", {"lstat", EACCES, 0, false}},
    {"newfstatat", {"newfstatat", EACCES, 1, false}},
    {"readlink", {"readlink", EACCES, 0, false}},
    {"readlinkat", {"readlinkat", EACCES, 1, false}},
    {"getcwd", {"getcwd", EACCES, -1, false}},
    {"chdir", {"chdir", EACCES, 0}},
    {"mkdir", {"mkdir", EACCES, 0}},
    {"mkdirat", {"mkdirat", EACCES, 1}},
    {"rmdir", {"rmdir", EACCES, 0}},
    {"unlink", {"unlink", EACCES, 0}},
    {"unlinkat", {"unlinkat", EACCES, 1}},
    {"rename", {"rename", EACCES, 0}},
    {"renameat", {"renameat", EACCES, 1}},
    {"renameat2", {"renameat2", EACCES, 1}},
    {"symlink", {"symlink", EACCES, 1}},
    {"symlinkat", {"symlinkat", EACCES, 2}},
    {"link", {"link", EACCES, 1}},
    {"linkat", {"linkat", EACCES, 3}},
    {"truncate", {"truncate", EACCES, 0}},
    {"ftruncate", {"ftruncate", EACCES, -1}},
    {"fallocate", {"fallocate", EACCES, -1}},
    {"chmod", {"chmod", EACCES, 0}},
    {"fchmodat", {"fchmodat", EACCES, 1}},
    {"utimensat", {"utimensat", EACCES, 1}},
    {"statfs", {"statfs", EACCES, 0, false}},
    {"fsync", {"fsync", EINVAL, -1, false}},
    {"ioctl", {"ioctl", ENOTTY, -1, false}},
    {"prlimit64", {"prlimit64", EPERM, -1, false}},
    {"rt_sigaction", {"rt_sigaction", EINVAL, -1, false}},
    {"mlock", {"mlock", EPERM, -1, false}},
    {"mbind", {"mbind", EPERM, -1, false}},
    {"get_mempolicy", {"get_mempolicy", EPERM, -1, false}},
    {"sched_setaffinity", {"sched_setaffinity", EPERM, -1, false}},
    {"sched_getscheduler", {"sched_getscheduler", EPERM, -1, false}},
    {"getpriority", {"getpriority", EPERM, -1, false}},
});

// Global: a signal handler can reach nothing else.
std::array<Answer, kCalls> answers;
std::atomic<int> told{0};
int tell_to = 2, nowhere = -1;

// A line of at most so many characters, put together without memory of its own.
class Line {
  public:
    void add(const char* text) {
        for (; *text != '\0' && size_ + 1 < text_.size(); ++text) {
            const char c = *text;
            text_[size_++] = c < ' ' || c == 0x7F ? '?' : c;
        }
    }
    void add_number(long number) {
        std::array<char, 24> digits{};
        std::size_t at = digits.size() - 1;
        do digits[--at] = static_cast<char>('0' + number % 10);
        while ((number /= 10) > 0);
        add(&digits[at]);
    }
    void tell() {
        text_[size_++] = '\n';
        if (write(tell_to, text_.data(), size_) < 0) return;
    }

  private:
    std::array<char, 256> text_{};
    std::size_t size_ = 0;
};

#if defined(__x86_64__)
std::uint64_t argument(const ucontext_t& state, int which) {
    constexpr std::array<int, 4> kPlaces = {REG_RDI, REG_RSI, REG_RDX, REG_R10};
    return static_cast<std::uint64_t>(state.uc_mcontext.gregs[kPlaces[static_cast<std::size_t>(which)]]);
}
void give(ucontext_t& state, std::int64_t value) { state.uc_mcontext.gregs[REG_RAX] = value; }
#elif defined(__aarch64__)
std::uint64_t argument(const ucontext_t& state, int which) { return state.uc_mcontext.regs[which]; }
void give(ucontext_t& state, std::int64_t value) { state.uc_mcontext.regs[0] = static_cast<std::uint64_t>(value); }
#endif

// A descriptor for a file that is only written to; -1: it is not, or there is none.
int descriptor_nowhere(const Answer& answer, const ucontext_t& state) {
    if (nowhere < 0 || answer.flags < 0) return -1;
    const std::uint64_t flags = answer.flags == kOnlyWrites ? O_WRONLY : argument(state, answer.flags);
    if ((flags & O_ACCMODE) != O_WRONLY || (flags & O_TMPFILE) == O_TMPFILE) return -1;
    return fcntl(nowhere, (flags & O_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
}

extern "C" void on_refused_call(int, siginfo_t* info, void* context) {
    const int kept = errno;
    auto& state = *static_cast<ucontext_t*>(context);
    const int call = info->si_syscall;
    const Answer answer = call >= 0 && call < kCalls ? answers[static_cast<std::size_t>(call)] : Answer{};
    const int instead = descriptor_nowhere(answer, state);
    if (answer.told && told.fetch_add(1) < kMostTold) {
        Line line;
        line.add(instead >= 0 ? kWrittenNowhere.data() : kRefusedCall.data());
        if (answer.name == nullptr)
            line.add_number(call);
        else if (instead < 0)
            line.add(answer.name);
        if (answer.path >= 0) {
            line.add(instead < 0 ? " " : "");
            line.add(reinterpret_cast<const char*>(argument(state, answer.path)));
        }
        line.tell();
    }
    if (answer.error == 0) _exit(kRefusedCode);
    give(state, instead >= 0 ? instead : -answer.error);
    errno = kept;
}

} // namespace

void name_refused_calls(const Policy& policy) {
    tell_to = policy.tell;
    nowhere = policy.nowhere;
    for (int call = 0; call < kCalls; ++call) // for good: the handler may run at any time
        answers[static_cast<std::size_t>(call)].name = seccomp_syscall_resolve_num_arch(seccomp_arch_native(), call);
    for (const Exception& exception : kExceptions) {
        const int call = seccomp_syscall_resolve_name(exception.name);
        if (call >= 0 && call < kCalls) answers[static_cast<std::size_t>(call)] = exception.answer;
    }
    struct sigaction action {};
    action.sa_sigaction = on_refused_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
}

} // namespace warptree::confine
