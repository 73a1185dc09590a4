#include "app/base/resources.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace warptree {
namespace {

std::vector<std::filesystem::path> places() {
    std::vector<std::filesystem::path> found;
    if (const char* chosen = std::getenv("WARPTREE_DATA"); chosen != nullptr && *chosen != '\0')
        found.emplace_back(chosen);
    std::error_code error;
    if (const auto executable = std::filesystem::read_symlink("/proc/self/exe", error); !error)
        found.push_back(executable.parent_path().parent_path() / "share/warptree");
#ifdef WARPTREE_SOURCE_DATA
    found.emplace_back(WARPTREE_SOURCE_DATA);
#endif
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
                                      "that has shaders, assets and kernels",
                                      relative, looked));
}

} // namespace warptree
