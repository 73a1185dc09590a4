// Where a fiber stopped, and the switch to another.
//
// On x86-64 the switch is a call that returns on the other stack: the processor pairs calls with returns, and so
// foresees where each fiber goes on. Boost's switch ends in a jump, which it cannot foresee, and saves floating-point
// modes, which no kernel changes; it serves other processors, and the address sanitizer's builds.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define WARPTREE_OWN_SWITCH 1
#else
#define WARPTREE_OWN_SWITCH 0
#include <boost/context/detail/fcontext.hpp>
#endif

namespace warptree::cpu {

// The stack pointer of a fiber that waits; its registers lie above.
using FiberContext = void*;
// Must not return. `argument` is that of the switch that started the fiber.
using FiberEntry = void (*)(void* argument);

// make_context<entry>(top, bytes): a context that starts `entry` on the stack of `bytes` below `top`,
// which is a multiple of 16.
// switch_context(from, to, argument): goes on at `to`; where the caller stopped is written to `from`, and the call
// returns when something switches there.

#if WARPTREE_OWN_SWITCH

FiberContext make_own_context(void* top, FiberEntry entry);
extern "C" void warptree_switch_context(FiberContext* from, FiberContext to, void* argument);

template <FiberEntry entry> FiberContext make_context(void* top, std::size_t) { return make_own_context(top, entry); }
inline void switch_context(FiberContext& from, FiberContext to, void* argument) {
    warptree_switch_context(&from, to, argument);
}

#else

struct BoostSwitch {
    FiberContext* from; // written by the side that is switched to: only it learns where the other stopped
    void* argument;
};
template <FiberEntry entry> FiberContext make_context(void* top, std::size_t bytes) {
    return boost::context::detail::make_fcontext(top, bytes, [](boost::context::detail::transfer_t came) {
        const BoostSwitch how = *static_cast<BoostSwitch*>(came.data);
        *how.from = came.fctx;
        entry(how.argument);
    });
}
inline void switch_context(FiberContext& from, FiberContext to, void* argument) {
    BoostSwitch how{&from, argument};
    const auto came = boost::context::detail::jump_fcontext(to, &how);
    *static_cast<BoostSwitch*>(came.data)->from = came.fctx;
}

#endif

} // namespace warptree::cpu
