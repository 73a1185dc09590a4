// Whether the desktop asks programs for less motion.
#pragma once

#include <filesystem>

namespace warptree::window {

// By what is written in the user's folder of settings: gtk-enable-animations of GTK 3 and 4, AnimationDurationFactor of
// KDE. False if nothing is.
bool asks_for_less_motion(const std::filesystem::path& settings);
bool asks_for_less_motion(); // $XDG_CONFIG_HOME, or ~/.config

} // namespace warptree::window
