// The views of the trace as panels; the banks have a file of their own.
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/explore/panels/tree_bar.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/views/tree/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

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
        if (!c.explore.trace()) {
            return c.explore.error.empty() ? "" : "nothing has run yet";
        }
        if (l == nullptr) {
            return "the host combines the partial results";
        }
        const bool known = c.explore.hidden_from == kNone; // how many blocks may be the question
        return fmt::format("{} block{}{} traced; wheel zooms, drag pans, F fits", l->window_count,
                           l->window_count == 1 ? "" : "s", known ? fmt::format(" of {}", l->grid) : "");
    }
    void draw(Context& c, scene::Rect area) override {
        if (!c.explore.trace()) {
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
        scene::Drawing drawing = scene::draw_tree(c.view(), area, c.explore.camera);
        if (walk(c, area, drawing)) {
            drawing = scene::draw_tree(c.view(), area, c.explore.camera);
        }
        const bool on = paint(c, drawing, "##tree");
        if (c.explore.walked && c.explore.pointed.kind == scene::Target::Kind::none) {
            say_where(c, drawing, c.explore.selected);
        }
        if (on) {
            const ImGuiIO& io = ImGui::GetIO();
            if (io.MouseWheel != 0) {
                zoom_tree(c.explore, area, {io.MousePos.x, io.MousePos.y}, io.MouseWheel);
            }
            if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
                c.explore.move_camera(io.MouseDelta.x, io.MouseDelta.y);
            }
            go_where_double_clicked(c);
        }
    }

  private:
    // Into a bar or a block, or from a cell to all of its warp.
    static void go_where_double_clicked(Context& c) {
        using Kind = scene::Target::Kind;
        const scene::Target& on = c.explore.pointed;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && on.kind != Kind::none && on.kind != Kind::step &&
            on.kind != Kind::launch) {
            c.explore.selected = {};
            c.explore.select(on);
            c.explore.frame = on.kind == Kind::block ? scene::Frame::block : scene::Frame::warp;
        }
    }

    // As many whole sentences as `lines` lines of `width` hold.
    static std::string beginning(std::string text, float width, float lines) {
        const float most = ImGui::GetTextLineHeight() * (lines + 0.5F);
        while (!text.empty() && ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y > most) {
            const auto end = text.size() < 2 ? std::string::npos : text.rfind(". ", text.size() - 2);
            text.resize(end == std::string::npos ? 0 : end + 1);
        }
        return text;
    }

    // As many words as `width` holds are taken from the front of `text`.
    static std::string take_words(std::string& text, float width) {
        std::size_t end = 0;
        for (std::size_t at = text.find(' ');; at = text.find(' ', at + 1)) {
            const std::size_t next = std::min(at, text.size());
            if (ImGui::CalcTextSize(text.c_str(), text.c_str() + next).x > width) {
                break;
            }
            end = next;
            if (at == std::string::npos) {
                break;
            }
        }
        std::string taken = text.substr(0, end);
        text.erase(0, std::min(end + 1, text.size()));
        return taken;
    }

    // The lines of a text whose first line has less room.
    static std::vector<std::string> broken(std::string text, float first, float width) {
        std::vector<std::string> lines{take_words(text, first)};
        while (!text.empty()) {
            lines.push_back(take_words(text, width));
            if (lines.back().empty()) { // a word that is too long
                lines.pop_back();
                break;
            }
        }
        return lines;
    }

    // The strategy's title, lesson and successor; returns the height used.
    static float introduce(const Context& c, const scene::Rect& area) {
        const StrategyInfo* info = find_strategy(c.explore.trace()->options.strategy);
        const float line = ImGui::GetTextLineHeight();
        if (info == nullptr || area.h < c.px(140)) {
            return 0;
        }
        ImGui::PushFont(c.fonts.bold());
        const std::string title =
            scene::fitted(c.fonts, std::string(info->title), scene::Face::sans_bold, 15 * c.fonts.scale(), area.w);
        const float wide = ImGui::CalcTextSize(title.c_str()).x;
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::TextUnformatted(title.c_str());
        ImGui::PopFont();
        // Rows that are many leave room for one sentence, which begins behind the title.
        const Launch* l = launch_of(c);
        const float few = l == nullptr ? 0.0F : c.px(16) * static_cast<float>(l->steps.size());
        const bool low = area.h < c.px(170) + few;
        std::string text(info->lesson);
        float y = area.y, used = wide; // of the last line
        if (low) {
            text.resize(std::min(text.size(), text.find(". ") + 1));
            const float start = wide + c.px(10);
            std::vector<std::string> lines = broken(text, area.w - start, area.w);
            const bool many = lines.size() > 3;
            if (many) {
                ImGui::PushFont(c.fonts.font(scene::Face::sans, 12.5F * c.fonts.scale()));
                lines = broken(text, area.w - start, area.w);
            }
            for (std::size_t i = 0; i < lines.size(); ++i) {
                y += i == 0 ? 0 : i == 1 ? line : ImGui::GetTextLineHeight();
                ImGui::SetCursorScreenPos({area.x + (i == 0 ? start : 0), y});
                ImGui::TextUnformatted(lines[i].c_str());
                used = (i == 0 ? start : 0) + ImGui::CalcTextSize(lines[i].c_str()).x;
            }
            if (many) {
                ImGui::PopFont();
            }
        }
        if (const StrategyInfo* next = following(*info)) {
            std::string words = fmt::format("]  next: {}", next->title);
            const auto fits = [&] { return used + ImGui::CalcTextSize(words.c_str()).x + c.px(20) < area.w; };
            for (const std::string& shorter : {fmt::format("]  next: {}", next->id), fmt::format("]  {}", next->id)}) {
                words = fits() ? words : shorter;
            }
            if (!fits()) { // on a line of its own
                used = 0;
                y += line;
                words = fmt::format("]  next: {}", next->title);
            }
            if (fits()) {
                ImGui::SetCursorScreenPos({area.right() - ImGui::CalcTextSize(words.c_str()).x, y});
                ImGui::TextDisabled("%s", words.c_str());
            }
        }
        if (low) {
            return y - area.y + line + c.px(6);
        }
        text = beginning(std::move(text), area.w, area.h < c.px(420) ? 2.0F : 3.0F);
        float height = y - area.y + line + c.px(4);
        if (!text.empty()) {
            ImGui::SetCursorScreenPos({area.x, area.y + height});
            ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + area.w);
            ImGui::TextUnformatted(text.c_str());
            ImGui::PopTextWrapPos();
            height += ImGui::CalcTextSize(text.c_str(), nullptr, false, area.w).y;
        }
        return height + c.px(6);
    }

    // The next of its family, as "]" goes to it.
    static const StrategyInfo* following(const StrategyInfo& info) {
        const auto all = strategies();
        const auto at = std::find_if(all.begin(), all.end(), [&](const StrategyInfo& s) { return s.id == info.id; });
        const auto next = at == all.end() ? all.end() : std::next(at);
        return next == all.end() || next->family != info.family ? nullptr : &*next;
    }

    // Performs the steps requested by keys. True: the selection, or the camera that follows it, changed.
    static bool walk(Context& c, const scene::Rect& area, const scene::Drawing& drawing) {
        session::Explore& e = c.explore;
        const auto steps = std::exchange(e.walk, {});
        const auto is_cell = [](const scene::Hit& h) { return h.target.kind == scene::Target::Kind::node; };
        // A zoomed camera may have moved every cell out of sight.
        const bool cells = e.selected.kind == scene::Target::Kind::node
                               ? scene::place_in_tree(c.view(), area, e.camera, e.selected).has_value()
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
            scene::reveal(c.view(), area, e.camera, e.selected);
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
        ImGui::SetNextWindowPos({x, y}); // below: what it came from lies above
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
            ImGui::TextDisabled(l == nullptr ? "Nothing ran." : "No block is traced in full; see window.");
            return;
        }
        const scene::Drawing drawing = scene::draw_warps(c.view(), area, shown(c, *l));
        lanes_ = std::any_of(drawing.hits.begin(), drawing.hits.end(),
                             [](const scene::Hit& h) { return h.target.kind == scene::Target::Kind::thread; });
        paint(c, drawing, "##warps");
    }

  private:
    bool lanes_ = true; // each thread has a column of its own, as drawn last
    // While the host combines, the launch before it.
    static const Launch* last_ran(const Context& c) {
        return c.explore.trace() ? scene::shown_launch(*c.explore.trace(), c.explore.playback.moment()) : nullptr;
    }
    static std::uint32_t shown(const Context& c, const Launch& l) {
        return l.in_window(c.explore.block) ? c.explore.block : l.window_first;
    }
};
} // namespace

void zoom_tree(session::Explore& e, const scene::Rect& area, scene::Point fixed, float steps) {
    const float most = std::max(128.0F, e.camera.zoom); // a frame may be closer
    scene::zoom_about(e.camera, area, fixed, std::pow(1.2F, steps), 1.0F, most);
    e.frame = scene::Frame::free;
    if (e.camera.zoom == 1.0F) {
        e.camera = {};
        e.frame = scene::Frame::all;
    }
}

std::unique_ptr<Panel> make_tree() { return std::make_unique<Tree>(); }
std::unique_ptr<Panel> make_warps() { return std::make_unique<Warps>(); }

} // namespace warptree::panels
