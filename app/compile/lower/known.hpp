// Functions that are one operation to the machine, whatever their body in a header, and which instructions affect other
// threads. In one place, so that the analyses and the lowering agree.
#pragma once

#include "app/compile/program/program.hpp"

#include <llvm/IR/Instructions.h>

#include <optional>

namespace warptree::compile::lowering {

// Functions known by name, beside LLVM's intrinsics.
enum class Known : std::uint8_t {
    none,
    shuffle, // __warptree_shuffle_32, _64
    grid_sync,
    lanes_here, // the mask of a shuffle or vote that has none of its own
    print,
    assert_fail,
    allocate,
    release,
    trap,
    math // __nv_*
};
Known known(const llvm::Function& function);
inline Known known(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    return callee == nullptr ? Known::none : known(*callee);
}

// Its name as in the source: "weight(int)".
std::string readable_name(const llvm::Function& function);

// The defined function that this calls, which is lowered; nullptr: an intrinsic, a known or external function, or a
// pointer.
llvm::Function* callee_of(const llvm::CallBase& call);

// A function of libdevice, by its name without "__nv_": sqrt, sqrtf, fast_expf, fmin.
struct MathCall {
    Opcode op = Opcode::math32;        // 32-bit form
    Function function = Function::abs; // of math32
    bool is_double = false;
};
std::optional<MathCall> math_call(llvm::StringRef name);

// Whether anything in the module names the cluster, its barrier or the shared memory of its blocks.
bool uses_clusters(const llvm::Module& module);
// Threads of a warp or block synchronise or exchange values here, as in each iteration of a tree.
bool synchronises(const llvm::CallBase& call);
bool is_block_barrier(const llvm::CallBase& call);
// A call inserted by clock_marks.hpp, not part of the program.
inline constexpr const char* kMark = "warptree.mark";
inline bool is_mark(const llvm::CallBase& call) { return call.getMetadata(kMark) != nullptr; }
bool is_shuffle(const llvm::CallBase& call);     // by a call (Known::shuffle, llvm.nvvm.shfl), not in inline assembly
bool is_warp_reduce(const llvm::CallBase& call); // __reduce_add_sync etc.
// Whether an instruction of inline assembly begins with `mnemonic`: "ld.", "bar.".
bool assembly_has(const llvm::CallBase& call, llvm::StringRef mnemonic);

} // namespace warptree::compile::lowering
