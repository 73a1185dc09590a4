#include "app/base/error.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/features/explore/panels/panel.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/catalogue/subject.hpp"
#include "app/document/opened_files.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/focus.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/parts.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warptree::panels {

namespace {

// Why a strategy cannot run, in a few words for the list.
std::string short_reason(const StrategyInfo& info, const RunOptions& o) {
    const std::uint32_t block = o.block.value_or(info.default_block);
    if (block < info.blocks.least) {
        return "block " + std::to_string(info.blocks.least) + (info.blocks.least == info.blocks.most ? "" : " or more");
    }
    if (block > info.blocks.most) {
        return "block " + std::to_string(info.blocks.most);
    }
    return "not with these options";
}

struct Unfit {
    std::string why, briefly; // empty: it fits
};

class Strategies : public Panel {
  public:
    const char* id() const override { return "strategies"; }
    const char* title() const override { return ""; }
    void draw(Context& c, scene::Rect area) override {
        const std::vector<const StrategyInfo*> shown = matching();
        keys(c, shown);
        area.y += files(c, area);
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::SetNextItemWidth(area.w);
        if (c.keyboard.on(id()) && !typing_) {
            focus_next_item();
        }
        ImGui::InputTextWithHint("##find", "Find: race, coalescing …", find_.data(), find_.size(),
                                 ImGuiInputTextFlags_AutoSelectAll);
        typing_ = ImGui::IsItemActive();
        if (ImGui::IsItemActivated() && !c.keyboard.on(id())) { // by the mouse
            c.keyboard.give(id());
        }
        ImGui::BeginChild("##list", {area.w, 0});
        kernel_rows(c);
        own_rows(c);
        std::string_view family;
        for (const StrategyInfo* s : shown) {
            if (title_of(*s) != family) {
                family = title_of(*s);
                ImGui::Dummy({0, c.px(2)});
                ImGui::TextDisabled("%s", std::string(family).c_str());
            }
            row(c, *s);
        }
        if (!elsewhere(c) && shown.empty()) {
            ImGui::TextDisabled("nothing on that");
        }
        ImGui::EndChild();
    }

  private:
    static std::string_view title_of(const StrategyInfo& s) { return warptree::title(s.family); }
    bool matches(std::string_view text) const {
        const std::string_view wanted(find_.data(), std::strlen(find_.data()));
        const auto same = [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
        };
        return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
    }

    std::vector<const StrategyInfo*> matching() const {
        std::vector<const StrategyInfo*> found;
        for (const StrategyInfo& s : strategies()) {
            if (matches(s.id) || matches(s.title)) {
                found.push_back(&s);
            }
        }
        const auto named = static_cast<std::ptrdiff_t>(found.size());
        for (const StrategyInfo& s : strategies()) { // what it is about, after those of that name
            if (std::strlen(find_.data()) >= 3 && matches(subject_of(s)) &&
                std::find(found.begin(), found.begin() + named, &s) == found.begin() + named) {
                found.push_back(&s);
            }
        }
        return found;
    }

    // Lessons and topics on the words; true: there are some.
    bool elsewhere(const Context& c) const {
        const auto found = find_[0] == 0 ? std::vector<Context::Found>() : c.elsewhere(find_.data());
        if (!found.empty()) {
            ImGui::Dummy({0, c.px(2)});
            ImGui::TextDisabled("On other screens");
        }
        for (const Context::Found& it : found) {
            const std::string text = scene::fitted(c.fonts, it.title, scene::Face::sans, ImGui::GetFontSize() / 1.21F,
                                                   ImGui::GetContentRegionAvail().x);
            if (ImGui::Selectable((text + "##" + it.title).c_str())) {
                it.show();
            }
            const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
            c.placed("found-" + it.title, {at.x, at.y, end.x - at.x, end.y - at.y});
        }
        return !found.empty();
    }

