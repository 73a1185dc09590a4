// `render --animate`: a run as a movie, or as numbered pictures.
#pragma once

#include "app/cli/picture_options.hpp"
#include "app/cli/trace_options.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/movie/animation.hpp"

#include <string>

namespace CLI {
class App;
}

namespace warptree::commands {

struct AnimationPlan {
    render::Pace pace;
    std::uint32_t first = 0, last = UINT32_MAX; // steps
};

// The options as typed; parsed when the command runs, so that every error is one line.
struct AnimationWords {
    bool animate = false;
    std::string fps = "20", speed = "1", steps; // steps: FIRST:LAST; empty: all
    void add_to(CLI::App& command);
    // For a command that writes one picture: throws OptionError if an option or the name is that of an animation.
    void refuse_unless_asked(const std::string& out) const;
    AnimationPlan parse(const std::string& out) const; // throws OptionError, also for the name of the file
};

// Paints and writes it, with progress on a terminal; says on standard error if pictures were written instead of a
// movie. Throws OptionError, FileError, Cancelled.
void write_film(const render::Film& film, const AnimationPlan& plan, const Picture& picture, const std::string& out);

// Throws OptionError, FileError, Cancelled; progress goes to a terminal.
int animate(const AnimationWords& words, const std::string& what, render::View view, const Picture& picture,
            const std::string& out, const TraceOptions& options);

} // namespace warptree::commands
