#include "app/views/banks/exchange.hpp"

#include "app/views/banks/access_words.hpp"
#include "app/views/parts.hpp"
#include "app/views/running.hpp"
#include "app/views/thread_of.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace warptree::scene {

namespace {
// "all 32 lanes", "lanes 0 to 15", "mask 0x11111111".
std::string lanes_in_words(std::uint32_t mask) {
    if (mask == 0xFFFFFFFFU) {
        return "all 32 lanes";
    }
    const int first = std::countr_zero(mask), count = std::popcount(mask);
    const bool in_a_row = mask != 0 && count + first <= 32 && (mask >> first) == (std::uint64_t{1} << count) - 1;
    return in_a_row ? fmt::format("lanes {} to {}", first, first + count - 1) : fmt::format("mask 0x{:08x}", mask);
}

// For shuffles in which all lanes use s.delta.
std::array<LaneSource, kWarpSize> sources_by_delta(const Shuffle& s) {
    std::array<LaneSource, kWarpSize> sources{};
    const unsigned width = s.width == 0 ? kWarpSize : s.width;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((s.mask >> lane & 1U) == 0) {
            continue;
        }
        const unsigned first = lane / width * width, at = lane - first;
        unsigned from = lane;
        bool inside = true;
        switch (s.kind) {
        case ShuffleKind::down:
            inside = at + s.delta < width;
            from = lane + s.delta;
            break;
        case ShuffleKind::up:
            inside = at >= s.delta;
            from = lane - s.delta;
            break;
        case ShuffleKind::exchange_xor: // may read from an earlier segment, not from a later one
            from = lane ^ s.delta;
            inside = from < first + width;
            break;
        case ShuffleKind::index: from = first + s.delta % width; break;
        case ShuffleKind::reduce: sources[lane] = {LaneSource::Kind::all, lane}; continue;
        }
        LaneSource& source = sources[lane];
        source.kind = !inside                      ? LaneSource::Kind::own
                      : from >= kWarpSize          ? LaneSource::Kind::own
                      : (s.mask >> from & 1U) == 0 ? LaneSource::Kind::not_there
                                                   : LaneSource::Kind::lane;
        source.lane = source.kind == LaneSource::Kind::own ? lane : from;
    }
    return sources;
}
} // namespace

std::array<LaneSource, kWarpSize> shuffle_sources(const Launch& launch, const Shuffle& s) {
    std::array<LaneSource, kWarpSize> sources = sources_by_delta(s);
    if (s.kind == ShuffleKind::reduce || s.first_source >= launch.shuffle_sources.size()) {
        return sources;
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const unsigned from = launch.shuffle_sources[s.first_source + lane];
        if ((s.mask >> lane & 1U) != 0 && from != sources[lane].lane) { // the lane has its own source lane
            sources[lane] = {(s.mask >> from & 1U) != 0 ? LaneSource::Kind::lane : LaneSource::Kind::not_there, from};
        }
    }
    return sources;
}

SectorPlan make_sector_plan(const Launch& launch, const Request& request) {
    SectorPlan plan;
    std::map<std::uint32_t, unsigned> lanes; // by element
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t element = launch.index_of(request, lane);
        plan.element[lane] = element;
        plan.most = std::max(plan.most, ++lanes[element]);
        const std::uint64_t first = std::uint64_t{element} * request.bytes;
        for (std::uint64_t byte = first; byte < first + request.bytes; ++byte) {
            const std::uint64_t index = byte / SectorPlan::kBytes;
            auto found = std::lower_bound(plan.sectors.begin(), plan.sectors.end(), index,
                                          [](const SectorPlan::Sector& s, std::uint64_t i) { return s.index < i; });
            if (found == plan.sectors.end() || found->index != index) {
                found = plan.sectors.insert(found, {index, 0});
            }
            found->touched |= 1U << byte % SectorPlan::kBytes;
        }
    }
    for (const SectorPlan::Sector& s : plan.sectors) {
        plan.used_bytes += static_cast<unsigned>(std::popcount(s.touched));
    }
    plan.ideal = (plan.used_bytes + SectorPlan::kBytes - 1) / SectorPlan::kBytes;
    plan.words = static_cast<unsigned>(lanes.size());
    return plan;
}

