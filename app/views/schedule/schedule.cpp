#include "app/views/schedule/schedule.hpp"

#include "app/base/type_words.hpp"
#include "app/views/parts.hpp"
#include "app/views/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace warptree::scene {

namespace {
using Runs = std::vector<std::uint32_t>; // block indices

// The smallest of 1, 2 and 5 times a power of ten from 1 on that is at least `least`.
double round_step(double least) {
    double step = 1;
    while (step * 10 <= least) {
        step *= 10;
    }
    for (const double by : {1.0, 2.0, 5.0, 10.0}) {
        if (step * by >= least) {
            return step * by;
        }
    }
    return step * 10;
}

class Schedule {
  public:
    Schedule(const clocks::Recording& recording, const Theme& theme, const TextMeasure& measure, float scale,
             Drawing& drawing)
        : r_(recording), theme_(theme), measure_(measure), scale_(scale), drawing_(drawing),
          occupation_(clocks::occupation(recording.blocks)) {
        for (std::uint32_t b = 0; b < r_.blocks.size(); ++b) {
            by_multiprocessor_[r_.blocks[b].multiprocessor].push_back(b);
        }
    }

    void draw(Rect area) {
        text_ = px(13);
        const float label = measure_.width("888", Face::sans, text_) + px(10);
        const bool named = label <= area.w / 3;
        const float left = named ? label : 0;
        const float axis = area.h >= px(80) ? px(26) : 0;
        const float caption = area.h >= px(200) ? px(20) : 0;
        plot_ = {area.x + left, area.y + caption, area.w - left - px(4), area.h - axis - caption};
        if (plot_.w < px(40) || plot_.h < px(30)) {
            return;
        }
        lane_ = px(13);
        const float group = lane_ * static_cast<float>(occupation_.most_blocks) + px(8);
        const float most_detail = plot_.h - std::max(px(60), plot_.h * 0.5F);
        const auto groups = static_cast<std::size_t>(std::max(0.0F, std::floor(most_detail / group)));
        const std::size_t shown = std::min(groups, by_multiprocessor_.size());
        const float detail = group * static_cast<float>(shown);
        const float apart = shown == 0 ? 0 : px(14) + caption;
        const Rect upper{plot_.x, plot_.y, plot_.w, plot_.h - detail - apart};
        if (caption > 0) {
            say_above(upper, "Each multiprocessor: the brighter, the more blocks run at a time");
        }
        fullness(upper, named ? area.x : -1);
        float top = plot_.bottom() - detail;
        if (caption > 0 && shown > 0) {
            say_above({plot_.x, top, plot_.w, detail},
                      shown == 1 ? "One of them: a bar is a block, with its number"
                                 : fmt::format("The first {} of them: a bar is a block, with its number", shown));
        }
        std::size_t left_to_show = shown;
        for (const auto& [sm, blocks] : by_multiprocessor_) {
            if (left_to_show-- == 0) {
                break;
            }
            bars({plot_.x, top, plot_.w, group - px(8)}, sm, blocks, named ? area.x : -1);
            top += group;
        }
        if (axis > 0) {
            time_axis({plot_.x, plot_.bottom(), plot_.w, axis}, area);
        }
    }

  private:
    float px(float at_scale_1) const { return at_scale_1 * scale_; }
    Layer& layer(std::size_t i) { return drawing_.layers[i]; }
    float x_of(std::uint64_t ns) const {
        return plot_.x +
               plot_.w * static_cast<float>(static_cast<double>(ns) /
                                            static_cast<double>(std::max<std::uint64_t>(1, occupation_.end_ns)));
    }

    void say_above(const Rect& r, const std::string& text) {
        put_text(layer(1), measure_, {r.x, r.y - px(20), r.w, px(20)},
                 {{r.x, r.y - px(11)},
                  Align::left,
                  Face::sans,
                  text_,
                  theme_.muted,
                  fitted(measure_, text, Face::sans, text_, r.w)});
    }

