#include "app/render/movie/movie_file.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace warptree::render {

namespace {

// yuv420p, the colour format that every player supports, needs even sizes.
constexpr const char* kEven = "pad=ceil(iw/2)*2:ceil(ih/2)*2";

std::vector<std::string> coding(MovieFormat format) {
    switch (format) {
    case MovieFormat::gif: // one palette, from the pixels that change
        return {"-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none", "-loop", "0", "-f",
                "gif"};
    case MovieFormat::webm:
        return {"-vf", kEven,     "-c:v", "libvpx-vp9", "-crf",    "24", "-b:v",
                "0",   "-row-mt", "1",    "-pix_fmt",   "yuv420p", "-f", "webm"};
    case MovieFormat::mp4: break;
    }
    return {"-vf", kEven,      "-c:v",    "libx264",   "-preset",    "medium", "-crf",
            "18",  "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f",     "mp4"};
}

std::string last_line(int file) {
    std::string text(4096, '\0');
    const off_t size = ::lseek(file, 0, SEEK_END);
    const off_t from = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
    const ssize_t got = ::pread(file, text.data(), text.size(), from);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    while (!text.empty() && text.back() <= ' ') {
        text.pop_back();
    }
    return text.substr(text.rfind('\n') + 1);
}

} // namespace

std::optional<MovieFormat> movie_format(const std::filesystem::path& path) {
    std::string end = path.extension().string();
    std::transform(end.begin(), end.end(), end.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return end == ".gif"    ? std::optional(MovieFormat::gif)
           : end == ".webm" ? std::optional(MovieFormat::webm)
           : end == ".mp4"  ? std::optional(MovieFormat::mp4)
                            : std::nullopt;
}

bool has_ffmpeg() {
    const char* path = std::getenv("PATH");
    std::string_view left = path == nullptr ? "" : path;
    while (!left.empty()) {
        const auto end = std::min(left.find(':'), left.size());
        if (end > 0 && ::access((std::string(left.substr(0, end)) + "/ffmpeg").c_str(), X_OK) == 0) {
            return true;
        }
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return false;
}

MovieFile::MovieFile(MovieFormat format, const std::filesystem::path& path, int width, int height,
                     float frames_per_second)
    : path_(path) {
    int ends[2];
    // A socket rather than a pipe: writing to an ffmpeg that has ended is then an error, not a signal.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw FileError(path.string() + ": cannot open a socket to ffmpeg");
    }
    frames_ = ends[0];
    std::string name = (std::filesystem::temp_directory_path() / "warptree-ffmpeg-XXXXXX").string();
    said_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (said_ >= 0) {
        ::unlink(name.c_str());
    }
    std::vector<std::string> words{"ffmpeg",       "-nostdin",
                                   "-hide_banner", "-loglevel",
                                   "error",        "-y",
                                   "-f",           "rawvideo",
                                   "-pix_fmt",     "bgr0",
                                   "-video_size",  fmt::format("{}x{}", width, height),
                                   "-framerate",   fmt::format("{:g}", frames_per_second),
                                   "-i",           "pipe:0"};
    const auto code = coding(format);
    words.insert(words.end(), code.begin(), code.end());
    words.push_back("file:" + path.string());
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (said_ >= 0) {
        posix_spawn_file_actions_adddup2(&actions, said_, STDERR_FILENO);
    }
    const int error = ::posix_spawnp(&process_, "ffmpeg", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (error != 0) {
        process_ = -1;
        ::close(frames_);
        ::close(said_);
        throw FileError(path.string() + ": ffmpeg cannot be started; install ffmpeg, or name a .png for single frames");
    }
}

MovieFile::~MovieFile() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        wait();
    }
    if (frames_ >= 0) {
        ::close(frames_);
    }
    if (said_ >= 0) {
        ::close(said_);
    }
}

int MovieFile::wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
}

void MovieFile::fail() {
    if (process_ > 0) {
        ::kill(process_, SIGTERM);
        wait();
    }
    const std::string why = said_ >= 0 ? last_line(said_) : "";
    throw FileError(fmt::format("{}: ffmpeg failed{}{}", path_.string(), why.empty() ? "" : ": ", why));
}

void MovieFile::add(std::span<const unsigned char> pixels) {
    while (!pixels.empty()) {
        const ssize_t sent = ::send(frames_, pixels.data(), pixels.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            wait(); // it has closed its end: report its reason
            fail();
        }
        pixels = pixels.subspan(static_cast<std::size_t>(sent));
    }
}

void MovieFile::finish() {
    ::close(frames_);
    frames_ = -1;
    if (wait() != 0) {
        fail();
    }
}

} // namespace warptree::render
