// The Compare page: two to four traces side by side, a table below, one transport for all.
#include "app/base/error.hpp"
#include "app/document/opened_files.hpp"
#include "app/document/recordings.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/compare/compare_run.hpp"
#include "app/features/compare/panels/compare_columns.hpp"
#include "app/features/compare/panels/compare_controls.hpp"
#include "app/features/compare/panels/compare_numbers.hpp"
#include "app/features/compare/partner.hpp"
#include "app/features/explore/panels/transport.hpp"
#include "app/features/screen.hpp"
#include "app/features/widgets/frame.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace warptree::pages {

namespace {
using scene::ComparePart;
render::Film scene_film(const std::shared_ptr<const scene::CompareRun>& run, const PictureLook& look,
                        std::vector<render::PlaceFrame> frames) {
    const auto count = static_cast<std::uint32_t>(frames.size());
    return {count, [run, look, frames = std::move(frames)](std::uint32_t f, const scene::TextMeasure& measure) {
                return scene::compose_compare({&scene::theme(look.theme), &measure, look.scale},
                                              static_cast<float>(look.width), static_cast<float>(look.height), *run,
                                              frames[f].place, frames[f].phase);
            }};
}

class Compare : public Page {
  public:
    explicit Compare(const Tools& tools)
        : tools_(tools), comparison_(tools.wake), numbers_(comparison_), columns_(comparison_, tools_),
          controls_(comparison_, tools_) {}
    const char* id() const override { return "compare"; }
    const char* title() const override { return "Compare"; }
    int digit() const override { return 2; }

    bool moving() const override { return comparison_.playback.moves(); }
    void advance(double seconds) override { comparison_.playback.advance(seconds); }
    bool busy() const override { return comparison_.busy(); }
    bool poll() override { return comparison_.poll(); }
    void entered(session::Explore& explore) override {
        const bool first = !std::exchange(entered_, true);
        if (!first || !explore.trace()) {
            return;
        }
        explore_ = &explore;
        if (explore.file().empty() && !explore.on_kernel()) {
            comparison_.begin_with(explore.trace()->options);
        } else {
            comparison_.front = 0;
            if (explore.file().empty()) { // as it was called
                comparison_.set_shared("n", std::to_string(explore.trace()->options.n));
            }
            const bool chosen = take_other_file(explore) || take_other_launch(*explore.trace()) || take_saved(explore);
            if (!chosen) {
                take_partner(*explore.trace());
            }
            take_explored();
            begins_ = explore.on_kernel();
        }
    }
    void prepare() override {
        comparison_.start();
        refresh();
    }
    bool dismiss() override {
        if (comparison_.busy()) {
            comparison_.cancel();
        } else if (controls_.editing) {
            controls_.editing = false;
        } else if (columns_.selected()) {
            columns_.unselect();
        } else {
            return false;
        }
        return true;
    }

    void draw(panels::Context& c, scene::Rect area) override {
        comparison_.start();
        refresh();
        explore_ = &c.explore;
        c.keyboard.set_ring({"columns"});
        controls_.editing = controls_.editing || c.keyboard.on("columns");
        const float transport = area.h < c.px(290) ? c.px(50) : c.px(68);
        const scene::Rect below{area.x, area.bottom() - transport, area.w, transport};
        const bool bare = c.explore.looks.presentation || c.explore.full;
        const scene::Rect bar{area.x, area.y, area.w, bare ? c.px(6) : c.px(40)};
        if (!bare) {
            controls_.bar(c, bar);
        }
        const float gap = c.px(6);
        scene::Rect room{area.x + gap, bar.bottom(), area.w - 2 * gap, below.y - bar.bottom() - gap};
        if (controls_.editing && !bare) {
            const bool alone = area.w < c.px(640);
            const float w = alone ? room.w : std::min(c.px(290), room.w * 0.4F);
            controls_.side(c, {room.x, room.y, w, room.h});
            room = {room.x + w + gap, room.y, alone ? 0 : room.w - w - gap, room.h};
        }
        if (room.w > c.px(60)) {
            draw_room(c, room);
        }
        draw_transport(c, below);
    }

