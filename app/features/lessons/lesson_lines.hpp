// The lines of a lesson file: keywords with their conditions and texts, and paragraphs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

// One line of the file with its continuation lines.
struct LessonLine {
    int line = 0;          // its number, from 1
    std::string keyword;   // empty: a paragraph
    std::string condition; // in parentheses after it
    std::string text;
};

// In the order of the file, without comments. Accepts any text: a line without a keyword and a colon is a paragraph.
std::vector<LessonLine> lesson_lines(std::string_view text);

} // namespace warptree::session
