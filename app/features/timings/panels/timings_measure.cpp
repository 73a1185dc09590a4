#include "app/features/timings/panels/timings_measure.hpp"

#include "app/features/timings/state/timings_plan.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/gpu/device.hpp"
#include "app/measure/gpu/timing_device.hpp"
#include "app/measure/timing/presets.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace warptree::pages {

namespace {
constexpr std::uint64_t kSeed = 1; // of random input
constexpr const char* kWhatIsShown = "what is shown";

const timing::Preset& preset(std::size_t choice) { return timing::presets()[choice - 1]; }

// Text in the style of a hint.
void hint(const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
}
} // namespace

FormField MeasurePart::field() const {
    std::vector<std::string> names{kWhatIsShown};
    for (const timing::Preset& p : timing::presets()) {
        names.emplace_back(p.name);
    }
    const std::string now = names[choice_];
    return {"measure", "to measure", now, std::move(names)};
}

void MeasurePart::choose(const std::string& text) {
    const std::vector<std::string> names = field().choices;
    const auto found = std::find(names.begin(), names.end(), text);
    choice_ = found == names.end() ? choice_ : static_cast<std::size_t>(found - names.begin());
}

void MeasurePart::turn(int by) {
    const std::size_t count = timing::presets().size() + 1;
    choice_ = (choice_ + count + static_cast<std::size_t>(by)) % count;
}

void MeasurePart::start(const session::Timings& shown, const std::string& file) {
    if (!gpu::usable()) {
        say("No GPU is used: " + gpu::why_not());
        return;
    }
    said_.clear();
    session::MeasureJob::Plan plan;
    runs::TimedFiles files;
    if (choice_ == 0) {
        auto all = session::plan_of(shown, static_cast<std::uint32_t>(gpu::facts().multiprocessors));
        if (!file.empty()) {
            files.emplace(std::filesystem::path(file).filename().string(), file);
        }
        plan = [all = std::move(all), files, conditions = shown.conditions()](std::uint32_t) mutable {
            session::plan_files(files, conditions, all);
            return all;
        };
    } else {
        plan = [axes = preset(choice_).axes()](std::uint32_t multiprocessors) {
            return timing::plan(axes, multiprocessors);
        };
    }
    job_.start(std::move(plan),
               [files] { return std::make_unique<runs::TimingDevice>(files, kSeed, runs::GpuOptions{}); });
}

void MeasurePart::say(std::string text) {
    said_ = std::move(text);
    bring_into_view_ = true;
}

bool MeasurePart::poll() {
    auto end = job_.take_end();
    if (end) {
        say(std::move(*end));
    }
    return end.has_value();
}

void MeasurePart::draw(panels::Context& c, float width, const session::Timings& shown, const std::string& file,
                       const std::function<void(const std::string&, scene::Rect)>& placed) {
    if (job_.busy()) {
        const auto at = job_.state();
        ImGui::ProgressBar(static_cast<float>(at.fraction), {width, 0});
        ImGui::TextUnformatted(at.all == 0 ? "preparing"
                                           : fmt::format("{} of {} points, about {:.0f} s left\n{}", at.done, at.all,
                                                         at.seconds_left, at.now)
                                                 .c_str());
        if (ImGui::Button("Cancel")) {
            job_.cancel();
        }
        placed("measure-cancel", last_item());
        return;
    }
    const bool usable = gpu::usable();
    ImGui::BeginDisabled(!usable);
    if (ImGui::Button("Measure on this GPU", {std::min(width, c.px(200)), 0})) {
        start(shown, file);
    }
    placed("measure", last_item());
    ImGui::EndDisabled();
    if (!usable) {
        hint("no GPU is used: " + gpu::why_not());
    } else if (choice_ != 0) {
        hint(fmt::format("{}: {}", preset(choice_).name, preset(choice_).what));
    } else {
        hint(timing::to_string(shown.conditions()) + ": the kernels of the bars and the points of the figure" +
             (file.empty() ? "" : ", and " + std::filesystem::path(file).filename().string() + " as it is saved"));
    }
    if (!said_.empty()) {
        ImGui::TextUnformatted(said_.c_str());
        if (std::exchange(bring_into_view_, false)) {
            ImGui::SetScrollHereY(1);
        }
    }
}

} // namespace warptree::pages
