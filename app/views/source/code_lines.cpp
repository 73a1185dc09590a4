#include "app/views/source/code_lines.hpp"

#include "app/views/parts.hpp"
#include "app/views/source/highlight.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace warptree::scene {

namespace {
constexpr std::uint32_t kNoFile = ~0U;

std::string_view own_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// For each file of a listing, the first row of the source that belongs to it.
std::vector<std::uint32_t> known_files(const std::vector<SourceRow>& source, const code::Listing& listing) {
    std::vector<std::uint32_t> first(listing.files.size(), kNoFile);
    std::string_view before;
    for (std::uint32_t row = 0; row < source.size(); ++row) {
        if (source[row].line == 0 || source[row].file == before) {
            continue;
        }
        before = source[row].file;
        for (std::size_t f = 0; f < first.size(); ++f) {
            if (first[f] == kNoFile && own_name(listing.files[f]) == own_name(before)) {
                first[f] = row;
            }
        }
    }
    return first;
}

// The source row of a place; kNone if it is not shown.
std::uint32_t row_at(const std::vector<SourceRow>& source, const std::vector<std::uint32_t>& files,
                     const code::Place& place) {
    const std::uint32_t first = place.file < files.size() ? files[place.file] : kNoFile;
    if (first == kNoFile || place.line < source[first].line) {
        return kNone;
    }
    const std::uint64_t row = std::uint64_t{first} + place.line - source[first].line;
    return row < source.size() && source[row].line == place.line && source[row].file == source[first].file
               ? static_cast<std::uint32_t>(row)
               : kNone;
}

// By line of a listing: rows of the source, innermost first.
std::vector<std::vector<std::uint32_t>> rows_of(const std::vector<SourceRow>& source, const code::Listing& listing) {
    const auto files = known_files(source, listing);
    std::vector<std::vector<std::uint32_t>> all(listing.lines.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const code::Place& place : listing.lines[i].places) {
            if (const std::uint32_t row = row_at(source, files, place); row != kNone) {
                all[i].push_back(row);
            }
        }
    }
    return all;
}

// The line that encloses a line: the nearest one above with less indentation, within the function. kNone if none.
std::uint32_t around(const std::vector<SourceRow>& source, std::uint32_t row) {
    const auto indent = [&](std::uint32_t r) { return source[r].text.find_first_not_of(' '); };
    const std::size_t own = indent(row);
    for (std::uint32_t r = row; r-- > 0 && source[r].line != 0;) {
        const std::size_t at = indent(r);
        const bool code =
            at != std::string::npos && source[r].text.compare(at, 2, "//") != 0 && source[r].text[at] != '#';
        if (code && at < own) {
            return at == 0 ? kNone : r;
        }
    }
    return kNone;
}

bool has_row(const std::vector<std::uint32_t>& list, std::uint32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

// A part of a line that is drawn as one row.
struct ListingStretch {
    std::size_t line, begin, end, indent;
};

std::vector<ListingStretch> listing_stretches(const std::vector<code::Line>& lines, std::size_t columns) {
    constexpr std::size_t kOn = 4; // indent of continuation rows
    std::vector<ListingStretch> all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string& text = lines[i].text;
        std::size_t begin = 0, indent = 0;
        do {
            const std::size_t room = std::max<std::size_t>(8, columns - indent);
            std::size_t end = text.size();
            if (end - begin > room) {
                const std::size_t space = text.rfind(' ', begin + room);
                end = space == std::string::npos || space <= begin + room / 3 ? begin + room : space;
            }
            all.push_back({i, begin, end, indent});
            begin = std::min(text.find_first_not_of(' ', end), text.size());
            indent = std::min(kOn, columns / 4);
        } while (begin < text.size());
    }
    return all;
}

bool is_label(const code::Line& line) {
    return line.text.ends_with(':') || line.text.starts_with('.') || line.text.size() < 2;
}
} // namespace

LitLines lit_by(const std::vector<SourceRow>& source, const code::Disassembly& code, CodePlace place) {
    LitLines lit;
    const std::array<const code::Listing*, 2> listings{&code.ptx, &code.sass};
    const std::array all{rows_of(source, code.ptx), rows_of(source, code.sass)};
    std::vector<std::uint32_t> here; // rows of the source
    std::uint32_t inner = kNone, own = kNone;
    if (place.column == CodeColumn::cuda) {
        if (place.row >= source.size() || source[place.row].line == 0) {
            return lit;
        }
        const auto compiled = [&](std::uint32_t row) {
            return std::any_of(all.begin(), all.end(), [&](const auto& listing) {
                return std::any_of(listing.begin(), listing.end(),
                                   [&](const auto& rows) { return has_row(rows, row); });
            });
        };
        own = place.row;
        while (own != kNone && !compiled(own)) {
            own = around(source, own);
        }
        here.push_back(place.row);
        if (own != kNone) {
            here.push_back(own);
        }
    } else {
        const std::size_t k = place.column == CodeColumn::ptx ? 0 : 1;
        if (place.row >= listings[k]->lines.size()) {
            return lit;
        }
        here = all[k][place.row];
        if (here.empty()) {
            lit.rows[static_cast<std::size_t>(place.column)] = {place.row};
            return lit;
        }
        inner = here.front();
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
        for (std::uint32_t i = 0; i < all[k].size(); ++i) {
            const std::vector<std::uint32_t>& rows = all[k][i];
            if (inner == kNone ? own != kNone && has_row(rows, own) : !rows.empty() && rows.front() == inner) {
                lit.rows[k + 1].push_back(i);
            }
        }
    }
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    lit.rows[0] = std::move(here);
    return lit;
}

