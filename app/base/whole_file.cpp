#include "app/base/whole_file.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/regular_file.hpp"
#include "app/base/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace warptree {

std::string read_whole(const std::filesystem::path& path, std::uint64_t most_bytes, std::string_view start) {
    RegularFile file(path);
    std::string bytes(std::min<std::uint64_t>(start.size(), most_bytes), '\0');
    bytes.resize(file.read(bytes.data(), bytes.size()));
    if (bytes.size() < start.size() || !std::string_view(bytes).starts_with(start)) {
        return bytes;
    }
    if (file.bytes() > most_bytes) {
        throw file.larger_than(most_bytes);
    }
    bytes.reserve(file.bytes());
    // The file may grow meanwhile, and files of the system state no size.
    std::array<char, 1U << 16> part; // NOLINT(cppcoreguidelines-pro-type-member-init): read() writes it
    for (std::size_t got = part.size(); got == part.size();) {
        got = file.read(part.data(), part.size());
        bytes.append(part.data(), got);
        if (bytes.size() > most_bytes) {
            throw file.larger_than(most_bytes);
        }
    }
    return bytes;
}

std::string why_no_text(std::string_view bytes) {
    const auto begins = [&](std::string_view mark) { return bytes.starts_with(mark); };
    using namespace std::string_view_literals;
    const std::size_t zero = bytes.find('\0');
    const std::string_view head = bytes.substr(0, 256);
    // Without a mark: every other byte of ASCII text in UTF-16 is zero.
    const auto zeros = [&](std::size_t from) {
        std::size_t count = 0;
        for (std::size_t i = from; i < head.size(); i += 2) {
            count += head[i] == '\0' ? 1 : 0;
        }
        return count;
    };
    const std::size_t pairs = head.size() / 2;
    const char* form = begins("\xFF\xFE\0\0"sv) || begins("\0\0\xFE\xFF"sv) ? "UTF-32"
                       : begins("\xFF\xFE"sv) || begins("\xFE\xFF"sv) ||
                               (pairs != 0 && (zeros(0) * 4 >= pairs * 3 || zeros(1) * 4 >= pairs * 3) &&
                                zeros(0) + zeros(1) <= pairs + pairs / 4)
                           ? "UTF-16"
                           : nullptr;
    if (form != nullptr) {
        return fmt::format("it is text in {0}; save it as UTF-8, for example with 'iconv -f {0} -t UTF-8'", form);
    }
    if (zero != std::string_view::npos) {
        return fmt::format("it is no text: byte {} is zero; name a source file, saved as UTF-8", zero + 1);
    }
    return {};
}

std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
    std::string text = read_whole(path, most_bytes);
    if (const std::string why = why_no_text(text); !why.empty()) {
        throw FileError(fmt::format("{}: {}", printable_path(path.string()), why));
    }
    return text;
}

std::filesystem::path path_below(const std::filesystem::path& folder, const std::filesystem::path& name) {
    const auto refused = [&](const char* why) {
        return FileError(fmt::format("{}: {}; put a copy there", printable_path(name.string()), why));
    };
    if (name.empty() || name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end()) {
        throw refused("a file names others in its own folder only");
    }
    std::error_code error, other;
    // An empty name is the folder one is in, of which absolute() makes nothing.
    const auto root = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, error);
    std::filesystem::path there = std::filesystem::weakly_canonical(root / name, other); // resolves symbolic links
    const auto ends = std::mismatch(root.begin(), root.end(), there.begin(), there.end());
    if (error || other || root.empty() || ends.first != root.end()) {
        throw refused("a file names others in its own folder only, and this link leads out of it");
    }
    return there;
}

int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        bytes.remove_prefix(put < 0 ? 0 : static_cast<std::size_t>(put));
    }
    return 0;
}

void write_whole(const std::filesystem::path& path, std::string_view bytes) {
    std::error_code ignored;
    // Write through a symbolic link, so that it stays one.
    std::filesystem::path target = std::filesystem::canonical(path, ignored);
    if (target.empty()) {
        target = path;
    }
    struct stat status {};
    const bool there = stat(target.c_str(), &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        throw FileError(fmt::format("{}: is a directory; name a file", path.string()));
    }
    if (there && !S_ISREG(status.st_mode)) { // write to a device or pipe directly; it must not be replaced
        const int fd = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        const int reason = fd < 0 ? errno : write_all(fd, bytes);
        if (fd >= 0) {
            close(fd);
        }
        if (reason != 0) {
            throw FileError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(reason)));
        }
        return;
    }
    TemporaryFile temporary(target);
    if (there) {
        static_cast<void>(fchmod(temporary.descriptor(), status.st_mode & 0777)); // keep the old ones if possible
    }
    temporary.write(bytes);
    temporary.keep();
}

} // namespace warptree
