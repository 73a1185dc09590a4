// The table of a comparison as a drawing.
#include "app/features/compare/compare.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptree::scene {

namespace {
// At scale 1.
constexpr float kPadX = 14, kPadY = 10, kRow = 19, kText = 13, kLine = 20, kTwoBlocks = 1000, kBlockGap = 34;

// A line of a block: a heading with the names of the columns, or a row.
struct Line {
    const char* heading = nullptr;
    const CompareRow* row = nullptr;
};

class View {
  public:
    View(const CompareLook& look, Rect area, const CompareTable& table, TableForm form, Drawing& drawing)
        : look_(look), table_(table), drawing_(drawing), form_(form),
          theme_(*look.theme), area_{area.x + px(kPadX), area.y + px(kPadY), std::max(0.0F, area.w - 2 * px(kPadX)),
                                     std::max(0.0F, area.h - 2 * px(kPadY))},
          two_(area.w >= px(kTwoBlocks) && !table.step.empty() && form != TableForm::sentences) {
        names();
        if (form == TableForm::sentences) {
            return;
        }
        const auto add = [&](std::vector<Line>& lines, const char* heading, const std::vector<CompareRow>& rows) {
            const std::size_t before = lines.size();
            std::string alike;
            lines.push_back({heading, nullptr});
            for (const CompareRow& row : rows) {
                if (form == TableForm::differences && is_alike(row)) {
                    alike += fmt::format("{}{} {}", alike.empty() ? "" : ", ", row.label, row.cells.front().text);
                } else {
                    lines.push_back({nullptr, &row});
                }
            }
            if (lines.size() == before + 1) { // nothing differs
                lines.pop_back();
            }
            if (!alike.empty()) {
                alike_ += fmt::format("{}{}, alike: {}", alike_.empty() ? "" : ". ", heading, alike);
            }
        };
        std::vector<Line>& second = two_ ? right_ : left_;
        if (!table.step.empty()) {
            add(left_, "This step", table.step);
        }
        add(second, "Whole run", table.run);
    }

    float height() const {
        const float left = sentences_height() + px(kRow) * static_cast<float>(left_.size());
        const float right = px(kRow) * static_cast<float>(right_.size());
        return std::max(left, right) + alike_height() + 2 * px(kPadY);
    }

    void draw(std::size_t first) {
        const float w = block_width();
        const float used = sentences({area_.x, area_.y, w, area_.h});
        const float rows = area_.h - alike_height();
        block({area_.x, area_.y + used, w, rows - used}, left_, two_ ? 0 : first);
        if (two_) {
            block({area_.x + w + px(kBlockGap), area_.y, w, rows}, right_, first);
        }
        float y = area_.bottom() - alike_height() + px(4);
        for (const std::string& line : alike_lines()) {
            say(area_, {area_.x, y + px(kRow) / 2}, Align::left, Face::sans, px(12.5F), theme_.muted, line);
            y += px(kRow);
        }
    }

  private:
    float px(float pixels) const { return look_.px(pixels); }
    float block_width() const { return two_ ? (area_.w - px(kBlockGap)) / 2 : area_.w; }
    float width(const std::string& text, Face face, float size) const { return look_.measure->width(text, face, size); }
    void say(const Rect& room, Point at, Align align, Face face, float size, Color color, const std::string& text) {
        put_text(drawing_.layers[1], *look_.measure, room, {at, align, face, size, color, text});
    }

    static bool is_alike(const CompareRow& row) {
        return !row.cells.empty() && std::all_of(row.cells.begin(), row.cells.end(), [&](const CompareCell& cell) {
            return cell.text == row.cells.front().text;
        });
    }
    std::vector<std::string> alike_lines() const {
        return wrapped(*look_.measure, alike_, Face::sans, px(12.5F), area_.w);
    }
    float alike_height() const {
        return alike_.empty() ? 0 : px(kRow) * static_cast<float>(alike_lines().size()) + px(4);
    }

