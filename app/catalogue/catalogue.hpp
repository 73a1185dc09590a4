// The kernel files there are: those that ship with the program, and a folder of the user's own.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::catalogue {

struct Entry {
    std::string id; // of the file's name: "scan-warp" for scan_warp.cu
    std::filesystem::path path;
    std::string text;             // of the file; empty where it cannot be read
    KernelHeader header;          // as far as it can be understood
    std::string problem;          // why it cannot be, or why the file cannot be read; empty: it can
    bool has_operator = false;    // it takes element type and operator from reduction.cuh
    std::vector<Finish> finishes; // its own first
    bool own = false;             // of the user's folder
    std::string title() const { return header.title.empty() ? id : header.title; }
};

class Catalogue {
  public:
    // The files with a title in the folders of `shipped` (reduce, scan, exhibits …), in the order of its order.txt, then what that does not name; then
    // `own` and its folders, both sorted. A folder that is missing is empty. Never throws for what a file says.
    Catalogue(const std::filesystem::path& shipped, const std::filesystem::path& own);

    const std::vector<Entry>& entries() const { return entries_; }
    // The user's own file hides one of ours that has its name. nullptr: there is none.
    const Entry* find(std::string_view id) const;

  private:
    std::vector<Entry> entries_;
};

// Where the program's own kernels are; empty: nowhere.
std::filesystem::path shipped_folder();
// The file there of that id; empty: none.
std::filesystem::path shipped_file(std::string_view id);
// The file of that id in own_folder() or a folder of it; empty: none.
std::filesystem::path own_file(std::string_view id);
// Those of own_folder(), read again when a file of it has come or gone. Only for the thread that draws.
const std::vector<Entry>& own_entries();
// "scan-warp" of scan_warp.cu.
std::string id_of(const std::filesystem::path& file);
// $WARPTREE_KERNELS, else warptree/kernels in $XDG_DATA_HOME or ~/.local/share; it need not exist. Empty: there is no home.
std::filesystem::path own_folder();

} // namespace warptree::catalogue
