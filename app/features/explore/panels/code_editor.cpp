#include "app/features/explore/panels/code_editor.hpp"

#include "app/base/identifier.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/focus.hpp"
#include "app/views/source/highlight.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace warptree::panels {

namespace {
constexpr int kIndent = 4;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; } // a UTF-8 continuation byte

int line_begin(const char* text, int at) {
    while (at > 0 && text[at - 1] != '\n') {
        --at;
    }
    return at;
}
} // namespace

void CodeEditor::text_replaced() {
    if (!lines_.empty()) {
        history_.replaced({measured_, cursor_});
    }
    ++generation_;
    focus_ = focus_ || active_;
    to_select_ = Selection{cursor_, cursor_};
}

void CodeEditor::go_to(std::uint32_t line, std::uint32_t column) {
    if (line == 0 || lines_.empty()) { // of a text not drawn yet: then
        to_go_ = std::pair(line, column);
        return;
    }
    if (line > lines_.size()) {
        return;
    }
    const std::size_t begin = lines_[line - 1];
    const int at = static_cast<int>(std::min(begin + (column == 0 ? 0 : column - 1), measured_.size()));
    to_select_ = Selection{at, at};
    reveal_ = line - 1;
    reveal_always_ = true;
}

void CodeEditor::follow(std::uint32_t line) {
    if (line != 0 && !active_) {
        reveal_ = line - 1;
        reveal_always_ = false;
    }
}

namespace {
// Where the cursor was, if that is where the texts differ; else the end of what differs, as after a change from elsewhere.
int place_of_change(const std::string& now, const session::EditHistory::Snapshot& then) {
    const auto first = std::mismatch(now.begin(), now.end(), then.text.begin(), then.text.end());
    const auto begin = static_cast<std::size_t>(first.second - then.text.begin());
    const std::size_t most = std::min(now.size(), then.text.size()) - begin;
    std::size_t same = 0;
    while (same < most && now[now.size() - 1 - same] == then.text[then.text.size() - 1 - same]) {
        ++same;
    }
    const int from = static_cast<int>(begin), to = static_cast<int>(then.text.size() - same);
    return then.cursor >= from && then.cursor <= to ? then.cursor : to;
}
} // namespace

bool CodeEditor::find(const std::string& text, std::string_view what, int direction) {
    if (what.empty()) {
        return false;
    }
    const auto from = static_cast<std::size_t>(direction > 0 ? std::max(selected_.from, selected_.to)
                                                             : std::min(selected_.from, selected_.to));
    std::size_t at = direction > 0 ? text.find(what, from) : from == 0 ? std::string::npos : text.rfind(what, from - 1);
    if (at == std::string::npos) { // wrap around
        at = direction > 0 ? text.find(what) : text.rfind(what);
    }
    if (at == std::string::npos) {
        return false;
    }
    to_select_ = Selection{static_cast<int>(at), static_cast<int>(at + what.size())};
    selected_ = *to_select_; // the next search goes on from here, whether the editor has the keyboard or not
    reveal_ = line_of(at);
    reveal_always_ = false;
    return true;
}

bool CodeEditor::selects(std::size_t from, std::size_t to) const {
    return selected_.from == static_cast<int>(from) && selected_.to == static_cast<int>(to);
}

int CodeEditor::called_back(ImGuiInputTextCallbackData* data) {
    CodeEditor& self = *static_cast<CodeEditor*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackEdit) {
        self.edited(*data);
    }
    if (const int back = std::exchange(self.step_back_, 0); back != 0) {
        const session::EditHistory::Snapshot now{{data->Buf, static_cast<std::size_t>(data->BufTextLen)},
                                                 data->CursorPos};
        if (const auto s = back > 0 ? self.history_.undo(now) : self.history_.redo(now)) {
            data->DeleteChars(0, data->BufTextLen);
            data->InsertChars(0, s->text.c_str());
            data->SelectionStart = data->SelectionEnd = data->CursorPos = place_of_change(now.text, *s);
        }
    }
    if (self.to_select_) {
        const Selection s = *std::exchange(self.to_select_, std::nullopt);
        data->SelectionStart = std::min(s.from, data->BufTextLen);
        data->SelectionEnd = data->CursorPos = std::min(s.to, data->BufTextLen);
    }
    if (self.indent_ != 0) {
        self.indent_lines(*data);
        self.indent_ = 0;
    }
    self.cursor_moved_ = self.cursor_moved_ || self.cursor_ != data->CursorPos;
    self.cursor_ = data->CursorPos;
    self.selected_ = {data->SelectionStart, data->SelectionEnd};
    return 0;
}

