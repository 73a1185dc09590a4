// The Timings page: series and conditions at the left, bars, a figure and the table at the right.
#include "app/session/timings.hpp"
#include "app/pages/form.hpp"
#include "app/pages/page.hpp"
#include "app/scene/plot_frame.hpp"
#include "app/session/measure_job.hpp"
#include "app/session/recorded_timings.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/timing.hpp"
#include "kernels/error.hpp"
#include "kernels/strategy.hpp"
#include "kernels/timing/presets.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>

namespace warptree::pages {

namespace {
using session::Timings;
using Field = Timings::Field;
using panels::PanelKey;
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
constexpr std::uint64_t kSeed = 1; // of random input

ImU32 u32(const scene::Color& c) { return IM_COL32(c.r, c.g, c.b, c.a); }

class TimingsPage : public Page {
  public:
    explicit TimingsPage(const Tools& tools) : tools_(tools), timings_(session::recorded_timings()), job_(tools.wake) {}
    const char* id() const override { return "timings"; }
    const char* title() const override { return "Timings"; }
    int digit() const override { return 3; }

    void draw(panels::Context& c, scene::Rect area) override {
        c.keyboard.set_ring({"series", "conditions"});
        const bool narrow = area.w < c.px(640);
        const float gap = c.px(6);
        scene::Rect side{area.x, area.y, 0, 0}, figure = area;
        if (!c.explore.looks.presentation) {
            side = narrow ? scene::Rect{area.x, area.y, area.w, std::min(area.h * 0.34F, c.px(150))}
                          : scene::Rect{area.x, area.y, std::min(c.px(286), area.w * 0.34F), area.h};
            draw_side(c, side);
            figure = narrow ? scene::Rect{area.x, side.bottom(), area.w, area.bottom() - side.bottom()}
                            : scene::Rect{side.right(), area.y, area.right() - side.right(), area.h};
        }
        draw_figure(c, {figure.x + gap, figure.y + gap, figure.w - 2 * gap, figure.h - 2 * gap});
    }

    std::vector<window::Action> actions() override {
        const auto turn = [this](Field f, int by) { return [this, f, by] { change([&] { timings_.turn(f, by); }); }; };
        std::vector<window::Action> all{
            {"timings-next", "Timings: next row", "Down", GLFW_KEY_DOWN, 0,
             [this] { change([&] { timings_.move(1); }); }, ""},
            {"timings-previous", "Timings: previous row", "Up", GLFW_KEY_UP, 0,
             [this] { change([&] { timings_.move(-1); }); }, ""},
            {"timings-explore", "Timings: the row's strategy in Explore", "Enter", GLFW_KEY_ENTER, 0,
             [this] { wants_explore_ = true; }, ""},
            {"timings-show", "Timings: time, bandwidth, % of peak or speed-up", "]", GLFW_KEY_RIGHT_BRACKET, 0,
             turn(Field::show, 1), ""},
            {"timings-show-back", "Timings: the same, backwards", "[", GLFW_KEY_LEFT_BRACKET, 0, turn(Field::show, -1),
             ""},
            {"timings-figure", "Timings: against n, cold and warm, or samples", "G", GLFW_KEY_G, 0,
             turn(Field::figure, 1), ""},
            {"timings-kernels", "Timings: ladder, reductions, scans or others", "K", GLFW_KEY_K, 0,
             turn(Field::kernels, 1), ""},
            {"timings-twice", "Timings: the next larger n", "Page Up", GLFW_KEY_PAGE_UP, 0, turn(Field::elements, 1),
             ""},
            {"timings-half", "Timings: the next smaller n", "Page Down", GLFW_KEY_PAGE_DOWN, 0,
             turn(Field::elements, -1), ""},
            {"timings-front", "Timings: the next part, where one has room", "V", GLFW_KEY_V, 0,
             [this] { change([&] { timings_.front = (timings_.front + 1) % 3; }); }, ""},
            {"timings-series", "Timings: choose the series", "S", GLFW_KEY_S, 0,
             [this] { tools_.give_keyboard("series"); }, ""},
            {"timings-conditions", "Timings: change the conditions", "P", GLFW_KEY_P, 0,
             [this] { tools_.give_keyboard("conditions"); }, ""},
            {"timings-measure", "Timings: measure on this GPU", "M", GLFW_KEY_M, 0, [this] { measure(); }, ""},
            {"timings-copy-json", "Timings: copy the points as JSON", "Ctrl+J", GLFW_KEY_J, window::kControl,
             [this] { copy(".json"); }, ""},
        };
        for (const auto show : scene::kTimingShows) {
            all.push_back({fmt::format("timings-show-{}", name(show)), fmt::format("Timings: show {}", name(show)), "",
                           0, 0, [this, show] { change([&] { timings_.set(Field::show, std::string(name(show))); }); },
                           ""});
        }
        return all;
    }

