#include "app/base/error.hpp"
#include "app/document/recordings.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/explore/panels/panel.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/overflow.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/parts.hpp"
#include "app/views/recorded.hpp"
#include "app/views/running.hpp"
#include "app/views/summary_kernel.hpp"
#include "app/views/totals.hpp"
#include "app/views/warps/lifeline.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace warptree::panels {

namespace {

class ThisStep : public Panel {
  public:
    const char* id() const override { return "step"; }
    const char* title() const override { return "This step"; }
    std::string note(const Context& c) const override {
        if (!c.explore.trace() || c.explore.of_another()) {
            return {};
        }
        const session::Moment& moment = c.explore.playback.moment();
        const std::string title = scene::summarize(*c.explore.trace(), moment).title;
        return moment.complete() ? title : title + ", " + name(moment.sub_step());
    }
    void draw(Context& c, scene::Rect area) override {
        if (!c.explore.trace() || c.explore.of_another()) {
            return;
        }
        const Trace& trace = *c.explore.trace();
        const scene::StepSummary summary = scene::summarize(trace, c.explore.playback.moment());
        ImGui::BeginChild("##facts", {area.w, area.h});
        if (!c.explore.told.empty() && c.explore.hidden_from == kNone) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextColored(vec(c.theme.accent), "%s",
                               pages::in_lines(c.explore.told, ImGui::GetContentRegionAvail().x).c_str());
            ImGui::PopTextWrapPos();
            ImGui::Dummy({0, c.px(4)});
        }
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(pages::in_lines(summary.sentence, ImGui::GetContentRegionAvail().x).c_str());
        ImGui::PopTextWrapPos();
        ImGui::Dummy({0, c.px(4)});
        draw_lifeline(c, trace);
        const float width = ImGui::GetContentRegionAvail().x;
        std::vector<scene::Fact> facts = summary.facts;
        const scene::Fact outcome =
            is_kernel_file(trace) || is_program(trace) ? scene::kernel_result(trace) : result(trace);
        const bool ended = is_last(trace, c.explore.playback.moment()); // before, the outcome is the whole run's
        auto at = std::find_if(facts.begin(), facts.end(), [&](const scene::Fact& f) {
            return f.label == "result" || f.label == outcome.label; // a kernel file's may have another name
        });
        const bool first = outcome.attention || ended;
        if (at == facts.end() && first) {
            at = facts.insert(at, outcome);
        }
        const bool wraps = !overflow(c).empty();
        if (at != facts.end() && (at->attention || wraps)) { // show it first, visible without scrolling
            row(c, width, *at);
            facts.erase(at);
        }
        if (const std::optional<scene::Fact> now = ended ? std::nullopt : so_far(c)) {
            facts.push_back(*now);
        }
        if (wraps) {
            row(c, width, {"overflow", "wraps around", overflow_, true}, true);
        }
        for (const scene::Fact& fact : facts) {
            row(c, width, fact);
        }
        for (const scene::Fact& fact : recorded(trace, c.explore.playback.moment())) {
            row(c, width, fact, true);
        }
        if (c.explore.hidden_from == kNone) {
            draw_totals(c, trace, width, first ? nullptr : &outcome);
        }
        dim_what_is_old(c, area);
        ImGui::EndChild();
    }

