#include "app/confine/confine.hpp"

#include "app/base/sanitized.hpp"
#include "app/confine/calls.hpp"
#include "app/confine/landlock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace warptree::confine {
namespace {

// Ends this process when the other end of the descriptor is closed.
void* watch(void* descriptor) {
    pollfd event = {static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor)), POLLRDHUP, 0};
    while (poll(&event, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(1);
}

// The thread has a descriptor of its own: a program may close those that it is given before the thread first looks.
void watch_lifeline(int descriptor) {
    constexpr int kAbove = 40;
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove);
    if (own < 0) _exit(1);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, watch, reinterpret_cast<void*>(std::intptr_t{own})) != 0)
        _exit(1); // who cannot start a thread now does not come far
    pthread_attr_destroy(&attributes);
}

void follow_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // it ended before the line above
}

// Other variables are overwritten, not only forgotten: they are in this process's memory.
void erase_environment(const std::vector<std::string>& kept) {
    char** to = environ;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (std::ranges::find(kept, text.substr(0, text.find('='))) != kept.end())
            *to++ = *variable;
        else
            std::memset(*variable, 0, text.size());
    }
    if (to != nullptr) *to = nullptr;
}

bool limit(decltype(RLIMIT_CORE) resource, rlim_t soft, rlim_t hard) {
    rlimit now{};
    getrlimit(resource, &now);
    now.rlim_max = std::min(hard, now.rlim_max);
    now.rlim_cur = std::min(soft, now.rlim_max);
    return setrlimit(resource, &now) == 0;
}
bool limit(decltype(RLIMIT_CORE) resource, rlim_t most) { return limit(resource, most, most); }

std::uint64_t mapped_bytes() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool set_limits(const Limits& limits, bool counts_threads) {
    bool held = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0); // which does not apply to pipes
    held &= limits.seconds == 0 || limit(RLIMIT_CPU, limits.seconds, limits.seconds + 1);
    held &= limits.descriptors == 0 || limit(RLIMIT_NOFILE, limits.descriptors);
    held &= limits.threads == 0 || !counts_threads || limit(RLIMIT_NPROC, limits.threads);
    if (limits.memory != 0 && !kSanitized) held &= limit(RLIMIT_AS, mapped_bytes() + limits.memory);
    std::signal(SIGXFSZ, SIG_IGN); // a write fails instead
    return held;
}

// `kept`: a set of capabilities that this process goes on with, as far as it has them.
bool drop_capabilities(std::uint32_t kept) {
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (int capability = 0; capability < 64; ++capability) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (syscall(SYS_capget, &header, sets.data()) != 0) return false;
    kept &= sets[0].permitted;
    sets = {__user_cap_data_struct{kept, kept, 0}, __user_cap_data_struct{}};
    return syscall(SYS_capset, &header, sets.data()) == 0;
}

bool has_threads() {
    int count = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
         task.increment(error))
        ++count;
    return count > 1;
}

std::string failed(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

} // namespace

Achieved confine(const Policy& policy) {
    if (policy.tell < 0 && policy.refusal == Refusal::signal)
        throw ConfineError("a policy that names refused calls needs a descriptor for them");
    if (has_threads()) throw ConfineError("a process is confined before it starts further threads");
    Achieved given;
    const auto lacks = [&](std::string what) { given.missing.push_back(std::move(what)); };
    // As root the system counts no threads; otherwise it does for a user, or, in a user namespace of its own, a process.
    const bool root = geteuid() == 0;
    // Root reads what it is given whoever owns it, as before; Landlock keeps it to that. A user namespace would not let it.
    const bool reads_as_root = root && !policy.readable.empty() && landlock_version() != 0;
    given.own_network = unshare(reads_as_root ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) == 0;
    if (!given.own_network) lacks(failed("no network namespace of its own"));
    given.counts_threads = given.own_network && !root;
    if (policy.limits.threads != 0 && !given.counts_threads)
        lacks(root ? "no limit on threads: it does not apply to root" : "no limit on threads of one process");
    given.limits = set_limits(policy.limits, given.counts_threads);
    if (!given.limits) lacks(failed("no hard limits"));
    erase_environment(policy.environment);
    if (!drop_capabilities(reads_as_root ? 1U << CAP_DAC_READ_SEARCH : 0)) lacks(failed("capabilities are kept"));
    prctl(PR_SET_DUMPABLE, 0);
    if (policy.parent != 0) follow_parent(policy.parent); // after what would undo it
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) lacks(failed("new privileges are not excluded"));
    given.landlock = keep_to(policy.readable);
    if (given.landlock == 0)
        lacks(policy.trusted_with_files ? "no Landlock: only the program itself looks at what it opens"
                                        : "no Landlock: no file can be opened");
    if (policy.lifeline >= 0) watch_lifeline(policy.lifeline); // a thread that Landlock holds, too
    if (policy.refusal == Refusal::signal) name_refused_calls(policy);
    const bool opens = !policy.readable.empty() && (given.landlock != 0 || policy.trusted_with_files);
    const std::string why = keep_to_calls(policy, opens);
    given.filter = why.empty();
    if (!given.filter) lacks("no filter of system calls: " + why);
    given.no_network = given.filter || given.own_network;
    return given;
}

} // namespace warptree::confine
