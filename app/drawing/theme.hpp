// Colour roles. Values come from assets/themes/*.json; see assets/themes/README.md for the roles.
#pragma once

#include "app/drawing/draw.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::scene {

enum class ThemeName : std::uint8_t { light, dark, contrast };
inline constexpr std::array kThemeNames{ThemeName::light, ThemeName::dark, ThemeName::contrast};
std::string_view name(ThemeName theme); // "light", "dark", "contrast"
std::optional<ThemeName> theme_from(std::string_view text);

struct Theme {
    Color background, panel, line;
    Color text, muted, faint;
    Color accent, accent_fill; // active lanes and their muted fill
    Color off;                 // inactive (hatched)
    Color attention;           // divergence, other path
    Color hazard;              // race, limit line
    Color conflict;            // extra wavefront
    Color agree;               // agrees, useful
    Color code_line;           // background of the running source line
};

// Reads the JSON text of a theme; `file` is for messages. Throws FileError "file:line: reason".
Theme parse_theme(const std::string& text, const std::string& file);
const Theme& theme(ThemeName name); // read once; throws FileError that names file, line and reason

} // namespace warptree::scene
