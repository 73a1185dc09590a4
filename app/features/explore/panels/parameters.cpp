#include "app/features/explore/panels/panel.hpp"

#include "app/base/type_words.hpp"
#include "app/features/widgets/list_box.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/strategy.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

namespace warptree::panels {

namespace {
ImVec4 vec(const scene::Color& c) { return ImGui::ColorConvertU32ToFloat4(IM_COL32(c.r, c.g, c.b, c.a)); }

class Parameters : public Panel {
  public:
    const char* id() const override { return "parameters"; }
    const char* title() const override { return ""; }

    void draw(Context& c, scene::Rect area) override {
        session::Explore& e = c.explore;
        context_ = &c;
        label_ = area.w * 0.45F;
        keys(c);
        if (!e.file().empty()) {
            recorded(c, area);
            return;
        }
        RunOptions o = e.options;
        ImGui::BeginChild("##fields", {area.w, 0});
        width_ = ImGui::GetContentRegionAvail().x - label_ - c.px(2);
        elements(o);
        block(o);
        choice<ElementType>("type", o.type, kElementTypes, [](ElementType t) { return std::string(c_name(t)); });
        choice<Operator>("operator", o.op, kOperators, [](Operator op) { return std::string(name(op)); });
        static constexpr std::array kInputs{InputKind::ones, InputKind::iota, InputKind::random,
                                            InputKind::alternating};
        choice<InputKind>("input", o.input, kInputs, [](InputKind k) { return std::string(name(k)); });
        if (o.input == InputKind::random || o.order == WarpOrder::random) {
            whole("seed", o.seed, 0);
        }
        const auto allowed = finishes(require_strategy(o.strategy));
        Finish finish = o.finish.value_or(allowed.front());
        if (choice<Finish>("finish", finish, allowed, [](Finish f) { return std::string(name(f)); })) {
            o.finish = finish;
            o.host_below = finish == Finish::relaunch ? o.host_below : 1;
        }
        if (finish == Finish::relaunch) {
            whole("finish on the host below", o.host_below, 1);
        }
        own(o);
        choice<WarpOrder>("warp schedule", o.order, kWarpOrders, [](WarpOrder w) { return std::string(name(w)); });
        static constexpr std::array kBanks{32, 16};
        choice<int>("banks", o.banks, kBanks, [](int b) { return fmt::format("{} × 4 B", b); });
        std::uint64_t window = o.window.count;
        if (whole("blocks traced", window, 1)) {
            o.window.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, 4096));
        }
        if (cuda::usable()) {
            static constexpr std::array kBackends{Backend::automatic, Backend::cpu, Backend::cuda};
            choice<Backend>("backend", o.backend, kBackends, [](Backend b) { return std::string(name(b)); });
        }
        fields_ = at_;
        if (c.keyboard.on(id()) && c.keyboard.take(PanelKey::enter)) {
            c.keyboard.done();
        }
        message(c);
        ImGui::EndChild();
        if (o != e.options) {
            e.options = o;
            e.run();
        }
    }

  private:
    // Moves the cursor over the fields; Tab past the ends leaves the panel.
    void keys(Context& c) {
        at_ = 0;
        Keyboard& k = c.keyboard;
        if (!k.on(id())) {
            cursor_ = -1;
            return;
        }
        if (k.arrived() != 0) {
            cursor_ = k.arrived() > 0 ? 0 : fields_ - 1;
            settled_ = false;
        }
        const bool next = k.take(PanelKey::next), previous = k.take(PanelKey::previous);
        const int by = (next || k.take(PanelKey::down) ? 1 : 0) - (previous || k.take(PanelKey::up) ? 1 : 0);
        if (by == 0) {
            return;
        }
        if ((next && cursor_ + 1 >= fields_) || (previous && cursor_ <= 0)) {
            k.leave(by);
            cursor_ = -1;
            return;
        }
        cursor_ = std::clamp(cursor_ + by, 0, fields_ - 1);
        settled_ = false;
        if (!edited_.empty()) {
            ImGui::SetWindowFocus(nullptr); // takes the keyboard from the field, which then counts as left
        }
    }

