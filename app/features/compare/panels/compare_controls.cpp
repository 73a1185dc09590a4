#include "app/features/compare/panels/compare_controls.hpp"

#include "app/base/error.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

namespace warptree::pages {

namespace {
constexpr const char* kAlignments[] = {"by stage", "by stride", "by combines done"};

// Empty, with the reason as `error`, when the file cannot be used.
const std::vector<session::Preset>& known(std::string& error) {
    static const std::vector<session::Preset> none;
    try {
        return session::presets();
    } catch (const FileError& e) {
        error = e.what();
        return none;
    }
}

template <class All> std::vector<std::string> names(const All& all) {
    std::vector<std::string> out;
    for (const auto value : all) {
        out.emplace_back(name(value));
    }
    return out;
}
} // namespace

void CompareControls::attempt(const std::function<void()>& change) {
    error_.clear();
    try {
        change();
    } catch (const OptionError& e) {
        error_ = e.what();
    }
}

int CompareControls::preset() const {
    std::string ignored;
    const auto& all = known(ignored);
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool same = all[i].n == comparison_.n() && all[i].columns.size() == comparison_.size();
        for (std::size_t c = 0; same && c < comparison_.size(); ++c) {
            same = comparison_[c].file.empty() && session::column_text(comparison_[c].options) == all[i].columns[c];
        }
        if (same) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void CompareControls::take_preset(int index) {
    const auto& all = known(error_);
    if (index >= 0 && index < std::ssize(all)) {
        attempt([&] { comparison_.take(all[static_cast<std::size_t>(index)]); });
    }
}

void CompareControls::turn_preset(int direction) {
    const auto count = static_cast<int>(known(error_).size());
    if (count > 0) {
        const int now = preset();
        take_preset(now < 0 ? (direction > 0 ? 0 : count - 1) : (now + direction + count) % count);
    }
}

void CompareControls::turn_alignment(int direction) {
    const auto count = static_cast<int>(session::kAlignments.size());
    const int now = static_cast<int>(comparison_.alignment());
    comparison_.set_alignment(session::kAlignments[static_cast<std::size_t>((now + direction + count) % count)]);
}

void CompareControls::bar(panels::Context& c, const scene::Rect& r) {
    begin_fixed("compare-bar", r, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
    const float y = r.y + (r.h - ImGui::GetFrameHeight()) / 2, gap = c.px(8), end = r.right() - c.px(10);
    float x = r.x + c.px(10);
    const auto placed = [&](const char* id) {
        const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
        tools_.placed(id, {from.x, from.y, to.x - from.x, to.y - from.y});
        x = to.x + gap;
    };
    const auto button = [&](const char* text, const char* id, const char* tip, const std::function<void()>& act) {
        const float w = ImGui::CalcTextSize(text, nullptr, true).x + c.px(20);
        if (x + w > end) {
            return;
        }
        ImGui::SetCursorScreenPos({x, y});
        if (ImGui::Button(text, {w, 0})) {
            act();
        }
        if (ImGui::IsItemHovered()) {
            pages::tooltip(c, tip);
        }
        placed(id);
    };
    const auto& all = known(error_);
    const int shown = preset();
    float usual = 0; // of the longest title
    for (const auto& it : all) {
        usual = std::max(usual, ImGui::CalcTextSize(it.title.c_str()).x);
    }
    usual = std::min(usual + ImGui::GetFrameHeight() + c.px(20), (end - x) * 0.45F);
    ImGui::SetCursorScreenPos({x, y});
    panels::ListBox presets;
    presets.id = "##preset";
    presets.now = static_cast<std::size_t>(shown);
    presets.width = usual;
    presets.large = true;
    for (const auto& it : all) {
        presets.items.push_back(it.title);
    }
    presets.shown = shown < 0 ? "Comparisons" : all[static_cast<std::size_t>(shown)].title;
    if (const auto taken = panels::list_box(c, presets)) {
        take_preset(static_cast<int>(*taken));
    }
    placed("compare-preset");
    const float aligns = ImGui::CalcTextSize("by combines done").x + ImGui::GetFrameHeight() + c.px(24);
    if (x + aligns <= end) {
        ImGui::SetCursorScreenPos({x, y});
        const auto now = static_cast<std::size_t>(comparison_.alignment());
        if (const auto taken = panels::list_box(c, {.id = "##align",
                                                    .shown = kAlignments[now],
                                                    .items = {std::begin(kAlignments), std::end(kAlignments)},
                                                    .now = now,
                                                    .width = aligns})) {
            comparison_.set_alignment(session::kAlignments[*taken]);
        }
        placed("compare-align");
    }
    button(editing ? "Done" : "Edit columns", "compare-change", "Strategy and options of a column (I)", [&] {
        editing = !editing;
        if (!editing) {
            c.keyboard.release();
        }
    });
    if (comparison_.size() < session::Comparison::kMost) {
        button("Add column", "compare-add", "A copy of the marked column (Insert)", [&] { comparison_.add(); });
    }
    if (comparison_.size() > session::Comparison::kLeast) {
        button("Remove", "compare-remove", "The marked column (Delete)", [&] { comparison_.remove(); });
    }
    button(folded ? "Show table" : "Fold table", "compare-fold", "The table below the columns (D)",
           [&] { folds = !folded; });
    button("Copy table", "compare-copy", "As Markdown (Ctrl+C); as CSV (Ctrl+Shift+C)", [&] { tools_.copy_table(); });
    const std::string elements = comparison_.takes_elements() ? fmt::format("n = {}", comparison_.n()) : "";
    const float wide = ImGui::CalcTextSize(elements.c_str()).x;
    if (x + wide + gap <= end) {
        ImGui::SetCursorScreenPos({end - wide, y});
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("%s", elements.c_str());
    }
    end_fixed();
}

void CompareControls::side(panels::Context& c, const scene::Rect& r) {
    begin_fixed("compare-side", r);
    tools_.placed("compare-side", r);
    const float pad = c.px(12);
    ImGui::SetCursorPos({pad, c.px(8)});
    ImGui::BeginChild("##inside", {r.w - 2 * pad, r.h - c.px(12)});
    const float width = ImGui::GetContentRegionAvail().x;
    std::vector<FormField> fields{
        {"n", "elements", std::to_string(comparison_.n()), {}},
        {"op", "operator", std::string(name(comparison_.op())), names(kOperators)},
        {"input", "input", comparison_.gives_input() ? std::string(name(comparison_.input())) : "as chosen",
         names(std::array{InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating})},
        {"align", "match steps by", std::string(name(comparison_.alignment())), names(session::kAlignments)},
        {"column", "column", std::to_string(comparison_.front + 1), {}},
    };
    if (!comparison_.takes_elements()) {
        fields.erase(fields.begin());
    }
    for (std::size_t i = 1; i <= comparison_.size(); ++i) {
        fields.back().choices.push_back(std::to_string(i));
    }
    const std::size_t shared = fields.size();
    const session::Comparison::Column& column = comparison_[comparison_.front];
    for (session::ColumnOption& o : session::column_options(column.options)) {
        fields.push_back({o.id, o.label, o.value, o.choices});
    }
    const auto set = [&](std::size_t i, const std::string& text) {
        attempt([&] {
            if (i >= shared) {
                comparison_.set(comparison_.front, fields[i].id, text);
            } else if (fields[i].id == "align") {
                comparison_.set_alignment(session::alignment_from(text).value_or(comparison_.alignment()));
            } else if (fields[i].id == "column") {
                comparison_.front = std::min<std::size_t>(std::stoul(text) - 1, comparison_.size() - 1);
            } else {
                comparison_.set_shared(fields[i].id, text);
            }
        });
    };
    form_.draw(
        c, width, fields, set,
        [&](std::size_t i, int by) {
            const FormField& f = fields[i];
            if (f.choices.empty()) {
                const auto count = parse_count(f.value).value_or(1);
                if (f.id == "n") {
                    comparison_.scale_elements(by > 0);
                } else if (by > 0 || count > 0) {
                    set(i, std::to_string(by > 0 ? count + 1 : count - 1));
                }
                return;
            }
            const auto at = std::find(f.choices.begin(), f.choices.end(), f.value) - f.choices.begin();
            set(i, f.choices[static_cast<std::size_t>((at + by + std::ssize(f.choices)) % std::ssize(f.choices))]);
        },
        tools_.placed);
    ImGui::PushTextWrapPos(0);
    for (const std::string& text : {error_, column.error}) {
        if (!text.empty()) {
            ImGui::TextUnformatted(("! " + text).c_str());
        }
    }
    if (!column.file.empty()) {
        ImGui::TextDisabled("%s is recorded: changing its options runs the strategy instead.",
                            column.file.filename().string().c_str());
    }
    ImGui::PopTextWrapPos();
    ImGui::EndChild();
    end_fixed();
}

} // namespace warptree::pages
