// A stage of a lesson on one sheet, for a handout: text and question beside the view that they are about.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/theory/topic.hpp"

namespace warptree::topics {

struct LessonSheet {
    const session::Lesson* lesson = nullptr;
    std::size_t stage = 0;
    const session::LessonTraces* traces = nullptr; // all traces of the lesson
    bool answered = false; // with the answer and the explanation, and the whole run in the view; else neither
};

// width × height pixels. Text that does not fit is left out, from the end. Throws OptionError if a number in the stage
// has no value in these traces.
scene::Drawing compose_lesson(const FigureContext& context, float width, float height, const LessonSheet& sheet);

} // namespace warptree::topics
