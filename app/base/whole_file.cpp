#include "app/base/whole_file.hpp"

#include "app/base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace warptree {

namespace {
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    int close() { return fd_ < 0 ? 0 : ::close(std::exchange(fd_, -1)); }
    operator int() const { return fd_; }

  private:
    int fd_;
};

// Returns errno, or 0.
int write_all(int fd, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = write(fd, bytes.data() + at, bytes.size() - at);
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        at += put < 0 ? 0 : static_cast<std::size_t>(put);
    }
    // fsync is not supported by every file system, nor by pipes and devices.
    return fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? errno : 0;
}
} // namespace

std::string read_whole(const std::filesystem::path& path, std::uint64_t most_bytes, std::string_view start) {
    const auto fail = [&](int reason) -> FileError {
        return FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(reason)));
    };
    const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    struct stat status {};
    if (fd < 0 || fstat(fd, &status) != 0) {
        throw fail(errno);
    }
    if (S_ISDIR(status.st_mode)) {
        throw fail(EISDIR);
    }
    std::string bytes;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t got = read(fd, buffer, sizeof buffer);
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw fail(errno);
        }
        bytes.append(buffer, static_cast<std::size_t>(got));
        const bool foreign = !std::string_view(bytes).starts_with(start) && !start.starts_with(bytes);
        if (got == 0 || foreign) {
            return bytes;
        }
        if (bytes.size() > most_bytes) {
            throw FileError(fmt::format("{}: cannot be read: more than {} bytes", path.string(), most_bytes));
        }
    }
}

void write_whole(const std::filesystem::path& path, const std::string& bytes) {
    std::error_code ignored;
    // Write through a symbolic link, so that it stays one.
    std::filesystem::path target = std::filesystem::canonical(path, ignored);
    if (target.empty()) {
        target = path;
    }
    const std::string temporary = fmt::format("{}.{}.part", target.string(), getpid());
    const auto error = [&](int reason, const char* left) {
        return FileError(fmt::format("{}: cannot be written: {}{}", path.string(), std::strerror(reason), left));
    };
    struct stat status {};
    const bool there = stat(target.c_str(), &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        throw FileError(fmt::format("{}: is a directory; name a file", path.string()));
    }
    if (there && !S_ISREG(status.st_mode)) { // write to a device or pipe directly; it must not be replaced
        Descriptor fd(open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        const int reason = fd < 0 ? errno : write_all(fd, bytes);
        if (reason != 0) {
            throw error(reason, "");
        }
        return;
    }
    Descriptor fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (fd < 0) {
        throw error(errno, "; nothing was changed");
    }
    if (there) {
        static_cast<void>(fchmod(fd, status.st_mode & 0777)); // keep the old permissions if possible
    }
    int reason = write_all(fd, bytes);
    if (reason == 0 && (fd.close() != 0 || rename(temporary.c_str(), target.c_str()) != 0)) {
        reason = errno;
    }
    if (reason != 0) {
        unlink(temporary.c_str());
        throw error(reason, "; nothing was changed");
    }
}

} // namespace warptree
