#include "app/features/lessons/panels/lesson_question.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/features/explore/explore.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/focus.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warptree::pages {

using panels::PanelKey;
using session::LessonAnswer;
using session::LessonRun;
using session::LessonTeller;
using session::Mark;
using session::QuestionKind;

namespace {
constexpr const char* kPanel = "answer"; // its name for the keyboard

void word(const panels::Context& c, const scene::Color& color, const std::string& text) {
    ImGui::PushFont(c.fonts.bold());
    ImGui::PushStyleColor(ImGuiCol_Text, vec(color));
    paragraph(text);
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

// Only the mark is coloured, so that the text stays legible on every background.
void wrong(const panels::Context& c, const std::string& text) {
    ImGui::PushFont(c.fonts.bold());
    ImGui::TextColored(vec(c.theme.attention), "!");
    ImGui::SameLine();
    paragraph(text);
    ImGui::PopFont();
}

bool is_click(QuestionKind kind) {
    return kind == QuestionKind::click_warp || kind == QuestionKind::click_thread || kind == QuestionKind::click_step;
}

// "2,048" and "2^11" are 2048.
std::optional<LessonAnswer> number_from(std::string text) {
    std::erase_if(text, [](char c) { return c == ',' || c == ' '; });
    const bool negative = text.starts_with("-");
    const auto value = parse_count(std::string_view(text).substr(negative ? 1 : 0));
    if (!value || *value > (1ULL << 62)) {
        return std::nullopt;
    }
    return negative ? -static_cast<LessonAnswer>(*value) : static_cast<LessonAnswer>(*value);
}

const Launch* launch_of(const LessonRun& run) {
    const LessonTeller::Place place = run.teller().place(false);
    const Trace& trace = *run.traces().at(place.trace);
    return place.launch < trace.launches.size() ? &trace.launches[place.launch] : nullptr;
}

// "Not 5.", for the last answer given.
std::string given_text(const LessonRun& run) {
    const auto last = run.last();
    const QuestionKind kind = run.now().kind;
    const Launch* l = launch_of(run);
    if (kind == QuestionKind::write) {
        return "Not yet: it runs, but does not do that.";
    }
    if (!last || (kind != QuestionKind::number && !is_click(kind))) {
        return "Not that one.";
    }
    if (kind == QuestionKind::click_step && l != nullptr && *last >= 0 && *last < std::ssize(l->steps)) {
        return fmt::format("Not {}.", l->steps[static_cast<std::size_t>(*last)].label);
    }
    return fmt::format("Not {}{}.",
                       kind == QuestionKind::click_warp     ? "warp "
                       : kind == QuestionKind::click_thread ? "thread "
                                                            : "",
                       *last);
}

scene::Target target_of(QuestionKind kind, const LessonTeller::Place& place, const Launch& l, std::int64_t candidate) {
    using Kind = scene::Target::Kind;
    const auto index = static_cast<std::uint32_t>(candidate);
    const Kind what = kind == QuestionKind::click_warp     ? Kind::warp
                      : kind == QuestionKind::click_thread ? Kind::thread
                                                           : Kind::step;
    return {what, place.launch, l.window_first, index, what == Kind::step ? index : place.step};
}
} // namespace

void paragraph(const std::string& text) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
}

void LessonQuestion::begin(char digit) {
    typed_.fill(0);
    typed_[0] = digit;
    focus_ = goes_on_ = edited_ = true;
    refused_.clear();
}

void LessonQuestion::forget() {
    typed_.fill(0);
    refused_.clear();
    option_ = 0;
    candidate_ = -1;
    focus_ = edited_ = false; // requested when there was no field
    said_ = {};
}

void LessonQuestion::place_item(const char* id) const {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    placed_(id, {from.x, from.y, to.x - from.x, to.y - from.y});
}

