// The Lessons page: the list with what was answered at the left, text and question beside the views of their trace.
#include "app/pages/form.hpp"
#include "app/pages/lesson_question.hpp"
#include "app/pages/page.hpp"
#include "app/panels/canvas.hpp"
#include "app/session/lesson_file.hpp"
#include "app/topics/lesson_sheet.hpp"
#include "kernels/error.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace warptree::pages {

namespace {
using session::Lesson;
using session::LessonRun;
using session::Mark;

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
// At scale 1.
constexpr float kList = 236, kLeastList = 920, kLeastBoth = 520, kGap = 6;

ImU32 u32(const scene::Color& c) { return IM_COL32(c.r, c.g, c.b, c.a); }

class Lessons : public Page {
  public:
    explicit Lessons(const Tools& tools)
        : tools_(tools), explore_([] {}), tree_(panels::make_tree()), warps_(panels::make_warps()),
          banks_(panels::make_banks()), transport_(panels::make_transport()), question_(tools.placed) {
        try {
            lessons_ = session::load_lessons();
        } catch (const Error& e) {
            error_ = e.what();
        }
        marks_.resize(lessons_.size());
    }
    const char* id() const override { return "lessons"; }
    const char* title() const override { return "Lessons"; }
    int digit() const override { return 5; }

    void draw(panels::Context& outer, scene::Rect area) override {
        if (lessons_.empty()) {
            draw_nothing(outer, area);
            return;
        }
        begin();
        explore_.looks = outer.explore.looks;
        explore_.hover = {};
        panels::Context c{explore_, outer.painter, outer.fonts, outer.theme, outer.keyboard, outer.now};
        show_stage();
        const float w = area.w / c.fonts.scale(), gap = c.px(kGap);
        const bool list = w >= kLeastList && !outer.explore.looks.presentation;
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
            if (pictured_) {
                draw_views(c, whole);
            } else {
                draw_text(c, whole, list);
            }
        } else {
            const float text = std::clamp(rest.w * 0.42F, c.px(250), c.px(400));
            draw_text(c, {rest.x + gap, rest.y + gap, text - gap, rest.h - 2 * gap}, list);
            draw_views(c, {rest.x + text + gap, rest.y + gap, rest.w - text - 2 * gap, rest.h - 2 * gap});
        }
        take_click(c.keyboard);
    }

