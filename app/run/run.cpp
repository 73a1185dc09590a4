#include "app/run/run.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/run/kernel_run.hpp"

namespace warptree::runs {

namespace {
// Runs it like any other file; the trace has the strategy's options.
Trace run_strategy(const RunOptions& asked, RunControl& control) {
    const RunOptions resolved = resolve(asked);
    Trace trace = run_kernel_file(of_its_file(resolved), control);
    const Backend ran = trace.options.backend;
    trace.options = resolved;
    trace.options.backend = ran;
    return trace;
}
} // namespace

Trace run_any(const RunOptions& options, RunControl& control) {
    return is_kernel_file(options) ? run_kernel_file(options, control) : run_strategy(options, control);
}

Trace run_any(const RunOptions& options) {
    RunControl control;
    return run_any(options, control);
}

} // namespace warptree::runs
