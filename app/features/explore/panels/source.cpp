// The text that runs, read-only for a strategy, editable for a kernel file, with findings at their lines.
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/explore/panels/code_columns.hpp"
#include "app/features/explore/panels/code_editor.hpp"
#include "app/features/explore/panels/printed.hpp"

#include "app/base/error.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/focus.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/run/tries/other_launch.hpp"
#include "app/trace/explain/accesses.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/locals.hpp"
#include "app/trace/explain/sources.hpp"
#include "app/trace/explain/told_findings.hpp"
#include "app/views/memory/memory.hpp"
#include "app/views/parts.hpp"
#include "app/views/running.hpp"
#include "app/views/verdict.hpp"
#include "app/views/warps/lifeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace warptree::panels {

namespace {
constexpr const char* kLaunchSo = " A click launches it so.";

class Source : public Panel {
  public:
    const char* id() const override { return "source"; }
    const char* title() const override { return "Source"; }
    std::string note(const Context& c) const override {
        if (c.explore.on_kernel()) {
            const session::KernelFile& file = *c.explore.kernel();
            return file.name() + (file.unsaved() ? ", not saved" : "");
        }
        const auto& trace = c.explore.trace();
        return trace && !c.explore.of_another()
                   ? std::string(file_of(*trace, scene::running_line(*trace, c.explore.playback.moment())))
                   : std::string();
    }
    void draw(Context& c, scene::Rect area) override {
        if (c.explore.of_another()) {
            return;
        }
        if (c.explore.trace()) {
            area = columns_.draw(c, printed_.draw(c, columns_.choose(c, area)));
        }
        if (c.explore.on_kernel() && c.explore.file().empty()) {
            edit(c, area);
        } else if (c.explore.trace()) {
            read(c, area);
        }
    }

  private:
    void read(Context& c, scene::Rect area) {
        scene::SourceMarks marked{columns_.lit_source(), columns_.chosen_source(c), columns_.shown_source(), {}};
        if (marked.shown != shown_) {
            scroll_ = 0;
            shown_ = marked.shown;
        }
        if (paint(c, scene::draw_source(view_of(c), area, scroll_, &marked), "##source")) {
            const ImGuiIO& io = ImGui::GetIO();
            scroll_ -= io.MouseWheel * c.px(48);
            for (const auto& [place, row] : marked.places) {
                if (place.contains({io.MousePos.x, io.MousePos.y})) {
                    columns_.point_at_source(c, row, ImGui::IsMouseClicked(ImGuiMouseButton_Left));
                }
            }
        }
        const auto place = c.explore.playback.place();
        if (place != place_ || c.explore.trace().get() != trace_) { // follow the running line again
            scroll_ = 0;
            place_ = place;
            trace_ = c.explore.trace().get();
        }
        if (c.keyboard.on(id())) { // nothing to edit here
            c.keyboard.release();
        }
    }