  private:
    static bool is_last(const Trace& trace, const session::Moment& moment) {
        return scene::is_host(trace, moment) || trace.launches.empty() ||
               (moment.launch + 1 == trace.launches.size() && moment.step + 1 >= trace.launches.back().steps.size());
    }
    // As contents are replayed from the launch's start, once a step.
    std::optional<scene::Fact> so_far(const Context& c) {
        const std::shared_ptr<const Trace>& trace = c.explore.trace();
        const session::Moment& moment = c.explore.playback.moment();
        const std::pair at(moment.launch, moment.step);
        if (so_far_of_.lock() != trace || so_far_at_ != at) {
            so_far_of_ = trace;
            so_far_at_ = at;
            so_far_ = scene::output_after(*trace, moment.launch, moment.step);
        }
        return so_far_;
    }
    // What the whole run adds up to, and what of it is most beyond its ideal. outcome: if it is not said above.
    void draw_totals(const Context& c, const Trace& trace, float width, const scene::Fact* outcome) {
        const scene::RunTotals& totals = totals_of(c);
        if (totals.facts.empty() && outcome == nullptr) {
            return;
        }
        ImGui::Dummy({0, c.px(4)});
        const ImVec2 top = ImGui::GetCursorScreenPos();
        ImGui::PushFont(c.fonts.bold());
        ImGui::TextUnformatted("The whole run");
        ImGui::PopFont();
        for (const std::string& tried : sentences(trace.tried)) {
            ImGui::PushStyleColor(ImGuiCol_Text, u32(c.theme.attention));
            const std::string text = "Launched differently, " + tried + (tried.ends_with('.') ? "" : ".");
            ImGui::TextWrapped("%s", pages::in_lines(text, ImGui::GetContentRegionAvail().x).c_str());
            ImGui::PopStyleColor();
        }
        if (!totals.limit.empty()) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(pages::in_lines(totals.limit, ImGui::GetContentRegionAvail().x).c_str());
            ImGui::PopTextWrapPos();
        }
        if (outcome != nullptr) {
            row(c, width, *outcome);
        }
        for (const scene::Fact& fact : totals.facts) {
            row(c, width, fact);
        }
        const float seen = ImGui::GetWindowPos().y + ImGui::GetWindowHeight(); // the panel scrolls
        if (const float end = std::min(ImGui::GetCursorScreenPos().y, seen); end > top.y) {
            c.placed("run-totals", {top.x, top.y, width, end - top.y});
        }
    }
    // What is of the whole run is found out once.
    void look_at(const std::shared_ptr<const Trace>& trace) {
        if (trace_.lock() != trace) {
            trace_ = trace;
            overflow_ = expects_nothing(*trace) ? std::string() : explain_overflow(*trace);
            totals_ = scene::totals(*trace);
        }
    }
    // Why the result wraps around; empty: it does not.
    const std::string& overflow(const Context& c) {
        look_at(c.explore.trace());
        return overflow_;
    }
    const scene::RunTotals& totals_of(const Context& c) {
        look_at(c.explore.trace());
        return totals_;
    }
    // Recordings from real GPUs; an unusable file is reported here.
    static std::vector<scene::Fact> recorded(const Trace& trace, const session::Moment& moment) {
        std::vector<scene::Fact> facts;
        try {
            if (const auto* r = session::nearest_clocks(trace.options.strategy, trace.block(), trace.options.type)) {
                facts = scene::clock_facts(trace, moment, *r);
            }
            for (const counters::Recording& r : session::recorded_counters()) {
                for (scene::Fact& fact : scene::counter_facts(trace, r, session::explanations())) {
                    facts.push_back(std::move(fact));
                }
            }
        } catch (const FileError& e) {
            facts.push_back({"recorded on a GPU", "not readable", e.what(), true});
        }
        return facts;
    }
    static scene::Fact result(const Trace& t) {
        if (std::string missing = missing_result(t); !missing.empty()) {
            return {"result", "none", std::move(missing), true};
        }
        return {"result", to_string(t.result), t.pass ? "correct" : "WRONG, should be " + to_string(t.reference),
                !t.pass};
    }
    // The selected thread's lifeline: a line with a dot for each event; hollow dots are still to come.
    static void draw_lifeline(const Context& c, const Trace& trace) {
        const ImVec2 top = ImGui::GetCursorScreenPos();
        const session::Moment& moment = c.explore.playback.moment();
        const std::uint32_t thread = scene::thread_of(trace, moment, c.explore.selected);
        const std::uint32_t block = c.explore.selected.block;
        const auto events =
            thread == kNone ? std::vector<scene::LifeEvent>() : scene::lifeline(trace, moment, block, thread);
        if (events.empty() || (c.explore.hidden_from != kNone && moment.step >= c.explore.hidden_from)) {
            return;
        }
        ImGui::PushFont(c.fonts.bold());
        ImGui::TextUnformatted(fmt::format("Thread {}{}, warp {}, lane {}", thread,
                                           coordinates(scene::shown_launch(trace, moment)->block_shape, thread),
                                           thread / kWarpSize, thread % kWarpSize)
                                   .c_str());
        ImGui::PopFont();
        ImDrawList* list = ImGui::GetWindowDrawList();
        const float line = ImGui::GetTextLineHeight(), dot = c.px(4);
        const float x = ImGui::GetCursorScreenPos().x + dot + c.px(2);
        float above = -1;
        for (const scene::LifeEvent& event : events) {
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float y = at.y + line / 2;
            const bool waits = event.part == session::SubStep::barrier;
            const bool there = moment.complete() || event.part < moment.sub_step() || event.part == moment.sub_step();
            const ImU32 ink = ImGui::GetColorU32(vec(event.attention ? c.theme.hazard
                                                     : waits         ? c.theme.agree
                                                                     : c.theme.accent));
            if (above >= 0) {
                list->AddLine({x, above + dot}, {x, y - dot}, ImGui::GetColorU32(vec(c.theme.muted)), c.px(1.5F));
            }
            if (waits) {
                list->AddRectFilled({x - dot * 1.5F, y - c.px(1)}, {x + dot * 1.5F, y + c.px(1)},
                                    there ? ink : ImGui::GetColorU32(vec(c.theme.faint)));
            } else if (there) {
                list->AddCircleFilled({x, y}, dot, ink);
            } else {
                list->AddCircle({x, y}, dot, ink, 0, c.px(1.5F));
            }
            above = y;
            ImGui::SetCursorScreenPos({x + dot * 2.5F, at.y});
            ImGui::PushTextWrapPos(0);
            std::string text = event.text + (event.line.known() ? ", " + scene::written_at(trace, event.line) : "");
            ImGui::TextUnformatted(text.c_str());
            ImGui::PopTextWrapPos();
        }
        c.placed("lifeline", {top.x, top.y, ImGui::GetContentRegionAvail().x, ImGui::GetCursorScreenPos().y - top.y});
        ImGui::Dummy({0, c.px(4)});
    }
    // A note that is a sentence is shown below the value. Any other is beside it; if there is no room, below where the
    // fact calls for attention, else as a tooltip.
    static void row(const Context& c, float width, const scene::Fact& fact, bool sentence = false) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddLine({at.x, at.y}, {at.x + width, at.y}, ImGui::GetColorU32(ImGuiCol_Separator));
        ImGui::Dummy({0, c.px(1)});
        ImGui::TextUnformatted(fact.label.c_str());
        const float label_width = ImGui::CalcTextSize(fact.label.c_str()).x;
        ImGui::PushFont(c.fonts.mono());
        const std::string mark = fact.attention ? "! " : "";
        const float mark_width = ImGui::CalcTextSize(mark.c_str()).x;
        const float value_width = mark_width + ImGui::CalcTextSize(fact.value.c_str()).x;
        const float right = width * 0.64F;
        const float start = std::max(label_width + c.px(8), right - value_width);
        const bool beside = start + value_width <= width; // else on lines of its own
        if (beside) {
            ImGui::SameLine(start);
        }
        ImGui::PushTextWrapPos(beside ? -1.0F : 0.0F);
        if (fact.attention) { // the mark has the colour; the value stays legible on every background
            ImGui::TextColored(vec(c.theme.attention), "%s", mark.c_str());
            ImGui::SameLine(0, 0);
        }
        ImGui::TextUnformatted(fact.value.c_str());
        ImGui::PopTextWrapPos();
        ImGui::PopFont();
        const float note = ImGui::CalcTextSize(fact.note.c_str()).x;
        if (!fact.note.empty() && !sentence && note < width - (start + value_width) - c.px(8)) {
            ImGui::SameLine(width - note);
            ImGui::TextDisabled("%s", fact.note.c_str());
        } else if (!fact.note.empty() && (sentence || fact.attention)) {
            ImGui::PushStyleColor(ImGuiCol_Text, vec(c.theme.muted));
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(fact.note.c_str());
            ImGui::PopTextWrapPos();
            ImGui::PopStyleColor();
        } else if (!fact.note.empty() && ImGui::IsItemHovered()) {
            pages::tooltip(c, fact.note);
        }
    }

    std::string overflow_; // of trace_, like the totals
    std::optional<scene::Fact> so_far_;
    std::weak_ptr<const Trace> so_far_of_;
    std::pair<std::uint32_t, std::uint32_t> so_far_at_;
    scene::RunTotals totals_;
    std::weak_ptr<const Trace> trace_;
};
} // namespace

std::unique_ptr<Panel> make_this_step() { return std::make_unique<ThisStep>(); }

} // namespace warptree::panels
