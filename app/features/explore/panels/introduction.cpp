#include "app/features/explore/panels/introduction.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::panels {

namespace {
constexpr float kBody = 15, kSmall = 12.5F, kStep = 18; // sizes of text at scale 1

ImFont* step_font(const Context& c, scene::Face face) { return c.fonts.font(face, kStep * c.fonts.scale()); }
float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

// As many whole sentences as `lines` lines of `width` hold.
std::string beginning(std::string text, float width, float lines) {
    const float most = ImGui::GetTextLineHeight() * (lines + 0.5F);
    while (!text.empty() && ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y > most) {
        const auto end = text.size() < 2 ? std::string::npos : text.rfind(". ", text.size() - 2);
        text.resize(end == std::string::npos ? 0 : end + 1);
    }
    return text;
}

// Takes as many words from the front of `text` as fit into `width`.
std::string take_words(std::string& text, float width) {
    std::size_t end = 0;
    for (std::size_t at = 0; at != std::string::npos;) {
        at = text.find(' ', at == 0 ? 0 : at + 1);
        const std::size_t next = std::min(at, text.size());
        if (width_of(text.substr(0, next)) > width) {
            break;
        }
        end = next;
    }
    std::string taken = text.substr(0, end);
    text.erase(0, std::min(end == 0 ? 0 : end + 1, text.size()));
    return taken;
}

// The lines of a text whose first line has less room.
std::vector<std::string> broken(std::string text, float first, float width) {
    std::vector<std::string> lines{take_words(text, first)};
    while (!text.empty()) {
        lines.push_back(take_words(text, width));
        if (lines.back().empty()) { // a word that is too long
            lines.pop_back();
            break;
        }
    }
    return lines;
}

// The next strategy of its family, the one that "]" goes to.
const StrategyInfo* following(const StrategyInfo& info) {
    const auto all = strategies();
    const auto at = std::find_if(all.begin(), all.end(), [&](const StrategyInfo& s) { return s.id == info.id; });
    const auto next = at == all.end() ? all.end() : std::next(at);
    return next == all.end() || next->family != info.family ? nullptr : &*next;
}

class Introduction {
  public:
    Introduction(const Context& c, const scene::Rect& area, const StrategyInfo& info)
        : c_(c), area_(area), info_(info), y_(area.y) {}

    float draw(bool low) {
        title();
        const std::string text =
            low ? "" : beginning(std::string(info_.lesson), area_.w, area_.h < c_.px(420) ? 2.0F : 3.0F);
        if (text.empty()) {
            sentence();
            return y_ - area_.y + line() + c_.px(6);
        }
        next();
        y_ += line() + c_.px(4);
        ImGui::SetCursorScreenPos({area_.x, y_});
        ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + area_.w);
        ImGui::TextUnformatted(text.c_str());
        ImGui::PopTextWrapPos();
        y_ += ImGui::CalcTextSize(text.c_str(), nullptr, false, area_.w).y;
        return y_ - area_.y + c_.px(6);
    }

  private:
    static float line() { return ImGui::GetTextLineHeight(); }

    void title() {
        ImGui::PushFont(c_.fonts.bold());
        const std::string text = scene::fitted(c_.fonts, std::string(info_.title), scene::Face::sans_bold,
                                               kBody * c_.fonts.scale(), area_.w);
        ImGui::SetCursorScreenPos({area_.x, y_});
        ImGui::TextUnformatted(text.c_str());
        used_ = width_of(text);
        ImGui::PopFont();
    }

