#include "app/features/strides/playground.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/views/banks/request_trace.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace warptree::session {

namespace {
using StrideField = Playground::Field;

// The values offered in turn; others can be typed.
std::vector<std::string> examples(StrideField field) {
    switch (field) {
    case StrideField::index: return {"t", "2*t", "2*s*t", "t*32", "t*33", "t^s", "lane/2", "lane*lane", "0"};
    case StrideField::mask: return {"ffffffff", "0000ffff", "ffff0000", "55555555", "11111111", "00000001"};
    default: return Playground::choices(field);
    }
}
} // namespace

std::string_view id(StrideField field) {
    switch (field) {
    case StrideField::index: return "index";
    case StrideField::stride: return "stride";
    case StrideField::warp: return "warp";
    case StrideField::mask: return "mask";
    case StrideField::bytes: return "bytes";
    case StrideField::access: return "access";
    case StrideField::banks: break;
    }
    return "banks";
}

std::string_view label(StrideField field) {
    switch (field) {
    case StrideField::index: return "index";
    case StrideField::stride: return "s";
    case StrideField::warp: return "warp";
    case StrideField::mask: return "active lanes";
    case StrideField::bytes: return "element bytes";
    case StrideField::access: return "access";
    case StrideField::banks: break;
    }
    return "banks";
}

Playground::Playground() {
    text_.index = "2*s*t";
    text_.mask = "ffffffff";
    take(text_);
}

std::string& Playground::member(banks::RequestText& text, StrideField field) {
    switch (field) {
    case StrideField::stride: return text.stride;
    case StrideField::warp: return text.warp;
    case StrideField::mask: return text.mask;
    case StrideField::bytes: return text.bytes;
    case StrideField::banks: return text.banks;
    case StrideField::index:
    case StrideField::access: break;
    }
    return text.index;
}

std::string Playground::value(StrideField field) const {
    if (field == StrideField::access) {
        return text_.store ? "store" : "load";
    }
    banks::RequestText copy = text_;
    return member(copy, field);
}

std::vector<std::string> Playground::choices(StrideField field) {
    switch (field) {
    case StrideField::bytes: return {"4", "8", "16"};
    case StrideField::access: return {"load", "store"};
    case StrideField::banks: return {"32", "16"};
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

void Playground::set(StrideField field, const std::string& text) {
    banks::RequestText next = text_;
    if (field == StrideField::access) {
        next.store = text == "store";
    } else {
        member(next, field) = text;
    }
    take(next);
}

void Playground::turn(StrideField field, int direction) {
    if (field == StrideField::stride || field == StrideField::warp) {
        std::int64_t number = 0;
        const std::string now = value(field);
        std::from_chars(now.data(), now.data() + now.size(), number);
        set(field, std::to_string(field == StrideField::warp ? std::clamp<std::int64_t>(number + direction, 0, 31)
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
    // Elements in one row across all banks.
    unsigned bytes = 4, banks = 32;
    std::from_chars(text_.bytes.data(), text_.bytes.data() + text_.bytes.size(), bytes);
    std::from_chars(text_.banks.data(), text_.banks.data() + text_.banks.size(), banks);
    const unsigned row = std::max(1U, banks * 4 / bytes);
    const bool simple = text_.index.find_first_of("+-*/%^&|<>?! ") == std::string::npos;
    const std::string i = simple ? text_.index : "(" + text_.index + ")";
    std::vector<Remedy> all{
        {"as it is", text_.index, "", 0, 0},
        {"padded", fmt::format("{0}+{0}/{1}", i, row), fmt::format("one more element for every {}", row), 0, 0},
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
        return "there is no conflict to fix";
    }
    for (const Remedy& r : all) {
        if (r.wavefronts <= r.ideal) {
            const unsigned before = all.front().wavefronts;
            set(StrideField::index, r.index);
            return fmt::format("{}: {} instead of {}", r.name, scene::plural(r.wavefronts, "wavefront"), before);
        }
    }
    return "neither padding nor a swizzle removes all conflicts";
}

std::map<std::string, std::string> Playground::values() const {
    std::map<std::string, std::string> all;
    for (const StrideField field : kFields) {
        all[std::string(id(field))] = value(field);
    }
    return all;
}

void Playground::restore(const std::map<std::string, std::string>& values) {
    for (const StrideField field : kFields) {
        if (const auto found = values.find(std::string(id(field))); found != values.end()) {
            set(field, found->second);
        }
    }
    error_.clear();
}

} // namespace warptree::session
