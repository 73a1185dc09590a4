#include "app/features/strides/shuffles.hpp"

#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::scene {

namespace {
using LaneKind = LaneSource::Kind;

class ShuffleFigure {
  public:
    ShuffleFigure(const session::ShufflePlayground& shuffle, const Theme& theme, const TextMeasure& measure,
                  float scale, Rect area)
        : play_(shuffle), theme_(theme), measure_(measure), s_(scale), area_(area) {
        drawing_.clip = area;
        drawing_.layers.resize(2);
    }

    Drawing draw() {
        const float title = 16 * s_;
        put_text(texts(), measure_, area_,
                 {{area_.x, area_.y + title * 0.7F},
                  Align::left,
                  Face::mono,
                  title,
                  theme_.text,
                  fitted(measure_, play_.call(), Face::mono, title, area_.w)});
        float y = area_.y + title * 2.1F;
        for (const std::string& line : wrapped(measure_, play_.sentence(), Face::sans, 15 * s_, area_.w)) {
            if (y > area_.y + area_.h * 0.45F) {
                break; // the lanes need the room
            }
            put_text(texts(), measure_, area_, {{area_.x, y}, Align::left, Face::sans, 15 * s_, theme_.text, line});
            y += 21 * s_;
        }
        lay_out(y);
        label("lane", top_ - 12 * s_);
        label("holds", top_ + cell_ / 2);
        label("gets", bottom_ + cell_ / 2);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            one(lane);
        }
        segments();
        legend();
        return std::move(drawing_);
    }

  private:
    Layer& shapes() { return drawing_.layers[0]; }
    Layer& texts() { return drawing_.layers[1]; }

    // Below the text, which ends at `end`.
    void lay_out(float end) {
        const float side = measure_.width("holds", Face::sans, 13 * s_) + 12 * s_;
        left_ = area_.x + side;
        pitch_ = std::max(4.0F, (area_.w - side) / kWarpSize);
        top_ = end + 22 * s_;
        const float room = std::max(0.0F, area_.bottom() - top_);
        cell_ = std::min(34 * s_, room * 0.2F);
        const float below = room > 200 * s_ ? 44 * s_ : 0; // for the legend
        bottom_ = top_ + std::min(room - below - cell_, 420 * s_);
    }
    float x(unsigned lane) const { return left_ + pitch_ * static_cast<float>(lane); }
    float middle(unsigned lane) const { return x(lane) + pitch_ / 2; }

    void label(const char* words, float y) {
        put_text(texts(), measure_, area_, {{area_.x, y}, Align::left, Face::sans, 13 * s_, theme_.muted, words});
    }

    // Text as large as fits, else nothing.
    void value(const Rect& cell, const std::string& text, Color ink) {
        for (const float size : {14 * s_, 12 * s_, 10 * s_, 9 * s_}) {
            if (measure_.width(text, Face::mono, size) <= cell.w - 2 * s_) {
                put_text(texts(), measure_, area_,
                         {{cell.x + cell.w / 2, cell.y + cell.h / 2}, Align::center, Face::mono, size, ink, text});
                return;
            }
        }
    }