    // The first sentence, after the title. Smaller if it would take more than three lines, or the area is low; only the
    // part before its colon if it would take more than a third of the height; nothing if that is still too much.
    void sentence() {
        std::string text(info_.lesson);
        const std::size_t end = text.find(". ");
        text.resize(end == std::string::npos ? text.size() : end + 1);
        const float start = used_ + c_.px(10), step = line();
        std::vector<std::string> lines = broken(text, area_.w - start, area_.w);
        const bool small = lines.size() > 3 || area_.h < c_.px(210);
        if (small) {
            ImGui::PushFont(c_.fonts.font(scene::Face::sans, kSmall * c_.fonts.scale()));
            lines = broken(text, area_.w - start, area_.w);
        }
        const auto too_many = [&] { return static_cast<float>(lines.size()) * line() > area_.h / 3; };
        if (const std::size_t colon = text.find(": "); too_many() && colon != std::string::npos) {
            lines = broken(text.substr(0, colon) + ".", area_.w - start, area_.w);
        }
        if (too_many()) {
            lines.clear();
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const float x = i == 0 ? start : 0;
            y_ += i == 0 ? 0 : i == 1 ? step : line();
            const float lower = i == 0 ? 0.8F * (step - line()) : 0; // to share the title's baseline
            ImGui::SetCursorScreenPos({area_.x + x, y_ + lower});
            ImGui::TextUnformatted(lines[i].c_str());
            used_ = x + width_of(lines[i]);
        }
        next();
        if (small) {
            ImGui::PopFont();
        }
    }

    // The next strategy, shortened to fit at the end of the last line, else on a line of its own.
    void next() {
        const StrategyInfo* next = following(info_);
        if (next == nullptr) {
            return;
        }
        const std::string whole = fmt::format("]  next: {}", next->title);
        const auto fits = [&](const std::string& words) { return used_ + width_of(words) + c_.px(20) < area_.w; };
        std::string words = fmt::format("]  {}", next->id);
        for (const std::string& longer : {fmt::format("]  next: {}", next->id), whole}) {
            words = fits(longer) ? longer : words;
        }
        if (!fits(words)) {
            used_ = 0;
            y_ += line();
            words = whole;
        }
        if (fits(words)) {
            ImGui::SetCursorScreenPos({area_.right() - width_of(words), y_});
            ImGui::TextDisabled("%s", words.c_str());
        }
    }

    const Context& c_;
    scene::Rect area_;
    const StrategyInfo& info_;
    float y_, used_ = 0; // of the last line: its place, and the width used
};
} // namespace

namespace {
// What happens in the step, in place of the idea: large, in at most two lines. Returns its height.
float say_step(const Context& c, const scene::Rect& area) {
    const session::Moment& moment = c.explore.playback.moment();
    const scene::StepSummary summary = scene::summarize(*c.explore.trace(), moment);
    const std::string title = moment.complete() ? summary.title : summary.title + ", " + name(moment.sub_step());
    ImGui::PushFont(step_font(c, scene::Face::sans_bold));
    const float line = ImGui::GetTextLineHeight(), start = width_of(title) + c.px(14);
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::TextUnformatted(title.c_str());
    ImGui::PopFont();
    ImGui::PushFont(step_font(c, scene::Face::sans));
    std::string text = summary.sentence;
    std::vector<std::string> lines = broken(text, area.w - start, area.w);
    while (lines.size() > 2) { // whole sentences
        const auto end = text.size() < 2 ? std::string::npos : text.rfind(". ", text.size() - 2);
        text.resize(end == std::string::npos ? 0 : end + 1);
        lines = text.empty() ? std::vector<std::string>() : broken(text, area.w - start, area.w);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ImGui::SetCursorScreenPos({area.x + (i == 0 ? start : 0), area.y + line * static_cast<float>(i)});
        ImGui::TextUnformatted(lines[i].c_str());
    }
    ImGui::PopFont();
    return line * static_cast<float>(std::max<std::size_t>(1, lines.size())) + c.px(6);
}
} // namespace

float introduce(const Context& c, const scene::Rect& area) {
    const Trace& trace = *c.explore.trace();
    if (c.figure_alone && c.explore.hidden_from == kNone && area.h >= c.px(180)) {
        return say_step(c, area);
    }
    const StrategyInfo* info = find_strategy(trace.options.strategy);
    if (info == nullptr || area.h < c.px(180)) {
        return 0;
    }
    const std::uint32_t launch = c.explore.playback.moment().launch;
    const std::size_t rows = launch < trace.launches.size() ? trace.launches[launch].steps.size() : 0;
    return Introduction(c, area, *info).draw(area.h < c.px(170 + 16 * static_cast<float>(rows)));
}

} // namespace warptree::panels
