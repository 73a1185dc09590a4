// The opcodes of a compiled kernel's instructions. One list, so that machine, listing and serialised form agree.
//
// A register is a row of 32 lanes of 4 or 8 bytes. Booleans and integers narrower than 32 bits are in 4-byte rows,
// always zero-extended. Pointers are 8 bytes. Names end in the operand width in bits. dst, a, b, c are the operands of
// compile::Instruction: rows unless stated otherwise.
#pragma once

#include <cstdint>

namespace warptree::compile {

// clang-format off
#define WARPTREE_OPCODES(X)                                                                                            \
    /* dst = a op b. Division by zero gives all ones, remainder by zero gives a; a shift by the width or more gives 0, \
       or the sign */                                                                                                  \
    X(add32) X(add64) X(sub32) X(sub64) X(mul32) X(mul64) X(udiv32) X(udiv64) X(sdiv32) X(sdiv64) X(urem32)            \
    X(urem64) X(srem32) X(srem64) X(shl32) X(shl64) X(lshr32) X(lshr64) X(ashr32) X(ashr64) X(and32) X(and64)          \
    X(or32) X(or64) X(xor32) X(xor64) X(smin32) X(smin64) X(smax32) X(smax64) X(umin32) X(umin64) X(umax32)            \
    X(umax64) X(umulhi32) X(umulhi64) X(smulhi32) X(smulhi64) X(fadd32) X(fadd64) X(fsub32) X(fsub64) X(fmul32)        \
    X(fmul64) X(fdiv32) X(fdiv64) X(frem32) X(frem64) X(fmin32) X(fmin64) X(fmax32) X(fmax64)                          \
    /* dst = a * b + c, rounded once; fma_odd64: of operands that fit into 16 bits, to be rounded to 16 bits once more \
       (narrow_float.hpp) */                                                                                           \
    X(fma32) X(fma64) X(fma_odd64)                                                                                     \
    /* dst = -a */                                                                                                     \
    X(fneg32) X(fneg64)                                                                                                \
    /* dst (0 or 1, a 4-byte row) = a op b */                                                                          \
    X(eq32) X(eq64) X(ne32) X(ne64) X(ult32) X(ult64) X(ule32) X(ule64) X(slt32) X(slt64) X(sle32) X(sle64)            \
    /* the same; c (a number) is the set of outcomes for which it holds: equal 1, greater 2, less 4, unordered 8 */    \
    X(fcmp32) X(fcmp64)                                                                                                \
    /* dst = c != 0 ? a : b; mov: dst = a */                                                                           \
    X(select32) X(select64) X(mov32) X(mov64)                                                                          \
    /* zext64, sext64: a 4-byte row to an 8-byte one; trunc32: the reverse. keep_low: the low b (a number) bits of a   \
       4-byte row; sign_low: the same, sign-extended to 32 bits */                                                     \
    X(zext64) X(sext64) X(trunc32) X(keep_low) X(sign_low)                                                             \
    /* int: 32 bits, long: 64. To integer: towards zero, saturating, NaN gives 0 */                                    \
    X(int_to_f32) X(uint_to_f32) X(long_to_f32) X(ulong_to_f32) X(int_to_f64) X(uint_to_f64) X(long_to_f64)            \
    X(ulong_to_f64) X(f32_to_int) X(f32_to_uint) X(f32_to_long) X(f32_to_ulong) X(f64_to_int) X(f64_to_uint)           \
    X(f64_to_long) X(f64_to_ulong)                                                                                     \
    /* f16 and bf16 are their 16 bits in a 4-byte row */                                                               \
    X(f32_to_f64) X(f64_to_f32) X(f16_to_f32) X(f32_to_f16) X(f64_to_f16) X(f32_to_bf16) X(f64_to_bf16)                \
    /* dst = f(a), f(a, b); c (a number): a Function */                                                                \
    X(math32) X(math64)                                                                                                \
    /* dst (a 4-byte row but for brev64) = number of bits set; leading or trailing zeros (the width for 0); bits       \
       reversed */                                                                                                     \
    X(popc32) X(popc64) X(clz32) X(clz64) X(ctz32) X(ctz64) X(brev32) X(brev64)                                        \
    /* dst = number of bits set in a, a ballot: the sum of the flags (tag_a) of those lanes whose bits are set in b */  \
    X(count_flags)                                                                                                     \
    /* dst = bytes of the pair (a, b) selected by the nibbles of c, as PTX's prmt */                                   \
    X(prmt)                                                                                                            \
    /* dst (8 bytes) = the address that Program::accesses[c] computes from base a and index b */                       \
    X(address)                                                                                                         \
    /* dst (8 bytes) = the address of byte c (a number) of this frame in the lane's local memory */                    \
    X(local_address)                                                                                                   \
    /* Program::accesses[c] at base a and index b. load: to dst and the rows that follow it. store: from dst likewise. \
       atomic: Program::atomics[c] */                                                                                  \
    X(load) X(store) X(atomic)                                                                                         \
    /* memory at dst = c (an 8-byte row) bytes from address a, or of the byte in a. copy_async: Program::copies[c] */  \
    X(copy_memory) X(fill_memory) X(copy_async)                                                                        \
    /* commit a group; wait until at most c (a number) groups of the thread are pending */                             \
    X(copy_commit) X(copy_wait)                                                                                        \
    /* Program::exchanges[c] of value a (and the rows after it) */                                                     \
    X(shuffle) X(vote) X(match) X(reduce_warp)                                                                         \
    /* a: the mask, a row */                                                                                           \
    X(sync_warp)                                                                                                       \
    /* dst = the active mask; c (a number): 1 for a shuffle or vote without a mask of its own, which is a finding */   \
    X(active_mask)                                                                                                     \
    /* Program::barriers[c] */                                                                                         \
    X(barrier)                                                                                                         \
    /* c (a number): 0 block, 1 device, 2 system */                                                                    \
    X(fence)                                                                                                           \
    /* a barrier for all threads of the grid (cooperative) */                                                          \
    X(grid_barrier)                                                                                                    \
    /* of the cluster's blocks. c (a number): 0 the thread arrives at their barrier, 1 it waits until all have */      \
    X(cluster_barrier)                                                                                                 \
    /* dst = a special register; c (a number): a Special */                                                            \
    X(special)                                                                                                         \
    /* c: an edge. branch: a, edge b when true, c when false. branch_switch: Program::switches[c] of a */              \
    X(jump) X(branch) X(branch_switch)                                                                                 \
    /* Program::calls[c]. call_pointer: the function whose address is a */                                             \
    X(call) X(call_pointer)                                                                                            \
    /* ret: values from a on, as many rows as the function returns. exit: the thread ends */                           \
    X(ret) X(exit)                                                                                                     \
    /* stops with a finding; c: an index into Program::texts that says why */                                          \
    X(trap)                                                                                                            \
    /* dst = printf(format a, arguments at b); c: an index into Program::texts, of argument types. The assertion       \
       whose text is at a fails, c (a number): line */                                                                 \
    X(print) X(assert_fail)                                                                                            \
    /* dst = malloc(a), on the device heap; free(a) */                                                                 \
    X(heap_allocate) X(heap_free)                                                                                      \
    /* the source's Program::variables[c] has the value a from here on; used by full traces only */                    \
    X(watch)
// clang-format on

enum class Opcode : std::uint16_t {
#define WARPTREE_X(name) name,
    WARPTREE_OPCODES(WARPTREE_X)
#undef WARPTREE_X
        count
};

const char* name(Opcode op);

// Functions of math32 and math64; those with two arguments come last.
// clang-format off
#define WARPTREE_FUNCTIONS(X)                                                                                          \
    X(abs) X(sqrt) X(rsqrt) X(reciprocal) X(cbrt) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10)             \
    X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)           \
    X(sinpi) X(cospi) X(erf) X(erfc) X(erfinv) X(normcdf) X(tgamma) X(lgamma) X(floor) X(ceil) X(trunc) X(round)       \
    X(rint) X(saturate) X(pow) X(atan2) X(fmod) X(remainder) X(hypot) X(copysign) X(nextafter) X(ldexp)
