#include "app/compile/compiler_files.hpp"

#include <cerrno>
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

RequestFiles::RequestFiles(const std::string& source, const std::string& kernels)
    : source_(open_folder(source)), kernels_(open_folder(kernels)) {}

RequestFiles::~RequestFiles() {
    for (const int fd : {source_, kernels_})
        if (fd >= 0) close(fd);
}

FoundFile RequestFiles::find(Tree tree, std::string_view relative) {
    FoundFile found;
    const int folder = tree == Tree::source ? source_ : kernels_;
    if (folder < 0) return found;
    struct stat facts {};
    const OpenDescriptor file = open_below(folder, relative, facts, found.refusal);
    if (file.fd < 0 || fstat(file.fd, &facts) != 0) return found;
    if (S_ISDIR(facts.st_mode)) {
        found.kind = FoundFile::Kind::folder;
        return found;
    }
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    if (!S_ISREG(facts.st_mode)) return found;
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
