#include "app/theory/memory_spaces.hpp"

#include <array>

namespace warptree::theory {

namespace {
constexpr std::array kSpaces{
    MemorySpace{"register", "int x;", "on the multiprocessor", "thread", "its thread", "read and write",
                "the running value of a thread; shuffles move it between lanes"},
    MemorySpace{"local", "int x[64]; or spilled registers", "device memory, cached in L1 and L2", "thread",
                "its thread", "read and write", "what does not fit in registers: slow, to be avoided"},
    MemorySpace{"shared", "__shared__ int x[256];", "on the multiprocessor", "block", "its block", "read and write",
                "the partial results of a block, between two barriers"},
    MemorySpace{"global", "__device__ int x; or cudaMalloc", "device memory, cached in L1 and L2", "grid and host",
                "the program, or until it is freed", "read and write",
                "the input, the partial results of the blocks, the total"},
    MemorySpace{"constant", "__constant__ int x;", "device memory, with a cache of its own", "grid and host",
                "the program", "read", "one value for all lanes: a broadcast"},
};
} // namespace

std::span<const MemorySpace> memory_spaces() { return kSpaces; }

} // namespace warptree::theory
