#include "app/run/parameter_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace warptree::runs {

namespace {
// "maskwidth" of Mask_Width.
std::string lower_letters(std::string_view parameter) {
    std::string name;
    for (const char c : parameter) {
        if (c != '_') {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return name;
}

bool is_a_window(const std::string& name) {
    for (const std::string_view window : {"mask", "filter", "kernel", "window", "k"}) {
        for (const std::string_view side : {"size", "width", "height", "length", "len", "dim"}) {
            if (name.ends_with(std::string(window) + std::string(side)) &&
                (window != "k" || name.size() == window.size() + side.size())) {
                return true;
            }
        }
    }
    return false;
}
} // namespace

Named named(std::string_view parameter) {
    constexpr std::array<std::string_view, 5> kDistances{"stride", "offset", "distance", "step", "shift"};
    constexpr std::array<std::string_view, 8> kTurns{"pivot", "pivotrow", "pivotcol", "phase",
                                                     "pass",  "level",    "diagonal", "turn"};
    constexpr std::array<std::string_view, 10> kTimes{"iters",  "iterations", "niter",   "niters", "sweeps",
                                                      "epochs", "timesteps",  "repeats", "reps",   "rounds"};
    const std::string name = lower_letters(parameter);
    if (name.ends_with("radius")) {
        return Named::radius;
    }
    if (is_a_window(name)) {
        return Named::window;
    }
    if (std::any_of(kDistances.begin(), kDistances.end(), [&](std::string_view d) { return name.ends_with(d); })) {
        return Named::distance;
    }
    if (std::any_of(kTimes.begin(), kTimes.end(), [&](std::string_view t) { return name.ends_with(t); }) &&
        !name.starts_with("max")) { // which is a bound
        return Named::times;
    }
    return std::find(kTurns.begin(), kTurns.end(), name) != kTurns.end() ? Named::turn : Named::elements;
}

} // namespace warptree::runs
