#include "app/cli/picture_options.hpp"

#include "app/base/error.hpp"
#include "app/cli/trace_options.hpp"
#include "app/cli/whole_number.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

namespace warptree::commands {

namespace {
void parse_size(const std::string& text, Picture& picture) {
    const auto x = text.find('x');
    const auto w = whole_number(std::string_view(text).substr(0, x));
    const auto h = x == std::string::npos ? std::nullopt : whole_number(std::string_view(text).substr(x + 1));
    if (!w || !h || *w < 64 || *h < 64 || *w > 16384 || *h > 16384) {
        throw OptionError(fmt::format("--size '{}' is not usable; take WIDTHxHEIGHT, each 64 to 16384, as in 1280x720",
                                      printable(text)));
    }
    picture.width = *w;
    picture.height = *h;
}

float parse_scale(const std::string& text) {
    try {
        std::size_t used = 0;
        const float value = std::stof(text, &used);
        if (used == text.size() && value >= 0.5F && value <= 4) {
            return value;
        }
    } catch (const std::logic_error&) {
        // falls through to the refusal
    }
    throw OptionError(fmt::format("--scale '{}' is not usable; take 0.5 to 4", printable(text)));
}
} // namespace

void PictureOptions::add_to(CLI::App& command) {
    command.add_option("--size", size, "WIDTHxHEIGHT in pixels")->capture_default_str();
    command.add_option("--scale", scale, "Scale of text and drawing, 0.5 to 4")->capture_default_str();
    command.add_option("--theme", theme, "light, dark or contrast")->capture_default_str();
}

Picture PictureOptions::parse() const {
    Picture picture;
    parse_size(size, picture);
    picture.scale = parse_scale(scale);
    const auto named = scene::theme_from(theme);
    if (!named) {
        throw OptionError(fmt::format("--theme '{}' is not known; take light, dark or contrast", printable(theme)));
    }
    picture.theme = *named;
    return picture;
}

Picture PictureOptions::parse(const std::string& out) const {
    const Picture picture = parse();
    const std::string extension = std::filesystem::path(out).extension();
    if (extension != ".png" && extension != ".svg" && extension != ".pdf") {
        throw OptionError(fmt::format(
            "-o '{}': the format follows from the name; take one that ends in .png, .svg or .pdf", printable(out)));
    }
    return picture;
}

} // namespace warptree::commands
