// What a compilation may read of this computer: regular files below its request's folder and below that of the kernels
// that ship with the program, and the C and C++ headers of the system. The worker opens no file; it asks, and its client looks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::compile {

inline constexpr std::uint64_t kLargestFile = 16ULL << 20;

// The request's folder; the shipped kernels; the root, of which only what is_system_header() takes is there; the request's
// further folders, each by its number: "0/mine.h".
enum class Tree : std::uint8_t { source, kernels, system, folders };

// Whether an absolute path without "." or ".." is in one of the folders where a system keeps headers for all users.
bool is_system_header(std::string_view path);

struct FoundFile {
    enum class Kind : std::uint8_t { none, file, folder };
    Kind kind = Kind::none;
    std::string text;    // of a file
    std::string refusal; // why an existing file is not read
};

// `relative` has no "." or "..", and neither begins nor ends with a slash.
using FindFile = std::function<FoundFile(Tree, const std::string& relative)>;

// A request's further folder may be one from which headers reach up, as in #include "../common/common.h": "above//folder" is
// searched as folder, and files of folders above it are found, too, if they have a name that C or C++ files have.
inline constexpr std::string_view kReachesUp = "//";
// The folder that is opened, and the part of the path below it that is searched.
std::pair<std::string_view, std::string_view> split_folder(std::string_view folder);
// Whether a file has a name that one of C, C++ or CUDA has: "common.h".
bool is_code(std::string_view path);

// The files of one request, read without following a symbolic link, up to a total size.
class RequestFiles {
  public:
    // Folders; empty: there is none.
    RequestFiles(const std::string& source, const std::string& kernels, const std::vector<std::string>& folders = {});
    ~RequestFiles();
    RequestFiles(const RequestFiles&) = delete;
    RequestFiles& operator=(const RequestFiles&) = delete;

    FoundFile find(Tree tree, std::string_view relative);

  private:
    static FoundFile find_of_system(const std::string& path);
    int source_ = -1, kernels_ = -1;
    std::vector<int> folders_;
    std::vector<bool> only_code_; // by folder: it is above one that was named
    std::uint64_t bytes_read_ = 0;
};

} // namespace warptree::compile
