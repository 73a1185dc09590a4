#include "app/host/crash.hpp"

#include "app/host/channel.hpp"
#include "app/host/guards.hpp"
#include "app/host/memory_operand.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <ucontext.h>

namespace warptree::host {

namespace {

std::uint64_t stack_end = 0;
constexpr std::uint64_t kDeviceUpper = 0x10; // bits 48 to 63 of an address of device memory: compile::kGlobalBase

// The address of device memory that the instruction used: the processor does not say which, as it cannot be an address
// of a process. Where the instruction does not say it either, any register that has one.
std::uint64_t device_address(const ucontext_t& state) {
    if (const auto operand = memory_operand(state); operand && *operand >> 52 == kDeviceUpper >> 4) return *operand;
    for (const greg_t value : state.uc_mcontext.gregs)
        if (static_cast<std::uint64_t>(value) >> 52 == kDeviceUpper >> 4) return static_cast<std::uint64_t>(value);
    return 0;
}

constexpr greg_t kTrapFlag = 0x100; // of the processor: it stops behind the next instruction

void behind_step(int, siginfo_t*, void* context) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    end_step();
}

void crashed(int signal, siginfo_t* info, void* context) {
    const auto& state = *static_cast<const ucontext_t*>(context);
    const auto top = static_cast<std::uint64_t>(state.uc_mcontext.gregs[REG_RSP]);
    auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    if (signal == SIGSEGV && (info->si_code == SI_KERNEL || address == 0))
        if (const std::uint64_t device = device_address(state); device != 0) address = device;
    constexpr std::uint64_t kNear = 1 << 16;
    const bool stack = signal == SIGSEGV && address + kNear > top && address < top + kNear;
    CodeChain at;
    if (loaded != nullptr) {
        at.at = loaded->place(static_cast<std::uint64_t>(state.uc_mcontext.gregs[REG_RIP]));
        // The main thread's stack ends where it is known to; of another one's the page is surely there.
        constexpr std::uint64_t kMostStack = 16ULL << 20, kPage = 4096;
        const bool main = stack_end > top && stack_end - top < kMostStack;
        const std::uint64_t end = main ? std::min(stack_end, top + (1 << 16)) : (top / kPage + 1) * kPage;
        if (!stack) loaded->callers(top, end, at.callers);
        if (at.at.section == 0) at.at = at.callers[0];
    }
    constexpr greg_t kWrites = 2; // of the processor's error code
    if (signal == SIGSEGV) {
        const Touch touch = touch_guard(address, (state.uc_mcontext.gregs[REG_ERR] & kWrites) != 0, at);
        if (touch == Touch::beside) static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
        if (touch != Touch::none) return;
    }
    say_crashed(signal, signal == SIGABRT ? 0 : address, stack, at);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

void watch_crashes(std::uint64_t end) {
    stack_end = end;
    static std::array<char, 1 << 16> space;
    const stack_t alternative = {space.data(), 0, space.size()};
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr); // which may come more than once: see guards.hpp
    action.sa_sigaction = behind_step;
    sigaction(SIGTRAP, &action, nullptr);
    action.sa_sigaction = crashed;
    action.sa_flags |= SA_RESETHAND;
    for (const int signal : {SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

} // namespace warptree::host