std::optional<std::uint32_t> ListingDrawing::at(Point point) const {
    if (!drawing.clip.contains(point)) {
        return std::nullopt;
    }
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Rect& row) { return row.contains(point); });
    return found == rows.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - rows.begin()));
}

ListingDrawing draw_listing(const Theme& theme, const TextMeasure& measure, float scale, Rect whole,
                            const code::Listing& listing, const std::string& heading,
                            const std::vector<std::uint32_t>& lit, std::optional<std::uint32_t> chosen, float scroll) {
    ListingDrawing made;
    Drawing& drawing = made.drawing;
    drawing.clip = whole;
    drawing.layers.resize(2);
    Layer &back = drawing.layers[0], &front = drawing.layers[1];
    const float fitting = whole.w / (50 * measure.width("0", Face::mono, 1));
    const float size = std::clamp(fitting, 11 * scale, 14 * scale);
    const float height = std::round(size * 1.55F), digit = measure.width("0", Face::mono, size);
    Rect area = whole;
    put_text(front, measure, area,
             {{area.x + 4 * scale, area.y + height / 2},
              Align::left,
              Face::sans_bold,
              size,
              theme.text,
              fitted(measure, heading, Face::sans_bold, size, area.w - 8 * scale)});
    area.y += height;
    area.h -= height;
    back.boxes.push_back({.rect = {area.x, area.y, area.w, scale}, .fill = theme.line});
    std::uint32_t most = 1;
    for (const code::Line& line : listing.lines) {
        most = std::max(most, line.places.empty() ? 0 : line.places.back().line);
    }
    const float numbers = digit * static_cast<float>(std::to_string(most).size()) + 12 * scale;
    const float left = area.x + numbers + 12 * scale, room = area.right() - left;
    if (room < 8 * digit || area.h < height) {
        return made;
    }
    const auto lines = listing_stretches(listing.lines, static_cast<std::size_t>(room / digit - 0.01F));
    made.furthest = std::max(0.0F, height * static_cast<float>(lines.size()) - area.h);
    const float offset = std::clamp(scroll, 0.0F, made.furthest);
    made.rows.resize(listing.lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const ListingStretch& it = lines[i];
        const code::Line& line = listing.lines[it.line];
        const float top = area.y + height * static_cast<float>(i) - offset;
        const bool begins = i == 0 || lines[i - 1].line != it.line;
        const bool ends = i + 1 == lines.size() || lines[i + 1].line != it.line;
        Rect& row = made.rows[it.line];
        row = begins ? Rect{area.x, top, area.w, height} : Rect{row.x, row.y, row.w, row.h + height};
        if (top < area.y || top + height > area.bottom() + 1) {
            continue;
        }
        const auto number = static_cast<std::uint32_t>(it.line);
        const bool is_lit = std::binary_search(lit.begin(), lit.end(), number);
        if (is_lit) {
            const float tall = height + (ends ? 0.0F : 1.0F); // no seam
            back.boxes.push_back({.rect = {area.x, top, area.w, tall}, .fill = theme.code_line});
            back.boxes.push_back({.rect = {area.x, top, 3 * scale, tall}, .fill = theme.accent});
        }
        if (chosen == number) {
            back.boxes.push_back({.rect = {area.x, top, area.w, height},
                                  .fill = {0, 0, 0, 0},
                                  .stroke = theme.accent,
                                  .stroke_width = std::max(1.0F, scale)});
        }
        const float y = top + height / 2;
        if (begins && !line.places.empty()) { // the line of the kernel's own file that it comes from
            put_text(front, measure, area,
                     {{area.x + numbers, y},
                      Align::right,
                      Face::mono,
                      size,
                      is_lit ? theme.text : theme.muted,
                      std::to_string(line.places.back().line)});
        }
        // Predicates and opcodes are coloured; on a highlighted background only plain ink is sure to be legible.
        std::size_t at = it.begin;
        const std::size_t guard = line.text.starts_with('@') ? std::min(line.text.find(' '), line.text.size()) : 0;
        const std::size_t operation = std::min(line.text.find(' ', guard + 1), line.text.size());
        const auto put = [&](std::size_t end, const Color& color) {
            end = std::min(end, it.end);
            const std::size_t first = std::min(line.text.find_first_not_of(' ', at), end);
            if (first < end) {
                const float x = left + digit * static_cast<float>(it.indent + first - it.begin);
                put_text(front, measure, area,
                         {{x, y},
                          Align::left,
                          Face::mono,
                          size,
                          is_lit ? theme.text : color,
                          line.text.substr(first, end - first)});
            }
            at = std::max(at, end);
        };
        if (is_label(line)) {
            put(it.end, theme.muted);
        } else {
            put(guard, token_color(theme, Token::cuda));
            put(operation, token_color(theme, Token::keyword));
            put(it.end, token_color(theme, Token::plain));
        }
    }
    return made;
}

} // namespace warptree::scene
