#include "app/views/plots/plot.hpp"

#include "app/views/plots/plot_frame.hpp"

#include <cmath>
#include <utility>

namespace warptree::scene {

namespace {
// Clips the line to the rect (Liang–Barsky); false if nothing is left.
bool clip(const Rect& r, Point& a, Point& b) {
    float from = 0, to = 1;
    const float dx = b.x - a.x, dy = b.y - a.y;
    for (const auto& [p, q] :
         {std::pair{-dx, a.x - r.x}, {dx, r.right() - a.x}, {-dy, a.y - r.y}, {dy, r.bottom() - a.y}}) {
        if (p == 0) {
            if (q < 0) {
                return false;
            }
        } else if (p < 0) {
            from = std::max(from, q / p);
        } else {
            to = std::min(to, q / p);
        }
    }
    if (from > to) {
        return false;
    }
    const Point start = a;
    a = {start.x + dx * from, start.y + dy * from};
    b = {start.x + dx * to, start.y + dy * to};
    return true;
}

class LinePlot {
  public:
    LinePlot(const PlotContext& context, Rect area, const Plot& plot, Drawing& drawing, std::vector<PlotHit>* hits)
        : plot_(plot), ink_{context, drawing.layers[0], area}, over_(drawing.layers[1]), area_(area), hits_(hits) {}

    void draw() {
        if (area_.w < ink_.px(90) || area_.h < ink_.px(110)) {
            return;
        }
        const float ends = end_labels_width();
        const float top = ends > 0 ? area_.y : legend();
        const float title = plot_.y.title.empty() ? 0 : ink_.row();
        const auto rows = static_cast<int>((area_.bottom() - top - 2 * ink_.row() - title) / ink_.px(38));
        const auto up = ticks(plot_.y, std::clamp(rows, 2, 9));
        float side = 0;
        for (const Tick& t : up) {
            side = std::max(side, ink_.width(t.text));
        }
        side = std::min(side + ink_.px(9), area_.w / 3);
        const float foot = ink_.row() * (plot_.x.title.empty() ? 1.0F : 2.0F) + ink_.px(2);
        field_ = {area_.x + side, top + title + ink_.px(9), area_.w - side - (ends > 0 ? ends : ink_.px(10)),
                  area_.bottom() - foot - top - title - ink_.px(9)};
        if (field_.w < ink_.px(30) || field_.h < ink_.px(20)) {
            field_ = {};
            return;
        }
        ink_.label({area_.x, top + title / 2}, Align::left, ink_.theme().muted, plot_.y.title);
        frame(up);
        marks();
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            curve(s);
        }
        if (ends > 0) {
            end_labels();
        }
    }

  private:
    float x(double value) const { return field_.x + field_.w * static_cast<float>(fraction(plot_.x, value)); }
    float y(double value) const { return field_.bottom() - field_.h * static_cast<float>(fraction(plot_.y, value)); }

    // The width of the names at the curves' ends; 0: no room for them, or not requested.
    float end_labels_width() const {
        float most = 0;
        int count = 0;
        for (const Series& s : plot_.series) {
            most = std::max(most, ink_.width(s.name));
            count += s.name.empty() ? 0 : 1;
        }
        const float w = ink_.px(44) + most, rows = static_cast<float>(count) * ink_.px(17);
        return plot_.label_ends && count > 0 && w < area_.w * 0.42F && rows < area_.h - ink_.px(70) ? w : 0;
    }

