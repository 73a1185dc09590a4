// Bars of several series side by side.
#include "app/views/plots/plot.hpp"
#include "app/views/plots/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace warptree::scene {

namespace {
class GroupPlot {
  public:
    GroupPlot(const PlotContext& context, Rect area, const Groups& groups, Drawing& drawing, std::vector<PlotHit>* hits)
        : groups_(groups), ink_{context, drawing.layers[0], area}, area_(area), hits_(hits) {}

    void draw() {
        const float top = legend();
        const float foot = ink_.row() * (groups_.axis.title.empty() ? 1.0F : 2.0F) + ink_.px(2);
        float names = 0, texts = ink_.px(20);
        for (const Group& g : groups_.groups) {
            names = std::max(names, ink_.width(g.name));
            for (const GroupCell& c : g.cells) {
                texts = std::max(texts, c.value ? ink_.width(c.text) : 0);
            }
        }
        names = std::min(names + ink_.px(10), area_.w * 0.4F);
        texts = std::min(texts + ink_.px(12), area_.w * 0.3F);
        field_ = {area_.x + names, top, area_.w - names - texts, area_.bottom() - foot - top};
        const std::size_t count = groups_.groups.size();
        if (field_.w < ink_.px(40) || count == 0 || field_.h < least(0)) {
            return;
        }
        float needs = 0;
        for (std::size_t i = 0; i < count; ++i) {
            needs += least(i);
        }
        const bool all = needs <= field_.h;
        const float stretch = all ? field_.h / needs : 1;
        // The last line says how many more there are.
        const float room = field_.h - (all ? 0 : ink_.row());
        std::vector<float> heights;
        float height = 0;
        for (std::size_t i = 0; i < count && (all || height + least(i) <= room); ++i) {
            const float most = ink_.px(30) * static_cast<float>(lines(i)) + ink_.px(10);
            heights.push_back(std::min(most, least(i) * stretch));
            height += heights.back();
        }
        const std::size_t shown = heights.size();
        field_.h = height;
        grid(foot, all ? 0 : ink_.row());
        float y = field_.y;
        for (std::size_t i = 0; i < shown; ++i) {
            group(i, y, heights[i], names);
            y += heights[i];
        }
        if (!all) {
            ink_.label({area_.x, field_.bottom() + ink_.row() * 0.5F}, Align::left, ink_.theme().muted,
                       fmt::format("and {} more", count - shown));
        }
    }