    void recorded(Context& c, const scene::Rect& area) {
        ImGui::TextWrapped("%s", c.explore.file().filename().string().c_str());
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled("A recorded trace: its options are fixed.");
        ImGui::PopTextWrapPos();
        fields_ = 1;
        bool back = ImGui::Button("Back to live", {area.w, 0});
        if (cursor_ == 0) {
            focus_ring(c);
            if (c.keyboard.take(PanelKey::enter)) {
                back = true;
                c.keyboard.done();
            }
        }
        if (back) {
            c.explore.back_to_live();
        }
    }

    // The label of the next field; true when the cursor is on it.
    bool field(const char* label) {
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("%s", label);
        if (ImGui::CalcTextSize(label).x + context_->px(2) < label_) {
            ImGui::SameLine(label_);
        } else if (label_ > 0) { // a long one stands above
            ImGui::Dummy({label_ - ImGui::GetStyle().ItemSpacing.x, 0});
            ImGui::SameLine(label_);
        }
        ImGui::SetNextItemWidth(width_);
        return cursor_ == at_++;
    }
    void mark() { // the field just drawn has the cursor
        focus_ring(*context_);
        if (!std::exchange(settled_, true)) {
            ImGui::SetScrollHereY(0.5F);
        }
    }
    // Left: −1; right: 1.
    int turn() {
        Keyboard& k = context_->keyboard;
        return (k.take(PanelKey::right) ? 1 : 0) - (k.take(PanelKey::left) ? 1 : 0);
    }

    template <class T, class Text> bool choice(const char* label, T& value, std::span<const T> all, Text text) {
        const bool here = field(label);
        bool changed = false;
        ListBox box{.id = std::string("##") + label, .shown = text(value), .width = width_};
        for (const T& item : all) {
            box.items.push_back(text(item));
        }
        box.now = static_cast<std::size_t>(std::find(all.begin(), all.end(), value) - all.begin());
        const auto taken = list_box(*context_, box);
        if (here) {
            mark();
        }
        if (taken && all[*taken] != value) {
            value = all[*taken];
            changed = true;
        }
        const int by = here ? turn() : 0;
        if (by != 0) {
            const auto now = std::find(all.begin(), all.end(), value) - all.begin();
            const auto to = (now + by + std::ssize(all)) % std::ssize(all);
            changed = changed || all[static_cast<std::size_t>(to)] != value;
            value = all[static_cast<std::size_t>(to)];
        }
        return changed;
    }

    // A count as text; taken on Enter or when the field is left.
    bool whole(const char* label, std::uint64_t& value, std::uint64_t least) {
        const bool here = field(label);
        const bool edits = edited_ == label;
        if (!edits) {
            text_.fill(0);
            std::strncpy(text_.data(), std::to_string(value).c_str(), text_.size() - 1);
        }
        std::array<char, 32>& text = edits ? edit_ : text_;
        const std::string item = std::string("##") + label;
        if (here && !edits) {
            ImGui::SetKeyboardFocusHere();
        }
        ImGui::InputText(item.c_str(), text.data(), text.size(), ImGuiInputTextFlags_AutoSelectAll);
        if (ImGui::IsItemActivated()) {
            edited_ = label;
            edit_ = text_;
            if (!here) { // by the mouse
                context_->keyboard.give(id());
                cursor_ = at_ - 1;
                settled_ = true;
            }
        }
        const bool left = edits && !ImGui::IsItemActive();
        const bool after_edit = left && ImGui::IsItemDeactivatedAfterEdit();
        if (here) {
            mark();
        }
        if (left) {
            edited_.clear();
        }
        if (after_edit) {
            if (const auto count = parse_count(edit_.data()); count && *count >= least && *count != value) {
                value = *count;
                return true;
            }
        }
        return false;
    }

