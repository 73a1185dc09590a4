// Works through a lesson to the end to check that it can be taken.
#pragma once

#include "app/features/lessons/lesson_file.hpp"

namespace warptree::session {

// At n and block: every text can be filled in, and every question has an answer. Throws LessonError with the line that
// fails; `file` names the lesson in it.
void check_lesson(const Lesson& lesson, const std::string& file, std::uint64_t n, std::uint32_t block);

} // namespace warptree::session
