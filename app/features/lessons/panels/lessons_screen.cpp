// The Lessons page: the list with the progress at the left, text and question beside the views of their trace.
#include "app/base/error.hpp"
#include "app/features/lessons/lesson_sheet.hpp"
#include "app/features/lessons/lesson_shelf.hpp"
#include "app/features/lessons/panels/lesson_list.hpp"
#include "app/features/lessons/panels/lesson_question.hpp"
#include "app/features/lessons/panels/lesson_summary.hpp"
#include "app/features/lessons/panels/lesson_views.hpp"
#include "app/features/screen.hpp"
#include "app/features/widgets/frame.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

namespace warptree::pages {

namespace {
using session::Lesson;
using session::LessonRun;

const std::string kProgress = "progress-";
// At scale 1.
constexpr float kList = 236, kLeastList = 920, kLeastBoth = 520, kGap = 6, kLeastSource = 150;

class Lessons : public Page {
  public:
    explicit Lessons(const Tools& tools)
        : tools_(tools), views_(tools.placed), question_(tools.placed, tools.show_page) {}
    const char* id() const override { return "lessons"; }
    const char* title() const override { return "Lessons"; }
    int digit() const override { return 5; }

    void draw(panels::Context& outer, scene::Rect area) override {
        if (lessons_.empty()) {
            draw_nothing(outer, area);
            return;
        }
        begin();
        window_ = &outer.explore;
        session::Explore& explore = views_.explore();
        explore.looks = outer.explore.looks;
        explore.hover = {};
        panels::Context c{explore,   outer.painter, outer.fonts,        outer.theme,   outer.keyboard,
                          outer.now, outer.tells,   outer.figure_alone, outer.animates};
        if (views_.follow(*run_, lesson_)) {
            question_.forget();
        }
        views_.loads = run_->ready() && run_->revealed() ? loads_of_stage() : std::nullopt;
        const float w = area.w / c.fonts.scale(), gap = c.px(kGap);
        const bool list = w >= kLeastList && !outer.explore.looks.presentation && !outer.explore.full;
        if (run_->ready() && run_->asks() && !run_->revealed()) {
            c.keyboard.set_ring({"answer", "sizes"});
        } else {
            c.keyboard.set_ring({"sizes"});
        }
        scene::Rect rest = area;
        if (list) {
            const float side = c.px(kList);
            draw_list(c, {area.x, area.y, side, area.h});
            rest = {area.x + side, area.y, area.w - side, area.h};
        }
        alone_ = w < kLeastBoth;
        if (alone_) {
            const scene::Rect whole{rest.x + gap, rest.y + gap, rest.w - 2 * gap, rest.h - 2 * gap};
            if (views_.pictured()) {
                views_.draw(c, whole, alone_);
            } else {
                draw_text(c, whole, list);
            }
        } else {
            const float text = std::clamp(rest.w * 0.42F, c.px(250), c.px(400));
            draw_left(c, {rest.x + gap, rest.y + gap, text - gap, rest.h - 2 * gap}, list);
            views_.draw(c, {rest.x + text + gap, rest.y + gap, rest.w - text - 2 * gap, rest.h - 2 * gap}, alone_);
        }
        take_click(c.keyboard);
    }

    bool moving() const override { return views_.explore().playback.moves() || views_.explore().flying; }
    void advance(double seconds) override { views_.explore().playback.advance(seconds); }
    bool busy() const override { return run_ && run_->busy(); }
    bool poll() override { return run_ && run_->poll(); }
    void prepare() override { begin(); }
    bool take_digit(char digit) override {
        if (next_ || by_name_ || !run_ || !run_->ready() || !run_->asks() || run_->revealed() ||
            run_->now().kind != session::QuestionKind::number) {
            return false;
        }
        views_.show_text();
        tools_.give_keyboard("answer");
        question_.begin(digit);
        return true;
    }
    bool dismiss() override {
        const bool selected = views_.explore().selected.kind != scene::Target::Kind::none;
        views_.explore().selected = {};
        return selected;
    }

