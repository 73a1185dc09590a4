// What the machine wants to know of a program's blocks at once.
#pragma once

#include "app/compile/program.hpp"

#include <cstdint>
#include <vector>

namespace warptree::simt {

class Prepared {
  public:
    explicit Prepared(const compile::Program& program);

    // The block that an instruction of a function is in.
    std::uint32_t block_of(std::uint32_t function, std::uint32_t pc) const { return functions_[function].block_of[pc]; }
    // The innermost combining loop around a block; kNone: none.
    std::uint32_t stage_loop(std::uint32_t function, std::uint32_t block) const {
        return functions_[function].stage_loop[block];
    }
    // Whether loop `inner`, or one around it, is `outer`.
    bool within(std::uint32_t inner, std::uint32_t outer) const;
    // A statement's number among those of all functions.
    std::uint32_t statement(std::uint32_t function, std::uint32_t index) const {
        return functions_[function].first_statement + index;
    }
    // A kernel accesses parts of words of shared memory.
    bool has_small_shared_accesses() const { return small_shared_; }

  private:
    struct Function {
        std::vector<std::uint32_t> block_of, stage_loop;
        std::uint32_t first_statement = 0;
    };
    const compile::Program& program_;
    std::vector<Function> functions_;
    bool small_shared_ = false;
};

} // namespace warptree::simt
