#include "app/run/run.hpp"

#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/kernel_run.hpp"

namespace warptree::runs {

RunOptions as_file(const RunOptions& strategy) {
    RunOptions o = resolve(strategy);
    o.kernel.file = (catalogue::shipped_folder() / require_strategy(o.strategy).source).string();
    o.kernel.n_given = o.kernel.input_given = true;
    return o;
}

namespace {
// As any other file; the trace is the strategy's.
Trace run_strategy(const RunOptions& asked, RunControl& control) {
    const RunOptions resolved = resolve(asked);
    Trace trace = run_kernel_file(as_file(resolved), control);
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
