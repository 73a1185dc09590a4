#include "app/compile/worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace warptree::compile {
namespace {

void limit(decltype(RLIMIT_CORE) resource, rlim_t most) {
    rlimit now{};
    getrlimit(resource, &now);
    now.rlim_cur = std::min(most, now.rlim_max);
    setrlimit(resource, &now);
}

void say(std::string_view words) {
    if (write(2, words.data(), words.size()) < 0) _exit(1);
}

// A fault near the stack pointer means that recursion is too deep.
void say_why(int signal, siginfo_t* info, void* context) {
    const auto* state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
    const auto top = static_cast<std::uintptr_t>(state->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    const auto top = static_cast<std::uintptr_t>(state->uc_mcontext.sp);
#else
    const std::uintptr_t top = 0;
#endif
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    constexpr std::uintptr_t kNear = 1 << 20; // frames are smaller
    if (at + kNear > top && at < top + kNear) say("the code is nested too deeply\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

void confine_process() {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0); // does not apply to pipes
    limit(RLIMIT_NOFILE, 64);
    std::signal(SIGXFSZ, SIG_IGN);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void limit_memory([[maybe_unused]] std::uint64_t memory) {
    // Clang cannot be unwound: abort when out of memory.
    std::set_new_handler([] {
        say("out of memory\n");
        std::abort();
    });
#ifndef __SANITIZE_ADDRESS__ // which maps most of the address space
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    if (pages > 0) limit(RLIMIT_AS, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + memory);
#endif
}

void limit_time(std::chrono::milliseconds time) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    limit(RLIMIT_CPU, seconds + static_cast<std::uint64_t>(time.count()) / 1000 + 3);
}

void watch_stack_of_this_thread() {
    static thread_local std::array<char, 1 << 16> space;
    const stack_t alternative = {space.data(), 0, space.size()};
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = say_why;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

} // namespace warptree::compile
