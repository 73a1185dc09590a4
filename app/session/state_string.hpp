// A link-like string for what a screen shows, to be typed from a handout: "explore/sequential?n=64&block=64&step=3".
//
//   SCREEN[/SUBJECT][?KEY=VALUE[&KEY=VALUE …]]
//
// SCREEN is the id of a screen, SUBJECT what it shows (of Explore a strategy, of Theory a topic). Within a subject or a
// value, %XX stands for a byte. Of Explore the keys are the trace options by their names on the command line, and
//   step         the place over all launches from 0, as in `render --step`; default 0
//   part         1, 2: only the loads, or loads and combines, of that step have happened; default: the whole step
//   select       KIND:LAUNCH:BLOCK:INDEX[:STEP], what a click has kept; KIND is node, thread, warp, step, request, lane,
//                block, launch or word
//   shown-block, warp, access   what the warp grid and the banks show, where that was chosen
//   file         a trace file in place of SUBJECT and trace options
// and of every screen theme (light, dark, contrast) and scale (0.75 … 3), which are not written unless asked for.
#pragma once

#include "app/session/explore.hpp"

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

// Throws OptionError: an empty screen, a key without value or given twice, a %XX that is none, a control character.
StateString parse_state(std::string_view text);
std::string to_string(const StateString& state);
// As typed into a shell: "warptree --state 'explore/…'".
std::string state_command(const StateString& state);

// The looks a state asks for; absent ones stay as they are.
struct StateLooks {
    std::optional<scene::ThemeName> theme;
    std::optional<float> scale;
};
StateLooks take_looks(StateString& state); // and removes them. Throws OptionError

// What a state says of the Explore screen.
struct ExploreState {
    RunOptions options; // resolvable
    std::string file;   // shown in place of a run of the options
    std::uint32_t step = 0;
    unsigned part = 3; // 1 … 3, thirds of the step that have happened
    scene::Target selected;
    std::optional<std::uint32_t> block;          // of the warp grid
    std::uint32_t warp = kNone, request = kNone; // of the banks, as in Explore
    friend bool operator==(const ExploreState&, const ExploreState&) = default;
};

// Throws OptionError for what Explore does not know or cannot run.
ExploreState explore_state(const StateString& state);
ExploreState explore_state(const Explore& explore); // as it is now
StateString state_string(const ExploreState& state);

// Goes to the state's place in the trace that is there. Returns what the trace does not have, as one line; else empty.
std::string go_to(const ExploreState& state, Explore& explore);

} // namespace warptree::session
