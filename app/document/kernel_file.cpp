#include "app/document/kernel_file.hpp"

#include "app/base/error.hpp"
#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"
#include "app/document/config_folder.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace warptree::session {

namespace {
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostBytes = 4U << 20; // of an edited file

// The contents of a file with unsaved text; nullopt if the program did not write it.
struct Kept {
    std::string path, copied_from;
    std::optional<std::string> text; // absent: nothing unsaved
};
std::optional<Kept> kept_in(const std::filesystem::path& file) {
    try {
        const Json j = parse_json(read_whole(file, 2 * kMostBytes));
        Kept kept{j.at("path").get<std::string>(), j.value("copied_from", std::string()), {}};
        if (j.contains("text")) {
            kept.text = j.at("text").get<std::string>();
        }
        return kept;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::filesystem::path unsaved_folder() {
    const std::filesystem::path folder = config_folder();
    return folder.empty() ? folder : folder / "unsaved";
}
// Where the unsaved text of that file is kept; empty: nowhere.
std::filesystem::path safe_place_of(const std::filesystem::path& path) {
    const std::filesystem::path folder = unsaved_folder();
    return folder.empty()
               ? folder
               : folder / fmt::format("{:016x}.json", std::uint64_t{std::hash<std::string>{}(path.string())});
}
std::optional<Kept> kept_of(const std::filesystem::path& path) {
    const std::filesystem::path place = safe_place_of(path);
    std::error_code error;
    auto kept = std::filesystem::exists(place, error) ? kept_in(place) : std::nullopt;
    return kept && kept->path == path.string() ? std::move(kept) : std::nullopt;
}
} // namespace

KernelFile::KernelFile(const std::filesystem::path& path) : path_(std::filesystem::absolute(path)) {
    std::error_code error;
    const auto kept = kept_of(path_);
    if (std::filesystem::exists(path_, error) || !kept || !kept->text) {
        disk_ = read_text(path_, kMostBytes);
    }
    text_ = disk_;
    if (kept) {
        copied_from_ = kept->copied_from;
        text_ = kept->text.value_or(disk_);
        recovered_ = text_ != disk_;
    }
}

KernelFile::KernelFile(const std::filesystem::path& path, std::string text, std::string copied_from)
    : path_(std::filesystem::absolute(path)), text_(std::move(text)), copied_from_(std::move(copied_from)) {}

std::filesystem::path KernelFile::safe_place() const { return safe_place_of(path_); }

void KernelFile::edit(std::string text) {
    text_ = std::move(text);
    recovered_ = false;
}

void KernelFile::write_safe_copy(bool with_text) const {
    const std::filesystem::path place = safe_place();
    if (place.empty()) {
        return;
    }
    try {
        std::filesystem::create_directories(place.parent_path());
        Json j{{"path", path_.string()}, {"copied_from", copied_from_}};
        if (with_text) {
            j["text"] = text_;
        }
        write_whole(place, json_text(j) + "\n");
    } catch (const std::exception&) { // e.g. a full disk: the text is still in memory
    }
}

void KernelFile::keep_safe() const {
    if (unsaved()) {
        write_safe_copy(true);
    } else {
        forget_safe_copy();
    }
}

void KernelFile::forget_safe_copy() const {
    std::error_code error;
    if (!copied_from_.empty() && std::filesystem::exists(path_, error)) { // not recorded in the file itself
        write_safe_copy(false);
    } else if (!safe_place().empty()) {
        std::filesystem::remove(safe_place(), error);
    }
}

void KernelFile::save() {
    write_whole(path_, text_);
    disk_ = text_;
    recovered_ = false;
    forget_safe_copy();
}

void KernelFile::save_as(const std::filesystem::path& path) {
    write_whole(path, text_);
    forget_safe_copy();
    path_ = std::filesystem::absolute(path);
    forget_safe_copy(); // drop an older unsaved text of that name
    disk_ = text_;
    recovered_ = false;
}

void KernelFile::take_disk() {
    disk_ = read_text(path_, kMostBytes);
    text_ = disk_;
    recovered_ = false;
    forget_safe_copy();
}

KernelFile::Seen KernelFile::look() {
    std::string now;
    try {
        now = read_text(path_, kMostBytes);
    } catch (const FileError&) {
        std::error_code error;
        return !disk_.empty() && !std::filesystem::exists(path_, error) ? Seen::gone : Seen::same;
    }
    if (now == disk_) {
        return Seen::same;
    }
    const bool ours = unsaved();
    disk_ = std::move(now);
    if (ours && disk_ != text_) {
        return Seen::differs;
    }
    const bool changes = disk_ != text_;
    text_ = disk_;
    forget_safe_copy();
    return changes ? Seen::taken : Seen::same;
}

std::optional<std::filesystem::path> KernelFile::unsaved_file() {
    std::optional<std::filesystem::path> newest;
    std::filesystem::file_time_type when;
    std::error_code error;
    if (unsaved_folder().empty()) {
        return newest;
    }
    for (const auto& entry : std::filesystem::directory_iterator(unsaved_folder(), error)) {
        const auto written = entry.last_write_time(error);
        if (const auto kept = kept_in(entry.path()); kept && kept->text && (!newest || written > when)) {
            newest = kept->path;
            when = written;
        }
    }
    return newest;
}

std::filesystem::path KernelFile::free_path(const std::string& stem, const std::string& text) {
    std::error_code error;
    const std::filesystem::path here = std::filesystem::current_path(error);
    for (int i = 1;; ++i) {
        const std::filesystem::path path = here / (i == 1 ? stem + ".cu" : fmt::format("{}-{}.cu", stem, i));
        const auto kept = kept_of(path);
        if (!std::filesystem::exists(std::filesystem::symlink_status(path, error)) &&
            (!kept || !kept->text || kept->text == text)) {
            return path;
        }
    }
}

} // namespace warptree::session
