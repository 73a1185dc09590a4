#include "app/render/cairo/composition.hpp"

#include "app/base/type_words.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/parts.hpp"
#include "app/views/story.hpp"
#include "app/views/summary_kernel.hpp"
#include "app/views/views.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::render {

namespace {

// At most `most` lines of `room` pixels; the last one is cut if the text needs more.
std::vector<std::string> caption(const scene::TextMeasure& measure, const std::string& text, float size, float room,
                                 std::size_t most) {
    std::vector<std::string> lines = scene::wrapped(measure, text, scene::Face::sans, size, room);
    for (; lines.size() > most; lines.pop_back()) {
        lines[lines.size() - 2] += " " + lines.back();
    }
    if (!lines.empty()) {
        lines.back() = scene::fitted(measure, lines.back(), scene::Face::sans, size, room);
    }
    return lines;
}

// As many of the run's facts as fit, in order.
std::string subtitle(const Trace& trace, const session::Moment& moment, const scene::TextMeasure& measure, float size,
                     float room) {
    const RunOptions& o = trace.options;
    std::vector<std::string> parts{"n = " + std::to_string(o.n)};
    if (is_program(trace)) {
        parts.clear();
        if (moment.launch < trace.launches.size()) {
            const Launch& launch = trace.launches[moment.launch];
            parts = {"launch " + std::to_string(moment.launch + 1) + " of " + std::to_string(trace.launches.size()),
                     scene::plural(launch.grid, "block"), scene::block_text(launch)};
        }
    } else if (is_kernel_file(trace) && find_strategy(o.strategy) == nullptr) {
        parts.push_back(scene::block_text(trace.launches.front()));
    } else {
        const StrategyInfo* info = find_strategy(o.strategy);
        parts.insert(parts.end(), {"B = " + std::to_string(trace.block()), std::string(c_name(o.type)),
                                   info != nullptr ? computed(*info, o.op) : std::string(name(o.op))});
    }
    if (trace.launches.size() == 1 && trace.launches.front().grid > 1 && !is_program(trace)) {
        parts.push_back(std::to_string(trace.launches.front().grid) + " blocks");
    }
    parts.push_back(trace.device.name);
    std::string text;
    for (const std::string& part : parts) {
        const std::string longer = text.empty() ? part : text + "  ·  " + part;
        if (measure.width(longer, scene::Face::sans, size) > room) {
            break;
        }
        text = longer;
    }
    return text;
}

// Covers what reaches beyond an area's sides, as a whole picture has no clip of its own for a part.
void clip_to(scene::Drawing& drawing, const scene::Rect& area, scene::Color ground, const scene::Rect& all) {
    scene::Layer& cover = drawing.layers.emplace_back();
    cover.boxes.push_back({.rect = {all.x, area.y - 1, area.x - all.x, area.h + 2}, .fill = ground});
    cover.boxes.push_back({.rect = {area.right(), area.y - 1, all.right() - area.right(), area.h + 2}, .fill = ground});
}

} // namespace

scene::Drawing compose(const PictureRequest& request, const scene::TextMeasure& measure) {
    using scene::Align;
    using scene::Face;
    const scene::Theme& theme = scene::theme(request.theme);
    const auto width = static_cast<float>(request.width);
    const auto height = static_cast<float>(request.height);
    const float s = request.scale;
    const float margin = std::min(20 * s, width / 24);
    const float room = width - 2 * margin;

    scene::ViewContext context;
    context.trace = request.trace;
    context.moment = request.moment;
    context.theme = &theme;
    context.measure = &measure;
    context.scale = s;

    scene::Layer frame;
    frame.boxes.push_back({.rect = {0, 0, width, height}, .fill = theme.background});
    float top = margin;
    float bottom = height - margin;
    if (height >= 220 * s && width >= 240 * s) {
        const Trace& trace = *request.trace;
        const float title_size = 19 * s;
        const float title_y = top + title_size * 0.6F;
        const std::string title = scene::fitted(measure, trace.options.strategy, Face::sans_bold, title_size, room);
        frame.texts.push_back({{margin, title_y}, Align::left, Face::sans_bold, title_size, theme.text, title});
        const float used = measure.width(title, Face::sans_bold, title_size) + 16 * s;
        const std::string detail = subtitle(trace, request.moment, measure, 14 * s, room - used);
        frame.texts.push_back({{width - margin, title_y}, Align::right, Face::sans, 14 * s, theme.muted, detail});
        top += title_size * 1.2F + 10 * s;

        const scene::StepSummary summary = scene::summarize(trace, request.moment);
        const float label_width = measure.width(summary.title, Face::sans_bold, 15 * s);
        const float indent = label_width + 14 * s;
        const float line_height = 21 * s;
        const std::size_t most = bottom - top > 12 * line_height ? 4 : 2;
        const auto lines = caption(measure, summary.sentence, 15 * s, room - indent, most);
        const auto count = static_cast<float>(std::max<std::size_t>(1, lines.size()));
        float y = bottom - line_height * (count - 0.5F);
        frame.texts.push_back({{margin, y}, Align::left, Face::sans_bold, 15 * s, theme.text, summary.title});
        for (const std::string& line : lines) {
            frame.texts.push_back({{margin + indent, y}, Align::left, Face::sans, 15 * s, theme.text, line});
            y += line_height;
        }
        bottom -= line_height * count + 10 * s;
    }
    scene::Drawing story; // of a program, above the view
    if (is_program(*request.trace) && bottom - top >= 200 * s) {
        const scene::StoryRow row = scene::lay_out_story(*request.trace, measure, s);
        const scene::Rect strip{margin, top, room, scene::kStoryHeight * s};
        const float scroll = scene::scroll_to_launch(row, request.moment.launch, strip.w, 0, s);
        story = scene::draw_story(context, strip, row, scroll);
        clip_to(story, strip, theme.background, {0, 0, width, height});
        top += strip.h + 10 * s;
    }
    const scene::Rect panel{margin, top, room, std::max(1.0F, bottom - top)};
    frame.boxes.push_back(
        {.rect = panel, .radius = 4 * s, .fill = theme.panel, .stroke = theme.line, .stroke_width = s});
    const float pad = std::min(10 * s, std::min(panel.w, panel.h) / 10);
    const scene::Rect area{panel.x + pad, panel.y + pad, panel.w - 2 * pad, panel.h - 2 * pad};

    const auto& launches = request.trace->launches;
    const Launch* launch = request.moment.launch < launches.size() ? &launches[request.moment.launch] : nullptr;
    const std::uint32_t block = launch == nullptr                  ? 0
                                : launch->in_window(request.block) ? request.block
                                                                   : launch->window_first;
    scene::Drawing view;
    switch (request.view) {
    case View::tree:
        view = scene::draw_tree(context, area,
                                scene::camera_on(context, area, request.frame, request.block, request.warp));
        break;
    case View::warps: view = scene::draw_warps(context, area, block); break;
    case View::banks: view = scene::draw_banks(context, area); break;
    case View::source: view = scene::draw_source(context, area); break;
    }
    clip_to(view, area, theme.panel, {panel.x + s, area.y, panel.w - 2 * s, area.h});
    clip_to(view, {panel.x - s, panel.y, panel.w + 2 * s, panel.h}, theme.background, {0, 0, width, height});
    scene::Drawing whole{
        .clip = {0, 0, width, height}, .layers = std::move(story.layers), .hits = std::move(view.hits)};
    whole.layers.insert(whole.layers.begin(), std::move(frame));
    for (scene::Layer& layer : view.layers) {
        whole.layers.push_back(std::move(layer));
    }
    return whole;
}

} // namespace warptree::render
