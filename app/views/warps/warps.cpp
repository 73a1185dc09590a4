#include "app/trace/explain/global_races.hpp"
#include "app/views/barriers.hpp"
#include "app/views/lane_look.hpp"
#include "app/views/parts.hpp"
#include "app/views/thread_of.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

namespace warptree::scene {

namespace {

class Grid {
  public:
    Grid(const ViewContext& context, const Launch& launch, std::uint32_t launch_id, Rect area, std::uint32_t block,
         Drawing& drawing)
        : context_(context), launch_(launch), launch_id_(launch_id), block_(block), drawing_(drawing),
          theme_(*context.theme), step_(current_step(*context.trace, context.moment)) {
        lay_out(area);
    }

    void draw() {
        const auto steps = static_cast<std::uint32_t>(launch_.steps.size());
        const auto every = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(text_ * 1.25F / row_)));
        for (std::uint32_t row = first_; row < first_ + rows_; ++row) {
            if (row == step_) {
                layer(0).boxes.push_back({.rect = {area_.x, top_of(row), area_.w, row_},
                                          .radius = px(3),
                                          .fill = mix(theme_.panel, theme_.accent_fill, 0.42F)});
            }
            const auto away = row > step_ ? row - step_ : step_ - row;
            labels(row, step_ < steps ? away % every == 0 : row % every == 0);
            for (unsigned w = 0; w < launch_.warps(); ++w) {
                if (lane_ >= kLeastLane) {
                    lanes(row, w);
                    lane_hits(row, w);
                } else {
                    texture(row, w);
                }
            }
        }
        barriers();
        races();
        stalls();
        outline(context_.selected);
        outline(context_.partner);
        outline(context_.hover);
        where_in_the_run();
        warp_labels();
        legend();
    }

  private:
    float px(float pixels) const { return pixels * context_.scale; }
    Layer& layer(std::size_t i) { return drawing_.layers[i]; }
    float width(const std::string& text, Face face) const { return context_.measure->width(text, face, text_); }

    void lay_out(Rect area) {
        area_ = area;
        text_ = px(14);
        float label = 0;
        for (const Step& step : launch_.steps) {
            label = std::max(label, width(step.label, Face::sans_bold));
        }
        float left = label + px(20);
        float right = width(std::to_string(launch_.block), Face::mono) + px(20);
        named_ = left + right <= area.w * 0.6F;
        if (!named_) {
            left = right = 0;
        }
        // Rows keep a height that can be read; if not all fit, those around the step are shown.
        const auto all = static_cast<std::uint32_t>(std::max<std::size_t>(1, launch_.steps.size()));
        rows_ = std::clamp(static_cast<std::uint32_t>(std::max(1.0F, area.h / px(12))), 1U, all);
        const std::uint32_t before = rows_ / 3;
        first_ = std::min(step_ > before ? step_ - before : 0, all - rows_);
        const auto rows = static_cast<float>(rows_);
        legend_ = area.h >= rows * px(12) + px(64) ? px(30) : 0;
        head_ = area.h >= rows * px(14) + px(60) ? px(22) : 0;
        grid_ = {area.x + left, area.y + head_, std::max(px(8), area.w - left - right),
                 std::max(px(4), area.h - head_ - legend_)};
        row_ = std::min(grid_.h / rows, px(46));
        const auto warps = static_cast<float>(launch_.warps());
        const auto columns =
            static_cast<float>(launch_.warps() == 1 ? std::min(launch_.block, kWarpSize) : launch_.warps() * kWarpSize);
        gap_ = warps > 1 ? std::min(px(9), grid_.w / (warps * 6)) : 0;
        lane_ = std::min(px(30), (grid_.w - gap_ * (warps - 1)) / columns);
    }

    float warp_x(unsigned warp) const { return grid_.x + static_cast<float>(warp) * (lane_ * kWarpSize + gap_); }
    float bar_height() const { return std::max(2.0F, std::min(row_ * 0.62F, px(24))); }
    float bar_y(std::uint32_t row) const { return top_of(row) + row_ / 2 - bar_height() / 2; }
    bool shows(std::uint32_t row) const { return row >= first_ && row < first_ + rows_; }
    float top_of(std::uint32_t row) const {
        return grid_.y + row_ * (static_cast<float>(row) - static_cast<float>(first_));
    }