    std::vector<window::Action> actions() override {
        session::Playback& p = views_.explore().playback;
        std::vector<window::Action> all{
            {"lesson-next", "Lesson: next stage", "N", GLFW_KEY_N, 0, [this] { move(1); }, ""},
            {"lesson-back", "Lesson: stage before", "B", GLFW_KEY_B, 0, [this] { move(-1); }, ""},
            {"lesson-page-next", "Lesson: next stage", "Page Down", GLFW_KEY_PAGE_DOWN, 0, [this] { move(1); }, ""},
            {"lesson-page-back", "Lesson: stage before", "Page Up", GLFW_KEY_PAGE_UP, 0, [this] { move(-1); }, ""},
            {"next-lesson", "Next lesson", "]", GLFW_KEY_RIGHT_BRACKET, 0, [this] { turn(1); }, ""},
            {"previous-lesson", "Previous lesson", "[", GLFW_KEY_LEFT_BRACKET, 0, [this] { turn(-1); }, ""},
            {"lesson-answer", "Lesson: answer the question", "A", GLFW_KEY_A, 0,
             [this] {
                 by_name_ = false;
                 views_.show_text();
                 tools_.give_keyboard("answer");
                 question_.focus();
             },
             ""},
            {"lesson-show", "Lesson: show the answer", "S", GLFW_KEY_S, 0,
             [this] {
                 if (run_ && run_->ready()) {
                     run_->show();
                 }
             },
             ""},
            {"lesson-again", "Lesson: begin again", "", 0, 0,
             [this] {
                 if (run_) {
                     run_->begin_again();
                     views_.forget();
                 }
             },
             ""},
            {"lesson-view", "Lesson: next of text and views", "V", GLFW_KEY_V, 0, [this] { views_.next(alone_); }, ""},
            {"lesson-sizes", "Lesson: change n and the block", "I", GLFW_KEY_I, 0,
             [this] { tools_.give_keyboard("sizes"); }, ""},
            {"lesson-forward", "Step forward", "Right", GLFW_KEY_RIGHT, 0, [&p] { p.step(1); }, ""},
            {"lesson-backward", "Step back", "Left", GLFW_KEY_LEFT, 0, [&p] { p.step(-1); }, ""},
            {"lesson-sub-forward", "Sub-step forward", "Shift+Right", GLFW_KEY_RIGHT, window::kShift,
             [&p] { p.sub_forward(); }, ""},
            {"lesson-sub-back", "Sub-step back", "Shift+Left", GLFW_KEY_LEFT, window::kShift, [&p] { p.sub_back(); },
             ""},
            {"lesson-play", "Play or pause", "Space", GLFW_KEY_SPACE, 0, [&p] { p.toggle(); }, ""},
            {"lesson-fit", "Fit the view", "F", GLFW_KEY_F, 0, [this] { views_.explore().fit(); }, ""},
        };
        for (std::size_t i = 0; i < lessons_.size(); ++i) {
            all.push_back({"lesson-" + lessons_[i].id, "Lesson: " + lessons_[i].title, "", 0, 0,
                           [this, i] {
                               open(i);
                               by_name_ = true;
                           },
                           ""});
            all.back().words = lessons_[i].about;
            for (const session::LessonStage& stage : lessons_[i].stages) {
                all.back().words += "\n" + stage.heading;
            }
        }
        return all;
    }

