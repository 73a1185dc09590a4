#include "app/measure/gpu/real_launch.hpp"

#include "app/measure/gpu/interpreted_first.hpp"
#include "app/measure/gpu/real_kernel.hpp"

namespace warptree::runs {

RealLaunch launch_for_real(const RunOptions& options, const Trace& trace) {
    RealCode code({});
    RealRun real(options, {}, code, reached_in(trace));
    real.run(true);
    return {real.first_output(), real.expected().kind, real.code().symbols.front(), real.code().compiler,
            real.code().image};
}

} // namespace warptree::runs
