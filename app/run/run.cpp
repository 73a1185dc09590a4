#include "app/run/run.hpp"

#include "app/run/kernel_run.hpp"
#include "kernels/run.hpp"

namespace warptree::runs {

Trace run_any(const RunOptions& options, RunControl& control) {
    return is_kernel_file(options) ? run_kernel_file(options, control) : warptree::run(options, control);
}

} // namespace warptree::runs
