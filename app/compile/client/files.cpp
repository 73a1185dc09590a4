#include "app/compile/client/files.hpp"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace warptree::compile {
namespace {

constexpr std::uint64_t kMostBytes = 64ULL << 20; // for all headers of a request

struct OpenDescriptor {
    int fd = -1;
    OpenDescriptor(int fd) : fd(fd) {}
    OpenDescriptor(OpenDescriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    OpenDescriptor& operator=(OpenDescriptor&& other) noexcept {
        std::swap(fd, other.fd);
        return *this;
    }
    ~OpenDescriptor() {
        if (fd >= 0) close(fd);
    }
};

// Opens a file or folder below `folder`, component by component, so that no symbolic link is followed and nothing but
// files and folders is opened.
OpenDescriptor open_below(int folder, std::string_view relative, struct stat& facts, std::string& refusal) {
    OpenDescriptor current(fcntl(folder, F_DUPFD_CLOEXEC, 3));
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

bool read_file(int fd, std::uint64_t size, std::string& text) {
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

int open_folder(const std::string& path) {
    return path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

} // namespace

RequestFiles::RequestFiles(const std::string& source, const std::string& kernels,
                           const std::vector<std::string>& folders)
    : source_(open_folder(source)), kernels_(open_folder(kernels)) {
    for (const std::string& folder : folders) {
        const auto [above, below] = split_folder(folder);
        folders_.push_back(open_folder(std::string(above)));
        only_code_.push_back(!below.empty());
    }
}

RequestFiles::~RequestFiles() {
    folders_.insert(folders_.end(), {source_, kernels_});
    for (const int fd : folders_)
        if (fd >= 0) close(fd);
}

std::pair<std::string_view, std::string_view> split_folder(std::string_view folder) {
    const std::size_t at = folder.find(kReachesUp);
    if (at == std::string_view::npos) return {folder, {}};
    return {folder.substr(0, at), folder.substr(at + kReachesUp.size())};
}

bool is_code(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return false;
    for (const std::string_view end :
         {"h", "hpp", "hxx", "hh", "cuh", "hu", "inl", "inc", "tpp", "cu", "cpp", "c", "cc"})
        if (name.substr(dot + 1) == end) return true;
    return false;
}

bool is_system_header(std::string_view path) {
    for (const std::string_view folder :
         {"/usr/include/", "/usr/local/include/", "/usr/lib/gcc/", "/usr/lib/llvm-19/lib/clang/"})
        if (path.starts_with(folder) || path == folder.substr(0, folder.size() - 1)) return true;
    return false;
}

// Links are followed, as the folders are the administrator's; but to where everyone may read.
FoundFile RequestFiles::find_of_system(const std::string& path) {
    FoundFile found;
    for (std::size_t at = 0; at != std::string::npos; at = path.find('/', at + 1)) {
        const std::string_view rest = std::string_view(path).substr(at + 1);
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (part.empty() || part == "." || part == "..") return found;
    }
    if (!is_system_header(path)) return found;
    const OpenDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat facts {};
    if (file.fd < 0 || fstat(file.fd, &facts) != 0) return found;
    constexpr mode_t kEveryone = 0004;
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    if (S_ISDIR(facts.st_mode))
        found.kind = FoundFile::Kind::folder;
    else if (S_ISREG(facts.st_mode) && (facts.st_mode & kEveryone) != 0 && size <= kLargestFile &&
             read_file(file.fd, size, found.text))
        found.kind = FoundFile::Kind::file;
    return found;
}

FoundFile RequestFiles::find(Tree tree, std::string_view relative) {
    if (tree == Tree::system) return find_of_system("/" + std::string(relative));
    FoundFile found;
    int folder = tree == Tree::source ? source_ : kernels_;
    bool only_code = false;
    if (tree == Tree::folders) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(relative.data(), relative.data() + relative.size(), number);
        if (error != std::errc{} || number >= folders_.size()) return found;
        if (end == relative.data() + relative.size()) {
            found.kind = folders_[number] < 0 ? FoundFile::Kind::none : FoundFile::Kind::folder;
            return found;
        }
        relative.remove_prefix(static_cast<std::size_t>(end - relative.data()) + 1);
        folder = folders_[number];
        only_code = only_code_[number];
    }
    if (folder < 0) return found;
    struct stat facts {};
    const OpenDescriptor file = open_below(folder, relative, facts, found.refusal);
    if (file.fd < 0 || fstat(file.fd, &facts) != 0) return found;
    if (S_ISDIR(facts.st_mode)) {
        found.kind = FoundFile::Kind::folder;
        return found;
    }
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    if (!S_ISREG(facts.st_mode) || (only_code && !is_code(relative))) return found;
    if (size > kLargestFile || size > kMostBytes - bytes_read_) {
        found.refusal = size > kLargestFile ? "larger than 16 MB" : "more than 64 MB of headers";
        return found;
    }
    if (!read_file(file.fd, size, found.text)) {
        found.text.clear();
        return found;
    }
    bytes_read_ += size;
    found.kind = FoundFile::Kind::file;
    return found;
}

} // namespace warptree::compile
