// All lessons, first the shipped ones, then the user's own, with the marks for their questions.
#pragma once

#include "app/features/lessons/lesson.hpp"

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

class LessonShelf {
  public:
    LessonShelf();                                      // with the shipped ones
    const std::string& error() const { return error_; } // why they cannot be read; empty: they can
    bool empty() const { return lessons_.empty(); }
    std::size_t size() const { return lessons_.size(); }
    const Lesson& operator[](std::size_t i) const { return lessons_[i]; }
    std::optional<std::size_t> find(std::string_view id) const;
    // Adds a lesson of the user's own at the end, or reads it again in its place if it is already there. An id that
    // another lesson has gets the prefix "own-". Throws FileError.
    std::size_t add(const std::filesystem::path& path);
    std::string file(std::size_t i) const; // absolute path of a lesson of the user's own; empty: a shipped one

    // Marks of a lesson as LessonRun::marks_text; empty: none yet. Those of missing lessons are kept.
    std::string marks(std::size_t i) const;
    void set_marks(const std::string& id, const std::string& marks);
    const std::map<std::string, std::string>& all_marks() const {
        return marks_;
    } // by id, of lessons with an answered question
    // How many of these marks are for answered questions.
    static std::size_t answered(std::string_view marks);
    // The same without those whose answer was shown.
    static std::size_t given(std::string_view marks);

  private:
    std::deque<Lesson> lessons_; // deque: adding one does not move the others
    std::size_t shipped_ = 0;
    std::vector<std::string> files_; // of the user's own
    std::map<std::string, std::string> marks_;
    std::string error_;
};

} // namespace warptree::session
