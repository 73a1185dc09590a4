// The export of what a page shows: as a picture or a movie of a chosen size and theme, or as a table.
#include "app/base/whole_file.hpp"
#include "app/shell/dialogs.hpp"

#include "app/base/error.hpp"
#include "app/features/explore/explore.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/render/movie/animation.hpp"
#include "app/render/movie/movie_file.hpp"
#include "app/render/web/web_page.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warptree::window {

namespace {
constexpr const char* kViews[] = {"tree", "warps", "banks", "source"};
constexpr const char* kSizes[] = {"1280x720", "1920x1080", "3840x2160"};
constexpr float kExportScales[] = {1, 1.25F, 1.5F, 2, 3};

template <class All, class Value> int index_of(const All& all, const Value& value) {
    const auto found = std::find(std::begin(all), std::end(all), value);
    return found == std::end(all) ? -1 : static_cast<int>(found - std::begin(all));
}
} // namespace

const char* Dialogs::view_name() const { return kViews[view_]; }

void Dialogs::show_export(const session::Explore& e, const std::string& given) {
    theme_ = e.looks.theme;
    row_ = 0;
    set_text(given.empty() ? fmt::format("{}-{}.png", shown_stem(e), view_name()) : given);
}

std::string Dialogs::choices() const {
    if (current_ == Dialog::menu) {
        return group_;
    }
    return current_ != Dialog::export_picture
               ? std::string()
               : fmt::format("{} {} {:g} {}", kViews[view_], size_.data(), scale_, scene::name(theme_));
}

// The file's name follows the view.
void Dialogs::turn_view(int view) {
    const std::string before = std::string("-") + kViews[view_] + ".", after = std::string("-") + kViews[view] + ".";
    std::string text = text_.data();
    if (const auto at = text.rfind(before); at != std::string::npos) {
        set_text(text.replace(at, before.size(), after));
    }
    view_ = view;
}

// A row of chips; Tab selects a row and arrow keys change it.
bool Dialogs::draw_choice(panels::Context& c, int row, const char* label, const std::vector<std::string>& names,
                          int chosen, int& next) {
    const int count = static_cast<int>(names.size());
    next = chosen;
    if (row == row_ && moves_ != 0) {
        const int moves = std::exchange(moves_, 0) % count;
        next = chosen < 0 ? (moves > 0 ? 0 : count - 1) : (chosen + moves + count) % count;
    }
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", label);
    ImGui::SameLine(c.px(70));
    for (int i = 0; i < count; ++i) {
        const std::string& name = names[static_cast<std::size_t>(i)];
        const float width = ImGui::CalcTextSize(name.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
        if (i > 0) {
            ImGui::SameLine();
            if (width > ImGui::GetContentRegionAvail().x) {
                ImGui::NewLine();
                ImGui::SetCursorPosX(c.px(70));
            }
        }
        ImGui::PushStyleColor(ImGuiCol_Button,
                              ImGui::GetStyleColorVec4(i == chosen ? ImGuiCol_Header : ImGuiCol_Button));
        if (ImGui::Button((name + "##" + label).c_str())) {
            next = i;
            row_ = row;
        }
        ImGui::PopStyleColor();
        if (row == row_ && i == next) {
            panels::focus_ring(c);
        }
    }
    opened_ = opened_ || next != chosen; // gives the keyboard back to the file name
    return next != chosen;
}

void Dialogs::draw_export(panels::Context& c, const pages::Page& page) {
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    window_size_ = {static_cast<int>(display.x), static_cast<int>(display.y)};
    const bool views = page.picture_name().empty();
    const int first = views ? 1 : 0;
    rows_ = first + 3;
    row_ = ((row_ + std::exchange(sideways_, 0)) % rows_ + rows_) % rows_;
    int next = 0;
    if (views && draw_choice(c, 0, "View", {std::begin(kViews), std::end(kViews)}, view_, next)) {
        turn_view(next);
    }
    const std::string window = fmt::format("{}x{}", window_size_[0], window_size_[1]);
    std::vector<std::string> sizes{std::begin(kSizes), std::end(kSizes)};
    if (index_of(sizes, window) < 0) {
        sizes.push_back(window);
    }
    if (draw_choice(c, first, "Size", sizes, index_of(sizes, std::string(size_.data())), next)) {
        size_.fill(0);
        std::memcpy(size_.data(), sizes[static_cast<std::size_t>(next)].data(),
                    std::min(sizes[static_cast<std::size_t>(next)].size(), size_.size() - 1));
        ++generation_;
    }
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < c.px(124)) {
        ImGui::NewLine();
        ImGui::SetCursorPosX(c.px(70));
    }
    ImGui::TextDisabled("or");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(c.px(92));
    ImGui::InputText(fmt::format("##size{}", generation_).c_str(), size_.data(), size_.size());
    std::vector<std::string> scales;
    for (const float scale : kExportScales) {
        scales.push_back(fmt::format("{:.0f} %", 100 * scale));
    }
    if (draw_choice(c, first + 1, "Text", scales, index_of(kExportScales, scale_), next)) {
        scale_ = kExportScales[next];
    }
    std::vector<std::string> themes;
    for (const scene::ThemeName theme : scene::kThemeNames) {
        themes.emplace_back(scene::name(theme));
    }
    if (draw_choice(c, first + 2, "Theme", themes, index_of(scene::kThemeNames, theme_), next)) {
        theme_ = scene::kThemeNames[static_cast<std::size_t>(next)];
    }
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled),
                       ".png, .svg, .pdf: the picture; %s%s.md, .csv: the table. Tab chooses a row, arrows change it.",
                       views || std::strcmp(page.id(), "compare") == 0 ? ".gif, .webm, .mp4: the run; " : "",
                       views ? ".html: a page that steps through it; " : "");
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, c.px(2)});
}

