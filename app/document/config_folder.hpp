// Where the program keeps its settings.
#pragma once

#include <filesystem>

namespace warptree::session {

std::filesystem::path config_folder(); // $XDG_CONFIG_HOME/warptree or ~/.config/warptree; empty without a home

} // namespace warptree::session