    // Begins with the column's name when there are more than two columns.
    std::vector<std::string> lines_of(std::size_t change) const {
        const std::string text = table_.changes.size() > 1
                                     ? fmt::format("{}: {}", table_.columns[change + 1], table_.changes[change])
                                     : table_.changes[change];
        return wrapped(*look_.measure, text, Face::sans, px(14), block_width());
    }
    float sentences_height() const {
        std::size_t lines = 0;
        for (std::size_t i = 0; i < table_.changes.size(); ++i) {
            lines += lines_of(i).size();
        }
        return px(kLine) * static_cast<float>(lines) + (lines > 0 ? px(8) : 0);
    }
    // As many lines as fit, into half of the height if rows follow; returns the height used.
    float sentences(const Rect& room) {
        const float most = two_ || form_ == TableForm::sentences ? room.h : std::max(px(kLine) * 2, room.h * 0.5F);
        float y = 0;
        for (std::size_t i = 0; i < table_.changes.size(); ++i) {
            const auto lines = lines_of(i);
            for (std::size_t l = 0; l < lines.size(); ++l) {
                if (y + px(kLine) > most) {
                    return y;
                }
                const bool last = y + 2 * px(kLine) > most && l + 1 < lines.size();
                std::string text = lines[l];
                if (last) {
                    text = fitted(*look_.measure, text + " " + lines[l + 1] + " …", Face::sans, px(14), room.w);
                }
                say(room, {room.x, room.y + y + px(kLine) / 2}, Align::left, Face::sans, px(14), theme_.text, text);
                y += px(kLine);
            }
        }
        return y + px(8);
    }

    // Column headings without the prefix that all share: "modulo" of "interleaved-modulo".
    void names() {
        names_ = table_.columns;
        if (names_.empty()) {
            return;
        }
        const auto dash_prefix = [&] {
            const std::size_t end = names_.front().find('-');
            const std::string prefix = names_.front().substr(0, end == std::string::npos ? 0 : end + 1);
            return !prefix.empty() && std::all_of(names_.begin(), names_.end(),
                                                  [&](const std::string& n) {
                                                      return n.starts_with(prefix) && n.size() > prefix.size();
                                                  })
                       ? prefix.size()
                       : 0;
        };
        for (std::string& name : names_) { // "sequential (B = 64, 16 banks)": the note tells them apart
            if (const auto open = name.find(" ("); open != std::string::npos && alike()) {
                name = name.substr(open + 2, name.size() - open - 3);
            }
        }
        if (const std::size_t shared = dash_prefix(); shared > 0) {
            for (std::string& name : names_) {
                name = name.substr(shared);
            }
        }
    }
    bool alike() const {
        const auto id = [](const std::string& n) { return n.substr(0, n.find(" (")); };
        return std::all_of(table_.columns.begin(), table_.columns.end(),
                           [&](const std::string& n) { return id(n) == id(table_.columns.front()); });
    }

    void block(const Rect& room, const std::vector<Line>& lines, std::size_t first) {
        const float row = px(kRow), size = px(kText);
        const auto fit = static_cast<std::size_t>(std::max(0.0F, (room.h + 0.5F) / row));
        if (fit < 2 || lines.empty()) {
            return;
        }
        // The heading stays; what does not fit is counted in the last line.
        const std::size_t rows = lines.size();
        const bool all = rows <= fit;
        const std::size_t shown = all ? rows : fit - 1;
        const std::size_t from = all ? 0 : std::min(first, rows - shown);
        float label = 0, meaning = 0;
        for (const Line& line : lines) {
            label = std::max(label, width(line.row != nullptr ? line.row->label : line.heading, Face::sans_bold, size));
            meaning =
                line.row != nullptr ? std::max(meaning, width(line.row->meaning, Face::sans, px(12.5F))) : meaning;
        }
        label = std::min(label + px(14), room.w * 0.4F);
        const auto columns = static_cast<float>(names_.size());
        float cell = std::min((room.w - label) / columns, px(150));
        const bool told = room.w - label - cell * columns >= meaning + px(20) ||
                          (room.w - label - px(130) * columns >= meaning + px(20) && (cell = px(130)) > 0);
        float y = room.y;
        for (std::size_t i = from; i < from + shown && i < rows; ++i, y += row) {
            const Line& line = i == from && from > 0 && lines[i].row != nullptr ? heading_before(lines, i) : lines[i];
            draw_line(line, {room.x, y, room.w, row}, label, cell, told);
        }
        if (!all) {
            const std::size_t below = rows - from - shown;
            say(room, {room.x, y + row / 2}, Align::left, Face::sans, px(12.5F), theme_.muted,
                fitted(*look_.measure,
                       below > 0 ? fmt::format("… {} more row{} below", below, below == 1 ? "" : "s") : "the last row",
                       Face::sans, px(12.5F), room.w));
        }
    }
    static const Line& heading_before(const std::vector<Line>& lines, std::size_t at) {
        while (lines[at].heading == nullptr) {
            --at;
        }
        return lines[at];
    }

