// A stage of a lesson on one sheet, for a handout: text and question beside the view concerned.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/theory/topic.hpp"

namespace warptree::topics {

struct LessonSheet {
    const session::Lesson* lesson = nullptr;
    std::size_t stage = 0;
    const session::LessonTraces* traces = nullptr; // every one of the lesson
    bool answered = false; // with the answer and why, and the view of the whole run; else nothing is given away
};

// width × height pixels. Text that has no room is left out, the answer last. Throws OptionError where the stage has
// nothing to say at these traces.
scene::Drawing compose_lesson(const FigureContext& context, float width, float height, const LessonSheet& sheet);

} // namespace warptree::topics