    std::map<std::string, std::string> values() const override {
        if (lessons_.empty()) {
            return {};
        }
        std::map<std::string, std::string> all{{"lesson", lessons_[lesson_].id},
                                               {"file", lessons_.file(lesson_)},
                                               {"stage", std::to_string((run_ ? run_->stage() : stage_) + 1)},
                                               {"n", n_ == 0 ? "" : std::to_string(n_)},
                                               {"block", block_ == 0 ? "" : std::to_string(block_)}};
        for (const auto& [id, marks] : lessons_.all_marks()) {
            all[kProgress + id] = marks;
        }
        if (const std::string marks = run_ ? run_->marks_text() : ""; session::LessonShelf::answered(marks) > 0) {
            all[kProgress + lessons_[lesson_].id] = marks;
        }
        return all;
    }
    std::map<std::string, std::string> shown() const override {
        std::map<std::string, std::string> all{{"busy", run_ && !next_ && run_->ready() ? "no" : "yes"}};
        const session::Explore& e = views_.explore();
        if (!e.trace()) {
            return all;
        }
        std::string steps; // "load, s = 1, ?"
        const auto& last = e.trace()->launches.back().steps;
        for (std::size_t i = 0; i < last.size(); ++i) {
            steps += (i == 0 ? "" : ", ") + (i < e.hidden_from ? last[i].label : "?");
        }
        all["steps"] = steps;
        return all;
    }
    void restore(const std::map<std::string, std::string>& values) override {
        const auto value = [&](const std::string& key) {
            const auto found = values.find(key);
            return found == values.end() ? std::string() : found->second;
        };
        keep_marks();
        if (const std::string file = value("file"); !file.empty()) {
            try {
                lesson_ = add(file);
            } catch (const Error&) { // deleted, or no longer a lesson
            }
        }
        for (const auto& [key, marks] : values) {
            if (key.starts_with(kProgress)) {
                lessons_.set_marks(key.substr(kProgress.size()), marks);
            }
        }
        lesson_ = lessons_.find(value("lesson")).value_or(lesson_);
        if (lessons_.empty()) {
            return;
        }
        const std::uint64_t n = parse_count(value("n")).value_or(0), block = parse_count(value("block")).value_or(0);
        const Lesson& lesson = lessons_[lesson_];
        const bool fits = block <= 1024 && !refusal(lesson, n == 0 ? lesson.n : n,
                                                    block == 0 ? lesson.block : static_cast<std::uint32_t>(block));
        n_ = fits ? n : 0;
        block_ = fits ? static_cast<std::uint32_t>(block) : 0;
        const std::uint64_t stage = parse_count(value("stage")).value_or(1);
        stage_ = stage >= 1 && stage <= lesson.stages.size() ? static_cast<std::size_t>(stage - 1) : 0;
        run_.reset();
    }
    bool open(const std::string& path) override {
        if (!path.ends_with(".lesson")) {
            return false;
        }
        next_ = add(path);
        return true;
    }
    std::string subject() const override { return "lesson"; }
    // The kernel of the lesson, which it is about to judge itself; where one is to be written, that of Explore.
    std::optional<Judged> judged() const override {
        if (!run_ || run_->now().kind == session::QuestionKind::write) {
            return std::nullopt;
        }
        const auto& trace = views_.explore().trace();
        return Judged{trace ? trace->options.strategy : std::string(), nullptr};
    }
    bool in_state(const std::string& value) const override { return !value.starts_with(kProgress); }

    std::string picture_name() const override {
        return lessons_.empty() ? std::string() : "lesson-" + lessons_[lesson_].id + ".png";
    }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        if (!run_ || !run_->ready()) {
            throw FileError("there is no trace yet");
        }
        const topics::FigureContext context{&scene::theme(look.theme), &measure, look.scale};
        return topics::compose_lesson(
            context, static_cast<float>(look.width), static_cast<float>(look.height),
            {&run_->lesson(), run_->stage(), &run_->traces(), run_->asks() && run_->revealed()});
    }

    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        if (!run_ || !run_->ready() || (end != ".md" && end != ".csv")) {
            return {};
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
        return table_text(lesson_table(*run_, passed.count()), end == ".md" ? TableFormat::markdown : TableFormat::csv);
    }

