// The dialog for a page of the deck: its title, its note, its place.
#include "app/shell/dialogs.hpp"

#include "app/base/error.hpp"
#include "app/features/widgets/focus.hpp"
#include "app/features/widgets/frame.hpp"

#include <imgui.h>

#include <cstring>
#include <utility>

namespace warptree::window {

namespace {
// A note is edited in one line.
constexpr const char* kParagraph = " ¶ ";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
    return text;
}
} // namespace

void Dialogs::show_deck_page(const session::Explore& explore, DeckPage page) {
    deck_page_ = std::move(page);
    show(Dialog::deck_page, explore);
    set_text(deck_page_.title);
    const std::string note = replaced(deck_page_.note, "\n", kParagraph);
    note_.fill(0);
    std::memcpy(note_.data(), note.data(), std::min(note.size(), note_.size() - 1));
    row_ = 0;
}

void Dialogs::draw_deck_page(panels::Context& c) {
    const bool turned = std::exchange(moves_, 0) != 0; // Tab
    row_ = turned ? 1 - row_ : row_;
    const bool focus = std::exchange(opened_, false) || turned;
    const std::string generation = std::to_string(generation_);
    const auto field = [&](int row, const char* label, const char* hint, char* text, std::size_t size) {
        ImGui::TextDisabled("%s", label);
        if (focus && row_ == row) {
            panels::focus_next_item();
        }
        ImGui::SetNextItemWidth(-1);
        ImGui::InputTextWithHint(("##" + std::string(label) + generation).c_str(), hint, text, size);
        row_ = ImGui::IsItemActive() && !focus ? row : row_;
    };
    field(0, "Title", "what it shows", text_.data(), text_.size());
    field(1, "Note, for you: a presentation (F11) hides it", "what to say; ¶ begins a paragraph", note_.data(),
          note_.size());
    draw_error(c);
    const auto act = [&](const auto& what) {
        try {
            what();
            close();
        } catch (const Error& refused) {
            error_ = refused.what();
        }
    };
    const auto button = [&](const char* text, const char* id) {
        const bool pressed = ImGui::Button(text);
        c.placed(id, pages::last_item());
        return pressed;
    };
    if (button(deck_page_.added ? "Add" : "Save", "page-save") || std::exchange(enter_, false)) {
        act([&] { deck_page_.take(text_.data(), replaced(note_.data(), kParagraph, "\n")); });
    }
    if (deck_page_.added) {
        return;
    }
    ImGui::SameLine();
    if (button("Earlier", "page-earlier")) {
        act([&] { deck_page_.move(-1); });
    }
    ImGui::SameLine();
    if (button("Later", "page-later")) {
        act([&] { deck_page_.move(1); });
    }
    ImGui::SameLine();
    if (button("Delete", "page-delete")) {
        act(deck_page_.remove);
    }
}

} // namespace warptree::window
