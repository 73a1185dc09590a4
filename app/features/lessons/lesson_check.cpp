#include "app/features/lessons/lesson_check.hpp"

#include "app/base/printable.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/run/run.hpp"

#include <fmt/format.h>

#include <memory>

namespace warptree::session {

void check_lesson(const Lesson& lesson, const std::string& file, std::uint64_t n, std::uint32_t block) {
    const auto fail = [&](int line, const std::string& why) {
        throw LessonError(fmt::format("{}:{}: {} (n = {}, block = {})", printable(file), line, why, n, block));
    };
    if (const auto why = refusal(lesson, n, block)) {
        fail(1, *why);
    }
    std::map<std::string, std::shared_ptr<const Trace>> traces;
    for (const LessonTrace& trace : lesson.traces) {
        traces[trace.name] = std::make_shared<const Trace>(runs::run_any(options_at(trace, n, block)));
    }
    for (const LessonStage& stage : lesson.stages) {
        int line = stage.show.line;
        try {
            const LessonTeller teller(stage, traces);
            line = stage.line;
            if (!teller.takes_part()) {
                continue;
            }
            teller.paragraphs();
            teller.warp();
            teller.loads();
            if (stage.kind == QuestionKind::none) {
                continue;
            }
            line = stage.question_line;
            teller.ask();
            teller.hint();
            teller.options();
            teller.answer_text();
            line = stage.reveal ? stage.reveal->line : line;
            teller.place(true);
            line = stage.question_line;
            if (teller.why().empty()) {
                throw OptionError("no 'why' holds");
            }
        } catch (const OptionError& e) {
            fail(line, e.what());
        }
    }
}

} // namespace warptree::session
