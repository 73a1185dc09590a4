// What is remembered from start to start.
#pragma once

#include "app/features/explore/explore.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace warptree::session {

struct Settings {
    RunOptions options;
    Looks looks;
    int width = 1440, height = 900;                                  // of the window
    std::string page = "explore";                                    // the one shown
    std::map<std::string, std::map<std::string, std::string>> pages; // what each page remembers
};

std::filesystem::path settings_path(); // $XDG_CONFIG_HOME/warptree/state.json; empty without a home
// Defaults where the file says nothing; a bad file gives the defaults and a note.
Settings load_settings(const std::filesystem::path& path, std::string& note);
void save_settings(const std::filesystem::path& path, const Settings& settings); // throws FileError

} // namespace warptree::session
