#include "app/session/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace warptree::session {
namespace {

std::vector<std::filesystem::path> places() {
    std::vector<std::filesystem::path> found;
    if (const char* chosen = std::getenv("WARPTREE_DATA"); chosen != nullptr && *chosen != '\0')
        found.emplace_back(chosen);
    std::error_code error;
    if (const auto executable = std::filesystem::read_symlink("/proc/self/exe", error); !error)
        found.push_back(executable.parent_path().parent_path() / "share/warptree");
    found.emplace_back(WARPTREE_SOURCE_DATA);
    found.emplace_back(WARPTREE_INSTALL_DATA);
    return found;
}

} // namespace

std::filesystem::path resource(std::string_view relative) {
    std::string looked;
    for (const auto& place : places()) {
        std::error_code error;
        if (auto path = place / relative; std::filesystem::exists(path, error)) return path;
        looked += looked.empty() ? "" : ", ";
        looked += place.string();
    }
    throw MissingResource(fmt::format("cannot find {} (looked in {}); reinstall, or set WARPTREE_DATA to the directory "
                                      "that has shaders and assets",
                                      relative, looked));
}

std::vector<std::filesystem::path> json_resources(std::string_view directory) {
    std::vector<std::filesystem::path> found;
    try {
        for (const auto& entry : std::filesystem::directory_iterator(resource(directory))) {
            if (entry.path().extension() == ".json") {
                found.push_back(entry.path());
            }
        }
    } catch (const MissingResource&) {
        return {};
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace warptree::session
