#include "app/views/parts.hpp"
#include "app/views/running.hpp"
#include "app/views/source/highlight.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::scene {

namespace {

// A part of a row that is drawn as one line: bytes [begin, end) of its text, after `indent` columns.
struct Stretch {
    std::size_t row = 0, begin = 0, end = 0, indent = 0;
};

// Rows too long for `columns` wrap, indented by four more. Narrow panels halve the indentation.
std::vector<Stretch> stretches(const std::vector<SourceRow>& rows, std::size_t columns) {
    constexpr std::size_t kNarrow = 72;
    std::vector<Stretch> all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string_view text = rows[i].text;
        const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
        std::size_t indent = std::min(columns < kNarrow ? spaces / 2 : spaces, columns / 2);
        std::size_t begin = spaces;
        do {
            const std::size_t room = std::max<std::size_t>(columns - indent, 8);
            std::size_t end = text.size();
            if (end - begin > room) {
                const std::size_t space = text.rfind(' ', begin + room);
                end = space == std::string_view::npos || space <= begin + room / 3 ? begin + room : space;
            }
            all.push_back({i, begin, end, indent});
            begin = std::min(text.find_first_not_of(' ', end), text.size());
            indent = all.back().begin == spaces ? std::min(indent + 4, columns / 2) : indent;
        } while (begin < text.size());
    }
    return all;
}

// By row: whether it begins within a comment.
std::vector<bool> in_comment(const std::vector<SourceRow>& rows) {
    std::vector<bool> result;
    bool open = false;
    for (const SourceRow& row : rows) {
        open = open && row.line != 0;
        result.push_back(open);
        tokens_of(row.text, open, &open);
    }
    return result;
}

} // namespace

