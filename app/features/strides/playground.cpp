#include "app/features/strides/playground.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/views/banks/request_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace warptree::session {

namespace {
using Field = Playground::Field;

// What turning goes through; others can be typed.
std::vector<std::string> examples(Field field) {
    switch (field) {
    case Field::index: return {"t", "2*t", "2*s*t", "t*32", "t*33", "t^s", "lane/2", "lane*lane", "0"};
    case Field::mask: return {"ffffffff", "0000ffff", "ffff0000", "55555555", "11111111", "00000001"};
    default: return Playground::choices(field);
    }
}
} // namespace

std::string_view id(Field field) {
    switch (field) {
    case Field::index: return "index";
    case Field::stride: return "stride";
    case Field::warp: return "warp";
    case Field::mask: return "mask";
    case Field::bytes: return "bytes";
    case Field::access: return "access";
    case Field::banks: break;
    }
    return "banks";
}

std::string_view label(Field field) {
    switch (field) {
    case Field::index: return "index";
    case Field::stride: return "s";
    case Field::warp: return "warp";
    case Field::mask: return "active lanes";
    case Field::bytes: return "element bytes";
    case Field::access: return "access";
    case Field::banks: break;
    }
    return "banks";
}

Playground::Playground() {
    text_.index = "2*s*t";
    text_.mask = "ffffffff";
    take(text_);
}

std::string& Playground::member(banks::RequestText& text, Field field) {
    switch (field) {
    case Field::stride: return text.stride;
    case Field::warp: return text.warp;
    case Field::mask: return text.mask;
    case Field::bytes: return text.bytes;
    case Field::banks: return text.banks;
    case Field::index:
    case Field::access: break;
    }
    return text.index;
}

std::string Playground::value(Field field) const {
    if (field == Field::access) {
        return text_.store ? "store" : "load";
    }
    banks::RequestText copy = text_;
    return member(copy, field);
}

std::vector<std::string> Playground::choices(Field field) {
    switch (field) {
    case Field::bytes: return {"4", "8", "16"};
    case Field::access: return {"load", "store"};
    case Field::banks: return {"32", "16"};
    default: return {};
    }
}

bool Playground::take(const banks::RequestText& text) {
    try {
        const banks::BankRequest request = banks::parse(text);
        unsigned warp = 0;
        std::from_chars(text.warp.data(), text.warp.data() + text.warp.size(), warp);
        report_ = banks::analyze(request);
        trace_ = scene::trace_of(request, warp);
        text_ = text;
        error_.clear();
        return true;
    } catch (const OptionError& refused) {
        error_ = refused.what();
        return false;
    }
}

void Playground::set(Field field, const std::string& text) {
    banks::RequestText next = text_;
    if (field == Field::access) {
        next.store = text == "store";
    } else {
        member(next, field) = text;
    }
    take(next);
}

void Playground::turn(Field field, int direction) {
    if (field == Field::stride || field == Field::warp) {
        std::int64_t number = 0;
        const std::string now = value(field);
        std::from_chars(now.data(), now.data() + now.size(), number);
        set(field, std::to_string(field == Field::warp ? std::clamp<std::int64_t>(number + direction, 0, 31)
                                                       : number + direction));
        return;
    }
    const std::vector<std::string> all = examples(field);
    const auto here = std::find(all.begin(), all.end(), value(field));
    const auto count = std::ssize(all);
    const auto at = here == all.end() ? (direction > 0 ? count - 1 : 0) : here - all.begin();
    set(field, all[static_cast<std::size_t>((at + direction + count) % count)]);
}

std::string Playground::command() const {
    std::string out = fmt::format("warptree banks --index '{}'", text_.index);
    if (text_.stride != "1") {
        out += " --stride " + text_.stride;
    }
    if (text_.warp != "0") {
        out += " --warp " + text_.warp;
    }
    if (text_.mask != "ffffffff" && !text_.mask.empty()) {
        out += " --mask " + text_.mask;
    }
    if (text_.bytes != "4") {
        out += " --bytes " + text_.bytes;
    }
    if (text_.store) {
        out += " --store";
    }
    if (text_.banks != "32") {
        out += " --banks " + text_.banks;
    }
    return out;
}

std::vector<Playground::Remedy> Playground::remedies() const {
    // Elements that lie across all banks once.
    unsigned bytes = 4, banks = 32;
    std::from_chars(text_.bytes.data(), text_.bytes.data() + text_.bytes.size(), bytes);
    std::from_chars(text_.banks.data(), text_.banks.data() + text_.banks.size(), banks);
    const unsigned row = std::max(1U, banks * 4 / bytes);
    const bool simple = text_.index.find_first_of("+-*/%^&|<>?! ") == std::string::npos;
    const std::string i = simple ? text_.index : "(" + text_.index + ")";
    std::vector<Remedy> all{
        {"as it is", text_.index, "", 0, 0},
        {"padded", fmt::format("{0}+{0}/{1}", i, row), fmt::format("an element more for every {}", row), 0, 0},
        {"swizzled", fmt::format("{0}^{0}/{1}%{1}", i, row), "no memory, two instructions more", 0, 0}};
    std::erase_if(all, [&](Remedy& r) {
        banks::RequestText text = text_;
        text.index = r.index;
        try {
            const banks::BankReport report = banks::analyze(banks::parse(text));
            r.wavefronts = report.wavefronts;
            r.ideal = report.ideal;
            return false;
        } catch (const OptionError&) {
            return true;
        }
    });
    return all;
}

std::string Playground::mend() {
    const std::vector<Remedy> all = remedies();
    if (all.empty() || all.front().wavefronts <= all.front().ideal) {
        return "there is no conflict to mend";
    }
    for (const Remedy& r : all) {
        if (r.wavefronts <= r.ideal) {
            const unsigned before = all.front().wavefronts;
            set(Field::index, r.index);
            return fmt::format("{}: {} wavefronts instead of {}", r.name, r.wavefronts, before);
        }
    }
    return "neither padding nor a swizzle makes this free of conflicts";
}

std::map<std::string, std::string> Playground::values() const {
    std::map<std::string, std::string> all;
    for (const Field field : kFields) {
        all[std::string(id(field))] = value(field);
    }
    return all;
}

void Playground::restore(const std::map<std::string, std::string>& values) {
    for (const Field field : kFields) {
        if (const auto found = values.find(std::string(id(field))); found != values.end()) {
            set(field, found->second);
        }
    }
    error_.clear();
}

} // namespace warptree::session