  private:
    // An empty cell takes no line.
    static bool blank(const GroupCell& cell) { return !cell.value && cell.text.empty(); }
    std::size_t lines(std::size_t group) const {
        const auto& cells = groups_.groups[group].cells;
        return std::max<std::size_t>(
            1, cells.size() - static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), &blank)));
    }
    float least(std::size_t group) const { // each text has its own line
        return ink_.px(13.5F) * static_cast<float>(lines(group)) + ink_.px(1);
    }
    SeriesStyle style(std::size_t s) const {
        return series_style(ink_.theme(), s < groups_.colors.size() ? static_cast<std::size_t>(groups_.colors[s]) : s);
    }

    float legend() {
        if (groups_.series.size() < 2) {
            return area_.y;
        }
        float x = area_.x, y = area_.y + ink_.row() / 2;
        for (std::size_t s = 0; s < groups_.series.size(); ++s) {
            const std::string name =
                fitted(*ink_.context.measure, groups_.series[s], Face::sans, ink_.size(), area_.w - ink_.px(24));
            const float w = ink_.px(20) + ink_.width(name);
            if (x > area_.x && x + w > area_.right()) {
                x = area_.x;
                y += ink_.row();
            }
            if (ink_.label({x + ink_.px(20), y}, Align::left, ink_.theme().text, name)) {
                put({x, y - ink_.px(6), ink_.px(14), ink_.px(12)}, style(s));
            }
            x += w + ink_.px(18);
        }
        return y + ink_.row() / 2 + ink_.px(4);
    }

    float at(double value) const {
        return field_.x + field_.w * std::clamp(static_cast<float>(fraction(groups_.axis, value)), 0.0F, 1.0F);
    }

    void grid(float foot, float below) {
        const Theme& t = ink_.theme();
        const float y = field_.bottom() + below;
        for (const Tick& tick : ticks(groups_.axis, std::clamp(static_cast<int>(field_.w / ink_.px(58)), 2, 10))) {
            const float x = at(tick.at);
            ink_.line({x, field_.y}, {x, field_.bottom()}, 1, t.line);
            ink_.label({x, y + ink_.row() * 0.6F}, Align::center, t.muted, tick.text);
        }
        ink_.line({field_.x, field_.y}, {field_.x, field_.bottom()}, 1.2F, t.muted);
        ink_.label({field_.x + field_.w / 2, y + foot - ink_.row() * 0.5F}, Align::center, t.muted, groups_.axis.title);
    }

    void group(std::size_t index, float y, float pitch, float names) {
        const Theme& t = ink_.theme();
        const Group& g = groups_.groups[index];
        const std::string name = fitted(*ink_.context.measure, g.name, Face::sans, ink_.size(), names - ink_.px(10));
        ink_.label({field_.x - ink_.px(8), y + pitch / 2}, Align::right, t.text, name);
        const auto count = static_cast<float>(lines(index));
        const float pad = std::clamp((pitch - ink_.px(13.1F) * count) / 2, 0.0F, std::min(ink_.px(6), pitch * 0.1F));
        const float each = (pitch - 2 * pad) / count;
        Rect line{field_.x, y + pad - each, area_.right() - field_.x, each};
        for (std::size_t s = 0; s < g.cells.size(); ++s) {
            const GroupCell& c = g.cells[s];
            if (blank(c)) {
                continue;
            }
            line.y += each;
            float end = field_.x;
            if (c.value) {
                end = std::max(at(*c.value), field_.x + ink_.px(2)); // minimum visible length
                if (groups_.axis.scale == AxisScale::linear) {
                    put({field_.x, line.y + ink_.px(1), end - field_.x, each - ink_.px(2)}, style(s));
                } else { // a logarithmic axis has no zero, so a length means nothing: a mark at the value
                    const float wide = ink_.px(7);
                    ink_.line({field_.x, line.y + each / 2}, {end, line.y + each / 2}, 1, style(s).color);
                    put({end - wide / 2, line.y + ink_.px(1), wide, each - ink_.px(2)}, style(s));
                    end += wide / 2;
                }
            }
            if (c.value && c.low && c.high && at(*c.high) - at(*c.low) >= ink_.px(3)) {
                whisker(at(*c.low), at(*c.high), line.y + each / 2);
                end = std::max(end, at(*c.high));
            }
            const std::string text =
                fitted(*ink_.context.measure, c.text, Face::sans, ink_.size(), area_.right() - end - ink_.px(8));
            ink_.label({end + ink_.px(6), line.y + each / 2}, Align::left, c.value ? t.text : t.muted, text);
            if (hits_ != nullptr) {
                hits_->push_back({line, s, index});
            }
        }
    }

    void whisker(float from, float to, float y) {
        const Color color = ink_.theme().text;
        ink_.layer.boxes.push_back({.rect = {from, y - ink_.px(0.75F), to - from, ink_.px(1.5F)}, .fill = color});
        for (const float x : {from, to}) {
            ink_.layer.boxes.push_back(
                {.rect = {x - ink_.px(0.75F), y - ink_.px(4), ink_.px(1.5F), ink_.px(8)}, .fill = color});
        }
    }

    void put(const Rect& rect, const SeriesStyle& style) {
        ink_.layer.boxes.push_back({.rect = rect,
                                    .radius = std::min(ink_.px(2), rect.h / 4),
                                    .fill = mix(ink_.theme().panel, style.color, 0.85F),
                                    .pattern = style.pattern,
                                    .pattern_color = with_alpha(ink_.theme().panel, 0.5F)});
    }

    const Groups& groups_;
    PlotInk ink_;
    Rect area_, field_{};
    std::vector<PlotHit>* hits_;
};
} // namespace

Drawing draw_groups(const PlotContext& context, Rect area, const Groups& groups, std::vector<PlotHit>* hits) {
    Drawing drawing{.clip = area, .layers = std::vector<Layer>(1), .hits = {}};
    if (area.w > 1 && area.h > 1) {
        GroupPlot(context, area, groups, drawing, hits).draw();
    }
    return drawing;
}

} // namespace warptree::scene