  private:
    // Another lesson begins with the next frame, not in the middle of one.
    void begin() {
        if (next_) {
            keep_marks();
            lesson_ = *std::exchange(next_, std::nullopt);
            stage_ = 0;
            n_ = 0;
            block_ = 0;
            run_.reset();
        }
        if (run_) {
            return;
        }
        const Lesson& lesson = lessons_[lesson_];
        run_ = std::make_unique<LessonRun>(lesson, n_ == 0 ? lesson.n : n_, block_ == 0 ? lesson.block : block_,
                                           tools_.wake);
        begun_ = std::chrono::steady_clock::now();
        run_->restore_marks(lessons_.marks(lesson_));
        run_->go_to(stage_);
        views_.forget();
    }
    void keep_marks() {
        if (run_) {
            lessons_.set_marks(lessons_[lesson_].id, run_->marks_text());
        }
    }
    void open(std::size_t lesson) {
        next_ = lesson;
        by_name_ = false;
    }
    std::size_t add(const std::string& path) {
        const std::size_t at = lessons_.add(path); // throws the reason if it cannot
        if (run_) {
            keep_marks();
            stage_ = run_->stage();
            run_.reset(); // it may refer to the lesson that was read again
        }
        return at;
    }
    void turn(int by) {
        if (!lessons_.empty()) {
            const auto count = std::ssize(lessons_);
            open(static_cast<std::size_t>((static_cast<std::ptrdiff_t>(lesson_) + by + count) % count));
        }
    }
    void move(int by) {
        by_name_ = false;
        if (!run_ || !run_->ready()) {
            return;
        }
        if (by > 0 && !run_->next() && lesson_ + 1 < lessons_.size()) {
            open(lesson_ + 1);
        } else if (by < 0) {
            run_->previous();
        }
    }

    // A selection by mouse answers a click question; by keys, Enter does.
    void take_click(const panels::Keyboard& keyboard) {
        if (views_.picked() && run_->ready() && run_->asks() && !run_->revealed() && !keyboard.on("answer")) {
            if (const auto given = LessonQuestion::clicked(*run_, views_.explore())) {
                run_->answer(*given);
            }
        }
    }

    void draw_nothing(panels::Context& c, const scene::Rect& area) {
        begin_fixed("lessons-none", area);
        ImGui::SetCursorPos({c.px(16), c.px(16)});
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(lessons_.error().empty() ? "There are no lessons in assets/lessons."
                                                        : lessons_.error().c_str());
        ImGui::PopTextWrapPos();
        end_fixed();
    }

    std::vector<LessonItem> items() const {
        std::vector<LessonItem> all;
        for (std::size_t i = 0; i < lessons_.size(); ++i) {
            const std::string marks = i == lesson_ && run_ ? run_->marks_text() : lessons_.marks(i);
            all.push_back(
                {lessons_[i].id, lessons_[i].title, session::LessonShelf::given(marks), lessons_[i].questions()});
        }
        return all;
    }

    void draw_list(panels::Context& c, const scene::Rect& r) {
        begin_fixed("lessons-list", r);
        const float pad = c.px(12);
        ImGui::SetCursorPos({pad, c.px(8)});
        ImGui::BeginChild("##inside", {r.w - 2 * pad, r.h - c.px(12)});
        const float width = ImGui::GetContentRegionAvail().x;
        if (const auto clicked = draw_lesson_list(c, items(), lesson_, width, tools_)) {
            open(*clicked);
        }
        ImGui::Dummy({0, c.px(10)});
        draw_sizes(c, width);
        ImGui::EndChild();
        end_fixed();
    }

    void draw_sizes(panels::Context& c, float width) {
        if (sizes_.draw(c, *run_, width, tools_)) {
            n_ = run_->n();
            block_ = run_->block();
        }
    }

    // The text, and the source in the rest of the room.
    void draw_left(panels::Context& c, const scene::Rect& r, bool listed) {
        const float gap = c.px(kGap), left = r.h - told_height_ - gap;
        if (left < c.px(kLeastSource) || !run_->ready()) {
            draw_text(c, r, listed);
            return;
        }
        draw_text(c, {r.x, r.y, r.w, told_height_}, listed);
        views_.draw_source(c, {r.x, r.y + told_height_ + gap, r.w, left});
    }
    std::optional<unsigned> loads_of_stage() const {
        try {
            return run_->teller().loads();
        } catch (const OptionError&) {
            return std::nullopt; // the text says so
        }
    }

