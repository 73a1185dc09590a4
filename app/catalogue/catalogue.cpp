#include "app/catalogue/catalogue.hpp"

#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/kernel_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace warptree::catalogue {

namespace fs = std::filesystem;

namespace {
constexpr std::uintmax_t kLargest = 1U << 20; // bytes of a file
constexpr std::size_t kMostFiles = 4096;

Entry entry_of(const fs::path& path, const std::string& shipped, bool own) {
    Entry entry;
    entry.id = id_of(path);
    entry.path = path;
    entry.finishes = {Finish::host};
    entry.own = own;
    const std::string& text = entry.text;
    try {
        entry.text = read_text(path, kLargest);
        entry.has_operator = has_operator(text, path.parent_path().string(), shipped);
        entry.header = read_header(text);
        entry.finishes = finishes(entry.header, text, entry.has_operator);
    } catch (const Error& e) {
        entry.problem = e.what();
    }
    return entry;
}

// The .cu files of a folder, sorted, and with `deeper` those of its subfolders.
void add_files(std::vector<fs::path>& files, const fs::path& folder, bool deeper) {
    std::error_code error;
    std::vector<fs::path> folders;
    const std::size_t first = files.size();
    for (fs::directory_iterator at(folder, error), end; !error && at != end && files.size() < kMostFiles;
         at.increment(error)) {
        std::error_code ignored;
        if (at->is_directory(ignored)) {
            folders.push_back(at->path());
        } else if (at->path().extension() == ".cu" && at->is_regular_file(ignored)) {
            files.push_back(at->path());
        }
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& below : folders) {
        if (deeper) {
            add_files(files, below, false);
        }
    }
}

std::vector<std::string> order_in(const fs::path& folder) {
    std::vector<std::string> ids;
    std::error_code error;
    if (!fs::exists(folder / "order.txt", error)) {
        return ids;
    }
    std::istringstream in(read_whole(folder / "order.txt", kLargest));
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line[0] != '#') {
            ids.push_back(line);
        }
    }
    return ids;
}
} // namespace

Catalogue::Catalogue(const fs::path& shipped, const fs::path& own) {
    const auto add = [&](const fs::path& folder, bool is_own) {
        std::vector<fs::path> files;
        if (!folder.empty()) {
            add_files(files, folder, true);
        }
        for (const fs::path& file : files) {
            entries_.push_back(entry_of(file, shipped.string(), is_own));
        }
    };
    add(shipped, false);
    std::erase_if(entries_, [](const Entry& e) { return e.problem.empty() && e.header.title.empty(); });
    const std::vector<std::string> order = order_in(shipped);
    const auto place = [&](const Entry& e) { return std::find(order.begin(), order.end(), e.id) - order.begin(); };
    std::stable_sort(entries_.begin(), entries_.end(),
                     [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
    add(own, true);
}

const Entry* Catalogue::find(std::string_view id) const {
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& e) { return e.id == id; });
    return found == entries_.rend() ? nullptr : &*found;
}

fs::path shipped_folder() {
    try {
        return resource("kernels");
    } catch (const MissingResource&) {
        return {};
    }
}

fs::path shipped_file(std::string_view id) {
    const fs::path folder = shipped_folder();
    std::string name(id);
    std::replace(name.begin(), name.end(), '-', '_');
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !folder.empty() && !error && at != end; at.increment(error)) {
        std::error_code none;
        if (fs::path file = at->path() / (name + ".cu"); fs::is_regular_file(file, none)) {
            return file;
        }
    }
    return {};
}

fs::path own_file(std::string_view id) {
    const fs::path folder = own_folder();
    std::vector<fs::path> files;
    if (!folder.empty()) {
        add_files(files, folder, true);
    }
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const fs::path& file) { return id_of(file) == id; });
    return found == files.end() ? fs::path() : *found;
}

const std::vector<Entry>& own_entries() {
    static fs::path read;
    static fs::file_time_type read_when;
    static std::vector<Entry> entries;
    const fs::path folder = own_folder();
    std::error_code error;
    if (const auto changed = fs::last_write_time(folder, error); error) {
        entries.clear();
        read.clear();
    } else if (folder != read || changed != read_when) {
        read = folder;
        read_when = changed;
        entries = Catalogue({}, folder).entries();
    }
    return entries;
}

std::string id_of(const fs::path& file) {
    std::string id = file.stem().string();
    std::replace(id.begin(), id.end(), '_', '-');
    return id;
}

fs::path own_folder() {
    const auto of = [](const char* name) {
        const char* const value = std::getenv(name);
        return fs::path(value == nullptr ? "" : value);
    };
    if (fs::path chosen = of("WARPTREE_KERNELS"); !chosen.empty()) {
        return chosen;
    }
    if (const fs::path data = of("XDG_DATA_HOME"); data.is_absolute()) {
        return data / "warptree/kernels";
    }
    const fs::path home = of("HOME");
    return home.empty() ? fs::path() : home / ".local/share/warptree/kernels";
}

} // namespace warptree::catalogue