    bool poll() override {
        const bool came = run_ && run_->poll();
        const auto now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - polled_).count();
        polled_ = now;
        const bool plays = explore_.playback.playing();
        explore_.playback.advance(std::min(seconds, 0.1));
        return came || plays;
    }
    bool dismiss() override {
        const bool selected = explore_.selected.kind != scene::Target::Kind::none;
        explore_.selected = {};
        return selected;
    }

    std::vector<window::Action> actions() override {
        session::Playback& p = explore_.playback;
        std::vector<window::Action> all{
            {"lesson-next", "Lesson: next stage", "N", GLFW_KEY_N, 0, [this] { move(1); }, ""},
            {"lesson-back", "Lesson: stage before", "B", GLFW_KEY_B, 0, [this] { move(-1); }, ""},
            {"lesson-page-next", "Lesson: next stage", "Page Down", GLFW_KEY_PAGE_DOWN, 0, [this] { move(1); }, ""},
            {"lesson-page-back", "Lesson: stage before", "Page Up", GLFW_KEY_PAGE_UP, 0, [this] { move(-1); }, ""},
            {"next-lesson", "Next lesson", "]", GLFW_KEY_RIGHT_BRACKET, 0, [this] { turn(1); }, ""},
            {"previous-lesson", "Previous lesson", "[", GLFW_KEY_LEFT_BRACKET, 0, [this] { turn(-1); }, ""},
            {"lesson-answer", "Lesson: answer the question", "A", GLFW_KEY_A, 0,
             [this] {
                 pictured_ = false;
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
                     at_ = {};
                 }
             },
             ""},
            {"lesson-view", "Lesson: next of text and views", "V", GLFW_KEY_V, 0, [this] { next_view(); }, ""},
            {"lesson-sizes", "Lesson: change n and the block", "P", GLFW_KEY_P, 0,
             [this] { tools_.give_keyboard("sizes"); }, ""},
            {"lesson-forward", "Step forward", "Right", GLFW_KEY_RIGHT, 0, [&p] { p.forward(); }, ""},
            {"lesson-backward", "Step back", "Left", GLFW_KEY_LEFT, 0, [&p] { p.back(); }, ""},
            {"lesson-sub-forward", "Sub-step forward", "Shift+Right", GLFW_KEY_RIGHT, window::kShift,
             [&p] { p.sub_forward(); }, ""},
            {"lesson-sub-back", "Sub-step back", "Shift+Left", GLFW_KEY_LEFT, window::kShift, [&p] { p.sub_back(); },
             ""},
            {"lesson-play", "Play or pause", "Space", GLFW_KEY_SPACE, 0, [&p] { p.toggle(); }, ""},
            {"lesson-fit", "Fit the view", "F", GLFW_KEY_F, 0, [this] { explore_.camera = {}; }, ""},
        };
        for (std::size_t i = 0; i < lessons_.size(); ++i) {
            all.push_back(
                {"lesson-" + lessons_[i].id, "Lesson: " + lessons_[i].title, "", 0, 0, [this, i] { open(i); }, ""});
        }
        return all;
    }

    std::map<std::string, std::string> values() const override {
        if (lessons_.empty()) {
            return {};
        }
        std::map<std::string, std::string> all{{"lesson", lessons_[lesson_].id},
                                               {"stage", std::to_string((run_ ? run_->stage() : stage_) + 1)},
                                               {"n", n_ == 0 ? "" : std::to_string(n_)},
                                               {"block", block_ == 0 ? "" : std::to_string(block_)}};
        for (std::size_t i = 0; i < lessons_.size(); ++i) {
            const std::string text = run_ && i == lesson_ ? run_->marks_text() : marks_[i];
            if (text.find_first_not_of('.') != std::string::npos) {
                all["progress-" + lessons_[i].id] = text;
            }
        }
        return all;
    }
    void restore(const std::map<std::string, std::string>& values) override {
        const auto value = [&](const std::string& key) {
            const auto found = values.find(key);
            return found == values.end() ? std::string() : found->second;
        };
        keep_marks();
        for (std::size_t i = 0; i < lessons_.size(); ++i) {
            if (const std::string marks = value("progress-" + lessons_[i].id); !marks.empty()) {
                marks_[i] = marks;
            }
            if (value("lesson") == lessons_[i].id) {
                lesson_ = i;
            }
        }
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
    std::map<std::string, std::string> shown() const override {
        return {{"busy", run_ && !next_ && run_->ready() ? "no" : "yes"}};
    }
    std::string subject() const override { return "lesson"; }
    bool in_state(const std::string& value) const override { return !value.starts_with("progress-"); }

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

  private:
    // What is on the screen of the run, to see when it is another.
    struct Shown {
        std::size_t lesson = SIZE_MAX, stage = 0;
        bool revealed = false;
        const Trace* trace = nullptr;
        friend bool operator==(const Shown&, const Shown&) = default;
    };

    // Another lesson begins with the next frame, not in the midst of one.
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
        run_->restore_marks(marks_[lesson_]);
        run_->go_to(stage_);
        at_ = {};
    }
    void keep_marks() {
        if (run_) {
            marks_[lesson_] = run_->marks_text();
        }
    }
    void open(std::size_t lesson) { next_ = lesson; }
    void turn(int by) {
        if (!lessons_.empty()) {
            const auto count = std::ssize(lessons_);
            open(static_cast<std::size_t>((static_cast<std::ptrdiff_t>(lesson_) + by + count) % count));
        }
    }
    void move(int by) {
        if (!run_ || !run_->ready()) {
            return;
        }
        if (by > 0 && !run_->next() && lesson_ + 1 < lessons_.size()) {
            open(lesson_ + 1);
        } else if (by < 0) {
            run_->previous();
        }
    }
    void next_view() {
        constexpr std::array<const char*, 3> kViews{"tree", "warps", "banks"};
        const auto at = std::find(kViews.begin(), kViews.end(), std::string_view(front_)) - kViews.begin();
        if (alone_ && !pictured_) {
            pictured_ = true;
        } else if (alone_ && at == 2) {
            pictured_ = false;
            front_ = kViews[0];
        } else {
            front_ = kViews[static_cast<std::size_t>((at + 1) % 3)];
        }
    }

    // Brings the views to where the stage is, once for each stage and its answer.
    void show_stage() {
        if (!run_->ready()) {
            return;
        }
        Shown now{lesson_, run_->stage(), run_->asks() && run_->revealed(), nullptr};
        try {
            const session::LessonTeller teller = run_->teller();
            const auto place = teller.place(now.revealed);
            const auto& trace = run_->traces().at(place.trace);
            now.trace = trace.get();
            if (now == at_) {
                return;
            }
            if (now.lesson != at_.lesson || now.stage != at_.stage) {
                question_.forget();
                front_ = run_->now().view;
            }
            at_ = now;
            if (explore_.trace() != trace) {
                explore_.show_file({}, trace);
                explore_.camera = {};
            }
            std::uint32_t at = place.step;
            for (std::uint32_t l = 0; l < place.launch; ++l) {
                at += static_cast<std::uint32_t>(trace->launches[l].steps.size());
            }
            explore_.playback.pause();
            explore_.playback.go_to_place(at);
            if (!now.revealed) {
                explore_.selected = {};
            }
            before_ = explore_.selected;
            explore_.warp = teller.warp().value_or(kNone);
            explore_.request = kNone;
        } catch (const OptionError&) {
            at_ = now; // said in the text
        }
    }

    // A selection that came by the mouse answers a question that asks for one; by keys, Enter does.
    void take_click(const panels::Keyboard& keyboard) {
        if (explore_.selected == before_) {
            return;
        }
        before_ = explore_.selected;
        if (run_->ready() && run_->asks() && !run_->revealed() && !keyboard.on("answer")) {
            if (const auto given = LessonQuestion::clicked(*run_, explore_)) {
                run_->answer(*given);
            }
        }
    }

    void draw_nothing(panels::Context& c, const scene::Rect& area) {
        ImGui::SetNextWindowPos({area.x, area.y});
        ImGui::SetNextWindowSize({area.w, area.h});
        ImGui::Begin("lessons-none", nullptr, kFixed);
        ImGui::SetCursorPos({c.px(16), c.px(16)});
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(error_.empty() ? "There are no lessons in assets/lessons." : error_.c_str());
        ImGui::PopTextWrapPos();
        ImGui::End();
    }

    static std::size_t answered(const std::string& marks) {
        return static_cast<std::size_t>(std::count_if(marks.begin(), marks.end(), [](char m) { return m != '.'; }));
    }

    void draw_list(panels::Context& c, const scene::Rect& r) {
        ImGui::SetNextWindowPos({r.x, r.y});
        ImGui::SetNextWindowSize({r.w, r.h});
        ImGui::Begin("lessons-list", nullptr, kFixed);
        const float pad = c.px(12);
        ImGui::SetCursorPos({pad, c.px(8)});
        ImGui::BeginChild("##inside", {r.w - 2 * pad, r.h - c.px(12)});
        const float width = ImGui::GetContentRegionAvail().x;
        for (std::size_t i = 0; i < lessons_.size(); ++i) {
            const std::string marks = i == lesson_ && run_ ? run_->marks_text() : marks_[i];
            const std::size_t done = answered(marks), all = lessons_[i].questions();
            const std::string count = fmt::format("{}/{}", done, all);
            const float number = ImGui::CalcTextSize(count.c_str()).x;
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float wrap = width - number - c.px(14);
            const ImVec2 size = ImGui::CalcTextSize(lessons_[i].title.c_str(), nullptr, false, wrap);
            if (ImGui::Selectable(("##lesson" + std::to_string(i)).c_str(), i == lesson_, 0,
                                  {width, size.y + c.px(6)})) {
                open(i);
            }
            const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
            tools_.placed("lesson-" + lessons_[i].id, {from.x, from.y, to.x - from.x, to.y - from.y});
            ImDrawList* list = ImGui::GetWindowDrawList();
            list->AddText(nullptr, 0, {at.x + c.px(2), at.y + c.px(3)}, u32(c.theme.text), lessons_[i].title.c_str(),
                          nullptr, wrap);
            list->AddText({at.x + width - number - c.px(4), at.y + c.px(3)},
                          u32(done == all ? c.theme.agree : c.theme.muted), count.c_str());
        }
        ImGui::Dummy({0, c.px(10)});
        draw_sizes(c, width);
        ImGui::EndChild();
        ImGui::End();
    }

    void draw_sizes(panels::Context& c, float width) {
        const std::vector<FormField> fields{{"lesson-n", "elements", std::to_string(run_->n()), {}},
                                            {"lesson-block", "block", std::to_string(run_->block()), {}}};
        const auto resize = [&](std::size_t field, std::uint64_t value) {
            const std::uint64_t n = field == 0 ? value : run_->n();
            const auto block =
                static_cast<std::uint32_t>(field == 0 ? run_->block() : std::min<std::uint64_t>(value, 4096));
            if (run_->resize(n, block)) {
                n_ = n;
                block_ = block;
            }
        };
        sizes_.draw(
            c, width, fields,
            [&](std::size_t field, const std::string& text) { resize(field, parse_count(text).value_or(0)); },
            [&](std::size_t field, int by) {
                const std::uint64_t now = field == 0 ? run_->n() : run_->block();
                resize(field, by > 0 ? now * 2 : now / 2);
            },
            tools_.placed);
        if (!run_->error().empty()) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(("! " + run_->error()).c_str());
            ImGui::PopTextWrapPos();
        }
    }

    // One mark a question: answered at once, later, shown, open.
    void draw_marks(panels::Context& c) const {
        const float r = c.px(5), step = c.px(17);
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImVec2 from = ImGui::GetCursorScreenPos();
        float x = from.x + r + c.px(1);
        for (std::size_t i = 0; i < run_->marks().size(); ++i) {
            if (run_->lesson().stages[i].kind == session::QuestionKind::none) {
                continue;
            }
            const ImVec2 m{x, from.y + c.px(9)};
            const Mark mark = run_->marks()[i];
            const scene::Color& color = mark == Mark::open    ? c.theme.muted
                                        : mark == Mark::shown ? c.theme.text
                                                              : c.theme.agree;
            list->AddCircle(m, r, u32(color), 0, c.px(1.5F));
            if (mark == Mark::at_once) {
                list->AddCircleFilled(m, r, u32(color));
            } else if (mark == Mark::later) {
                list->AddCircleFilled(m, r * 0.5F, u32(color));
            } else if (mark == Mark::shown) {
                list->AddLine({m.x - r, m.y}, {m.x + r, m.y}, u32(color), c.px(1.5F));
            }
            if (i == run_->stage()) {
                list->AddRectFilled({m.x - r, m.y + r + c.px(3)}, {m.x + r, m.y + r + c.px(5)}, u32(c.theme.accent));
            }
            x += step;
        }
        ImGui::Dummy({x - from.x, c.px(20)});
    }

    void draw_text(panels::Context& c, const scene::Rect& r, bool listed) {
        ImGui::SetNextWindowPos({r.x, r.y});
        ImGui::SetNextWindowSize({r.w, r.h});
        ImGui::Begin("lesson-text", nullptr, kFixed);
        tools_.placed("lesson-text", r);
        const float pad = c.px(14), foot = ImGui::GetFrameHeight() + c.px(8);
        ImGui::SetCursorPos({pad, c.px(10)});
        ImGui::BeginChild("##text", {r.w - 2 * pad, r.h - foot - c.px(20)});
        if (!listed) {
            draw_choice(c);
        }
        const Lesson& lesson = run_->lesson();
        if (listed) {
            ImGui::PushFont(c.fonts.font(scene::Face::sans_bold, 18 * c.fonts.scale()));
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(lesson.title.c_str());
            ImGui::PopTextWrapPos();
            ImGui::PopFont();
            ImGui::PushTextWrapPos(0);
            ImGui::TextDisabled("%s", lesson.about.c_str());
            ImGui::PopTextWrapPos();
        }
        draw_marks(c);
        ImGui::PushFont(c.fonts.bold());
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(run_->now().heading.c_str());
        ImGui::PopTextWrapPos();
        ImGui::PopFont();
        ImGui::Dummy({0, c.px(2)});
        draw_told(c);
        if (!listed) {
            ImGui::Dummy({0, c.px(10)});
            draw_sizes(c, ImGui::GetContentRegionAvail().x);
        }
        ImGui::EndChild();
        draw_foot(c, {r.x + pad, r.bottom() - foot, r.w - 2 * pad, foot});
        ImGui::End();
    }

    void draw_told(panels::Context& c) {
        if (!run_->ready()) {
            ImGui::TextDisabled("tracing …");
            return;
        }
        try {
            const ImVec2 at = ImGui::GetCursorScreenPos();
            tools_.placed("lesson-told",
                          {at.x, at.y, ImGui::GetContentRegionAvail().x, 1}); // what is asked can be told
            question_.draw(c, *run_, explore_);
        } catch (const OptionError& e) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextDisabled("At n = %llu and a block of %u there is nothing to say here: %s",
                                static_cast<unsigned long long>(run_->n()), run_->block(), e.what());
            ImGui::PopTextWrapPos();
        }
    }

    // The list where there is no room for it.
    void draw_choice(panels::Context& c) {
        if (begin_combo(c, "##lesson", lessons_[lesson_].title, ImGui::GetContentRegionAvail().x)) {
            for (std::size_t i = 0; i < lessons_.size(); ++i) {
                if (ImGui::Selectable(lessons_[i].title.c_str(), i == lesson_)) {
                    open(i);
                }
            }
            ImGui::EndCombo();
        }
        ImGui::Dummy({0, c.px(2)});
    }

    void draw_foot(panels::Context& c, const scene::Rect& r) {
        ImGui::SetCursorScreenPos({r.x, r.y});
        if (ImGui::Button("Back (B)")) {
            move(-1);
        }
        placed_item("lesson-back");
        ImGui::SameLine();
        const bool last = run_->ready() && run_->at_end();
        if (last && lesson_ + 1 == lessons_.size()) {
            ImGui::AlignTextToFramePadding();
            ImGui::TextDisabled("The end");
        } else {
            const bool lit = run_->ready() && run_->revealed();
            ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(lit ? ImGuiCol_Header : ImGuiCol_Button));
            if (ImGui::Button(last ? "Next lesson (N)" : "Next (N)")) {
                move(1);
            }
            ImGui::PopStyleColor();
            placed_item("lesson-next");
        }
        if (alone_) {
            const char* text = "Picture (V)";
            const float w = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
            if (ImGui::GetItemRectMax().x + c.px(8) + w < r.right()) {
                ImGui::SameLine();
                ImGui::SetCursorScreenPos({r.right() - w, r.y});
                if (ImGui::Button(text)) {
                    next_view();
                }
            }
        }
    }
    void placed_item(const char* id) const {
        const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
        tools_.placed(id, {from.x, from.y, to.x - from.x, to.y - from.y});
    }

    void draw_views(panels::Context& c, const scene::Rect& r) {
        const float gap = c.px(kGap), foot = c.px(r.h / c.fonts.scale() < 330 ? 46 : 60);
        const float h = r.h - foot - gap;
        const bool several = h >= c.px(330) && r.w >= c.px(480);
        if (several) {
            const float tree = (h - gap) * 0.5F, warps = (r.w - gap) * 0.58F;
            draw_panel(c, *tree_, {r.x, r.y, r.w, tree}, false);
            const float y = r.y + tree + gap;
            draw_panel(c, *warps_, {r.x, y, warps, h - tree - gap}, false);
            draw_panel(c, *banks_, {r.x + warps + gap, y, r.w - warps - gap, h - tree - gap}, false);
        } else {
            panels::Panel& panel = front_ == "tree" ? *tree_ : front_ == "warps" ? *warps_ : *banks_;
            draw_panel(c, panel, {r.x, r.y, r.w, h}, true);
        }
        draw_panel(c, *transport_, {r.x, r.y + h + gap, r.w, foot}, false);
    }

    void draw_panel(panels::Context& c, panels::Panel& panel, const scene::Rect& r, bool tabs) {
        ImGui::SetNextWindowPos({r.x, r.y});
        ImGui::SetNextWindowSize({r.w, r.h});
        const std::string name = std::string("lesson-") + panel.id();
        ImGui::Begin(name.c_str(), nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse);
        tools_.placed(name, r);
        const float pad = c.px(12), top = c.px(8), row = ImGui::GetTextLineHeight() + c.px(8);
        scene::Rect area{r.x + pad, r.y + top, r.w - 2 * pad, r.h - 2 * top};
        if (tabs) {
            draw_tabs(c, area);
        } else if (*panel.title() != '\0') {
            ImDrawList* list = ImGui::GetWindowDrawList();
            ImGui::PushFont(c.fonts.bold());
            const float title = ImGui::CalcTextSize(panel.title()).x;
            list->AddText({area.x, area.y}, u32(c.theme.text), panel.title());
            ImGui::PopFont();
            const std::string note = explore_.trace() ? panel.note(c) : std::string();
            if (title + ImGui::CalcTextSize(note.c_str()).x + c.px(14) < area.w) {
                list->AddText({area.x + title + c.px(14), area.y}, u32(c.theme.muted), note.c_str());
            }
        }
        if (tabs || *panel.title() != '\0') {
            area.y += row;
            area.h -= row;
        }
        ImGui::SetCursorScreenPos({area.x, area.y});
        if (explore_.trace()) {
            panel.draw(c, area);
        }
        ImGui::End();
    }

    void draw_tabs(panels::Context& c, const scene::Rect& area) {
        float x = area.x;
        ImDrawList* list = ImGui::GetWindowDrawList();
        for (const auto& [id, text] :
             {std::pair{"tree", "Tree"}, {"warps", "Warps"}, {"banks", "Banks"}, {"", "Text"}}) {
            if (*id == '\0' && !alone_) {
                continue;
            }
            const float w = ImGui::CalcTextSize(text).x + c.px(16);
            if (x + w > area.right()) {
                break;
            }
            ImGui::SetCursorScreenPos({x, area.y});
            if (ImGui::InvisibleButton((std::string("##tab-") + id).c_str(),
                                       {w, ImGui::GetTextLineHeight() + c.px(4)})) {
                pictured_ = *id != '\0';
                front_ = *id == '\0' ? front_ : id;
            }
            const bool front = front_ == id;
            list->AddText({x + c.px(8), area.y}, u32(front ? c.theme.text : c.theme.muted), text);
            if (front) {
                const float line = area.y + ImGui::GetTextLineHeight() + c.px(2);
                list->AddRectFilled({x + c.px(8), line}, {x + w - c.px(8), line + c.px(2)}, u32(c.theme.accent));
            }
            x += w;
        }
    }

    Tools tools_;
    std::vector<Lesson> lessons_;
    std::string error_;
    std::vector<std::string> marks_; // of each lesson; of the one being taken, the run has them
    std::size_t lesson_ = 0, stage_ = 0;
    std::optional<std::size_t> next_; // lesson
    std::uint64_t n_ = 0;             // 0: the lesson's own
    std::uint32_t block_ = 0;
    session::Explore explore_; // where the views of the lesson are
    std::unique_ptr<LessonRun> run_;
    std::unique_ptr<panels::Panel> tree_, warps_, banks_, transport_;
    LessonQuestion question_;
    Form sizes_{"sizes"};
    Shown at_;
    scene::Target before_;       // the selection of the frame before
    std::string front_ = "tree"; // the view where there is room for one
    bool alone_ = false;         // text and views take turns
    bool pictured_ = false;      // it is the views' turn
    std::chrono::steady_clock::time_point polled_ = std::chrono::steady_clock::now();
};
} // namespace

std::unique_ptr<Page> make_lessons(const Tools& tools) { return std::make_unique<Lessons>(tools); }

} // namespace warptree::pages