namespace {
int spaces_at(const char* text, int line) {
    int spaces = 0;
    while (text[line + spaces] == ' ') {
        ++spaces;
    }
    return spaces;
}

// Where what follows the statement in that line begins: if it is all that a loop or an if without braces has, below that.
int behind_statement(const char* text, int line, int spaces) {
    while (line > 0) {
        const int above = line_begin(text, line - 1), begin = spaces_at(text, above);
        const std::string_view words(text + above + begin, static_cast<std::size_t>(line - 1 - above - begin));
        const bool heads = std::ranges::any_of(std::initializer_list<std::string_view>{"for", "if", "while", "else"},
                                               [&](std::string_view word) { return words.starts_with(word); });
        if (!heads || begin >= spaces || words.ends_with('{') || words.ends_with(';')) {
            break;
        }
        spaces = begin;
        line = above;
    }
    return spaces;
}
} // namespace

// Auto-indent: a new line starts where the one above did, deeper after a brace; a closing brace moves back out.
void CodeEditor::edited(ImGuiInputTextCallbackData& data) const {
    const int at = data.CursorPos;
    if (data.BufTextLen != static_cast<int>(measured_.size()) + 1 || at == 0) {
        return; // not one character typed
    }
    if (data.Buf[at - 1] == '\n') {
        const int above = line_begin(data.Buf, at - 1);
        int spaces = std::min(spaces_at(data.Buf, above), at - 1 - above);
        const bool opens = at >= 2 && data.Buf[at - 2] == '{';
        const bool ends = data.Buf[at] == '\n' || data.Buf[at] == '\0';
        spaces = ends && at >= 2 && data.Buf[at - 2] == ';' ? behind_statement(data.Buf, above, spaces) : spaces;
        const std::string indent(static_cast<std::size_t>(spaces + (opens ? kIndent : 0)), ' ');
        data.InsertChars(at, indent.c_str());
    } else if (data.Buf[at - 1] == '}') {
        const int begin = line_begin(data.Buf, at);
        const bool alone = std::all_of(data.Buf + begin, data.Buf + at - 1, [](char c) { return c == ' '; });
        if (const int spaces = at - 1 - begin; alone && spaces > 0) {
            data.DeleteChars(begin, std::min(spaces, kIndent));
        }
    }
}

void CodeEditor::indent_lines(ImGuiInputTextCallbackData& data) {
    const int from = std::min(data.SelectionStart, data.SelectionEnd),
              to = std::max(data.SelectionStart, data.SelectionEnd);
    if (from == to && indent_ > 0) {
        const int column = data.CursorPos - line_begin(data.Buf, data.CursorPos);
        data.InsertChars(data.CursorPos,
                         std::string(static_cast<std::size_t>(kIndent - column % kIndent), ' ').c_str());
        return;
    }
    // From the last line to the first, so that earlier positions stay valid.
    const int first = line_begin(data.Buf, from);
    int moved = 0;
    for (int begin = line_begin(data.Buf, to > from && data.Buf[to - 1] == '\n' ? to - 1 : to);;
         begin = line_begin(data.Buf, begin - 1)) {
        if (indent_ > 0) {
            data.InsertChars(begin, "    ");
            moved += kIndent;
        } else {
            int spaces = 0;
            while (spaces < kIndent && data.Buf[begin + spaces] == ' ') {
                ++spaces;
            }
            data.DeleteChars(begin, spaces);
            moved -= spaces;
        }
        if (begin <= first) {
            break;
        }
    }
    if (from != to) {
        data.SelectionStart = first;
        data.SelectionEnd = data.CursorPos = std::max(first, to + moved);
    }
}

