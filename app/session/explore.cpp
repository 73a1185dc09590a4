#include "app/session/explore.hpp"

#include "kernels/strategy.hpp"
#include "kernels/trace/file.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::session {

void Explore::run() {
    file_.clear();
    if (const auto why = refusal(options)) {
        error = *why;
        return;
    }
    error.clear();
    runner_.request(options);
}

void Explore::select_strategy(std::string_view id) {
    options.strategy = id;
    const StrategyInfo& info = require_strategy(id);
    const auto allowed = finishes(info);
    if (options.finish && std::find(allowed.begin(), allowed.end(), *options.finish) == allowed.end()) {
        options.finish = allowed.front();
    }
    if (options.finish != Finish::relaunch) {
        options.host_below = 1;
    }
    if (refusal(options)) {
        options.block = info.default_block;
    }
    run();
}

void Explore::next_strategy(int direction) {
    const auto all = strategies();
    const auto here = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == options.strategy; });
    const auto count = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t at = here == all.end() ? 0 : here - all.begin();
    select_strategy(all[static_cast<std::size_t>((at + direction + count) % count)].id);
}

void Explore::show(std::shared_ptr<const Trace> trace) {
    trace_ = std::move(trace);
    playback.attach(*trace_);
    hover = selected = {};
    const Launch& l = trace_->launches.front();
    block = l.in_window(block) ? block : l.window_first;
}

bool Explore::poll() {
    auto outcome = runner_.take();
    if (!outcome) {
        return false;
    }
    if (!outcome->trace) {
        error = outcome->error;
        return true;
    }
    show(std::move(outcome->trace));
    return true;
}

void Explore::open(const std::filesystem::path& path) {
    auto trace = std::make_shared<const Trace>(load(path));
    runner_.cancel();
    file_ = path;
    error.clear();
    show(std::move(trace));
}

void Explore::back_to_live() {
    file_.clear();
    run();
}

void Explore::scale_by(int direction) {
    if (direction == 0) {
        looks.scale = 1;
        return;
    }
    const auto nearest = std::min_element(std::begin(kScales), std::end(kScales), [&](float a, float b) {
        return std::abs(a - looks.scale) < std::abs(b - looks.scale);
    });
    const auto at = std::clamp<std::ptrdiff_t>(nearest - std::begin(kScales) + direction, 0, std::ssize(kScales) - 1);
    looks.scale = kScales[at];
}

void Explore::next_theme() {
    const auto at = static_cast<std::size_t>(looks.theme);
    looks.theme = scene::kThemeNames[(at + 1) % scene::kThemeNames.size()];
}

} // namespace warptree::session
