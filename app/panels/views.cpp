// The views of the trace as panels; the banks have a file of their own.
#include "app/panels/canvas.hpp"

#include "app/scene/running.hpp"
#include "kernels/strategy.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace warptree::panels {

namespace {
const Launch* launch_of(const Context& c) {
    const auto& trace = c.explore.trace();
    const std::uint32_t launch = c.explore.playback.moment().launch;
    return trace && launch < trace->launches.size() ? &trace->launches[launch] : nullptr;
}

class Tree : public Panel {
  public:
    const char* id() const override { return "tree"; }
    const char* title() const override { return "Tree"; }
    std::string note(const Context& c) const override {
        const Launch* l = launch_of(c);
        return l == nullptr ? "the host combines the partial results"
                            : fmt::format("{} block{} of {} traced; wheel zooms, drag pans, F fits", l->window_count,
                                          l->window_count == 1 ? "" : "s", l->grid);
    }
    void draw(Context& c, scene::Rect area) override {
        if (!c.explore.trace()) {
            return;
        }
        if (paint(c, scene::draw_tree(c.view(), area, c.explore.camera), "##tree")) {
            const ImGuiIO& io = ImGui::GetIO();
            if (io.MouseWheel != 0) {
                zoom_tree(c.explore.camera, area, {io.MousePos.x, io.MousePos.y}, io.MouseWheel);
            }
            if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
                c.explore.camera.pan_x += io.MouseDelta.x;
                c.explore.camera.pan_y += io.MouseDelta.y;
            }
        }
    }
};

class Warps : public Panel {
  public:
    const char* id() const override { return "warps"; }
    const char* title() const override { return "Warps"; }
    std::string note(const Context& c) const override {
        const Launch* l = launch_of(c);
        return l == nullptr ? "" : fmt::format("block {}, one column a thread, one row a step", shown(c, *l));
    }
    void draw(Context& c, scene::Rect area) override {
        const Launch* l = launch_of(c);
        if (l == nullptr || l->window_count == 0) {
            ImGui::TextDisabled(l == nullptr ? "The host runs no warps." : "No block is traced in full; see window.");
            return;
        }
        paint(c, scene::draw_warps(c.view(), area, shown(c, *l)), "##warps");
    }

  private:
    static std::uint32_t shown(const Context& c, const Launch& l) {
        return l.in_window(c.explore.block) ? c.explore.block : l.window_first;
    }
};

class Source : public Panel {
  public:
    const char* id() const override { return "source"; }
    const char* title() const override { return "Source"; }
    std::string note(const Context& c) const override {
        const auto& trace = c.explore.trace();
        const StrategyInfo* info = trace ? find_strategy(trace->options.strategy) : nullptr;
        return info == nullptr
                   ? std::string()
                   : std::string(source_file(scene::running_line(*trace, c.explore.playback.moment()), info->source));
    }
    void draw(Context& c, scene::Rect area) override {
        if (!c.explore.trace()) {
            return;
        }
        if (paint(c, scene::draw_source(c.view(), area, scroll_), "##source")) {
            scroll_ -= ImGui::GetIO().MouseWheel * c.px(48);
        }
        const auto place = c.explore.playback.place();
        if (place != place_ || c.explore.trace().get() != trace_) { // follow the running line again
            scroll_ = 0;
            place_ = place;
            trace_ = c.explore.trace().get();
        }
    }

  private:
    float scroll_ = 0;
    std::uint32_t place_ = 0;
    const Trace* trace_ = nullptr;
};
} // namespace

void zoom_tree(scene::Camera& camera, const scene::Rect& area, scene::Point fixed, float steps) {
    scene::zoom_about(camera, area, fixed, std::pow(1.2F, steps), 1.0F, 128.0F);
    if (camera.zoom == 1.0F) {
        camera.pan_x = camera.pan_y = 0;
    }
}

std::unique_ptr<Panel> make_tree() { return std::make_unique<Tree>(); }
std::unique_ptr<Panel> make_warps() { return std::make_unique<Warps>(); }
std::unique_ptr<Panel> make_source() { return std::make_unique<Source>(); }

} // namespace warptree::panels
