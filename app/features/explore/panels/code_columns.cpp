#include "app/features/explore/panels/code_columns.hpp"

#include "app/features/explore/panels/canvas.hpp"
#include "app/features/explore/panels/printed.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/running.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace warptree::panels {

namespace {
using scene::CodeColumn;
using scene::CodePlace;
constexpr const char* kCodeKeyboard = "code"; // the keyboard's name for the listings, as opposed to the source

// A button that stays lit; returns its right edge.
float language_toggle(Context& c, float x, const scene::Rect& bar, const char* text, bool lit, const char* tip,
                      bool* pressed) {
    const float w = ImGui::CalcTextSize(text).x + c.px(16);
    ImGui::SetCursorScreenPos({x, bar.y});
    ImGui::PushStyleColor(ImGuiCol_Button, u32(lit ? c.theme.accent_fill : c.theme.background));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {c.px(6), 0});
    *pressed = ImGui::Button(text, {w, bar.h});
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) {
        pages::tooltip(c, tip);
    }
    c.placed(std::string("code-") + text, {x, bar.y, w, bar.h});
    return x + w;
}

// Selects or deselects a line; arrows continue from it.
void choose_line(Context& c, CodePlace place) {
    auto& at = c.explore.code.at;
    const bool had = at == place;
    at = had ? std::nullopt : std::optional(place);
    if (had) {
        c.keyboard.release();
    } else {
        c.keyboard.give(kCodeKeyboard);
    }
}

// Of a program, the kernel of the launch that is shown; else empty.
std::string kernel_of_launch(const session::Explore& e) {
    const Launch* const launch = e.on_program() ? scene::shown_launch(*e.trace(), e.playback.moment()) : nullptr;
    return launch == nullptr ? "" : launch->kernel;
}

void tell_in(Context& c, const scene::Rect& area, const std::string& text) {
    ImGui::SetCursorScreenPos({area.x + c.px(4), area.y + c.px(4)});
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + area.w - c.px(8));
    ImGui::PushStyleColor(ImGuiCol_Text, u32(c.theme.muted));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
}
} // namespace

scene::Rect CodeColumns::choose(Context& c, scene::Rect area) {
    const float tall = ImGui::GetTextLineHeight() + c.px(4);
    if (area.h < 6 * tall || area.w < c.px(150)) {
        return area;
    }
    session::CodeView& view = c.explore.code;
    const scene::Rect bar{area.x, area.bottom() - tall, area.w, tall};
    bool pressed = false;
    float x = language_toggle(c, bar.x, bar, "PTX", view.ptx, "the compiler's code beside the kernel (X)", &pressed);
    view.ptx ^= pressed;
    x = language_toggle(c, x + c.px(4), bar, "SASS", view.sass, "the GPU's machine code beside the kernel (X)",
                        &pressed);
    view.sass ^= pressed;
    if (!printed_of(c.explore).empty()) {
        x = language_toggle(c, x + c.px(4), bar, "Printed", c.explore.printed, "what was printed, below the source",
                            &pressed);
        c.explore.printed ^= pressed;
    }
    const std::string said = !view.any() ? "" : c.explore.code_reader.busy() ? "compiling" : refused_;
    ImGui::GetWindowDrawList()->AddText({x + c.px(8), bar.y + c.px(2)}, u32(c.theme.muted), said.c_str());
    if (!said.empty() && said == refused_) {
        c.placed("code-refused", {x + c.px(8), bar.y, area.right() - x - c.px(8), bar.h});
    } else if (view.any() && said.empty()) {
        // The longest that there is room for.
        for (const char* note :
             {"as compiled; steps count loads and stores as written", "steps count accesses as written"}) {
            if (const float w = ImGui::CalcTextSize(note).x; x + c.px(8) + w <= area.right()) {
                ImGui::GetWindowDrawList()->AddText({x + c.px(8), bar.y + c.px(2)}, u32(c.theme.muted), note);
                c.placed("code-note", {x + c.px(8), bar.y, w, bar.h});
                break;
            }
        }
    }
    return {area.x, area.y, area.w, area.h - tall - c.px(4)};
}

