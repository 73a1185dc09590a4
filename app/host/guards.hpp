// Memory that both halves see and that the device may still be using: the host's access to it is noticed, told, and let pass.
#pragma once

#include "app/host/channel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace warptree::host {

// Takes over the guards that the server sent, instead of those before.
void set_guards(std::span<const std::byte> guards);

// For the handler of SIGSEGV: whether the address lies in a guard, which is then lifted; the access goes on.
bool lift_guard(std::uint64_t address, bool writes, const CodeChain& at);

struct EarlyAccess {
    std::uint64_t address = 0;
    bool writes = false;
    CodeChain at;
};
// One that was noticed and is not yet told; false: there is none.
bool take_early_access(EarlyAccess& to);

} // namespace warptree::host