    void fullness(const Rect& area, float label_x) {
        const float row = area.h / static_cast<float>(r_.multiprocessors);
        layer(0).boxes.push_back({.rect = area, .fill = theme_.panel, .stroke = theme_.line, .stroke_width = px(1)});
        for (const auto& [sm, blocks] : by_multiprocessor_) {
            std::map<std::uint64_t, int> changes;
            for (const std::uint32_t b : blocks) {
                ++changes[r_.blocks[b].begin_ns];
                --changes[r_.blocks[b].end_ns];
            }
            int running = 0;
            for (auto it = changes.begin(); it != changes.end() && std::next(it) != changes.end(); ++it) {
                running += it->second;
                if (running <= 0) {
                    continue;
                }
                const float from = x_of(it->first), to = x_of(std::next(it)->first);
                const float share = static_cast<float>(running) / static_cast<float>(occupation_.most_blocks);
                layer(0).boxes.push_back(
                    {.rect = {from, area.y + row * static_cast<float>(sm), to - from, std::max(row * 0.9F, 0.5F)},
                     .fill = mix(theme_.panel, theme_.accent, 0.15F + 0.85F * share)});
            }
        }
        if (label_x < 0) {
            return;
        }
        const auto every = static_cast<std::uint32_t>(round_step(std::max(1.0F, text_ * 1.6F / row)));
        for (std::uint32_t sm = 0; sm < r_.multiprocessors; sm += every) {
            const float y = area.y + row * (static_cast<float>(sm) + 0.5F);
            put_text(layer(1), measure_, {label_x, area.y, plot_.x - label_x, area.h},
                     {{plot_.x - px(8), std::max(y, area.y + text_ * 0.5F)},
                      Align::right,
                      Face::sans,
                      text_,
                      theme_.muted,
                      std::to_string(sm)});
        }
    }

    // Places each block in the first free row when it begins.
    void bars(const Rect& area, std::uint32_t sm, Runs blocks, float label_x) {
        std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(r_.blocks[a].begin_ns, a) < std::pair(r_.blocks[b].begin_ns, b);
        });
        std::vector<std::uint64_t> free(occupation_.most_blocks, 0);
        for (const std::uint32_t b : blocks) {
            const clocks::BlockRun& run = r_.blocks[b];
            const auto lane = std::find_if(free.begin(), free.end(), [&](auto end) { return end <= run.begin_ns; });
            if (lane == free.end()) {
                continue; // impossible: at most most_blocks run at a time
            }
            const auto index = static_cast<float>(lane - free.begin());
            *lane = run.end_ns;
            const float from = x_of(run.begin_ns), to = x_of(run.end_ns);
            const Rect bar{from, area.y + lane_ * index, std::max(to - from, 1.0F), lane_ - px(2)};
            layer(0).boxes.push_back({.rect = bar,
                                      .radius = std::min(px(2), bar.w / 4),
                                      .fill = theme_.accent_fill,
                                      .stroke = theme_.accent,
                                      .stroke_width = std::min(px(1), bar.w / 3)});
            const float size = px(10);
            if (bar.w >= measure_.width(std::to_string(b), Face::sans, size) + px(4)) {
                put_text(layer(1), measure_, area,
                         {{bar.x + bar.w / 2, bar.y + bar.h / 2},
                          Align::center,
                          Face::sans,
                          size,
                          ink_on(theme_, theme_.accent_fill),
                          std::to_string(b)});
            }
        }
        if (label_x >= 0) {
            put_text(layer(1), measure_, {label_x, area.y, plot_.x - label_x, std::max(area.h, text_)},
                     {{plot_.x - px(8), area.y + std::max(area.h, text_) / 2},
                      Align::right,
                      Face::sans,
                      text_,
                      theme_.muted,
                      std::to_string(sm)});
        }
    }

    void time_axis(const Rect& area, const Rect& whole) {
        const double us = static_cast<double>(occupation_.end_ns) / 1e3;
        if (us <= 0) {
            return;
        }
        const float widest = measure_.width("88.8 µs", Face::sans, text_) + px(24);
        const double least = us * static_cast<double>(widest / area.w);
        const double step = round_step(least * 1000) / 1000;
        for (double at = 0; at <= us; at += step) {
            const float x = area.x + area.w * static_cast<float>(at / us);
            layer(0).curves.push_back(straight({x, area.y}, {x, area.y + px(5)}, px(1), theme_.muted));
            const std::string label = fmt::format("{:.4g}{}", at, at == 0 ? " µs" : "");
            put_text(
                layer(1), measure_, whole,
                {{x, area.y + px(15)}, at == 0 ? Align::left : Align::center, Face::sans, text_, theme_.muted, label});
        }
    }

    const clocks::Recording& r_;
    const Theme& theme_;
    const TextMeasure& measure_;
    float scale_;
    Drawing& drawing_;
    clocks::Occupation occupation_;
    std::map<std::uint32_t, Runs> by_multiprocessor_;
    Rect plot_;
    float text_ = 13, lane_ = 13;
};

} // namespace

