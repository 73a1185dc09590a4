#include "app/cli/animate.hpp"

#include "app/base/error.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/progress.hpp"
#include "app/render/movie/animation.hpp"
#include "app/render/movie/movie_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace warptree::commands {

namespace {

std::optional<std::uint32_t> whole(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

float positive(const std::string& option, const std::string& text, float least, float most) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) {
        throw OptionError(
            fmt::format("{} '{}' is not usable; take {:g} to {:g}", option, printable(text), least, most));
    }
    return value;
}

// "FIRST:LAST", both included; empty: all.
std::pair<std::uint32_t, std::uint32_t> parse_steps(const std::string& text) {
    if (text.empty()) {
        return {0, UINT32_MAX};
    }
    const auto colon = text.find(':');
    const auto first = whole(std::string_view(text).substr(0, colon));
    const auto last = colon == std::string::npos ? first : whole(std::string_view(text).substr(colon + 1));
    if (!first || !last || *last < *first) {
        throw OptionError(fmt::format("--steps '{}' is not usable; take FIRST:LAST, as in 0:4", printable(text)));
    }
    return {*first, *last};
}

} // namespace

void AnimationWords::add_to(CLI::App& command) {
    command.add_flag("--animate", animate,
                     "Play the run: OUT.gif, OUT.webm or OUT.mp4 through ffmpeg; OUT.png, or without ffmpeg: numbered "
                     "pictures in OUT-frames");
    command.add_option("--steps", steps, "FIRST:LAST of an animation (default: all)");
    command.add_option("--fps", fps, "Frames a second of an animation, 1 to 60")->capture_default_str();
    command.add_option("--speed", speed, "Steps a second of an animation, 0.1 to 10")->capture_default_str();
}

void AnimationWords::refuse_unless_asked(const std::string& out) const {
    if (!steps.empty() || render::movie_format(out)) {
        throw OptionError(
            fmt::format("{} is for animations; add --animate", steps.empty() ? "-o " + printable(out) : "--steps"));
    }
}

AnimationPlan AnimationWords::parse(const std::string& out) const {
    render::require_animation_name(out);
    AnimationPlan plan;
    plan.pace.frames_per_second = positive("--fps", fps, 1, 60);
    plan.pace.steps_per_second = positive("--speed", speed, 0.1F, 10);
    std::tie(plan.first, plan.last) = parse_steps(steps);
    return plan;
}

void write_film(const render::Film& film, const AnimationPlan& plan, const Picture& picture, const std::string& out) {
    RunControl control;
    const Interrupt interrupt(control, kWithResults); // a folder of pictures is removed picture by picture
    const render::AnimationFile file{film.frames, picture.width, picture.height, plan.pace.frames_per_second,
                                     out,         &control};
    render::Animated made;
    {
        Progress progress("drawing");
        control.progress = [&](double fraction) { progress.show(fraction); };
        made = render::write_animation(file, film.draw);
    }
    if (!made.movie) {
        fmt::print(stderr, "warptree: {}\n", render::told(made, file));
    }
}

int animate(const AnimationWords& words, const std::string& what, render::View view, const Picture& picture,
            const std::string& out, const TraceOptions& options) {
    const AnimationPlan plan = words.parse(out);
    render::PictureRequest request{};
    request.view = view;
    request.width = picture.width;
    request.height = picture.height;
    request.scale = picture.scale;
    request.theme = picture.theme;
    const auto trace = std::make_shared<const Trace>(trace_of(what, options));
    const auto moments = render::frames_of(*trace, plan.pace, plan.first, plan.last);
    write_film(render::film_of(trace, request, moments), plan, picture, out);
    return kDone;
}

} // namespace warptree::commands
