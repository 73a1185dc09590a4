// The controls around the text of a lesson: the list with its marks, the buttons, the sizes.
#pragma once

#include "app/features/lessons/lesson_run.hpp"
#include "app/features/screen.hpp"
#include "app/features/widgets/form.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warptree::pages {

struct LessonItem {
    std::string id, title;
    std::size_t answered = 0, questions = 0;
};

// Draws from the cursor down, `width` wide; returns the lesson clicked.
std::optional<std::size_t> draw_lesson_list(panels::Context& context, const std::vector<LessonItem>& items,
                                            std::size_t now, float width, const Tools& tools);
// The same as a drop-down list, if there is no room for the whole list.
std::optional<std::size_t> draw_lesson_box(panels::Context& context, const std::vector<LessonItem>& items,
                                           std::size_t now);
// One mark per question: answered at once, later, shown, open.
void draw_lesson_marks(panels::Context& context, const session::LessonRun& run);

// Draws the buttons below the text; returns the one pressed. `last`: no lesson follows. `alone`: the picture is hidden
// while the text is shown.
enum class LessonFoot : std::uint8_t { none, back, next, picture };
LessonFoot draw_lesson_foot(panels::Context& context, const scene::Rect& area, const session::LessonRun& run, bool last,
                            bool alone, const Tools& tools);

class LessonSizes {
  public:
    // Draws n and block of a lesson, and why others were rejected. True: the sizes have changed.
    bool draw(panels::Context& context, session::LessonRun& run, float width, const Tools& tools);

  private:
    Form form_{"sizes"};
};

} // namespace warptree::pages
