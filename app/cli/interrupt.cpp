#include "app/cli/interrupt.hpp"

#include <csignal>

namespace warptree::commands {

namespace {
// Global: a signal handler can reach nothing else.
std::atomic<RunControl*> interrupted{nullptr};
static_assert(std::atomic<RunControl*>::is_always_lock_free);

extern "C" void on_interrupt(int signal) {
    if (RunControl* control = interrupted.load()) {
        control->cancel = true;
    }
    std::signal(signal, SIG_DFL);
}
} // namespace

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
