#include "app/views/banks/access_words.hpp"
#include "app/views/banks/bank_plan.hpp"
#include "app/views/banks/exchange.hpp"
#include "app/views/parts.hpp"
#include "app/views/running.hpp"
#include "app/views/thread_of.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace warptree::scene {

namespace {

class Banks {
  public:
    Banks(const ViewContext& context, const Launch& launch, std::uint32_t launch_id, std::uint32_t id, Rect area,
          Drawing& drawing)
        : context_(context), theme_(*context.theme), launch_(launch), request_(launch.requests[id]),
          launch_id_(launch_id), id_(id), area_(area), drawing_(drawing), words_(context, area, drawing),
          banks_(context.trace->options.banks == 16 ? 16 : 32), plan_(make_bank_plan(launch, request_, banks_)) {}

    void draw() {
        words();
        grid();
        put_hit(drawing_, area_, {area_.x, area_.bottom() - words_.below(), area_.w, words_.below()},
                {Target::Kind::request, launch_id_, request_.block, id_, request_.step});
    }

  private:
    float px(float pixels) const { return pixels * context_.scale; }
    Layer& layer(std::size_t i) { return drawing_.layers[i]; }
    bool say(Point at, Align align, Face face, float size, Color color, const std::string& text) {
        const float room = align == Align::left    ? area_.right() - at.x
                           : align == Align::right ? at.x - area_.x
                                                   : area_.w;
        return put_text(layer(3), *context_.measure, area_,
                        {at, align, face, size, color, fitted(*context_.measure, text, face, size, room)});
    }

    void words() {
        const std::string expression = index_expression(request_, plan_);
        const std::string tail = expression.empty() ? "" : ": " + expression;
        const std::string line = written_at(*context_.trace, request_.line);
        const bool atomic = request_.kind == AccessKind::shared_atomic;
        const char* verb = atomic ? "Atomic" : request_.kind == AccessKind::shared_store ? "Store" : "Load";
        if (!request_.line.known()) { // not from a kernel
            words_.caption({fmt::format("{} of warp {}{}", verb, request_.warp, tail), fmt::format("{}{}", verb, tail),
                            expression});
        } else {
            words_.caption(
                {fmt::format("{} of warp {}, block {}, {}{}", verb, request_.warp, request_.block, line, tail),
                 fmt::format("{} of warp {}, {}{}", verb, request_.warp, line, tail), fmt::format("{}{}", verb, tail),
                 expression});
        }
        const std::string ideal = fmt::format("ideal {}", request_.ideal);
        const std::string full = verdict(request_, plan_);
        if (atomic) {
            const unsigned most = most_updates(plan_);
            words_.verdict(plural(most, "update"), {"of the word with the most", "of one word", ""},
                           {full, full.substr(0, full.find_first_of(";.")) + "."});
            return;
        }
        words_.verdict(plural(request_.wavefronts, "wavefront"),
                       {request_.wavefronts > request_.ideal
                            ? fmt::format("{}, {} extra", ideal, request_.wavefronts - request_.ideal)
                            : ideal,
                        ideal, ""},
                       {full, full.substr(0, full.find_first_of(";.")) + "."});
    }

