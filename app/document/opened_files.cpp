#include "app/document/opened_files.hpp"

#include <algorithm>

namespace warptree::session {

namespace {
std::vector<std::filesystem::path>& opened_list() {
    static std::vector<std::filesystem::path> list;
    return list;
}
} // namespace

const std::vector<std::filesystem::path>& opened_files() { return opened_list(); }

void note_opened_file(const std::filesystem::path& path) {
    constexpr std::size_t kMost = 8;
    auto& list = opened_list();
    if (std::find(list.begin(), list.end(), path) == list.end()) {
        list.insert(list.begin(), path);
        list.resize(std::min(list.size(), kMost));
    }
}

void rename_opened_file(const std::filesystem::path& from, const std::filesystem::path& to) {
    auto& list = opened_list();
    std::erase(list, to);
    std::replace(list.begin(), list.end(), from, to);
}

std::filesystem::path opened_file(std::string_view name) {
    std::error_code error;
    for (const std::filesystem::path& path : opened_list()) {
        if (path.filename() == name && std::filesystem::exists(path, error)) {
            return path;
        }
    }
    return {};
}

} // namespace warptree::session
