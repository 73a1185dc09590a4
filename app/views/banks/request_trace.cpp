#include "app/views/banks/request_trace.hpp"

#include "app/views/views.hpp"

#include <algorithm>

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
    launch.steps.push_back({StepKind::stage, 0, "request", {}, {}});
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

Drawing compose_request(const Trace& trace, const Theme& theme, const TextMeasure& measure, float scale, float width,
                        float height) {
    const float margin = std::min(40 * scale, width / 24);
    ViewContext context;
    context.trace = &trace;
    context.moment = {0, 0, 1};
    context.theme = &theme;
    context.measure = &measure;
    context.scale = scale;
    Drawing drawing = draw_banks(context, {margin, margin, width - 2 * margin, height - 2 * margin}, 0);
    drawing.clip = {0, 0, width, height};
    if (drawing.layers.empty()) {
        drawing.layers.emplace_back();
    }
    auto& boxes = drawing.layers[0].boxes;
    boxes.insert(boxes.begin(), {.rect = drawing.clip, .fill = theme.panel});
    return drawing;
}

} // namespace warptree::scene