    // Level with the last points, pushed apart; a thin line leads from a curve to its name.
    void end_labels() {
        struct End {
            std::size_t series;
            float at, place; // y of the curve's end, y of the name
            bool leads;      // the curve reaches the right edge, so a line leads to the name
        };
        std::vector<End> ends;
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            if (plot_.series[s].name.empty()) {
                continue;
            }
            End end{s, field_.bottom(), 0, false};
            for (const PlotPoint& p : plot_.series[s].points) {
                const Point at{x(p.x), y(p.y)};
                if (std::isfinite(at.x) && std::isfinite(at.y)) {
                    end.at = std::clamp(at.y, field_.y, field_.bottom());
                    end.leads = at.x > field_.right() - ink_.px(14);
                }
            }
            ends.push_back(end);
        }
        std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.at < b.at; });
        const float pitch = ink_.px(17);
        float least = field_.y;
        for (End& e : ends) {
            e.place = std::max(e.at, least);
            least = e.place + pitch;
        }
        float most = field_.bottom();
        for (auto e = ends.rbegin(); e != ends.rend(); ++e) {
            e->place = std::min(e->place, most);
            most = e->place - pitch;
        }
        for (const End& e : ends) {
            const Series& series = plot_.series[e.series];
            const SeriesStyle style = series_style(ink_.theme(), series, e.series);
            const float from = field_.right() + ink_.px(12), to = from + ink_.px(22);
            if (ink_.label({to + ink_.px(6), e.place}, Align::left, ink_.theme().text, series.name)) {
                if (e.leads) {
                    ink_.line({field_.right(), e.at}, {from, e.place}, 1, with_alpha(style.color, 0.7F));
                }
                key(series, style, from, to, e.place);
            }
        }
    }

    // A sample of the curve for the legend.
    void key(const Series& series, const SeriesStyle& style, float from, float to, float at) {
        if (series.joined) {
            ink_.line({from, at}, {to, at}, 2, style.color, style.dash);
        }
        if (series.marked) {
            disc(ink_.layer, {(from + to) / 2, at}, style);
        }
    }

    // Names of the series in rows at the top; returns the y below them.
    float legend() {
        float at_x = area_.x, at_y = area_.y + ink_.row() / 2;
        bool any = false;
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            const std::string& name = plot_.series[s].name;
            const float w = ink_.px(30) + ink_.width(name) + ink_.px(18);
            if (name.empty()) {
                continue;
            }
            if (any && at_x + w - ink_.px(18) > area_.right()) {
                at_x = area_.x;
                at_y += ink_.row();
            }
            if (at_y > area_.y + area_.h * 0.3F) {
                break; // the figure needs the room
            }
            const SeriesStyle style = series_style(ink_.theme(), plot_.series[s], s);
            if (ink_.label({at_x + ink_.px(30), at_y}, Align::left, ink_.theme().text, name)) {
                key(plot_.series[s], style, at_x, at_x + ink_.px(24), at_y);
                any = true;
            }
            at_x += w;
        }
        return any ? at_y + ink_.row() / 2 + ink_.px(4) : area_.y;
    }

    void frame(const std::vector<Tick>& up) {
        const Theme& t = ink_.theme();
        for (const Tick& tick : up) {
            const float at = y(tick.at);
            ink_.line({field_.x, at}, {field_.right(), at}, 1, t.line);
            ink_.label({field_.x - ink_.px(6), at}, Align::right, t.muted, tick.text);
        }
        const float widest = std::max(ink_.px(40), ink_.width("2^30") * 1.8F);
        for (const Tick& tick : ticks(plot_.x, std::clamp(static_cast<int>(field_.w / widest), 2, 16))) {
            const float at = x(tick.at);
            ink_.line({at, field_.y}, {at, field_.bottom()}, 1, t.line);
            ink_.label({at, field_.bottom() + ink_.row() * 0.6F}, Align::center, t.muted, tick.text);
        }
        ink_.line({field_.x, field_.bottom()}, {field_.right(), field_.bottom()}, 1.2F, t.muted);
        ink_.line({field_.x, field_.y}, {field_.x, field_.bottom()}, 1.2F, t.muted);
        ink_.label({field_.x + field_.w / 2, area_.bottom() - ink_.row() * 0.5F}, Align::center, t.muted,
                   plot_.x.title);
    }

    void marks() {
        const Theme& t = ink_.theme();
        for (const Mark& m : plot_.marks) {
            const bool shows_x = m.x && fraction(plot_.x, *m.x) >= -1e-9 && fraction(plot_.x, *m.x) <= 1 + 1e-9;
            const bool shows_y = m.y && fraction(plot_.y, *m.y) >= -1e-9 && fraction(plot_.y, *m.y) <= 1 + 1e-9;
            if ((m.x && !shows_x) || (m.y && !shows_y)) {
                continue;
            }
            if (shows_x && !shows_y) {
                ink_.line({x(*m.x), field_.y}, {x(*m.x), field_.bottom()}, 1.4F, t.hazard, 4);
            } else if (shows_y && !shows_x) {
                ink_.line({field_.x, y(*m.y)}, {field_.right(), y(*m.y)}, 1.4F, t.hazard, 4);
            }
            const float at_x = shows_x ? x(*m.x) : m.left ? field_.x : field_.right() - ink_.px(4);
            const float at_y = shows_y ? y(*m.y) - ink_.px(10) : field_.y + ink_.px(9);
            if (!mark_label(m.text, at_x, at_y, false)) {
                mark_label(m.text, at_x, at_y, true);
            }
            if (shows_x && shows_y) {
                over_.boxes.push_back({.rect = {x(*m.x) - ink_.px(5), y(*m.y) - ink_.px(5), ink_.px(10), ink_.px(10)},
                                       .radius = ink_.px(5),
                                       .fill = t.hazard,
                                       .stroke = t.panel,
                                       .stroke_width = ink_.px(1.5F)});
            }
        }
    }

    // In the first row with room, on the side where it fits; over points of the series only if unavoidable.
    bool mark_label(const std::string& text, float at_x, float at_y, bool over_points) {
        const float w = ink_.width(text);
        const bool behind = at_x + w + ink_.px(14) > field_.right();
        for (const bool left_of : {behind, !behind}) {
            const float left = left_of ? at_x - ink_.px(8) - w : at_x + ink_.px(8);
            if (left < field_.x || left + w > field_.right() || (over_points && left_of != behind)) {
                continue;
            }
            float row = at_y;
            for (int i = 0; i < 6 && row <= field_.bottom() - ink_.px(8); ++i, row += ink_.row()) {
                const Rect ground{left - ink_.px(3), row - ink_.px(8), w + ink_.px(6), ink_.px(16)};
                if ((!over_points && covers_points(ground)) ||
                    !ink_.label({left, row}, Align::left, ink_.theme().text, text)) {
                    continue;
                }
                // The label has a background of its own, over the lines of the plot.
                over_.texts.push_back(std::move(ink_.layer.texts.back()));
                ink_.layer.texts.pop_back();
                over_.boxes.push_back(
                    {.rect = ground, .radius = ink_.px(3), .fill = with_alpha(ink_.theme().panel, 0.86F)});
                return true;
            }
        }
        return false;
    }
    bool covers_points(const Rect& r) const {
        for (const Series& series : plot_.series) {
            for (const PlotPoint& p : series.points) {
                if (series.marked && inset(r, -ink_.px(3.5F)).contains({x(p.x), y(p.y)})) {
                    return true;
                }
            }
        }
        return false;
    }

    void disc(Layer& layer, Point at, const SeriesStyle& style) {
        const float r = ink_.px(3.5F);
        layer.boxes.push_back({.rect = {at.x - r, at.y - r, 2 * r, 2 * r},
                               .radius = style.square ? 0 : r,
                               .fill = style.hollow ? ink_.theme().panel : style.color,
                               .stroke = style.color,
                               .stroke_width = ink_.px(1.5F)});
    }

    void curve(std::size_t index) {
        const Series& series = plot_.series[index];
        const SeriesStyle style = series_style(ink_.theme(), series, index);
        bool has_last = false;
        Point last;
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const PlotPoint& p = series.points[i];
            const Point at{x(p.x), y(p.y)};
            if (!std::isfinite(at.x) || !std::isfinite(at.y)) {
                has_last = false;
                continue;
            }
            error_bar(p, at.x, style);
            if (!series.joined) {
                // points only
            } else if (has_last && series.stepped) {
                segment(last, {at.x, last.y}, style);
                segment({at.x, last.y}, at, style);
            } else if (has_last) {
                segment(last, at, style);
            }
            if (series.marked && inset(field_, -1).contains(at)) {
                disc(ink_.layer, at, style);
                if (hits_ != nullptr) {
                    const float r = ink_.px(8);
                    hits_->push_back({{at.x - r, at.y - r, 2 * r, 2 * r}, index, i});
                }
            }
            last = at;
            has_last = true;
        }
    }
    void error_bar(const PlotPoint& p, float at, const SeriesStyle& style) {
        const float low = y(p.low), high = y(p.high);
        if (!std::isfinite(low) || !std::isfinite(high) || std::abs(low - high) < ink_.px(3)) {
            return; // hidden by the mark
        }
        segment({at, low}, {at, high}, {.color = style.color});
        for (const float end : {low, high}) {
            segment({at - ink_.px(3), end}, {at + ink_.px(3), end}, {.color = style.color});
        }
    }
    void segment(Point a, Point b, const SeriesStyle& style) {
        if (clip(field_, a, b)) {
            ink_.line(a, b, 2, style.color, style.dash);
        }
    }

    const Plot& plot_;
    PlotInk ink_;
    Layer& over_;
    Rect area_, field_{};
    std::vector<PlotHit>* hits_;
};
} // namespace

Drawing draw_plot(const PlotContext& context, Rect area, const Plot& plot, std::vector<PlotHit>* hits) {
    Drawing drawing{.clip = area, .layers = std::vector<Layer>(2), .hits = {}};
    LinePlot(context, area, plot, drawing, hits).draw();
    return drawing;
}

} // namespace warptree::scene