std::optional<LessonAnswer> LessonQuestion::clicked(const LessonRun& run, const session::Explore& e) {
    using Kind = scene::Target::Kind;
    const scene::Target& t = e.selected;
    if (!run.ready() || !e.trace() || t.kind == Kind::none || t.launch >= e.trace()->launches.size()) {
        return std::nullopt;
    }
    const Launch& l = e.trace()->launches[t.launch];
    const Node* node = t.kind == Kind::node && t.index < l.nodes.size() ? &l.nodes[t.index] : nullptr;
    std::optional<std::uint32_t> thread, warp, step;
    if (t.kind == Kind::thread) {
        thread = t.index;
    } else if (node != nullptr) {
        thread = node->thread;
        step = node->step;
    }
    if (thread) {
        warp = *thread / kWarpSize;
    } else if (t.kind == Kind::warp) {
        warp = t.index;
    } else if (t.kind == Kind::request && t.index < l.requests.size()) {
        warp = l.requests[t.index].warp;
    }
    if (t.step != kNone) {
        step = t.step;
    } else if (t.kind == Kind::step) {
        step = t.index;
    }
    const auto& found = run.now().kind == QuestionKind::click_warp     ? warp
                        : run.now().kind == QuestionKind::click_thread ? thread
                        : run.now().kind == QuestionKind::click_step   ? step
                                                                       : std::optional<std::uint32_t>();
    return found ? std::optional<LessonAnswer>(*found) : std::nullopt;
}

void LessonQuestion::draw(panels::Context& c, LessonRun& run, session::Explore& explore, session::Explore& window) {
    const LessonTeller teller = run.teller();
    for (const std::string& text : teller.paragraphs()) {
        paragraph(text);
        ImGui::Dummy({0, c.px(4)});
    }
    if (!run.asks()) {
        return;
    }
    ImGui::Dummy({0, c.px(2)});
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::Indent(c.px(12));
    ImGui::PushFont(c.fonts.bold());
    paragraph(teller.ask());
    ImGui::PopFont();
    ImGui::Dummy({0, c.px(2)});
    switch (run.now().kind) {
    case QuestionKind::none: break;
    case QuestionKind::number: draw_number(c, run); break;
    case QuestionKind::choice: draw_options(c, run, teller); break;
    case QuestionKind::write: draw_writing(c, run, teller, window); break;
    default: draw_click(c, run, explore); break;
    }
    draw_outcome(c, run, teller);
    const std::pair now{run.tries(), run.mark()};
    if (std::exchange(said_, now).value_or(now) != now) {
        ImGui::SetScrollHereY(1); // scroll the comment on the answer into view
    }
    ImGui::Unindent(c.px(12));
    const float bottom = ImGui::GetCursorScreenPos().y;
    ImGui::GetWindowDrawList()->AddRectFilled({from.x, from.y}, {from.x + c.px(3), bottom},
                                              ImGui::GetColorU32(vec(c.theme.accent)));
    c.keyboard.end_frame(kPanel);
}

void LessonQuestion::draw_number(panels::Context& c, LessonRun& run) {
    if (run.revealed()) {
        return;
    }
    bool enter = c.keyboard.on(kPanel) && c.keyboard.take(PanelKey::enter);
    if (std::exchange(focus_, false) || (c.keyboard.on(kPanel) && c.keyboard.arrived() != 0)) {
        panels::focus_next_item();
    }
    const float width = std::min(c.px(150), ImGui::GetContentRegionAvail().x * 0.5F);
    const float room = width - 2 * ImGui::GetStyle().FramePadding.x;
    const char* const hint = ImGui::CalcTextSize("type a number").x <= room ? "type a number" : "number";
    ImGui::SetNextItemWidth(width);
    const auto edit = [](ImGuiInputTextCallbackData* data) {
        if (data->EventFlag == ImGuiInputTextFlags_CallbackCharFilter) { // letters and Space are keys of the screen
            return data->EventChar < 256 && std::strchr("0123456789-,^", static_cast<int>(data->EventChar)) != nullptr
                       ? 0
                       : 1;
        }
        if (std::exchange(*static_cast<bool*>(data->UserData), false)) {
            data->CursorPos = data->BufTextLen;
            data->ClearSelection();
        }
        return 0;
    };
    const auto before = typed_;
    enter |= ImGui::InputTextWithHint("##number", hint, typed_.data(), typed_.size(),
                                      ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_CallbackCharFilter |
                                          ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_EnterReturnsTrue,
                                      edit, &goes_on_);
    if (ImGui::IsItemActivated() ||
        ImGui::IsItemClicked()) { // a click in a field that types already takes the panel's keys
        c.keyboard.give(kPanel);
    }
    if (std::strcmp(before.data(), typed_.data()) != 0) { // what was said is of another answer
        edited_ = true;
        refused_.clear();
    }
    place_item("answer-number");
    ImGui::SameLine();
    const bool pressed = ImGui::Button("Answer");
    place_item("answer");
    if (!enter && !pressed) {
        return;
    }
    const auto given = number_from(typed_.data());
    refused_ = given ? "" : "Type a whole number.";
    edited_ = false;
    if (given && run.answer(*given)) {
        c.keyboard.release();
    } else { // the field keeps the keyboard, with its text selected
        c.keyboard.give(kPanel);
        focus_ = true;
    }
}