    void elements(RunOptions& o) {
        const float button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
        const float full = width_, label = label_;
        const float number = ImGui::CalcTextSize(std::to_string(o.n).c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
        const bool above = number > full - 2 * (button + gap); // the label, where the number needs the room beside
        width_ = full + (above ? label_ : 0) - 2 * (button + gap);
        label_ = above ? 0 : label_;
        if (std::uint64_t n = o.n; whole("elements", n, 1)) {
            o.n = std::min<std::uint64_t>(n, kMaxElements);
        }
        width_ = full;
        label_ = label;
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
        ImGui::SameLine(0, gap);
        if (ImGui::Button("÷2", {button, 0}) && o.n > 1) {
            o.n /= 2;
        }
        ImGui::SameLine(0, gap);
        if (ImGui::Button("×2", {button, 0}) && o.n < kMaxElements) {
            o.n *= 2;
        }
        ImGui::PopStyleVar();
    }

    // The strategy's own parameters.
    void own(RunOptions& o) {
        for (const Parameter& p : require_strategy(o.strategy).parameters) {
            const std::string name(p.name);
            const auto it = o.parameters.find(p.name);
            std::uint32_t value = it == o.parameters.end() ? p.fallback : it->second;
            bool changed = false;
            if (p.flag) {
                static constexpr std::array kChoice{0U, 1U};
                changed = choice<std::uint32_t>(name.c_str(), value, kChoice,
                                                [](std::uint32_t v) { return std::string(v != 0 ? "yes" : "no"); });
            } else if (p.power_of_two) {
                std::vector<std::uint32_t> all;
                for (std::uint32_t v = p.least; v <= p.most; v *= 2) {
                    all.push_back(v);
                }
                changed =
                    choice<std::uint32_t>(name.c_str(), value, all, [](std::uint32_t v) { return std::to_string(v); });
            } else if (std::uint64_t typed = value; whole(name.c_str(), typed, p.least)) {
                value = static_cast<std::uint32_t>(std::min<std::uint64_t>(typed, p.most));
                changed = true;
            }
            if (changed) {
                o.parameters[name] = value;
            }
        }
    }

    void block(RunOptions& o) {
        const StrategyInfo& info = require_strategy(o.strategy);
        const bool here = field("block");
        const std::uint32_t now = o.block.value_or(info.default_block);
        const auto runs = [&](std::uint32_t b) {
            RunOptions with = o;
            with.block = b;
            return !refusal(with);
        };
        ListBox box{.id = "##block", .shown = std::to_string(now), .width = width_};
        for (std::uint32_t b = 1; b <= 1024; b *= 2) {
            box.now = b < now ? box.items.size() + 1 : box.now;
            box.items.push_back(std::to_string(b));
        }
        box.enabled = [&](std::size_t i) { return runs(1U << i); };
        const auto taken = list_box(*context_, box);
        if (here) {
            mark();
        }
        if (taken) {
            o.block = 1U << *taken;
        }
        const int by = here ? turn() : 0;
        for (std::uint32_t b = by > 0 ? now * 2 : now / 2; by != 0 && b >= 1 && b <= 1024; b = by > 0 ? b * 2 : b / 2) {
            if (runs(b)) {
                o.block = b;
                break;
            }
        }
    }

    static void message(Context& c) {
        if (!c.explore.error.empty()) {
            ImGui::TextColored(vec(c.theme.attention), "!");
            ImGui::SameLine();
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(c.explore.error.c_str());
            ImGui::PopTextWrapPos();
        }
    }

    Context* context_ = nullptr; // of this frame
    float label_ = 0, width_ = 0;
    int at_ = 0, fields_ = 1;     // the next field, and how many the last frame had
    int cursor_ = -1;             // the field with the keyboard
    bool settled_ = true;         // it is in sight
    std::string edited_;          // label of the field being typed into
    std::array<char, 32> text_{}; // of a field that is only shown
    std::array<char, 32> edit_{}; // what is being typed
};
} // namespace

std::unique_ptr<Panel> make_parameters() { return std::make_unique<Parameters>(); }

} // namespace warptree::panels
