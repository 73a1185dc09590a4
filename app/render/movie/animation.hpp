// A run as a movie, or as numbered pictures.
#pragma once

#include "app/render/cairo/cairo_picture.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warptree::render {

struct Pace {
    float steps_per_second = 1;   // above 0
    float frames_per_second = 20; // 1 … 60
    float rest = 1.5F;            // seconds that the last frame stays
};

// The place that a frame shows, and how much of it has been played: above 0, at most 1.
struct PlaceFrame {
    std::uint32_t place = 0;
    float phase = 1;
};
// `first` to `last` of `places`, each played from its beginning to its end. `whose` is for errors: "this trace".
// Throws OptionError for places out of range.
std::vector<PlaceFrame> frames_of(std::uint32_t places, const Pace& pace, std::uint32_t first, std::uint32_t last,
                                  const std::string& whose);

// The moment of each frame: the places `first` to `last` (0-based, over all launches, the host's combine last), each
// played from its beginning to its end. Throws OptionError for places that the trace does not have.
std::vector<session::Moment> frames_of(const Trace& trace, const Pace& pace, std::uint32_t first = 0,
                                       std::uint32_t last = UINT32_MAX);

struct AnimationFile {
    std::uint32_t frames = 0; // at least 1
    int width = 1280, height = 720;
    float frames_per_second = 20;
    std::filesystem::path path; // .gif, .webm, .mp4: a movie; .png: a directory of pictures, the name without .png
    RunControl* control = nullptr;
};

struct Animated {
    std::filesystem::path path; // of the movie, or of the directory
    bool movie = false;         // false: frame-0001.png … in the directory
};

// Throws OptionError for a name that is neither that of a movie nor .png.
void require_animation_name(const std::filesystem::path& path);

// A movie through ffmpeg; without ffmpeg, or for .png, a directory of frame-0001.png …, which must not exist yet.
// Written under a temporary name, renamed when complete. Throws OptionError, FileError, Cancelled.
Animated write_animation(const AnimationFile& file,
                         const std::function<scene::Drawing(std::uint32_t frame, const scene::TextMeasure&)>& draw);

// Frames that own the data they are drawn from, so that another thread can paint them.
struct Film {
    std::uint32_t frames = 0;
    std::function<scene::Drawing(std::uint32_t frame, const scene::TextMeasure&)> draw;
};
// A view over `moments`; the request's own moment and trace are not used.
Film film_of(std::shared_ptr<const Trace> trace, const PictureRequest& request, std::vector<session::Moment> moments);

// The request's view over `moments`; its own moment is not used.
Animated animate(const PictureRequest& request, const std::vector<session::Moment>& moments, const Pace& pace);

// A summary in one line: "run-frames/: 240 frames; ffmpeg is not installed. …".
std::string told(const Animated& animated, const AnimationFile& file);

} // namespace warptree::render
