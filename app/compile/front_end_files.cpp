#include "app/compile/front_end_files.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace warptree::compile {
namespace {

namespace vfs = llvm::vfs;
namespace fs = llvm::sys::fs;

constexpr std::uint64_t kMostBytes = 64ULL << 20; // for all headers of a request

struct Descriptor {
    int fd = -1;
    Descriptor(int fd) : fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd, other.fd);
        return *this;
    }
    ~Descriptor() {
        if (fd >= 0) close(fd);
    }
};

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

// Opens a file or folder below `folder`, component by component, so that no symbolic link is followed and nothing but
// files and folders is opened.
Descriptor open_below(int folder, std::string_view relative, struct stat& facts, std::string& refusal) {
    Descriptor current(fcntl(folder, F_DUPFD_CLOEXEC, 3));
    while (current.fd >= 0) {
        const std::size_t slash = relative.find('/');
        const std::string part(relative.substr(0, slash));
        if (part.empty() || part == "." || part == "..") return -1;
        if (fstatat(current.fd, part.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return -1;
        const bool last = slash == std::string_view::npos;
        if (!S_ISDIR(facts.st_mode) && !(last && S_ISREG(facts.st_mode))) {
            if (S_ISLNK(facts.st_mode))
                refusal = "symbolic links are not followed";
            else if (last)
                refusal = "not a regular file";
            return -1;
        }
        const int kind = S_ISDIR(facts.st_mode) ? O_DIRECTORY : O_NONBLOCK;
        current = openat(current.fd, part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | kind);
        if (last) return current;
        relative.remove_prefix(slash + 1);
    }
    return -1;
}

bool read_all(int fd, std::uint64_t size, std::string& text) {
    text.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = read(fd, text.data() + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return done == size;
}

} // namespace

SourceFiles::SourceFiles(const std::string& folder, const std::string& shipped) {
    if (!folder.empty()) folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!shipped.empty()) shipped_ = open(shipped.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

SourceFiles::~SourceFiles() {
    for (const int fd : {folder_, shipped_})
        if (fd >= 0) close(fd);
}

void SourceFiles::add(const std::string& path, std::string_view text) {
    auto entry = std::make_unique<Entry>();
    entry->exists = true;
    entry->text = text;
    entry->status = make_status(path, text.size(), fs::file_type::regular_file);
    entries_[path] = std::move(entry);
}

std::string_view SourceFiles::name_of(std::string_view path) {
    for (const std::string_view root : {kSourceRoot, kHeaderRoot, kKernelsRoot})
        if (path.starts_with(root)) return path.substr(root.size());
    return path;
}

void SourceFiles::read_from(int folder, std::string_view relative, Entry& entry) {
    struct stat facts {};
    const std::string path = entry.status.getName().str();
    const Descriptor file = open_below(folder, relative, facts, entry.refusal);
    if (file.fd < 0 || fstat(file.fd, &facts) != 0) return;
    if (S_ISDIR(facts.st_mode)) {
        entry.status = make_status(path, 0, fs::file_type::directory_file);
        entry.exists = true;
        return;
    }
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    if (!S_ISREG(facts.st_mode)) return;
    if (size > kLargestFile || size > kMostBytes - bytes_read_) {
        entry.refusal = size > kLargestFile ? "larger than 16 MB" : "more than 64 MB of headers";
        return;
    }
    if (!read_all(file.fd, size, entry.owned)) return;
    bytes_read_ += size;
    entry.text = entry.owned;
    entry.status = make_status(path, size, fs::file_type::regular_file);
    entry.exists = true;
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
    if (kSourceRoot == folder || kHeaderRoot == folder || kKernelsRoot == folder) {
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
    } else if (folder_ >= 0 && key.starts_with(kSourceRoot)) {
        read_from(folder_, key.substr(kSourceRoot.size()), *entry);
    } else if (shipped_ >= 0 && key.starts_with(kKernelsRoot)) {
        read_from(shipped_, key.substr(kKernelsRoot.size()), *entry);
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
