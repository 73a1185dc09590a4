#include "app/measure/timing/results.hpp"

#include <array>

namespace warptree::timing {

namespace {
template <class Enum, std::size_t N>
std::optional<Enum> from_name(std::string_view text, const std::array<Enum, N>& all) {
    for (const Enum value : all) {
        if (name(value) == text) {
            return value;
        }
    }
    return {};
}
} // namespace

std::string_view name(Mode mode) {
    switch (mode) {
    case Mode::cold: return "cold";
    case Mode::warm: return "warm";
    case Mode::unstated: break;
    }
    return "unstated";
}

std::string_view name(Quantity quantity) {
    switch (quantity) {
    case Quantity::kernel: return "kernel";
    case Quantity::pipeline: return "pipeline";
    case Quantity::launch: break;
    }
    return "launch";
}

std::string_view name(Stop stop) {
    switch (stop) {
    case Stop::none: return "none";
    case Stop::noise_low: return "noise-low";
    case Stop::noise_stable: return "noise-stable";
    case Stop::time_limit: return "time-limit";
    case Stop::cancelled: break;
    }
    return "cancelled";
}

std::optional<Mode> mode_from(std::string_view text) {
    return from_name(text, std::array{Mode::cold, Mode::warm, Mode::unstated});
}

std::optional<Quantity> quantity_from(std::string_view text) {
    return from_name(text, std::array{Quantity::kernel, Quantity::pipeline, Quantity::launch});
}

std::optional<Stop> stop_from(std::string_view text) {
    return from_name(text,
                     std::array{Stop::none, Stop::noise_low, Stop::noise_stable, Stop::time_limit, Stop::cancelled});
}

} // namespace warptree::timing