    // Beside the grid, which of all rows are shown.
    void where_in_the_run() {
        const auto all = static_cast<float>(launch_.steps.size());
        if (rows_ >= launch_.steps.size()) {
            return;
        }
        const float height = row_ * static_cast<float>(rows_);
        const Rect track{area_.right() - px(4), grid_.y, px(4), height};
        layer(1).boxes.push_back({.rect = track, .radius = px(2), .fill = theme_.off});
        layer(1).boxes.push_back({.rect = {track.x, track.y + height * static_cast<float>(first_) / all, track.w,
                                           height * static_cast<float>(rows_) / all},
                                  .radius = px(2),
                                  .fill = theme_.muted});
    }

    Box look(Lane state, std::uint32_t row) const {
        const When when = row == step_ ? When::now : row > step_ ? When::to_come : When::done;
        return lane_look(state, when, theme_, context_.scale);
    }

    void labels(std::uint32_t row, bool shown) {
        const bool current = row == step_;
        // A low row at an edge still has its name, if it is the current one.
        const float half = 0.6F * text_, at = top_of(row) + row_ / 2;
        const float y = current ? std::clamp(at, area_.y + half, std::max(area_.y + half, area_.bottom() - half)) : at;
        const Face face = current ? Face::sans_bold : Face::sans;
        const Color color = current ? theme_.text : theme_.muted;
        unsigned active = 0;
        for (unsigned w = 0; w < launch_.warps(); ++w) {
            active += static_cast<unsigned>(std::popcount(lanes_at_work(launch_, block_, row, w).active));
        }
        if (shown && named_) {
            put_text(layer(2), *context_.measure, area_,
                     {{area_.x + px(8), y}, Align::left, face, text_, color, launch_.steps[row].label});
            put_text(layer(2), *context_.measure, area_,
                     {{area_.right() - px(8), y},
                      Align::right,
                      Face::mono,
                      text_ * 0.95F,
                      color,
                      hidden(row) ? "?" : std::to_string(active)});
        }
        put_hit(drawing_, area_, {area_.x, y - row_ / 2, grid_.x - area_.x, row_},
                {Target::Kind::step, launch_id_, block_, row, row});
    }

    // In a stripe of a few pixels, hatching would look like more stripes.
    static void without_fine_pattern(Box& box) {
        constexpr float kLeast = 3; // pixels
        if (box.rect.w < kLeast) {
            box.pattern = Pattern::plain;
        }
    }

