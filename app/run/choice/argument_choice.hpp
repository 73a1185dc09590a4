// What a kernel's parameters are called with: as requested, else as the file's header says, else as the program chooses.
#pragma once

#include "app/catalogue/launch_expression.hpp"
#include "app/run/kernel_launch.hpp"

#include <string_view>

namespace warptree::runs {

struct ArgumentSources {
    const compile::Program& program;
    const compile::Kernel& kernel;
    const catalogue::KernelHeader& header;
    const RunOptions& options;
    const Adjusted& adjusted;
    const catalogue::Names& names; // values that expressions may use: n, B, G, the header's parameters and definitions
    std::string_view element;      // type of the input's elements, for sizeof(T)
};

// Fills launch.arguments and adds to launch.chosen what the program chose; parameters, n, input, output and expect are
// set already.
// Throws OptionError: no such parameter, another number of arguments than parameters, or an expression without a usable value.
void choose_arguments(const ArgumentSources& sources, KernelLaunch& launch);

} // namespace warptree::runs
