#include "app/features/lessons/panels/lesson_summary.hpp"

#include "app/features/lessons/panels/lesson_question.hpp"
#include "app/features/widgets/frame.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>

namespace warptree::pages {

Table lesson_table(const session::LessonRun& run, double seconds) {
    Table table{{{"question"}, {"answered"}, {"wrong answers", true}, {"last answer", true}}, {}};
    const session::Lesson& lesson = run.lesson();
    table.rows.push_back({fmt::format("{}, {} elements, block {}", lesson.title, run.n(), run.block()),
                          run.finished() ? "finished" : "not finished",
                          "",
                          {fmt::format("{:.0f} min", std::ceil(seconds / 60)), std::round(seconds)}});
    for (std::size_t i = 0; i < run.marks().size(); ++i) {
        if (lesson.stages[i].kind == session::QuestionKind::none || !run.takes_part(i)) {
            continue;
        }
        constexpr std::array kWords{"not yet", "at once", "later", "was shown"};
        const auto last = run.last_of(i);
        table.rows.push_back({lesson.stages[i].heading, kWords[static_cast<std::size_t>(run.marks()[i])],
                              std::to_string(run.tries_of(i)), last ? std::to_string(*last) : ""});
    }
    return table;
}

void draw_lesson_summary(panels::Context& c, const session::LessonRun& run, const session::Lesson* next,
                         const Tools& tools) {
    std::size_t once = 0, later = 0, shown = 0, open = 0;
    for (std::size_t i = 0; i < run.marks().size(); ++i) {
        if (run.lesson().stages[i].kind == session::QuestionKind::none || !run.takes_part(i)) {
            continue;
        }
        const session::Mark mark = run.marks()[i];
        (mark == session::Mark::at_once ? once
         : mark == session::Mark::later ? later
         : mark == session::Mark::shown ? shown
                                        : open) += 1;
    }
    ImGui::Dummy({0, c.px(8)});
    const ImVec2 from = ImGui::GetCursorScreenPos();
    tools.placed("lesson-summary", {from.x, from.y, ImGui::GetContentRegionAvail().x, 1});
    ImGui::PushFont(c.fonts.bold());
    paragraph("Summary");
    ImGui::PopFont();
    std::string text = fmt::format("Of {} questions you answered {} at once", once + later + shown + open, once);
    text += later > 0 ? fmt::format(" and {} later", later) : "";
    text += shown > 0 ? fmt::format("; {} were shown to you", shown) : "";
    text += open > 0 ? fmt::format("; {} {} open", open, open == 1 ? "is" : "are") : "";
    paragraph(text + ".");
    paragraph(
        "For whoever collects it: Ctrl+C copies it as a table, Ctrl+E writes it to a name that ends in .md or .csv.");
    for (const std::string& read : run.lesson().read) {
        ImGui::Dummy({0, c.px(2)});
        paragraph(read);
    }
    if (next != nullptr) {
        ImGui::Dummy({0, c.px(2)});
        paragraph("Next lesson: " + next->title + ".");
    }
}

} // namespace warptree::pages
