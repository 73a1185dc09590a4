// Reads lessons: plain text, a keyword and a colon at the beginning of a line; docs/lessons.md.
#pragma once

#include "app/base/error.hpp"
#include "app/features/lessons/lesson.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

// what() is "FILE:LINE: reason".
struct LessonError : FileError {
    using FileError::FileError;
};

// `file` names it in errors. Throws LessonError.
Lesson parse_lesson(std::string_view text, const std::string& id, const std::string& file);
Lesson load_lesson(const std::filesystem::path& path); // id: the file's name without .lesson
// Those that ship, assets/lessons/*.lesson, in order of their file names ("01-tree.lesson" is the lesson "tree").
std::vector<Lesson> load_lessons();
std::vector<Lesson> load_lessons(const std::filesystem::path& directory);

} // namespace warptree::session