    std::vector<window::Action> actions() override {
        session::Playback& p = comparison_.playback;
        const auto key = [](const char* id, const char* title, const char* keys, int code, int modifiers,
                            std::function<void()> act) {
            return window::Action{id, title, keys, code, modifiers, std::move(act), ""};
        };
        using window::kShift;
        std::vector<window::Action> all{
            key("compare-play", "Compare: play or pause", "Space", GLFW_KEY_SPACE, 0, [&p] { p.toggle(); }),
            key("compare-forward", "Compare: step forward", "Right", GLFW_KEY_RIGHT, 0, [&p] { p.step(1); }),
            key("compare-back", "Compare: step back", "Left", GLFW_KEY_LEFT, 0, [&p] { p.step(-1); }),
            key("compare-sub-forward", "Compare: sub-step forward", "Shift+Right", GLFW_KEY_RIGHT, kShift,
                [&p] { p.sub_forward(); }),
            key("compare-sub-back", "Compare: sub-step back", "Shift+Left", GLFW_KEY_LEFT, kShift,
                [&p] { p.sub_back(); }),
            key("compare-first", "Compare: first step", "Home", GLFW_KEY_HOME, 0,
                [&p] {
                    p.pause();
                    p.first();
                }),
            key("compare-last", "Compare: last step", "End", GLFW_KEY_END, 0,
                [&p] {
                    p.pause();
                    p.last();
                }),
            key("compare-faster", "Compare: faster", "Up", GLFW_KEY_UP, 0, [&p] { p.faster(); }),
            key("compare-slower", "Compare: slower", "Down", GLFW_KEY_DOWN, 0, [&p] { p.slower(); }),
            key("compare-loop", "Compare: loop on or off", "L", GLFW_KEY_L, 0, [&p] { p.loop = !p.loop; }),
            key("compare-next", "Next comparison", "]", GLFW_KEY_RIGHT_BRACKET, 0,
                [this] { controls_.turn_preset(1); }),
            key("compare-previous", "Previous comparison", "[", GLFW_KEY_LEFT_BRACKET, 0,
                [this] { controls_.turn_preset(-1); }),
            key("compare-align", "Align the columns by stage, stride or combines", "A", GLFW_KEY_A, 0,
                [this] { controls_.turn_alignment(1); }),
            key("compare-change", "Change a column", "I", GLFW_KEY_I, 0, [this] { tools_.give_keyboard("columns"); }),
            key("compare-next-column", "Mark the next column", ".", GLFW_KEY_PERIOD, 0, [this] { mark(1); }),
            key("compare-previous-column", "Mark the previous column", ",", GLFW_KEY_COMMA, 0, [this] { mark(-1); }),
            key("compare-add", "Add a column", "Insert", GLFW_KEY_INSERT, 0, [this] { comparison_.add(); }),
            key("compare-remove", "Remove the marked column", "Delete", GLFW_KEY_DELETE, 0,
                [this] { comparison_.remove(); }),
            key("compare-twice", "Compare: twice the elements", "Page Up", GLFW_KEY_PAGE_UP, 0,
                [this] { comparison_.scale_elements(true); }),
            key("compare-half", "Compare: half the elements", "Page Down", GLFW_KEY_PAGE_DOWN, 0,
                [this] { comparison_.scale_elements(false); }),
            key("compare-part", "Compare: next of tree, warps, banks, table", "V", GLFW_KEY_V, 0,
                [this] { turn_part(); }),
            key("compare-fold", "Compare: fold the table, or show it", "D", GLFW_KEY_D, 0,
                [this] { controls_.folds = !controls_.folded; }),
            key("compare-rows-down", "Compare: rows below", "Shift+Down", GLFW_KEY_DOWN, kShift,
                [this] { ++first_row_; }),
            key("compare-rows-up", "Compare: rows above", "Shift+Up", GLFW_KEY_UP, kShift,
                [this] { first_row_ -= first_row_ > 0 ? 1 : 0; }),
            key("compare-series", "Compare: measured times of the next series", "S", GLFW_KEY_S, 0,
                [this] { turn_series(); }),
            key("compare-explore", "Explore the marked column", "E", GLFW_KEY_E, 0, [this] { explore_column(); }),
            key("compare-take", "Take the trace of Explore as the marked column", "X", GLFW_KEY_X, 0,
                [this] { take_explored(); }),
        };
        add_presets(all);
        return all;
    }

