#include "app/drawing/theme.hpp"

#include "app/base/error.hpp"
#include "app/base/json.hpp"
#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"

#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace warptree::scene {

namespace {

struct Role {
    const char* name;
    Color Theme::*member;
};
constexpr Role kRoles[] = {
    {"background", &Theme::background},
    {"panel", &Theme::panel},
    {"line", &Theme::line},
    {"text", &Theme::text},
    {"muted", &Theme::muted},
    {"faint", &Theme::faint},
    {"accent", &Theme::accent},
    {"accent_fill", &Theme::accent_fill},
    {"off", &Theme::off},
    {"attention", &Theme::attention},
    {"hazard", &Theme::hazard},
    {"conflict", &Theme::conflict},
    {"agree", &Theme::agree},
    {"code_line", &Theme::code_line},
};

std::optional<Color> color_from(std::string_view text) {
    if (text.size() != 7 || text[0] != '#' || text.find_first_not_of("0123456789abcdefABCDEF", 1) != text.npos) {
        return std::nullopt;
    }
    const auto value = std::stoul(std::string(text.substr(1)), nullptr, 16);
    return Color{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 0xFF),
                 static_cast<std::uint8_t>(value & 0xFF)};
}

// 1-based line of a byte of `text`, for messages.
std::size_t line_of(const std::string& text, std::size_t byte) {
    std::size_t line = 1;
    for (std::size_t i = 0; i < byte && i < text.size(); ++i) {
        line += text[i] == '\n' ? 1 : 0;
    }
    return line;
}

} // namespace

Theme parse_theme(const std::string& text, const std::string& file) {
    const auto fail = [&](std::size_t byte, const std::string& reason) {
        throw FileError(file + ":" + std::to_string(line_of(text, byte)) + ": " + reason);
    };
    nlohmann::ordered_json json;
    try {
        json = parse_json(text);
    } catch (const JsonError& error) {
        throw FileError(file + ":" + std::to_string(error.line) + ": " + error.why);
    }
    if (!json.is_object()) {
        fail(0, "a theme is an object of colour roles");
    }
    Theme theme;
    for (const Role& role : kRoles) {
        const auto found = json.find(role.name);
        const std::size_t at = text.find("\"" + std::string(role.name) + "\"");
        if (found == json.end()) {
            fail(0, std::string("the colour \"") + role.name + "\" is missing");
        }
        const auto color = found->is_string() ? color_from(found->get<std::string>()) : std::nullopt;
        if (!color) {
            fail(at, std::string("the colour \"") + role.name + "\" must look like \"#1b2028\"");
        }
        theme.*role.member = *color;
    }
    return theme;
}

std::string_view name(ThemeName theme) {
    constexpr std::array<std::string_view, 3> names{"light", "dark", "contrast"};
    return names[static_cast<std::size_t>(theme)];
}

std::optional<ThemeName> theme_from(std::string_view text) {
    for (const ThemeName theme : kThemeNames) {
        if (name(theme) == text) {
            return theme;
        }
    }
    return std::nullopt;
}

const Theme& theme(ThemeName which) {
    static std::mutex mutex;
    static std::array<std::unique_ptr<const Theme>, kThemeNames.size()> themes;
    const std::lock_guard lock(mutex);
    auto& slot = themes[static_cast<std::size_t>(which)];
    if (!slot) {
        const auto path = resource("assets/themes/" + std::string(name(which)) + ".json");
        slot = std::make_unique<const Theme>(parse_theme(read_whole(path), path.string()));
    }
    return *slot;
}

} // namespace warptree::scene
