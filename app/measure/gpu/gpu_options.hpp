// How real kernels are compiled and run on this machine's GPU.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace warptree::runs {

struct GpuOptions {
    std::vector<std::string> compiler_options; // "--use_fast_math"
    bool insist = false;                       // run even if it goes wrong in the interpreter
    std::chrono::milliseconds limit{10000};    // time limit of a run
};

} // namespace warptree::runs
