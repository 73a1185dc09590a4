// The views of the trace as panels; except the banks, which are in banks.cpp.
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/explore/panels/introduction.hpp"
#include "app/features/explore/panels/tree_bar.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/trace/explain/origin.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warptree::panels {

namespace {
const Launch* launch_of(const Context& c) {
    const auto& trace = c.explore.trace();
    const std::uint32_t launch = c.explore.playback.moment().launch;
    return trace && launch < trace->launches.size() ? &trace->launches[launch] : nullptr;
}

// ", reads results of launches 1 and 2", as far as some of its leaves tell; empty: of none.
std::string read_from(const Trace& trace, std::uint32_t launch) {
    std::vector<const Node*> leaves;
    for (const Node& n : trace.launches[launch].nodes) {
        if (n.kind == NodeKind::leaf) {
            leaves.push_back(&n);
        }
    }
    constexpr std::size_t kEnough = 64; // of each of which all earlier stores are searched
    std::set<std::uint32_t> launches;
    for (std::size_t i = 0; i < leaves.size(); i += std::max<std::size_t>(1, leaves.size() / kEnough)) {
        const auto origin = origin_of(trace, launch, leaves[i]->allocation, leaves[i]->element());
        if (origin && origin->launch != kNone) {
            launches.insert(origin->launch + 1);
        }
    }
    return launches.empty() ? std::string()
                            : fmt::format(", reads results of launch{} {}", launches.size() == 1 ? "" : "es",
                                          fmt::join(launches, " and "));
}

class Tree : public Panel {
  public:
    const char* id() const override { return "tree"; }
    const char* title() const override { return "Tree"; }
    std::string note(const Context& c) const override {
        const Launch* l = launch_of(c);
        if (!c.explore.trace() || c.explore.of_another()) {
            return c.explore.error.empty() ? "" : "nothing has run yet";
        }
        if (c.explore.dimmed() && c.explore.stale()) {
            return c.explore.diagnostics.empty() ? "of the run before"
                                                 : "of the text before, as this one does not compile";
        }
        if (l == nullptr && c.explore.on_program()) {
            return "no kernel ran";
        }
        if (l == nullptr) {
            return "the host combines the partial results";
        }
        if (c.explore.on_program()) {
            return program_note(c, *l);
        }
        const bool known = c.explore.hidden_from == kNone; // how many blocks may be the question
        return fmt::format("{} block{}{} traced; wheel zooms, drag pans, F fits", l->window_count,
                           l->window_count == 1 ? "" : "s", known ? fmt::format(" of {}", l->grid) : "");
    }
    void draw(Context& c, scene::Rect area) override {
        if (!c.explore.trace() || c.explore.of_another()) {
            say(area, c.explore.diagnostics.empty() ? c.explore.error
                                                    : "It does not compile: the reasons are below its text.");
            return;
        }
        if (c.explore.trace()->launches.empty()) {
            say(area, scene::summarize(*c.explore.trace(), c.explore.playback.moment()).sentence);
            return;
        }
        const float above = introduce(c, area);
        area.y += above;
        area.h -= above;
        const float below = TreeBar::height(c, area);
        const scene::Rect bar{area.x, area.bottom() - below, area.w, below};
        area.h -= below;
        bar_.fly(c, area);
        if (below > 0) {
            bar_.draw(c, area, bar);
        }
        scene::Drawing drawing = scene::draw_tree(view_of(c), area, c.explore.camera);
        if (walk(c, area, drawing)) {
            drawing = scene::draw_tree(view_of(c), area, c.explore.camera);
        }
        if (const Launch* l = launch_of(c); l != nullptr && l->nodes.empty() && l->window_count != 0) {
            say(area,
                std::string(c.explore.trace()->completed()
                                ? "This kernel stores nothing that it has loaded or combined"
                                : "The run ended before anything was combined, or stored of what was loaded") +
                    ", so there are no values to follow; Warps and the panel beside it show what its threads do.");
            return;
        }
        const bool on = paint(c, drawing, "##tree");
        if (c.explore.walked && c.explore.pointed.kind == scene::Target::Kind::none) {
            say_where(c, drawing, c.explore.selected);
        }
        if (on) {
            const ImGuiIO& io = ImGui::GetIO();
            if (io.MouseWheel != 0) {
                const scene::ViewContext context = view_of(c);
                zoom_tree(c.explore, area, {io.MousePos.x, io.MousePos.y}, io.MouseWheel, &context);
            }
            if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
                c.explore.move_camera(io.MouseDelta.x, io.MouseDelta.y);
            }
            go_where_double_clicked(c);
        }
    }

  private:
    // Of a program: which launch, and whose results it reads.
    std::string program_note(const Context& c, const Launch& l) const {
        const std::shared_ptr<const Trace> trace = c.explore.trace();
        const std::uint32_t launch = c.explore.playback.moment().launch;
        if (read_of_.lock() != trace || read_by_ != launch) {
            read_of_ = trace;
            read_by_ = launch;
            read_from_ = read_from(*trace, launch);
        }
        return fmt::format("launch {} of {}{}, {} of {} traced", launch + 1, trace->launches.size(), read_from_,
                           l.window_count, scene::plural(l.grid, "block"));
    }

