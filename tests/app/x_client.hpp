// What other programs do to a window and xdotool cannot: drop a file (XDND, version 5), ask it to close.
#pragma once

#include <string>

namespace warptree::testing {

// Drops the file on the top-level window of that name. False with a reason in `why` when the window did not take it.
bool drop_file(const std::string& display, const std::string& window_name, const std::string& path, std::string& why);

// What a window manager does when its close button is pressed. False when there is no such window.
bool ask_to_close(const std::string& display, const std::string& window_name);

} // namespace warptree::testing
