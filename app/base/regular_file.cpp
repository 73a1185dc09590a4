#include "app/base/regular_file.hpp"

#include "app/base/printable.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warptree {

RegularFile::RegularFile(std::filesystem::path path)
    : path_(std::move(path)),
      // Without O_NONBLOCK opening a pipe would wait for a writer.
      descriptor_(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {
    if (descriptor_ < 0) {
        throw error(errno == ENOENT  ? "there is no such file"
                    : errno == ENXIO ? "it is a socket or a device, not a regular file"
                                     : std::strerror(errno));
    }
    struct stat status {};
    const int reason = fstat(descriptor_, &status) != 0 ? errno : 0;
    if (reason == 0 && S_ISREG(status.st_mode)) {
        bytes_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
        return;
    }
    close(descriptor_);
    throw error(reason != 0               ? std::strerror(reason)
                : S_ISDIR(status.st_mode) ? "it is a folder, not a regular file"
                                          : "it is a pipe or a device, not a regular file");
}

RegularFile::~RegularFile() { close(descriptor_); }

std::size_t RegularFile::read(char* to, std::size_t most) {
    std::size_t done = 0;
    while (done < most) {
        const ssize_t got = ::read(descriptor_, to + done, most - done);
        if (got < 0 && errno != EINTR) {
            throw error(std::strerror(errno));
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return done;
}

FileError RegularFile::error(std::string_view reason) const {
    return FileError(fmt::format("{}: cannot be read: {}", printable_path(path_.string()), reason));
}

FileError RegularFile::larger_than(std::uint64_t most_bytes) const {
    constexpr std::uint64_t kMegabyte = 1U << 20;
    return error(most_bytes % kMegabyte == 0 && most_bytes != 0
                     ? fmt::format("it is larger than {} MB", most_bytes / kMegabyte)
                     : fmt::format("it is larger than {} bytes", most_bytes));
}

} // namespace warptree
