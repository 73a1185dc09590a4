// The text of a lesson's stage with its question: the typed, chosen or clicked answer, and its outcome.
#pragma once

#include "app/features/lessons/lesson_run.hpp"
#include "app/features/screen.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace warptree::pages {

void paragraph(const std::string& text); // wrapped, from the cursor down

class LessonQuestion {
  public:
    LessonQuestion(std::function<void(const std::string& id, scene::Rect rect)> placed,
                   std::function<void(const std::string& id)> show_page)
        : placed_(std::move(placed)), show_page_(std::move(show_page)) {}
    // Draws into the current ImGui window, from its cursor down. `explore` shows the lesson's trace, and selects the
    // candidate of a click question. `window`: the Explore screen, where a kernel is written.
    void draw(panels::Context& context, session::LessonRun& run, session::Explore& explore, session::Explore& window);
    void forget(); // for another stage: nothing typed, nothing chosen
    void focus() { focus_ = true; }
    void begin(char digit); // types it into the field of a number, which gets the keyboard
    // The answer that a click on the views gives to a click question; nullopt if the target has no such index.
    static std::optional<session::LessonAnswer> clicked(const session::LessonRun& run, const session::Explore& explore);

  private:
    void draw_number(panels::Context& context, session::LessonRun& run);
    void draw_options(panels::Context& context, session::LessonRun& run, const session::LessonTeller& teller);
    void draw_click(panels::Context& context, session::LessonRun& run, session::Explore& explore);
    void draw_writing(panels::Context& context, session::LessonRun& run, const session::LessonTeller& teller,
                      session::Explore& window);
    void draw_outcome(panels::Context& context, session::LessonRun& run, const session::LessonTeller& teller);
    void place_item(const char* id) const;

    std::function<void(const std::string& id, scene::Rect rect)> placed_;
    std::function<void(const std::string& id)> show_page_;
    std::array<char, 24> typed_{};
    std::string refused_; // why the answer was not accepted
    int option_ = 0;      // the one that Enter selects
    std::int64_t candidate_ = -1;
    bool focus_ = false;
    bool edited_ = false;  // the number, since the last answer
    bool goes_on_ = false; // the next digit goes after what is in the field, which is otherwise selected
    std::optional<std::pair<unsigned, session::Mark>> said_; // tries and mark when last drawn
};

} // namespace warptree::pages
