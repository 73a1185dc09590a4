// The playground of strides: an index expression at the left, what the banks make of it at the right.
#include "app/pages/form.hpp"
#include "app/pages/page.hpp"
#include "app/panels/fixed_window.hpp"
#include "app/render/cairo_picture.hpp"
#include "app/scene/parts.hpp"
#include "app/session/playground.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::pages {

namespace {
using session::Playground;
constexpr float kPictureWidth = 1280, kPictureHeight = 720;

class StridePlayground : public Page {
  public:
    explicit StridePlayground(const Tools& tools) : tools_(tools) {}
    const char* id() const override { return "stride-playground"; }
    const char* title() const override { return "Strides"; }
    int digit() const override { return 6; }

    void draw(panels::Context& c, scene::Rect area) override {
        c.keyboard.set_ring({"request"});
        const bool narrow = area.w < c.px(640);
        const float gap = c.px(6);
        scene::Rect side{area.x, area.y, 0, 0}, figure = area;
        if (!c.explore.looks.presentation) {
            side = narrow ? scene::Rect{area.x, area.y, area.w, std::min(area.h * 0.4F, c.px(220))}
                          : scene::Rect{area.x, area.y, std::min(c.px(300), area.w * 0.36F), area.h};
            draw_side(c, side);
            figure = narrow ? scene::Rect{area.x, side.bottom(), area.w, area.bottom() - side.bottom()}
                            : scene::Rect{side.right(), area.y, area.right() - side.right(), area.h};
        }
        draw_figure(c, {figure.x + gap, figure.y + gap, figure.w - 2 * gap, figure.h - 2 * gap});
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
    void picture(const std::string& path, scene::ThemeName theme) const override {
        render::write_drawing(
            [&](const scene::TextMeasure& measure) {
                const float margin = 40;
                scene::Drawing d = banks(scene::theme(theme), measure, 1, {},
                                         {margin, margin, kPictureWidth - 2 * margin, kPictureHeight - 2 * margin});
                d.clip = {0, 0, kPictureWidth, kPictureHeight};
                d.layers[0].boxes.insert(d.layers[0].boxes.begin(),
                                         {.rect = d.clip, .fill = scene::theme(theme).panel});
                return d;
            },
            {static_cast<int>(kPictureWidth), static_cast<int>(kPictureHeight), path, "stride-playground"});
    }

  private:
    scene::Drawing banks(const scene::Theme& theme, const scene::TextMeasure& measure, float scale,
                         const scene::Target& hover, scene::Rect area) const {
        const scene::ViewContext context{&playground_.trace(), {0, 0, 1}, hover, {}, &theme, &measure, scale};
        return scene::draw_banks(context, area, 0);
    }

    void draw_side(panels::Context& c, const scene::Rect& r) {
        panels::begin_fixed("playground-side", r);
        const float pad = c.px(12);
        ImGui::SetCursorPos({pad, c.px(8)});
        ImGui::BeginChild("##inside", {r.w - 2 * pad, r.h - c.px(12)});
        const float width = ImGui::GetContentRegionAvail().x;
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
        ImGui::Dummy({0, c.px(6)});
        ImGui::TextDisabled("The index of the element that each lane asks for, in t, lane, warp and s, as in C: t is "
                            "32 * warp + lane. The same in a terminal:");
        ImGui::TextDisabled("%s", playground_.command().c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndChild();
        ImGui::End();
    }

    void draw_figure(panels::Context& c, const scene::Rect& r) {
        panels::begin_fixed("playground-figure", r, ImGuiWindowFlags_NoScrollWithMouse);
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
