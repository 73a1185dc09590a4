#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/animate.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/compare.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/picture_options.hpp"
#include "app/cli/timing_options.hpp"
#include "app/cli/trace_options.hpp"
#include "app/cli/whole_number.hpp"
#include "app/document/recordings.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/run/program/run.hpp"
#include "app/views/schedule/schedule.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

namespace warptree::commands {

namespace {
using render::View;

constexpr std::uint64_t kMostLaunches = 1U << 20;

struct RenderWords {
    std::vector<std::string> whats;
    std::string what, view = "tree", step, launch, align = "stage", out; // what: the only one
    PictureOptions picture;
    TimingWords timings;
    AnimationWords animation;
};

View parse_view(const std::string& text) {
    if (const auto view = render::view_from(text)) {
        return *view;
    }
    throw OptionError(fmt::format(
        "--view '{}' is not known; take tree, warps, banks, source, schedule, compare or timings", printable(text)));
}

session::Moment parse_step(const std::string& text, const std::string& launch, const Trace& trace, View view) {
    if (text.empty() && launch.empty()) {
        return render::default_moment(trace, view);
    }
    std::uint32_t before = 0; // steps of the launches before the one named
    if (!launch.empty()) {
        const auto number = static_cast<std::uint32_t>(count_of("--launch", launch, 1, kMostLaunches));
        if (trace.program.entry.empty() && !trace.chosen.empty() &&
            trace.chosen.back().starts_with(runs::kKernelAlone)) {
            throw OptionError(fmt::format("--launch {} is of the program, whose host code {}", number,
                                          trace.chosen.back().substr(runs::kKernelAlone.size())));
        }
        session::Moment moment = render::default_moment_in(trace, view, number - 1); // throws past the end
        if (text.empty()) {
            return moment;
        }
        for (std::uint32_t l = 0; l + 1 < number; ++l) {
            before += static_cast<std::uint32_t>(trace.launches[l].steps.size());
        }
        const auto steps = trace.launches[number - 1].steps.size();
        if (const auto step = whole_number(text); step && static_cast<std::size_t>(*step) >= steps) {
            throw OptionError(fmt::format("launch {} has steps 0 to {}, not {}", number, steps - 1, *step));
        }
    }
    const auto step = whole_number(text);
    if (!step) {
        throw OptionError(fmt::format("--step '{}' is not usable; take a whole number from 0", printable(text)));
    }
    return render::moment_of_place(trace, before + static_cast<std::uint32_t>(*step));
}

// The schedule was recorded on a GPU: --block and --type choose the nearest recording, and there are no steps.
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

int render_view(RenderWords words, const TraceOptions& options, const CLI::App& command) {
    if (words.view == "timings") {
        words.timings.files = words.whats;
        const Picture picture = words.picture.parse(words.out);
        render_timings(words.timings, command, picture, words.out);
        return kDone;
    }
    if (words.timings.given()) {
        throw OptionError(
            "--series, --show, --figure, --kernels, --mode and --quantity belong to --view timings; leave them out");
    }
    if (words.whats.empty()) {
        throw OptionError(
            fmt::format("--view {} draws a trace; name a strategy or a .wtrace file", printable(words.view)));
    }
    if (!words.launch.empty() && (words.view == "compare" || words.view == "schedule" || words.animation.animate)) {
        throw OptionError("--launch is for a picture of one launch: tree, warps, banks or source; leave it out");
    }
    if (words.view == "compare") {
        const bool animate = words.animation.animate;
        if (animate && !words.step.empty()) {
            throw OptionError("--animate plays many steps; take --steps FIRST:LAST instead of --step");
        }
        if (!animate) {
            words.animation.refuse_unless_asked(words.out);
        }
        const Picture picture = animate ? words.picture.parse() : words.picture.parse(words.out);
        render_compare({words.whats, words.align, words.step, words.out, picture, words.animation}, options);
        return kDone;
    }
    if (words.whats.size() != 1) {
        throw OptionError(fmt::format("--view {} draws one trace, not {}; --view compare takes several",
                                      printable(words.view), words.whats.size()));
    }
    words.what = words.whats.front();
    if (words.animation.animate) {
        if (!words.step.empty()) {
            throw OptionError("--animate plays many steps; take --steps FIRST:LAST instead of --step");
        }
        return animate(words.animation, words.what, parse_view(words.view), words.picture.parse(), words.out, options);
    }
    words.animation.refuse_unless_asked(words.out);
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
    const Trace trace = trace_of(words.what, options, true);
    request.trace = &trace;
    request.moment = parse_step(words.step, words.launch, trace, request.view);
    RunControl control;
    const Interrupt interrupt(control); // Ctrl+C leaves no partial file
    request.control = &control;
    render::render_picture(request);
    return kDone;
}
} // namespace

void add_render(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("render", "Draw a view into a picture; needs no display");
    auto words = std::make_shared<RenderWords>();
    command->add_option("id", words->whats,
                        "A strategy or a .wtrace file; compare: two to four; timings: result files");
    command->add_option("--view", words->view, "tree, warps, banks, source, schedule, compare or timings")
        ->capture_default_str();
    command->add_option("--step", words->step, "Which step, from 0 over all launches (default: the most telling)");
    command->add_option("--launch", words->launch,
                        "Which launch, from 1, within which --step counts (default of a program: the one with the most "
                        "combines)");
    command->add_option("--align", words->align, "For compare: stage, stride or combines")->capture_default_str();
    words->picture.add_to(*command);
    words->timings.add_own_to(*command);
    words->animation.add_to(*command);
    command->add_option("-o", words->out, "OUT.png, OUT.svg or OUT.pdf")->required();
    auto options = TraceOptions::add_to(*command);
    command->callback([&action, words, options, command] {
        action = [words, options, command] { return render_view(*words, *options, *command); };
    });
}

} // namespace warptree::commands