void CodeEditor::measure(const std::string& text) {
    if (text == measured_ && !lines_.empty()) {
        return;
    }
    measured_ = text;
    lines_.assign(1, 0);
    in_comment_.clear();
    longest_ = 0;
    bool open = false;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        longest_ = std::max(longest_, end - begin);
        in_comment_.push_back(open);
        scene::tokens_of(std::string_view(text).substr(begin, end - begin), open, &open);
        if (end == text.size()) {
            break;
        }
        lines_.push_back(begin = end + 1);
    }
}

std::uint32_t CodeEditor::line_of(std::size_t byte) const {
    return static_cast<std::uint32_t>(std::upper_bound(lines_.begin(), lines_.end(), byte) - lines_.begin() - 1);
}

// As ImGui places its characters: a tab is four wide.
float CodeEditor::x_of(const std::string& text, std::size_t line, std::size_t byte) const {
    float columns = 0;
    for (std::size_t i = lines_[line]; i < std::min(byte, text.size()) && text[i] != '\n'; ++i) {
        columns += continues(text[i]) ? 0.0F : text[i] == '\t' ? 4.0F : 1.0F;
    }
    return origin_x_ + columns * digit_;
}

void CodeEditor::scroll(scene::Rect area) {
    if (std::exchange(cursor_moved_, false) && active_) {
        reveal_ = line_of(static_cast<std::size_t>(cursor_));
        reveal_always_ = false;
        const float x = x_of(measured_, *reveal_, static_cast<std::size_t>(cursor_)) - origin_x_,
                    room = area.w - margin_;
        if (x < ImGui::GetScrollX() || x > ImGui::GetScrollX() + room - 2 * digit_) {
            ImGui::SetScrollX(std::max(0.0F, x - room * 0.7F));
        }
    }
    if (!reveal_) {
        return;
    }
    const float top = height_ * static_cast<float>(*std::exchange(reveal_, std::nullopt)), now = ImGui::GetScrollY();
    if (std::exchange(reveal_always_, false)) {
        ImGui::SetScrollY(std::max(0.0F, top - area.h * 0.45F));
    } else if (top < now) {
        ImGui::SetScrollY(active_ ? top : std::max(0.0F, top - area.h * 0.3F));
    } else if (top + 2 * height_ > now + area.h) {
        ImGui::SetScrollY(active_ ? top + 2 * height_ - area.h : std::max(0.0F, top - area.h * 0.45F));
    }
}

void CodeEditor::point(scene::Rect area, const std::string& text) {
    pointed_.reset();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float row = std::floor((mouse.y - origin_y_) / height_);
    if (!area.contains({mouse.x, mouse.y}) || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) || row < 0 ||
        row >= static_cast<float>(lines_.size())) {
        return;
    }
    const auto line = static_cast<std::size_t>(row);
    Pointed p{static_cast<std::uint32_t>(line) + 1, {}, mouse.x < area.x + margin_};
    const std::size_t end = line + 1 < lines_.size() ? lines_[line + 1] - 1 : text.size();
    std::size_t at = lines_[line];
    while (at < end && x_of(text, line, at + 1) <= mouse.x) {
        ++at;
    }
    if (!p.margin && at < end && in_identifier(text[at])) {
        std::size_t first = at;
        while (first > lines_[line] && in_identifier(text[first - 1])) {
            --first;
        }
        while (at < end && in_identifier(text[at])) {
            ++at;
        }
        p.word = text.substr(first, at - first);
        p.indexed = at < text.size() && text[at] == '[';
    }
    pointed_ = std::move(p);
}

