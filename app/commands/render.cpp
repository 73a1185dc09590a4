#include "app/commands/commands.hpp"
#include "app/commands/exit_code.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/picture_options.hpp"
#include "app/commands/progress.hpp"
#include "app/commands/trace_options.hpp"
#include "app/render/animation.hpp"
#include "app/render/cairo_picture.hpp"
#include "app/render/movie_file.hpp"
#include "app/scene/schedule.hpp"
#include "app/session/recordings.hpp"
#include "kernels/error.hpp"
#include "kernels/strategy.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

namespace warptree::commands {

namespace {
using render::View;

struct RenderWords {
    std::string what, view = "tree", step, out;
    bool animate = false;
    std::string fps = "20", speed = "1", steps; // of an animation
    PictureOptions picture;
};

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

View parse_view(const std::string& text) {
    if (const auto view = render::view_from(text)) {
        return *view;
    }
    if (text == "timings") {
        throw OptionError("--view timings needs measured timings, which this version does not make; take tree, warps, "
                          "banks, source or schedule");
    }
    throw OptionError(
        fmt::format("--view '{}' is not known; take tree, warps, banks, source or schedule", printable(text)));
}

session::Moment parse_step(const std::string& text, const Trace& trace, View view) {
    if (text.empty()) {
        return render::default_moment(trace, view);
    }
    const auto step = number(text);
    if (!step || *step < 0) {
        throw OptionError(fmt::format("--step '{}' is not usable; take a whole number from 0", printable(text)));
    }
    return render::moment_of_place(trace, static_cast<std::uint32_t>(*step));
}

// Recorded on a GPU, not traced: --block and --type choose the nearest recording, and there are no steps.
void render_schedule(const RenderWords& words, const render::PictureRequest& request, const TraceOptions& options) {
    if (!words.step.empty()) {
        throw OptionError("--view schedule shows the whole launch; leave --step out");
    }
    const RunOptions o = options.parse(words.what);
    const clocks::Recording* r = session::nearest_clocks(o.strategy, *o.block, o.type);
    if (r == nullptr) {
        throw OptionError(fmt::format("no block schedule of {} was recorded; 'warptree clocks {} -o FILE' records one "
                                      "on a GPU",
                                      o.strategy, o.strategy));
    }
    render::write_drawing(
        [&](const scene::TextMeasure& measure) {
            return scene::compose_schedule(*r, scene::theme(request.theme), measure, request.scale,
                                           static_cast<float>(request.width), static_cast<float>(request.height));
        },
        {request.width, request.height, request.path, o.strategy});
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
    const auto first = number(std::string_view(text).substr(0, colon));
    const auto last = colon == std::string::npos ? first : number(std::string_view(text).substr(colon + 1));
    if (!first || !last || *first < 0 || *last < *first) {
        throw OptionError(fmt::format("--steps '{}' is not usable; take FIRST:LAST, as in 0:4", printable(text)));
    }
    return {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)};
}

int animate_view(const RenderWords& words, const TraceOptions& options) {
    if (!words.step.empty()) {
        throw OptionError("--animate plays many steps; take --steps FIRST:LAST instead of --step");
    }
    render::require_animation_name(words.out);
    render::Pace pace;
    pace.frames_per_second = positive("--fps", words.fps, 1, 60);
    pace.steps_per_second = positive("--speed", words.speed, 0.1F, 10);
    const auto [first, last] = parse_steps(words.steps);
    const Picture picture = words.picture.parse();
    RunControl control;
    render::PictureRequest request{};
    request.view = parse_view(words.view);
    request.width = picture.width;
    request.height = picture.height;
    request.scale = picture.scale;
    request.theme = picture.theme;
    request.path = words.out;
    request.control = &control;
    const Trace trace = trace_of(words.what, options);
    request.trace = &trace;
    const auto moments = render::frames_of(trace, pace, first, last);
    const Interrupt interrupt(control);
    render::Animated made;
    {
        Progress progress("drawing");
        control.progress = [&](double fraction) { progress.show(fraction); };
        made = render::animate(request, moments, pace);
    }
    if (!made.movie) {
        render::AnimationFile file;
        file.frames = static_cast<std::uint32_t>(moments.size());
        file.frames_per_second = pace.frames_per_second;
        file.path = words.out;
        fmt::print(stderr, "warptree: {}\n", render::told(made, file));
    }
    return kDone;
}

int render_view(const RenderWords& words, const TraceOptions& options) {
    if (words.animate) {
        return animate_view(words, options);
    }
    if (!words.steps.empty() || render::movie_format(words.out)) {
        throw OptionError(fmt::format("{} is of an animation; add --animate",
                                      words.steps.empty() ? "-o " + printable(words.out) : "--steps"));
    }
    render::PictureRequest request{};
    const bool schedule = words.view == "schedule";
    request.view = schedule ? View::tree : parse_view(words.view);
    const Picture picture = words.picture.parse(words.out);
    request.width = picture.width;
    request.height = picture.height;
    request.scale = picture.scale;
    request.theme = picture.theme;
    request.path = words.out;
    if (schedule) {
        render_schedule(words, request, options);
        return kDone;
    }
    const Trace trace = trace_of(words.what, options);
    request.trace = &trace;
    request.moment = parse_step(words.step, trace, request.view);
    render::render_picture(request);
    return kDone;
}
} // namespace

void add_render(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("render", "Draw a view into a picture; needs no display");
    auto words = std::make_shared<RenderWords>();
    command->add_option("id", words->what, "A strategy, or a .wtrace file")->required();
    command->add_option("--view", words->view, "tree, warps, banks, source or schedule")->capture_default_str();
    command->add_option("--step", words->step, "Which step, from 0 over all launches (default: a telling one)");
    words->picture.add_to(*command);
    command->add_flag("--animate", words->animate,
                      "Play the run: OUT.gif, OUT.webm or OUT.mp4 through ffmpeg; OUT.png, "
                      "or without ffmpeg: numbered pictures in OUT-frames");
    command->add_option("--steps", words->steps, "FIRST:LAST of an animation (default: all)");
    command->add_option("--fps", words->fps, "Frames a second of an animation, 1 to 60")->capture_default_str();
    command->add_option("--speed", words->speed, "Steps a second of an animation, 0.1 to 10")->capture_default_str();
    command->add_option("-o", words->out, "OUT.png, OUT.svg or OUT.pdf")->required();
    auto options = TraceOptions::add_to(*command);
    command->callback(
        [&action, words, options] { action = [words, options] { return render_view(*words, *options); }; });
}

} // namespace warptree::commands
