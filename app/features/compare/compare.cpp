#include "app/features/compare/compare.hpp"

#include "app/views/banks/exchange.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptree::scene {

std::string_view name(ComparePart part) {
    constexpr std::array<std::string_view, 4> kNames{"tree", "warps", "banks", "table"};
    return kNames[static_cast<std::size_t>(part)];
}

std::string fitted_name(const TextMeasure& measure, const std::string& name, Face face, float size, float room) {
    const std::string bare = name.substr(0, name.find(" ("));
    const auto dash = bare.find('-');
    for (const std::string& text :
         {name, bare, dash == std::string::npos ? std::string() : "…" + bare.substr(dash + 1)}) {
        if (!text.empty() && measure.width(text, face, size) <= room) {
            return text;
        }
    }
    return fitted(measure, bare, face, size, room);
}

namespace {
// At scale 1.
constexpr float kGap = 6, kPad = 12, kHeading = 30, kCaption = 18;
constexpr float kLeastTree = 110, kLeastWarps = 90, kLeastBanks = 112;
constexpr float kWide = 400, kLeastWide = 300; // a column's least size for warps and banks side by side

// Layer by layer, to keep the painter's order within each.
void append(Drawing& to, Drawing&& from) {
    to.layers.resize(std::max(to.layers.size(), from.layers.size()));
    for (std::size_t i = 0; i < from.layers.size(); ++i) {
        const auto move = [](auto& all, auto& more) {
            all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        };
        move(to.layers[i].curves, from.layers[i].curves);
        move(to.layers[i].boxes, from.layers[i].boxes);
        move(to.layers[i].texts, from.layers[i].texts);
    }
    to.hits.insert(to.hits.end(), from.hits.begin(), from.hits.end());
}

class Column {
  public:
    Column(const CompareLook& look, Rect area, const CompareColumn& column, Drawing& drawing)
        : look_(look), area_(area), column_(column), drawing_(drawing), theme_(*look.theme) {}

    void draw(ComparePart front) {
        heading();
        const Rect body{area_.x, area_.y + px(kHeading), area_.w, area_.h - px(kHeading)};
        if (column_.trace == nullptr) {
            message(body);
            return;
        }
        if (draw_as_explored(body)) {
            return;
        }
        const auto parts = shown(body.h / look_.scale, front);
        const float spare = body.h - px(6) * static_cast<float>(parts.size() - 1);
        float shares = 0;
        for (const ComparePart part : parts) {
            shares += share(part);
        }
        float y = body.y;
        for (const ComparePart part : parts) {
            const float height = spare * share(part) / shares;
            draw(part, {body.x, y, body.w, height});
            y += height + px(6);
        }
    }

    // The tree above, warps and banks side by side below it. False: there is not enough room.
    bool draw_as_explored(const Rect& body) {
        if (body.w < px(kWide) || body.h < px(kLeastWide)) {
            return false;
        }
        const float gap = px(14), lower = std::clamp(body.h * 0.42F, px(130), px(300));
        const float warps = (body.w - gap) * 0.58F, y = body.bottom() - lower;
        draw(ComparePart::tree, {body.x, body.y, body.w, body.h - lower - px(6)});
        draw(ComparePart::warps, {body.x, y, warps, lower});
        draw(ComparePart::banks, {body.x + warps + gap, y, body.w - warps - gap, lower});
        return true;
    }

  private:
    float px(float pixels) const { return look_.px(pixels); }
    static float share(ComparePart part) {
        return part == ComparePart::tree ? 0.46F : part == ComparePart::warps ? 0.29F : 0.25F;
    }

