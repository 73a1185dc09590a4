// The bank view of a warp that accesses nothing: its lanes, and what each warp of the block does in this step.
#include "app/trace/explain/findings.hpp"
#include "app/views/banks/exchange.hpp"
#include "app/views/lane_look.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warptree::scene {

namespace {
class IdleWarp {
  public:
    IdleWarp(const ViewContext& context, const Launch& launch, std::uint32_t launch_id, std::uint32_t block,
             std::uint32_t warp, Rect area, Drawing& drawing)
        : context_(context), theme_(*context.theme), launch_(launch), launch_id_(launch_id), block_(block), warp_(warp),
          step_(current_step(*context.trace, context.moment)), area_(area), drawing_(drawing) {}

    void draw() {
        float y = area_.y;
        const float size = px(14), line = px(19);
        const auto end = std::ranges::find_if(launch_.findings, [&](const Finding& f) {
            return ends_the_run(f) && f.block == block_ && f.step == step_ && f.thread / kWarpSize == warp_;
        });
        const std::string text =
            end == launch_.findings.end()
                ? fmt::format("Warp {} neither accesses memory nor shuffles in this step.", warp_)
                : fmt::format("Warp {} ends here: {}", warp_, sentence(*context_.trace, launch_, *end));
        for (const std::string& words : wrapped(*context_.measure, text, Face::sans, size, area_.w - px(4))) {
            say({area_.x + px(4), y + line / 2}, Align::left, Face::sans, size, theme_.text, words);
            y += line;
        }
        if (step_ >= launch_.steps.size() || !launch_.in_window(block_)) {
            return;
        }
        y += px(8);
        if (area_.bottom() - y > px(34)) {
            lanes({area_.x + px(46), y, area_.w - px(50), px(20)});
            y += px(20) + px(14);
        }
        warps({area_.x + px(4), y, area_.w - px(8), area_.bottom() - y});
    }

  private:
    float px(float pixels) const { return pixels * context_.scale; }
    void say(Point at, Align align, Face face, float size, Color color, const std::string& text) {
        put_text(drawing_.layers[3], *context_.measure, area_, {at, align, face, size, color, text});
    }

    void lanes(const Rect& r) {
        say({area_.x + px(4), r.y + r.h / 2}, Align::left, Face::sans, px(12), theme_.muted, "lane");
        const WarpStep it = lanes_at_work(launch_, block_, step_, warp_);
        const float width = r.w / kWarpSize;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            Box cell = lane_look(state_of(it, lane), When::now, theme_, context_.scale);
            cell.rect = {r.x + width * static_cast<float>(lane) + width * 0.06F, r.y, width * 0.88F, r.h};
            drawing_.layers[1].boxes.push_back(cell);
            put_hit(drawing_, area_, cell.rect,
                    {Target::Kind::thread, launch_id_, block_, warp_ * kWarpSize + lane, step_});
        }
    }

    // One box per warp with what it does, hollow if nothing. As many in a row as their text allows.
    void warps(const Rect& r) {
        const std::uint32_t count = launch_.warps();
        const float size = px(12), gap = px(6), heading = px(20);
        std::vector<std::string> words;
        float widest = px(24);
        for (std::uint32_t w = 0; w < count; ++w) {
            const std::size_t does = exchanges(*context_.trace, context_.moment, block_, w).size();
            words.push_back(does == 0 ? "nothing" : does == 1 ? "1 access" : fmt::format("{} accesses", does));
            const std::string name = fmt::format("warp {}", w);
            widest = std::max({widest, context_.measure->width(words.back(), Face::sans, size),
                               context_.measure->width(name, Face::sans_bold, size)});
        }
        const auto columns = static_cast<std::uint32_t>(
            std::clamp(std::floor((r.w + gap) / (widest + px(16) + gap)), 1.0F, static_cast<float>(count)));
        const std::uint32_t rows = (count + columns - 1) / columns;
        const float width = (r.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
        const float room = (r.h - heading - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
        const float height = std::min(px(64), room);
        if (height < px(20)) {
            return;
        }
        say({r.x, r.y + heading * 0.4F}, Align::left, Face::sans, size, theme_.muted,
            fitted(*context_.measure, fmt::format("What the warps of block {} do in it", block_), Face::sans, size,
                   r.w));
        for (std::uint32_t w = 0; w < count; ++w) {
            const bool idle = words[w] == "nothing";
            const Rect tile{r.x + (width + gap) * static_cast<float>(w % columns),
                            r.y + heading + (height + gap) * static_cast<float>(w / columns), width, height};
            drawing_.layers[1].boxes.push_back({.rect = tile,
                                                .radius = px(4),
                                                .fill = idle ? theme_.panel : theme_.accent_fill,
                                                .stroke = w == warp_ ? theme_.text
                                                          : idle     ? mix(theme_.panel, theme_.faint, 0.5F)
                                                                     : theme_.accent,
                                                .stroke_width = px(w == warp_ ? 2 : 1)});
            const bool both = height >= px(36);
            const float middle = tile.y + tile.h / 2, x = tile.x + tile.w / 2;
            say({x, both ? middle - px(8) : middle}, Align::center, Face::sans_bold, size,
                idle ? theme_.muted : theme_.text, fmt::format("warp {}", w));
            if (both) {
                say({x, middle + px(9)}, Align::center, Face::sans, size, idle ? theme_.muted : theme_.text, words[w]);
            }
            put_hit(drawing_, area_, tile, {Target::Kind::warp, launch_id_, block_, w, step_});
        }
    }

    const ViewContext& context_;
    const Theme& theme_;
    const Launch& launch_;
    std::uint32_t launch_id_, block_, warp_, step_;
    Rect area_;
    Drawing& drawing_;
};
} // namespace

Drawing draw_idle_warp(const ViewContext& context, Rect area, std::uint32_t block, std::uint32_t warp) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(4);
    if (!can_draw(context, area)) {
        return drawing;
    }
    std::uint32_t launch_id = 0;
    const Launch* launch = shown_launch(*context.trace, context.moment, &launch_id);
    if (launch != nullptr && warp < launch->warps()) {
        IdleWarp(context, *launch, launch_id, block, warp, area, drawing).draw();
    }
    return drawing;
}

} // namespace warptree::scene
