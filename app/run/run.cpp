#include "app/run/run.hpp"

#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/kernel_run.hpp"

namespace warptree::runs {

namespace {
// As any other file, with what the strategy's options say; the trace is the strategy's.
Trace run_strategy(const RunOptions& asked, RunControl& control) {
    const RunOptions resolved = resolve(asked);
    RunOptions o = resolved;
    o.kernel.file = (catalogue::shipped_folder() / require_strategy(o.strategy).source).string();
    o.kernel.n_given = o.kernel.input_given = true;
    Trace trace = run_kernel_file(o, control);
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