void LessonQuestion::draw_options(panels::Context& c, LessonRun& run, const LessonTeller& teller) {
    const std::vector<std::string> options = teller.options();
    const int count = static_cast<int>(options.size());
    const bool keys = c.keyboard.on(kPanel) && !run.revealed();
    if (keys) {
        const int by = (c.keyboard.take(PanelKey::down) ? 1 : 0) - (c.keyboard.take(PanelKey::up) ? 1 : 0);
        option_ = std::clamp(option_ + by, 0, count - 1);
    }
    int taken = keys && c.keyboard.take(PanelKey::enter) ? option_ : -1;
    const auto last = run.last();
    for (int i = 0; i < count; ++i) {
        const bool given = last && *last == i;
        const bool right = run.revealed() && teller.right(i);
        const float radius = c.px(6), width = ImGui::GetContentRegionAvail().x;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float indent = c.px(22);
        const ImVec2 size =
            ImGui::CalcTextSize(options[static_cast<std::size_t>(i)].c_str(), nullptr, false, width - indent);
        const float height = size.y + c.px(8);
        if (ImGui::InvisibleButton(("##option" + std::to_string(i)).c_str(), {width, height}) && !run.revealed()) {
            taken = i;
        }
        place_item(("answer-option-" + std::to_string(i)).c_str());
        ImDrawList* list = ImGui::GetWindowDrawList();
        if ((ImGui::IsItemHovered() || (keys && i == option_)) && !run.revealed()) {
            list->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                ImGui::GetColorU32(ImGuiCol_HeaderHovered), c.px(4));
        }
        if (keys && i == option_) {
            panels::focus_ring(c);
        }
        const ImVec2 middle{at.x + c.px(10), at.y + c.px(4) + ImGui::GetTextLineHeight() / 2};
        const ImU32 ink = ImGui::GetColorU32(vec(right ? c.theme.agree : given ? c.theme.attention : c.theme.muted));
        list->AddCircle(middle, radius, ink, 0, c.px(1.5F));
        if (right) {
            list->AddCircleFilled(middle, radius * 0.6F, ink);
        } else if (given) { // crossed out
            const float d = radius * 0.5F;
            list->AddLine({middle.x - d, middle.y - d}, {middle.x + d, middle.y + d}, ink, c.px(1.5F));
            list->AddLine({middle.x - d, middle.y + d}, {middle.x + d, middle.y - d}, ink, c.px(1.5F));
        }
        list->AddText(nullptr, 0, {at.x + indent, at.y + c.px(4)}, ImGui::GetColorU32(ImGuiCol_Text),
                      options[static_cast<std::size_t>(i)].c_str(), nullptr, width - indent);
    }
    if (taken >= 0 && run.answer(taken)) {
        c.keyboard.release();
    }
}

