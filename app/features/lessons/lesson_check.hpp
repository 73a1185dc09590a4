// Works through a lesson to the end to check that it can be taken.
#pragma once

#include "app/features/lessons/lesson_file.hpp"

namespace warptree::session {

// At n and block: every text filled, every question with an answer. Throws LessonError with the line of what fails;
// `file` is what it calls the lesson.
void check_lesson(const Lesson& lesson, const std::string& file, std::uint64_t n, std::uint32_t block);

} // namespace warptree::session