Drawing draw_source(const ViewContext& context, Rect whole, float scroll, SourceMarks* marks) {
    Drawing drawing;
    drawing.clip = whole;
    Rect area = whole;
    drawing.layers.resize(2);
    if (!can_draw(context, area)) {
        return drawing;
    }
    const auto rows = source_rows(*context.trace);
    const Theme& theme = *context.theme;
    const TextMeasure& measure = *context.measure;
    // Smaller in narrow panels, so that most lines fit.
    const float fitting = area.w / (50 * measure.width("0", Face::mono, 1));
    const float size = std::clamp(fitting, 11 * context.scale, 14 * context.scale);
    const float height = std::round(size * 1.55F);
    Layer& back = drawing.layers[0];
    Layer& front = drawing.layers[1];
    if (rows.empty()) {
        const std::string text =
            fitted(measure, "This program has no source of this strategy.", Face::sans, size, area.w);
        put_text(front, measure, area,
                 {{area.x + area.w / 2, area.y + area.h / 2}, Align::center, Face::sans, size, theme.muted, text});
        return drawing;
    }
    const SourceLine running = running_line(*context.trace, context.moment);
    const std::string note = source_note(*context.trace, running);
    const bool noted = !note.empty() && area.h > 4 * height;
    if (noted) { // the note stays above the lines
        put_text(front, measure, area,
                 {{area.x + 4 * context.scale, area.y + height / 2},
                  Align::left,
                  Face::sans_bold,
                  size,
                  theme.text,
                  fitted(measure, note, Face::sans_bold, size, area.w - 8 * context.scale)});
        area.y += height;
        area.h -= height;
        back.boxes.push_back({.rect = {area.x, area.y, area.w, context.scale}, .fill = theme.line});
    }
    const float digit = measure.width("0", Face::mono, size);
    const float numbers = digit * static_cast<float>(std::to_string(rows.size()).size()) + 12 * context.scale;
    const float left = area.x + numbers + 12 * context.scale;
    const float room = area.right() - left;
    if (room < 8 * digit) {
        return drawing; // no room for a useful line
    }
    const auto lines = stretches(rows, static_cast<std::size_t>(room / digit - 0.01F));
    const std::uint32_t current = row_of(rows, *context.trace, running);
    // At scroll 0 the running line is a little above the middle.
    const std::uint32_t wanted = marks != nullptr && marks->shown != kNone ? marks->shown : current;
    const auto first = std::find_if(lines.begin(), lines.end(), [&](const Stretch& s) { return s.row == wanted; });
    const float furthest = std::max(0.0F, height * static_cast<float>(lines.size()) - area.h);
    const float wished =
        first == lines.end() ? 0 : height * (static_cast<float>(first - lines.begin()) + 0.5F) - area.h * 0.45F;
    const float start = std::round(std::clamp(wished, 0.0F, furthest) / height) * height;
    const float offset = std::clamp(start + scroll, 0.0F, furthest);

    const std::vector<bool> comment = in_comment(rows);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const float top = area.y + height * static_cast<float>(i) - offset;
        if (top + height < area.y || top > area.bottom() || (noted && top < area.y)) {
            continue;
        }
        const Stretch& line = lines[i];
        const SourceRow& row = rows[line.row];
        const float y = top + height / 2;
        if (row.line == 0) { // heading of the file that follows
            back.boxes.push_back({.rect = {area.x, top, area.w, context.scale}, .fill = theme.line});
            put_text(front, measure, area,
                     {{left, y},
                      Align::left,
                      Face::sans_bold,
                      size,
                      theme.muted,
                      fitted(measure, row.text, Face::sans_bold, size, room)});
            continue;
        }
        const auto number = static_cast<std::uint32_t>(line.row);
        const bool lit = marks != nullptr && std::binary_search(marks->lit.begin(), marks->lit.end(), number);
        if (marks != nullptr) {
            marks->places.push_back({{area.x, top, area.w, height}, number});
            if (lit) {
                back.boxes.push_back({.rect = {area.x, top, area.w, height}, .fill = theme.code_line});
                back.boxes.push_back({.rect = {area.x, top, 3 * context.scale, height}, .fill = theme.accent});
            }
            if (marks->chosen == number) {
                back.boxes.push_back({.rect = {area.x, top, area.w, height},
                                      .fill = {0, 0, 0, 0},
                                      .stroke = theme.accent,
                                      .stroke_width = std::max(1.0F, context.scale)});
            }
        }
        const bool runs = line.row == current;
        if (runs) {
            const bool goes_on = i + 1 < lines.size() && lines[i + 1].row == line.row;
            const float tall = height + (goes_on ? 1.0F : 0.0F); // no seam
            back.boxes.push_back({.rect = {area.x, top, area.w, tall}, .fill = theme.code_line});
            back.boxes.push_back({.rect = {area.x, top, 3 * context.scale, tall}, .fill = theme.attention});
        }
        if (i == 0 || lines[i - 1].row != line.row) {
            put_text(front, measure, area,
                     {{area.x + numbers, y},
                      Align::right,
                      Face::mono,
                      size,
                      runs || lit ? theme.text : theme.muted,
                      std::to_string(row.line)});
        }
        const std::vector<Token> kinds = tokens_of(row.text, comment[line.row]);
        for (std::size_t at = line.begin; at < line.end;) {
            std::size_t end = at;
            while (end < line.end && kinds[end] == kinds[at]) {
                ++end;
            }
            const std::size_t begin = std::min(row.text.find_first_not_of(' ', at), end);
            if (begin < end) {
                const float x = left + digit * static_cast<float>(line.indent + begin - line.begin);
                // On the running line's background only plain ink is sure to be legible.
                const Color color = runs || lit ? theme.text : token_color(theme, kinds[at]);
                std::string text(row.text.substr(begin, end - begin));
                text.erase(text.find_last_not_of(' ') + 1);
                put_text(front, measure, area, {{x, y}, Align::left, Face::mono, size, color, std::move(text)});
            }
            at = end;
        }
    }
    return drawing;
}

} // namespace warptree::scene
