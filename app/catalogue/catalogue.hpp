// The kernel files: those that ship with the program, and those in the user's own folder.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::catalogue {

struct Entry {
    std::string id; // derived from the file's name: "scan-warp" for scan_warp.cu
    std::filesystem::path path;
    std::string text;             // of the file; empty if it cannot be read
    KernelHeader header;          // as far as it could be parsed
    std::string problem;          // why the header could not be parsed or the file not read; empty: none
    bool has_operator = false;    // it takes element type and operator from reduction.cuh
    std::vector<Finish> finishes; // the default first
    bool own = false;             // from the user's folder
    std::string title() const { return header.title.empty() ? id : header.title; }
};

class Catalogue {
  public:
    // The files with a title in the folders of `shipped` (reduce, scan, exhibits …), in the order of order.txt, the
    // others after those; then `own` and its subfolders, both sorted. A missing folder is empty. A bad file does not
    // throw: its entry has a problem.
    Catalogue(const std::filesystem::path& shipped, const std::filesystem::path& own);

    const std::vector<Entry>& entries() const { return entries_; }
    // A file of the user's own hides a shipped one of the same name. nullptr: there is none.
    const Entry* find(std::string_view id) const;

  private:
    std::vector<Entry> entries_;
};

// The folder of the kernels that ship; empty: not found.
std::filesystem::path shipped_folder();
// The file with that id in shipped_folder(); empty: none.
std::filesystem::path shipped_file(std::string_view id);
// The file with that id in own_folder() or a subfolder; empty: none.
std::filesystem::path own_file(std::string_view id);
// The files of own_folder(), read again when files were added or removed. Only for the drawing thread.
const std::vector<Entry>& own_entries();
// "scan-warp" of scan_warp.cu.
std::string id_of(const std::filesystem::path& file);
// $WARPTREE_KERNELS, else warptree/kernels in $XDG_DATA_HOME or ~/.local/share; it need not exist. Empty: no home.
std::filesystem::path own_folder();

} // namespace warptree::catalogue
