#include "app/shell/motion.hpp"

#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/document/config_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

namespace warptree::window {

namespace {
// The value of a key in a file of lines "key=value"; empty if there is none.
std::string value_in(const std::filesystem::path& file, const std::string& key) {
    std::istringstream in;
    try {
        in.str(read_whole(file));
    } catch (const FileError&) { // usually there is none
        return {};
    }
    for (std::string line; std::getline(in, line);) {
        std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        if (line.starts_with(key + "=")) {
            return line.substr(key.size() + 1);
        }
    }
    return {};
}
} // namespace

bool asks_for_less_motion(const std::filesystem::path& settings) {
    for (const char* const folder : {"gtk-4.0", "gtk-3.0"}) {
        const std::string value = value_in(settings / folder / "settings.ini", "gtk-enable-animations");
        if (!value.empty()) {
            return value == "0" || value == "false" || value == "False" || value == "FALSE";
        }
    }
    const std::string factor = value_in(settings / "kdeglobals", "AnimationDurationFactor");
    return !factor.empty() && std::strtod(factor.c_str(), nullptr) == 0;
}

bool asks_for_less_motion() {
    const std::filesystem::path own = session::config_folder();
    return !own.empty() && asks_for_less_motion(own.parent_path());
}

} // namespace warptree::window
