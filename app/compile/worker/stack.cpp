#include "app/compile/worker/stack.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

namespace warptree::compile {
namespace {

struct SignalName {
    int number;
    std::string_view name;
};
constexpr std::array kSignals = {SignalName{SIGSEGV, "Segmentation fault\n"}, SignalName{SIGBUS, "Bus error\n"},
                                 SignalName{SIGILL, "Illegal instruction\n"},
                                 SignalName{SIGFPE, "Floating point exception\n"},
                                 SignalName{SIGTRAP, "Trace/breakpoint trap\n"}};

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
    const bool memory = signal == SIGSEGV || signal == SIGBUS;
    if (memory && at + kNear > top && at < top + kNear) {
        say("the code is nested too deeply\n");
    } else { // for a client that is not its parent and cannot ask the system
        for (const auto& [number, name] : kSignals)
            if (number == signal) say(name);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void watch_stack_of_this_thread() {
    static thread_local std::array<char, 1 << 16> space;
    const stack_t alternative = {space.data(), 0, space.size()};
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = say_why;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const SignalName& signal : kSignals) sigaction(signal.number, &action, nullptr);
}

struct Work {
    const std::function<int()>& run;
    int code = 1;
};

void* work_on(void* argument) {
    auto& work = *static_cast<Work*>(argument);
    watch_stack_of_this_thread();
    work.code = work.run();
    return nullptr;
}

} // namespace

void say(std::string_view words) {
    if (write(2, words.data(), words.size()) < 0) _exit(1);
}

int on_deep_stack(const std::function<int()>& work) {
    Work task{work};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kDeepStack);
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, work_on, &task) != 0) {
        say("no memory for a stack\n");
        return 1;
    }
    pthread_join(thread, nullptr);
    return task.code;
}

} // namespace warptree::compile