// clang-format on

enum class Function : std::uint8_t {
#define WARPTREE_X(name) name,
    WARPTREE_FUNCTIONS(WARPTREE_X)
#undef WARPTREE_X
        count
};
constexpr bool takes_two(Function f) { return f >= Function::pow; } // ldexp: b is an integer, a 4-byte row
const char* name(Function f);

// Special registers: 4-byte rows, but 8-byte ones for clock64 and timer.
enum class Special : std::uint8_t {
    thread_x,
    thread_y,
    thread_z, // threadIdx
    block_x,
    block_y,
    block_z, // blockIdx
    block_size_x,
    block_size_y,
    block_size_z, // blockDim
    grid_size_x,
    grid_size_y,
    grid_size_z, // gridDim
    lane,
    warp,
    warps, // in the block
    lanes_below,
    lanes_up_to,
    lanes_from,
    lanes_above,
    lane_bit,
    multiprocessor,
    multiprocessors, // multiprocessor: the block's number modulo their count, 132
    clock,
    clock64,
    timer, // clocks and timer: instructions so far, which order events but measure no time
    dynamic_shared_bytes,
    cluster_block_x,
    cluster_block_y,
    cluster_block_z, // the block's index in its cluster
    cluster_size_x,
    cluster_size_y,
    cluster_size_z, // blocks of a cluster
    cluster_x,
    cluster_y,
    cluster_z, // the cluster's index in the grid
    clusters_x,
    clusters_y,
    clusters_z, // clusters of the grid
    cluster_rank,
    cluster_blocks, // the block's rank in its cluster; blocks of that in all
    count
};

} // namespace warptree::compile
