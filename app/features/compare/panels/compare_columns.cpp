#include "app/features/compare/panels/compare_columns.hpp"

#include "app/features/compare/column_options.hpp"
#include "app/features/compare/panels/compare_numbers.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::pages {

namespace {
std::string words(const Trace& trace, const scene::Target& target) {
    std::string text = panels::describe(trace, target);
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
}
} // namespace

std::vector<scene::CompareColumn> CompareColumns::described() const {
    std::vector<scene::CompareColumn> all;
    const bool ready = comparison_.ready();
    for (std::size_t i = 0; i < comparison_.size(); ++i) {
        const auto& column = comparison_[i];
        scene::CompareColumn out;
        out.title = title_of(column);
        out.note = note_of(column);
        out.front = i == comparison_.front;
        const auto progress = comparison_.progress(i);
        out.message = !column.error.empty() ? "! " + column.error
                      : progress            ? fmt::format("tracing … {:.0f} %, Esc stops", 100 * *progress)
                      : column.trace        ? "waits for the other columns"
                                            : "stopped; any change starts it again";
        if (ready && column.error.empty()) {
            out.trace = column.trace.get();
            out.at = comparison_.moment(i);
            out.hover = comparison_.counterpart(column_, hover_, i);
            out.selected = comparison_.counterpart(selected_column_, selected_, i);
            for (std::size_t other = 0; other < comparison_.size(); ++other) {
                out.name_threads = out.name_threads || comparison_.trees(i, other) == Trees::same;
            }
        }
        all.push_back(std::move(out));
    }
    return all;
}

void CompareColumns::draw(panels::Context& c, const scene::CompareLook& look, const std::vector<scene::Rect>& rects,
                          scene::ComparePart part) {
    if (column_ >= comparison_.size() || selected_column_ >= comparison_.size()) {
        column_ = selected_column_ = 0;
        hover_ = selected_ = {};
    }
    const auto all = described();
    lit_.assign(all.size(), "");
    scene::Target hover;
    std::size_t over = column_;
    for (std::size_t i = 0; i < rects.size(); ++i) {
        lit_[i] = all[i].trace == nullptr ? "" : words(*all[i].trace, all[i].hover);
        if (draw(c, look, rects[i], all[i], i, part, hover)) {
            over = i;
        }
    }
    if (hover != hover_ || over != column_) {
        tools_.wake(); // the counterparts are highlighted in the next frame
    }
    hover_ = hover;
    column_ = over;
}

bool CompareColumns::draw(panels::Context& c, const scene::CompareLook& look, const scene::Rect& r,
                          const scene::CompareColumn& column, std::size_t index, scene::ComparePart part,
                          scene::Target& hover) {
    const std::string id = fmt::format("compare-column-{}", index + 1);
    begin_fixed(id.c_str(), r, ImGuiWindowFlags_NoScrollWithMouse);
    tools_.placed(id, r);
    const scene::Drawing drawing = scene::draw_compare_column(look, r, column, part);
    ImGui::SetCursorScreenPos({r.x, r.y});
    const bool pressed = ImGui::InvisibleButton("##column", {r.w, r.h});
    const bool on = ImGui::IsItemHovered();
    c.painter.add(drawing, ImGui::GetWindowDrawList());
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (on) {
        hover = drawing.at({mouse.x, mouse.y});
        const std::string text = column.trace == nullptr ? "" : panels::describe(*column.trace, hover);
        if (!text.empty()) {
            pages::tooltip(c, text);
        }
    }
    if (pressed) {
        comparison_.front = index;
        const bool again = selected_column_ == index && selected_ == hover;
        selected_ = again ? scene::Target{} : hover;
        selected_column_ = index;
    }
    end_fixed();
    return on;
}

} // namespace warptree::pages