    bool poll() override {
        auto series = job_.take();
        const auto end = job_.take_end();
        if (series) {
            const std::string name = series->name;
            change([&] {
                timings_.add({std::move(*series)});
                if (timings_.rows().empty()) {
                    timings_.go_to(name);
                }
            });
        }
        said_ = end.value_or(said_);
        return series || end;
    }
    bool dismiss() override {
        const bool busy = job_.busy();
        job_.cancel();
        return busy;
    }

    std::map<std::string, std::string> values() const override { return timings_.values(); }
    void restore(const std::map<std::string, std::string>& values) override {
        change([&] { timings_.restore(values); });
    }

    bool open(const std::string& path) override {
        if (std::filesystem::path(path).extension() != ".json") {
            return false;
        }
        std::vector<timing::Series> all = timing::load_results(path);
        change([&] {
            const std::string first = all.front().name;
            timings_.add(std::move(all));
            if (timings_.rows().empty()) {
                timings_.go_to(first);
            }
        });
        return true;
    }

    std::string picture_name() const override { return "timings.png"; }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        return scene::compose_timings({&scene::theme(look.theme), &measure, look.scale}, static_cast<float>(look.width),
                                      static_cast<float>(look.height), timings_.view());
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        const auto shown = timings_.shown_series();
        return end == ".csv"    ? timing::to_csv(shown, timings_.rows())
               : end == ".md"   ? timing::to_markdown(shown, timings_.rows())
               : end == ".json" ? timing::to_json(timing::shown_points(shown, timings_.rows()))
                                : std::string();
    }

  private:
    // Every change goes through here: what was drawn of the old state is dropped.
    template <class Change> void change(Change make) {
        error_.clear();
        try {
            make();
        } catch (const OptionError& e) {
            error_ = e.what();
        }
        drawn_.reset();
    }

    void copy(const std::string& end) {
        ImGui::SetClipboardText(table(end).c_str());
        said_ = fmt::format("Copied {} rows as {}.", timings_.rows().size(),
                            end == ".csv"  ? "CSV"
                            : end == ".md" ? "Markdown"
                                           : "JSON");
    }

    void draw_side(panels::Context& c, const scene::Rect& r) {
        ImGui::SetNextWindowPos({r.x, r.y});
        ImGui::SetNextWindowSize({r.w, r.h});
        ImGui::Begin("timings-side", nullptr, kFixed);
        const float pad = c.px(12);
        ImGui::SetCursorPos({pad, c.px(8)});
        ImGui::BeginChild("##inside", {r.w - 2 * pad, r.h - c.px(12)});
        const float width = ImGui::GetContentRegionAvail().x;
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled("Series");
        draw_series(c);
        ImGui::Dummy({0, c.px(4)});
        ImGui::TextDisabled("Show and conditions");
        std::vector<FormField> fields;
        for (const Field f : Timings::kFields) {
            fields.push_back(
                {std::string(session::id(f)), std::string(session::label(f)), timings_.value(f), timings_.choices(f)});
        }
        if (cuda::usable()) {
            std::vector<std::string> names;
            for (const timing::Preset& p : timing::presets()) {
                names.emplace_back(p.name);
            }
            fields.push_back({"measure", "to measure", std::string(preset().name), std::move(names)});
        }
        const std::size_t conditions = Timings::kFields.size();
        const std::size_t presets = timing::presets().size();
        form_.draw(
            c, width, fields,
            [&](std::size_t i, const std::string& text) {
                if (i < conditions) {
                    change([&] { timings_.set(Timings::kFields[i], text); });
                    return;
                }
                for (std::size_t p = 0; p < presets; ++p) {
                    preset_ = timing::presets()[p].name == text ? p : preset_;
                }
            },
            [&](std::size_t i, int by) {
                if (i < conditions) {
                    change([&] { timings_.turn(Timings::kFields[i], by); });
                } else {
                    preset_ = (preset_ + presets + static_cast<std::size_t>(by)) % presets;
                }
            },
            tools_.placed);
        ImGui::Dummy({0, c.px(4)});
        draw_copy();
        draw_measure(c, width);
        for (const std::string& line : {said_, error_.empty() ? "" : "! " + error_}) {
            if (!line.empty()) {
                ImGui::TextUnformatted(line.c_str());
            }
        }
        ImGui::PopTextWrapPos();
        ImGui::EndChild();
        ImGui::End();
    }

