// Which kernel of a file to run.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/compile/program/program.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::runs {

// The kernel to run: its index, or the template to instantiate, as "reduce<256>". Throws OptionError naming the kernels
// of the file. dimensions: of threadIdx that the kernel reads, once it is known; a template's numbers are those of a block's
// threads, or of a side of it. type: a template's types.
struct KernelChoice {
    std::uint32_t kernel = compile::kNone;
    std::string instance; // to be instantiated before it can run; empty: none
    bool chosen = false;  // by the program, among several kernels or as a template's arguments
};
KernelChoice choose_kernel(const compile::Program& program, const catalogue::KernelHeader& header,
                           const RunOptions& options, unsigned dimensions = 1, std::string_view type = "float");

} // namespace warptree::runs
