#include "app/document/opened_files.hpp"

#include <algorithm>
#include <utility>

namespace warptree::session {

namespace {
std::vector<std::filesystem::path>& opened_list() {
    static std::vector<std::filesystem::path> list;
    return list;
}
constexpr std::size_t kMost = 8;
std::vector<std::filesystem::path> earlier;
} // namespace

const std::vector<std::filesystem::path>& opened_files() { return opened_list(); }

void note_opened_file(const std::filesystem::path& path) {
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

std::vector<std::filesystem::path> recent_files() {
    std::vector<std::filesystem::path> list = opened_list();
    std::error_code error; // the folder may be gone to which a name is relative
    const auto same = [&](const std::filesystem::path& path) {
        return std::any_of(list.begin(), list.end(),
                           [&](const auto& p) { return std::filesystem::absolute(p, error) == path; });
    };
    for (const std::filesystem::path& path : earlier) {
        if (list.size() < kMost && !same(path)) {
            list.push_back(path);
        }
    }
    return list;
}

void remember_files(std::vector<std::filesystem::path> of_earlier_sessions) {
    opened_list().clear();
    earlier = std::move(of_earlier_sessions);
    std::erase_if(earlier, [](const auto& path) {
        std::error_code error;
        return !std::filesystem::is_regular_file(path, error);
    });
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
