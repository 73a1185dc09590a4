#include "app/compile/front_end/files.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <utility>

namespace warptree::compile {
namespace {

namespace vfs = llvm::vfs;
namespace fs = llvm::sys::fs;

vfs::Status make_status(const std::string& path, std::uint64_t size, fs::file_type type) {
    return {path, vfs::getNextVirtualUniqueID(), llvm::sys::TimePoint<>(), 0, 0, size, type, fs::perms::owner_read};
}

class OpenFile : public vfs::File {
  public:
    OpenFile(vfs::Status status, std::string_view text) : status_(std::move(status)), text_(text) {}
    llvm::ErrorOr<vfs::Status> status() override { return status_; }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, std::int64_t, bool,
                                                                 bool) override {
        llvm::SmallString<128> space;
        return llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text_.data(), text_.size()), name.toStringRef(space));
    }
    std::error_code close() override { return {}; }

  private:
    vfs::Status status_;
    std::string_view text_; // null-terminated
};

} // namespace

namespace {

// A CUDA toolkit's header in a system folder, where ours is meant.
bool is_of_a_toolkit(std::string_view path) {
    constexpr std::string_view kFolder = "/usr/include/";
    if (!path.starts_with(kFolder)) return false;
    path.remove_prefix(kFolder.size());
    for (const std::string_view beginning :
         {"cu", "thrust/", "cub/", "device_", "driver_", "vector_", "sm_", "texture_", "surface_", "builtin_types.h",
          "channel_descriptor.h", "host_defines.h", "cooperative_groups", "math_constants.h", "math_functions.h",
          "library_types.h", "nv/", "crt/", "helper_"})
        if (path.starts_with(beginning)) return true;
    return false;
}

// The system's headers stay as they are while this process lives, so that each is asked for once.
const FoundFile& of_system(const FindFile& find, const std::string& path) {
    static std::map<std::string, FoundFile> known;
    const auto at = known.find(path);
    return at != known.end() ? at->second : known.emplace(path, find(Tree::system, path.substr(1))).first->second;
}

} // namespace

std::string searched_folder(std::size_t number, std::string_view folder) {
    const std::string_view below = split_folder(folder).second;
    return std::string(kFoldersRoot) + std::to_string(number) + (below.empty() ? "" : "/") + std::string(below);
}

std::optional<std::string> with_joined_brackets(std::string_view text) {
    constexpr std::string_view kBegin = "<<", kOperator = "operator";
    // "<<<" or "<< <" from a place on: its length, or 0.
    const auto bracket = [&](std::size_t at, char c) -> std::size_t {
        const std::string_view rest = text.substr(at);
        const auto is = [&](std::size_t i, char wanted) { return i < rest.size() && rest[i] == wanted; };
        if (!is(0, c) || !is(1, c)) return 0;
        return is(2, c) ? 3 : is(2, ' ') && is(3, c) ? 4 : 0;
    };
    std::optional<std::string> joined;
    const auto join = [&](std::size_t at, std::size_t length, char c) {
        if (length != 4) return;
        if (!joined) joined = std::string(text);
        joined->replace(at, length, std::string(3, c) + ' ');
    };
    for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
        const std::size_t opens = bracket(at, '<');
        if (opens == 0) continue;
        const std::string_view before = text.substr(0, at);
        const std::size_t word = before.find_last_not_of(" \t");
        if (word != std::string_view::npos && before.substr(0, word + 1).ends_with(kOperator)) continue;
        const std::size_t end = std::min(text.find(';', at), text.size());
        std::size_t close = text.find(">>", at + opens);
        while (close < end && bracket(close, '>') == 0) close = text.find(">>", close + 1);
        if (close >= end) continue;
        join(at, opens, '<');
        join(close, bracket(close, '>'), '>');
        at = close;
    }
    return joined;
}