std::string schedule_sentence(const clocks::Recording& r) {
    const clocks::Occupation o = clocks::occupation(r.blocks);
    return fmt::format("{} on {}, at most {} at a time on one; the last ends after {:.1f} µs. The clock readings make "
                       "the launch {:.0f} % {}.",
                       plural(r.blocks.size(), "block"), plural(o.multiprocessors, "multiprocessor"), o.most_blocks,
                       static_cast<double>(o.end_ns) / 1e3, std::abs(100 * r.overhead()),
                       r.overhead() < 0 ? "shorter" : "longer");
}

Drawing draw_schedule(const clocks::Recording& recording, const Theme& theme, const TextMeasure& measure, float scale,
                      Rect area) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(2);
    if (!recording.blocks.empty() && recording.multiprocessors != 0) {
        Schedule(recording, theme, measure, scale, drawing).draw(area);
    }
    return drawing;
}

Drawing compose_schedule(const clocks::Recording& recording, const Theme& theme, const TextMeasure& measure,
                         float scale, float width, float height) {
    Drawing whole{.clip = {0, 0, width, height}, .layers = {}, .hits = {}};
    Layer frame;
    frame.boxes.push_back({.rect = whole.clip, .fill = theme.background});
    const float margin = std::min(20 * scale, width / 24), room = width - 2 * margin;
    float top = margin, bottom = height - margin;
    if (height >= 220 * scale && width >= 240 * scale) {
        const float size = 19 * scale, small = 14 * scale, body = 15 * scale;
        const std::string title = fitted(measure, recording.strategy, Face::sans_bold, size, room);
        frame.texts.push_back({{margin, top + size * 0.6F}, Align::left, Face::sans_bold, size, theme.text, title});
        const std::string detail = fmt::format("n = {}  ·  B = {}  ·  {}  ·  {}", recording.n, recording.block,
                                               c_name(recording.type), recording.device);
        const float left = room - measure.width(title, Face::sans_bold, size) - 16 * scale;
        if (measure.width(detail, Face::sans, small) <= left) {
            frame.texts.push_back(
                {{width - margin, top + size * 0.6F}, Align::right, Face::sans, small, theme.muted, detail});
        }
        top += size * 1.2F + 10 * scale;
        const auto lines = wrapped(measure, schedule_sentence(recording), Face::sans, body, room);
        bottom -= 21 * scale * static_cast<float>(lines.size());
        float y = bottom + 10.5F * scale;
        for (const std::string& line : lines) {
            frame.texts.push_back({{margin, y}, Align::left, Face::sans, body, theme.text, line});
            y += 21 * scale;
        }
        bottom -= 10 * scale;
    }
    whole.layers.push_back(std::move(frame));
    Drawing inner = draw_schedule(recording, theme, measure, scale, {margin, top, room, std::max(1.0F, bottom - top)});
    for (Layer& layer : inner.layers) {
        whole.layers.push_back(std::move(layer));
    }
    return whole;
}

} // namespace warptree::scene