    // The messages shown below the text and marked in it.
    static std::vector<CodeMark> marks(const session::Explore& e) {
        std::vector<CodeMark> all;
        const std::string own = e.kernel()->name();
        for (const compile::Diagnostic& d : e.diagnostics) {
            using Severity = compile::Diagnostic::Severity;
            const auto kind = d.severity == Severity::error     ? CodeMark::Kind::error
                              : d.severity == Severity::warning ? CodeMark::Kind::warning
                                                                : CodeMark::Kind::note;
            const bool here = d.file == own;
            const std::string place = d.line == 0 ? "" : fmt::format("{}{}: ", here ? "" : d.file + ":", d.line);
            CodeMark mark{kind, here ? d.line : 0, 0, 0, place + d.message};
            if (mark.line != 0) {
                mark.first = d.column;
                mark.end = d.column + 1;
                for (const compile::Diagnostic::Range& r : d.ranges) {
                    if (r.line == d.line) {
                        mark.first = std::min(mark.first, r.first);
                        mark.end = std::max(mark.end, r.end);
                    }
                }
            }
            all.push_back(std::move(mark));
        }
        if (all.empty() && !e.error.empty()) { // of the whole file: it has no kernel, or its launch is impossible
            all.push_back({CodeMark::Kind::error, 0, 0, 0, e.error});
        }
        if (!all.empty() || !e.trace() || e.stale()) {
            return all;
        }
        const auto own_line = [](SourceLine line) { return line.file() == 0 ? line.line() : 0; };
        const auto add = [&](const Finding& f, const std::string& text, std::uint32_t launch, std::uint32_t number) {
            all.push_back({f.severity == warptree::Severity::fault ? CodeMark::Kind::fault : CodeMark::Kind::risk,
                           own_line(f.line), 0, 0, warptree::title(f) + text, own_line(f.other_line), launch, number});
        };
        std::vector<ToldFinding> told = told_findings(*e.trace());
        std::stable_sort(told.begin(), told.end(), [](const ToldFinding& a, const ToldFinding& b) { // as the steps go
            return std::pair(a.launch, a.finding->step) < std::pair(b.launch, b.finding->step);
        });
        for (const ToldFinding& one : told) {
            const Launch& launch = e.trace()->launches[one.launch];
            const Finding& it = *one.finding;
            const std::string called =
                ends_the_run(it) && !e.on_program() && !e.trace()->chosen.empty()
                    ? fmt::format(" Nobody says how it is called; chosen: {}.", fmt::join(e.trace()->chosen, ", "))
                    : "";
            add(it,
                warptree::how_often(it.kind, it.times) + ": " + sentence(*e.trace(), launch, it) +
                    said_besides(*e.trace(), one) + called,
                static_cast<std::uint32_t>(one.launch), static_cast<std::uint32_t>(&it - launch.findings.data()));
        }
        for (std::uint32_t i = 0; i < e.trace()->tried.size(); ++i) { // which is not shown
            if (const OtherLaunch& tried = e.trace()->tried[i]; tried.wrong) {
                const bool can = runs::launched_so(e.options, *e.trace(), tried).has_value();
                const std::string said = "launched differently, " + sentence(tried);
                all.push_back({CodeMark::Kind::risk, own_line(tried.line), 0, 0,
                               said + (!can                  ? ""
                                       : said.ends_with('.') ? kLaunchSo
                                                             : std::string(".") + kLaunchSo),
                               0, 0, kNone, can ? i : kNone});
            }
        }
        for (std::uint32_t i = 0; i < e.trace()->program.findings.size(); ++i) {
            const Finding& f = e.trace()->program.findings[i];
            add(f, ": " + sentence(*e.trace(), f), runs::FindingPlace::kHost, i);
        }
        if (const int exit = e.trace()->program.exit; exit != 0 && e.trace()->completed()) {
            all.push_back({CodeMark::Kind::warning, 0, 0, 0, fmt::format("the program itself ends with {}", exit), 0,
                           runs::FindingPlace::kFailure});
        }
        for (const LineCost& cost : e.costs()) {
            const bool first = &cost == e.costs().data();
            all.push_back({CodeMark::Kind::note, own_line(cost.line), 0, 0, "cost: " + cost.text, 0,
                           first ? runs::FindingPlace::kCost : 0});
        }
        // What spoils the result before what may, of every launch and of the host.
        std::stable_sort(all.begin(), all.end(), [](const CodeMark& a, const CodeMark& b) { return a.kind < b.kind; });
        return all;
    }