    std::map<std::string, std::string> values() const override {
        auto all = comparison_.values();
        all["part"] = name(part_);
        all["series"] = numbers_.series;
        all["fold"] = !controls_.folds ? "auto" : *controls_.folds ? "yes" : "no";
        all["step"] = std::to_string(wanted_step_.value_or(comparison_.ready() ? comparison_.playback.place() : 0));
        return all;
    }
    void restore(const std::map<std::string, std::string>& values) override {
        comparison_.restore(values);
        const auto series = values.find("series");
        numbers_.series = series == values.end() ? std::string() : series->second;
        const auto fold = values.find("fold");
        const bool said = fold != values.end() && (fold->second == "yes" || fold->second == "no");
        controls_.folds = said ? std::optional(fold->second == "yes") : std::nullopt;
        const auto step = values.find("step");
        const auto wanted = step == values.end() ? std::nullopt : parse_count(step->second);
        wanted_step_ =
            wanted && *wanted < UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*wanted)) : std::nullopt;
        const auto part = values.find("part");
        for (const ComparePart p : scene::kCompareParts) {
            part_ = part != values.end() && part->second == name(p) ? p : part_;
        }
    }
    std::map<std::string, std::string> shown() const override {
        std::map<std::string, std::string> all{{"ready", comparison_.ready() && !comparison_.busy() ? "yes" : "no"},
                                               {"aligned_step", std::to_string(comparison_.playback.place())},
                                               {"aligned_steps", std::to_string(comparison_.aligned_steps().size())},
                                               {"playing", comparison_.playback.playing() ? "yes" : "no"},
                                               {"front", std::to_string(comparison_.front + 1)},
                                               {"editing", controls_.editing ? "yes" : "no"},
                                               {"error", controls_.error()},
                                               {"row", std::to_string(first_row_)},
                                               {"table", table(".csv")}};
        for (std::size_t i = 0; i < comparison_.size(); ++i) {
            all[fmt::format("title-{}", i + 1)] = title_of(comparison_[i]);
        }
        for (std::size_t i = 0; i < columns_.lit().size(); ++i) {
            all[fmt::format("lit-{}", i + 1)] = columns_.lit()[i];
        }
        for (std::size_t i = 0; i < numbers_.table().changes.size(); ++i) {
            all[fmt::format("change-{}", i + 1)] = numbers_.table().changes[i];
        }
        return all;
    }

    std::optional<Judged> judged() const override {
        const auto& column = comparison_[comparison_.front];
        return Judged{title_of(column), comparison_.busy() || !column.error.empty() ? nullptr : column.trace};
    }

    std::string picture_name() const override { return "compare.png"; }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        return scene::compose_compare({&scene::theme(look.theme), &measure, look.scale}, static_cast<float>(look.width),
                                      static_cast<float>(look.height), columns_.described(), numbers_.table());
    }
    std::optional<render::Film> film(const PictureLook& look, render::Pace& pace) const override {
        if (!comparison_.ready()) {
            throw FileError("the columns are still being traced; wait for them");
        }
        std::vector<scene::CompareRun::Column> columns;
        for (std::size_t i = 0; i < comparison_.size(); ++i) {
            const auto& column = comparison_[i];
            columns.push_back({column.trace, title_of(column), session::column_note(options_of(column))});
        }
        const auto run = std::make_shared<const scene::CompareRun>(
            scene::make_compare_run(std::move(columns), comparison_.alignment(), session::recorded_kernels(),
                                    numbers_.chosen(numbers_.compared())));
        pace.steps_per_second = comparison_.playback.speed();
        return scene_film(run, look,
                          render::frames_of(static_cast<std::uint32_t>(run->aligned_steps.size()), pace, 0, UINT32_MAX,
                                            "this comparison"));
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        return numbers_.table().columns.empty() ? std::string()
               : end == ".md"                   ? scene::compare_markdown(numbers_.table())
               : end == ".csv"                  ? scene::compare_csv(numbers_.table())
                                                : std::string();
    }

  private:
    void mark(int by) {
        const auto count = static_cast<int>(comparison_.size());
        comparison_.front = static_cast<std::size_t>((static_cast<int>(comparison_.front) + by + count) % count);
    }
    void turn_part() {
        part_ = scene::kCompareParts[(static_cast<std::size_t>(part_) + 1) % scene::kCompareParts.size()];
        if (!low_ && part_ == ComparePart::table) {
            part_ = ComparePart::tree; // the table is always there
        }
    }
    void add_presets(std::vector<window::Action>& all) {
        try {
            const auto& presets = session::presets();
            for (int i = 0; i < std::ssize(presets); ++i) {
                const auto& preset = presets[static_cast<std::size_t>(i)];
                all.push_back({"compare-" + preset.id, "Compare: " + preset.title, "", 0, 0,
                               [this, i] { controls_.take_preset(i); }, ""});
            }
        } catch (const FileError&) { // the bar shows the error
        }
    }
    void explore_column() {
        const auto& column = comparison_[comparison_.front];
        if (explore_ == nullptr || !column.trace) {
            return;
        }
        if (!column.options.kernel.file.empty() && column.file.empty()) {
            try {
                explore_->open_kernel(column.options.kernel.file);
                explore_->call_kernel_with(column.options);
            } catch (const FileError& e) {
                tools_.notify(e.what());
                return;
            }
        } else if (column.file.empty()) {
            explore_->run_strategy(column.options);
        } else {
            explore_->show_file(column.file, column.trace);
        }
        tools_.notify("Explore shows column " + std::to_string(comparison_.front + 1) + " (1)");
    }
    // Of several files that are open, the latest other one stands beside the one explored, in the order in which they were
    // opened: what it is compared with comes first. Marks the column that is left.
    bool take_other_file(const session::Explore& explore) {
        if (!explore.on_kernel() || !explore.file().empty()) {
            return false;
        }
        const auto& opened = session::opened_files(); // the latest first
        const auto own = std::ranges::find(opened, explore.kernel()->path());
        const auto other =
            std::ranges::find_if(opened, [&](const auto& path) { return path != explore.kernel()->path(); });
        if (other != opened.end()) {
            comparison_.front = other > own ? 1 : 0;
            RunOptions o;
            o.kernel.file = other->string();
            comparison_.take_options(1 - comparison_.front, o);
        }
        return other != opened.end();
    }
    // Of a program with several kernels, the first launch of another one than that explored; else the launch before it.
    bool take_other_launch(const Trace& program) {
        if (program.program.entry.empty() || program.launches.empty()) {
            return false;
        }
        const std::uint32_t own = explore_->playback.moment().launch;
        for (std::uint32_t l = 0; l < program.launches.size(); ++l) {
            if (program.launches[l].kernel != program.launches[own].kernel) {
                comparison_.front = l < own ? 1 : 0;
                comparison_.show_launch(1 - comparison_.front, explore_->options, program, l);
                return true;
            }
        }
        if (own > 0) {
            comparison_.front = 1;
            comparison_.show_launch(0, explore_->options, program, own - 1);
        }
        return own > 0;
    }
    // The file as it was before it was edited.
    bool take_saved(const session::Explore& explore) {
        const bool edited = explore.on_kernel() && explore.file().empty() && explore.kernel()->unsaved() &&
                            std::filesystem::exists(explore.kernel()->path());
        if (edited) {
            comparison_.front = 1;
            comparison_.take_saved(0, explore.options);
        }
        return edited;
    }
    // What ships and does work of the same kind, of as many elements; a file of which there is none stands alone.
    void take_partner(const Trace& explored) {
        const session::Moment& moment = explore_->playback.moment();
        if (!comparison_.begin_beside(session::partner_of(explored, moment.launch), explored, moment.launch)) {
            tools_.notify("no strategy does work of this kind: choose what stands beside it (Insert)");
        }
    }
    void take_explored() {
        if (explore_ == nullptr || !explore_->trace()) {
            return;
        }
        const Trace& explored = *explore_->trace();
        if (explore_->on_kernel() && !explored.program.entry.empty() && !explored.launches.empty()) {
            comparison_.show_launch(comparison_.front, explore_->options, explored, explore_->playback.moment().launch);
        } else if (!explore_->file().empty()) {
            comparison_.show_file(comparison_.front, explore_->file(), explore_->trace());
        } else {
            // For a kernel file, the requested options: its trace also has chosen ones, with the block as one number.
            RunOptions o = explore_->on_kernel() ? explore_->options : explore_->trace()->options;
            o.n = explore_->trace()->options.n;
            comparison_.take_options(comparison_.front, o);
        }
    }

    void refresh() {
        if (comparison_.ready() && wanted_step_ && !comparison_.busy()) {
            comparison_.playback.pause();
            comparison_.playback.go_to_place(
                std::min(*wanted_step_, static_cast<std::uint32_t>(comparison_.aligned_steps().size()) - 1));
            wanted_step_.reset();
        } else if (begins_ && comparison_.ready() && !comparison_.busy()) {
            comparison_.playback.go_to_place(comparison_.first_difference());
            begins_ = false;
        }
        if (numbers_.refresh() == CompareNumbers::Change::all) {
            columns_.forget();
        }
    }
    void turn_series() {
        if (const std::string said = numbers_.turn_series(); !said.empty()) {
            tools_.notify(said);
        }
    }

    void draw_room(panels::Context& c, const scene::Rect& room) {
        const scene::CompareLook look{&c.theme, &c.fonts, c.fonts.scale()};
        low_ = room.h < c.px(330);
        constexpr float kLow = 620; // at scale 1
        controls_.folded = controls_.folds.value_or(room.h < c.px(kLow));
        const scene::ComparePlan plan =
            scene::plan_compare(look, room, comparison_.size(), numbers_.table(), part_, controls_.folded);
        columns_.draw(c, look, plan.columns, part_);
        if (plan.table.h > 0) {
            draw_table(c, look, plan);
        }
    }

    void draw_table(panels::Context& c, const scene::CompareLook& look, const scene::ComparePlan& plan) {
        const scene::Rect& r = plan.table;
        begin_fixed("compare-table", r, ImGuiWindowFlags_NoScrollWithMouse);
        tools_.placed("compare-table", r);
        first_row_ = std::min<std::size_t>(first_row_, numbers_.table().run.size() + numbers_.table().step.size() + 1);
        c.painter.add(scene::draw_compare_table(look, r, numbers_.table(), plan.form, first_row_),
                      ImGui::GetWindowDrawList());
        const float wheel = ImGui::GetIO().MouseWheel;
        if (ImGui::IsWindowHovered() && wheel != 0) {
            first_row_ = wheel < 0 ? first_row_ + 1 : first_row_ - std::min<std::size_t>(first_row_, 1);
        }
        end_fixed();
    }

    void draw_transport(panels::Context& c, const scene::Rect& r) {
        begin_fixed("compare-transport", r, ImGuiWindowFlags_NoScrollWithMouse);
        tools_.placed("compare-transport", r);
        std::vector<panels::TransportStep> steps;
        for (const session::AlignedStep& aligned_step : comparison_.aligned_steps()) {
            steps.push_back({aligned_step.label, false, aligned_step.begins_launch});
        }
        const bool numbered = std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.label[0] == '#'; });
        panels::draw_transport(c, comparison_.playback, steps,
                               {r.x + c.px(12), r.y + c.px(8), r.w - c.px(24), r.h - c.px(16)},
                               numbered                                                  ? "stage"
                               : comparison_.alignment() == session::Alignment::combines ? "combines"
                                                                                         : "");
        end_fixed();
    }

    Tools tools_;
    session::Comparison comparison_;
    CompareNumbers numbers_;
    CompareColumns columns_;
    CompareControls controls_;
    session::Explore* explore_ = nullptr;      // the window's; null until entered or drawn
    std::optional<std::uint32_t> wanted_step_; // to go to once there are traces
    ComparePart part_ = ComparePart::tree;
    bool begins_ = false;       // with own files: to be shown at the first step in which they differ
    bool entered_ = false;      // by the user, since the program started
    bool low_ = false;          // room for either columns or table
    std::size_t first_row_ = 0; // of the table
};
} // namespace

std::unique_ptr<Page> make_compare(const Tools& tools) { return std::make_unique<Compare>(tools); }

} // namespace warptree::pages
