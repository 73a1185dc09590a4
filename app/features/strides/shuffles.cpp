#include "app/features/strides/shuffles.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/theory/banks/expression.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace warptree::session {

namespace {
using ShuffleField = ShufflePlayground::Field;
using LaneKind = scene::LaneSource::Kind;

constexpr std::pair<const char*, ShuffleKind> kShuffleKinds[] = {{"down", ShuffleKind::down},
                                                                 {"up", ShuffleKind::up},
                                                                 {"xor", ShuffleKind::exchange_xor},
                                                                 {"index", ShuffleKind::index}};

constexpr std::size_t at(ShuffleField field) { return static_cast<std::size_t>(field); }

std::optional<std::uint32_t> number(std::string_view text, int base) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

// The values offered in turn; others can be typed.
std::vector<std::string> examples(ShuffleField field) {
    switch (field) {
    case ShuffleField::mask: return {"ffffffff", "0000ffff", "ffff0000", "55555555", "000000ff", "fffffffe"};
    case ShuffleField::value: return {"lane", "lane*lane", "1", "lane%8", "100+lane"};
    default: return ShufflePlayground::choices(field);
    }
}
} // namespace

std::string_view id(ShuffleField field) {
    constexpr std::string_view kIds[] = {"shuffle", "delta", "width", "lanes", "holds"};
    return kIds[at(field)];
}

std::string_view label(ShuffleField field, const ShufflePlayground& of) {
    switch (field) {
    case ShuffleField::kind: return "shuffle";
    case ShuffleField::delta:
        return of.shuffle().kind == ShuffleKind::exchange_xor ? "lane mask"
               : of.shuffle().kind == ShuffleKind::index      ? "source lane"
                                                              : "delta";
    case ShuffleField::width: return "width";
    case ShuffleField::mask: return "lanes that call";
    case ShuffleField::value: break;
    }
    return "a lane holds";
}

ShufflePlayground::ShufflePlayground() { take(texts_); }

std::string ShufflePlayground::value(ShuffleField field) const { return texts_[at(field)]; }

std::vector<std::string> ShufflePlayground::choices(ShuffleField field) {
    switch (field) {
    case ShuffleField::kind: return {"down", "up", "xor", "index"};
    case ShuffleField::width: return {"32", "16", "8", "4", "2", "1"};
    default: return {};
    }
}

bool ShufflePlayground::take(const Texts& texts) {
    try {
        Shuffle s;
        bool known = false;
        for (const auto& [name, kind] : kShuffleKinds) {
            if (texts[at(ShuffleField::kind)] == name) {
                s.kind = kind;
                known = true;
            }
        }
        const auto delta = number(texts[at(ShuffleField::delta)], 10);
        const auto width = number(texts[at(ShuffleField::width)], 10);
        std::string_view digits = texts[at(ShuffleField::mask)];
        digits.remove_prefix(digits.starts_with("0x") || digits.starts_with("0X") ? 2 : 0);
        const auto mask = number(digits, 16);
        if (!known) {
            throw OptionError("take down, up, xor or index");
        }
        if (!delta || *delta >= kWarpSize) {
            throw OptionError(fmt::format("'{}' is not a {}; take 0 to 31", printable(texts[at(ShuffleField::delta)]),
                                          label(ShuffleField::delta, *this)));
        }
        if (!width || *width == 0 || *width > kWarpSize || !std::has_single_bit(*width)) {
            throw OptionError(fmt::format("'{}' is not a width; take a power of two from 1 to 32",
                                          printable(texts[at(ShuffleField::width)])));
        }
        if (!mask || digits.size() > 8) {
            throw OptionError(fmt::format("'{}' is not a mask; take up to 8 hexadecimal digits, as in 0000ffff",
                                          printable(texts[at(ShuffleField::mask)])));
        }
        s.delta = static_cast<std::uint16_t>(*delta);
        s.width = static_cast<std::uint8_t>(*width);
        s.mask = *mask;
        const banks::Expression holds(texts[at(ShuffleField::value)]);
        std::array<std::int64_t, kWarpSize> before{};
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            before[lane] = holds.value({lane, lane, 0, 1});
        }
        texts_ = texts;
        shuffle_ = s;
        before_ = before;
        sources_ = scene::shuffle_sources(Launch(), s);
        error_.clear();
        return true;
    } catch (const OptionError& refused) {
        error_ = refused.what();
        return false;
    }
}

