#include "app/features/deck/panels/deck_bar.hpp"

#include "app/features/widgets/frame.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::panels {

namespace {
// At most two lines, ending in "…" when there is more text; returns whether there was.
bool two_lines(const Context& c, ImVec2 at, float room, const std::string& text, scene::Face face, ImU32 ink) {
    const float size = 15 * c.fonts.scale();
    std::string flat = text;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    std::vector<std::string> lines = scene::wrapped(c.fonts, flat, face, size, room);
    const bool more = lines.size() > 2;
    for (; lines.size() > 2; lines.pop_back()) {
        lines[lines.size() - 2] += " " + lines.back();
    }
    ImGui::PushFont(c.fonts.font(face, size));
    const float line = ImGui::GetTextLineHeight();
    float y = at.y + (lines.size() < 2 ? line / 2 : 0);
    for (const std::string& l : lines) {
        const std::string shown = scene::fitted(c.fonts, l, face, size, room);
        ImGui::GetWindowDrawList()->AddText({at.x, y}, ink, shown.c_str());
        y += line;
    }
    ImGui::PopFont();
    return more;
}
} // namespace

float deck_bar_height(const Context& c) { return 2 * ImGui::GetTextLineHeight() + c.px(12); }

DeckBarClick draw_deck_bar(const Context& c, const scene::Rect& bar, const session::Deck& deck, std::size_t at,
                           bool presents) {
    DeckBarClick click;
    session::DeckState now = deck.states[at];
    now.note = presents ? "" : now.note; // it is the speaker's
    pages::begin_fixed("deck", bar);
    const float size = ImGui::GetFrameHeight(), y = bar.y + (bar.h - size) / 2;
    float x = bar.x + c.px(10);
    const auto button = [&](const char* text, const char* id, const char* tip, float left) {
        const float w = ImGui::CalcTextSize(text).x + c.px(18);
        ImGui::SetCursorScreenPos({left, y});
        const bool pressed = ImGui::Button((std::string(text) + "##" + id).c_str(), {w, 0});
        if (ImGui::IsItemHovered()) {
            pages::tooltip(c, tip);
        }
        c.placed(id, pages::last_item());
        return std::pair(pressed, w);
    };
    const std::string count = fmt::format("{} of {}", at + 1, deck.states.size());
    const auto [back, back_width] = button("<", "deck-back", "The state before (Page Up)", x);
    x += back_width + c.px(6);
    ImGui::SetCursorScreenPos({x, y});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(count.c_str());
    x += ImGui::CalcTextSize(count.c_str()).x + c.px(6);
    const auto [next, next_width] = button(">", "deck-next", "The next state (Page Down)", x);
    x += next_width + c.px(14);
    const float close_width = ImGui::CalcTextSize("Close").x + c.px(18);
    const float edit_width = presents ? 0 : ImGui::CalcTextSize("Edit").x + c.px(24);
    const float right = bar.right() - close_width - edit_width - c.px(10);
    const auto [close, unused] =
        button("Close", "deck-close", "Ends the deck; what is shown stays", right + edit_width);
    const bool edit =
        !presents && button("Edit", "deck-edit",
                            "Title, note and place of this state (Ctrl+Shift+D); Ctrl+D adds what is shown", right)
                         .first;
    const float room = right - x - c.px(14), top = bar.y + c.px(6);
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
    const bool beside = room > c.px(380) && !now.note.empty();
    const float title = now.note.empty() ? room : beside ? room * 0.36F : room;
    bool more = false;
    if (room > c.px(40)) {
        more = two_lines(c, {x, top}, title - (beside ? c.px(16) : 0), shown_title(now), scene::Face::sans_bold, ink);
        if (beside) {
            const bool cut = two_lines(c, {x + title, top}, room - title, now.note, scene::Face::sans, ink);
            more = more || cut;
        }
    }
    ImGui::SetCursorScreenPos({x, bar.y});
    ImGui::Dummy({std::max(1.0F, room), bar.h});
    c.placed("deck", bar);
    if ((more || !beside) && ImGui::IsItemHovered()) {
        pages::tooltip(c, shown_title(now) + (now.note.empty() ? "" : "\n" + now.note));
    }
    pages::end_fixed();
    click.turn = back ? -1 : next ? 1 : 0;
    click.close = close;
    click.edit = edit;
    return click;
}

} // namespace warptree::panels
