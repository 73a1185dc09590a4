// What follows the last stage of a lesson.
#pragma once

#include "app/features/lessons/lesson_run.hpp"
#include "app/features/screen.hpp"

namespace warptree::pages {

// Draws from the cursor down how the questions were answered, what to read, and the next lesson (null: this is the last).
void draw_lesson_summary(panels::Context& context, const session::LessonRun& run, const session::Lesson* next,
                         const Tools& tools);

} // namespace warptree::pages
