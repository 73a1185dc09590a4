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
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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
        if (e.on_kernel()) {
            kernel(o, e.trace().get());
            of_interpreter(o);
            conclude(c, o);
            return;
        }
        elements(o.n);
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
        of_interpreter(o);
        if (cuda::usable()) {
            static constexpr std::array kBackends{Backend::automatic, Backend::cpu, Backend::cuda};
            choice<Backend>("backend", o.backend, kBackends, [](Backend b) { return std::string(name(b)); });
        }
        conclude(c, o);
    }

  private:
    void of_interpreter(RunOptions& o) {
        choice<WarpOrder>("warp schedule", o.order, kWarpOrders, [](WarpOrder w) { return std::string(name(w)); });
        static constexpr std::array kBanks{32, 16};
        choice<int>("banks", o.banks, kBanks, [](int b) { return fmt::format("{} × 4 B", b); });
        std::uint64_t window = o.window.count;
        if (whole("blocks traced", window, 1)) {
            o.window.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, 4096));
        }
    }

    // After the last field.
    void conclude(Context& c, const RunOptions& o) {
        fields_ = at_;
        if (c.keyboard.on(id()) && c.keyboard.take(PanelKey::enter)) {
            c.keyboard.done();
        }
        message(c);
        ImGui::EndChild();
        if (o != c.explore.options) {
            c.explore.options = o;
            c.explore.run();
        }
    }

    // What a kernel file is called with: as asked for, else as its run had it. An emptied field is the file's own choice,
    // or the program's.
    void kernel(RunOptions& o, const Trace* trace) {
        if (trace != nullptr && (trace->kernel.empty() || trace->options.kernel.file != o.kernel.file)) {
            trace = nullptr;
        }
        KernelOptions& k = o.kernel;
        const Launch* launch = trace == nullptr ? nullptr : &trace->launches.front();
        if (trace != nullptr && trace->kernels.size() > 1) {
            std::string now = k.kernel.empty() ? trace->kernel : k.kernel;
            if (choice<std::string>("kernel", now, trace->kernels,
                                    [](const std::string& name) { return name.ends_with('<') ? name + "…>" : name; })) {
                k.kernel = now.ends_with('<') ? now.substr(0, now.size() - 1) : now;
                k.arguments.clear();
            }
        }
        const std::uint64_t n = k.n_given || trace == nullptr ? o.n : trace->options.n;
        if (std::uint64_t typed = n; elements(typed)) {
            o.n = std::min<std::uint64_t>(typed, kMaxElements);
            k.n_given = true;
        }
        const auto shape = [](const std::array<std::uint32_t, 3>& s, std::uint32_t all) {
            return s[1] == 1 && s[2] == 1 ? std::to_string(all)
                   : s[2] == 1            ? fmt::format("{},{}", s[0], s[1])
                                          : fmt::format("{},{},{}", s[0], s[1], s[2]);
        };
        text("grid", k.grid, launch == nullptr ? "" : shape(launch->grid_shape, launch->grid));
        std::string block = k.block.empty() && o.block ? std::to_string(*o.block) : k.block;
        if (text("block", block, launch == nullptr ? "" : shape(launch->block_shape, launch->block))) {
            k.block = block;
            o.block.reset();
        }
        const bool has_operator =
            trace != nullptr && std::any_of(trace->sources.begin(), trace->sources.end(),
                                            [](const SourceFile& f) { return f.path.ends_with("reduction.cuh"); });
        if (has_operator) {
            choice<ElementType>("type", o.type, kElementTypes, [](ElementType t) { return std::string(c_name(t)); });
            choice<Operator>("operator", o.op, kOperators, [](Operator op) { return std::string(name(op)); });
        }
        if (launch != nullptr && (launch->shared_bytes != 0 || !k.shared.empty())) {
            text("shared bytes", k.shared, std::to_string(launch->shared_bytes));
        }
        if (trace != nullptr) {
            for (const KernelArgument& a : trace->arguments) {
                const auto asked = k.arguments.find(a.name);
                std::string value = asked == k.arguments.end() ? std::string() : asked->second;
                if (text(a.name.c_str(), value, a.value)) {
                    if (value.empty()) {
                        k.arguments.erase(a.name);
                    } else {
                        k.arguments.insert_or_assign(a.name, value);
                    }
                }
            }
        }
        static const std::vector<std::string> kExpected{"",    "none", "sum",  "product", "min",
                                                        "max", "xor",  "scan", "dot"};
        choice<std::string>("expect", k.expect, kExpected, [&](const std::string& e) {
            return !e.empty()                                     ? e
                   : trace != nullptr && !trace->expected.empty() ? trace->expected + " (file)"
                                                                  : std::string("unstated");
        });
        if (o.order == WarpOrder::random) {
            whole("seed", o.seed, 0);
        }
    }

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

    template <class T, class Text>
    bool choice(const char* label, T& value, std::span<const std::type_identity_t<T>> all, Text text) {
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

    // A count as text.
    bool whole(const char* label, std::uint64_t& value, std::uint64_t least) {
        if (!typed(label, std::to_string(value))) {
            return false;
        }
        const auto count = parse_count(edit_.data());
        if (!count || *count < least || *count == value) {
            return false;
        }
        value = *count;
        return true;
    }
    // What was asked for; where nothing was, `chosen` is shown.
    bool text(const char* label, std::string& asked, const std::string& chosen) {
        const bool changed = typed(label, asked.empty() ? chosen : asked);
        if (!changed || edit_.data() == asked || (asked.empty() && edit_.data() == chosen)) {
            return false;
        }
        asked = edit_.data();
        return true;
    }
    // Taken on Enter or when the field is left: true, and edit_ is what was typed.
    bool typed(const char* label, const std::string& value) {
        const bool here = field(label);
        const bool edits = edited_ == label;
        if (!edits) {
            text_.fill(0);
            std::strncpy(text_.data(), value.c_str(), text_.size() - 1);
        }
        auto& text = edits ? edit_ : text_;
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
        return after_edit;
    }

    bool elements(std::uint64_t& n) {
        const std::uint64_t before = n;
        const float button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
        const float full = width_, label = label_;
        const float number = ImGui::CalcTextSize(std::to_string(n).c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
        const bool above = number > full - 2 * (button + gap); // the label, where the number needs the room beside
        width_ = full + (above ? label_ : 0) - 2 * (button + gap);
        label_ = above ? 0 : label_;
        if (std::uint64_t count = n; whole("elements", count, 1)) {
            n = std::min<std::uint64_t>(count, kMaxElements);
        }
        width_ = full;
        label_ = label;
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
        ImGui::SameLine(0, gap);
        if (ImGui::Button("÷2", {button, 0}) && n > 1) {
            n /= 2;
        }
        ImGui::SameLine(0, gap);
        if (ImGui::Button("×2", {button, 0}) && n < kMaxElements) {
            n *= 2;
        }
        ImGui::PopStyleVar();
        return n != before;
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
    int at_ = 0, fields_ = 1;      // the next field, and how many the last frame had
    int cursor_ = -1;              // the field with the keyboard
    bool settled_ = true;          // it is in sight
    std::string edited_;           // label of the field being typed into
    std::array<char, 256> text_{}; // of a field that is only shown
    std::array<char, 256> edit_{}; // what is being typed
};
} // namespace

std::unique_ptr<Panel> make_parameters() { return std::make_unique<Parameters>(); }

} // namespace warptree::panels