void LessonQuestion::draw_click(panels::Context& c, LessonRun& run, session::Explore& explore) {
    const Launch* l = launch_of(run);
    if (run.revealed() || l == nullptr) {
        return;
    }
    const QuestionKind kind = run.now().kind;
    const char* what = kind == QuestionKind::click_warp     ? "a warp"
                       : kind == QuestionKind::click_thread ? "a thread"
                                                            : "a step";
    const auto count = static_cast<std::int64_t>(kind == QuestionKind::click_warp     ? l->warps()
                                                 : kind == QuestionKind::click_thread ? l->block
                                                                                      : l->steps.size());
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("Click %s in the picture. With keys: A, then arrows, then Enter.", what);
    ImGui::PopTextWrapPos();
    if (!c.keyboard.on(kPanel)) {
        return;
    }
    const int by = (c.keyboard.take(PanelKey::right) || c.keyboard.take(PanelKey::down) ? 1 : 0) -
                   (c.keyboard.take(PanelKey::left) || c.keyboard.take(PanelKey::up) ? 1 : 0);
    if (by != 0 || candidate_ < 0) {
        candidate_ = std::clamp<std::int64_t>(candidate_ + by, 0, count - 1);
        explore.selected = target_of(kind, run.teller().place(false), *l, candidate_);
    }
    const std::string shown = kind == QuestionKind::click_step
                                  ? "step " + l->steps[static_cast<std::size_t>(candidate_)].label
                                  : fmt::format("{} {}", what + 2, candidate_);
    ImGui::TextUnformatted(shown.c_str());
    panels::focus_ring(c);
    if (c.keyboard.take(PanelKey::enter) && run.answer(candidate_)) {
        c.keyboard.release();
    }
}

// The kernel is written on the Explore screen; here its run is judged.
void LessonQuestion::draw_writing(panels::Context& c, LessonRun& run, const LessonTeller& teller, session::Explore& e) {
    if (run.revealed()) {
        return;
    }
    const std::string& id = run.now().written_from;
    const bool open = e.has_copy_of(id);
    const bool enter = c.keyboard.on(kPanel) && c.keyboard.take(PanelKey::enter);
    if (ImGui::Button(open ? "Continue writing" : "Write it") || (enter && !open)) {
        if (!open) {
            e.select_strategy(id);
            e.options.n = run.n();
            e.options.block = run.block();
            e.copy_strategy();
        } else if (!e.on_kernel()) {
            e.show_kernel();
        }
        show_page_("explore");
    }
    place_item("answer-write");
    ImGui::SameLine();
    const bool pressed = ImGui::Button("Check it");
    place_item("answer");
    if (!(enter && open) && !pressed) {
        return;
    }
    const bool ran = open && e.on_kernel() && e.trace() && !e.stale() && e.file().empty();
    refused_ = !open               ? "Nothing is written yet."
               : e.runner().busy() ? "It is still running."
               : !ran              ? "What you wrote does not compile; see Source on the Explore screen."
                                   : "";
    if (ran && run.answer(teller.is_written(*e.trace()) ? 1 : 0)) {
        c.keyboard.release();
    }
}

void LessonQuestion::draw_outcome(panels::Context& c, LessonRun& run, const LessonTeller& teller) {
    if (!run.revealed()) {
        if (!refused_.empty()) {
            wrong(c, refused_);
        } else if (run.tries() > 0) {
            ImGui::Dummy({0, c.px(2)});
            if (!edited_) {
                wrong(c, given_text(run));
            }
            if (const std::string hint = teller.hint(); !hint.empty()) {
                paragraph(hint);
            }
        }
        ImGui::Dummy({0, c.px(2)});
        if (run.tries() > 0) {
            if (ImGui::Button("Show the answer (S)")) {
                run.show();
            }
            place_item("answer-show");
        }
        return;
    }
    ImGui::Dummy({0, c.px(2)});
    if (run.mark() == Mark::shown) {
        word(c, c.theme.text, fmt::format("The answer: {}.", teller.answer_text()));
    } else {
        word(c, c.theme.agree,
             run.now().kind == QuestionKind::choice || run.now().kind == QuestionKind::write
                 ? std::string("Right.")
                 : fmt::format("Right: {}.", teller.answer_text()));
    }
    for (const std::string& text : teller.why()) {
        paragraph(text);
    }
}

} // namespace warptree::pages