    void draw_line(const Line& line, const Rect& r, float label, float cell, bool told) {
        const float y = r.y + r.h / 2, size = px(kText);
        drawing_.layers[0].boxes.push_back({.rect = {r.x, r.bottom() - px(1), r.w, px(1)},
                                            .fill = with_alpha(theme_.line, line.row == nullptr ? 1 : 0.55F)});
        const std::string text = line.row == nullptr ? line.heading : line.row->label;
        const Face face = line.row == nullptr ? Face::sans_bold : Face::sans;
        say(r, {r.x, y}, Align::left, face, size, theme_.text, fitted(*look_.measure, text, face, size, label - px(6)));
        for (std::size_t c = 0; c < names_.size(); ++c) {
            const Rect place{r.x + label + cell * static_cast<float>(c), r.y, cell, r.h};
            if (line.row == nullptr) {
                say(place, {place.right() - px(6), y}, Align::right, Face::sans, px(12.5F), theme_.muted,
                    fitted_name(*look_.measure, names_[c], Face::sans, px(12.5F), cell - px(10)));
            } else if (c < line.row->cells.size()) {
                value(line.row->cells[c], place);
            }
        }
        const float x = r.x + label + cell * static_cast<float>(names_.size()) + px(18);
        if (told && line.row != nullptr) {
            say(r, {x, y}, Align::left, Face::sans, px(12.5F), theme_.muted,
                fitted(*look_.measure, line.row->meaning, Face::sans, px(12.5F), r.right() - x));
        }
    }

    // The value at the right; before it the difference, framed if worse. Without room for both, only the value.
    void value(const CompareCell& cell, const Rect& place) {
        const float size = px(kText), small = px(11.5F), y = place.y + place.h / 2, right = place.right() - px(6);
        const std::string text = fitted(*look_.measure, cell.text, Face::mono, size, place.w - px(10));
        const bool plain =
            cell.verdict == Verdict::none || cell.verdict == Verdict::same || cell.verdict == Verdict::other;
        const bool lone_worse = cell.verdict == Verdict::worse && cell.delta.empty();
        say(place, {right, y}, Align::right, Face::mono, size, cell.value || plain ? theme_.text : theme_.attention,
            text);
        const float begin = right - width(text, Face::mono, size);
        if (cell.delta.empty() || cell.verdict == Verdict::same || cell.verdict == Verdict::none) {
            if (lone_worse) {
                frame({begin - px(4), place.y + px(2), right - begin + px(8), place.h - px(5)});
            }
            return;
        }
        const float wide = width(cell.delta, Face::mono, small), gap = px(11);
        const Color color = cell.verdict == Verdict::worse    ? theme_.text
                            : cell.verdict == Verdict::better ? theme_.agree
                                                              : theme_.muted;
        if (begin - gap - wide - px(5) >= place.x) {
            say(place, {begin - gap, y}, Align::right, Face::mono, small, color, cell.delta);
            if (cell.verdict == Verdict::worse) {
                frame({begin - gap - wide - px(4), place.y + px(2), wide + px(8), place.h - px(5)});
            }
        } else if (cell.verdict == Verdict::worse) {
            frame({begin - px(4), place.y + px(2), right - begin + px(8), place.h - px(5)});
        }
    }
    void frame(const Rect& rect) {
        drawing_.layers[1].boxes.push_back({.rect = rect,
                                            .radius = px(3),
                                            .fill = with_alpha(theme_.attention, 0.12F),
                                            .stroke = theme_.attention,
                                            .stroke_width = px(1.2F)});
    }

    const CompareLook& look_;
    const CompareTable& table_;
    Drawing& drawing_;
    TableForm form_;
    const Theme& theme_;
    Rect area_;
    bool two_;
    std::string alike_; // rows that are the same in every column, in one sentence
    std::vector<Line> left_, right_;
    std::vector<std::string> names_;
};
} // namespace

namespace {
// In a wide room the table is larger, as far as each row keeps what it says of itself.
CompareLook look_of_table(CompareLook look, float width, const CompareTable& table) {
    constexpr float kNames = 1250, kColumn = 220, kMost = 1.3F; // widths at scale 1
    const float wide = look.px(kNames + kColumn * static_cast<float>(table.columns.size()));
    look.scale *= std::clamp(width / wide, 1.0F, kMost);
    return look;
}
} // namespace

float compare_table_height(const CompareLook& given, float width, const CompareTable& table, TableForm form) {
    Drawing none;
    const CompareLook look = look_of_table(given, width, table);
    return View(look, {0, 0, width, 0}, table, form, none).height();
}

Drawing draw_compare_table(const CompareLook& given, Rect area, const CompareTable& table, TableForm form,
                           std::size_t first) {
    const CompareLook look = look_of_table(given, area.w, table);
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(2);
    View(look, area, table, form, drawing).draw(first);
    return drawing;
}

} // namespace warptree::scene