    // Up and down move the cursor, Enter selects the strategy under it.
    void keys(Context& c, const std::vector<const StrategyInfo*>& shown) {
        if (!c.keyboard.on(id())) {
            typing_ = false;
            cursor_.clear();
            return;
        }
        auto at = std::find_if(shown.begin(), shown.end(), [&](const StrategyInfo* s) { return s->id == cursor_; });
        if (at == shown.end()) { // just arrived, or typed
            at = std::find_if(shown.begin(), shown.end(),
                              [&](const StrategyInfo* s) { return s->id == c.explore.options.strategy; });
            at = at == shown.end() ? shown.begin() : at;
            moved_ = true;
        }
        for (; c.keyboard.take(PanelKey::down); moved_ = true) {
            at += std::distance(at, shown.end()) > 1 ? 1 : 0;
        }
        for (; c.keyboard.take(PanelKey::up); moved_ = true) {
            at -= at != shown.begin() ? 1 : 0;
        }
        cursor_ = at == shown.end() ? std::string() : std::string((*at)->id);
        if (c.keyboard.take(PanelKey::enter) && at != shown.end()) {
            c.explore.select_strategy((*at)->id);
            c.keyboard.done();
        }
        if (c.keyboard.take(PanelKey::next)) {
            c.keyboard.leave(1);
        } else if (c.keyboard.take(PanelKey::previous)) {
            c.keyboard.leave(-1);
        }
    }

    // The buttons that head the list; returns the height that they take.
    static float files(Context& c, const scene::Rect& area) {
        const float gap = c.px(6), w = (area.w - gap) / 2, h = ImGui::GetFrameHeight();
        if (area.h < 4 * h) {
            return 0; // their keys do the same
        }
        ImGui::SetCursorScreenPos({area.x, area.y});
        c.explore.wants_open |= ImGui::Button("Open…##open-file", {w, 0});
        if (ImGui::IsItemHovered()) {
            pages::tooltip(c,
                           "A CUDA file of your own, or a recorded trace (Ctrl+O). Or drop a .cu file on the window.");
        }
        c.placed("list-open", {area.x, area.y, w, h});
        ImGui::SetCursorScreenPos({area.x + w + gap, area.y});
        c.explore.wants_new |= ImGui::Button("New##new-file", {w, 0});
        if (ImGui::IsItemHovered()) {
            pages::tooltip(c, "A new kernel file to begin with (Ctrl+N)");
        }
        c.placed("list-new", {area.x + w + gap, area.y, w, h});
        return h + gap;
    }