std::optional<std::string> with_host_callable_objects(std::string_view text) {
    constexpr std::string_view kDevice = "__device__", kHost = "__host__", kOperator = "operator";
    static_assert(kDevice.size() == kCallable.size());
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    std::optional<std::string> changed;
    for (std::size_t at = text.find(kDevice); at != std::string_view::npos; at = text.find(kDevice, at + 1)) {
        std::string_view before = text.substr(0, at), after = text.substr(at + kDevice.size());
        while (!before.empty() && blank(before.back())) before.remove_suffix(1);
        if (before.ends_with(kHost)) continue;
        // "[…] __device__ (…)", or "__device__ T operator()(…)", up to its first bracket.
        const std::string_view until = after.substr(0, after.find_first_of("(;{}"));
        std::size_t last = until.size();
        while (last > 0 && blank(until[last - 1])) --last;
        const bool lambda = before.ends_with(']') && last == 0;
        const bool object = until.substr(0, last).ends_with(kOperator) && until.find(kHost) == std::string_view::npos &&
                            after.substr(until.size()).starts_with("()");
        if (!lambda && !object) continue;
        if (!changed) changed = std::string(text);
        changed->replace(at, kDevice.size(), kCallable);
    }
    return changed;
}

std::optional<std::string> SourceFiles::as_read(std::string_view text) const {
    std::optional<std::string> joined = with_joined_brackets(text);
    if (headers_ != Headers::and_the_systems) return joined;
    std::optional<std::string> callable = with_host_callable_objects(joined ? std::string_view(*joined) : text);
    return callable ? callable : joined;
}

void SourceFiles::add(const std::string& path, std::string_view text) {
    auto entry = std::make_unique<Entry>();
    entry->exists = true;
    entry->text = text;
    if (std::optional<std::string> own = as_read(text)) {
        entry->owned = std::move(*own);
        entry->text = entry->owned;
    }
    entry->status = make_status(path, text.size(), fs::file_type::regular_file);
    entries_[path] = std::move(entry);
}

std::string_view SourceFiles::name_of(std::string_view path) {
    for (const std::string_view root : {kSourceRoot, kHeaderRoot, kKernelsRoot})
        if (path.starts_with(root)) return path.substr(root.size());
    if (path.starts_with(kFoldersRoot)) {
        const std::size_t number = path.find('/', kFoldersRoot.size());
        return number == std::string_view::npos ? path : path.substr(number + 1);
    }
    return path;
}

void SourceFiles::find_in(Tree tree, std::string_view relative, Entry& entry) {
    FoundFile found = find_(tree, std::string(relative));
    const std::string path = entry.status.getName().str();
    entry.refusal = std::move(found.refusal);
    entry.exists = found.kind != FoundFile::Kind::none;
    if (found.kind == FoundFile::Kind::folder) entry.status = make_status(path, 0, fs::file_type::directory_file);
    if (found.kind != FoundFile::Kind::file) return;
    entry.owned = as_read(found.text).value_or(found.text);
    entry.text = entry.owned;
    entry.status = make_status(path, entry.text.size(), fs::file_type::regular_file);
}

std::string SourceFiles::refusal(const std::string& path) { return look_up(path).refusal; }

std::optional<std::string_view> SourceFiles::text(const std::string& path) {
    const Entry& entry = look_up(path);
    if (!entry.exists || !entry.status.isRegularFile()) return std::nullopt;
    return entry.text;
}

