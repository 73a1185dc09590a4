// The elements of one array after the step, in the place of the banks.
#include "app/views/memory/memory.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/trace/explain/array_contents.hpp"
#include "app/trace/explain/array_names.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace warptree::panels {

namespace {
constexpr std::uint64_t kMostShown = 1U << 14; // elements

class Memory : public Panel {
  public:
    const char* id() const override { return "memory"; }
    const char* title() const override { return "Memory"; }
    std::string note(const Context& c) const override {
        const Launch* l = launch_of(c);
        const std::optional<ArrayPlace> array = shown_array(c, l);
        if (!array) {
            return "";
        }
        const std::uint32_t step = scene::current_step(*c.explore.trace(), c.explore.playback.moment());
        const std::string when = step < l->steps.size() ? "after " + l->steps[step].label : "at the end";
        const std::string more =
            array->elements > kMostShown ? fmt::format(", the first {} elements", scene::grouped(kMostShown)) : "";
        if (array->is_shared()) {
            return fmt::format("{}, block {}, {}{}", array->name, block_of(c, *l), when, more);
        }
        const bool partly = l->window_count < l->grid;
        return fmt::format("{}{}, {}{}{}", kernel_name(*l, *array), buffer_note(*l, *array), when,
                           partly ? fmt::format(", as blocks {} to {} of {} have stored", l->window_first,
                                                l->window_first + l->window_count - 1, l->grid)
                                  : "",
                           more);
    }
    void draw(Context& c, scene::Rect area) override {
        const Launch* l = launch_of(c);
        const std::optional<ArrayPlace> array = shown_array(c, l);
        const float row = chips(c, l, array, area);
        area.y += row;
        area.h -= row;
        if (!array) {
            ImGui::SetCursorScreenPos({area.x, area.y});
            ImGui::TextDisabled("This launch uses no array whose elements are known.");
            return;
        }
        const scene::ViewContext view = view_of(c);
        read(c, view, *l, *array);
        scene::ShownArray shown{*array, &elements_, first_row_,
                                c.explore.array == array->name ? c.explore.element : std::nullopt};
        const scene::MemoryGrid grid = scene::memory_grid(view, area, shown);
        follow(grid, shown.marked);
        const ImGuiIO& io = ImGui::GetIO();
        const bool over = ImGui::IsWindowHovered() && area.contains({io.MousePos.x, io.MousePos.y});
        if (over && io.MouseWheel != 0 && !io.KeyCtrl) {
            const auto by = static_cast<std::int64_t>(std::lround(-io.MouseWheel * 2));
            const auto most = static_cast<std::int64_t>(grid.all_rows > grid.rows ? grid.all_rows - grid.rows : 0);
            first_row_ = static_cast<std::uint64_t>(
                std::clamp(static_cast<std::int64_t>(grid.first_row) + by, std::int64_t{0}, most));
        }
        shown.first_row = first_row_;
        const scene::MemoryGrid now = scene::memory_grid(view, area, shown);
        const auto at = now.element_at({io.MousePos.x, io.MousePos.y});
        std::string words;
        scene::Rect cell;
        if (at && *at < elements_.size()) {
            words = scene::element_words(*view.trace, key_.launch, *array, *at, elements_[*at]);
            cell = now.rect_of(*at);
        }
        paint(c, scene::draw_memory(view, area, shown), "##memory", Said{words, cell});
    }

  private:
    struct Key {
        const Trace* trace = nullptr;
        std::uint32_t launch = 0, block = 0, step = 0;
        ArrayPlace array;
        friend bool operator==(const Key&, const Key&) = default;
    };

    static const Launch* launch_of(const Context& c) {
        return c.explore.trace() ? scene::shown_launch(*c.explore.trace(), c.explore.playback.moment()) : nullptr;
    }
    // Of the launch: found once, as all of its requests are looked at.
    const std::vector<ArrayPlace>& arrays(const Context& c, const Launch& l) const {
        if (arrays_in_ != &l || arrays_held_ != c.explore.trace()) {
            arrays_in_ = &l;
            arrays_held_ = c.explore.trace();
            arrays_ = arrays_of(l);
        }
        return arrays_;
    }
    std::optional<ArrayPlace> shown_array(const Context& c, const Launch* l) const {
        if (l == nullptr || l->window_count == 0) {
            return std::nullopt;
        }
        const std::vector<ArrayPlace>& all = arrays(c, *l);
        const auto named = std::ranges::find(all, c.explore.array, &ArrayPlace::name);
        return all.empty() ? std::nullopt : std::optional(named == all.end() ? all.front() : *named);
    }
    static std::uint32_t block_of(const Context& c, const Launch& l) {
        return l.in_window(c.explore.block) ? c.explore.block : l.window_first;
    }

