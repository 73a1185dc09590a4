// Lesson files.
#include "app/features/lessons/lesson_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] { session::parse_lesson(fuzz::text_of(data, size), "mine", "mine.lesson"); });
}
