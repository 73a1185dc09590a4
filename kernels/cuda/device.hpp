// What GPUs there are, in plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::cuda {

struct Gpu {
    std::string name;
    int compute_major = 0, compute_minor = 0;
    int multiprocessors = 0;
    int core_clock_khz = 0, memory_clock_khz = 0; // 0: not told
    int memory_bus_bits = 0;
    std::uint64_t memory_bytes = 0, l2_bytes = 0;
    std::uint64_t shared_per_block = 0, shared_per_block_optin = 0, shared_per_multiprocessor = 0;
    int threads_per_block = 0, threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
    int registers_per_block = 0, registers_per_multiprocessor = 0;
    // Double data rate: 2 × memory clock × bus width / 8. 0 when the clock is not told.
    double theoretical_bytes_per_second() const { return 2.0 * memory_clock_khz * 1e3 * memory_bus_bits / 8; }
};

// Empty when there is none that works; see why_not() in backend.hpp.
std::vector<Gpu> gpus();
int driver_version();  // 13000 for 13.0; 0: no driver
int runtime_version(); // of the toolkit built with; 0: built without

} // namespace warptree::cuda
