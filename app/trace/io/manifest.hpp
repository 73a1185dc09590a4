// Values of manifest.json, each checked as it is read. All throw CorruptTrace.
#pragma once

#include "app/base/json.hpp"
#include "app/trace/io/file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>
#include <string>

namespace warptree::manifest {

[[noreturn]] inline void corrupt(const std::string& what) { throw CorruptTrace(what); }

inline std::string text(const nlohmann::ordered_json& j, std::size_t most = 4096) {
    std::string value = j.get<std::string>();
    if (value.size() > most) {
        corrupt(fmt::format("manifest.json: a text of more than {} bytes", most));
    }
    return value;
}

template <class T> T whole(const nlohmann::ordered_json& j) {
    if (!j.is_number_integer()) {
        corrupt("manifest.json: a number is not whole");
    }
    const auto value = whole_number(j, static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
    if (!value) {
        corrupt(fmt::format("manifest.json: {} is out of range", j.dump()));
    }
    return static_cast<T>(*value);
}

// An enum up to and including `last`.
template <class E> E number_of(const nlohmann::ordered_json& j, E last) {
    const auto value = whole<std::uint8_t>(j);
    if (value > static_cast<std::uint8_t>(last)) {
        corrupt(fmt::format("manifest.json: {} is not known", value));
    }
    return static_cast<E>(value);
}

// "0x1f".
inline std::uint64_t bits(const nlohmann::ordered_json& j) {
    const std::string value = j.get<std::string>();
    std::uint64_t number = 0;
    const bool prefixed = value.starts_with("0x");
    const auto [end, error] =
        std::from_chars(value.data() + (prefixed ? 2 : 0), value.data() + value.size(), number, 16);
    if (!prefixed || error != std::errc{} || end != value.data() + value.size()) {
        corrupt("manifest.json: a value's bits are not a hexadecimal number");
    }
    return number;
}

} // namespace warptree::manifest
