#include "kernels/cpu/fiber_context.hpp"

#if WARPTREE_OWN_SWITCH

// System V: rbx, rbp and r12 to r15 are the callee's to preserve; the caller has saved the others itself.
asm(R"(
    .text
    .p2align 5
    .globl warptree_switch_context
    .hidden warptree_switch_context
    .type warptree_switch_context, @function
warptree_switch_context:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    movq %rdx, %rdi
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size warptree_switch_context, . - warptree_switch_context
)");

namespace warptree::cpu {

FiberContext make_own_context(void* top, FiberEntry entry) {
    auto* slots = static_cast<void**>(top);
    *--slots = nullptr; // the entry's return address, where a call would have put it
    *--slots = reinterpret_cast<void*>(entry);
    for (int preserved = 0; preserved < 6; ++preserved) {
        *--slots = nullptr;
    }
    return slots;
}

} // namespace warptree::cpu

#endif