scene::Rect CodeColumns::draw(Context& c, scene::Rect area) {
    session::Explore& e = c.explore;
    pointed_ = std::exchange(next_pointed_, std::nullopt);
    const session::CodeView view = e.code;
    if (!view.any()) {
        lit_ = {};
        shown_source_ = kNone;
        code_ = nullptr;
        by_.reset();
        if (c.keyboard.on(kCodeKeyboard)) {
            c.keyboard.release();
        }
        return area;
    }
    if (trace_ != e.trace().get()) {
        trace_ = e.trace().get();
        source_ = scene::source_rows(*trace_);
        by_.reset();
    }
    const code::Disassembly* code = e.code_reader.of(e.trace(), kernel_of_launch(e));
    if (code != code_) {
        code_ = code;
        by_.reset();
        scroll_ = {};
    }
    // Side by side if each has room for about fifty characters, else one below the other.
    std::vector<CodeColumn> shown;
    for (const CodeColumn column : {CodeColumn::ptx, CodeColumn::sass}) {
        if (view.shows(column)) {
            shown.push_back(column);
        }
    }
    const auto parts = static_cast<float>(shown.size() + 1);
    const float gap = c.px(8);
    const bool beside = (area.w - gap * (parts - 1)) / parts >= c.px(360);
    const float extent = ((beside ? area.w : area.h) - gap * (parts - 1)) / parts;
    const auto part = [&](std::size_t i) {
        const float at = static_cast<float>(i) * (extent + gap);
        return beside ? scene::Rect{area.x + at, area.y, extent, area.h}
                      : scene::Rect{area.x, area.y + at, area.w, extent};
    };
    if (code == nullptr) {
        const scene::Rect& first = part(1);
        tell_in(c, first, e.code_reader.busy() ? "compiling" : e.code_reader.problem());
        return part(0);
    }
    refuse_what_is_not_there(c, *code);
    if (c.keyboard.on(kCodeKeyboard)) {
        keys(c, *code);
    }
    light(c, *code);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        column(c, part(i + 1), shown[i], *code);
    }
    c.keyboard.end_frame(kCodeKeyboard);
    return part(0);
}

std::size_t CodeColumns::rows(CodeColumn which, const code::Disassembly& code) const {
    return which == CodeColumn::cuda
               ? source_.size()
               : code.of(which == CodeColumn::ptx ? code::Language::ptx : code::Language::sass).lines.size();
}

void CodeColumns::refuse_what_is_not_there(Context& c, const code::Disassembly& code) {
    std::optional<CodePlace>& at = c.explore.code.at;
    if (!at) {
        return;
    }
    refused_.clear();
    const std::size_t count = rows(at->column, code);
    if (at->row >= count) {
        const std::array names{"the source", "PTX", "SASS"};
        refused_ =
            fmt::format("no line {} in {}: it has {}", at->row, names[static_cast<std::size_t>(at->column)], count);
        at.reset(); // the running line is lit
    }
}

// Highlights the counterparts of the line under the pointer, else of the chosen one, else of the running one.
void CodeColumns::light(Context& c, const code::Disassembly& code) {
    session::Explore& e = c.explore;
    const std::uint32_t running =
        scene::row_of(source_, *e.trace(), scene::running_line(*e.trace(), e.playback.moment()));
    std::optional<CodePlace> by = pointed_ ? pointed_ : e.code.at;
    if (!by && running != kNone) {
        by = CodePlace{CodeColumn::cuda, running};
    }
    if (by == by_) {
        return;
    }
    by_ = by;
    lit_ = by ? scene::lit_by(source_, code, *by) : scene::LitLines{};
    for (std::size_t k = 0; k < scene::kCodeColumns; ++k) {
        follow_[k] = by && (static_cast<std::size_t>(by->column) != k || !pointed_) && !lit_.rows[k].empty();
    }
    const auto& source = lit_.of(CodeColumn::cuda);
    if (by && by->column != CodeColumn::cuda && !source.empty()) {
        // The first is the kernel's own line; the others are in the functions that it calls.
        shown_source_ = source.front();
    } else if (!pointed_) {
        shown_source_ = e.code.at && e.code.at->column == CodeColumn::cuda ? e.code.at->row : kNone;
    }
}

