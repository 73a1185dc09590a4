// A kernel file on screen: its text as edited and as on disk. Unsaved text is kept in the program's config folder, so
// that it survives an exit or a crash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warptree::session {

class KernelFile {
  public:
    // Reads it from disk, or the unsaved text of an earlier run of the program. Throws FileError.
    explicit KernelFile(const std::filesystem::path& path);
    // Not on disk yet; the name ends in .cu. `copied_from`: the strategy whose text it is; empty: none.
    KernelFile(const std::filesystem::path& path, std::string text, std::string copied_from = {});

    const std::filesystem::path& path() const { return path_; } // absolute
    std::string name() const { return path_.filename().string(); }
    const std::string& text() const { return text_; }
    bool unsaved() const { return text_ != disk_; }
    bool recovered() const { return recovered_; }                   // the text is from an earlier run, not from disk
    const std::string& copied_from() const { return copied_from_; } // id of a strategy; empty: none

    void edit(std::string text);
    void keep_safe() const;                          // stores unsaved text; never throws
    void save();                                     // throws FileError
    void save_as(const std::filesystem::path& path); // likewise; path() is then this path
    void take_disk();                                // reads the file again and drops unsaved changes; throws FileError

    enum class Seen { same, taken, differs, gone };
    // Whether another program changed the file since the last check. taken: its text is shown now. differs: our text is
    // unsaved and stays. gone: it was there and is no more; our text stays. One that cannot be read counts as unchanged.
    Seen look();

    // The newest file with unsaved text, if any.
    static std::optional<std::filesystem::path> unsaved_file();
    // STEM.cu, STEM-2.cu … in the working directory: the first that is neither on disk nor in use for another unsaved
    // text.
    static std::filesystem::path free_path(const std::string& stem, const std::string& text);

  private:
    std::filesystem::path safe_place() const; // empty: no such folder
    void write_safe_copy(bool with_text) const;
    void forget_safe_copy() const; // except which strategy it is a copy of

    std::filesystem::path path_;
    std::string text_, disk_, copied_from_;
    bool recovered_ = false;
};

} // namespace warptree::session
