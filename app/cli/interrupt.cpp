#include "app/cli/interrupt.hpp"

#include "app/base/temporary_file.hpp"
#include "app/cli/exit_code.hpp"

#include <csignal>
#include <string_view>

#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

namespace warptree::commands {

namespace {
// Global: a signal handler can reach nothing else.
std::atomic<RunControl*> interrupted{nullptr};
std::atomic<int> patience_ms{0};
volatile std::sig_atomic_t last_signal = SIGINT, stop_told = 0;
static_assert(std::atomic<RunControl*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void alarm_after(int milliseconds) {
    const itimerval once{{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_REAL, &once, nullptr);
}

// Only what a handler may call.
extern "C" void end_now(int) {
    remove_temporary_files();
    constexpr std::string_view kWords = "warptree: stopped; nothing was written\n";
    pollfd err{STDERR_FILENO, POLLOUT, 0}; // a pipe that nobody reads would hold it up
    if (stop_told == 0 && poll(&err, 1, 0) == 1 && write(STDERR_FILENO, kWords.data(), kWords.size()) < 0) {
        _exit(interrupted_code());
    }
    _exit(interrupted_code());
}

extern "C" void on_interrupt(int signal) {
    last_signal = signal;
    if (RunControl* control = interrupted.load()) {
        control->cancel = true;
    }
    std::signal(SIGINT, end_now);
    std::signal(SIGTERM, end_now);
    std::signal(SIGALRM, end_now); // for work that does not look
    alarm_after(patience_ms.load());
}
} // namespace

void stop_is_told() { stop_told = 1; }

int interrupted_code() { return last_signal == SIGTERM ? kTerminated : kInterrupted; }

Interrupt::Interrupt(RunControl& control, std::chrono::milliseconds patience) {
    patience_ms = static_cast<int>(patience.count());
    interrupted = &control;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
}

Interrupt::~Interrupt() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    interrupted = nullptr;
}

void Interrupt::stopped() {
    constexpr int kToWrite = 10000;
    if (const RunControl* control = interrupted.load(); control != nullptr && control->cancel) {
        alarm_after(kToWrite);
    }
}

} // namespace warptree::commands
