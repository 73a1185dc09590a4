#include "app/trace/io/archive.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
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

constexpr std::size_t kEndRecord = 22;  // bytes of the record that ends every archive, with an empty comment
constexpr unsigned kMostEntries = 4096; // a trace has about a hundred

// Whether the record at the end states more entries than a trace can have: before libzip takes memory for each of them.
// Where there are too many for the record, it states 65535, and another says how many.
bool states_too_many(std::string_view bytes) {
    const auto number = [&](std::size_t at) {
        return static_cast<unsigned char>(bytes[at]) | static_cast<unsigned char>(bytes[at + 1]) << 8;
    };
    constexpr std::size_t kLongestComment = 65535;
    const std::size_t least = bytes.size() - std::min(bytes.size(), kEndRecord + kLongestComment);
    for (std::size_t at = bytes.size(); at > least && at != std::string_view::npos;) {
        at = bytes.rfind("PK\x05\x06", at - 1);
        if (at != std::string_view::npos && at >= least && bytes.size() - at >= kEndRecord &&
            at + kEndRecord + static_cast<std::size_t>(number(at + 20)) == bytes.size() &&
            static_cast<unsigned>(number(at + 10)) > kMostEntries) {
            return true;
        }
    }
    return false;
}

// What libzip reads of an entry while it packs it.
struct Supply {
    explicit Supply(const LaterEntry& of) : entry(of) {}
    const LaterEntry& entry;
    std::string bytes; // while it is open
    std::size_t at = 0;
    bool open() {
        try {
            bytes = entry.bytes();
        } catch (const std::bad_alloc&) {
            return false;
        }
        at = 0;
        return bytes.size() == entry.size;
    }
    zip_int64_t read(void* to, zip_uint64_t most) {
        const std::size_t count = std::min<std::size_t>(bytes.size() - at, most);
        std::memcpy(to, bytes.data() + at, count);
        at += count;
        return static_cast<zip_int64_t>(count);
    }
};

zip_int64_t supply(void* of, void* data, zip_uint64_t size, zip_source_cmd_t command) {
    auto* const from = static_cast<Supply*>(of);
    switch (command) {
    case ZIP_SOURCE_OPEN: return from->open() ? 0 : -1;
    case ZIP_SOURCE_READ: return from->read(data, size);
    case ZIP_SOURCE_CLOSE: from->bytes = std::string(); return 0;
    case ZIP_SOURCE_STAT: {
        auto* const stat = static_cast<zip_stat_t*>(data);
        zip_stat_init(stat);
        stat->valid = ZIP_STAT_SIZE;
        stat->size = from->entry.size;
        return static_cast<zip_int64_t>(sizeof *stat);
    }
    case ZIP_SOURCE_ERROR: {
        const int why[2] = {ZIP_ER_MEMORY, 0};
        std::memcpy(data, why, sizeof why);
        return static_cast<zip_int64_t>(sizeof why);
    }
    case ZIP_SOURCE_FREE: delete from; return 0;
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default: return -1;
    }
}

// The entry must outlive it.
zip_source_t* source_of(zip_t* archive, const LaterEntry& entry) {
    auto from = std::make_unique<Supply>(entry);
    zip_source_t* source = zip_source_function(archive, supply, from.get());
    if (source != nullptr) {
        static_cast<void>(from.release()); // freed with the source
    }
    return source;
}

// Whether the record that ends every archive is missing or truncated. libzip's error codes differ between versions.
bool is_truncated(std::string_view bytes) {
    const std::size_t end = bytes.rfind("PK\x05\x06");
    return end == std::string_view::npos || bytes.size() - end < kEndRecord;
}
} // namespace

std::string pack(const Entries& entries, RunControl* control) {
    std::vector<LaterEntry> later;
    for (const auto& [name, bytes] : entries) {
        later.push_back({name, bytes.size(), [&bytes = bytes] { return bytes; }});
    }
    return pack(later, control);
}

std::string pack(const std::vector<LaterEntry>& entries, RunControl* control) {
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
    for (const LaterEntry& entry : entries) {
        zip_source_t* data = source_of(archive.get(), entry);
        const zip_int64_t index =
            data == nullptr ? -1 : zip_file_add(archive.get(), entry.name.c_str(), data, ZIP_FL_ENC_UTF_8);
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

struct ArchiveReader::Zip {
    struct Close {
        void operator()(zip_t* archive) const { zip_discard(archive); }
    };
    std::unique_ptr<zip_t, Close> archive;
    std::map<std::string, zip_uint64_t> index;
};

ArchiveReader::ArchiveReader(const std::string& bytes, std::uint64_t most_bytes) : zip_(new Zip) {
    if (!bytes.starts_with("PK\x03\x04")) {
        const bool beginning = !bytes.empty() && bytes.size() < 4 && std::string_view("PK\x03\x04").starts_with(bytes);
        throw BadArchive{beginning ? Damage::truncated : Damage::not_an_archive, "not a zip archive"};
    }
    if (states_too_many(bytes)) {
        throw BadArchive{Damage::corrupt, fmt::format("more than {} entries", kMostEntries)};
    }
    ZipError error;
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    zip_->archive.reset(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
    if (!zip_->archive) {
        zip_source_free(source);
        throw BadArchive{is_truncated(bytes) ? Damage::truncated : Damage::corrupt, zip_error_strerror(&error)};
    }
    std::uint64_t total = 0;
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip_->archive.get(), 0); ++i) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        const auto index = static_cast<zip_uint64_t>(i);
        constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
        if (zip_stat_index(zip_->archive.get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
            throw BadArchive{Damage::corrupt, "an entry without a size"};
        }
        total += stat.size;
        if (stat.comp_size > bytes.size() || stat.size / kMostPerByte > stat.comp_size) {
            throw BadArchive{Damage::corrupt, fmt::format("entry {} states a size it cannot have", i)};
        }
        if (stat.size > most_bytes || total > most_bytes) {
            throw BadArchive{Damage::corrupt, fmt::format("it unpacks to more than {} bytes", most_bytes)};
        }
        if (!sizes_.emplace(stat.name, stat.size).second) {
            throw BadArchive{Damage::corrupt, fmt::format("entry {} appears twice", stat.name)};
        }
        zip_->index.emplace(stat.name, index);
    }
}

ArchiveReader::~ArchiveReader() = default;

std::string ArchiveReader::read(const std::string& name) const {
    const auto size = sizes_.find(name);
    if (size == sizes_.end()) {
        throw BadArchive{Damage::corrupt, fmt::format("entry {} is missing", name)};
    }
    const File file(zip_fopen_index(zip_->archive.get(), zip_->index.at(name), 0));
    std::string data(size->second, '\0');
    char beyond = 0;
    // The read past the end makes libzip compare the checksum.
    if (!file || zip_fread(file.get(), data.data(), data.size()) != static_cast<zip_int64_t>(data.size()) ||
        zip_fread(file.get(), &beyond, 1) != 0) {
        throw BadArchive{Damage::corrupt, fmt::format("entry {} does not match its checksum", name)};
    }
    return data;
}

std::map<std::string, std::string> unpack(const std::string& bytes, std::uint64_t most_bytes) {
    const ArchiveReader archive(bytes, most_bytes);
    std::map<std::string, std::string> entries;
    for (const auto& [name, size] : archive.sizes()) {
        entries.emplace(name, archive.read(name));
    }
    return entries;
}

} // namespace warptree
