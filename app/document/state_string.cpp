#include "app/document/state_string.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/trimmed.hpp"
#include "app/document/state_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace warptree::session {

using namespace state;

namespace {
bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~,:/^*+()").find(c) != std::string_view::npos;
}

// slash: leaves slashes unescaped.
std::string encoded(std::string_view text, bool slash = true) {
    std::string out;
    for (const char c : text) {
        out += is_plain(c) && (slash || c != '/') ? std::string(1, c)
                                                  : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = static_cast<unsigned char>(text[i]);
        if (text[i] == '%') {
            const std::string_view digits = text.substr(i + 1, 2);
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
            if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
                throw OptionError(fmt::format("'{}' in a state is not a %XX; write %25 for a percent sign",
                                              printable(text.substr(i, 3))));
            }
            i += 2;
        }
        if (byte < 0x20 || byte == 0x7F) {
            throw OptionError("a state has no control characters; leave them out");
        }
        out += static_cast<char>(byte);
    }
    return out;
}

// Orders the keys for readability.
int rank(const std::string& key) {
    constexpr std::array kFirst{"n", "block"};
    constexpr std::array kLast{"step",  "part", "shown-block", "warp",  "access", "select",
                               "frame", "zoom", "pan",         "theme", "scale",  "source"};
    for (std::size_t i = 0; i < kFirst.size(); ++i) {
        if (key == kFirst[i]) {
            return static_cast<int>(i) - 10;
        }
    }
    for (std::size_t i = 0; i < kLast.size(); ++i) {
        if (key == kLast[i]) {
            return static_cast<int>(i) + 1;
        }
    }
    return 0;
}
} // namespace

std::string_view without_command(std::string_view text) {
    text = trimmed(text);
    if (constexpr std::string_view kProgram = "warptree "; text.starts_with(kProgram)) {
        text = trimmed(text.substr(kProgram.size()));
    }
    if (constexpr std::string_view kOption = "--state";
        text.starts_with(kOption) && text.find_first_of("= \t\r\n") == kOption.size()) {
        text = trimmed(text.substr(kOption.size() + 1));
    }
    for (const char quote : {'\'', '"'}) {
        if (text.size() >= 2 && text.front() == quote && text.back() == quote) {
            return text.substr(1, text.size() - 2);
        }
    }
    return text;
}

StateString parse_state(std::string_view given) {
    const std::string_view text = without_command(given);
    const std::size_t question = text.find('?');
    const std::string_view path = text.substr(0, question);
    const std::size_t slash = path.find('/');
    StateString state;
    state.screen = decoded(path.substr(0, slash));
    state.subject = slash == std::string_view::npos ? "" : decoded(path.substr(slash + 1));
    if (state.screen.empty() || (slash != std::string_view::npos && state.subject.empty())) {
        throw OptionError(fmt::format("'{}' names no {}; {}", printable(text),
                                      state.screen.empty() ? "screen" : "subject after the slash", kExample));
    }
    if (question == std::string_view::npos) {
        return state;
    }
    for (const std::string_view part : split(text.substr(question + 1), '&')) {
        const std::size_t equals = part.find('=');
        if (equals == 0 || equals == std::string_view::npos || equals + 1 == part.size()) {
            throw OptionError(fmt::format("'{}' in a state is not KEY=VALUE; {}", printable(part), kExample));
        }
        const std::string key = decoded(part.substr(0, equals));
        if (!state.values.emplace(key, decoded(part.substr(equals + 1))).second) {
            throw OptionError(fmt::format("'{}' appears twice in a state; remove one", printable(key)));
        }
    }
    return state;
}

std::string to_string(const StateString& state) {
    std::string out = encoded(state.screen, false);
    out += state.subject.empty() ? "" : "/" + encoded(state.subject);
    char before = '?';
    for (int at = -10; at <= 13; ++at) {
        for (const auto& [key, value] : state.values) {
            if (rank(key) == at) {
                out += before + encoded(key) + "=" + encoded(value);
                before = '&';
            }
        }
    }
    return out;
}

std::string state_command(const StateString& state) { return "warptree --state '" + to_string(state) + "'"; }

StateLooks take_looks(StateString& state) {
    StateLooks looks;
    if (const auto found = state.values.find("theme"); found != state.values.end()) {
        looks.theme = named<scene::ThemeName>("theme", found->second, scene::theme_from, "light, dark or contrast");
        state.values.erase(found);
    }
    if (const auto found = state.values.find("scale"); found != state.values.end()) {
        looks.scale = real("scale", found->second, 0.75F, 3);
        state.values.erase(found);
    }
    return looks;
}

} // namespace warptree::session
