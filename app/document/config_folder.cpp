#include "app/document/config_folder.hpp"

#include <cstdlib>

namespace warptree::session {

std::filesystem::path config_folder() {
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
        return std::filesystem::path(config) / "warptree";
    }
    const char* home = std::getenv("HOME");
    return home == nullptr ? std::filesystem::path{} : std::filesystem::path(home) / ".config/warptree";
}

} // namespace warptree::session