namespace {
const char* function_of(ShuffleKind kind) {
    switch (kind) {
    case ShuffleKind::down: return "shuffle down";
    case ShuffleKind::up: return "shuffle up";
    case ShuffleKind::exchange_xor: return "shuffle xor";
    case ShuffleKind::index: return "shuffle by index";
    case ShuffleKind::reduce: return "reduce";
    }
    return "";
}
const char* verb_of(const Request& r) {
    return r.is_constant()                      ? "Load from constant memory"
           : r.kind == AccessKind::global_load  ? "Global load"
           : r.kind == AccessKind::global_store ? "Global store"
                                                : "Atomic";
}

class Exchange {
  public:
    Exchange(const ViewContext& context, const Launch& launch, std::uint32_t launch_id, Rect area, Drawing& drawing)
        : context_(context), theme_(*context.theme), launch_(launch), launch_id_(launch_id), area_(area),
          drawing_(drawing), words_(context, area, drawing) {
        const float side = px(46);
        box_ = {area.x + side, area.y + words_.above(), std::max(px(16), area.w - side - px(4)),
                std::max(px(10), area.h - words_.above() - words_.below() - words_.axis())};
        lane_width_ = box_.w / kWarpSize;
        lane_height_ = std::min(px(20), box_.h * 0.2F);
    }

    void shuffle(const Shuffle& s) {
        block_ = s.block;
        warp_ = s.warp;
        step_ = s.step;
        if (s.kind == ShuffleKind::reduce) {
            reduction(s);
            return;
        }
        const auto sources = shuffle_sources(launch_, s);
        const bool together = sources == sources_by_delta(s);
        const char* by = s.kind == ShuffleKind::exchange_xor ? "lane mask"
                         : s.kind == ShuffleKind::index      ? "lane"
                                                             : "delta";
        const std::string what = together
                                     ? fmt::format("{}, {} {}, width {}", function_of(s.kind), by, s.delta, s.width)
                                     : fmt::format("{}, each its own {}, width {}", function_of(s.kind), by, s.width);
        words_.caption({fmt::format("Warp {}, block {}, {}: {}, {}", s.warp, s.block,
                                    written_at(*context_.trace, s.line), what, lanes_in_words(s.mask)),
                        fmt::format("{}, {}", what, lanes_in_words(s.mask)), what});
        const float bottom = box_.bottom() - lane_height_;
        label("holds", box_.y + lane_height_ / 2);
        label("gets", bottom + lane_height_ / 2);
        unsigned moved = 0, own = 0, undefined = 0;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const LaneSource& from = sources[lane];
            const bool takes_part = from.kind != LaneSource::Kind::absent;
            const bool kept = from.kind == LaneSource::Kind::own;
            cell(lane, box_.y, takes_part, false, lane);
            cell(lane, bottom, takes_part, kept || from.kind == LaneSource::Kind::not_there,
                 from.kind == LaneSource::Kind::not_there ? kNone : from.lane);
            if (lane % std::max<unsigned>(1, s.width) == 0 && lane > 0) {
                segment(lane);
            }
            if (!takes_part) {
                continue;
            }
            moved += from.kind == LaneSource::Kind::lane ? 1 : 0;
            own += kept ? 1 : 0;
            undefined += from.kind == LaneSource::Kind::not_there ? 1 : 0;
            if (from.kind == LaneSource::Kind::not_there) {
                continue;
            }
            const bool lit = highlighted(lane);
            Curve wire =
                falling({middle(from.lane), box_.y + lane_height_}, {middle(lane), bottom}, px(lit ? 2.2F : 1.2F),
                        lit    ? theme_.text
                        : kept ? with_alpha(theme_.muted, 0.8F)
                               : with_alpha(theme_.accent, 0.85F));
            wire.dash = kept ? px(3) : 0;
            drawing_.layers[1].curves.push_back(wire);
        }
        std::string text = plural(moved, "lane") + (moved == 1 ? " takes" : " take") + " a value from another lane";
        if (s.kind == ShuffleKind::index && together) {
            text = plural(moved, "lane") + (moved == 1 ? " takes" : " take") +
                   fmt::format(" the value of lane {}", s.delta);
        }
        text += own == 0 ? "." : fmt::format("; {} out of range: own value kept.", plural(own, "source"));
        if (undefined > 0) {
            text += fmt::format(" {} no part: undefined.",
                                undefined == 1 ? "1 source takes" : std::to_string(undefined) + " sources take");
        }
        words_.verdict("1 shuffle", {fmt::format("{} of 32 lanes", std::popcount(s.mask)), ""},
                       {text, s.kind == ShuffleKind::index && together ? fmt::format("all from lane {}", s.delta)
                              : own + undefined == 0                   ? fmt::format("{} from another lane", moved)
                              : undefined == 0 ? fmt::format("{} from another, {} their own", moved, own)
                                               : fmt::format("{} from an inactive lane", undefined)});
    }

