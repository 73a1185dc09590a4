// Traces and contexts for tests of the views.
#pragma once

#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/views/parts.hpp"
#include "app/views/views.hpp"
#include "tests/support/sanitizer.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace warptree::tests {

// Every letter as wide as a monospaced one; sufficient if only layout rules matter.
class EvenMeasure final : public scene::TextMeasure {
  public:
    float width(std::string_view text, scene::Face /*face*/, float size) const override {
        std::size_t letters = 0;
        for (const char c : text) {
            letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
        }
        return 0.6F * size * static_cast<float>(letters);
    }
};
inline const EvenMeasure kMeasure;

struct Case {
    std::string strategy;
    std::uint64_t n;
    std::uint32_t block;
    Finish finish = Finish::host;
    std::uint32_t window = 8;
    auto operator<=>(const Case&) const = default;
};

inline RunOptions options_of(const Case& c) {
    RunOptions o;
    o.strategy = c.strategy;
    o.n = c.n;
    o.block = c.block;
    o.finish = c.finish;
    o.window.count = c.window;
    o.input = InputKind::iota;
    o.backend = Backend::cpu;
    const StrategyInfo* info = find_strategy(c.strategy);
    if (info != nullptr && info->finishes.size() == 1) { // only with its own finish
        o.finish = info->finishes.front();
    }
    return o;
}

// Runs each case once per program. The case must not be refused.
inline const Trace& trace_of(const Case& c) {
    static std::map<Case, Trace> traces;
    auto found = traces.find(c);
    if (found == traces.end()) {
        found = traces.emplace(c, runs::run_any(options_of(c))).first;
    }
    return found->second;
}

// Whether the last block finishes and is not among the blocks that are traced in full.
inline bool is_untraced_finish(const Trace& trace, const session::Moment& moment) {
    if (moment.launch == trace.launches.size() || trace.options.finish != Finish::last_block) {
        return false;
    }
    const Launch& l = trace.launches[moment.launch];
    return std::none_of(l.requests.begin(), l.requests.end(),
                        [&](const Request& it) { return it.step == moment.step; });
}

// The step of the first launch that has this label, with all of its parts.
inline session::Moment moment_at(const Trace& trace, std::string_view label) {
    const auto& steps = trace.launches.at(0).steps;
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.label == label; });
    if (found == steps.end()) throw std::out_of_range("no step " + std::string(label));
    return {0, static_cast<std::uint32_t>(found - steps.begin()), 1};
}

// Each strategy with small and large blocks, full and partial, one launch and several; or a third of these cases.
inline std::vector<Case> cases() {
    std::vector<Case> all;
    unsigned turn = 0;
    for (const StrategyInfo& info : strategies()) {
        ++turn;
        for (const auto& [n, block, finish] :
             {std::tuple{1ULL, 1U, Finish::host}, std::tuple{50ULL, 32U, Finish::host},
              std::tuple{64ULL, 64U, Finish::host}, std::tuple{1000ULL, 256U, Finish::host},
              std::tuple{5000ULL, 64U, Finish::relaunch}, std::tuple{2048ULL, 1024U, Finish::host}}) {
            const Case c{std::string(info.id), n, block, finish};
            // Rows have as many elements as the square of n.
            const bool large = n > 256 && info.answer == Answer::listed &&
                               std::ranges::any_of(info.parameters, &catalogue::ParameterText::as_n);
            if (!(kFewCases && ++turn % 3 != 0) && !large && !refusal(options_of(c))) {
                all.push_back(c);
            }
        }
    }
    return all;
}

inline std::string title(const Case& c) {
    return c.strategy + " n=" + std::to_string(c.n) + " B=" + std::to_string(c.block) + " " +
           std::string(name(c.finish));
}

inline void PrintTo(const Case& c, std::ostream* out) { *out << title(c); } // for GoogleTest

// Every step of every launch, complete, and the host's combine.
inline std::vector<session::Moment> moments(const Trace& trace) {
    std::vector<session::Moment> all;
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        for (std::uint32_t s = 0; s < trace.launches[l].steps.size(); ++s) {
            all.push_back({l, s, 1});
        }
    }
    if (trace.host_partials > 1) {
        all.push_back({static_cast<std::uint32_t>(trace.launches.size()), 0, 1});
    }
    return all;
}

inline scene::ViewContext context_of(const Trace& trace, const session::Moment& moment,
                                     const scene::TextMeasure& measure, scene::ThemeName theme = scene::ThemeName::dark,
                                     float scale = 1) {
    scene::ViewContext context;
    context.trace = &trace;
    context.moment = moment;
    context.theme = &scene::theme(theme);
    context.measure = &measure;
    context.scale = scale;
    return context;
}

// The box that a text's ink may occupy: its width, and the height of its letters.
inline scene::Rect extent(const scene::Text& text, const scene::TextMeasure& measure) {
    const float width = measure.width(text.text, text.face, text.size);
    const float x = text.align == scene::Align::left    ? text.anchor.x
                    : text.align == scene::Align::right ? text.anchor.x - width
                                                        : text.anchor.x - width / 2;
    return {x, text.anchor.y - text.size * 0.4F, width, text.size * 0.8F};
}

inline std::vector<scene::Text> texts(const scene::Drawing& drawing) {
    std::vector<scene::Text> all;
    for (const scene::Layer& layer : drawing.layers) {
        all.insert(all.end(), layer.texts.begin(), layer.texts.end());
    }
    return all;
}

} // namespace warptree::tests