    // Takes what the array holds, unless it is known already.
    void read(const Context& c, const scene::ViewContext& view, const Launch& l, const ArrayPlace& array) {
        Key key;
        key.trace = view.trace;
        scene::shown_launch(*view.trace, view.moment, &key.launch);
        key.block = block_of(c, l);
        const std::uint32_t last = l.steps.empty() ? 0 : static_cast<std::uint32_t>(l.steps.size() - 1);
        key.step = std::min(scene::current_step(*view.trace, view.moment), last);
        key.array = array;
        if (key == key_ && held_ == c.explore.trace()) {
            return;
        }
        const bool other = !(key.array == key_.array) || key.trace != key_.trace;
        key_ = key;
        held_ = c.explore.trace();
        elements_ =
            contents(*view.trace, key.launch, array, key.block, key.step, 0, std::min(array.elements, kMostShown));
        first_row_ = other ? 0 : first_row_;
        follows_ = true;
    }

    // Brings what was asked for, else what the step has stored, into view, once.
    void follow(const scene::MemoryGrid& grid, std::optional<std::uint64_t> asked) {
        const bool other = std::exchange(asked_, asked) != asked;
        if (asked) {
            const std::uint64_t row = *asked / grid.columns;
            const bool out = row < grid.first_row || row >= grid.first_row + grid.rows;
            first_row_ = (other || follows_) && out ? row - std::min<std::uint64_t>(row, grid.rows / 2) : first_row_;
            follows_ = false;
            return;
        }
        if (!std::exchange(follows_, false)) {
            return;
        }
        std::uint64_t first = elements_.size();
        for (std::uint64_t k = 0; k < elements_.size(); ++k) {
            if (elements_[k].thread == kNone || elements_[k].step != key_.step) {
                continue;
            }
            const std::uint64_t row = k / grid.columns;
            if (row >= grid.first_row && row < grid.first_row + grid.rows) {
                return; // some of it is in view
            }
            first = std::min(first, k);
        }
        first_row_ = first < elements_.size() ? first / grid.columns : first_row_;
    }

    // Which array, or the banks again; returns the height of the row.
    float chips(Context& c, const Launch* l, const std::optional<ArrayPlace>& shown, const scene::Rect& area) const {
        if (area.h <= c.px(120)) {
            return 0;
        }
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {c.px(5), c.px(2)});
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {c.px(4), c.px(3)});
        const float height = ImGui::GetFrameHeight() + c.px(6);
        if (chip(c, "banks", false, "The banks, or the sectors, of one access (M)")) {
            c.explore.show_array("");
        }
        std::vector<std::pair<std::string, std::string>> names; // the host's, and as said
        for (const ArrayPlace& a : l == nullptr ? std::vector<ArrayPlace>() : arrays(c, *l)) {
            names.emplace_back(a.name, kernel_name(*l, a) + buffer_note(*l, a));
        }
        for (const auto& [name, said] : names) {
            ImGui::SameLine();
            if (ImGui::GetCursorScreenPos().x + ImGui::CalcTextSize(said.c_str()).x + c.px(12) > area.right()) {
                break;
            }
            if (chip(c, said, shown && shown->name == name, "Which array is shown (M: the next)")) {
                c.explore.show_array(name);
            }
        }
        ImGui::PopStyleVar(2);
        return height;
    }

    mutable const Launch* arrays_in_ = nullptr;
    mutable std::shared_ptr<const Trace> arrays_held_; // of arrays_in_
    mutable std::vector<ArrayPlace> arrays_;
    Key key_;
    std::shared_ptr<const Trace> held_; // of key_.trace, which may else be another one at the same place
    std::vector<ArrayElement> elements_;
    std::uint64_t first_row_ = 0;
    std::optional<std::uint64_t> asked_;
    bool follows_ = false;
};
} // namespace

std::unique_ptr<Panel> make_memory() { return std::make_unique<Memory>(); }

} // namespace warptree::panels