void CodeEditor::draw_text(const Context& c, scene::Rect area, const std::string& text,
                           const std::vector<CodeMark>& marks, const Look& look) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto at_least = [](float v) { return static_cast<std::size_t>(std::max(0.0F, v)); };
    const auto is_lit = [&](std::size_t line) {
        return std::find(look.lit.begin(), look.lit.end(), line + 1) != look.lit.end();
    };
    const std::size_t first = at_least(std::floor((area.y - origin_y_) / height_));
    const std::size_t last = std::min(lines_.size(), at_least(std::ceil((area.bottom() - origin_y_) / height_)));
    const float left = area.x + margin_;
    list->PushClipRect({left, area.y}, {area.right(), area.bottom()}, true);
    for (std::size_t line = first; line < last; ++line) {
        const float y = origin_y_ + height_ * static_cast<float>(line);
        const bool plain = line + 1 == look.running || is_lit(line);
        if (plain) {
            list->AddRectFilled({left, y}, {area.right(), y + height_}, u32(c.theme.code_line));
        }
        const std::size_t begin = lines_[line];
        const std::size_t end = line + 1 < lines_.size() ? lines_[line + 1] - 1 : text.size();
        if (look.searching && !active_) {
            const auto from = std::max(begin, static_cast<std::size_t>(std::min(selected_.from, selected_.to)));
            const auto to = std::min(end, static_cast<std::size_t>(std::max(selected_.from, selected_.to)));
            if (from < to) {
                list->AddRectFilled({x_of(text, line, from), y}, {x_of(text, line, to), y + height_},
                                    ImGui::GetColorU32(ImGuiCol_TextSelectedBg));
            }
        }
        const auto tokens = scene::tokens_of(std::string_view(text).substr(begin, end - begin), in_comment_[line]);
        for (std::size_t i = begin; i < end;) {
            std::size_t to = i + 1;
            while (to < end && tokens[to - begin] == tokens[i - begin]) {
                ++to;
            }
            // On the running line's background only the plain text colour is sure to be legible.
            const scene::Color ink = plain ? c.theme.text : scene::token_color(c.theme, tokens[i - begin]);
            list->AddText({x_of(text, line, i), y}, u32(ink), text.data() + i, text.data() + to);
            i = to;
        }
        for (const CodeMark& m : marks) {
            if (m.line != line + 1 || m.first == 0 || m.kind == CodeMark::Kind::note) {
                continue;
            }
            const scene::Color& color = m.kind == CodeMark::Kind::error ? c.theme.hazard : c.theme.attention;
            const float from = x_of(text, line, begin + m.first - 1);
            const float to = std::max(from + digit_, x_of(text, line, begin + std::max(m.end, m.first + 1) - 1));
            const float base = y + height_ - c.px(1.5F), wave = c.px(1.5F);
            for (float x = from; x < to; x += 2 * wave) {
                list->AddLine({x, base}, {x + wave, base - wave}, u32(color, look.faded ? 0.5F : 1.0F), c.px(1));
                list->AddLine({x + wave, base - wave}, {x + 2 * wave, base}, u32(color, look.faded ? 0.5F : 1.0F),
                              c.px(1));
            }
        }
    }
    if (active_) {
        const std::uint32_t line = line_of(static_cast<std::size_t>(cursor_));
        const float x = x_of(text, line, static_cast<std::size_t>(cursor_));
        const float y = origin_y_ + height_ * static_cast<float>(line);
        list->AddRectFilled({x, y}, {x + c.px(1.5F), y + height_}, u32(c.theme.text));
    }
    list->PopClipRect();
    // The margin stays where it is when the text scrolls sideways.
    for (std::size_t line = first; line < last; ++line) {
        const float y = origin_y_ + height_ * static_cast<float>(line);
        const bool runs = line + 1 == look.running;
        if (is_lit(line) && !runs) {
            list->AddRectFilled({area.x, y}, {left, y + height_}, u32(c.theme.code_line));
            list->AddRectFilled({area.x, y}, {area.x + c.px(3), y + height_}, u32(c.theme.accent));
        }
        if (runs) {
            list->AddRectFilled({area.x, y}, {left, y + height_}, u32(c.theme.code_line));
            list->AddRectFilled({area.x, y}, {area.x + c.px(3), y + height_}, u32(c.theme.attention));
        }
        const CodeMark* worst = nullptr;
        for (const CodeMark& m : marks) {
            const bool here = m.line == line + 1 || m.beside == line + 1;
            if (here && m.kind != CodeMark::Kind::note && (worst == nullptr || m.kind < worst->kind)) {
                worst = &m;
            }
        }
        const std::string number = std::to_string(line + 1);
        const float width = digit_ * static_cast<float>(number.size());
        list->AddText({left - c.px(10) - width, y}, u32(runs || worst != nullptr ? c.theme.text : c.theme.faint),
                      number.c_str());
        if (worst != nullptr) {
            const scene::Color& color = worst->spoils() ? c.theme.hazard : c.theme.attention;
            const float r = height_ * 0.34F;
            const ImVec2 middle{area.x + c.px(5) + r, y + height_ / 2};
            const ImU32 ground = u32(color, look.faded ? 0.5F : 1.0F);
            if (worst->is_finding()) { // distinguished by shape, too
                list->AddTriangleFilled({middle.x, middle.y - r}, {middle.x + r * 1.1F, middle.y + r * 0.9F},
                                        {middle.x - r * 1.1F, middle.y + r * 0.9F}, ground);
            } else {
                list->AddCircleFilled(middle, r, ground, 16);
            }
            const float w = ImGui::CalcTextSize("!").x;
            list->AddText({middle.x - w / 2, y}, u32(c.theme.panel), "!");
        }
    }
}

