// A movie written by ffmpeg, frame by frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

namespace warptree::render {

enum class MovieFormat : std::uint8_t { gif, webm, mp4 };
// By the extension: .gif, .webm or .mp4, in upper or lower case.
std::optional<MovieFormat> movie_format(const std::filesystem::path& path);
// Whether an ffmpeg is on PATH.
bool has_ffmpeg();

// One movie being written to a file, which is complete only once finish() returns.
class MovieFile {
  public:
    // Starts ffmpeg. Throws FileError when it cannot be started.
    MovieFile(MovieFormat format, const std::filesystem::path& path, int width, int height, float frames_per_second);
    ~MovieFile(); // ends ffmpeg when finish() was not reached
    MovieFile(const MovieFile&) = delete;
    MovieFile& operator=(const MovieFile&) = delete;

    // Rows from the top, 4 bytes a pixel (blue, green, red, unused). Throws FileError with ffmpeg's own last line.
    void add(std::span<const unsigned char> pixels);
    // Waits for ffmpeg. Throws FileError with its last line.
    void finish();

  private:
    [[noreturn]] void fail();
    int wait(); // the exit status of ffmpeg; once

    std::filesystem::path path_;
    int frames_ = -1; // the socket that ffmpeg reads
    int said_ = -1;   // an unnamed file with ffmpeg's messages
    pid_t process_ = -1;
};

} // namespace warptree::render
