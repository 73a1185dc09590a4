// The playground of strides: an index expression at the left, what the banks make of it at the right.
#include "app/features/screen.hpp"
#include "app/features/strides/playground.hpp"
#include "app/features/widgets/form.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/banks/request_trace.hpp"
#include "app/views/tree/parts.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::pages {

namespace {
using session::Playground;
class StridePlayground : public Page {
  public:
    explicit StridePlayground(const Tools& tools) : tools_(tools) {}
    const char* id() const override { return "stride-playground"; }
    const char* title() const override { return "Strides"; }
    int digit() const override { return 6; }

    void draw(panels::Context& c, scene::Rect area) override {
        c.keyboard.set_ring({"request"});
        const SideAndFigure parts = side_and_figure(c, area, {300, 0.36F, 220, 0.4F});
        draw_in_side(c, "playground-side", parts.side, [&](float width) { draw_side(c, width); });
        draw_figure(c, parts.figure);
    }

    std::vector<window::Action> actions() override {
        std::vector<window::Action> all{
            {"playground-fields", "Change the request", "P", GLFW_KEY_P, 0, [this] { tools_.give_keyboard("request"); },
             ""},
            {"playground-more", "Stride: one more", "]", GLFW_KEY_RIGHT_BRACKET, 0,
             [this] { playground_.turn(Playground::Field::stride, 1); }, ""},
            {"playground-less", "Stride: one less", "[", GLFW_KEY_LEFT_BRACKET, 0,
             [this] { playground_.turn(Playground::Field::stride, -1); }, ""},
            {"playground-next", "Next index expression", "Down", GLFW_KEY_DOWN, 0,
             [this] { playground_.turn(Playground::Field::index, 1); }, ""},
            {"playground-previous", "Previous index expression", "Up", GLFW_KEY_UP, 0,
             [this] { playground_.turn(Playground::Field::index, -1); }, ""},
        };
        return all;
    }

    std::map<std::string, std::string> values() const override { return playground_.values(); }
    void restore(const std::map<std::string, std::string>& values) override { playground_.restore(values); }

    std::string picture_name() const override { return "stride-playground.png"; }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        return scene::compose_request(playground_.trace(), scene::theme(look.theme), measure, look.scale,
                                      static_cast<float>(look.width), static_cast<float>(look.height));
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        const Table table = banks::bank_table(playground_.report());
        return end == ".md"    ? table_text(table, TableFormat::markdown)
               : end == ".csv" ? table_text(table, TableFormat::csv)
                               : std::string();
    }

  private:
    scene::Drawing banks(const scene::Theme& theme, const scene::TextMeasure& measure, float scale,
                         const scene::Target& hover, scene::Rect area) const {
        const scene::ViewContext context{&playground_.trace(), {0, 0, 1}, hover, {}, &theme, &measure, scale};
        return scene::draw_banks(context, area, 0);
    }

    void draw_side(panels::Context& c, float width) {
        std::vector<FormField> fields;
        for (const auto field : Playground::kFields) {
            fields.push_back({std::string(session::id(field)), std::string(session::label(field)),
                              playground_.value(field), Playground::choices(field)});
        }
        form_.draw(
            c, width, fields,
            [&](std::size_t i, const std::string& text) { playground_.set(Playground::kFields[i], text); },
            [&](std::size_t i, int by) { playground_.turn(Playground::kFields[i], by); }, tools_.placed);
        ImGui::PushTextWrapPos(0);
        if (!playground_.error().empty()) {
            ImGui::TextUnformatted(("! " + playground_.error()).c_str());
        }
        ImGui::Dummy({0, c.px(6)});
        const banks::BankReport& report = playground_.report();
        const auto bound = [](unsigned n) { return scene::plural(n, "wavefront"); };
        ImGui::TextUnformatted(
            report.requests == 0
                ? "No lane takes part."
                : fmt::format("{}; without conflicts {}.", bound(report.wavefronts), report.ideal).c_str());
        if (const std::string passes = banks::passes_text(report); !passes.empty() && report.requests != 0) {
            ImGui::TextUnformatted((passes + ".").c_str());
        }
        ImGui::Dummy({0, c.px(6)});
        ImGui::TextDisabled("The index of the element that each lane asks for, in t, lane, warp and s, as in C: t is "
                            "32 * warp + lane. The same in a terminal:");
        ImGui::TextDisabled("%s", playground_.command().c_str());
        ImGui::PopTextWrapPos();
    }

    void draw_figure(panels::Context& c, const scene::Rect& r) {
        ImGui::SetNextWindowPos({r.x, r.y});
        ImGui::SetNextWindowSize({r.w, r.h});
        ImGui::Begin("playground-figure", nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse);
        tools_.placed("playground-figure", r);
        const float pad = c.px(16);
        const scene::Rect area{r.x + pad, r.y + c.px(10), r.w - 2 * pad, r.h - c.px(22)};
        if (area.w > 8 && area.h > 8) {
            const ImVec2 mouse = ImGui::GetMousePos();
            scene::Drawing d = banks(c.theme, c.fonts, c.fonts.scale(), hover_, area);
            hover_ = ImGui::IsWindowHovered() ? d.at({mouse.x, mouse.y}) : scene::Target{};
            c.painter.add(std::move(d), ImGui::GetWindowDrawList());
        }
        ImGui::End();
    }

    Tools tools_;
    Playground playground_;
    scene::Target hover_;
    Form form_{"request"};
};
} // namespace

std::unique_ptr<Page> make_stride_playground(const Tools& tools) { return std::make_unique<StridePlayground>(tools); }

} // namespace warptree::pages
