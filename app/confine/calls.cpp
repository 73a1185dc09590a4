#include "app/confine/calls.hpp"

#include "app/base/sanitized.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace warptree::confine {
namespace {

// Memory, time, this process's own signals and descriptors that are open already. Names that an architecture lacks are
// skipped.
constexpr auto kAlways = std::to_array<const char*>({
    "read",
    "write",
    "readv",
    "writev",
    "pread64",
    "pwrite64",
    "close",
    "lseek",
    "fstat",
    "dup",
    "dup2",
    "dup3",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "pipe2",
    "eventfd2",
    "brk",
    "mmap",
    "munmap",
    "mremap",
    "mprotect",
    "madvise",
    "futex",
    "exit",
    "exit_group",
    "restart_syscall",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sigaltstack",
    "getpid",
    "getppid",
    "gettid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getrandom",
    "getrusage",
    "getrlimit",
    "times",
    "sched_yield",
    "getcpu",
    "membarrier",
    "set_robust_list",
    "rseq",
    "sched_getaffinity",
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "nanosleep",
    "gettimeofday",
    "time",
    "uname",
    "sysinfo",
    "alarm",
    "setitimer",
    "getitimer",
    "umask",
    "pause",
    "rt_sigsuspend",
    "rt_sigpending",
    "rt_sigtimedwait",
});
// What a reader of files asks for, beside open() and openat() themselves.
constexpr auto kFiles = std::to_array<const char*>({
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "stat",
    "lstat",
    "newfstatat",
    "getdents64",
    "getcwd",
    "fadvise64",
});
// The C library tries these first and then does without.
constexpr auto kNewer = std::to_array<const char*>({"clone3", "openat2", "statx"});

constexpr std::uint64_t kThread = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                      CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE;
constexpr std::uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

class Filter {
  public:
    explicit Filter(std::uint32_t refusal) : context_(seccomp_init(refusal), seccomp_release) {
        if (context_ == nullptr) error_ = ENOMEM;
    }
    void allow(const char* name, std::initializer_list<scmp_arg_cmp> arguments = {}) {
        add(SCMP_ACT_ALLOW, name, arguments);
    }
    void deny_existence(const char* name) { add(SCMP_ACT_ERRNO(ENOSYS), name, {}); }
    void set(scmp_filter_attr attribute, std::uint32_t value) {
        if (context_) note(seccomp_attr_set(context_.get(), attribute, value));
    }
    int load() {
        if (error_ == 0) note(seccomp_load(context_.get()));
        return error_;
    }

  private:
    void add(std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> arguments) {
        const int call = seccomp_syscall_resolve_name(name);
        if (!context_ || call < 0) return; // not of this architecture
        note(seccomp_rule_add_array(context_.get(), action, call, static_cast<unsigned>(arguments.size()),
                                    arguments.size() == 0 ? nullptr : std::data(arguments)));
    }
    void note(int result) {
        if (result < 0 && error_ == 0) error_ = -result;
    }
    std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
    int error_ = 0;
};

scmp_arg_cmp is(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp is_not(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_NE, value, 0}; }
// The bits of `mask` are `value`.
scmp_arg_cmp has(unsigned argument, std::uint64_t mask, std::uint64_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void allow_forms(Filter& filter) {
    const auto self = static_cast<std::uint64_t>(getpid());
    filter.allow("tgkill", {is(0, self)}); // abort()
    filter.allow("rt_sigaction", {is_not(0, SIGSYS)});
    filter.allow("prctl", {is(0, PR_SET_NAME)});
    filter.allow("prlimit64", {is(0, 0), is(2, 0)});                                // reads
    for (const char* name : {"sendto", "recvfrom"}) filter.allow(name, {is(4, 0)}); // by a connection that is there
    for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC})
        filter.allow("fcntl", {is(1, static_cast<std::uint64_t>(command))});
    // Not O_ASYNC: with F_SETOWN, which is refused, it would signal others.
    filter.allow("fcntl", {is(1, F_SETFL), has(2, O_ASYNC, 0)});
    for (const std::uint64_t request : {TCGETS, TIOCGWINSZ, FIONREAD}) filter.allow("ioctl", {is(1, request)});
}

void allow_files(Filter& filter) {
    for (const char* name : kFiles) filter.allow(name);
    filter.allow("open", {has(1, kWriting, O_RDONLY)});
    filter.allow("openat", {has(2, kWriting, O_RDONLY)});
}

} // namespace

std::string keep_to_calls(const Policy& policy, bool opens) {
    const bool named = policy.refusal == Refusal::signal;
    Filter filter(named ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM));
    filter.set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS); // 32-bit calls, which have other numbers
    filter.set(SCMP_FLTATR_CTL_TSYNC, 1);
    for (const char* name : kAlways) filter.allow(name);
    allow_forms(filter);
    if (policy.threads) filter.allow("clone", {has(0, kThread | kNamespaces, kThread)});
    for (const char* name : kNewer) filter.deny_existence(name);
    if (opens || kSanitized) // AddressSanitizer reads its own maps to describe a fault
        allow_files(filter);
    else
        filter.allow("newfstatat", {is(3, AT_EMPTY_PATH)}); // fstat() of the C library
    const int error = filter.load();
    return error == 0 ? std::string() : std::strerror(error);
}

} // namespace warptree::confine
