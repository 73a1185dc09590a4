// The Timings page: series and conditions at the left, bars, a figure and the table at the right.
#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/recordings.hpp"
#include "app/features/explore/explore.hpp"
#include "app/features/screen.hpp"
#include "app/features/timings/panels/timings_measure.hpp"
#include "app/features/timings/panels/timings_series.hpp"
#include "app/features/timings/state/timings.hpp"
#include "app/features/widgets/form.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/gpu/driver.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace warptree::pages {

namespace {
using session::Timings;
using TimingsField = Timings::Field;
class TimingsPage : public Page {
  public:
    explicit TimingsPage(const Tools& tools) : tools_(tools), measure_(tools.wake) {}
    const char* id() const override { return "timings"; }
    const char* title() const override { return "Timings"; }
    int digit() const override { return 3; }

    void draw(panels::Context& c, scene::Rect area) override {
        const session::KernelFile* const kernel = c.explore.kernel();
        kernel_file_ = kernel != nullptr && std::filesystem::exists(kernel->path()) ? kernel->path().string() : "";
        c.keyboard.set_ring({"series", "conditions"});
        const SideAndFigure parts = side_and_figure(c, area, {});
        draw_in_side(c, "timings-side", parts.side, [&](float width) { draw_side(c, width); });
        draw_figure(c, parts.figure);
    }

    std::vector<window::Action> actions() override {
        const auto turn = [this](TimingsField f, int by) {
            return [this, f, by] { change([&] { timings().turn(f, by); }); };
        };
        std::vector<window::Action> all{
            {"timings-next", "Timings: next row", "Down", GLFW_KEY_DOWN, 0,
             [this] { change([&] { timings().move(1); }); }, ""},
            {"timings-previous", "Timings: previous row", "Up", GLFW_KEY_UP, 0,
             [this] { change([&] { timings().move(-1); }); }, ""},
            {"timings-explore", "Timings: the row's strategy in Explore", "Enter", GLFW_KEY_ENTER, 0,
             [this] { wants_explore_ = true; }, ""},
            {"timings-show", "Timings: time, bandwidth, % of peak or speed-up", "]", GLFW_KEY_RIGHT_BRACKET, 0,
             turn(TimingsField::show, 1), ""},
            {"timings-show-back", "Timings: the same, backwards", "[", GLFW_KEY_LEFT_BRACKET, 0,
             turn(TimingsField::show, -1), ""},
            {"timings-figure", "Timings: against n, cold and warm, block sizes, samples, or limits", "G", GLFW_KEY_G, 0,
             turn(TimingsField::figure, 1), ""},
            {"timings-kernels", "Timings: ladder, reductions, scans or others", "K", GLFW_KEY_K, 0,
             turn(TimingsField::kernels, 1), ""},
            {"timings-twice", "Timings: the next larger n", "Page Up", GLFW_KEY_PAGE_UP, 0,
             turn(TimingsField::elements, 1), ""},
            {"timings-half", "Timings: the next smaller n", "Page Down", GLFW_KEY_PAGE_DOWN, 0,
             turn(TimingsField::elements, -1), ""},
            {"timings-front", "Timings: the next part, if only one fits", "V", GLFW_KEY_V, 0,
             [this] { change([&] { timings().front = (timings().front + 1) % 3; }); }, ""},
            {"timings-series", "Timings: choose the series", "S", GLFW_KEY_S, 0,
             [this] { tools_.give_keyboard("series"); }, ""},
            {"timings-conditions", "Timings: change the conditions", "I", GLFW_KEY_I, 0,
             [this] { tools_.give_keyboard("conditions"); }, ""},
            {"timings-measure", "Timings: measure on this GPU", "M", GLFW_KEY_M, 0,
             [this] { measure_.start(timings(), kernel_file_); }, ""},
            {"timings-copy-json", "Timings: copy the points as JSON", "Ctrl+J", GLFW_KEY_J, window::kControl,
             [this] { copy(".json"); }, ""},
        };
        for (const auto show : scene::kTimingShows) {
            all.push_back(
                {fmt::format("timings-show-{}", name(show)), fmt::format("Timings: show {}", name(show)), "", 0, 0,
                 [this, show] { change([&] { timings().set(TimingsField::show, std::string(name(show))); }); }, ""});
        }
        return all;
    }

    bool poll() override {
        auto series = measure_.take();
        const bool ended = measure_.poll();
        if (series) {
            const std::string name = series->name;
            change([&] {
                timings().merge(std::move(*series));
                if (timings().rows().empty()) {
                    timings().go_to(name);
                }
            });
        }
        return series || ended;
    }
    bool dismiss() override {
        const bool busy = measure_.busy();
        measure_.cancel();
        return busy;
    }

