#include "kernels/trace/archive.hpp"

#include "kernels/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <cerrno>
#include <cstring>
#include <memory>

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

constexpr time_t kFixedTime = 315619200; // 1980-01-02, the earliest day a zip holds in every time zone

[[noreturn]] void failed(const char* what) {
    throw FileError(fmt::format("packing the trace: {} failed; is there memory left?", what));
}
} // namespace

std::string pack(const Entries& entries) {
    zip_error_t error;
    zip_error_init(&error);
    Source source(zip_source_buffer_create(nullptr, 0, 0, &error));
    if (!source) {
        failed("making a buffer");
    }
    zip_source_keep(source.get()); // survives the archive
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
        zip_file_set_mtime(archive.get(), static_cast<zip_uint64_t>(index), kFixedTime, 0);
        zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 1);
    }
    if (zip_close(archive.get()) != 0) {
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

std::map<std::string, std::string> unpack(const std::string& bytes, std::uint64_t most_bytes) {
    if (!bytes.starts_with("PK\x03\x04")) {
        const bool beginning = !bytes.empty() && bytes.size() < 4 && std::string_view("PK\x03\x04").starts_with(bytes);
        throw BadArchive{beginning ? Damage::truncated : Damage::not_an_archive, "no zip archive"};
    }
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    Archive archive(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
    if (!archive) {
        zip_source_free(source);
        const int code = zip_error_code_zip(&error);
        throw BadArchive{code == ZIP_ER_NOZIP || code == ZIP_ER_EOF ? Damage::truncated : Damage::corrupt,
                         zip_error_strerror(&error)};
    }
    std::map<std::string, std::string> entries;
    std::uint64_t total = 0;
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        const auto index = static_cast<zip_uint64_t>(i);
        constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE;
        if (zip_stat_index(archive.get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
            throw BadArchive{Damage::corrupt, "an entry without a size"};
        }
        total += stat.size;
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
            throw BadArchive{Damage::corrupt, fmt::format("entry {} does not unpack to its checksum", name)};
        }
        if (!entries.emplace(name, std::move(data)).second) {
            throw BadArchive{Damage::corrupt, fmt::format("entry {} is there twice", name)};
        }
    }
    return entries;
}

std::string read_whole(const std::filesystem::path& path) {
    const auto fail = [&](int reason) -> FileError {
        return FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(reason)));
    };
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        throw fail(errno);
    }
    const std::unique_ptr<const int, void (*)(const int*)> closer(&fd, [](const int* f) { close(*f); });
    struct stat status {};
    if (fstat(fd, &status) != 0) {
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
            throw fail(errno);
        }
        if (got == 0) {
            return bytes;
        }
        bytes.append(buffer, static_cast<std::size_t>(got));
    }
}

void write_whole(const std::filesystem::path& path, const std::string& bytes) {
    const std::string temporary = fmt::format("{}.{}.part", path.string(), getpid());
    const auto fail = [&](int reason) -> FileError {
        unlink(temporary.c_str());
        return FileError(
            fmt::format("{}: cannot be written: {}; nothing was changed", path.string(), std::strerror(reason)));
    };
    if (std::filesystem::is_directory(path)) {
        throw FileError(fmt::format("{}: is a directory; name a file", path.string()));
    }
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        throw fail(errno);
    }
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = write(fd, bytes.data() + at, bytes.size() - at);
        if (put < 0) {
            const int reason = errno;
            close(fd);
            throw fail(reason);
        }
        at += static_cast<std::size_t>(put);
    }
    if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS) {
        const int reason = errno;
        close(fd);
        throw fail(reason);
    }
    if (close(fd) != 0 || rename(temporary.c_str(), path.c_str()) != 0) {
        throw fail(errno);
    }
}

} // namespace warptree
