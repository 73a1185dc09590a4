#include "app/features/lessons/lesson_shelf.hpp"

#include "app/features/lessons/lesson_file.hpp"

#include <algorithm>
#include <utility>

namespace warptree::session {

LessonShelf::LessonShelf() {
    try {
        for (Lesson& lesson : load_lessons()) {
            lessons_.push_back(std::move(lesson));
        }
    } catch (const Error& e) {
        error_ = e.what();
    }
    shipped_ = lessons_.size();
}

std::optional<std::size_t> LessonShelf::find(std::string_view id) const {
    const auto found = std::find_if(lessons_.begin(), lessons_.end(), [id](const Lesson& l) { return l.id == id; });
    return found == lessons_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - lessons_.begin()));
}

std::size_t LessonShelf::add(const std::filesystem::path& path) {
    Lesson lesson = load_lesson(path);
    const std::string file = std::filesystem::absolute(path).lexically_normal().string();
    const auto at = shipped_ + static_cast<std::size_t>(std::find(files_.begin(), files_.end(), file) - files_.begin());
    for (auto other = find(lesson.id); other && *other != at; other = find(lesson.id)) {
        lesson.id = "own-" + lesson.id;
    }
    if (at == lessons_.size()) {
        files_.push_back(file);
        lessons_.push_back(std::move(lesson));
    } else {
        lessons_[at] = std::move(lesson);
    }
    return at;
}

std::string LessonShelf::file(std::size_t i) const { return i < shipped_ ? std::string() : files_[i - shipped_]; }

std::string LessonShelf::marks(std::size_t i) const {
    const auto found = marks_.find(lessons_[i].id);
    return found == marks_.end() ? std::string() : found->second;
}

void LessonShelf::set_marks(const std::string& id, const std::string& marks) {
    if (answered(marks) == 0) {
        marks_.erase(id);
    } else {
        marks_[id] = marks;
    }
}

std::size_t LessonShelf::answered(std::string_view marks) {
    return static_cast<std::size_t>(std::count_if(marks.begin(), marks.end(), [](char m) { return m != '.'; }));
}

std::size_t LessonShelf::given(std::string_view marks) {
    constexpr char kShown = 's'; // as LessonRun::marks_text writes it
    return answered(marks) - static_cast<std::size_t>(std::count(marks.begin(), marks.end(), kShown));
}

} // namespace warptree::session
