// What Clang sees as files: our headers, the text of the request, and what its client finds below the request's folder
// and that of the kernels that ship with the program; for host code also the system's headers, by their own paths. Nothing
// else on this computer is visible under any name.
#pragma once

#include "app/compile/client/files.hpp"

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::compile {

// The virtual paths of the three trees. No other path exists, but those of the system's headers.
inline constexpr std::string_view kSourceRoot = "/source/", kHeaderRoot = "/warptree/", kKernelsRoot = "/kernels/",
                                  kFoldersRoot = "/include/"; // and a number

// The virtual path of a request's further folder, by its number: "/include/0", or "/include/0/chapter01" if it reaches up.
std::string searched_folder(std::size_t number, std::string_view folder);

// A header of ours, embedded in this program: "cuda_fp16.h".
struct EmbeddedHeader {
    std::string_view path, text;
};
const std::vector<EmbeddedHeader>& embedded_headers(); // sorted by path

// nvcc takes the brackets of a launch that are written apart, "k << <1, 32 >> >(a)". The text with them joined, in as many
// characters; nullopt: it has none.
std::optional<std::string> with_joined_brackets(std::string_view text);

// Function objects that are only __device__ may be given to Thrust and CUB, whose functions the host computes: where the
// host's code is compiled, their __device__ is this name, which stands for both halves. In as many characters; nullopt:
// there are none.
inline constexpr std::string_view kCallable = "__wt_both_";
std::optional<std::string> with_host_callable_objects(std::string_view text);

enum class Headers : std::uint8_t { ours, and_the_systems };

class SourceFiles : public llvm::vfs::FileSystem {
  public:
    // `find` empty: there are our headers only.
    explicit SourceFiles(FindFile find = {}, Headers headers = Headers::ours)
        : find_(std::move(find)), headers_(headers) {}

    // Adds a file that is not on disk, or hides one that is. The text must outlive this.
    void add(const std::string& path, std::string_view text);
    // "mine.cu" for "/source/mine.cu", "cuda_fp16.h" for "/warptree/cuda_fp16.h"; other paths unchanged.
    static std::string_view name_of(std::string_view path);
    // Whether the file is a library header rather than kernel text: code inlined from it is shown at its call. Those of
    // our kernels lie beside the kernels' folders (reduction.cuh), not in them (reduce/warp_reduce.cuh).
    // Whether it is the request's own text, or a header of its folders.
    static bool of_request(std::string_view path) {
        return path.starts_with(kSourceRoot) || path.starts_with(kFoldersRoot);
    }
    static bool ours(std::string_view path) {
        return path.starts_with(kHeaderRoot) ||
               (path.starts_with(kKernelsRoot) && path.find('/', kKernelsRoot.size()) == std::string_view::npos);
    }
    // Why an existing file of the request's folder was not read; empty: there is no such file.
    std::string refusal(const std::string& path);
    // The contents of a file; nullopt: it does not exist.
    std::optional<std::string_view> text(const std::string& path);

    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
    llvm::vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override;
    std::error_code setCurrentWorkingDirectory(const llvm::Twine& path) override;
    llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override;
    std::error_code getRealPath(const llvm::Twine& path, llvm::SmallVectorImpl<char>& output) override;
    std::error_code isLocal(const llvm::Twine& path, bool& result) override;

  private:
    // A file or folder, asked for only once: a compilation sees one consistent state of the disk.
    struct Entry {
        llvm::vfs::Status status;
        std::string_view text;
        std::string owned;   // storage of `text`, for a file on disk
        std::string refusal; // why it is not read
        bool exists = false;
    };
    const Entry& look_up(const llvm::Twine& path);
    void find_in(Tree tree, std::string_view relative, Entry& entry);

    FindFile find_;
    // What Clang reads in place of a file's text; nullopt: the text itself.
    std::optional<std::string> as_read(std::string_view text) const;

    Headers headers_;
    std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

} // namespace warptree::compile