    mutable std::weak_ptr<const Trace> read_of_; // of read_from_
    mutable std::uint32_t read_by_ = kNone;
    mutable std::string read_from_;
    // In place of a tree.
    static void say(const scene::Rect& area, const std::string& text) {
        ImGui::SetCursorScreenPos({area.x, area.y + area.h / 3});
        ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + area.w);
        ImGui::TextDisabled("%s", text.c_str());
        ImGui::PopTextWrapPos();
    }

    // Zooms to a block, or to the warp of a bar or cell.
    static void go_where_double_clicked(Context& c) {
        using Kind = scene::Target::Kind;
        const scene::Target& on = c.explore.pointed;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && on.kind != Kind::none && on.kind != Kind::step &&
            on.kind != Kind::launch) {
            if (c.explore.go_to_origin(on)) {
                return;
            }
            c.explore.selected = {};
            c.explore.select(on);
            c.explore.frame = on.kind == Kind::block ? scene::Frame::block : scene::Frame::warp;
        }
    }

    // Performs the moves requested by keys. True: the selection, or the camera that follows it, changed.
    static bool walk(Context& c, const scene::Rect& area, const scene::Drawing& drawing) {
        session::Explore& e = c.explore;
        const auto steps = std::exchange(e.walk, {});
        const auto is_cell = [](const scene::Hit& h) { return h.target.kind == scene::Target::Kind::node; };
        // A zoomed camera may have moved every cell out of sight.
        const bool cells = e.selected.kind == scene::Target::Kind::node
                               ? scene::place_in_tree(view_of(c), area, e.camera, e.selected).has_value()
                               : std::any_of(drawing.hits.begin(), drawing.hits.end(), is_cell);
        const scene::Target before = e.selected;
        for (const scene::Way way : steps) {
            const session::Moment& m = e.playback.moment();
            const scene::Target to = cells ? scene::walk_cells(*e.trace(), m, e.selected, e.block, way)
                                           : scene::walk_drawing(drawing, m, e.selected, way);
            if (to != e.selected && to.kind != scene::Target::Kind::none) {
                e.select(to);
            }
            e.walked = true;
        }
        if (const scene::Camera before_that = e.camera; !steps.empty() && !e.flying) {
            scene::reveal(view_of(c), area, e.camera, e.selected);
            e.frame = e.camera == before_that ? e.frame : scene::Frame::free;
        }
        return !steps.empty() && e.selected != before;
    }

    // A tooltip beside a target selected by keys.
    static void say_where(const Context& c, const scene::Drawing& drawing, const scene::Target& target) {
        const auto hit = std::find_if(drawing.hits.begin(), drawing.hits.end(),
                                      [&](const scene::Hit& h) { return h.target == target; });
        const std::string text = hit == drawing.hits.end() ? std::string() : describe(*c.explore.trace(), target);
        if (text.empty()) {
            return;
        }
        const ImVec2 size = ImGui::CalcTextSize(text.c_str()), pad = ImGui::GetStyle().WindowPadding;
        const ImVec2 display = ImGui::GetIO().DisplaySize;
        const float w = size.x + 2 * pad.x, h = size.y + 2 * pad.y, gap = c.px(10);
        const bool right = hit->rect.right() + gap + w < display.x;
        const float x = right ? hit->rect.right() + gap : std::max(0.0F, hit->rect.x - gap - w);
        const float y = std::clamp(hit->rect.bottom() + gap, 0.0F, std::max(0.0F, display.y - h));
        ImGui::SetNextWindowPos({x, y}); // below: its operands are above
        ImGui::Begin("##where", nullptr,
                     ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoTitleBar |
                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                         ImGuiWindowFlags_NoNav);
        ImGui::TextUnformatted(text.c_str());
        ImGui::End();
    }

    TreeBar bar_;
};

class Warps : public Panel {
  public:
    const char* id() const override { return "warps"; }
    const char* title() const override { return "Warps"; }
    std::string note(const Context& c) const override {
        const Launch* l = last_ran(c);
        return l == nullptr              ? ""
               : launch_of(c) == nullptr ? "the host has no warps; these have ended"
               : lanes_ ? fmt::format("block {}, one column per thread, one row per step", shown(c, *l))
                        : fmt::format("block {}, stripes: the pattern of a warp, one row per step", shown(c, *l));
    }
    void draw(Context& c, scene::Rect area) override {
        const Launch* l = last_ran(c);
        if (l == nullptr || l->window_count == 0) {
            ImGui::TextDisabled(l == nullptr ? "Nothing ran." : "No block is traced in full; see \"blocks traced\".");
            return;
        }
        const scene::Drawing drawing = scene::draw_warps(view_of(c), area, shown(c, *l));
        lanes_ = std::any_of(drawing.hits.begin(), drawing.hits.end(),
                             [](const scene::Hit& h) { return h.target.kind == scene::Target::Kind::thread; });
        paint(c, drawing, "##warps");
    }

  private:
    bool lanes_ = true; // each thread has a column of its own, as last drawn
    // While the host combines, the last launch.
    static const Launch* last_ran(const Context& c) {
        return c.explore.trace() ? scene::shown_launch(*c.explore.trace(), c.explore.playback.moment()) : nullptr;
    }
    static std::uint32_t shown(const Context& c, const Launch& l) {
        return l.in_window(c.explore.block) ? c.explore.block : l.window_first;
    }
};
} // namespace

void zoom_tree(session::Explore& e, const scene::Rect& area, scene::Point fixed, float steps,
               const scene::ViewContext* context) {
    const float most = std::max(128.0F, e.camera.zoom); // a frame may be closer
    if (context != nullptr) {
        scene::zoom_tree_about(*context, e.camera, area, fixed, std::pow(1.2F, steps), most);
    } else {
        scene::zoom_about(e.camera, area, fixed, std::pow(1.2F, steps), 1.0F, most);
    }
    e.frame = scene::Frame::free;
    if (e.camera.zoom == 1.0F) {
        e.camera = {};
        e.frame = scene::Frame::all;
    }
}

std::unique_ptr<Panel> make_tree() { return std::make_unique<Tree>(); }
std::unique_ptr<Panel> make_warps() { return std::make_unique<Warps>(); }

} // namespace warptree::panels