    // Runs of lanes in one state; with room, a cell per lane.
    void lanes(std::uint32_t row, unsigned warp) {
        const WarpStep it = lanes_at_work(launch_, block_, row, warp);
        if (hidden(row)) {
            unknown(row, warp);
            return;
        }
        const bool apart = lane_ >= px(4);
        const float space = std::min(px(2), lane_ * 0.18F);
        for (unsigned lane = 0; lane < kWarpSize;) {
            const Lane state = state_of(it, lane);
            unsigned end = lane + 1;
            while (end < kWarpSize && state_of(it, end) == state && (!apart || state == Lane::idle)) {
                ++end;
            }
            if (state != Lane::absent) {
                Box box = look(state, row);
                box.rect = {warp_x(warp) + lane_ * static_cast<float>(lane), bar_y(row),
                            lane_ * static_cast<float>(end - lane) - (apart ? space : 0), bar_height()};
                box.radius = apart ? std::min(px(2), lane_ * 0.25F) : 0;
                without_fine_pattern(box);
                layer(1).boxes.push_back(box);
            }
            lane = end;
        }
    }
    void lane_hits(std::uint32_t row, unsigned warp) {
        const WarpStep it = lanes_at_work(launch_, block_, row, warp);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            if ((it.existing >> lane & 1U) != 0) {
                put_hit(drawing_, area_, {warp_x(warp) + lane_ * static_cast<float>(lane), top_of(row), lane_, row_},
                        {Target::Kind::thread, launch_id_, block_, warp * kWarpSize + lane, row});
            }
        }
    }

    // Too narrow for lanes: stripes that keep the pattern of the warp.
    void texture(std::uint32_t row, unsigned warp) {
        const WarpStep it = lanes_at_work(launch_, block_, row, warp);
        if (it.existing == 0) {
            return;
        }
        const float wide = lane_ * static_cast<float>(std::bit_width(it.existing));
        const Rect rect{std::round(warp_x(warp)), bar_y(row), wide, bar_height()};
        if (hidden(row)) {
            unknown(row, warp);
        } else {
            for (const LaneStripe& s : lane_stripes(it, rect.w)) {
                Box box = look(s.state, row);
                box.rect = {rect.x + s.x, rect.y, s.width, rect.h};
                without_fine_pattern(box);
                layer(1).boxes.push_back(box);
            }
        }
        put_hit(drawing_, area_, {rect.x, top_of(row), lane_ * kWarpSize, row_},
                {Target::Kind::warp, launch_id_, block_, warp, row});
    }

    bool hidden(std::uint32_t row) const { return is_hidden(context_, launch_id_, row); }
    void unknown(std::uint32_t row, unsigned warp) {
        const auto lanes = static_cast<unsigned>(std::popcount(launch_.warp_step(block_, row, warp).existing));
        if (lanes != 0) {
            add_unknown(context_, layer(1), inset(place(row, warp, 0, lanes), px(0.5F)));
        }
    }

    // Lanes first … first + count - 1 of a warp in a row; the whole warp if lanes are too narrow.
    Rect place(std::uint32_t row, unsigned warp, unsigned first, unsigned count) const {
        if (lane_ < kLeastLane) {
            return {warp_x(warp), bar_y(row), lane_ * kWarpSize, bar_height()};
        }
        return {warp_x(warp) + lane_ * static_cast<float>(first), bar_y(row), lane_ * static_cast<float>(count),
                bar_height()};
    }

    // Barriers, below the step that each ends; several in one step lie close together.
    void barriers() {
        const std::vector<BarrierLine> all = barrier_lines(launch_, block_);
        std::vector<Span> warps;
        for (unsigned w = 0; w < launch_.warps(); ++w) {
            const float lanes = static_cast<float>(std::min(kWarpSize, launch_.block - w * kWarpSize));
            warps.push_back({warp_x(w), warp_x(w) + lane_ * lanes});
        }
        const float gap = row_ - bar_height(), pitch = std::min(px(3), gap / 3);
        for (std::size_t i = 0, first = 0; i < all.size(); ++i) {
            first = i > 0 && all[i].step != all[i - 1].step ? i : first;
            if (hidden(all[i].step) || i - first > 2 || !shows(all[i].step)) {
                continue;
            }
            barriers_ = true;
            const float y = top_of(all[i].step + 1) + pitch * static_cast<float>(i - first);
            add_barrier({&context_, step_, std::min(1.5F, gap / 4 / context_.scale)}, all[i], warps, y, layer(2));
            put_hit(drawing_, area_, {grid_.x, y - std::min(gap, px(5)) / 2, grid_.w, std::min(gap, px(5))},
                    {Target::Kind::step, launch_id_, block_, all[i].step, all[i].step});
        }
    }

    // A mark at the top of each lane that races: cross-hatched, in its own colour.
    void races() {
        std::set<std::pair<std::uint32_t, std::uint32_t>> marks; // row, thread
        for (const Hazard& h : launch_.hazards) {
            if (h.block == block_) {
                marks.insert(
                    {h.first_step, lane_ < kLeastLane ? h.first_thread / kWarpSize * kWarpSize : h.first_thread});
                marks.insert(
                    {h.second_step, lane_ < kLeastLane ? h.second_thread / kWarpSize * kWarpSize : h.second_thread});
            }
        }
        for (const RacingAccess& r : global_races(launch_)) {
            if (r.block == block_) {
                marks.insert({r.step, lane_ < kLeastLane ? r.thread / kWarpSize * kWarpSize : r.thread});
            }
        }
        raced_ = !marks.empty();
        for (const auto& [row, thread] : marks) {
            if (!shows(row)) {
                continue;
            }
            const Rect lane = place(row, thread / kWarpSize, thread % kWarpSize, 1);
            const float space = lane_ >= px(4) ? std::min(px(2), lane_ * 0.18F) : 0;
            layer(2).boxes.push_back(race_look({lane.x, lane.y, lane.w - space, lane.h * 0.45F}, theme_));
        }
    }

    // A frame around lanes that wait forever, with a label if it fits.
    void stalls() {
        for (const Stall& s : launch_.stalls) {
            if (s.block != block_ || !shows(s.step)) {
                continue;
            }
            stalled_ = true;
            for (unsigned first = 0; first < kWarpSize;) {
                const auto count = static_cast<unsigned>(std::countr_one(s.mask >> first));
                if (count > 0) {
                    waiting(place(s.step, s.warp, first, std::min(count, kWarpSize)));
                }
                first += count + 1;
            }
        }
    }
    void waiting(Rect rect) {
        layer(2).boxes.push_back(stall_look(rect, theme_, context_.scale));
        const float size = std::min(px(13), rect.h * 0.72F);
        const std::string words = "waits forever";
        const float wide = context_.measure->width(words, Face::sans_bold, size) + px(10);
        if (size < px(9) || wide > rect.w) {
            return;
        }
        const float middle = rect.x + rect.w / 2;
        layer(2).boxes.push_back(
            {.rect = {middle - wide / 2, rect.y + px(2), wide, rect.h - px(4)}, .radius = px(3), .fill = theme_.panel});
        put_text(layer(2), *context_.measure, area_,
                 {{middle, rect.y + rect.h / 2}, Align::center, Face::sans_bold, size, theme_.text, words});
    }

    void outline(const Target& target) {
        if (target.launch != launch_id_ || target.block != block_) {
            return;
        }
        std::uint32_t thread = kNone;
        std::uint32_t warp = kNone;
        if (target.kind == Target::Kind::warp) {
            warp = target.index;
        } else {
            thread = thread_of(launch_, target);
        }
        if (thread != kNone && lane_ < kLeastLane) {
            warp = thread / kWarpSize;
            thread = kNone;
        }
        const float height = row_ * static_cast<float>(rows_);
        Rect rect;
        if (thread < launch_.block) {
            rect = {warp_x(thread / kWarpSize) + lane_ * static_cast<float>(thread % kWarpSize) - px(1), grid_.y,
                    lane_ + px(1), height};
        } else if (warp < launch_.warps()) {
            rect = {warp_x(warp) - px(2), grid_.y, lane_ * kWarpSize + px(3), height};
        } else {
            return;
        }
        layer(2).boxes.push_back(
            {.rect = rect, .radius = px(3), .fill = kClear, .stroke = theme_.text, .stroke_width = px(1.6F)});
    }

    void warp_labels() {
        if (head_ <= 0) {
            return;
        }
        const float size = px(13);
        const float pitch = lane_ * kWarpSize + gap_;
        const bool named = context_.measure->width("warp 88", Face::sans, size) <= pitch - px(4);
        if (!named) {
            put_text(layer(2), *context_.measure, {area_.x, area_.y, grid_.x - area_.x - px(4), head_},
                     {{area_.x + px(8), area_.y + head_ * 0.42F}, Align::left, Face::sans, size, theme_.muted, "warp"});
        }
        const float widest = context_.measure->width(std::to_string(launch_.warps() - 1), Face::sans, size);
        unsigned every = 1;
        while (static_cast<float>(every) * pitch < widest + px(4)) {
            every *= 2;
        }
        for (unsigned w = 0; w < launch_.warps(); w += every) {
            if (put_text(layer(2), *context_.measure, area_,
                         {{warp_x(w), area_.y + head_ * 0.42F},
                          Align::left,
                          Face::sans,
                          size,
                          theme_.muted,
                          (named ? "warp " : "") + std::to_string(w)})) {
                put_hit(drawing_, area_, {warp_x(w), area_.y, lane_ * kWarpSize, head_},
                        {Target::Kind::warp, launch_id_, block_, w});
            }
        }
    }

    void legend() {
        if (legend_ <= 0) {
            return;
        }
        bool other = false;
        for (const WarpStep& it : launch_.warp_steps) {
            other = other || it.other_path != 0;
        }
        const float size = px(13);
        const float y =
            std::min(area_.bottom() - legend_ / 2, grid_.y + row_ * static_cast<float>(rows_) + legend_ * 0.6F);
        float x = grid_.x;
        // Errors take precedence in the legend over the rest.
        float right = area_.right();
        for (const auto& [shown, words] : {std::pair{raced_, "races"}, std::pair{stalled_, "waits forever"}}) {
            right -= shown ? px(45) + context_.measure->width(words, Face::sans, size) : 0;
        }
        const std::pair<Lane, const char*> entries[]{{Lane::active, "active"},
                                                     {Lane::off, "inactive"},
                                                     {Lane::idle, "warp idle"},
                                                     {Lane::other_path, "other path"}};
        for (const auto& [state, words] : entries) {
            const float wide = context_.measure->width(words, Face::sans, size);
            if ((state == Lane::other_path && !other) || x + px(20) + wide > right) {
                continue;
            }
            Box box = look(state, step_);
            box.rect = {x, y - px(6), px(12), px(12)};
            box.radius = px(2);
            layer(2).boxes.push_back(box);
            put_text(layer(2), *context_.measure, area_,
                     {{x + px(19), y}, Align::left, Face::sans, size, theme_.muted, words});
            x += px(19) + wide + px(26);
        }
        const auto entry = [&](const Box& box, const char* words) {
            const float wide = context_.measure->width(words, Face::sans, size);
            if (x + px(20) + wide > area_.right()) {
                return;
            }
            layer(2).boxes.push_back(box);
            put_text(layer(2), *context_.measure, area_,
                     {{x + px(19), y}, Align::left, Face::sans, size, theme_.muted, words});
            x += px(19) + wide + px(26);
        };
        if (context_.hidden_from != kNone && hidden(static_cast<std::uint32_t>(launch_.steps.size()) - 1)) {
            Layer sample;
            add_unknown(context_, sample, {x, y - px(6), px(12), px(12)});
            entry(sample.boxes.front(), "to predict");
        }
        if (barriers_) {
            entry({.rect = {x, y - px(1), px(14), px(2)}, .fill = theme_.agree}, "barrier");
        }
        if (raced_) {
            entry(race_look({x, y - px(6), px(12), px(12)}, theme_), "races");
        }
        if (stalled_) {
            entry(stall_look({x, y - px(6), px(12), px(12)}, theme_, context_.scale), "waits forever");
        }
    }

    const ViewContext& context_;
    const Launch& launch_;
    std::uint32_t launch_id_, block_;
    Drawing& drawing_;
    const Theme& theme_;
    std::uint32_t step_;
    std::uint32_t first_ = 0, rows_ = 1; // the rows that are shown
    Rect area_, grid_;
    bool named_ = true; // room for labels beside the grid
    bool raced_ = false, stalled_ = false, barriers_ = false;
    float text_ = 14, row_ = 1, lane_ = 1, gap_ = 0, head_ = 0, legend_ = 0;
};

} // namespace

Drawing draw_warps(const ViewContext& context, Rect area, std::uint32_t block) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(3);
    if (!can_draw(context, area)) {
        return drawing;
    }
    std::uint32_t launch_id = 0;
    const Launch* launch = shown_launch(*context.trace, context.moment, &launch_id);
    if (launch == nullptr || launch->steps.empty() || launch->window_count == 0) {
        return drawing;
    }
    Grid(context, *launch, launch_id, area, launch->in_window(block) ? block : launch->window_first, drawing).draw();
    return drawing;
}

} // namespace warptree::scene
