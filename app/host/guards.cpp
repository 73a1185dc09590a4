#include "app/host/guards.hpp"

#include "app/host/protocol.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include <sys/mman.h>

namespace warptree::host {

namespace {

// All of it is looked at by a signal handler: fixed places, no lock.
std::array<Guard, kMostGuards> guarded;
std::atomic<unsigned> guarded_count{0};
std::array<EarlyAccess, 64> early;
std::atomic<unsigned> early_written{0}, early_taken{0};
std::atomic<unsigned> lifted_again{0};

void protect(const Guard& guard, int protection) {
    mprotect(reinterpret_cast<void*>(guard.address), guard.bytes, protection);
}

} // namespace

void set_guards(std::span<const std::byte> guards) {
    static std::mutex one;
    const std::lock_guard lock(one);
    for (unsigned i = 0; i < guarded_count; ++i) protect(guarded[i], PROT_READ | PROT_WRITE);
    guarded_count = 0;
    const auto count = static_cast<unsigned>(std::min(guards.size() / sizeof(Guard), kMostGuards));
    if (count != 0) std::memcpy(guarded.data(), guards.data(), count * sizeof(Guard));
    guarded_count = count;
    lifted_again = 0;
    // Where two overlap, the one that may not even be read comes last.
    for (const bool readable : {true, false})
        for (unsigned i = 0; i < count; ++i)
            if ((guarded[i].readable != 0) == readable) protect(guarded[i], readable ? PROT_READ : PROT_NONE);
}

bool lift_guard(std::uint64_t address, bool writes, const CodeChain& at) {
    constexpr unsigned kMostAgain = 1 << 20; // then it is no guard that stands in the way
    bool found = false;
    for (unsigned i = 0; i < guarded_count; ++i)
        if (const Guard& g = guarded[i]; address >= g.address && address - g.address < g.bytes) {
            protect(g, PROT_READ | PROT_WRITE);
            found = true;
        }
    if (!found || ++lifted_again > kMostAgain) return false;
    if (const unsigned place = early_written++; place < early.size()) early[place] = {address, writes, at};
    return true;
}

bool take_early_access(EarlyAccess& to) {
    const unsigned place = early_taken.load();
    if (place >= early_written.load() || place >= early.size()) return false;
    to = early[place];
    ++early_taken;
    return true;
}

} // namespace warptree::host