    void edit(Context& c, scene::Rect area) {
        session::Explore& e = c.explore;
        const session::KernelFile& file = *e.kernel();
        if (&file != file_ || text_ != file.text()) { // changed on disk, or another file
            if (&file != file_) {
                message_ = 0;
            }
            file_ = &file;
            text_ = file.text();
            editor_.text_replaced();
        }
        const std::vector<CodeMark> said = marks(e);
        message_ = std::min(message_, said.size());
        keys(c, said);
        area = conflict(c, area);
        area = search(c, area);
        const scene::Rect code = below(c, area, said);
        CodeEditor::Look look;
        look.faded = e.stale();
        look.searching = searching_;
        if (e.trace() && !e.stale()) {
            const SourceLine line = scene::running_line(*e.trace(), e.playback.moment());
            look.running = line.file() == 0 ? line.line() : 0;
            const auto now = std::pair{e.trace().get(), e.playback.place()};
            if (now != followed_ || std::exchange(room_, code.h) > code.h) { // also where there is less room
                followed_ = now;
                editor_.follow(look.running);
            }
            look.lit = lit_lines(*e.trace());
        }
        if (const std::uint32_t line = std::exchange(e.line_asked, 0); line != 0) {
            editor_.go_to(line, 1);
            asked_ = {line, e.playback.place()};
        }
        if (asked_.second != e.playback.place() || editor_.active()) { // until something else is looked at
            asked_ = {};
        } else if (asked_.first != 0) {
            look.lit.push_back(asked_.first);
        }
        if (const auto& at = editor_.pointed(); at && e.trace() && !e.stale()) {
            columns_.point_at_source(c, at->line - 1, false); // the file's own rows come first
        }
        const bool was = editor_.active();
        if (editor_.draw(c, code, text_, said, look)) {
            e.edit_kernel(text_, c.now);
        }
        const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left); // which takes the keyboard from every panel
        if (editor_.active() && (!was || clicked) && !c.keyboard.on(id())) {
            c.keyboard.give(id());
        } else if (!editor_.active() && was && c.keyboard.on(id()) && !searching_) {
            c.keyboard.release();
        }
        tell(c, said);
    }

    // Lines of the kernel's own file that correspond to the line chosen in the listings.
    std::vector<std::uint32_t> lit_lines(const Trace& trace) const {
        const auto files = sources(trace);
        const auto own = files.empty() ? 0 : std::count(files.front().text.begin(), files.front().text.end(), '\n') + 1;
        std::vector<std::uint32_t> lines;
        for (const std::uint32_t row : columns_.lit_source()) {
            if (row < own) {
                lines.push_back(row + 1);
            }
        }
        return lines;
    }

    void keys(Context& c, const std::vector<CodeMark>& said) {
        session::Explore& e = c.explore;
        Keyboard& k = c.keyboard;
        if (k.on(id())) {
            if (k.arrived() != 0) {
                editor_.focus();
            }
            if (k.take(PanelKey::find)) {
                searching_ = opened_search_ = true;
            }
            if (k.take(PanelKey::undo)) {
                editor_.undo();
            }
            if (k.take(PanelKey::redo)) {
                editor_.redo();
            }
            for (; k.take(PanelKey::next);) {
                editor_.indent(1);
            }
            for (; k.take(PanelKey::previous);) {
                editor_.indent(-1);
            }
        } else {
            searching_ = false;
        }
        if (const int by = std::exchange(e.next_message, 0); by != 0 && !said.empty()) {
            const auto count = static_cast<std::ptrdiff_t>(said.size());
            const auto now = chosen_ ? static_cast<std::ptrdiff_t>(message_) : by > 0 ? -1 : 0;
            go_to(c, said, static_cast<std::size_t>((now + by + count) % count));
        }
    }

    void go_to(Context& c, const std::vector<CodeMark>& said, std::size_t which) {
        message_ = which;
        chosen_ = true;
        const CodeMark& m = said[which];
        editor_.go_to(m.line, std::max(1U, m.first));
        c.explore.chosen_finding.reset();
        if (m.finding != kNone) {
            c.explore.chosen_finding = {m.launch, m.finding};
        }
        if (m.finding != kNone && m.launch != runs::FindingPlace::kHost) {
            c.explore.go_to_finding(m.launch, c.explore.trace()->launches[m.launch].findings[m.finding]);
            followed_ = {c.explore.trace().get(), c.explore.playback.place()};
        }
    }

    static void launch_so(Context& c, std::uint32_t row) {
        session::Explore& e = c.explore;
        if (row == kNone || e.stale() || row >= e.trace()->tried.size()) {
            return;
        }
        const OtherLaunch tried = e.trace()->tried[row];
        if (const auto o = runs::launched_so(e.options, *e.trace(), tried)) {
            e.call_kernel_with(*o);
            e.news = "Launched with " + tried.with + "; Ctrl+Z goes back";
        }
    }

