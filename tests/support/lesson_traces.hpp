// The traces of a lesson, run immediately.
#pragma once

#include "app/features/lessons/lesson_run.hpp"
#include "app/run/run.hpp"

#include <memory>

namespace warptree::tests {

inline session::LessonTraces lesson_traces(const session::Lesson& lesson, std::uint64_t n, std::uint32_t block) {
    session::LessonTraces traces;
    for (const session::LessonTrace& trace : lesson.traces) {
        traces[trace.name] = std::make_shared<const Trace>(runs::run_any(session::options_at(trace, n, block)));
    }
    return traces;
}

} // namespace warptree::tests
