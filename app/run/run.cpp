#include "app/run/run.hpp"

#include "app/catalogue/catalogue.hpp"
#include "app/compile/compiler_process.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/io/archive.hpp"
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"

namespace warptree::runs {

namespace {
// The file that a strategy is run from; empty: it has none here, or nothing compiles it.
std::string file_of(const RunOptions& o) {
    static const bool compiles = !compile::find_worker().empty();
    return compiles && find_strategy(o.strategy) != nullptr ? catalogue::shipped_file(o.strategy).string()
                                                            : std::string();
}

// A warp of the machine goes in lockstep. Where that hides how its lanes race, any other order means one lane after another,
// which only the fibers do.
bool needs_fibers(const std::string& file, const RunOptions& o) {
    return o.backend != Backend::cuda && o.order != WarpOrder::lockstep &&
           catalogue::read_header(read_whole(file, 1U << 20)).lanes_race;
}

// As any other file, with what the strategy's options say; the trace is the strategy's.
Trace run_from(const std::string& file, const RunOptions& asked, RunControl& control) {
    const RunOptions resolved = resolve(asked);
    RunOptions o = resolved;
    o.kernel.file = file;
    o.kernel.n_given = o.kernel.input_given = true;
    Trace trace = run_kernel_file(o, control);
    const Backend ran = trace.options.backend;
    trace.options = resolved;
    trace.options.backend = ran;
    return trace;
}
} // namespace

Trace run_any(const RunOptions& options, RunControl& control) {
    if (is_kernel_file(options)) {
        return run_kernel_file(options, control);
    }
    const std::string file = file_of(options);
    if (file.empty() || needs_fibers(file, options)) {
        return warptree::run(options, control);
    }
    return run_from(file, options, control);
}

Trace run_any(const RunOptions& options) {
    RunControl control;
    return run_any(options, control);
}

} // namespace warptree::runs
