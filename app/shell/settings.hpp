// The settings remembered between sessions.
#pragma once

#include "app/features/explore/explore.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptree::session {

struct Settings {
    RunOptions options;
    Looks looks;
    int width = 1440, height = 900;                                  // of the window
    std::string page = "explore";                                    // the page last shown
    std::map<std::string, std::map<std::string, std::string>> pages; // what each page remembers
    std::vector<std::filesystem::path> files; // of one's own that were opened, the latest first; absolute
};

std::filesystem::path settings_path(); // $XDG_CONFIG_HOME/warptree/state.json; empty without a home
// Missing members get defaults; a bad file gives all defaults and a note.
Settings load_settings(const std::filesystem::path& path, std::string& note);
void save_settings(const std::filesystem::path& path, const Settings& settings); // throws FileError

} // namespace warptree::session
