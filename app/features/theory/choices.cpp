#include "app/features/theory/choices.hpp"

#include "app/base/error.hpp"
#include "app/document/recordings.hpp"
#include "app/run/judge/rounding.hpp"
#include "app/theory/device_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::topics {

namespace {
constexpr std::uint64_t kMostShared = 232448; // bytes per block on cc 9.0

constexpr std::array kInputs{InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating};

std::string names(const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == all.size() ? " or " : ", ") + all[i];
    }
    return text;
}

[[noreturn]] void refuse(Field field, const std::string& text, const std::string& works) {
    throw OptionError(fmt::format("{} '{}' is not usable; take {}", label(field), text.substr(0, 40), works));
}

std::uint64_t whole(Field field, const std::string& text, std::uint64_t least, std::uint64_t most) {
    const auto value = parse_count(text);
    if (!value || *value < least || *value > most) {
        refuse(field, text, fmt::format("{} to {}", least, most));
    }
    return *value;
}

// Each once. If the files cannot be read, only the default one: the figure says why.
std::vector<std::string> recorded_strategies() {
    std::vector<std::string> all;
    try {
        for (const clocks::Recording& r : session::recorded_clocks()) {
            if (std::find(all.begin(), all.end(), r.strategy) == all.end()) {
                all.push_back(r.strategy);
            }
        }
    } catch (const FileError&) {
        all.clear();
    }
    return all.empty() ? std::vector{Choices().recorded} : all;
}

std::uint32_t side(Field field, const std::string& text, std::uint32_t other) {
    return static_cast<std::uint32_t>(whole(field, text, 1, 1024 / other));
}
} // namespace

std::string_view id(Field field) {
    constexpr std::string_view kIds[]{"n",    "block-x", "block-y", "processors", "device", "registers", "shared",
                                      "tile", "type",    "type",    "input",      "seed",   "recorded",  "summed"};
    return kIds[static_cast<std::size_t>(field)];
}

std::string_view label(Field field) {
    constexpr std::string_view kLabels[]{
        "elements n",   "block x",    "block y", "processors P", "device", "registers per thread",
        "shared bytes", "tile width", "type",    "type",         "input",  "seed",
        "kernel",       "kernel"};
    return kLabels[static_cast<std::size_t>(field)];
}

std::string value(const Choices& c, Field field) {
    switch (field) {
    case Field::elements: return std::to_string(c.n);
    case Field::block_x: return std::to_string(c.block.x);
    case Field::block_y: return std::to_string(c.block.y);
    case Field::processors: return std::to_string(c.processors);
    case Field::device: return c.device;
    case Field::registers: return std::to_string(c.registers);
    case Field::shared: return std::to_string(c.shared);
    case Field::tile: return std::to_string(c.tile);
    case Field::float_type:
    case Field::any_type: return std::string(name(c.type));
    case Field::input: return std::string(name(c.input));
    case Field::seed: return std::to_string(c.seed);
    case Field::recorded: return c.recorded;
    case Field::summed: return c.summed;
    }
    return {};
}

std::vector<std::string> values(Field field) {
    std::vector<std::string> all;
    switch (field) {
    case Field::device:
        for (const theory::DeviceLimits& d : theory::device_limits()) {
            all.emplace_back(d.id);
        }
        break;
    case Field::float_type: all = {"f32", "f64"}; break;
    case Field::any_type:
        for (const ElementType type : kElementTypes) {
            all.emplace_back(name(type));
        }
        break;
    case Field::input:
        for (const InputKind kind : kInputs) {
            all.emplace_back(name(kind));
        }
        break;
    case Field::recorded: all = recorded_strategies(); break;
    case Field::summed: all = runs::summing_strategies(); break;
    default: break;
    }
    return all;
}

void set(Choices& c, Field field, const std::string& text) {
    const std::vector<std::string> all = values(field);
    if (!all.empty() && std::find(all.begin(), all.end(), text) == all.end()) {
        refuse(field, text, names(all));
    }
    switch (field) {
    case Field::elements: c.n = whole(field, text, 2, kMaxElements); break;
    case Field::block_x: c.block.x = side(field, text, c.block.y); break;
    case Field::block_y: c.block.y = side(field, text, c.block.x); break;
    case Field::processors: c.processors = whole(field, text, 1, 1U << 20); break;
    case Field::device: c.device = text; break;
    case Field::registers: c.registers = static_cast<std::uint32_t>(whole(field, text, 1, 255)); break;
    case Field::shared: c.shared = whole(field, text, 0, kMostShared); break;
    case Field::tile: c.tile = static_cast<std::uint32_t>(whole(field, text, 1, 32)); break;
    case Field::float_type:
    case Field::any_type: c.type = *element_type_from(text); break;
    case Field::input:
        c.input = *std::find_if(kInputs.begin(), kInputs.end(), [&](InputKind k) { return name(k) == text; });
        break;
    case Field::seed: c.seed = whole(field, text, 0, UINT64_MAX); break;
    case Field::recorded: c.recorded = text; break;
    case Field::summed: c.summed = text; break;
    }
}

bool turn(Choices& c, Field field, int direction) {
    const std::string now = value(c, field);
    const std::vector<std::string> all = values(field);
    std::string next;
    if (!all.empty()) {
        const auto at = std::find(all.begin(), all.end(), now) - all.begin();
        const auto count = std::ssize(all);
        next = all[static_cast<std::size_t>(at == count ? 0 : (at + direction + count) % count)];
    } else {
        const std::uint64_t number = *parse_count(now);
        // Registers go by 2, seeds by 1, shared memory by 1 KB; the rest is doubled or halved.
        const std::uint64_t step = field == Field::shared      ? 1024
                                   : field == Field::registers ? 2
                                   : field == Field::seed      ? 1
                                                               : 0;
        next = std::to_string(step == 0       ? (direction > 0 ? number * 2 : number / 2)
                              : direction > 0 ? number + step
                                              : number - std::min(number, step));
    }
    try {
        set(c, field, next);
    } catch (const OptionError&) {
        return false;
    }
    return next != now;
}

std::map<std::string, std::string> to_values(const Choices& choices) {
    std::map<std::string, std::string> all;
    for (const Field field : kFields) {
        all[std::string(id(field))] = value(choices, field);
    }
    return all;
}

void from_values(Choices& choices, const std::map<std::string, std::string>& values) {
    for (const Field field : kFields) {
        const auto found = values.find(std::string(id(field)));
        // The list of some fields' values is read from recordings, which what is usual does not need.
        if (found == values.end() || found->second == value(choices, field)) {
            continue;
        }
        try {
            set(choices, field, found->second);
        } catch (const OptionError&) {
            continue; // from another version
        }
    }
}

} // namespace warptree::topics
