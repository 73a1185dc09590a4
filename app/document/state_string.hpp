// A URL-like string for what a screen shows, to be typed from a handout: "explore/sequential?n=64&block=64&step=3".
//
//   SCREEN[/SUBJECT][?KEY=VALUE[&KEY=VALUE …]]
//
// SCREEN is the id of a screen, SUBJECT what it shows (Explore: a strategy, Theory: a topic). Within a subject or a
// value, %XX stands for a byte. On Explore the keys are the trace options by their command-line names and those of
// explore_state.hpp; every screen also has theme (light, dark, contrast) and scale (0.75 … 3), which are written only
// on request.
#pragma once

#include "app/drawing/theme.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::session {

struct StateString {
    std::string screen, subject;
    std::map<std::string, std::string> values;
    friend bool operator==(const StateString&, const StateString&) = default;
};

// The string of a command as state_command() makes it, with or without quotes; of anything else, all of it. Without blanks
// around it.
std::string_view without_command(std::string_view text);
// Of a string or a command. Throws OptionError: an empty screen, a key without value or given twice, an invalid %XX, a
// control character.
StateString parse_state(std::string_view text);
std::string to_string(const StateString& state);
// As typed into a shell: "warptree --state 'explore/…'".
std::string state_command(const StateString& state);

// The looks that a state sets; absent ones stay as they are.
struct StateLooks {
    std::optional<scene::ThemeName> theme;
    std::optional<float> scale;
};
StateLooks take_looks(StateString& state); // removes them from the state. Throws OptionError

} // namespace warptree::session