    void sectors(const Request& r) {
        block_ = r.block;
        warp_ = r.warp;
        step_ = r.step;
        const SectorPlan plan = make_sector_plan(launch_, r);
        const std::string plain = fmt::format("{}: {} bytes per lane", verb_of(r), r.bytes);
        if (r.line.known()) {
            words_.caption({fmt::format("{} of warp {}, block {}, {}: {} bytes per lane", verb_of(r), r.warp, r.block,
                                        written_at(*context_.trace, r.line), r.bytes),
                            fmt::format("{} of warp {}, {}", verb_of(r), r.warp, written_at(*context_.trace, r.line)),
                            verb_of(r)});
        } else { // not from a kernel
            words_.caption({plain, verb_of(r), ""});
        }
        label("lane", box_.y + lane_height_ / 2);
        const auto count = static_cast<float>(std::max<std::size_t>(1, plan.sectors.size()));
        const float pitch = std::min(box_.w / count, px(170));
        const float left = box_.x + (box_.w - pitch * count) / 2;
        const float height = std::min(px(30), box_.h * 0.28F), top = box_.bottom() - height;
        label("sector", top + height / 2);
        const float gap = std::min(px(4), pitch * 0.12F);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            cell(lane, box_.y, (r.mask >> lane & 1U) != 0, false, lane);
        }
        float free_from = box_.x;
        for (std::size_t i = 0; i < plan.sectors.size(); ++i) {
            const SectorPlan::Sector& s = plan.sectors[i];
            const Rect rect{left + pitch * static_cast<float>(i) + gap / 2, top, pitch - gap, height};
            drawing_.layers[1].boxes.push_back({.rect = rect,
                                                .radius = std::min(px(2), rect.w / 4),
                                                .fill = theme_.off,
                                                .stroke = with_alpha(theme_.muted, 0.8F),
                                                .stroke_width = std::min(px(1), rect.w / 5)});
            elements(rect, s, r.bytes);
            // Index of its first element, below it.
            const std::string text = std::to_string(s.index * SectorPlan::kBytes / std::max<unsigned>(1, r.bytes));
            const float size = px(11), width = context_.measure->width(text, Face::mono, size);
            const float x = std::clamp(rect.x + rect.w / 2, box_.x + width / 2,
                                       std::max(box_.x + width / 2, box_.right() - width / 2));
            if (words_.axis() > 0 && x - width / 2 >= free_from &&
                say({x, box_.bottom() + words_.axis() * 0.55F}, Align::center, Face::mono, size, theme_.muted, text)) {
                free_from = x + width / 2 + px(6);
            }
        }
        if (words_.axis() > 0) {
            label("element", box_.bottom() + words_.axis() * 0.55F);
        }
        for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint64_t byte = std::uint64_t{plan.element[lane]} * r.bytes;
            const auto at = std::find_if(plan.sectors.begin(), plan.sectors.end(), [&](const SectorPlan::Sector& s) {
                return s.index == byte / SectorPlan::kBytes;
            });
            const auto i = static_cast<float>(at - plan.sectors.begin());
            const float within = (static_cast<float>(byte % SectorPlan::kBytes) + static_cast<float>(r.bytes) / 2) /
                                 static_cast<float>(SectorPlan::kBytes);
            const float x = left + pitch * i + gap / 2 + std::min(within, 1.0F) * (pitch - gap);
            const bool lit = highlighted(lane);
            drawing_.layers[1].curves.push_back(falling({middle(lane), box_.y + lane_height_}, {x, top},
                                                        px(lit ? 2.2F : 1.1F),
                                                        lit ? theme_.text : with_alpha(theme_.accent, 0.85F)));
        }
        cost(r, plan);
    }

  private:
    void cost(const Request& r, const SectorPlan& plan) {
        if (r.is_constant()) { // its cache gives one word at a time, to all lanes that want it
            words_.verdict(
                plural(plan.words, "word"), {plan.words == 1 ? "one for all lanes" : "one after the other", ""},
                {plan.words == 1 ? "A word is given to all lanes at once."
                                 : "Constant memory gives one word at a time; global memory, all of a sector.",
                 ""});
            return;
        }
        const auto touched = static_cast<unsigned>(plan.sectors.size());
        if (r.kind == AccessKind::atomic) {
            words_.verdict(
                plural(touched, "sector"),
                {plan.most == 1 ? "a word a lane" : fmt::format("{} lanes update one word", plan.most), ""},
                {plan.most == 1
                     ? (plan.words == 1 ? "One update." : fmt::format("{} updates of as many words.", plan.words))
                     : fmt::format("{} updates of the word with the most, one after the other.", plan.most),
                 ""});
            return;
        }
        const unsigned loaded = touched * SectorPlan::kBytes;
        const std::string ideal = fmt::format("ideal {}", plan.ideal);
        const std::string used = fmt::format("{} of the {} bytes in them are requested", plan.used_bytes, loaded);
        words_.verdict(
            plural(touched, "sector"),
            {touched > plan.ideal ? fmt::format("{}, {} extra", ideal, touched - plan.ideal) : ideal, ideal, ""},
            {touched > plan.ideal ? used + "; the rest is unused." : used + '.',
             fmt::format("{} of {} bytes used", plan.used_bytes, loaded)});
    }

    // One instruction combines all lanes of the mask: drawn as a bar between them.
    void reduction(const Shuffle& s) {
        const int lanes = std::popcount(s.mask);
        const std::string what = fmt::format("reduction by the hardware ({})", name(context_.trace->options.op));
        words_.caption({fmt::format("Warp {}, block {}, {}: {}, {}", s.warp, s.block,
                                    written_at(*context_.trace, s.line), what, lanes_in_words(s.mask)),
                        fmt::format("{}, {}", what, lanes_in_words(s.mask)), what});
        const float bottom = box_.bottom() - lane_height_, height = std::min(px(20), lane_height_);
        const Rect bar{box_.x, box_.y + box_.h / 2 - height / 2, box_.w, height};
        label("holds", box_.y + lane_height_ / 2);
        label("gets", bottom + lane_height_ / 2);
        drawing_.layers[1].boxes.push_back(
            {.rect = bar, .radius = px(3), .fill = theme_.accent_fill, .stroke = theme_.accent, .stroke_width = px(1)});
        const float size = std::min(px(12), height * 0.7F);
        if (size >= px(8)) {
            say({bar.x + bar.w / 2, bar.y + bar.h / 2}, Align::center, Face::sans, size, theme_.text,
                fmt::format("{} of {}", name(context_.trace->options.op),
                            plural(static_cast<unsigned>(lanes), "lane")));
        }
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const bool takes_part = (s.mask >> lane & 1U) != 0;
            cell(lane, box_.y, takes_part, false, lane);
            cell(lane, bottom, takes_part, false, kNone, "");
            if (takes_part) {
                const bool lit = highlighted(lane);
                const Color color = lit ? theme_.text : with_alpha(theme_.accent, 0.85F);
                const float x = middle(lane), width = px(lit ? 2.2F : 1.2F);
                drawing_.layers[1].curves.push_back(straight({x, box_.y + lane_height_}, {x, bar.y}, width, color));
                drawing_.layers[1].curves.push_back(straight({x, bar.bottom()}, {x, bottom}, width, color));
            }
        }
        words_.verdict("1 instruction", {fmt::format("{} of 32 lanes", lanes), ""},
                       {"Every lane of the mask gets the same result; the hardware combines them, not the program.",
                        "All get the same result."});
    }

    float px(float pixels) const { return pixels * context_.scale; }
    float middle(unsigned lane) const { return box_.x + lane_width_ * (static_cast<float>(lane) + 0.5F); }

    bool say(Point at, Align align, Face face, float size, Color color, const std::string& text) {
        const float room = align == Align::left ? area_.right() - at.x : area_.w;
        return put_text(drawing_.layers[3], *context_.measure, area_,
                        {at, align, face, size, color, fitted(*context_.measure, text, face, size, room)});
    }
    void label(const char* text, float y) {
        const float size = px(context_.measure->width(text, Face::sans, px(12)) <= px(40) ? 12.0F : 10.0F);
        if (lane_height_ >= size * 0.8F && context_.measure->width(text, Face::sans, size) <= px(41)) {
            say({area_.x + px(4), y}, Align::left, Face::sans, size, theme_.muted, text);
        }
    }
    bool highlighted(unsigned lane) const {
        const std::uint32_t thread = warp_ * kWarpSize + lane;
        for (const Target& target : {context_.selected, context_.hover}) {
            if (target.launch == launch_id_ && target.block == block_ && thread_of(launch_, target) == thread) {
                return true;
            }
        }
        return false;
    }

    // One lane; with room, `number` is written, or `otherwise` if it is kNone.
    void cell(unsigned lane, float y, bool active, bool hollow, std::uint32_t number, const char* otherwise = "?") {
        const Rect rect{box_.x + lane_width_ * (static_cast<float>(lane) + 0.06F), y, lane_width_ * 0.88F,
                        lane_height_};
        Box it{.rect = rect, .radius = px(2), .fill = active && !hollow ? theme_.accent_fill : theme_.panel};
        if (active) {
            it.stroke = hollow ? theme_.muted : theme_.accent;
            it.stroke_width = px(1);
        } else {
            it.pattern = Pattern::hatch;
            it.pattern_color = with_alpha(theme_.faint, 0.7F);
        }
        if (highlighted(lane)) {
            it.stroke = theme_.text;
            it.stroke_width = px(2);
        }
        drawing_.layers[1].boxes.push_back(it);
        const float size = std::min(px(11), lane_height_ * 0.62F);
        if (active && size >= px(8) && context_.measure->width("31", Face::mono, size) <= lane_width_ * 0.8F) {
            say({rect.x + rect.w / 2, rect.y + rect.h / 2}, Align::center, Face::mono, size, theme_.text,
                number == kNone ? otherwise : std::to_string(number));
        }
        put_hit(drawing_, area_, rect, {Target::Kind::thread, launch_id_, block_, warp_ * kWarpSize + lane, step_});
    }
    // The boundary between two segments of a shuffle.
    void segment(unsigned lane) {
        const float x = box_.x + lane_width_ * static_cast<float>(lane);
        drawing_.layers[2].curves.push_back(
            straight({x, box_.y - px(3)}, {x, box_.bottom() + px(3)}, px(1.5F), theme_.muted, px(4)));
    }
    void elements(const Rect& rect, const SectorPlan::Sector& s, unsigned bytes) {
        const unsigned each = std::clamp(bytes, 1U, SectorPlan::kBytes);
        const float width = rect.w * static_cast<float>(each) / static_cast<float>(SectorPlan::kBytes);
        for (unsigned byte = 0; byte < SectorPlan::kBytes; byte += each) {
            if ((s.touched >> byte & 1U) == 0) {
                continue;
            }
            const float x = rect.x + width * static_cast<float>(byte / each);
            const Rect part = inset({x, rect.y, width, rect.h}, std::min(px(1.5F), width * 0.12F));
            drawing_.layers[1].boxes.push_back(
                {.rect = part, .radius = std::min(px(1.5F), part.w / 4), .fill = theme_.accent});
        }
    }

    const ViewContext& context_;
    const Theme& theme_;
    const Launch& launch_;
    std::uint32_t launch_id_;
    Rect area_;
    Drawing& drawing_;
    std::uint32_t block_ = 0, warp_ = 0, step_ = 0;
    AccessWords words_;
    Rect box_;
    float lane_width_ = 1, lane_height_ = 1;
};
} // namespace

const char* exchange_heading(const Launch& launch, std::uint32_t exchange) {
    if (exchange == kNone) {
        return "Bank conflicts";
    }
    if (exchange >= launch.requests.size()) {
        return "Shuffle";
    }
    const Request& r = launch.requests[exchange];
    return is_shared(r.kind)   ? "Bank conflicts"
           : is_remote(r.kind) ? "Another block's memory"
           : r.is_constant()   ? "Constant memory"
                               : "Global memory";
}

void add_exchange(const ViewContext& context, const Launch& launch, std::uint32_t launch_id, std::uint32_t exchange,
                  Rect area, Drawing& drawing) {
    Exchange it(context, launch, launch_id, area, drawing);
    if (exchange < launch.requests.size()) {
        it.sectors(launch.requests[exchange]);
    } else if (exchange - launch.requests.size() < launch.shuffles.size()) {
        it.shuffle(launch.shuffles[exchange - launch.requests.size()]);
    }
}

} // namespace warptree::scene