void CodeColumns::column(Context& c, scene::Rect area, CodeColumn which, const code::Disassembly& code) {
    session::Explore& e = c.explore;
    const auto language = which == CodeColumn::ptx ? code::Language::ptx : code::Language::sass;
    const code::Listing& listing = code.of(language);
    const std::string name(code::name(language));
    c.placed("code-" + std::string(which == CodeColumn::ptx ? "column-ptx" : "column-sass"), area);
    if (listing.empty()) {
        tell_in(c, area, name + ": " + (which == CodeColumn::ptx ? code.ptx_missing : code.sass_missing));
        return;
    }
    float& scroll = scroll_[static_cast<std::size_t>(which)];
    const std::string what = code.what.empty() ? "" : ", recorded: " + code.what;
    const std::string kernel = kernel_of_launch(e);
    const std::string heading = fmt::format("{}{}, {}, {}{}", name, kernel.empty() ? "" : " of " + kernel,
                                            code.architecture, listing.compiler, what);
    const std::vector<std::uint32_t>& lit = lit_.of(which);
    std::optional<std::uint32_t> chosen;
    if (e.code.at && e.code.at->column == which) {
        chosen = e.code.at->row;
    }
    const auto drawn = [&] {
        return scene::draw_listing(c.theme, c.fonts, c.px(1), area, listing, heading, lit, chosen, scroll);
    };
    scene::ListingDrawing made = drawn();
    const std::uint32_t wanted = chosen ? *chosen : lit.empty() ? kNone : lit.front();
    bool& follow = follow_[static_cast<std::size_t>(which)];
    if (std::exchange(follow, false) && wanted < made.rows.size()) {
        const scene::Rect& row = made.rows[wanted];
        const float top = area.y + 2 * row.h;
        if (row.y < top || row.bottom() > area.bottom()) {
            const float offset = std::clamp(scroll, 0.0F, made.furthest);
            const float to = offset + row.y - (area.y + area.h * 0.3F);
            scroll = std::clamp(std::round(to / row.h) * row.h, 0.0F, made.furthest);
            made = drawn();
        }
    }
    const std::string item = "##" + name;
    if (paint(c, made.drawing, item.c_str())) {
        const ImGuiIO& io = ImGui::GetIO();
        scroll = std::clamp(scroll - io.MouseWheel * c.px(48), 0.0F, made.furthest);
        if (const auto row = made.at({io.MousePos.x, io.MousePos.y})) {
            next_pointed_ = CodePlace{which, *row};
            if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
                choose_line(c, *next_pointed_);
            }
        }
    }
    if (c.keyboard.on(kCodeKeyboard) && e.code.at && e.code.at->column == which) {
        ImGui::GetWindowDrawList()->AddRect({area.x, area.y}, {area.right(), area.bottom()}, u32(c.theme.accent),
                                            c.px(4), 0, c.px(1));
    }
}

void CodeColumns::keys(Context& c, const code::Disassembly& code) {
    session::Explore& e = c.explore;
    Keyboard& k = c.keyboard;
    const auto begin = [&](CodeColumn column) { // its first highlighted line, else its first line
        const auto& lit = lit_.of(column);
        return CodePlace{column, lit.empty() ? 0 : lit.front()};
    };
    std::vector<CodeColumn> shown{CodeColumn::cuda};
    for (const CodeColumn column : {CodeColumn::ptx, CodeColumn::sass}) {
        if (e.code.shows(column) && rows(column, code) != 0) {
            shown.push_back(column);
        }
    }
    if (!e.code.at || std::find(shown.begin(), shown.end(), e.code.at->column) == shown.end()) {
        e.code.at = begin(CodeColumn::cuda);
    }
    const auto here = [&] { return std::find(shown.begin(), shown.end(), e.code.at->column) - shown.begin(); };
    const auto go = [&](int by) {
        CodePlace& at = *e.code.at;
        const auto count = static_cast<std::int64_t>(rows(at.column, code));
        std::int64_t next = std::int64_t{at.row} + by;
        while (at.column == CodeColumn::cuda && next >= 0 && next < count &&
               source_[static_cast<std::size_t>(next)].line == 0) { // a heading with a file's name
            next += by;
        }
        if (next >= 0 && next < count) {
            at.row = static_cast<std::uint32_t>(next);
        }
    };
    while (k.take(PanelKey::up)) {
        go(-1);
    }
    while (k.take(PanelKey::down)) {
        go(1);
    }
    const auto turn = [&](int by) {
        const auto to = here() + by;
        if (to >= 0 && to < std::ssize(shown)) {
            e.code.at = begin(shown[static_cast<std::size_t>(to)]);
        }
    };
    if (k.take(PanelKey::left)) {
        turn(-1);
    }
    if (k.take(PanelKey::right)) {
        turn(1);
    }
    if (k.take(PanelKey::enter)) {
        e.code.at.reset(); // the running line again
        k.done();
    }
    const int away = k.take(PanelKey::next) ? 1 : k.take(PanelKey::previous) ? -1 : 0;
    if (away != 0) {
        k.leave(away);
    }
}

std::uint32_t CodeColumns::chosen_source(const Context& c) const {
    const auto& at = c.explore.code.at;
    return c.explore.code.any() && at && at->column == CodeColumn::cuda ? at->row : kNone;
}

void CodeColumns::point_at_source(Context& c, std::uint32_t row, bool pressed) {
    if (!c.explore.code.any() || row >= source_.size() || source_[row].line == 0) {
        return;
    }
    next_pointed_ = CodePlace{CodeColumn::cuda, row};
    if (pressed) {
        choose_line(c, *next_pointed_);
    }
}

} // namespace warptree::panels
