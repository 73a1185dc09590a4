#include "app/compile/worker.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace warptree::compile {
namespace {

void limit(decltype(RLIMIT_CORE) resource, rlim_t most) {
    const rlimit both = {most, most};
    setrlimit(resource, &both);
}

// A fault beside the end of the stack is a recursion too deep; the kernel says no more than the address.
void say_overflow(int signal, siginfo_t* info, void* context) {
    const auto* state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
    const auto top = static_cast<std::uintptr_t>(state->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    const auto top = static_cast<std::uintptr_t>(state->uc_mcontext.sp);
#else
    const std::uintptr_t top = 0;
#endif
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    constexpr std::uintptr_t kNear = 1 << 20; // a frame is smaller
    constexpr std::string_view kWords = "it nests too deeply\n";
    if (at + kNear > top && at < top + kNear && write(2, kWords.data(), kWords.size()) < 0) _exit(1);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

void confine_process() {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0); // pipes are no files
    limit(RLIMIT_NOFILE, 64);
    std::signal(SIGXFSZ, SIG_IGN);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void watch_stack_of_this_thread() {
    static thread_local std::array<char, 1 << 16> space;
    const stack_t alternative = {space.data(), 0, space.size()};
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = say_overflow;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

} // namespace warptree::compile
