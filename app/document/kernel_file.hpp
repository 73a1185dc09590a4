// A kernel file on screen: its text as it is edited, and as the disk has it. What is not saved is kept in a folder of the
// program's, so that it survives its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warptree::session {

class KernelFile {
  public:
    // As the disk has it, or as an earlier run of the program could not save it. Throws FileError.
    explicit KernelFile(const std::filesystem::path& path);
    // Not on the disk yet; a name ending in .cu. `copied_from`: the strategy whose text it is; empty: of none.
    KernelFile(const std::filesystem::path& path, std::string text, std::string copied_from = {});

    const std::filesystem::path& path() const { return path_; } // absolute
    std::string name() const { return path_.filename().string(); }
    const std::string& text() const { return text_; }
    bool unsaved() const { return text_ != disk_; }
    bool recovered() const { return recovered_; }                   // the text is as it was last, and not the disk's
    const std::string& copied_from() const { return copied_from_; } // id of a strategy; empty: of none

    void edit(std::string text);
    void keep_safe() const;                          // what is not saved; nothing is thrown
    void save();                                     // throws FileError
    void save_as(const std::filesystem::path& path); // likewise; the file is that one from then on
    void take_disk();                                // and lets go of what was not saved; throws FileError

    enum class Seen { same, taken, differs };
    // What another program made of the file since the last look. taken: its text is shown now. differs: ours is not saved
    // and stays. A file that is gone is the same.
    Seen look();

    // The newest file whose text was not saved, if any.
    static std::optional<std::filesystem::path> unsaved_file();
    // STEM.cu, STEM-2.cu … where the program was started: the first that is neither on the disk nor, with another text,
    // kept as not saved.
    static std::filesystem::path free_path(const std::string& stem, const std::string& text);

  private:
    std::filesystem::path safe_place() const; // empty: there is none
    void write_safe_copy(bool with_text) const;
    void forget_safe_copy() const; // but for what it is a copy of

    std::filesystem::path path_;
    std::string text_, disk_, copied_from_;
    bool recovered_ = false;
};

} // namespace warptree::session