    void grid() {
        const float side = px(46); // row labels at the left
        const float axis = words_.axis();
        const Rect box{area_.x + side, area_.y + words_.above(), std::max(px(16), area_.w - side - px(4)),
                       std::max(px(10), area_.h - words_.above() - words_.below() - axis)};
        const float column = box.w / static_cast<float>(plan_.slots);
        const float lane_width = box.w / kWarpSize;
        const float lane_height = std::min(px(20), box.h * 0.2F);
        const auto rows = static_cast<float>(std::max(1U, plan_.rows));
        const float wires = std::max(box.h * 0.22F, px(10));
        const float breaks = static_cast<float>(std::max<std::size_t>(1, plan_.groups.size()) - 1);
        pass_gap_ = std::min(px(8), box.h * 0.05F);
        const float cell = std::min(px(30), (box.h - lane_height - wires - breaks * pass_gap_) / rows);
        const float stack = cell * rows + breaks * pass_gap_;
        const float top = box.bottom() - stack;
        const float lanes_y = box.y;
        stack_ = top;
        size_ = text_size(column * 0.88F, cell * 0.86F);
        tracks(box, column, top, stack, axis);
        lanes(box, lane_width, lane_height, lanes_y);
        const float small = px(12);
        say({area_.x + px(4), lanes_y + lane_height / 2}, Align::left, Face::sans, small, theme_.muted, "lane");
        if (plan_.lanes == kWarpSize) {
            say({area_.x + px(4), top + std::min(stack, px(24)) / 2}, Align::left, Face::sans, small, theme_.muted,
                "word");
        }
        float free_from = top;
        for (const BankPlan::Group& group : plan_.groups) {
            if (plan_.lanes == kWarpSize) {
                break;
            }
            const float y = top + row_y(group.first_row, cell);
            if (group.first_row > 0) { // the next group of lanes
                layer(1).curves.push_back(
                    straight({box.x, y - pass_gap_ / 2}, {box.right(), y - pass_gap_ / 2}, px(1), theme_.muted, px(3)));
            }
            if (y >= free_from) {
                say({area_.x + px(4), y + std::min(cell, px(24)) / 2}, Align::left, Face::mono, px(11), theme_.muted,
                    fmt::format("{}–{}", group.first_lane, group.first_lane + plan_.lanes - 1));
                free_from = y + px(14);
            }
        }
        for (const BankPlan::Word& word : plan_.words) {
            const Rect rect{box.x + column * static_cast<float>(word.slot) + column * 0.06F,
                            top + row_y(word.row, cell) + cell * 0.07F, column * 0.88F, cell * 0.86F};
            place(word, rect, box, lane_width, lanes_y + lane_height);
        }
    }

    // Position of a wavefront, from the top of the stack.
    float row_y(unsigned row, float cell) const {
        const auto begun = std::count_if(plan_.groups.begin(), plan_.groups.end(), [&](const BankPlan::Group& g) {
            return g.first_row > 0 && g.first_row <= row;
        });
        return cell * static_cast<float>(row) + pass_gap_ * static_cast<float>(begun);
    }

    // One text size for all words, set by the widest.
    float text_size(float width, float height) const {
        float widest = 0;
        for (const BankPlan::Word& word : plan_.words) {
            widest = std::max(widest, context_.measure->width(std::to_string(word.index), Face::mono, 1));
        }
        const float size = std::min({px(12), height * 0.72F, (width - px(2)) / std::max(widest, 0.1F)});
        return size >= px(7) ? size : 0;
    }

    void tracks(const Rect& box, float column, float top, float stack, float axis) {
        for (unsigned slot = 0; slot < plan_.slots; ++slot) {
            layer(0).boxes.push_back(
                {.rect = {box.x + column * static_cast<float>(slot) + column * 0.06F, top, column * 0.88F, stack},
                 .radius = px(2),
                 .fill = theme_.off});
        }
        if (axis <= 0) {
            return;
        }
        const float size = px(12);
        const float bank = box.w / static_cast<float>(banks_);
        const float room = context_.measure->width("28", Face::mono, size) * 1.5F;
        const int per_slot = banks_ / static_cast<int>(plan_.slots);
        int every = per_slot;
        while (bank * static_cast<float>(every) < room) {
            every *= 2;
        }
        for (int b = 0; b < banks_; b += every) {
            const float x = box.x + bank * (static_cast<float>(b) + static_cast<float>(per_slot) / 2);
            say({x, box.bottom() + axis * 0.55F}, Align::center, Face::mono, size, theme_.muted, std::to_string(b));
        }
        say({area_.x + px(4), box.bottom() + axis * 0.55F}, Align::left, Face::sans, size, theme_.muted, "bank");
    }

    void lanes(const Rect& box, float width, float height, float y) {
        const float size = std::min(px(11), height * 0.62F);
        const bool numbers = size >= px(8) && context_.measure->width("31", Face::mono, size) <= width * 0.8F;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const bool active = (request_.mask >> lane & 1U) != 0;
            const Rect rect{box.x + width * static_cast<float>(lane) + width * 0.06F, y, width * 0.88F, height};
            Box cell{.rect = rect, .radius = px(2), .fill = active ? theme_.accent_fill : theme_.panel};
            if (active) {
                cell.stroke = theme_.accent;
                cell.stroke_width = px(1);
            } else {
                cell.pattern = Pattern::hatch;
                cell.pattern_color = with_alpha(theme_.faint, 0.7F);
            }
            if (lane > 0 && lane % plan_.lanes == 0) {
                const float x = box.x + width * static_cast<float>(lane);
                layer(2).curves.push_back(straight({x, y - px(3)}, {x, y + height + px(3)}, px(1.5F), theme_.muted));
            }
            const std::uint32_t thread = request_.warp * kWarpSize + lane;
            for (const Target& target : {context_.selected, context_.hover}) {
                if (target.launch == launch_id_ && target.block == request_.block &&
                    thread_of(launch_, target) == thread) {
                    cell.stroke = theme_.text;
                    cell.stroke_width = px(2);
                }
            }
            layer(1).boxes.push_back(cell);
            if (numbers && active) {
                say({rect.x + rect.w / 2, rect.y + rect.h / 2}, Align::center, Face::mono, size, theme_.text,
                    std::to_string(lane));
            }
            put_hit(drawing_, area_, rect, {Target::Kind::thread, launch_id_, request_.block, thread, request_.step});
        }
    }

