#include "app/features/explore/panels/fields.hpp"

#include "app/base/type_words.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"
#include "app/gpu/driver.hpp"
#include "app/request/said.hpp"
#include "app/run/program/run.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::panels {

namespace {

// Whether there is host code that launches something: comments name launches, too.
bool launches(const std::string& text) {
    bool block = false;
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        const std::string_view here = std::string_view(text).substr(i);
        if (block) {
            block = !here.starts_with("*/");
        } else if (here.starts_with("/*")) {
            block = true;
        } else if (here.starts_with("//")) {
            i = std::min(text.find('\n', i), text.size());
        } else if (here.starts_with("<<<")) {
            return true;
        }
    }
    return false;
}

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
            // A value set for a program is one of the launch that is shown.
            if (e.on_program() && runs::states_a_call(o) && o.kernel.kernel.empty()) {
                const Launch* const shown = scene::shown_launch(*e.trace(), e.playback.moment());
                o.kernel.kernel = shown == nullptr ? "" : shown->kernel;
            }
            conclude(c, o);
            return;
        }
        for (const request::Option& option : request::options_of(require_strategy(o.strategy))) {
            field(o, option);
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
                "%s", fmt::format(
                          "The whole program runs, from its {}. A value set here runs the kernel of this launch alone.",
                          e.trace()->program.entry)
                          .c_str());
            ImGui::PopTextWrapPos();
        } else if (runs::states_a_call(o) && launches(e.kernel()->text())) {
            if (ImGui::Button("Run the whole program", {ImGui::GetContentRegionAvail().x, 0})) {
                o = runs::without_a_call(o);
            }
            const scene::Rect place = pages::last_item();
            c.placed("whole-program", place);
        }
    }

    // What a kernel file is called with stands in fields of its own (kernel_fields).
    void of_interpreter(RunOptions& o) {
        for (const char* id : {"order", "banks", "window"}) {
            field(o, request::option(id));
        }
    }

    // Whether the option says something of this run.
    static bool matters(const RunOptions& o, const request::Option& option) {
        return option.id == "seed"         ? o.input == InputKind::random || o.order == WarpOrder::random
               : option.id == "host-below" ? o.finish == Finish::relaunch
               : option.id == "backend"    ? gpu::usable()
                                           : true;
    }

    void field(RunOptions& o, const request::Option& option) {
        if (!matters(o, option)) {
            return;
        }
        if (option.id == "n") {
            fields_.elements(o.n);
        } else if (option.id == "window") {
            std::uint64_t window = o.window.count;
            if (fields_.whole(option.label.c_str(), window, 1)) {
                o.window.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, 4096));
            }
        } else if (option.id == "block") {
            block(o, option);
        } else if (option.choices.empty()) {
            if (std::uint64_t typed = parse_count(option.get(o)).value_or(0);
                fields_.whole(option.label.c_str(), typed, option.least)) {
                option.set(o, std::to_string(std::min(typed, option.most)));
            }
        } else if (std::string value = option.get(o);
                   (option.choices.size() > 1 || option.id == "type") &&
                   fields_.choice<std::string>(option.label.c_str(), value, option.choices,
                                               [&](const std::string& word) { return shown(option, word); })) {
            option.set(o, value);
        }
    }

    // A value in the words of a course.
    static std::string shown(const request::Option& option, const std::string& word) {
        if (option.id == "type") {
            return std::string(c_name(element_type_from(word).value_or(ElementType::i32)));
        }
        return option.id == "banks" ? word + " × 4 B" : !option.flag ? word : word == "0" ? "no" : "yes";
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

    // Blocks that the kernel cannot run with are in the list, grey.
    void block(RunOptions& o, const request::Option& option) {
        const bool here = fields_.field(option.label.c_str());
        const auto runs = [&](std::size_t i) {
            RunOptions with = o;
            option.set(with, option.choices[i]);
            return !refusal(with);
        };
        const std::uint64_t now = parse_count(option.get(o)).value_or(1);
        ListBox box{.id = "##block", .shown = std::to_string(now), .items = option.choices, .width = fields_.width()};
        for (const std::string& threads : option.choices) {
            box.now += parse_count(threads).value_or(0) < now ? 1 : 0;
        }
        box.enabled = runs;
        const auto taken = list_box(fields_.context(), box);
        if (here) {
            fields_.mark();
        }
        if (taken) {
            option.set(o, option.choices[*taken]);
        }
        const int by = here ? fields_.turn() : 0;
        const bool between = box.now < option.choices.size() && option.choices[box.now] != box.shown;
        for (auto i = static_cast<std::ptrdiff_t>(box.now) + (between && by > 0 ? 0 : by);
             by != 0 && i >= 0 && i < std::ssize(option.choices); i += by) {
            if (runs(static_cast<std::size_t>(i))) {
                option.set(o, option.choices[static_cast<std::size_t>(i)]);
                break;
            }
        }
    }

    static void message(Context& c) {
        if (!c.explore.error.empty() && c.explore.diagnostics.empty()) { // which stand with their source
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
