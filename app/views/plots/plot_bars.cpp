// Horizontal bars.
#include "app/views/plots/plot.hpp"
#include "app/views/plots/plot_frame.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warptree::scene {

namespace {
class BarPlot {
  public:
    BarPlot(const PlotContext& context, Rect area, const Bars& bars, Drawing& drawing)
        : bars_(bars), ink_{context, drawing.layers[0], area}, area_(area) {}

    void draw() {
        float top = bars_.series.size() > 1 ? legend() : area_.y;
        const float foot = ink_.row() * (bars_.axis.title.empty() ? 1.0F : 2.0F) + ink_.px(2);
        float names = 0, notes = ink_.px(20);
        for (const Bar& bar : bars_.bars) {
            names = std::max(names, ink_.width(bar.name));
            notes = std::max(notes, ink_.width(note(bar)));
        }
        names = std::min(names + ink_.px(10), area_.w * 0.4F);
        notes = std::min(notes + ink_.px(12), area_.w * 0.3F);
        field_ = {area_.x + names, top, area_.w - names - notes, area_.bottom() - foot - top};
        if (field_.w < ink_.px(40) || field_.h < ink_.row()) {
            return;
        }
        const float least = ink_.row() * 0.95F;
        const auto room = static_cast<std::size_t>(field_.h / least);
        const bool all = bars_.bars.size() <= room;
        const std::size_t shown = all ? bars_.bars.size() : std::max<std::size_t>(room, 1) - 1;
        const float pitch =
            all ? std::min(ink_.px(34), field_.h / static_cast<float>(std::max<std::size_t>(1, shown))) : least;
        if (all) {
            field_.h = pitch * static_cast<float>(shown);
        }
        grid(foot);
        for (std::size_t i = 0; i < shown; ++i) {
            row(bars_.bars[i], field_.y + pitch * static_cast<float>(i), pitch, names);
        }
        if (!all) {
            ink_.label({area_.x, field_.y + pitch * (static_cast<float>(shown) + 0.5F)}, Align::left,
                       ink_.theme().muted, fmt::format("and {} more", bars_.bars.size() - shown));
        }
    }

  private:
    static std::string note(const Bar& bar) {
        return bar.note.empty() && !bar.values.empty() ? short_number(bar.values.back()) : bar.note;
    }

    float legend() {
        float x = area_.x;
        const float y = area_.y + ink_.row() / 2;
        for (std::size_t s = 0; s < bars_.series.size(); ++s) {
            const SeriesStyle style = series_style(ink_.theme(), s);
            if (ink_.label({x + ink_.px(20), y}, Align::left, ink_.theme().text, bars_.series[s])) {
                put({x, y - ink_.px(6), ink_.px(14), ink_.px(12)}, style, false);
            }
            x += ink_.px(20) + ink_.width(bars_.series[s]) + ink_.px(18);
        }
        return area_.y + ink_.row() + ink_.px(4);
    }

    void grid(float foot) {
        const Theme& t = ink_.theme();
        const float widest = ink_.px(58);
        for (const Tick& tick : ticks(bars_.axis, std::clamp(static_cast<int>(field_.w / widest), 2, 10))) {
            const float x = field_.x + field_.w * static_cast<float>(fraction(bars_.axis, tick.at));
            ink_.line({x, field_.y}, {x, field_.bottom()}, 1, t.line);
            ink_.label({x, field_.bottom() + ink_.row() * 0.6F}, Align::center, t.muted, tick.text);
        }
        ink_.line({field_.x, field_.y}, {field_.x, field_.bottom()}, 1.2F, t.muted);
        ink_.label({field_.x + field_.w / 2, field_.bottom() + foot - ink_.row() * 0.5F}, Align::center, t.muted,
                   bars_.axis.title);
    }

    void row(const Bar& bar, float y, float pitch, float names) {
        const Theme& t = ink_.theme();
        const float middle = y + pitch / 2;
        const std::string name = fitted(*ink_.context.measure, bar.name, Face::sans, ink_.size(), names - ink_.px(10));
        ink_.label({field_.x - ink_.px(8), middle}, Align::right, t.text, name);
        const float pad = std::min(ink_.px(5), pitch * 0.14F);
        const float each = (pitch - 2 * pad) / static_cast<float>(std::max<std::size_t>(1, bar.values.size()));
        float end = field_.x;
        for (std::size_t s = 0; s < bar.values.size(); ++s) {
            const double part = fraction(bars_.axis, bar.values[s]);
            if (!(part > 0)) {
                continue;
            }
            const float w = field_.w * static_cast<float>(std::min(part, 1.0));
            put({field_.x, y + pad + each * static_cast<float>(s), w, each}, series_style(t, s), bar.attention);
            end = std::max(end, field_.x + w);
        }
        const std::string text =
            fitted(*ink_.context.measure, note(bar), Face::sans, ink_.size(), area_.right() - end - ink_.px(8));
        ink_.label({end + ink_.px(6), middle}, Align::left, bar.attention ? t.text : t.muted, text);
    }

    void put(const Rect& rect, const SeriesStyle& style, bool attention) {
        const Color color = attention ? ink_.theme().attention : style.color;
        ink_.layer.boxes.push_back({.rect = rect,
                                    .radius = std::min(ink_.px(2), rect.h / 4),
                                    .fill = mix(ink_.theme().panel, color, 0.75F),
                                    .pattern = attention ? Pattern::hatch : style.pattern,
                                    .pattern_color = with_alpha(ink_.theme().panel, 0.5F)});
    }

    const Bars& bars_;
    PlotInk ink_;
    Rect area_, field_{};
};
} // namespace

Drawing draw_bars(const PlotContext& context, Rect area, const Bars& bars) {
    Drawing drawing{.clip = area, .layers = std::vector<Layer>(1), .hits = {}};
    if (area.w > 1 && area.h > 1) {
        BarPlot(context, area, bars, drawing).draw();
    }
    return drawing;
}

} // namespace warptree::scene
