#include "app/base/temporary_file.hpp"

#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace warptree {

namespace {
FileError not_written(const std::filesystem::path& target, int reason) {
    return FileError(
        fmt::format("{}: cannot be written: {}; nothing was changed", target.string(), std::strerror(reason)));
}

constexpr std::string_view kBegin = ".warptree-", kEnd = ".part";

std::uint64_t unguessable() {
    std::uint64_t number = 0;
    if (getentropy(&number, sizeof number) != 0) { // never fails for so few bytes, says its page
        throw FileError("the system gives no random numbers to name a temporary file with");
    }
    return number;
}

std::filesystem::path folder_of(const std::filesystem::path& target) {
    return target.has_parent_path() ? target.parent_path() : ".";
}

// The paths of the files that are not kept yet; nullptr: a free place. Global: a signal handler can reach nothing else.
std::array<std::atomic<const char*>, 16> removable{};
static_assert(std::atomic<const char*>::is_always_lock_free);

// The place of the path there, or removable.size().
std::size_t note_removable(const char* path) {
    std::size_t place = 0;
    for (const char* nobody = nullptr; place < removable.size(); ++place, nobody = nullptr) {
        if (removable[place].compare_exchange_strong(nobody, path)) {
            break;
        }
    }
    return place;
}

void forget_removable(std::size_t place) {
    if (place < removable.size()) {
        removable[place] = nullptr;
    }
}

// fsync is not supported by every file system, nor by pipes and devices.
int synced(int fd) { return fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? errno : 0; }
} // namespace

bool is_temporary(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    return name.starts_with(kBegin) && name.ends_with(kEnd);
}

TemporaryFile::TemporaryFile(const std::filesystem::path& target, Kind kind) : target_(target) {
    const bool folder = kind == Kind::folder;
    int reason = EEXIST;
    for (int tries = 0; reason == EEXIST && tries < 100; ++tries) {
        // The length does not depend on the target's, whose name may be as long as a name can be.
        path_ = folder_of(target) / fmt::format("{}{:016x}{}", kBegin, unguessable(), kEnd);
        if (folder && mkdir(path_.c_str(), 0777) != 0) {
            reason = errno;
            continue;
        }
        descriptor_ = open(path_.c_str(),
                           O_NOFOLLOW | O_CLOEXEC | (folder ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL),
                           0666); // as a new file has, less the umask
        reason = descriptor_ < 0 ? errno : 0;
    }
    if (reason != 0) {
        throw not_written(target_, reason);
    }
    place_ = folder ? removable.size() : note_removable(path_.c_str());
}

TemporaryFile::~TemporaryFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    forget_removable(place_);
    std::error_code ignored;
    if (!kept_) {
        std::filesystem::remove_all(path_, ignored);
    }
}

void TemporaryFile::write(std::string_view bytes) {
    if (const int reason = write_all(descriptor_, bytes); reason != 0) {
        throw not_written(target_, reason);
    }
}

void TemporaryFile::keep() {
    int reason = synced(descriptor_);
    if (close(std::exchange(descriptor_, -1)) != 0 && reason == 0) {
        reason = errno;
    }
    if (reason == 0 && rename(path_.c_str(), target_.c_str()) != 0) {
        reason = errno;
    }
    if (reason != 0) {
        throw not_written(target_, reason);
    }
    kept_ = true;
    forget_removable(place_);
    if (const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
        static_cast<void>(synced(folder)); // the name is there; whether a crash could undo it is the system's affair
        close(folder);
    }
}

void remove_temporary_files() noexcept {
    for (const auto& path : removable) {
        if (const char* there = path.load()) {
            unlink(there);
        }
    }
}

} // namespace warptree