    // A box a series, in its colour; arrows choose, Enter shows or hides.
    void draw_series(panels::Context& c) {
        auto& k = c.keyboard;
        const int count = static_cast<int>(timings_.count());
        const bool here = k.on("series");
        if (here && count == 0) {
            k.leave(1);
        } else if (here) {
            if (k.arrived() != 0) {
                series_ = k.arrived() > 0 ? 0 : count - 1;
            }
            const int next = k.take(PanelKey::next) ? 1 : k.take(PanelKey::previous) ? -1 : 0;
            series_ =
                std::clamp(series_ + (k.take(PanelKey::down) ? 1 : 0) - (k.take(PanelKey::up) ? 1 : 0), 0, count - 1);
            if (next != 0) {
                k.leave(next);
            } else if (k.take(PanelKey::enter)) {
                toggle(static_cast<std::size_t>(series_));
            }
        }
        for (std::size_t i = 0; i < timings_.count(); ++i) {
            const timing::Series& s = timings_.series(i);
            bool on = timings_.shown(i);
            ImGui::PushID(static_cast<int>(i));
            if (ImGui::Checkbox("##on", &on)) {
                toggle(i);
            }
            if (here && static_cast<int>(i) == series_) {
                panels::focus_ring(c);
            }
            const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
            tools_.placed(fmt::format("series-{}", i), {from.x, from.y, to.x - from.x, to.y - from.y});
            ImGui::SameLine();
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float side = c.px(10), y = (from.y + to.y - side) / 2;
            ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + side, y + side},
                                                      u32(scene::series_style(c.theme, i).color), c.px(2));
            ImGui::SetCursorScreenPos({at.x + side + c.px(6), at.y});
            ImGui::AlignTextToFramePadding();
            ImGui::TextUnformatted(s.name.c_str());
            if (ImGui::IsItemHovered()) {
                tooltip(c, origin(s));
            }
            ImGui::PopID();
        }
        if (timings_.count() == 0) {
            ImGui::TextUnformatted("none ship with this program; open a result file");
        }
        c.keyboard.end_frame("series");
    }
    void toggle(std::size_t index) {
        change([&] {
            timings_.show(index, !timings_.shown(index));
            if (timings_.shown(index) && timings_.rows().empty()) {
                timings_.go_to(timings_.series(index).name);
            }
        });
    }

    static std::string origin(const timing::Series& s) {
        const timing::Provenance& p = s.provenance;
        std::string out = fmt::format("{}: {} points", s.name, s.points.size());
        for (const auto& [before, text] : {std::pair{"", p.source},
                                           {"device ", p.device},
                                           {"compute capability ", p.compute_capability},
                                           {"driver ", p.driver},
                                           {"CUDA ", p.toolkit},
                                           {"flags ", p.compiler_flags},
                                           {"commit ", p.commit},
                                           {"", p.date}}) {
            out += text.empty() ? "" : "\n" + std::string(before) + text;
        }
        if (p.theoretical_bytes_per_second > 0) {
            out += "\ntheoretical peak " + timing::rate_text(p.theoretical_bytes_per_second);
        }
        return out;
    }

    void draw_copy() {
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("Copy");
        for (const auto& [label, end] : {std::pair{"Markdown", ".md"}, {"CSV", ".csv"}, {"JSON", ".json"}}) {
            ImGui::SameLine();
            const float w = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
            if (w > ImGui::GetContentRegionAvail().x) {
                ImGui::NewLine();
            }
            if (ImGui::Button(label)) {
                copy(end);
            }
            const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
            tools_.placed(std::string("copy-") + label, {from.x, from.y, to.x - from.x, to.y - from.y});
        }
    }

    void draw_measure(panels::Context& c, float width) {
        if (job_.busy()) {
            const auto at = job_.state();
            ImGui::ProgressBar(static_cast<float>(at.fraction), {width, 0});
            ImGui::TextUnformatted(at.all == 0 ? "preparing"
                                               : fmt::format("{} of {} points, about {:.0f} s left\n{}", at.done,
                                                             at.all, at.seconds_left, at.now)
                                                     .c_str());
            if (ImGui::Button("Cancel")) {
                job_.cancel();
            }
            return;
        }
        const bool usable = cuda::usable();
        ImGui::BeginDisabled(!usable);
        if (ImGui::Button("Measure on this GPU", {std::min(width, c.px(200)), 0})) {
            measure();
        }
        const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
        tools_.placed("measure", {from.x, from.y, to.x - from.x, to.y - from.y});
        ImGui::EndDisabled();
        const std::string below =
            usable ? fmt::format("{}: {}", preset().name, preset().what) : "no CUDA device found: " + cuda::why_not();
        ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
        ImGui::TextUnformatted(below.c_str());
        ImGui::PopStyleColor();
    }
    const timing::Preset& preset() const { return timing::presets()[preset_]; }
    void measure() {
        if (!cuda::usable()) {
            said_ = "No CUDA device found: " + cuda::why_not();
            return;
        }
        said_.clear();
        job_.start(preset().axes(), [] { return cuda::timing_device(kSeed); });
    }

    static void tooltip(panels::Context& c, const std::string& text) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(std::min(c.px(460), ImGui::GetIO().DisplaySize.x * 0.8F));
        ImGui::TextUnformatted(text.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }

    void draw_figure(panels::Context& c, const scene::Rect& r) {
        ImGui::SetNextWindowPos({r.x, r.y});
        ImGui::SetNextWindowSize({r.w, r.h});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0}); // else it clips the frames of the figures
        ImGui::Begin("timings-figure", nullptr,
                     kFixed | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
        ImGui::PopStyleVar();
        tools_.placed("timings-figure", r);
        if (r.w > 8 && r.h > 8) {
            // Where large text leaves no room for a figure, the text gives way to see it as a whole.
            const float scale = std::clamp(r.h / 260, c.fonts.scale() * 0.45F, c.fonts.scale());
            if (!drawn_ || !(drawn_->drawing.clip == r) || drawn_scale_ != scale || drawn_theme_ != &c.theme) {
                drawn_ = scene::draw_timings({&c.theme, &c.fonts, scale}, r, timings_.view());
                drawn_scale_ = scale;
                drawn_theme_ = &c.theme;
            }
            c.painter.add(drawn_->drawing, ImGui::GetWindowDrawList());
            point_at(c);
        }
        if (std::exchange(wants_explore_, false)) {
            if (const auto row = timings_.selected()) {
                explore(c, *timings_.rows()[*row].point);
            } else {
                said_ = "Choose a row first, by the arrow keys.";
            }
        }
        ImGui::End();
    }

    void point_at(panels::Context& c) {
        if (!ImGui::IsWindowHovered()) {
            return;
        }
        const ImVec2 mouse = ImGui::GetMousePos();
        const scene::TimingHit* hit = drawn_->at({mouse.x, mouse.y});
        if (hit == nullptr) {
            return;
        }
        const timing::Point& point = *hit->point;
        const bool strategy = find_strategy(point.what.variant) != nullptr;
        tooltip(c, scene::describe(timings_.shown_series()[hit->series], point, timings_.row_of(&point)) +
                       (strategy ? "\nA click shows it in Explore." : ""));
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            explore(c, point);
        }
    }

    // The strategy under the same conditions, as far as a trace can have them.
    void explore(panels::Context& c, const timing::Point& point) {
        if (find_strategy(point.what.variant) == nullptr) {
            said_ = point.what.variant + " is a peer: not a kernel of this program.";
            return;
        }
        for (std::size_t i = 0; i < timings_.rows().size(); ++i) {
            if (timings_.rows()[i].point == &point) {
                change([&] { timings_.select(i); });
            }
        }
        c.explore.options.type = point.what.type;
        c.explore.options.op = point.what.op;
        if (point.what.block != 0) {
            c.explore.options.block = point.what.block;
        }
        c.explore.select_strategy(point.what.variant);
        tools_.show_page("explore");
    }

    Tools tools_;
    std::string error_; // why something was not taken
    Timings timings_;
    std::string said_;
    std::optional<scene::TimingsDrawing> drawn_;
    float drawn_scale_ = 0;
    const scene::Theme* drawn_theme_ = nullptr;
    int series_ = 0; // with the keyboard
    bool wants_explore_ = false;
    Form form_{"conditions"};
    std::size_t preset_ = 0;
    session::MeasureJob job_;
};
} // namespace

std::unique_ptr<Page> make_timings(const Tools& tools) { return std::make_unique<TimingsPage>(tools); }

} // namespace warptree::pages
