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

constexpr std::uint64_t kGuardPage = 4096;
std::atomic<unsigned> stepped{0};
std::atomic<std::uint64_t> stepped_page{0}; // open for one instruction; 0: none

struct Pages {
    std::uint64_t begin, end;
    explicit Pages(const Guard& g)
        : begin(g.address / kGuardPage * kGuardPage),
          end((g.address + g.bytes + kGuardPage - 1) / kGuardPage * kGuardPage) {}
    bool have(std::uint64_t address) const { return begin <= address && address < end; }
};

void protect(std::uint64_t begin, std::uint64_t end, int protection) {
    mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

void lift(Guard& guard) {
    const Pages pages(guard);
    protect(pages.begin, pages.end, PROT_READ | PROT_WRITE);
    guard.bytes = 0;
}

} // namespace

void set_guards(std::span<const std::byte> guards) {
    static std::mutex one;
    const std::lock_guard lock(one);
    for (unsigned i = 0; i < guarded_count; ++i)
        if (guarded[i].bytes != 0) lift(guarded[i]);
    guarded_count = 0;
    const auto count = static_cast<unsigned>(std::min(guards.size() / sizeof(Guard), kMostGuards));
    if (count != 0) std::memcpy(guarded.data(), guards.data(), count * sizeof(Guard));
    guarded_count = count;
    lifted_again = stepped = 0;
    // Where two overlap, the one that may not even be read comes last.
    for (const bool readable : {true, false})
        for (unsigned i = 0; i < count; ++i)
            if ((guarded[i].readable != 0) == readable) {
                const Pages pages(guarded[i]);
                protect(pages.begin, pages.end, readable ? PROT_READ : PROT_NONE);
            }
}

Touch touch_guard(std::uint64_t address, bool writes, const CodeChain& at) {
    constexpr unsigned kMostAgain = 1 << 20; // then it is no guard that stands in the way
    constexpr unsigned kMostSteps = 1 << 16; // of accesses to what lies beside: then its pages are open
    bool near = false, within = false;
    for (unsigned i = 0; i < guarded_count; ++i) {
        const Guard& g = guarded[i];
        near |= g.bytes != 0 && Pages(g).have(address);
        within |= g.bytes != 0 && address >= g.address && address - g.address < g.bytes && (writes || g.readable == 0);
    }
    if (!near || ++lifted_again > kMostAgain) return Touch::none;
    if (!within && ++stepped < kMostSteps && can_step()) {
        stepped_page = address / kGuardPage * kGuardPage;
        protect(stepped_page, stepped_page + kGuardPage, PROT_READ | PROT_WRITE);
        return Touch::beside;
    }
    for (unsigned i = 0; i < guarded_count; ++i)
        if (Guard& g = guarded[i]; g.bytes != 0 && Pages(g).have(address)) lift(g);
    if (within)
        if (const unsigned place = early_written++; place < early.size()) early[place] = {address, writes, at};
    return Touch::lifted;
}

void end_step() {
    const std::uint64_t page = stepped_page.exchange(0);
    bool near = false, readable = true;
    for (unsigned i = 0; i < guarded_count; ++i)
        if (const Guard& g = guarded[i]; page != 0 && g.bytes != 0 && Pages(g).have(page)) {
            near = true;
            readable &= g.readable != 0;
        }
    if (near) protect(page, page + kGuardPage, readable ? PROT_READ : PROT_NONE);
}

bool take_early_access(EarlyAccess& to) {
    const unsigned place = early_taken.load();
    if (place >= early_written.load() || place >= early.size()) return false;
    to = early[place];
    ++early_taken;
    return true;
}

} // namespace warptree::host