bool CodeEditor::draw(Context& c, scene::Rect area, std::string& text, const std::vector<CodeMark>& marks,
                      const Look& look) {
    measure(text);
    if (const auto [line, column] = std::exchange(to_go_, {}); line != 0) {
        go_to(line, column);
    }
    ImGui::PushFont(c.fonts.mono());
    height_ = ImGui::GetFontSize();
    digit_ = ImGui::GetFont()->CalcTextSizeA(height_, FLT_MAX, 0, "0").x; // not rounded
    margin_ = digit_ * static_cast<float>(std::max<std::size_t>(2, std::to_string(lines_.size()).size())) +
              2 * height_ * 0.34F + c.px(22);
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    ImGui::BeginChild("##code", {area.w, area.h}, false, ImGuiWindowFlags_HorizontalScrollbar);
    scroll(area);
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    origin_x_ = begin.x + margin_;
    origin_y_ = begin.y;
    draw_text(c, area, text, marks, look);
    // ImGui only edits: the text is drawn above, in colours.
    for (const ImGuiCol clear : {ImGuiCol_Text, ImGuiCol_FrameBg, ImGuiCol_ChildBg, ImGuiCol_Border}) {
        ImGui::PushStyleColor(clear, ImVec4(0, 0, 0, 0));
    }
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, vec(c.theme.accent, 0.35F)); // over the text
    const ImVec2 whole{std::max(area.w - margin_ - c.px(14), digit_ * (static_cast<float>(longest_) + 2)),
                       std::max(area.h - c.px(14), height_ * (static_cast<float>(lines_.size()) + 2))};
    // ImGui scrolls a focused item into view; limit the item in that frame to what is visible already.
    const bool focus = std::exchange(focus_, false);
    const ImVec2 seen{std::max(1.0F, area.w - margin_ - c.px(16)), std::max(1.0F, area.h - c.px(16))};
    if (focus) {
        ImGui::SetCursorScreenPos({origin_x_ + whole.x, origin_y_ + whole.y}); // keeps the size of the content
        ImGui::Dummy({0, 0});
        focus_next_item();
    }
    if (!active_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !focus) {
        to_select_.reset(); // the click sets the cursor
    }
    const ImVec2 size = focus ? seen : whole;
    ImGui::SetCursorScreenPos(focus ? ImVec2{area.x + margin_, area.y} : ImVec2{origin_x_, origin_y_});
    const int cursor_before = cursor_;
    const bool changed = ImGui::InputTextMultiline(
        fmt::format("##text{}", generation_).c_str(), &text, size,
        ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackEdit | ImGuiInputTextFlags_NoHorizontalScroll,
        called_back, this);
    active_ = ImGui::IsItemActive();
    ImGui::PopStyleColor(5);
    point(area, text);
    ImGui::EndChild();
    ImGui::PopStyleVar(3);
    ImGui::PopFont();
    if (changed) {
        history_.changed({measured_, cursor_before}, text);
        measure(text);
        cursor_moved_ = true;
    }
    return changed;
}

} // namespace warptree::panels