    void place(const BankPlan::Word& word, const Rect& rect, const Rect& box, float lane_width, float lanes_bottom) {
        const Color color = word.extra ? theme_.conflict : theme_.accent;
        Box cell{.rect = rect, .radius = std::min(px(2), rect.h / 4), .fill = color};
        const std::string text = std::to_string(word.index);
        const bool fits = size_ > 0;
        if (word.extra && !fits) {
            cell.pattern = Pattern::cross_hatch;
            cell.pattern_color = with_alpha(theme_.panel, 0.8F);
        } else if (word.extra) { // a second outline instead, so that the number stays legible
            layer(2).boxes.push_back({.rect = inset(rect, -px(1.5F)),
                                      .radius = px(3),
                                      .fill = kClear,
                                      .stroke = theme_.text,
                                      .stroke_width = px(1)});
        }
        layer(1).boxes.push_back(cell);
        if (fits) {
            say({rect.x + rect.w / 2, rect.y + rect.h / 2}, Align::center, Face::mono, size_, ink_on(theme_, color),
                text);
        }
        for (std::uint32_t rest = word.lanes; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<float>(std::countr_zero(rest));
            layer(1).curves.push_back(falling({box.x + (lane + 0.5F) * lane_width, lanes_bottom},
                                              {rect.x + rect.w / 2, stack_}, px(word.extra ? 1.4F : 1.1F),
                                              with_alpha(color, 0.85F)));
            if (word.extra) {
                layer(1).curves.back().dash = px(4);
            }
        }
        put_hit(drawing_, area_, rect, {Target::Kind::word, launch_id_, request_.block, word.index, request_.step});
    }

    const ViewContext& context_;
    const Theme& theme_;
    const Launch& launch_;
    const Request& request_;
    std::uint32_t launch_id_, id_;
    Rect area_;
    Drawing& drawing_;
    AccessWords words_;
    int banks_;
    BankPlan plan_;
    float pass_gap_ = 0; // between groups of lanes that are served one after another
    float size_ = 0;     // of the words' text; 0: no room
    float stack_ = 0;    // top of the banks
};

} // namespace

Drawing draw_banks(const ViewContext& context, Rect area, std::uint32_t request) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(4);
    if (!can_draw(context, area)) {
        return drawing;
    }
    std::uint32_t launch_id = 0;
    const Launch* launch = shown_launch(*context.trace, context.moment, &launch_id);
    if (request == kNone) {
        const Target& wish = context.hover.kind != Target::Kind::none ? context.hover : context.selected;
        request = default_exchange(*context.trace, context.moment, wish);
    }
    if (launch != nullptr && request < launch->requests.size() + launch->shuffles.size() &&
        (request >= launch->requests.size() || !is_shared(launch->requests[request].kind))) {
        add_exchange(context, *launch, launch_id, request, area, drawing);
        return drawing;
    }
    if (launch == nullptr || request >= launch->requests.size() || !is_shared(launch->requests[request].kind)) {
        const bool hidden =
            launch != nullptr && is_hidden(context, launch_id, current_step(*context.trace, context.moment));
        const float size = 15 * context.scale;
        std::string text = hidden ? "To predict: shown with the answer." : "No access to shared memory in this step.";
        if (context.measure->width(text, Face::sans, size) > area.w) {
            text =
                fitted(*context.measure, hidden ? "To predict." : "No shared access here.", Face::sans, size, area.w);
        }
        put_text(
            drawing.layers[3], *context.measure, area,
            {{area.x + area.w / 2, area.y + area.h / 2}, Align::center, Face::sans, size, context.theme->muted, text});
        return drawing;
    }
    Banks(context, *launch, launch_id, request, area, drawing).draw();
    return drawing;
}

} // namespace warptree::scene
