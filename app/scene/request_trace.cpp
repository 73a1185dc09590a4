#include "app/scene/request_trace.hpp"

#include <bit>

namespace warptree::scene {

Trace trace_of(const banks::BankRequest& request, unsigned warp) {
    const banks::BankReport report = banks::analyze(request);
    Trace trace;
    trace.options.banks = request.banks;
    Launch& launch = trace.launches.emplace_back();
    launch.block = (warp + 1) * kWarpSize;
    launch.window_count = 1;
    launch.outputs_total = 1;
    launch.steps.push_back({StepKind::stage, 0, "request", {}});
    launch.warp_steps.resize(launch.warps());
    for (WarpStep& w : launch.warp_steps) {
        w.existing = 0xFFFFFFFFU;
    }
    launch.warp_steps.back().active = request.mask;
    if (request.mask == 0) {
        return trace;
    }
    Request& r = launch.requests.emplace_back();
    r.warp = static_cast<std::uint16_t>(warp);
    r.kind = request.store ? AccessKind::shared_store : AccessKind::shared_load;
    r.bytes = static_cast<std::uint8_t>(request.bytes);
    r.mask = request.mask;
    r.wavefronts = static_cast<std::uint16_t>(report.wavefronts);
    r.ideal = static_cast<std::uint16_t>(report.ideal);
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        launch.indices.push_back(request.index[static_cast<unsigned>(std::countr_zero(rest))]);
    }
    return trace;
}

} // namespace warptree::scene
