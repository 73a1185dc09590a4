#include "app/cli/interrupt.hpp"

#include "app/cli/exit_code.hpp"

#include <array>
#include <csignal>
#include <string_view>

#include <sys/time.h>
#include <unistd.h>

namespace warptree::commands {

namespace {
// Global: a signal handler can reach nothing else.
std::atomic<RunControl*> interrupted{nullptr};
volatile std::sig_atomic_t last_signal = SIGINT;
static_assert(std::atomic<RunControl*>::is_always_lock_free);

// Only what a handler may call. What was being written has a temporary name.
extern "C" void end_now(int) {
    constexpr std::string_view kWords = "warptree: stopped; nothing was written\n";
    if (write(STDERR_FILENO, kWords.data(), kWords.size()) < 0) {
        _exit(interrupted_code());
    }
    _exit(interrupted_code());
}

extern "C" void on_interrupt(int signal) {
    last_signal = signal;
    if (RunControl* control = interrupted.load()) {
        control->cancel = true;
    }
    std::signal(signal, SIG_DFL);
    std::signal(SIGALRM, end_now); // for work that does not look
    const itimerval soon{{0, 0}, {0, 400000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
}
} // namespace

int interrupted_code() { return last_signal == SIGTERM ? kTerminated : kInterrupted; }

Interrupt::Interrupt(RunControl& control) {
    interrupted = &control;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
}

Interrupt::~Interrupt() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    interrupted = nullptr;
}

} // namespace warptree::commands