const SourceFiles::Entry& SourceFiles::look_up(const llvm::Twine& wanted) {
    llvm::SmallString<128> path;
    wanted.toVector(path);
    if (path.empty() || path[0] != '/') path.insert(path.begin(), kSourceRoot.begin(), kSourceRoot.end());
    llvm::sys::path::remove_dots(path, true);
    const std::string_view key(path.data(), path.size());
    if (const auto found = entries_.find(key); found != entries_.end()) return *found->second;

    auto entry = std::make_unique<Entry>();
    entry->status = make_status(std::string(key), 0, fs::file_type::file_not_found);
    const std::string folder = std::string(key) + "/";
    if (kSourceRoot == folder || kHeaderRoot == folder || kKernelsRoot == folder || kFoldersRoot == folder) {
        entry->status = make_status(std::string(key), 0, fs::file_type::directory_file);
        entry->exists = true;
    } else if (key.starts_with(kHeaderRoot)) {
        const std::string_view name = key.substr(kHeaderRoot.size());
        const auto& headers = embedded_headers();
        const auto at = std::lower_bound(headers.begin(), headers.end(), name,
                                         [](const EmbeddedHeader& h, std::string_view n) { return h.path < n; });
        if (at != headers.end() && at->path == name) {
            entry->text = at->text;
            entry->status = make_status(std::string(key), at->text.size(), fs::file_type::regular_file);
            entry->exists = true;
        } else if (std::any_of(headers.begin(), headers.end(), [&](const EmbeddedHeader& h) {
                       return h.path.starts_with(std::string_view(folder).substr(kHeaderRoot.size()));
                   })) {
            entry->status = make_status(std::string(key), 0, fs::file_type::directory_file);
            entry->exists = true;
        }
    } else if (find_ && key.starts_with(kSourceRoot)) {
        find_in(Tree::source, key.substr(kSourceRoot.size()), *entry);
    } else if (find_ && key.starts_with(kFoldersRoot)) {
        find_in(Tree::folders, key.substr(kFoldersRoot.size()), *entry);
    } else if (find_ && key.starts_with(kKernelsRoot)) {
        find_in(Tree::kernels, key.substr(kKernelsRoot.size()), *entry);
    } else if (find_ && headers_ == Headers::and_the_systems && is_system_header(key) && !is_of_a_toolkit(key)) {
        const FoundFile& found = of_system(find_, std::string(key));
        entry->exists = found.kind != FoundFile::Kind::none;
        entry->text = found.text;
        entry->status = make_status(std::string(key), found.text.size(),
                                    found.kind == FoundFile::Kind::folder ? fs::file_type::directory_file
                                    : entry->exists                       ? fs::file_type::regular_file
                                                                          : fs::file_type::file_not_found);
    }
    return *(entries_[std::string(key)] = std::move(entry));
}

llvm::ErrorOr<vfs::Status> SourceFiles::status(const llvm::Twine& path) {
    const Entry& entry = look_up(path);
    if (!entry.exists) return std::make_error_code(std::errc::no_such_file_or_directory);
    return vfs::Status::copyWithNewName(entry.status, path);
}

llvm::ErrorOr<std::unique_ptr<vfs::File>> SourceFiles::openFileForRead(const llvm::Twine& path) {
    const Entry& entry = look_up(path);
    if (!entry.exists) return std::make_error_code(std::errc::no_such_file_or_directory);
    if (entry.status.isDirectory()) return std::make_error_code(std::errc::is_a_directory);
    return std::make_unique<OpenFile>(vfs::Status::copyWithNewName(entry.status, path), entry.text);
}

// Clang lists folders only for module maps and completion, neither of which is used.
vfs::directory_iterator SourceFiles::dir_begin(const llvm::Twine&, std::error_code& error) {
    error = std::make_error_code(std::errc::no_such_file_or_directory);
    return {};
}

std::error_code SourceFiles::setCurrentWorkingDirectory(const llvm::Twine&) {
    return std::make_error_code(std::errc::operation_not_permitted);
}

llvm::ErrorOr<std::string> SourceFiles::getCurrentWorkingDirectory() const {
    return std::string(kSourceRoot.substr(0, kSourceRoot.size() - 1));
}

std::error_code SourceFiles::getRealPath(const llvm::Twine& path, llvm::SmallVectorImpl<char>& output) {
    output.clear();
    path.toVector(output);
    return {};
}

std::error_code SourceFiles::isLocal(const llvm::Twine&, bool& result) {
    result = true;
    return {};
}

} // namespace warptree::compile
