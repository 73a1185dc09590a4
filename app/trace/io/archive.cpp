#include "app/trace/io/archive.hpp"

#include "app/base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace warptree {

namespace {
struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_source_t* source) const { zip_source_free(source); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;
using File = std::unique_ptr<zip_file_t, Discard>;

struct ZipError : zip_error_t { // owns the text that zip_error_strerror() returns
    ZipError() { zip_error_init(this); }
    ~ZipError() { zip_error_fini(this); }
    ZipError(const ZipError&) = delete;
    ZipError& operator=(const ZipError&) = delete;
};

constexpr zip_uint16_t kFixedDate = 1 << 5 | 1; // 1980-01-01: the bytes depend on neither clock nor time zone
constexpr std::uint64_t kMostPerByte = 1032;    // the highest compression ratio of deflate

[[noreturn]] void failed(const char* what) {
    throw FileError(fmt::format("packing the trace: {} failed, perhaps for want of memory", what));
}

// Whether the record that ends every archive is missing or truncated. libzip's error codes differ between versions.
bool is_truncated(std::string_view bytes) {
    constexpr std::size_t kEndRecord = 22;
    const std::size_t end = bytes.rfind("PK\x05\x06");
    return end == std::string_view::npos || bytes.size() - end < kEndRecord;
}
} // namespace

std::string pack(const Entries& entries, RunControl* control) {
    ZipError error;
    Source source(zip_source_buffer_create(nullptr, 0, 0, &error));
    if (!source) {
        failed("making a buffer");
    }
    zip_source_keep(source.get()); // keeps it after the archive is closed
    Archive archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, &error));
    if (!archive) {
        zip_source_free(source.get());
        failed("opening the archive");
    }
    for (const auto& [name, bytes] : entries) {
        zip_source_t* data = zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0);
        const zip_int64_t index =
            data == nullptr ? -1 : zip_file_add(archive.get(), name.c_str(), data, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(data);
            failed("adding an array");
        }
        zip_file_set_dostime(archive.get(), static_cast<zip_uint64_t>(index), 0, kFixedDate, 0);
        zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 1);
    }
    if (control != nullptr) { // closing does the compression
        zip_register_progress_callback_with_state(
            archive.get(), 0.02,
            [](zip_t*, double fraction, void* to) {
                if (const auto& progress = static_cast<RunControl*>(to)->progress) {
                    progress(fraction);
                }
            },
            nullptr, control);
        zip_register_cancel_callback_with_state(
            archive.get(), [](zip_t*, void* of) { return static_cast<RunControl*>(of)->cancel ? 1 : 0; }, nullptr,
            control);
    }
    if (zip_close(archive.get()) != 0) {
        if (control != nullptr && control->cancel) {
            archive.reset();
            zip_source_free(source.release());
            throw Cancelled();
        }
        failed("closing the archive");
    }
    static_cast<void>(archive.release());
    zip_stat_t stat;
    if (zip_source_stat(source.get(), &stat) != 0 || zip_source_open(source.get()) != 0) {
        failed("reading it back");
    }
    std::string out(stat.size, '\0');
    const zip_int64_t got = zip_source_read(source.get(), out.data(), out.size());
    zip_source_close(source.get());
    if (got != static_cast<zip_int64_t>(out.size())) {
        failed("reading it back");
    }
    return out;
}

std::map<std::string, std::string> unpack(const std::string& bytes, std::uint64_t most_bytes, RunControl* control) {
    if (!bytes.starts_with("PK\x03\x04")) {
        const bool beginning = !bytes.empty() && bytes.size() < 4 && std::string_view("PK\x03\x04").starts_with(bytes);
        throw BadArchive{beginning ? Damage::truncated : Damage::not_an_archive, "not a zip archive"};
    }
    ZipError error;
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    Archive archive(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
    if (!archive) {
        zip_source_free(source);
        throw BadArchive{is_truncated(bytes) ? Damage::truncated : Damage::corrupt, zip_error_strerror(&error)};
    }
    std::map<std::string, std::string> entries;
    std::uint64_t total = 0, packed = 0;
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        const auto index = static_cast<zip_uint64_t>(i);
        if (control != nullptr && control->cancel) {
            throw Cancelled();
        }
        constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
        if (zip_stat_index(archive.get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
            throw BadArchive{Damage::corrupt, "an entry without a size"};
        }
        total += stat.size;
        packed += stat.comp_size;
        if (stat.comp_size > bytes.size() || stat.size / kMostPerByte > stat.comp_size) {
            throw BadArchive{Damage::corrupt, fmt::format("entry {} states a size it cannot have", i)};
        }
        if (stat.size > most_bytes || total > most_bytes) {
            throw BadArchive{Damage::corrupt, fmt::format("it unpacks to more than {} bytes", most_bytes)};
        }
        const std::string name = stat.name;
        File file(zip_fopen_index(archive.get(), index, 0));
        std::string data(stat.size, '\0');
        char beyond = 0;
        // The read past the end makes libzip compare the checksum.
        if (!file || zip_fread(file.get(), data.data(), data.size()) != static_cast<zip_int64_t>(data.size()) ||
            zip_fread(file.get(), &beyond, 1) != 0) {
            throw BadArchive{Damage::corrupt, fmt::format("entry {} does not match its checksum", name)};
        }
        if (!entries.emplace(name, std::move(data)).second) {
            throw BadArchive{Damage::corrupt, fmt::format("entry {} appears twice", name)};
        }
        if (control != nullptr && control->progress) {
            control->progress(std::min(1.0, static_cast<double>(packed) / static_cast<double>(bytes.size())));
        }
    }
    return entries;
}

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
