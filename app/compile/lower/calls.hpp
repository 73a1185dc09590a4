// Communication between lanes, warps and blocks, however it is written in the source.
#pragma once

#include "app/compile/lower/address.hpp"

namespace warptree::compile::lowering {

struct ShuffleRequest {
    ShuffleMode mode = ShuffleMode::down;
    Register mask = {}, value = {}, lane = {};
    Register width = {}; // none: 32
    bool wants_range = false;
    ValueType type = ValueType::none;
};
struct Shuffled {
    Register value, in_range;
};
Shuffled emit_shuffle(Body& body, const ShuffleRequest& request);
// The value's type in the source, looking through casts.
ValueType exchanged_type(const Body& body, const llvm::Value* value);

// vote, match, reduce_warp.
Register emit_exchange(Body& body, Opcode op, std::uint8_t mode, Register mask, Register value,
                       ValueType type = ValueType::none);
// With tags of the lanes' flags where these are made of elements.
Register emit_ballot(Body& body, const llvm::CallBase& ballot, Register mask, Register flag);
// popc of what such a ballot gathered: a sum of flags. No register: something else is counted.
Register emit_count_of_flags(Body& body, const llvm::CallBase& count);
Register emit_barrier(Body& body, Barrier barrier); // the result, if it reduces
void emit_fence(Body& body, Scope scope);

// By PTX's name without the percent sign: "tid.x", "lanemask_lt". No register: unknown.
Register special_register(Body& body, llvm::StringRef name);
// From operand c of PTX's shfl, which holds width and last lane; none for a width of 32.
Register shuffle_width(Body& body, const llvm::Value* clamp);

} // namespace warptree::compile::lowering