    void draw_text(panels::Context& c, const scene::Rect& r, bool listed) {
        begin_fixed("lesson-text", r);
        tools_.placed("lesson-text", r);
        const float pad = c.px(14), foot = ImGui::GetFrameHeight() + c.px(8);
        ImGui::SetCursorPos({pad, c.px(10)});
        ImGui::BeginChild("##text", {r.w - 2 * pad, r.h - foot - c.px(20)});
        const Lesson& lesson = run_->lesson();
        if (listed) {
            ImGui::PushFont(c.fonts.font(scene::Face::sans_bold, 18 * c.fonts.scale()));
            paragraph(lesson.title);
            ImGui::PopFont();
            ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
            paragraph(lesson.about);
            ImGui::PopStyleColor();
        } else {
            if (const auto chosen = draw_lesson_box(c, items(), lesson_)) {
                open(*chosen);
            }
            ImGui::Dummy({0, c.px(2)});
        }
        draw_lesson_marks(c, *run_);
        ImGui::PushFont(c.fonts.bold());
        paragraph(run_->now().heading);
        ImGui::PopFont();
        ImGui::Dummy({0, c.px(2)});
        draw_told(c);
        if (run_->ready() && run_->at_end() && run_->revealed()) {
            draw_lesson_summary(c, *run_, lesson_ + 1 < lessons_.size() ? &lessons_[lesson_ + 1] : nullptr, tools_);
        }
        if (!listed) {
            ImGui::Dummy({0, c.px(10)});
            draw_sizes(c, ImGui::GetContentRegionAvail().x);
        }
        const float needed = ImGui::GetCursorPosY() + foot + c.px(24);
        if (std::abs(needed - told_height_) > 0.5F) {
            told_height_ = needed;
            tools_.wake(); // what is below moves
        }
        ImGui::EndChild();
        draw_foot(c, {r.x + pad, r.bottom() - foot, r.w - 2 * pad, foot});
        end_fixed();
    }

    void draw_told(panels::Context& c) {
        if (!run_->ready()) {
            ImGui::TextDisabled("tracing …");
            return;
        }
        try {
            const ImVec2 at = ImGui::GetCursorScreenPos();
            tools_.placed("lesson-told",
                          {at.x, at.y, ImGui::GetContentRegionAvail().x, 1}); // for tests: the question can be drawn
            question_.draw(c, *run_, views_.explore(), *window_);
        } catch (const OptionError& e) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextDisabled("At n = %llu and a block of %u there is nothing to say here: %s",
                                static_cast<unsigned long long>(run_->n()), run_->block(), e.what());
            ImGui::PopTextWrapPos();
        }
    }

    void draw_foot(panels::Context& c, const scene::Rect& r) {
        switch (draw_lesson_foot(c, r, *run_, lesson_ + 1 == lessons_.size(), alone_, tools_)) {
        case LessonFoot::none: break;
        case LessonFoot::back: move(-1); break;
        case LessonFoot::next: move(1); break;
        case LessonFoot::picture: views_.next(alone_); break;
        }
    }

    Tools tools_;
    session::LessonShelf lessons_;
    std::size_t lesson_ = 0, stage_ = 0;
    std::optional<std::size_t> next_; // lesson to begin in the next frame
    std::uint64_t n_ = 0;             // 0: the lesson's own
    std::uint32_t block_ = 0;
    std::unique_ptr<LessonRun> run_;
    std::chrono::steady_clock::time_point begun_;
    LessonViews views_;
    LessonQuestion question_;
    session::Explore* window_ = nullptr; // what the Explore screen shows, where a kernel is written
    LessonSizes sizes_;
    bool by_name_ =
        false;           // opened from the list of actions and not yet worked on: digits are still those of the screens
    bool alone_ = false; // room for either text or views
    float told_height_ = 1e6F; // that text and foot need, from the previous frame
};
} // namespace

std::unique_ptr<Page> make_lessons(const Tools& tools) { return std::make_unique<Lessons>(tools); }

} // namespace warptree::pages
