#include "app/render/movie/animation.hpp"

#include "app/base/error.hpp"
#include "app/base/temporary_file.hpp"
#include "app/document/playback.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/render/cairo/composition.hpp"
#include "app/render/gl/frame_buffer.hpp"
#include "app/render/movie/movie_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace warptree::render {

namespace fs = std::filesystem;

namespace {

fs::path directory_for(const fs::path& path) {
    fs::path directory = path;
    directory.replace_extension();
    directory += "-frames";
    return directory;
}

// Calls `take` with each frame painted.
void paint_all(const AnimationFile& file,
               const std::function<scene::Drawing(std::uint32_t frame, const scene::TextMeasure&)>& draw,
               const std::function<void(std::uint32_t frame, const FrameBuffer&)>& take) {
    const CairoMeasure measure;
    FrameBuffer buffer(file.width, file.height);
    for (std::uint32_t f = 0; f < file.frames; ++f) {
        if (file.control != nullptr && file.control->cancel) {
            throw Cancelled();
        }
        buffer.paint(draw(f, measure));
        take(f, buffer);
        if (file.control != nullptr && file.control->progress) {
            file.control->progress(static_cast<double>(f + 1) / file.frames);
        }
    }
}

} // namespace

std::vector<PlaceFrame> frames_of(std::uint32_t places, const Pace& pace, std::uint32_t first, std::uint32_t last,
                                  const std::string& whose) {
    const std::uint32_t end = last == UINT32_MAX ? places - 1 : last;
    if (first > end || end >= places) {
        throw OptionError(
            fmt::format("steps {} to {} cannot be animated; {} has steps 0 to {}", first, end, whose, places - 1));
    }
    const auto each =
        static_cast<std::uint32_t>(std::max(1.0F, std::round(pace.frames_per_second / pace.steps_per_second)));
    std::vector<PlaceFrame> frames;
    for (std::uint32_t place = first; place <= end; ++place) {
        for (std::uint32_t k = 1; k <= each; ++k) {
            frames.push_back({place, static_cast<float>(k) / static_cast<float>(each)});
        }
    }
    const auto rest = static_cast<std::size_t>(std::lround(pace.rest * pace.frames_per_second));
    frames.insert(frames.end(), rest, frames.back());
    return frames;
}

std::vector<session::Moment> frames_of(const Trace& trace, const Pace& pace, std::uint32_t first, std::uint32_t last) {
    session::Playback playback;
    playback.attach(trace);
    std::vector<session::Moment> moments;
    for (const PlaceFrame& frame : frames_of(playback.places(), pace, first, last, "this trace")) {
        playback.go_to_fraction(frame.place, frame.phase);
        moments.push_back(playback.moment());
    }
    return moments;
}

Film film_of(std::shared_ptr<const Trace> trace, const PictureRequest& request, std::vector<session::Moment> moments) {
    const auto count = static_cast<std::uint32_t>(moments.size());
    return {count, [trace = std::move(trace), request,
                    moments = std::move(moments)](std::uint32_t frame, const scene::TextMeasure& measure) {
                PictureRequest now = request;
                now.trace = trace.get();
                now.moment = moments[frame];
                return compose(now, measure);
            }};
}

void require_animation_name(const fs::path& path) {
    std::string end = path.extension().string();
    if (!movie_format(path) && end != ".png") {
        throw OptionError(path.string() +
                          ": an animation's name ends in .gif, .webm or .mp4, or in .png for numbered pictures");
    }
}

Animated write_animation(const AnimationFile& file,
                         const std::function<scene::Drawing(std::uint32_t frame, const scene::TextMeasure&)>& draw) {
    require_animation_name(file.path);
    if (file.width < 64 || file.height < 64 || file.width > 4096 || file.height > 4096) {
        throw OptionError(fmt::format("an animation is 64 to 4096 wide and high, not {}x{}", file.width, file.height));
    }
    const auto format = movie_format(file.path);
    if (format && has_ffmpeg()) {
        TemporaryFile temporary(file.path);
        MovieFile movie(*format, temporary.path(), file.width, file.height, file.frames_per_second);
        paint_all(file, draw, [&](std::uint32_t, const FrameBuffer& buffer) { movie.add(buffer.pixels()); });
        movie.finish();
        temporary.keep();
        return {file.path, true};
    }
    const fs::path directory = directory_for(file.path);
    if (fs::exists(directory)) {
        throw FileError(directory.string() + ": exists already; remove it, or take another name");
    }
    TemporaryFile temporary(directory, TemporaryFile::Kind::folder);
    paint_all(file, draw, [&](std::uint32_t frame, const FrameBuffer& buffer) {
        buffer.write_png(temporary.path() / fmt::format("frame-{:04}.png", frame + 1));
    });
    temporary.keep();
    return {directory, false};
}

Animated animate(const PictureRequest& request, const std::vector<session::Moment>& moments, const Pace& pace) {
    PictureRequest frame = request;
    return write_animation({static_cast<std::uint32_t>(moments.size()), request.width, request.height,
                            pace.frames_per_second, request.path, request.control},
                           [&](std::uint32_t f, const scene::TextMeasure& measure) {
                               frame.moment = moments[f];
                               return compose(frame, measure);
                           });
}

std::string told(const Animated& animated, const AnimationFile& file) {
    if (animated.movie) {
        return fmt::format("{}: {} frames", animated.path.string(), file.frames);
    }
    const std::string directory = animated.path.string();
    return fmt::format("{}/: {} frames{}", directory, file.frames,
                       movie_format(file.path)
                           ? fmt::format("; ffmpeg is not installed. Where it is: ffmpeg -framerate {:g} -i "
                                         "{}/frame-%04d.png {}",
                                         file.frames_per_second, directory, file.path.string())
                           : "");
}

} // namespace warptree::render
