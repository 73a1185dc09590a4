// The four views of the trace as panels.
#include "app/panels/canvas.hpp"

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

void zoom_at(scene::Camera& camera, const scene::Rect& area, float wheel, ImVec2 mouse) {
    scene::zoom_about(camera, area, {mouse.x, mouse.y}, std::pow(1.2F, wheel), 1.0F, 128.0F);
    if (camera.zoom == 1.0F) {
        camera.pan_x = camera.pan_y = 0;
    }
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
                zoom_at(c.explore.camera, area, io.MouseWheel, io.MousePos);
            }
            if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
                c.explore.camera.pan_x += io.MouseDelta.x;
                c.explore.camera.pan_y += io.MouseDelta.y;
            }
            using Kind = scene::Target::Kind;
            const scene::Target& t = c.explore.hover;
            if (t.kind != Kind::none && launch_of(c) != nullptr && launch_of(c)->in_window(t.block) &&
                ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
                c.explore.block = t.block;
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

class Banks : public Panel {
  public:
    const char* id() const override { return "banks"; }
    const char* title() const override { return "Banks"; }
    std::string note(const Context& c) const override {
        const Launch* l = launch_of(c);
        if (l == nullptr) {
            return {};
        }
        const std::uint32_t i = request(c);
        if (i >= l->requests.size()) {
            return {};
        }
        const Request& r = l->requests[i];
        return fmt::format("block {}, warp {}, {}", r.block, r.warp,
                           r.kind == AccessKind::shared_load ? "load" : "store");
    }
    void draw(Context& c, scene::Rect area) override {
        if (launch_of(c) == nullptr) {
            ImGui::TextDisabled("The host uses no shared memory.");
            return;
        }
        paint(c, scene::draw_banks(c.view(), area, request(c)), "##banks");
    }

  private:
    // Of the warp under the pointer or kept by a click, else of the block shown.
    static std::uint32_t request(const Context& c) {
        using Kind = scene::Target::Kind;
        scene::Target preferred = c.explore.selected.kind != Kind::none ? c.explore.selected : c.explore.hover;
        if (preferred.kind == Kind::none) {
            preferred = {Kind::warp, c.explore.playback.moment().launch, c.explore.block, 0};
        }
        return scene::default_request(*c.explore.trace(), c.explore.playback.moment(), preferred);
    }
};

class Source : public Panel {
  public:
    const char* id() const override { return "source"; }
    const char* title() const override { return "Source"; }
    std::string note(const Context& c) const override {
        const auto& trace = c.explore.trace();
        const StrategyInfo* info = trace ? find_strategy(trace->options.strategy) : nullptr;
        return info == nullptr ? std::string() : std::string(info->source);
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

std::unique_ptr<Panel> make_tree() { return std::make_unique<Tree>(); }
std::unique_ptr<Panel> make_warps() { return std::make_unique<Warps>(); }
std::unique_ptr<Panel> make_banks() { return std::make_unique<Banks>(); }
std::unique_ptr<Panel> make_source() { return std::make_unique<Source>(); }

} // namespace warptree::panels
