#include "app/scene/format.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace warptree::scene {

namespace {

std::string printed(const char* format, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

// Three, two or one significant digits and a unit: 12345 → "12.3k", "12k", "10k".
std::string with_unit(double value, int digits) {
    constexpr std::array<const char*, 7> units{"", "k", "M", "G", "T", "P", "E"};
    std::size_t unit = 0;
    while (std::abs(value) >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    const int whole = std::abs(value) >= 100 ? 3 : std::abs(value) >= 10 ? 2 : 1;
    const int decimals = unit == 0 ? 0 : std::max(0, digits - whole);
    std::string text = printed(decimals == 2 ? "%.2f" : decimals == 1 ? "%.1f" : "%.0f", value);
    return text + units[unit];
}

} // namespace

std::string short_value(const Scalar& value, std::size_t room) {
    std::string text = to_string(value);
    if (text.size() <= room) {
        return text;
    }
    const double number = value.as_double();
    if (!std::isfinite(number)) {
        return text;
    }
    if (is_floating(value.type) && std::abs(number) < 1000) {
        for (int digits = 3; digits >= 0; --digits) {
            std::string shorter = digits == 3   ? printed("%.3f", number)
                                  : digits == 2 ? printed("%.2f", number)
                                  : digits == 1 ? printed("%.1f", number)
                                                : printed("%.0f", number);
            if (shorter == "-0") {
                shorter = "0";
            }
            if (shorter.size() <= room || digits == 0) {
                return shorter;
            }
        }
    }
    for (int digits = 3; digits > 1; --digits) {
        std::string shorter = with_unit(number, digits);
        if (shorter.size() <= room) {
            return shorter;
        }
    }
    return with_unit(number, 1);
}

std::string grouped(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t i = text.size(); i > 3 && text.size() > 4;) {
        i -= 3;
        text.insert(i, ",");
    }
    return text;
}

std::string plural(std::uint64_t count, std::string_view noun) {
    std::string text = grouped(count) + " " + std::string(noun);
    if (count != 1) {
        const bool sibilant = noun.ends_with("s") || noun.ends_with("x") || noun.ends_with("ch");
        text += sibilant ? "es" : "s";
    }
    return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) {
        return "0 %";
    }
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return part == whole ? "100 %" : printed(share < 0.95 ? "%.2f %%" : "%.1f %%", share);
}

std::string base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string of_all(std::uint64_t part, std::uint64_t whole, std::string_view noun) {
    if (part == 0) {
        return "no " + std::string(noun);
    }
    if (part == whole) {
        return whole == 1 ? "the only " + std::string(noun) : "all " + plural(whole, noun);
    }
    return grouped(part) + " of " + plural(whole, noun);
}

} // namespace warptree::scene