pages::PictureLook Dialogs::look() const {
    pages::PictureLook look;
    int used = 0;
    if (std::sscanf(size_.data(), "%5dx%5d%n", &look.width, &look.height, &used) != 2 ||
        static_cast<std::size_t>(used) != std::strlen(size_.data()) || look.width < 64 || look.height < 64 ||
        look.width > 16384 || look.height > 16384) {
        throw OptionError(fmt::format(
            "the size '{}' is not usable; take WIDTHxHEIGHT, each 64 to 16384, as in 1280x720", size_.data()));
    }
    look.scale = scale_;
    look.theme = theme_;
    return look;
}

render::Film Dialogs::film(const session::Explore& e, const pages::Page& page, const pages::PictureLook& look,
                           render::Pace& pace) const {
    if (auto film = page.film(look, pace)) {
        return *std::move(film);
    }
    if (!page.picture_name().empty()) {
        throw OptionError("this screen shows no run that a movie could play; take .png, .svg or .pdf");
    }
    pace.steps_per_second = e.playback.speed();
    render::PictureRequest request;
    request.view = *render::view_from(kViews[view_]);
    request.theme = look.theme;
    request.width = look.width;
    request.height = look.height;
    request.scale = look.scale;
    return render::film_of(e.trace(), request, render::frames_of(*e.trace(), pace));
}

void Dialogs::write_export(const session::Explore& e, const pages::Page& page, const std::string& path,
                           std::string& notice) {
    const std::string end = std::filesystem::path(path).extension();
    const bool views = page.picture_name().empty();
    if (end == ".md" || end == ".csv" || end == ".json") {
        const std::string table = page.table(end);
        if (table.empty()) {
            throw OptionError(fmt::format("this screen has no table to write as {}; take .png, .svg or .pdf", end));
        }
        write_whole(path, table);
        notice = "exported " + path;
        return;
    }
    if (views && !e.trace()) {
        throw FileError("there is no trace yet");
    }
    if (end == ".html" || end == ".htm") {
        if (!views) {
            throw OptionError("a page to step through shows a run: go to Explore, or take .png, .svg or .pdf");
        }
        start(path, "exporting", [trace = e.trace(), title = e.shown_name(), path](RunControl& control) {
            render::WebPage page(title);
            page.add_run(*trace, 1, panels::describe, &control);
            write_whole(path, page.html());
        });
        return;
    }
    const pages::PictureLook look = this->look();
    if (render::movie_format(path)) {
        render::Pace pace;
        render::Film film = this->film(e, page, look, pace);
        render::AnimationFile file{film.frames, look.width, look.height, pace.frames_per_second, path, nullptr};
        start(path, "exporting", [this, film = std::move(film), file](RunControl& control) mutable {
            file.control = &control;
            job_wrote_ = render::write_animation(file, film.draw).path.string();
        });
        return;
    }
    render::require_picture_name(path);
    if (views) {
        render::PictureRequest request;
        request.view = *render::view_from(kViews[view_]);
        request.moment = e.playback.moment();
        request.theme = look.theme;
        request.width = look.width;
        request.height = look.height;
        request.scale = look.scale;
        request.frame = e.frame;
        request.block = e.block;
        request.warp = e.warp;
        request.path = path;
        start(path, "exporting", [trace = e.trace(), request](RunControl& control) mutable {
            request.trace = trace.get();
            request.control = &control;
            render::render_picture(request);
        });
        return;
    }
    const render::CairoMeasure measure;
    start(path, "exporting",
          [drawing = page.picture(look, measure), look, path, title = std::string(page.title())](RunControl& control) {
              render::write_drawing([&](const scene::TextMeasure&) { return drawing; },
                                    {look.width, look.height, path, title, &control});
          });
}

} // namespace warptree::window
