// Runs a compiled program one thread at a time, slowly and plainly: tests of the lowering compare its results with
// C++'s. Threads wait for one another only at barriers and exchanges. It knows nothing of steps, tags or findings.
#pragma once

#include "app/compile/program/program.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace warptree::tests {

class Evaluator {
  public:
    explicit Evaluator(const compile::Program& program);
    ~Evaluator();

    // Allocates a kernel's array filled with `values`; returns its address.
    template <class T> std::uint64_t array(const std::vector<T>& values) {
        const std::uint64_t address = allocate(values.size() * sizeof(T));
        std::memcpy(bytes(address), values.data(), values.size() * sizeof(T));
        return address;
    }
    template <class T> std::vector<T> values(std::uint64_t address, std::size_t count) {
        std::vector<T> result(count);
        std::memcpy(result.data(), bytes(address), count * sizeof(T));
        return result;
    }
    std::uint64_t allocate(std::size_t size);
    std::uint8_t* bytes(std::uint64_t address);

    // One number per argument; for a record, its bytes in `records`, in order. Returns why threads stopped early; empty
    // if none did.
    std::string run(const std::string& kernel, const std::vector<std::uint64_t>& arguments, unsigned blocks = 1,
                    unsigned threads = 1, unsigned dynamic_shared = 0,
                    const std::vector<std::vector<std::uint8_t>>& records = {});
    const std::string& printed() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace warptree::tests
