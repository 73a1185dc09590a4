// An editor for CUDA text: highlighting, line numbers and marks in the margin.
#pragma once

#include "app/features/explore/edit_history.hpp"
#include "app/features/explore/panels/panel.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct ImGuiInputTextCallbackData;

namespace warptree::panels {

// A message of the compiler (error, warning, note), or a finding of the run (fault, risk); the worse ones first. A note belongs
// to the message before it and marks nothing.
struct CodeMark {
    enum class Kind : std::uint8_t { error, fault, warning, risk, note } kind = Kind::error;
    std::uint32_t line = 0;           // 1-based; 0: not of a line of this text
    std::uint32_t first = 0, end = 0; // underlined columns, 1-based, without the end; both 0: none
    std::string text;
    std::uint32_t beside = 0;                  // a second line that is marked: of the other side of a race; 0: none
    std::uint32_t launch = 0, finding = kNone; // of the trace
    std::uint32_t tried = kNone;               // row of Trace::tried, whose launch can be shown
    bool is_finding() const { return kind == Kind::fault || kind == Kind::risk; }
    bool spoils() const { return kind == Kind::error || kind == Kind::fault; }
};

class CodeEditor {
  public:
    struct Look {
        std::vector<std::uint32_t> lit; // lines that correspond to a chosen one of PTX or SASS
        std::uint32_t running = 0;      // line running at the moment; 0: none
        bool faded = false;             // marks are of an earlier text
        bool searching = false;         // the match stays marked while the keyboard is elsewhere
    };
    // What the pointer is on.
    struct Pointed {
        std::uint32_t line = 0; // 1-based
        std::string word;       // an identifier; empty: none
        bool margin = false;
        bool indexed = false; // an index follows the word
    };

    // Draws into the current window; true: `text` was changed.
    bool draw(Context& context, scene::Rect area, std::string& text, const std::vector<CodeMark>& marks,
              const Look& look);
    bool active() const { return active_; }                   // it has the keyboard
    void focus() { focus_ = true; }                           // in the next frame
    void text_replaced();                                     // from elsewhere: ImGui's own copy is out of date
    void go_to(std::uint32_t line, std::uint32_t column = 1); // and brings it into view
    void follow(std::uint32_t line);                          // brings it into view if it is not
    void indent(int direction) { indent_ = direction; }       // the selected lines
    void undo() { step_back_ = 1; }                           // in the next frame
    void redo() { step_back_ = -1; }
    // Selects the next match after the selection, or the one before it, wrapping around. False: there is none.
    bool find(const std::string& text, std::string_view what, int direction);
    bool selects(std::size_t from, std::size_t to) const; // exactly these bytes
    const std::optional<Pointed>& pointed() const { return pointed_; }

  private:
    struct Selection {
        int from = 0, to = 0; // bytes
    };

    static int called_back(ImGuiInputTextCallbackData* data);
    void edited(ImGuiInputTextCallbackData& data) const;
    void indent_lines(ImGuiInputTextCallbackData& data);
    void measure(const std::string& text);
    void draw_text(const Context& c, scene::Rect area, const std::string& text, const std::vector<CodeMark>& marks,
                   const Look& look);
    void scroll(scene::Rect area);
    void point(scene::Rect area, const std::string& text);
    std::uint32_t line_of(std::size_t byte) const; // 0-based
    float x_of(const std::string& text, std::size_t line, std::size_t byte) const;

    std::string measured_;                      // the text that the following describe
    std::vector<std::size_t> lines_;            // where each begins
    std::vector<bool> in_comment_;              // by line
    std::size_t longest_ = 0;                   // bytes
    float height_ = 0, digit_ = 0, margin_ = 0; // of a line, of a character, left of the text; pixels
    float origin_x_ = 0, origin_y_ = 0;         // of the text on screen
    int cursor_ = 0;
    Selection selected_;
    std::optional<Selection> to_select_;
    std::pair<std::uint32_t, std::uint32_t> to_go_{}; // line and column, once the text is measured; 0: nowhere
    std::optional<std::uint32_t> reveal_;             // a line to bring into view
    bool reveal_always_ = false;                      // even if it is in view already: to the middle
    std::optional<Pointed> pointed_;
    session::EditHistory history_; // ImGui's own does not cover changes made in its callback
    int indent_ = 0, step_back_ = 0;
    unsigned generation_ = 0;
    bool active_ = false, focus_ = false, cursor_moved_ = false;
};

} // namespace warptree::panels
