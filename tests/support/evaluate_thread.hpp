// Internal to evaluate: one thread of a launch.
#pragma once

#include "app/compile/program/program.hpp"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace warptree::tests::evaluation {

using compile::Instruction;

struct Memory {
    std::vector<std::vector<std::uint8_t>> allocations; // by number
    // nullptr: invalid address.
    std::uint8_t* global(std::uint64_t address, std::size_t size);
};

struct BlockState {
    std::vector<std::uint8_t> shared;
    std::uint32_t number = 0;
};

struct Frame {
    std::uint32_t function = 0, block = 0, next = 0; // next: within the block
    std::vector<std::uint32_t> rows;
    std::uint32_t local = 0;             // where its local memory begins
    std::uint32_t call = compile::kNone; // of Program::calls, in the caller
};

enum class Waits : std::uint8_t { no, barrier, exchange, grid, done };

struct Launch {
    const compile::Program* program = nullptr;
    Memory* memory = nullptr;
    unsigned blocks = 1, threads = 1, dynamic_shared = 0;
    std::string stopped, printed;
    std::uint64_t budget = 20'000'000;
};

class Thread {
  public:
    Thread(Launch& launch, BlockState& block, std::uint32_t index) : launch_(&launch), block_(&block), index_(index) {}
    void enter(std::uint32_t function, std::uint32_t call);
    // Runs until it waits or ends.
    void run();

    std::uint64_t get(std::uint32_t row, unsigned rows) const;
    void set(std::uint32_t row, unsigned rows, std::uint64_t value);
    const Instruction& current() const;
    void advance() {
        ++frames.back().next;
        waits = Waits::no;
    }
    std::uint8_t* at(std::uint64_t address, std::size_t size);
    unsigned lane() const { return index_ % 32; }
    BlockState& block() const { return *block_; }

    std::vector<Frame> frames;
    std::vector<std::uint8_t> local;
    Waits waits = Waits::no;

  private:
    void step(const Instruction& in);
    bool compute(const Instruction& in); // instructions that only read and write rows
    void memory(const Instruction& in);
    void atomic(const Instruction& in);
    void control(const Instruction& in);
    void take(std::uint32_t edge);
    std::uint64_t special(compile::Special which) const;
    std::uint64_t address(const compile::Access& access, std::uint32_t a, std::uint32_t b) const;
    void stop(const std::string& why);

    Launch* launch_;
    BlockState* block_;
    std::uint32_t index_;
};

std::uint64_t evaluate_binary(compile::Opcode op, std::uint64_t a, std::uint64_t b, std::uint64_t c);
double evaluate_function(compile::Function f, double a, double b, bool is_double);

} // namespace warptree::tests::evaluation
