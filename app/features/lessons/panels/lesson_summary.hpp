// What follows the last stage of a lesson.
#pragma once

#include "app/base/table.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/screen.hpp"

namespace warptree::pages {

// Draws from the cursor down how the questions were answered, what to read, and the next lesson (null: this is the last).
void draw_lesson_summary(panels::Context& context, const session::LessonRun& run, const session::Lesson* next,
                         const Tools& tools);

// The same for whoever collects it: a row for the lesson, which says how long it took, and one for each question.
Table lesson_table(const session::LessonRun& run, double seconds);

} // namespace warptree::pages
