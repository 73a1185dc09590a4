// Writes a file or folder completely or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace warptree {

// An empty file or folder beside `target`, removed by the destructor unless kept. It is made exclusively, under a name
// that nobody can guess: it is never another's file, nor found through a symbolic link that lies in wait.
class TemporaryFile {
  public:
    enum class Kind { file, folder };
    // Throws FileError, which names the target.
    explicit TemporaryFile(const std::filesystem::path& target, Kind kind = Kind::file);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    const std::filesystem::path& path() const { return path_; }
    int descriptor() const { return descriptor_; } // of the file, open for writing; of the folder, for reading
    // Appends to the file. Throws FileError.
    void write(std::string_view bytes);
    // Gives it the target's name, once it and its folder are on the disk. Throws FileError; then the target is unchanged.
    void keep();

  private:
    std::filesystem::path target_, path_;
    int descriptor_ = -1;
    std::size_t place_ = 0; // among those that remove_temporary_files() finds
    bool kept_ = false;
};

// Whether a file has the name of one that is not complete yet.
bool is_temporary(const std::filesystem::path& file);

// For a signal handler that ends the process, and may call it at any time: removes the files that are not kept yet.
// A folder stays, as do files beyond the first 16 at a time.
void remove_temporary_files() noexcept;

} // namespace warptree
