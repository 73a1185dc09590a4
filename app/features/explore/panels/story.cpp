// A program's story above the panels: click a launch to see it, another cell for its line.
#include "app/views/story.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/explore/panels/panel.hpp"
#include "app/features/widgets/frame.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <memory>

namespace warptree::panels {

namespace {
class Story : public Panel {
  public:
    const char* id() const override { return "story"; }
    const char* title() const override { return ""; }

    void draw(Context& c, scene::Rect area) override {
        session::Explore& e = c.explore;
        if (!e.on_program()) {
            return;
        }
        // The panel's own margins are wider than the strip has room for.
        const scene::Rect strip{area.x - c.px(6), area.y - c.px(6), area.w + c.px(12), area.h + c.px(10)};
        lay_out(c);
        const std::uint32_t launch = e.playback.moment().launch;
        if (launch != followed_) {
            scroll_ = scene::scroll_to_launch(row_, launch, strip.w, scroll_, c.fonts.scale());
            followed_ = launch;
        }
        scroll_ = scene::clamped_scroll(row_, strip.w, scroll_);
        ImGui::SetCursorScreenPos({strip.x, strip.y});
        ImGui::InvisibleButton("##story", {strip.w, strip.h});
        const bool on = ImGui::IsItemHovered();
        point(c, strip, on);
        c.painter.add(scene::draw_story(view_of(c), strip, row_, scroll_), ImGui::GetWindowDrawList());
        dim_what_is_old(c, strip);
        for (std::size_t i = 0; i < row_.places.size(); ++i) {
            const float x = strip.x + row_.places[i].x - scroll_;
            if (x >= strip.x && x + row_.places[i].w <= strip.right()) {
                c.placed(fmt::format("story-{}", i), {x, strip.y, row_.places[i].w, strip.h});
            }
        }
    }

  private:
    void lay_out(const Context& c) {
        const auto trace = c.explore.trace();
        if (trace_.lock() == trace && scale_ == c.fonts.scale()) {
            return;
        }
        trace_ = trace;
        scale_ = c.fonts.scale();
        row_ = scene::lay_out_story(*trace, c.fonts, scale_);
        followed_ = kNone;
    }

    void point(Context& c, const scene::Rect& strip, bool on) {
        const ImGuiIO& io = ImGui::GetIO();
        const std::uint32_t cell = on ? scene::cell_at(row_, strip, scroll_, {io.MousePos.x, io.MousePos.y}) : kNone;
        if (on && (io.MouseWheel != 0 || io.MouseWheelH != 0)) {
            scroll_ = scene::clamped_scroll(row_, strip.w, scroll_ - (io.MouseWheel + io.MouseWheelH) * c.px(80));
        }
        if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
            scroll_ = scene::clamped_scroll(row_, strip.w, scroll_ - io.MouseDelta.x);
        }
        if (cell == kNone) {
            return;
        }
        const scene::StoryCell& it = row_.cells[cell];
        if (it.launch != kNone) {
            c.explore.pointed = {scene::Target::Kind::launch, it.launch, 0, it.launch};
        }
        const ImVec2 from = io.MouseClickedPos[ImGuiMouseButton_Left];
        if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
            std::hypot(io.MousePos.x - from.x, io.MousePos.y - from.y) < 4) {
            if (it.launch != kNone) {
                c.explore.go_to_launch(it.launch);
            } else {
                c.explore.printed = c.explore.printed || it.prints;
                c.explore.line_asked = it.line.known() && it.line.file() == 0 ? it.line.line() : 0;
            }
        }
        pages::tooltip(c, it.told);
    }

    std::weak_ptr<const Trace> trace_; // of row_
    scene::StoryRow row_;
    float scale_ = 0, scroll_ = 0;
    std::uint32_t followed_ = kNone; // the launch that was brought into view
};
} // namespace

std::unique_ptr<Panel> make_story() { return std::make_unique<Story>(); }

} // namespace warptree::panels
