// The lessons with what was answered of each, and the sizes at which one is taken.
#pragma once

#include "app/pages/form.hpp"
#include "app/pages/page.hpp"
#include "app/session/lesson_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warptree::pages {

struct LessonItem {
    std::string id, title;
    std::size_t answered = 0, questions = 0;
};

// From the cursor down, `width` wide; the one that was clicked.
std::optional<std::size_t> draw_lesson_list(panels::Context& context, const std::vector<LessonItem>& items,
                                            std::size_t now, float width, const Tools& tools);
// The same as a box that opens, where there is no room for the list.
std::optional<std::size_t> draw_lesson_box(panels::Context& context, const std::vector<LessonItem>& items,
                                           std::size_t now);
// One mark a question: answered at once, later, shown, open.
void draw_lesson_marks(panels::Context& context, const session::LessonRun& run);

class LessonSizes {
  public:
    // n and block of a lesson, and why others do not do. True: the lesson is taken at other sizes now.
    bool draw(panels::Context& context, session::LessonRun& run, float width, const Tools& tools);

  private:
    Form form_{"sizes"};
};

} // namespace warptree::pages
