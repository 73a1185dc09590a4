// A launch of a program, as it was asked for.
#pragma once

#include "app/run/program/session.hpp"

namespace warptree::runs {

struct ProgramSession::Wanted {
    std::uint32_t kernel = 0;
    bool together = false; // cudaLaunchCooperativeKernel
    bool returned = false; // the call returns its error
    simt::Extent grid{}, block{};
    simt::Extent cluster{}; // as the launch says; 0: it does not
    std::uint64_t shared = 0, stream = 0;
    const compile::Kernel* code = nullptr;
};

} // namespace warptree::runs