void ShufflePlayground::set(ShuffleField field, const std::string& text) {
    Texts next = texts_;
    next[at(field)] = text;
    take(next);
}

void ShufflePlayground::turn(ShuffleField field, int direction) {
    if (field == ShuffleField::delta) {
        set(field, std::to_string(std::clamp(static_cast<int>(shuffle_.delta) + direction, 0, 31)));
        return;
    }
    const std::vector<std::string> all = examples(field);
    const auto here = std::find(all.begin(), all.end(), value(field));
    const auto count = std::ssize(all);
    const auto from = here == all.end() ? (direction > 0 ? count - 1 : 0) : here - all.begin();
    set(field, all[static_cast<std::size_t>((from + direction + count) % count)]);
}

std::string ShufflePlayground::call() const {
    const char* name = shuffle_.kind == ShuffleKind::down           ? "__shfl_down_sync"
                       : shuffle_.kind == ShuffleKind::up           ? "__shfl_up_sync"
                       : shuffle_.kind == ShuffleKind::exchange_xor ? "__shfl_xor_sync"
                                                                    : "__shfl_sync";
    return fmt::format("{}(0x{:08x}, x, {}, {})", name, shuffle_.mask, shuffle_.delta, shuffle_.width);
}

std::string ShufflePlayground::after(unsigned lane) const {
    const scene::LaneSource& source = sources_[lane];
    return source.kind == LaneKind::absent      ? ""
           : source.kind == LaneKind::not_there ? "undefined"
                                                : std::to_string(before_[source.lane]);
}

std::string ShufflePlayground::sentence() const {
    unsigned other = 0, own = 0, undefined = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const scene::LaneSource& source = sources_[lane];
        own += source.kind == LaneKind::own ? 1 : 0;
        undefined += source.kind == LaneKind::not_there ? 1 : 0;
        other += source.kind == LaneKind::lane ? 1 : 0;
    }
    if (shuffle_.mask == 0) {
        return "No lane calls it.";
    }
    // An xor shuffle may also read from an earlier segment.
    const bool segments = shuffle_.width < kWarpSize && shuffle_.kind != ShuffleKind::exchange_xor;
    std::string text = fmt::format("{} {} a value{}.", scene::plural(other, "lane"), other == 1 ? "gets" : "get",
                                   segments ? fmt::format(", within segments of {}", shuffle_.width) : "");
    if (own != 0) {
        text += fmt::format(" For {} the source is out of range: own value kept.", scene::plural(own, "lane"));
    }
    if (undefined != 0) {
        text += fmt::format(" {} from a lane that does not execute it: undefined.",
                            scene::plural(undefined, "lane") + (undefined == 1 ? " reads" : " read"));
    }
    return text;
}

Table ShufflePlayground::table() const {
    Table table{{{"lane", true, 3}, {"holds", true, 3}, {"from lane", true, 2}, {"gets", true, 3}, {"", false, 1}}, {}};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const scene::LaneSource& source = sources_[lane];
        const bool takes = source.kind != LaneKind::absent;
        table.rows.push_back({std::to_string(lane), std::to_string(before_[lane]),
                              takes ? std::to_string(source.lane) : "–", takes ? after(lane) : "–",
                              source.kind == LaneKind::own         ? "out of range"
                              : source.kind == LaneKind::not_there ? "source does not call"
                              : takes                              ? ""
                                                                   : "does not call"});
    }
    return table;
}

std::map<std::string, std::string> ShufflePlayground::values() const {
    std::map<std::string, std::string> all;
    for (const ShuffleField field : kFields) {
        all[std::string(id(field))] = value(field);
    }
    return all;
}

void ShufflePlayground::restore(const std::map<std::string, std::string>& values) {
    for (const ShuffleField field : kFields) {
        if (const auto found = values.find(std::string(id(field))); found != values.end()) {
            set(field, found->second);
        }
    }
    error_.clear();
}

} // namespace warptree::session