    // As many as the height allows, starting with the front one and wrapping around.
    static std::vector<ComparePart> shown(float height, ComparePart front) {
        const std::size_t count = height >= kLeastTree + kLeastWarps + kLeastBanks + 3 * kCaption + 60 ? 3
                                  : height >= kLeastTree + kLeastWarps + 2 * kCaption                  ? 2
                                                                                                       : 1;
        std::vector<ComparePart> all;
        for (std::size_t i = 0; i < count; ++i) {
            const auto first = front == ComparePart::table ? 0 : static_cast<std::size_t>(front);
            all.push_back(kCompareParts[(first + i) % 3]);
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    Layer& top() { return drawing_.layers.back(); }

    void heading() {
        const float y = area_.y + px(kHeading) * 0.42F;
        const TextMeasure& measure = *look_.measure;
        std::string state = column_.trace == nullptr ? "" : step_label();
        const bool waits = column_.trace != nullptr && column_.at.waits;
        const float size = px(13), large = px(16);
        float right = area_.right();
        // The name has precedence over the step, which the tree's row also names.
        const float name = measure.width(column_.title, Face::sans_bold, large);
        if (!waits && right - area_.x - name < measure.width(state, Face::mono, size) + px(12)) {
            state.clear();
        }
        if (!state.empty()) {
            const Face face = waits ? Face::sans_bold : Face::mono;
            if (measure.width(state, face, size) > area_.w * 0.5F) {
                state = waits ? "waits" : fitted(measure, state, face, size, area_.w * 0.5F);
            }
            const float width = measure.width(state, face, size) + (waits ? px(14) : 0);
            right -= width;
            if (waits) {
                top().boxes.push_back({.rect = {right, y - px(10), width, px(20)},
                                       .radius = px(4),
                                       .fill = theme_.panel,
                                       .stroke = theme_.attention,
                                       .stroke_width = px(1.4F),
                                       .pattern = Pattern::plain});
            }
            put_text(
                top(), measure, area_,
                {{right + (waits ? px(7) : 0), y}, Align::left, face, size, waits ? theme_.text : theme_.muted, state});
            right -= px(12);
        }
        const std::string title = fitted_name(measure, column_.title, Face::sans_bold, large, right - area_.x);
        put_text(top(), measure, area_, {{area_.x, y}, Align::left, Face::sans_bold, large, theme_.text, title});
        const float x = area_.x + measure.width(title, Face::sans_bold, large) + px(10);
        if (measure.width(column_.note, Face::sans, size) <= right - x) {
            put_text(top(), measure, area_, {{x, y}, Align::left, Face::sans, size, theme_.muted, column_.note});
        }
        if (column_.front) {
            top().boxes.push_back({.rect = {area_.x, area_.y - px(6), std::min(px(46), area_.w), px(3)},
                                   .radius = px(1.5F),
                                   .fill = theme_.accent});
        }
    }

    std::string step_label() const {
        const Trace& trace = *column_.trace;
        const session::Moment& m = column_.at.moment;
        std::string label = m.launch < trace.launches.size() ? trace.launches[m.launch].steps[m.step].label : "host";
        if (m.launch < trace.launches.size() && trace.launches.size() > 1) {
            label = fmt::format("launch {}, {}", m.launch + 1, label);
        }
        if (!column_.at.waits) {
            return label;
        }
        return column_.at.begun ? "waits after " + label : "waits to begin";
    }

    void message(const Rect& body) {
        const float size = px(14), line = px(20);
        float y = body.y + line;
        for (const std::string& text : wrapped(*look_.measure, column_.message, Face::sans, size, body.w)) {
            put_text(top(), *look_.measure, body, {{body.x, y}, Align::left, Face::sans, size, theme_.muted, text});
            y += line;
        }
    }

    void draw(ComparePart part, Rect rect) {
        const Trace& trace = *column_.trace;
        const ViewContext context{&trace,  column_.at.moment, column_.hover, column_.selected,
                                  &theme_, look_.measure,     look_.scale};
        const float caption = rect.h >= px(70) ? px(kCaption) : 0;
        const auto say = [&](const std::string& text) {
            const float size = px(12.5F);
            put_text(top(), *look_.measure, area_,
                     {{rect.x, rect.y + caption * 0.4F},
                      Align::left,
                      Face::sans,
                      size,
                      theme_.muted,
                      fitted(*look_.measure, text, Face::sans, size, rect.w)});
        };
        const Rect view{rect.x, rect.y + caption, rect.w, rect.h - caption};
        const std::uint32_t block = block_shown(trace);
        switch (part) {
        case ComparePart::tree: {
            Drawing tree = draw_tree(context, view, {});
            const bool named = column_.name_threads && name_threads(tree, view);
            if (caption > 0) {
                say(named ? "Tree; below the cells of this step, their threads" : "Tree");
            }
            append(drawing_, std::move(tree));
            break;
        }
        case ComparePart::warps:
            if (caption > 0) {
                say("Warps");
            }
            append(drawing_, draw_warps(context, view, block));
            break;
        case ComparePart::banks:
        case ComparePart::table: {
            const Target wish = column_.hover.kind != Target::Kind::none ? column_.hover : column_.selected;
            const std::uint32_t request = default_exchange(
                trace, column_.at.moment,
                wish.kind != Target::Kind::none ? wish
                                                : Target{Target::Kind::block, column_.at.moment.launch, block, 0});
            const Launch* launch = shown_launch(trace, column_.at.moment);
            if (caption > 0) {
                say(launch == nullptr ? "Bank conflicts" : exchange_heading(*launch, request));
            }
            append(drawing_, draw_banks(context, view, request));
        }
        }
    }

    std::uint32_t block_shown(const Trace& trace) const {
        const Launch* launch = shown_launch(trace, column_.at.moment);
        const Target& wish = column_.hover.kind != Target::Kind::none ? column_.hover : column_.selected;
        return launch == nullptr                                                  ? 0
               : wish.kind != Target::Kind::none && launch->in_window(wish.block) ? wish.block
                                                                                  : launch->window_first;
    }

    // Writes below each cell of the current step the thread that made it, unless the view itself shows the threads.
    // True: wrote at least one.
    bool name_threads(Drawing& tree, const Rect& view) {
        std::uint32_t id = 0;
        const Launch* launch = shown_launch(*column_.trace, column_.at.moment, &id);
        if (launch == nullptr || is_host(*column_.trace, column_.at.moment)) {
            return false;
        }
        const std::uint32_t step = current_step(*column_.trace, column_.at.moment);
        std::vector<Hit> cells;
        for (const Hit& hit : tree.hits) {
            if (hit.target.step != step) {
                continue;
            }
            if (hit.target.kind == Target::Kind::thread) {
                return false; // shown by the view, as a disc between the rows
            }
            if (hit.target.kind == Target::Kind::node && hit.target.index < launch->nodes.size() &&
                has_operands(launch->nodes[hit.target.index].kind)) {
                cells.push_back(hit);
            }
        }
        std::sort(cells.begin(), cells.end(), [](const Hit& a, const Hit& b) { return a.rect.x < b.rect.x; });
        const float size = px(10);
        float free_from = view.x;
        bool any = false;
        std::vector<Text> words; // of the view
        for (const Layer& layer : tree.layers) {
            for (const Text& text : layer.texts) {
                if (text.align != Align::right) {
                    words.push_back(text);
                }
            }
        }
        for (const Hit& cell : cells) {
            const std::string text = "t" + std::to_string(launch->nodes[cell.target.index].thread);
            const float width = look_.measure->width(text, Face::mono, size);
            const float x = std::max(view.x, cell.rect.x + cell.rect.w / 2 - width / 2);
            const float y = cell.rect.bottom() + size * 0.75F;
            if (x < free_from) {
                continue;
            }
            const bool free = std::none_of(words.begin(), words.end(), [&](const Text& word) {
                const float half = (word.size + size) * 0.6F,
                            wide = look_.measure->width(word.text, word.face, word.size);
                const float begin = word.anchor.x - (word.align == Align::center ? wide / 2 : 0);
                return std::abs(word.anchor.y - y) < half && x < begin + wide && x + width > begin;
            });
            if (!free) {
                continue;
            }
            // On a background, because edges pass beneath.
            if (put_text(tree.layers.back(), *look_.measure, view,
                         {{x, y}, Align::left, Face::mono, size, theme_.text, text})) {
                tree.layers.back().boxes.push_back({.rect = {x - px(1), y - size * 0.55F, width + px(2), size * 1.1F},
                                                    .radius = px(2),
                                                    .fill = with_alpha(theme_.panel, 0.85F)});
                free_from = x + width + px(4);
                any = true;
            }
        }
        return any;
    }

    const CompareLook& look_;
    Rect area_;
    const CompareColumn& column_;
    Drawing& drawing_;
    const Theme& theme_;
};
} // namespace

Drawing draw_compare_column(const CompareLook& look, Rect area, const CompareColumn& column, ComparePart front) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(7); // the last one lies above those of the views
    const Rect inner{area.x + look.px(kPad), area.y + look.px(8), area.w - 2 * look.px(kPad),
                     area.h - look.px(8) - look.px(8)};
    if (inner.w >= 16 && inner.h >= 16) {
        Column(look, inner, column, drawing).draw(front);
    }
    return drawing;
}

ComparePlan plan_compare(const CompareLook& look, Rect area, std::size_t columns, const CompareTable& table,
                         ComparePart front, bool folded) {
    ComparePlan plan;
    const float gap = look.px(kGap), height = area.h / look.scale;
    if (height < 330) { // room for only one of the two
        if (front == ComparePart::table) {
            plan.table = area;
            return plan;
        }
    } else {
        const float most = area.h * (folded ? 0.25F : height < 620 ? 0.45F : 0.42F);
        plan.form = folded                                                               ? TableForm::sentences
                    : compare_table_height(look, area.w, table, TableForm::whole) > most ? TableForm::differences
                                                                                         : TableForm::whole;
        plan.table.h = std::min(compare_table_height(look, area.w, table, plan.form), most);
        plan.table = {area.x, area.bottom() - plan.table.h, area.w, plan.table.h};
    }
    const auto count = static_cast<float>(columns);
    const float w = (area.w - gap * (count - 1)) / count, h = area.h - (plan.table.h > 0 ? plan.table.h + gap : 0);
    for (std::size_t c = 0; c < columns; ++c) {
        plan.columns.push_back({area.x + static_cast<float>(c) * (w + gap), area.y, w, h});
    }
    return plan;
}

Drawing compose_compare(const CompareLook& look, float width, float height, std::span<const CompareColumn> columns,
                        const CompareTable& table) {
    Drawing drawing;
    drawing.clip = {0, 0, width, height};
    drawing.layers.resize(2);
    drawing.layers[0].boxes.push_back({.rect = drawing.clip, .fill = look.theme->background});
    const float gap = look.px(kGap);
    const Rect area = inset(drawing.clip, gap);
    const ComparePlan plan = plan_compare(look, area, columns.size(), table, ComparePart::tree);
    const auto panel = [&](const Rect& rect) {
        drawing.layers[1].boxes.push_back({.rect = rect,
                                           .radius = look.px(4),
                                           .fill = look.theme->panel,
                                           .stroke = look.theme->line,
                                           .stroke_width = look.px(1)});
    };
    Drawing content;
    for (std::size_t c = 0; c < plan.columns.size(); ++c) {
        panel(plan.columns[c]);
        append(content, draw_compare_column(look, plan.columns[c], columns[c], ComparePart::tree));
    }
    if (plan.table.h > 0) {
        panel(plan.table);
        append(content, draw_compare_table(look, plan.table, table, plan.form));
    }
    for (Layer& layer : content.layers) {
        drawing.layers.push_back(std::move(layer));
    }
    drawing.hits = std::move(content.hits);
    return drawing;
}

} // namespace warptree::scene
