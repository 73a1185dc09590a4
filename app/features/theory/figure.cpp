#include "app/features/theory/figure.hpp"

#include "app/views/parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warptree::topics {

using scene::Align;
using scene::Color;
using scene::Face;
using scene::Rect;

Figure::Figure(const FigureContext& context, Rect area) : context_(context) {
    drawing_.clip = area;
    drawing_.layers.emplace_back();
}

void Figure::text(const Rect& room, const std::string& text, float size, Color color, Align align, Face face) {
    if (room.h < size || room.w <= 0) {
        return;
    }
    const std::string shown = scene::fitted(*context_.measure, text, face, size, room.w);
    if (shown.empty()) {
        return;
    }
    const float x = align == Align::left ? room.x : align == Align::right ? room.right() : room.x + room.w / 2;
    layer().texts.push_back({{x, room.y + room.h / 2}, align, face, size, color, shown});
}

std::vector<std::string> Figure::wrapped(const std::string& text, float size, float room) const {
    auto lines = scene::wrapped(*context_.measure, text, scene::Face::sans, size, room);
    if (lines.empty()) {
        lines.emplace_back();
    }
    return lines;
}

float Figure::paragraph(const Rect& room, const std::string& text, float size, Color color) {
    const auto lines = wrapped(text, size, room.w);
    const float height = line_height(size);
    const auto fit = static_cast<std::size_t>(std::max(0.0F, (room.h + 0.01F) / height));
    const std::size_t shown = std::min(fit, lines.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const bool cut = i + 1 == shown && shown < lines.size();
        this->text({room.x, room.y + height * static_cast<float>(i), room.w, height},
                   cut ? lines[i] + " " + lines[i + 1] : lines[i], size, color);
    }
    return height * static_cast<float>(shown);
}

float Figure::paragraph_height(float width, const std::string& text, float size) const {
    return line_height(size) * static_cast<float>(wrapped(text, size, width).size());
}

void Figure::box(const Rect& rect, Color fill, Color stroke, scene::Pattern pattern, Color pattern_color) {
    layer().boxes.push_back({.rect = rect,
                             .radius = std::min(px(3), std::min(rect.w, rect.h) / 5),
                             .fill = fill,
                             .stroke = stroke,
                             .stroke_width = stroke.a == 0 ? 0 : px(1),
                             .pattern = pattern,
                             .pattern_color = pattern_color});
}

void Figure::line(scene::Point from, scene::Point to, float width, Color color, float dash) {
    layer().curves.push_back(scene::straight(from, to, width, color, dash));
}

void Figure::add(scene::Drawing&& other) {
    for (scene::Layer& layer : other.layers) {
        drawing_.layers.push_back(std::move(layer));
    }
    drawing_.layers.emplace_back();
}

std::pair<Rect, Rect> split(const Figure& f, const Rect& r, float first) {
    if (r.w >= f.px(720) || r.w > 2.2F * r.h) {
        const float gap = f.px(28), w = (r.w - gap) * first;
        return {{r.x, r.y, w, r.h}, {r.x + w + gap, r.y, r.w - gap - w, r.h}};
    }
    if (r.h < f.px(260)) { // room for one of them
        return {r, {r.x, r.bottom(), r.w, 0}};
    }
    const float gap = f.px(12), h = (r.h - gap) * first;
    return {{r.x, r.y, r.w, h}, {r.x, r.y + h + gap, r.w, r.h - gap - h}};
}

namespace {
// Widths of the columns at that size of text, without the gaps.
std::vector<float> widths(const Figure& f, const Table& table, float size) {
    std::vector<float> all;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        float most = f.width(table.columns[c].title, size, Face::sans_bold);
        for (const auto& row : table.rows) {
            most = std::max(most, f.width(row[c].text, size));
        }
        all.push_back(most);
    }
    return all;
}