    std::map<std::string, std::string> values() const override { return timings().values(); }
    std::map<std::string, std::string> remembered() const override { return timings_ ? timings_->values() : restored_; }
    void restore(const std::map<std::string, std::string>& values) override {
        if (!timings_) {
            restored_ = values;
            return;
        }
        change([&] { timings().restore(values); });
    }

    std::map<std::string, std::string> shown() const override {
        const auto& rows = timings().rows();
        const auto selected = timings().selected();
        std::string series;
        for (const timing::Series& s : timings().shown_series()) {
            series += (series.empty() ? "" : "; ") + s.name;
        }
        return {{"rows", std::to_string(rows.size())},
                {"series", series},
                {"selected", selected ? rows[*selected].point->what.variant : ""},
                {"hover", hover_},
                {"said", said_},
                {"measured", measure_.said()},
                {"measuring", measure_.busy() ? "yes" : "no"},
                {"part", std::to_string(timings().front)},
                {"error", error_}};
    }

    bool open(const std::string& path) override {
        if (std::filesystem::path(path).extension() != ".json") {
            return false;
        }
        std::vector<timing::Series> all = timing::load_results(path);
        change([&] {
            const std::string first = all.front().name;
            timings().add(std::move(all));
            if (timings().rows().empty()) {
                timings().go_to(first);
            }
        });
        return true;
    }

    std::optional<Judged> judged() const override { return Judged{}; } // measured times are no run
    std::string picture_name() const override { return "timings.png"; }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        return scene::compose_timings({&scene::theme(look.theme), &measure, look.scale}, static_cast<float>(look.width),
                                      static_cast<float>(look.height), timings().view());
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        const auto shown = timings().shown_series();
        return end == ".csv"    ? timing::to_csv(shown, timings().rows())
               : end == ".md"   ? timing::to_markdown(shown, timings().rows())
               : end == ".json" ? timing::to_json(timing::shown_points(shown, timings().rows()))
                                : std::string();
    }

  private:
    // Read on first use: the recordings take a tenth of a second, and most sessions never show them.
    Timings& timings() const {
        if (!timings_) {
            timings_.emplace(session::recorded_timings());
            timings_->restore(restored_);
        }
        return *timings_;
    }

    // Every change goes through here, to drop what was drawn of the old state.
    template <class Change> void change(Change make) {
        error_.clear();
        try {
            make();
        } catch (const OptionError& e) {
            error_ = e.what();
        }
        drawn_.reset();
        fields_.clear();
    }

    void copy(const std::string& end) {
        ImGui::SetClipboardText(table(end).c_str());
        said_ = fmt::format("Copied {} rows as {}.", timings().rows().size(),
                            end == ".csv"  ? "CSV"
                            : end == ".md" ? "Markdown"
                                           : "JSON");
    }

