#include "app/features/explore/panels/fields.hpp"

#include "app/base/type_words.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"
#include "app/gpu/driver.hpp"
#include "app/run/program_run.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace warptree::panels {

namespace {

class Parameters : public Panel {
  public:
    const char* id() const override { return "parameters"; }
    const char* title() const override { return ""; }

    void draw(Context& c, scene::Rect area) override {
        session::Explore& e = c.explore;
        const float label = area.w * 0.45F;
        fields_.begin(c, label);
        if (!e.file().empty()) {
            recorded(c, area);
            return;
        }
        RunOptions o = e.options;
        ImGui::BeginChild("##fields", {area.w, 0});
        fields_.set_width(ImGui::GetContentRegionAvail().x - label - c.px(2));
        if (e.on_kernel()) {
            whole_file(c, o);
            kernel_fields(fields_, o, e.trace().get());
            of_interpreter(o);
            conclude(c, o);
            return;
        }
        fields_.elements(o.n);
        block(o);
        const StrategyInfo& info = require_strategy(o.strategy);
        fields_.choice<ElementType>("type", o.type, taken_types(info),
                                    [](ElementType t) { return std::string(c_name(t)); });
        if (const auto operators = taken_operators(info); operators.size() > 1) {
            fields_.choice<Operator>("operator", o.op, operators, [](Operator op) { return std::string(name(op)); });
        }
        static constexpr std::array kInputs{InputKind::ones, InputKind::iota, InputKind::random,
                                            InputKind::alternating};
        fields_.choice<InputKind>("input", o.input, kInputs, [](InputKind k) { return std::string(name(k)); });
        if (o.input == InputKind::random || o.order == WarpOrder::random) {
            fields_.whole("seed", o.seed, 0);
        }
        const auto& allowed = info.finishes;
        Finish finish = o.finish.value_or(allowed.front());
        if (allowed.size() > 1 &&
            fields_.choice<Finish>("finish", finish, allowed, [](Finish f) { return std::string(name(f)); })) {
            o.finish = finish;
            o.host_below = finish == Finish::relaunch ? o.host_below : 1;
        }
        if (finish == Finish::relaunch) {
            fields_.whole("finish on the host below", o.host_below, 1);
        }
        own(o);
        of_interpreter(o);
        if (gpu::usable()) {
            static constexpr std::array kBackends{Backend::automatic, Backend::cpu, Backend::cuda};
            fields_.choice<Backend>("backend", o.backend, kBackends, [](Backend b) { return std::string(name(b)); });
        }
        conclude(c, o);
    }

  private:
    // Of a file that says itself how its kernels are called: that it runs whole, or the way back to that.
    static void whole_file(Context& c, RunOptions& o) {
        const session::Explore& e = c.explore;
        if (e.on_program()) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextDisabled(
                "%s", fmt::format("The whole program runs, from its {}. A value set here runs the kernel alone.",
                                  e.trace()->program.entry)
                          .c_str());
            ImGui::PopTextWrapPos();
        } else if (runs::states_a_call(o) && e.kernel()->text().find("<<<") != std::string::npos) {
            if (ImGui::Button("Run the whole program", {ImGui::GetContentRegionAvail().x, 0})) {
                o = runs::without_a_call(o);
            }
            const scene::Rect place = pages::last_item();
            c.placed("whole-program", place);
        }
    }

    void of_interpreter(RunOptions& o) {
        fields_.choice<WarpOrder>("warp schedule", o.order, kWarpOrders,
                                  [](WarpOrder w) { return std::string(name(w)); });
        static constexpr std::array kBanks{32, 16};
        fields_.choice<int>("banks", o.banks, kBanks, [](int b) { return fmt::format("{} × 4 B", b); });
        std::uint64_t window = o.window.count;
        if (fields_.whole("blocks traced", window, 1)) {
            o.window.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, 4096));
        }
    }

    // After the last field.
    void conclude(Context& c, const RunOptions& o) {
        fields_.end();
        message(c);
        ImGui::EndChild();
        if (o != c.explore.options) {
            c.explore.options = o;
            c.explore.run();
        }
    }

    void recorded(Context& c, const scene::Rect& area) {
        ImGui::TextWrapped("%s", c.explore.file().filename().string().c_str());
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled("A recorded trace: its options are fixed.");
        ImGui::PopTextWrapPos();
        fields_.count(1);
        bool back = ImGui::Button("Back to live", {area.w, 0});
        if (fields_.at(0)) {
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

    // The strategy's own parameters.
    void own(RunOptions& o) {
        for (const Parameter& p : require_strategy(o.strategy).parameters) {
            const std::string name(p.name);
            const auto it = o.parameters.find(p.name);
            std::uint32_t value = it == o.parameters.end() ? p.fallback : it->second;
            bool changed = false;
            if (p.flag) {
                static constexpr std::array kChoice{0U, 1U};
                changed = fields_.choice<std::uint32_t>(
                    name.c_str(), value, kChoice, [](std::uint32_t v) { return std::string(v != 0 ? "yes" : "no"); });
            } else if (p.power_of_two) {
                std::vector<std::uint32_t> all;
                for (std::uint32_t v = p.least; v <= p.most; v *= 2) {
                    all.push_back(v);
                }
                changed = fields_.choice<std::uint32_t>(name.c_str(), value, all,
                                                        [](std::uint32_t v) { return std::to_string(v); });
            } else if (std::uint64_t typed = value; fields_.whole(name.c_str(), typed, p.least)) {
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
        const bool here = fields_.field("block");
        const std::uint32_t now = o.block.value_or(info.default_block);
        const auto runs = [&](std::uint32_t b) {
            RunOptions with = o;
            with.block = b;
            return !refusal(with);
        };
        ListBox box{.id = "##block", .shown = std::to_string(now), .width = fields_.width()};
        for (std::uint32_t b = 1; b <= 1024; b *= 2) {
            box.now = b < now ? box.items.size() + 1 : box.now;
            box.items.push_back(std::to_string(b));
        }
        box.enabled = [&](std::size_t i) { return runs(1U << i); };
        const auto taken = list_box(fields_.context(), box);
        if (here) {
            fields_.mark();
        }
        if (taken) {
            o.block = 1U << *taken;
        }
        const int by = here ? fields_.turn() : 0;
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

    Fields fields_{"parameters"};
};
} // namespace

std::unique_ptr<Panel> make_parameters() { return std::make_unique<Parameters>(); }

} // namespace warptree::panels