std::vector<std::size_t> every(const Table& table) {
    std::vector<std::size_t> all(table.columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

float sum_of(const std::vector<float>& widths, const std::vector<std::size_t>& shown) {
    return std::accumulate(shown.begin(), shown.end(), 0.0F, [&](float sum, std::size_t c) { return sum + widths[c]; });
}
} // namespace

float draw_table(Figure& f, const Rect& room, const Table& table) {
    std::vector<std::size_t> shown = every(table);
    float size = f.body(), least_gap = f.px(12);
    std::vector<float> wide = widths(f, table, size);
    const auto needs = [&] { return sum_of(wide, shown) + least_gap * static_cast<float>(shown.size() - 1); };
    for (int i = 0; i < 3 && needs() > room.w - 1; ++i) { // smaller text first
        size *= 0.93F;
        wide = widths(f, table, size);
    }
    while (shown.size() > 1 && needs() > room.w - 1) { // then fewer columns
        const auto least = std::min_element(shown.rbegin(), shown.rend(), [&](std::size_t a, std::size_t b) {
            return table.columns[a].keep < table.columns[b].keep;
        });
        shown.erase(std::next(least).base());
    }
    const float spare = room.w - 1 - sum_of(wide, shown); // a pixel for rounding errors
    const float gap = shown.size() < 2 ? 0 : std::min(f.px(34), spare / static_cast<float>(shown.size() - 1));
    const float height =
        std::min(f.line_height(size) * 1.12F,
                 std::max(f.line_height(size) * 0.86F, room.h / static_cast<float>(table.rows.size() + 1)));
    const auto fit = static_cast<std::size_t>(std::max(0.0F, (room.h + 0.01F) / height));
    if (fit < 2) {
        return 0;
    }
    const bool all = table.rows.size() < fit;
    const std::size_t count = all ? table.rows.size() : fit - 2;
    const float used = sum_of(wide, shown) + gap * static_cast<float>(shown.size() - 1);
    float y = room.y;
    const auto put_row = [&](auto cell, Color color, Face face) {
        float x = room.x;
        for (const std::size_t c : shown) {
            f.text({x, y, std::min(wide[c] + 0.5F, room.right() - x), height}, cell(c), size, color,
                   table.columns[c].number ? Align::right : Align::left, face);
            x += wide[c] + gap;
        }
        y += height;
    };
    put_row([&](std::size_t c) { return table.columns[c].title; }, f.theme().muted, Face::sans_bold);
    f.line({room.x, y}, {room.x + used, y}, f.px(1), f.theme().line);
    for (std::size_t r = 0; r < count; ++r) {
        if (std::find(table.marked.begin(), table.marked.end(), r) != table.marked.end()) {
            f.box({room.x - f.px(3), y, std::min(used + f.px(6), room.right() - room.x + f.px(3)), height},
                  f.theme().accent_fill);
        }
        put_row([&](std::size_t c) { return table.rows[r][c].text; }, f.theme().text, Face::sans);
    }
    if (!all) {
        f.text({room.x, y, room.w, height}, "and " + std::to_string(table.rows.size() - count) + " more", size,
               f.theme().muted);
        y += height;
    }
    return y - room.y;
}

scene::Drawing framed_figure(const Topic& topic, const FigureContext& given, Rect area, const Subject& subject) {
    constexpr float kWide = 1000, kHigh = 640, kMost = 1.6F; // at scale 1: in more room the figure is larger
    FigureContext context = given;
    context.scale *= std::clamp(std::min(area.w / given.px(kWide), area.h / given.px(kHigh)), 1.0F, kMost);
    Figure f(context, area);
    const float title = f.px(19), low = area.h < f.px(200) ? 0.0F : 1.0F;
    f.text({area.x, area.y, area.w, title * 1.4F}, topic.title(), title, f.theme().text, Align::left, Face::sans_bold);
    float y = area.y + title * 1.4F + f.px(4) * low;
    const float half = (area.bottom() - y) * 0.55F; // the figure keeps the rest
    y += f.paragraph({area.x, y, area.w, half}, topic.sentence(subject), f.body(), f.theme().text) + f.px(10) * low;
    const Rect room{area.x, y, area.w, std::max(1.0F, area.bottom() - y)};
    scene::Drawing whole = f.take();
    for (scene::Layer& layer : topic.draw(context, room, subject).layers) {
        whole.layers.push_back(std::move(layer));
    }
    return whole;
}

std::string cut(std::uint64_t asked, std::uint64_t summed, std::uint64_t most) {
    return summed == most && asked > most ? "; no more are summed here" : "";
}

} // namespace warptree::topics