    // The kernel files that were opened, the latest first.
    static void kernel_rows(Context& c) {
        const session::KernelFile* file = c.explore.kernel();
        const std::vector<std::filesystem::path> files = session::recent_files();
        ImGui::TextDisabled(files.size() < 2 ? "Your file" : "Your files");
        if (files.empty()) {
            ImGui::TextDisabled("drop a .cu file here");
            return;
        }
        for (const std::filesystem::path& path : files) {
            const bool current = file != nullptr && path == file->path(), chosen = current && c.explore.on_kernel();
            const bool unsaved = current && file->unsaved();
            const std::string name = (unsaved ? "* " : "") + path.filename().string() + "##" + path.string();
            if (ImGui::Selectable(name.c_str(), chosen) && !chosen) {
                take(c, path, current);
            }
            const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
            c.placed("file-" + path.filename().string(), {at.x, at.y, end.x - at.x, end.y - at.y});
            if (chosen) {
                ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + c.px(3), end.y},
                                                          ImGui::GetColorU32(vec(c.theme.accent)));
            }
            if (ImGui::IsItemHovered()) {
                pages::tooltip(c, path.string() + (unsaved ? "\nnot saved" : ""));
            }
        }
    }
    static void take(Context& c, const std::filesystem::path& path, bool current) {
        if (current) {
            c.explore.show_kernel();
            return;
        }
        try {
            c.explore.open_kernel(path);
        } catch (const FileError& problem) {
            c.explore.error = problem.what();
        }
    }

    // The kernel files of the user's own folder.
    void own_rows(Context& c) {
        bool first = true;
        for (const catalogue::Entry& e : catalogue::own_entries()) {
            if (!matches(e.id) && !matches(e.header.title)) {
                continue;
            }
            if (std::exchange(first, false)) {
                ImGui::Dummy({0, c.px(2)});
                ImGui::TextDisabled("Your folder");
            }
            const bool chosen = c.explore.on_kernel() && c.explore.kernel()->path() == e.path;
            if (ImGui::Selectable((e.id + "##own").c_str(), chosen) && !chosen) {
                try {
                    c.explore.open_kernel(e.path);
                } catch (const FileError& problem) {
                    c.explore.error = problem.what();
                }
            }
            if (ImGui::IsItemHovered()) {
                pages::tooltip(c, e.title() + "\n" + (e.problem.empty() ? e.path.string() : e.problem));
            }
        }
    }

    void row(Context& c, const StrategyInfo& s) {
        const bool visible = ImGui::IsRectVisible({1, ImGui::GetTextLineHeight()});
        const Unfit* const unfit = visible ? unfit_of(s, c.explore.strategy_options()) : nullptr;
        const bool chosen = !c.explore.on_kernel() && c.explore.options.strategy == s.id;
        const std::string id(s.id);
        ImGui::PushStyleColor(ImGuiCol_Text, vec(unfit != nullptr && !chosen ? c.theme.faint : c.theme.text));
        if (ImGui::Selectable(id.c_str(), chosen)) {
            c.explore.select_strategy(s.id);
        }
        ImGui::PopStyleColor();
        if (chosen && seen_ != id) { // chosen elsewhere: bring it into view
            seen_ = id;
            if (!ImGui::IsItemVisible()) {
                ImGui::SetScrollHereY(0.5F);
            }
        }
        if (c.keyboard.on(this->id()) && cursor_ == s.id) {
            focus_ring(c);
            if (std::exchange(moved_, false)) {
                ImGui::SetScrollHereY(0.5F);
            }
        }
        if (chosen) {
            const ImVec2 at = ImGui::GetItemRectMin();
            ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + c.px(3), ImGui::GetItemRectMax().y},
                                                      ImGui::GetColorU32(vec(c.theme.accent)));
        }
        if (c.tells && ImGui::IsItemHovered() && !c.keyboard.on(this->id())) {
            ImGui::BeginTooltip();
            ImGui::PushTextWrapPos(std::min(c.px(420), ImGui::GetIO().DisplaySize.x * 0.42F));
            ImGui::TextUnformatted(std::string(s.title).c_str());
            ImGui::TextDisabled("%s", std::string(s.lesson).c_str());
            ImGui::TextDisabled("Result: %s", std::string(s.result).c_str());
            if (unfit != nullptr) {
                ImGui::TextColored(vec(c.theme.attention), "%s", unfit->why.c_str());
            }
            ImGui::PopTextWrapPos();
            ImGui::EndTooltip();
        }
        if (unfit != nullptr && !chosen) {
            const std::string& reason = unfit->briefly;
            const float width = ImGui::CalcTextSize(reason.c_str()).x;
            if (ImGui::CalcTextSize(id.c_str()).x + width + c.px(20) < ImGui::GetContentRegionAvail().x) {
                ImGui::SameLine(ImGui::GetContentRegionAvail().x - width);
                ImGui::PushStyleColor(ImGuiCol_Text, vec(c.theme.faint));
                ImGui::TextUnformatted(reason.c_str());
                ImGui::PopStyleColor();
            }
        }
    }

    // Why the strategy does not run with these options; nullptr: it does. Every frame asks for those in view, and
    // answering takes expressions of their files, so answers are kept until the options change.
    const Unfit* unfit_of(const StrategyInfo& s, const RunOptions& options) {
        if (options != asked_) {
            asked_ = options;
            unfit_.clear();
        }
        const auto [at, added] = unfit_.try_emplace(s.id);
        if (added) {
            const RunOptions with = session::with_strategy(options, s.id);
            if (const auto why = refusal(with)) {
                at->second = {*why, short_reason(s, with)};
            }
        }
        return at->second.why.empty() ? nullptr : &at->second;
    }

    RunOptions asked_;
    std::map<std::string, Unfit, std::less<>> unfit_; // by strategy
    std::array<char, 64> find_{};
    bool typing_ = false;
    std::string cursor_; // id of the strategy that Enter selects
    std::string seen_;   // the chosen one when last drawn
    bool moved_ = false; // scroll to it
};
} // namespace

std::unique_ptr<Panel> make_strategies() { return std::make_unique<Strategies>(); }

} // namespace warptree::panels
