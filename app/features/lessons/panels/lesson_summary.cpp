#include "app/features/lessons/panels/lesson_summary.hpp"

#include "app/features/lessons/panels/lesson_question.hpp"
#include "app/features/widgets/frame.hpp"

#include <fmt/format.h>
#include <imgui.h>

namespace warptree::pages {

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