    void draw_side(panels::Context& c, float width) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled("Series");
        series_.draw(
            c, timings(), [this](std::size_t i) { toggle(i); },
            [this](std::size_t i) { change([&] { timings().go_to(timings().series(i).name); }); }, tools_.placed);
        ImGui::Dummy({0, c.px(4)});
        ImGui::TextDisabled("Show and conditions");
        if (fields_.empty()) { // its lists visit every point
            for (const TimingsField f : Timings::kFields) {
                fields_.push_back({std::string(session::id(f)), std::string(session::label(f)), timings().value(f),
                                   timings().choices(f)});
            }
        }
        std::vector<FormField> fields = fields_;
        const std::size_t conditions = fields.size();
        if (gpu::usable()) {
            fields.push_back(measure_.field());
        }
        form_.draw(
            c, width, fields,
            [&](std::size_t i, const std::string& text) {
                i < conditions ? change([&] { timings().set(Timings::kFields[i], text); }) : measure_.choose(text);
            },
            [&](std::size_t i, int by) {
                i < conditions ? change([&] { timings().turn(Timings::kFields[i], by); }) : measure_.turn(by);
            },
            tools_.placed);
        ImGui::Dummy({0, c.px(4)});
        draw_copy();
        for (const std::string& line : {said_, error_.empty() ? "" : "! " + error_}) {
            if (!line.empty()) {
                ImGui::TextUnformatted(line.c_str());
            }
        }
        measure_.draw(c, width, timings(), kernel_file_, tools_.placed);
        ImGui::PopTextWrapPos();
    }

    void toggle(std::size_t index) {
        change([&] {
            timings().show(index, !timings().shown(index));
            if (timings().shown(index) && timings().rows().empty()) {
                timings().go_to(timings().series(index).name);
            }
        });
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
            tools_.placed(std::string("copy-") + label, last_item());
        }
    }

    void draw_figure(panels::Context& c, const scene::Rect& r) {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0}); // else it clips the frames of the figures
        begin_fixed("timings-figure", r, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
        ImGui::PopStyleVar();
        tools_.placed("timings-figure", r);
        if (r.w > 8 && r.h > 8) {
            // If large text leaves no room for a figure, the text shrinks so that all of it is visible.
            const float scale = std::clamp(r.h / 260, c.fonts.scale() * 0.45F, c.fonts.scale());
            if (!drawn_ || !(drawn_in_ == r) || drawn_scale_ != scale || drawn_theme_ != &c.theme) {
                const scene::PlotContext context{&c.theme, &c.fonts, scale};
                drawn_ = scene::draw_timings(context, r, timings().view());
                tabs_ = drawn_->parts == 1 && r.h >= c.px(220); // else only by key
                if (tabs_) {
                    const float tabs = ImGui::GetFrameHeight() + c.px(6);
                    drawn_ = scene::draw_timings(context, {r.x, r.y + tabs, r.w, r.h - tabs}, timings().view());
                }
                drawn_in_ = r;
                drawn_scale_ = scale;
                drawn_theme_ = &c.theme;
            }
            c.painter.add(drawn_->drawing, ImGui::GetWindowDrawList());
            if (tabs_) {
                draw_tabs(c, r);
            }
            point_at(c);
        }
        if (std::exchange(wants_explore_, false)) {
            if (const auto row = timings().selected()) {
                explore(c, *timings().rows()[*row].point);
            } else {
                said_ = "Choose a row first, by the arrow keys.";
            }
        }
        end_fixed();
    }

    // Chooses the part shown, if there is room for only one.
    void draw_tabs(const panels::Context& c, const scene::Rect& r) {
        ImGui::SetCursorScreenPos({r.x, r.y});
        const int shown = timings().front;
        for (int part = 0; part < 3; ++part) {
            constexpr std::array kTitles{"Bars", "Figure", "Table"};
            ImGui::PushStyleColor(ImGuiCol_Button,
                                  ImGui::GetStyleColorVec4(part == shown ? ImGuiCol_Header : ImGuiCol_Button));
            if (ImGui::Button(kTitles[part])) {
                change([&] { timings().front = part; });
            }
            ImGui::PopStyleColor();
            if (ImGui::IsItemHovered()) {
                tooltip(c, "V shows the next");
            }
            tools_.placed(fmt::format("timings-part-{}", part), last_item());
            ImGui::SameLine();
        }
    }

    void point_at(panels::Context& c) {
        hover_.clear();
        if (!drawn_ || !ImGui::IsWindowHovered()) {
            return;
        }
        const ImVec2 mouse = ImGui::GetMousePos();
        const scene::TimingHit* hit = drawn_->at({mouse.x, mouse.y});
        if (hit == nullptr) {
            return;
        }
        const timing::Point& point = *hit->point;
        const bool strategy = find_strategy(point.what.variant) != nullptr;
        hover_ = scene::describe(timings().shown_series()[hit->series], point, timings().row_of(&point)) +
                 (strategy ? "\nA click shows it in Explore." : "");
        tooltip(c, hover_);
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            explore(c, point);
        }
    }

    // Shows the strategy in Explore under the same conditions, as far as a trace has them.
    void explore(panels::Context& c, const timing::Point& point) {
        if (find_strategy(point.what.variant) == nullptr) {
            said_ = point.what.variant + (timing::is_file(point.what.variant)
                                              ? " is open in Explore."
                                              : " is a peer: not a kernel of this program.");
            return;
        }
        for (std::size_t i = 0; i < timings().rows().size(); ++i) {
            if (timings().rows()[i].point == &point) {
                change([&] { timings().select(i); });
            }
        }
        c.explore.leave_kernel();
        c.explore.options.type = point.what.type;
        c.explore.options.op = point.what.op;
        if (point.what.block != 0) {
            c.explore.options.block = point.what.block;
        }
        c.explore.select_strategy(point.what.variant);
        tools_.show_page("explore");
    }

    Tools tools_;
    std::string error_; // why a value was rejected
    mutable std::optional<Timings> timings_;
    std::map<std::string, std::string> restored_; // before the first use
    std::string kernel_file_;                     // the open one, if it is on disk; empty: none
    std::string said_, hover_;                    // below the buttons; at the pointer
    std::optional<scene::TimingsDrawing> drawn_;
    bool tabs_ = false; // above the only part that fits
    scene::Rect drawn_in_;
    float drawn_scale_ = 0;
    const scene::Theme* drawn_theme_ = nullptr;
    bool wants_explore_ = false;
    Form form_{"conditions"};
    std::vector<FormField> fields_; // for the current conditions; empty: to be rebuilt
    SeriesList series_;
    MeasurePart measure_;
};
} // namespace

std::unique_ptr<Page> make_timings(const Tools& tools) { return std::make_unique<TimingsPage>(tools); }

} // namespace warptree::pages
