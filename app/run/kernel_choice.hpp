// Which kernel of a file is meant.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/compile/program.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::runs {

// The kernel that is meant: its number, or the template to instantiate, as "reduce<256>". Throws OptionError, naming those
// there are.
struct KernelChoice {
    std::uint32_t kernel = compile::kNone;
    std::string instance; // to be compiled first; empty: none
    bool chosen = false;  // by the program, among several or for a template's arguments
};
KernelChoice choose_kernel(const compile::Program& program, const catalogue::KernelHeader& header,
                           const RunOptions& options);

} // namespace warptree::runs