    void one(unsigned lane) {
        const LaneSource& source = play_.sources()[lane];
        const bool takes = source.kind != LaneKind::absent;
        const float gap = std::min(3 * s_, pitch_ * 0.15F);
        const Rect above{x(lane), top_, pitch_ - gap, cell_}, below{x(lane), bottom_, pitch_ - gap, cell_};
        if (pitch_ > 20 * s_ || lane % 4 == 0) {
            put_text(texts(), measure_, area_,
                     {{middle(lane), top_ - 12 * s_},
                      Align::center,
                      Face::mono,
                      11 * s_,
                      theme_.muted,
                      std::to_string(lane)});
        }
        const auto box = [&](const Rect& r, Color fill, Color stroke, Pattern pattern, Color ink) {
            shapes().boxes.push_back({.rect = r,
                                      .radius = 3 * s_,
                                      .fill = fill,
                                      .stroke = stroke,
                                      .stroke_width = s_,
                                      .pattern = pattern,
                                      .pattern_color = ink});
        };
        box(above, takes ? theme_.accent_fill : theme_.off, takes ? theme_.accent : theme_.faint,
            takes ? Pattern::plain : Pattern::hatch, theme_.faint);
        value(above, std::to_string(play_.before()[lane]), takes ? theme_.text : theme_.muted);
        put_hit(drawing_, area_, {x(lane), top_, pitch_, bottom_ + cell_ - top_},
                {Target::Kind::lane, 0, 0, lane, kNone});
        switch (source.kind) {
        case LaneKind::absent: box(below, theme_.off, theme_.faint, Pattern::hatch, theme_.faint); return;
        case LaneKind::not_there:
            box(below, mix(theme_.panel, theme_.hazard, 0.25F), theme_.hazard, Pattern::cross_hatch,
                with_alpha(theme_.hazard, 0.5F));
            value(below, "?", theme_.text);
            return;
        case LaneKind::own:
            box(below, theme_.panel, theme_.attention, Pattern::dots, with_alpha(theme_.attention, 0.5F));
            break;
        case LaneKind::lane:
        case LaneKind::all: box(below, theme_.accent_fill, theme_.accent, Pattern::plain, theme_.faint); break;
        }
        value(below, play_.after(lane), theme_.text);
        const bool own = source.kind == LaneKind::own;
        Curve wire = falling({middle(source.lane) - gap / 2, top_ + cell_}, {middle(lane) - gap / 2, bottom_},
                             (own ? 1.2F : 1.6F) * s_, own ? theme_.attention : theme_.accent);
        wire.dash = own ? 4 * s_ : 0;
        shapes().curves.push_back(wire);
    }

    // Dashed lines between the segments.
    void segments() {
        const unsigned width = play_.shuffle().width;
        for (unsigned lane = width; lane < kWarpSize; lane += width) {
            const float at = x(lane) - std::min(1.5F * s_, pitch_ * 0.07F);
            shapes().curves.push_back(
                straight({at, top_ - 4 * s_}, {at, bottom_ + cell_ + 4 * s_}, s_, theme_.muted, 3 * s_));
        }
    }

    void legend() {
        float at = left_;
        const float y = bottom_ + cell_ + 22 * s_;
        const std::tuple<const char*, Color, Color, Pattern> entries[]{
            {"from another lane", theme_.accent_fill, theme_.accent, Pattern::plain},
            {"out of range: its own", theme_.panel, theme_.attention, Pattern::dots},
            {"source does not call: undefined", mix(theme_.panel, theme_.hazard, 0.25F), theme_.hazard,
             Pattern::cross_hatch},
            {"does not call", theme_.off, theme_.faint, Pattern::hatch}};
        for (const auto& [words, fill, stroke, pattern] : entries) {
            const float wide = measure_.width(words, Face::sans, 13 * s_) + 20 * s_;
            if (at + wide > area_.right() || y + 8 * s_ > area_.bottom()) {
                return;
            }
            shapes().boxes.push_back({.rect = {at, y - 6 * s_, 12 * s_, 12 * s_},
                                      .radius = 2 * s_,
                                      .fill = fill,
                                      .stroke = stroke,
                                      .stroke_width = s_,
                                      .pattern = pattern,
                                      .pattern_color = stroke});
            put_text(texts(), measure_, area_,
                     {{at + 18 * s_, y}, Align::left, Face::sans, 13 * s_, theme_.muted, words});
            at += wide + 18 * s_;
        }
    }

    const session::ShufflePlayground& play_;
    const Theme& theme_;
    const TextMeasure& measure_;
    float s_;
    Rect area_;
    Drawing drawing_;
    float left_ = 0, pitch_ = 1, cell_ = 1, top_ = 0, bottom_ = 0;
};
} // namespace

Drawing draw_shuffle(const session::ShufflePlayground& shuffle, const Theme& theme, const TextMeasure& measure,
                     float scale, Rect area) {
    return ShuffleFigure(shuffle, theme, measure, scale, area).draw();
}

Drawing compose_shuffle(const session::ShufflePlayground& shuffle, const Theme& theme, const TextMeasure& measure,
                        float scale, float width, float height) {
    const float margin = std::min(40 * scale, width / 24);
    Drawing drawing =
        draw_shuffle(shuffle, theme, measure, scale, {margin, margin, width - 2 * margin, height - 2 * margin});
    drawing.clip = {0, 0, width, height};
    Layer ground;
    ground.boxes.push_back({.rect = drawing.clip, .fill = theme.panel});
    drawing.layers.insert(drawing.layers.begin(), std::move(ground));
    return drawing;
}

} // namespace warptree::scene
