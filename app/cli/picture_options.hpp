// The options of every command that writes a picture.
#pragma once

#include "app/drawing/theme.hpp"

#include <string>

namespace CLI {
class App;
}

namespace warptree::commands {

struct Picture {
    int width = 1280, height = 720;
    float scale = 1;
    scene::ThemeName theme = scene::ThemeName::light;
};

// The options as typed; parsed when the command runs, so that every error is one line.
struct PictureOptions {
    std::string size = "1280x720", scale = "1", theme = "light";
    void add_to(CLI::App& command);
    // Throws OptionError naming the option, its value and what would work; also for the name of the file.
    Picture parse(const std::string& out) const;
    // The same without checking a file name.
    Picture parse() const;
};

} // namespace warptree::commands
