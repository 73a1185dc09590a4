// Memory that both halves see and that the device may still be using: the host's access to it is noticed, told, and let pass.
#pragma once

#include "app/host/channel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace warptree::host {

// Takes over the guards that the server sent, instead of those before.
void set_guards(std::span<const std::byte> guards);

// Whether this processor can stop behind one instruction.
constexpr bool can_step() {
#ifdef __x86_64__
    return true;
#else
    return false;
#endif
}

// For the handler of SIGSEGV. none: the address lies in no guard's pages. lifted: in a guard, which is gone then. beside: in its
// pages, which are open until end_step(), to be called behind the instruction.
enum class Touch : std::uint8_t { none, lifted, beside };
Touch touch_guard(std::uint64_t address, bool writes, const CodeChain& at);
void end_step();

struct EarlyAccess {
    std::uint64_t address = 0;
    bool writes = false;
    CodeChain at;
};
// One that was noticed and is not yet told; false: there is none.
bool take_early_access(EarlyAccess& to);

} // namespace warptree::host
