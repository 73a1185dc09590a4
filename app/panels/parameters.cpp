#include "app/panels/panel.hpp"

#include "kernels/cuda/backend.hpp"
#include "kernels/strategy.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cstring>
#include <span>

namespace warptree::panels {

namespace {
ImVec4 vec(const scene::Color& c) { return ImGui::ColorConvertU32ToFloat4(IM_COL32(c.r, c.g, c.b, c.a)); }

class Parameters : public Panel {
  public:
    const char* id() const override { return "parameters"; }
    const char* title() const override { return ""; }

    void draw(Context& c, scene::Rect area) override {
        session::Explore& e = c.explore;
        label_ = area.w * 0.43F;
        if (!e.file().empty()) {
            ImGui::TextWrapped("%s", e.file().filename().string().c_str());
            ImGui::TextDisabled("A recorded trace: its options are fixed.");
            if (ImGui::Button("Back to live", {area.w, 0})) {
                e.back_to_live();
            }
            return;
        }
        RunOptions o = e.options;
        ImGui::BeginChild("##fields", {area.w, 0});
        width_ = ImGui::GetContentRegionAvail().x - label_ - c.px(2);
        elements(o);
        block(o);
        choice<ElementType>("type", o.type, kElementTypes, [](ElementType t) { return std::string(name(t)); });
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
            whole("host below", o.host_below, 1);
        }
        static constexpr std::array kOrders{WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};
        choice<WarpOrder>("warp order", o.order, kOrders, [](WarpOrder w) { return std::string(name(w)); });
        static constexpr std::array kBanks{32, 16};
        choice<int>("banks", o.banks, kBanks, [](int b) { return fmt::format("{} × 4 bytes", b); });
        std::uint64_t window = o.window.count;
        if (whole("blocks kept", window, 1)) {
            o.window.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, 4096));
        }
        if (cuda::usable()) {
            static constexpr std::array kBackends{Backend::automatic, Backend::cpu, Backend::cuda};
            choice<Backend>("backend", o.backend, kBackends, [](Backend b) { return std::string(name(b)); });
        }
        message(c);
        ImGui::EndChild();
        if (o != e.options) {
            e.options = o;
            e.run();
        }
    }

  private:
    void field(const char* label) const {
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("%s", label);
        ImGui::SameLine(label_);
        ImGui::SetNextItemWidth(width_);
    }

    template <class T, class Text> bool choice(const char* label, T& value, std::span<const T> all, Text text) const {
        field(label);
        bool changed = false;
        if (ImGui::BeginCombo((std::string("##") + label).c_str(), text(value).c_str())) {
            for (const T& item : all) {
                if (ImGui::Selectable(text(item).c_str(), item == value) && item != value) {
                    value = item;
                    changed = true;
                }
            }
            ImGui::EndCombo();
        }
        return changed;
    }

    // A count as text; taken on Enter or when the field is left.
    bool whole(const char* label, std::uint64_t& value, std::uint64_t least) const {
        field(label);
        std::array<char, 32> text{};
        std::strncpy(text.data(), std::to_string(value).c_str(), text.size() - 1);
        const std::string item = std::string("##") + label;
        ImGui::InputText(item.c_str(), text.data(), text.size());
        if (ImGui::IsItemDeactivatedAfterEdit()) {
            if (const auto count = parse_count(text.data()); count && *count >= least && *count != value) {
                value = *count;
                return true;
            }
        }
        return false;
    }

    void elements(RunOptions& o) {
        const float button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
        const float full = width_;
        width_ = full - 2 * (button + gap);
        if (std::uint64_t n = o.n; whole("elements", n, 1)) {
            o.n = std::min<std::uint64_t>(n, kMaxElements);
        }
        width_ = full;
        ImGui::SameLine(0, gap);
        if (ImGui::Button("÷2", {button, 0}) && o.n > 1) {
            o.n /= 2;
        }
        ImGui::SameLine(0, gap);
        if (ImGui::Button("×2", {button, 0}) && o.n < kMaxElements) {
            o.n *= 2;
        }
    }

    void block(RunOptions& o) const {
        const StrategyInfo& info = require_strategy(o.strategy);
        field("block");
        const std::uint32_t now = o.block.value_or(info.default_block);
        if (ImGui::BeginCombo("##block", std::to_string(now).c_str())) {
            for (std::uint32_t b = 1; b <= 1024; b *= 2) {
                RunOptions with = o;
                with.block = b;
                const auto why = refusal(with);
                if (ImGui::Selectable(std::to_string(b).c_str(), b == now,
                                      why ? ImGuiSelectableFlags_Disabled : ImGuiSelectableFlags_None)) {
                    o.block = b;
                }
            }
            ImGui::EndCombo();
        }
    }

    static void message(Context& c) {
        if (!c.explore.error.empty()) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextColored(vec(c.theme.attention), "! %s", c.explore.error.c_str());
            ImGui::PopTextWrapPos();
        }
    }

    float label_ = 0, width_ = 0;
};
} // namespace

std::unique_ptr<Panel> make_parameters() { return std::make_unique<Parameters>(); }

} // namespace warptree::panels