    // Another program wrote the file while our text was unsaved.
    static scene::Rect conflict(Context& c, scene::Rect area) {
        if (!c.explore.disk_differs()) {
            return area;
        }
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted("Another program changed this file; your text is not saved.");
        ImGui::PopTextWrapPos();
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {c.px(6), c.px(2)});
        try {
            if (ImGui::Button("Take theirs")) {
                c.explore.take_disk();
            }
            ImGui::SameLine();
            const float wide = ImGui::CalcTextSize("Save yours").x + 2 * ImGui::GetStyle().FramePadding.x;
            if (ImGui::GetContentRegionAvail().x < wide) {
                ImGui::NewLine();
            }
            if (ImGui::Button("Save yours")) {
                c.explore.save_kernel();
            }
        } catch (const FileError& e) {
            c.explore.error = e.what();
        }
        ImGui::PopStyleVar();
        const float used = ImGui::GetCursorScreenPos().y - area.y + c.px(2);
        return {area.x, area.y + used, area.w, std::max(0.0F, area.h - used)};
    }

    scene::Rect search(Context& c, scene::Rect area) {
        if (!searching_) {
            return area;
        }
        ImGui::SetCursorScreenPos({area.x, area.y});
        const std::string found = found_words();
        ImGui::SetNextItemWidth(area.w - (found.empty() ? 0 : ImGui::CalcTextSize(found.c_str()).x + 2 * c.px(8)));
        if (std::exchange(opened_search_, false)) {
            focus_next_item();
        }
        const bool enter = ImGui::InputTextWithHint(
            "##search", "Find: Enter next, Shift+Enter previous", search_.data(), search_.size(),
            ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
        if (enter) {
            found_ = editor_.find(text_, search_.data(), ImGui::GetIO().KeyShift ? -1 : 1);
            opened_search_ = true; // the keyboard stays in the field
        }
        if (!found.empty()) {
            ImGui::SameLine(0, c.px(8));
            ImGui::TextColored(vec(found_ ? c.theme.text : c.theme.attention), "%s", found.c_str());
        }
        found_ = found_ || search_[0] == '\0';
        const float used = ImGui::GetCursorScreenPos().y - area.y;
        return {area.x, area.y + used, area.w, std::max(0.0F, area.h - used)};
    }

    // "2 of 7"; "7 found" before the first is gone to.
    std::string found_words() const {
        const std::string_view what = search_.data();
        if (what.empty()) {
            return "";
        }
        std::size_t all = 0, chosen = 0;
        for (std::size_t at = text_.find(what); at != std::string::npos; at = text_.find(what, at + what.size())) {
            ++all;
            chosen = editor_.selects(at, at + what.size()) ? all : chosen;
        }
        return all == 0      ? "not found"
               : chosen == 0 ? fmt::format("{} found", all)
                             : fmt::format("{} of {}", chosen, all);
    }

    // Draws the messages; returns the rest of the area, for the text.
    scene::Rect below(Context& c, scene::Rect area, const std::vector<CodeMark>& said) {
        if (said.empty()) {
            chosen_ = false;
            return area;
        }
        const float line = ImGui::GetTextLineHeightWithSpacing();
        const session::Explore::Mending* mending = mending_of(c.explore);
        const float of_it = mending != nullptr ? static_cast<float>(std::min<std::size_t>(mending->lines.size(), 9)) + 2
                            : mendable(c.explore) ? 1.3F
                                                  : 0;
        const float tall =
            std::min(area.h * (mending != nullptr ? 0.72F : 0.5F), line * ((said.size() == 1 ? 4.0F : 6.5F) + of_it));
        const float top = area.bottom() - tall;
        ImGui::GetWindowDrawList()->AddLine({area.x, top}, {area.right(), top}, ImGui::GetColorU32(ImGuiCol_Separator));
        ImGui::SetCursorScreenPos({area.x, top + c.px(3)});
        if (mending != nullptr || mendable(c.explore)) { // above the list, which may be longer than the room
            ImGui::Indent(c.px(16));
            if (mending != nullptr) {
                c.explore.wants_mending |= ImGui::SmallButton("Write it  Ctrl+.");
            } else if (c.explore.unmended.lock() == c.explore.trace() &&
                       (!c.explore.unmended_finding || c.explore.unmended_finding == c.explore.chosen_finding)) {
                ImGui::TextDisabled("no small change that was tried mends it");
            } else {
                c.explore.wants_mending |= ImGui::SmallButton("What mends it?  Ctrl+.");
            }
            ImGui::Unindent(c.px(16));
        }
        ImGui::BeginChild("##messages", {area.w, area.bottom() - ImGui::GetCursorScreenPos().y});
        bool placed = false; // beside the message that it mends
        for (std::size_t i = 0; i < said.size(); ++i) {
            const CodeMark& m = said[i];
            const float wide = ImGui::GetContentRegionAvail().x, indent = c.px(16);
            const std::string text = pages::in_lines(m.text, wide - indent);
            const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, wide - indent).y;
            const ImVec2 at = ImGui::GetCursorScreenPos();
            ImGui::PushID(static_cast<int>(i));
            if (ImGui::Selectable("##message", chosen_ && i == message_, 0, {wide, height})) {
                go_to(c, said, i);
                launch_so(c, m.tried);
            }
            if (chosen_ && i == message_ && shown_message_ != i) {
                ImGui::SetScrollHereY(0.3F);
                shown_message_ = i;
            }
            ImGui::PopID();
            ImDrawList* list = ImGui::GetWindowDrawList();
            const scene::Color& mark = m.spoils() ? c.theme.hazard : c.theme.attention;
            if (m.kind != CodeMark::Kind::note) {
                list->AddText({at.x + c.px(4), at.y}, ImGui::GetColorU32(vec(mark)), "!");
            }
            list->AddText(nullptr, 0, {at.x + indent, at.y}, ImGui::GetColorU32(ImGuiCol_Text), text.c_str(), nullptr,
                          wide - indent);
            const bool of_failure = mending != nullptr && mending->place.launch == runs::FindingPlace::kFailure;
            const bool differs = of_failure && !placed && m.text.starts_with("launched differently");
            if (mending != nullptr && (differs || mending->place == runs::FindingPlace{m.launch, m.finding})) {
                placed = true;
                const float from = ImGui::GetCursorPosY();
                show(c, *mending);
                if (shown_mending_ != mending) { // its end, or its beginning if not all of it fits
                    const bool fits = ImGui::GetCursorPosY() - from <= ImGui::GetWindowHeight();
                    fits ? ImGui::SetScrollHereY(1) : ImGui::SetScrollFromPosY(from - ImGui::GetScrollY(), 0);
                }
            }
        }
        shown_mending_ = mending;
        ImGui::EndChild();
        return {area.x, area.y, area.w, std::max(0.0F, top - area.y - c.px(3))};
    }

    static const session::Explore::Mending* mending_of(const session::Explore& e) {
        return e.mending && e.mending->of == e.trace() && !e.stale() ? &*e.mending : nullptr;
    }
    // Looked at once for each trace.
    bool mendable(const session::Explore& e) {
        if (mendable_of_ != e.trace() || e.stale()) {
            mendable_of_ = e.stale() ? nullptr : e.trace();
            mendable_ = e.may_mend();
        }
        return mendable_;
    }

    // The change as a difference.
    static void show(Context& c, const session::Explore::Mending& mending) {
        using Kind = runs::DifferenceLine::Kind;
        ImGui::Indent(c.px(16));
        ImGui::PushTextWrapPos(0);
        ImGui::TextColored(vec(c.theme.agree), "%s", mending.remedy.words.c_str());
        ImGui::PushFont(c.fonts.mono());
        std::size_t indent = std::string::npos; // of all lines, which is left out
        for (const runs::DifferenceLine& line : mending.lines) {
            indent = std::min(indent, line.text.find_first_not_of(' '));
        }
        indent = indent == std::string::npos ? 0 : indent;
        for (const runs::DifferenceLine& line : mending.lines) {
            const scene::Color& color = line.kind == Kind::comes  ? c.theme.agree
                                        : line.kind == Kind::goes ? c.theme.hazard
                                                                  : c.theme.muted;
            const char* mark = line.kind == Kind::comes ? "+" : line.kind == Kind::goes ? "-" : " ";
            ImGui::TextColored(vec(color), "%s %3u ", mark, line.line);
            ImGui::SameLine(0, 0);
            // Lines that are too long go on below their own beginning.
            const std::size_t own = std::min(line.text.find_first_not_of(' '), line.text.size());
            const float space = ImGui::CalcTextSize(" ").x;
            ImGui::SetCursorPosX(ImGui::GetCursorPosX() + space * static_cast<float>(own - std::min(own, indent)));
            ImGui::TextColored(vec(color), "%s", line.text.substr(own).c_str());
        }
        ImGui::PopTextWrapPos();
        ImGui::PopFont();
        ImGui::Unindent(c.px(16));
    }

    // Of an array its elements that the selected thread accesses in the line, else the value of the variable.
    static std::string value_words(const Context& c, const CodeEditor::Pointed& at) {
        const session::Explore& e = c.explore;
        const auto& trace = e.trace();
        const session::Moment& m = e.playback.moment();
        if (!trace || e.stale() || at.word.empty() || m.launch >= trace->launches.size()) {
            return "";
        }
        const Launch& launch = trace->launches[m.launch];
        const std::uint32_t selected = scene::thread_of(*trace, m, e.selected);
        const std::uint32_t who = selected != kNone ? selected : (e.warp == kNone ? 0 : e.warp) * kWarpSize;
        const std::uint32_t block = selected != kNone ? e.selected.block : e.block;
        if (at.indexed) {
            const std::vector<Accessed> all = accesses_of(launch, at.word, at.line, block, who, m.step);
            std::string text;
            for (const Accessed& a : all) {
                const auto held = contents(*trace, m.launch, a.array, block, m.step, a.index, 1);
                text += scene::element_words(*trace, m.launch, a.array, a.index, held.front()) + "\n";
            }
            return all.empty()
                       ? ""
                       : fmt::format("{}thread {} of block {}, {}{}", text, who, block,
                                     all.front().step < m.step ? "since " : "", launch.steps[all.front().step].label);
        }
        const auto value = local_value(launch, at.word, at.line, block, who, m.step);
        return value ? fmt::format("{} = {}\nthread {} of block {}, {}{}", at.word, value->text, who, block,
                                   value->before ? "since " : "", launch.steps[value->step].label)
                     : "";
    }
    // The tooltip: messages of the line, and the value.
    void tell(Context& c, const std::vector<CodeMark>& all) const {
        const auto& at = editor_.pointed();
        if (!at) {
            return;
        }
        std::string text;
        for (const CodeMark& m : all) {
            if (m.line == at->line) {
                text += (text.empty() ? "" : "\n") + m.text;
            }
        }
        const std::string value = value_words(c, *at);
        text += (text.empty() || value.empty() ? "" : "\n\n") + value;
        if (!text.empty()) {
            pages::tooltip(c, text);
        }
    }

    CodeColumns columns_;
    Printed printed_;
    std::uint32_t shown_ = kNone; // row that the listings brought into view
    float scroll_ = 0;
    std::uint32_t place_ = 0;
    const Trace* trace_ = nullptr;

    CodeEditor editor_;
    const session::KernelFile* file_ = nullptr; // the file whose text the editor has
    std::string text_;
    float room_ = 0;                                    // of the text, as last drawn
    std::pair<const Trace*, std::uint32_t> followed_{}; // the place whose line was brought into view
    std::pair<std::uint32_t, std::uint32_t> asked_{};   // a line that was asked for, and the place at which
    std::size_t message_ = 0, shown_message_ = ~std::size_t{0};
    bool chosen_ = false; // a message was chosen
    std::shared_ptr<const Trace> mendable_of_;
    bool mendable_ = false;
    const session::Explore::Mending* shown_mending_ = nullptr; // whose end was brought into view
    bool searching_ = false, opened_search_ = false, found_ = true;
    std::array<char, 128> search_{};
};
} // namespace

std::unique_ptr<Panel> make_source() { return std::make_unique<Source>(); }

} // namespace warptree::panels
