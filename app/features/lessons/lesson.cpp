#include "app/features/lessons/lesson.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/features/lessons/lesson_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::session {

std::size_t Lesson::questions() const {
    return static_cast<std::size_t>(
        std::count_if(stages.begin(), stages.end(), [](const LessonStage& s) { return s.kind != QuestionKind::none; }));
}

RunOptions options_at(const LessonTrace& trace, std::uint64_t n, std::uint32_t block) {
    RunOptions o = trace.options;
    o.n = trace.own_n ? o.n : n;
    o.block = trace.own_block ? o.block : block;
    o.kernel.n_given = o.kernel.input_given = o.kernel.given(); // all traces of a lesson have the same
    return o;
}

std::optional<std::string> refusal(const Lesson& lesson, std::uint64_t n, std::uint32_t block) {
    if (n < 1 || n > lesson.most_n) {
        return fmt::format("n is 1 to {} in this lesson", lesson.most_n);
    }
    // Needs are about n and block, before there is a trace.
    Trace sizes;
    sizes.launches.emplace_back();
    sizes.launches[0].elements = n;
    sizes.launches[0].block = block;
    LessonFacts facts;
    facts.traces["sizes"] = &sizes;
    facts.shown = "sizes";
    for (const Lesson::Need& need : lesson.needs) {
        if (need.condition.value(facts) == 0) {
            return need.otherwise;
        }
    }
    for (const LessonTrace& trace : lesson.traces) {
        const RunOptions o = options_at(trace, n, block);
        if (auto why = o.kernel.given() ? std::nullopt : warptree::refusal(o)) {
            return why;
        }
    }
    return std::nullopt;
}

} // namespace warptree::session
