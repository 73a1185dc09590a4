#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/summary_kernel.hpp"
#include "app/views/tree/tree_layout.hpp"

#include <algorithm>

namespace warptree::scene {

namespace {

struct Stage {
    std::string title, detail;
    std::uint32_t launch;
    bool current, done;
};

std::vector<Stage> stages(const TreeView& view) {
    const Trace& trace = *view.trace;
    const bool host = is_host(trace, view.context->moment);
    const bool hidden = view.context->hidden_from != kNone; // the rest of the last launch is still hidden
    std::vector<Stage> list;
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        if (is_program(trace) && l != view.launch_id) {
            continue;
        }
        const Launch& launch = trace.launches[l];
        const bool known = !hidden || l + 1 < trace.launches.size();
        std::string detail = (known ? plural(launch.grid, "block") : "? blocks") + " × " + grouped(launch.block);
        if (known && launch.window_count < launch.grid) {
            detail += launch.window_count == 1
                          ? ", block " + std::to_string(launch.window_first) + " shown"
                          : ", " + std::to_string(launch.window_first) + "–" +
                                std::to_string(launch.window_first + launch.window_count - 1) + " shown";
        }
        list.push_back({trace.launches.size() > 1 ? "launch " + std::to_string(l + 1) : "launch", detail, l,
                        !host && l == view.launch_id, host || l < view.launch_id});
    }
    if (is_program(trace)) {
        return list;
    }
    const auto end = static_cast<std::uint32_t>(trace.launches.size());
    const bool finished =
        host || (!list.empty() && view.launch_id + 1 == end && view.step + 1 == view.steps() && view.phase >= 1);
    if (is_kernel_file(trace) && (expects_nothing(trace) || !trace.completed())) {
        const Fact out = kernel_result(trace);
        list.push_back({trace.completed() ? out.label : "no result",
                        !trace.completed() ? out.note
                        : finished         ? out.value
                                           : "",
                        kNone, false, finished});
    } else if (hidden) {
        list.push_back({"result", "?", kNone, false, false});
    } else if (trace.host_partials > 1) {
        list.push_back({"host", "combines " + grouped(trace.host_partials) + " partials", end, host, false});
        list.push_back(
            {trace.pass ? "result" : "wrong result", host ? short_value(trace.result, 9) : "", kNone, false, host});
    } else {
        const bool atomic = trace.options.finish == Finish::atomic;
        list.push_back({!trace.completed()                   ? "no result"
                        : !trace.pass                        ? "wrong result"
                        : atomic                             ? "atomic total"
                        : view.launch->stores_each_element() ? "last element"
                                                             : "result",
                        !trace.completed() ? "it never completes"
                        : finished         ? short_value(trace.result, 9)
                                           : "",
                        kNone, false, finished});
    }
    return list;
}

} // namespace

void add_launch_strip(const TreeView& view, Rect strip, Drawing& drawing) {
    const Theme& theme = *view.theme;
    Layer& layer = drawing.layers[strip_layer];
    const float size = view.px(13);
    const float pad = view.px(10);
    const float arrow = view.px(26);
    auto list = stages(view);
    const auto width_of = [&](const Stage& stage, bool detail) {
        const float title = view.measure->width(stage.title, Face::sans_bold, size);
        const float rest =
            detail && !stage.detail.empty() ? view.measure->width(stage.detail, Face::sans, size) + view.px(8) : 0;
        return title + rest + 2 * pad;
    };
    const auto total = [&](bool detail) {
        float sum = arrow * static_cast<float>(list.size() - 1);
        for (const Stage& stage : list) {
            sum += width_of(stage, detail);
        }
        return sum;
    };
    bool detail = total(true) <= strip.w;
    // Too many launches: only those around the current one.
    while (!detail && total(false) > strip.w && list.size() > 1) {
        const auto current = std::find_if(list.begin(), list.end(), [](const Stage& s) { return s.current; });
        if (current - list.begin() > list.end() - current - 1) {
            list.erase(list.begin());
        } else {
            list.pop_back();
        }
    }
    const float height = view.px(28);
    const float y = strip.y + view.px(7);
    float x = strip.x + view.px(2);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Stage& stage = list[i];
        const bool words =
            detail || (stage.current && total(false) - width_of(stage, false) + width_of(stage, true) <= strip.w);
        const Rect box{x, y, width_of(stage, words), height};
        const bool result = stage.launch == kNone;
        const Color verdict = view.trace->pass ? theme.agree : theme.hazard;
        layer.boxes.push_back({.rect = box,
                               .radius = view.px(5),
                               .fill = stage.current          ? theme.accent_fill
                                       : result && stage.done ? mix(theme.panel, verdict, 0.2F)
                                                              : theme.panel,
                               .stroke = stage.current          ? theme.accent
                                         : result && stage.done ? verdict
                                         : stage.done           ? theme.muted
                                                                : theme.faint,
                               .stroke_width = view.px(stage.current ? 1.8F : 1.0F)});
        const float middle = y + height / 2;
        if (put_text(layer, *view.measure, strip,
                     {{x + pad, middle},
                      Align::left,
                      Face::sans_bold,
                      size,
                      stage.current || stage.done ? theme.text : theme.muted,
                      stage.title}) &&
            words && !stage.detail.empty()) {
            put_text(layer, *view.measure, strip,
                     {{box.right() - pad, middle},
                      Align::right,
                      Face::sans,
                      size,
                      stage.current || stage.done ? theme.text : theme.muted,
                      stage.detail});
        }
        if (!result) {
            put_hit(drawing, strip, box, {Target::Kind::launch, stage.launch, 0, stage.launch});
        }
        x = box.right();
        if (i + 1 < list.size()) {
            const Color color = stage.done ? theme.muted : theme.faint;
            const float tip = x + arrow - view.px(5);
            layer.curves.push_back(straight({x + view.px(5), middle}, {tip, middle}, view.px(1.4F), color));
            layer.curves.push_back(
                straight({tip - view.px(5), middle - view.px(4)}, {tip, middle}, view.px(1.4F), color));
            layer.curves.push_back(
                straight({tip - view.px(5), middle + view.px(4)}, {tip, middle}, view.px(1.4F), color));
            x += arrow;
        }
    }
    layer.boxes.push_back({.rect = {strip.x, strip.bottom() - view.px(9), strip.w, view.px(1)}, .fill = theme.line});
}

} // namespace warptree::scene
