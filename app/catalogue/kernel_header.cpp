#include "app/catalogue/kernel_header.hpp"

#include "app/base/options.hpp"
#include "app/base/trimmed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace warptree::catalogue {

namespace {
bool is_name(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; });
}

// "in", or a member of a struct: "graph.first", "job.bins[1]".
bool is_argument(std::string_view text) {
    return is_name(text.substr(0, text.find_first_of(".["))) && std::all_of(text.begin(), text.end(), [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("_-.[]").find(c) != std::string_view::npos;
           });
}

std::uint32_t number(std::string_view text) {
    const auto value = parse_count(trimmed(text));
    if (!value || *value > 0xFFFFFFFFU) {
        throw OptionError(fmt::format("'{}' is not a number", text));
    }
    return static_cast<std::uint32_t>(*value);
}

// "64 to 1024", or one number for both.
void take_range(std::string_view text, std::uint32_t& least, std::uint32_t& most) {
    const std::size_t to = text.find(" to ");
    least = number(text.substr(0, to));
    most = to == std::string_view::npos ? least : number(text.substr(to + 4));
    if (least > most) {
        throw OptionError(fmt::format("'{}' is not a range", text));
    }
}

LaunchText launch_from(std::string_view text) {
    LaunchText launch;
    const std::size_t open = text.find("<<<"), close = text.find(">>>");
    const auto expected = [&]() -> OptionError {
        return OptionError(fmt::format("'{}' is not a launch; write kernel<<<grid, block, shared>>>(arguments)", text));
    };
    if (open == std::string_view::npos) { // only the kernel's name
        if (!is_name(text.substr(0, text.find('<')))) {
            throw expected();
        }
        launch.kernel = text;
        return launch;
    }
    if (close == std::string_view::npos || close < open) {
        throw expected();
    }
    launch.kernel = trimmed(text.substr(0, open));
    const std::vector<std::string> shape = listed(text.substr(open + 3, close - open - 3));
    if (launch.kernel.empty() || shape.size() > 3) {
        throw expected();
    }
    std::string* const fields[] = {&launch.grid, &launch.block, &launch.shared};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        *fields[i] = shape[i];
    }
    std::string_view call = trimmed(text.substr(close + 3));
    if (!call.empty()) {
        if (call.back() == ';') {
            call.remove_suffix(1);
        }
        call = trimmed(call);
        if (call.size() < 2 || call.front() != '(' || call.back() != ')') {
            throw expected();
        }
        launch.arguments = listed(call.substr(1, call.size() - 2));
    }
    return launch;
}

ParameterText parameter_from(std::string_view text) {
    ParameterText p;
    const std::size_t colon = text.find(':'), equals = text.find('=');
    if (colon == std::string_view::npos || equals == std::string_view::npos || equals > colon) {
        throw OptionError(fmt::format("'{}' is not a parameter; write name = value, least to most: what it is", text));
    }
    p.name = trimmed(text.substr(0, equals));
    p.help = trimmed(text.substr(colon + 1));
    if (!is_name(p.name)) {
        throw OptionError(fmt::format("'{}' is not a name", p.name));
    }
    bool first = true, ranged = false;
    for (const std::string& part : listed(text.substr(equals + 1, colon - equals - 1))) {
        if (first && (part == "off" || part == "on")) {
            p.flag = true;
            p.least = 0;
            p.most = 1;
            p.fallback = part == "on" ? 1 : 0;
            ranged = true;
        } else if (first && part == "n") {
            p.as_n = true;
            p.fallback = 0;
        } else if (first) {
            p.fallback = number(part);
        } else if (part == "powers of two") {
            p.power_of_two = true;
        } else {
            take_range(part, p.least, p.most);
            ranged = true;
        }
        first = false;
    }
    if (!ranged) {
        throw OptionError(fmt::format("'{}' has no range, as in 1 to 16", p.name));
    }
    return p;
}

// The colon before the reason is the first that is not part of a conditional, "a ? b : c".
NeedText need_from(std::string_view text) {
    int open = 0; // conditionals still without their colon
    for (std::size_t i = 0; i < text.size(); ++i) {
        open += text[i] == '?' ? 1 : 0;
        if (text[i] == ':' && open-- == 0) {
            return {std::string(trimmed(text.substr(0, i))), std::string(trimmed(text.substr(i + 1)))};
        }
    }
    throw OptionError(fmt::format("'{}' is not a condition; write condition: what is wrong otherwise", text));
}

struct Line {
    std::uint32_t number = 0;
    std::string_view text;
};

// The lines of the comments at the top of the file, without the comment markers.
std::vector<Line> leading_comment(std::string_view text) {
    std::vector<Line> lines;
    std::uint32_t number = 0;
    bool block = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (block || line.starts_with("/*")) {
            if (!block) {
                line.remove_prefix(2);
            }
            const std::size_t closed = line.find("*/");
            block = closed == std::string_view::npos;
            line = trimmed(line.substr(0, closed));
            if (line.starts_with("*")) {
                line = trimmed(line.substr(1));
            }
        } else if (line.starts_with("//")) {
            line = trimmed(line.substr(2));
        } else if (line.empty() || line.starts_with("#pragma once")) {
            continue;
        } else {
            break;
        }
        lines.push_back({number, line});
    }
    return lines;
}

constexpr std::array kKeys{"title", "family",   "launch",    "blocks", "block",   "expect", "result",     "lesson",
                           "next",  "arg",      "parameter", "types",  "op",      "finish", "goes wrong", "hazard",
                           "grid",  "on a GPU", "relaunch",  "n",      "outputs", "tile",   "needs",      "where"};

// Those that go on in the next line, as prose does; of the others one that ends with a comma.
constexpr std::array kOfSeveralLines{"lesson", "next", "result", "hazard", "on a GPU", "launch", "parameter", "needs"};

// "16x16", "32, 8": a block or grid of several dimensions.
bool is_shape(std::string_view value) {
    constexpr std::string_view kDigits = "0123456789";
    bool digits = false, sides = false; // the last was a digit; there is more than one side
    for (const char c : value) {
        if ((c == 'x' || c == ',') && digits) {
            sides = true;
            digits = false;
        } else if (kDigits.find(c) != std::string_view::npos) {
            digits = true;
        } else if (c != ' ') {
            return false;
        }
    }
    return digits && sides;
}

// Whose kernel, and what else is not stated, is left to the program.
LaunchText& launch_of(KernelHeader& h) { return h.launch ? *h.launch : h.launch.emplace(); }

void take(KernelHeader& h, std::string_view key, const std::string& value) {
    const auto list = [&] { return listed(value); };
    if (key == "title") {
        h.title = value;
    } else if (key == "family") {
        h.family = value;
    } else if (key == "lesson") {
        h.lesson = value;
    } else if (key == "next") {
        h.next = value;
    } else if (key == "result") {
        h.result = value;
    } else if (key == "hazard") {
        h.hazard = value;
    } else if (key == "on a GPU") {
        h.on_gpu = value;
    } else if (key == "launch") {
        h.launch = launch_from(value);
    } else if (key == "blocks") {
        h.blocks = blocks_from(value);
    } else if (key == "block" && is_shape(value)) {
        launch_of(h).block = value;
    } else if (key == "block") {
        h.block = number(value);
    } else if (key == "grid") {
        if (is_shape(value) || parse_count(value)) { // else it is prose
            launch_of(h).grid = value;
        }
    } else if (key == "expect") {
        h.expect = value;
    } else if (key == "types") {
        h.types = list();
    } else if (key == "op") {
        h.operators = list();
    } else if (key == "finish") {
        h.finishes = list();
    } else if (key == "relaunch") {
        h.relaunch_block = value;
    } else if (key == "n") {
        h.n = value;
    } else if (key == "outputs") {
        h.outputs = value;
    } else if (key == "tile") {
        h.tile = value;
    } else if (key == "needs") {
        h.needs.push_back(need_from(value));
    } else if (key == "parameter") {
        if (h.parameters.size() == kMostParameters) {
            throw OptionError(fmt::format("a kernel has at most {} parameters", kMostParameters));
        }
        h.parameters.push_back(parameter_from(value));
    } else if (key == "arg" || key == "where") {
        const std::size_t equals = value.find('=');
        const std::string_view name = trimmed(std::string_view(value).substr(0, equals));
        if (equals == std::string::npos || !(key == "arg" ? is_argument(name) : is_name(name))) {
            throw OptionError(fmt::format("'{}' is not a definition; write name = value", value));
        }
        (key == "arg" ? h.arguments : h.definitions)
            .push_back({std::string(name), std::string(trimmed(std::string_view(value).substr(equals + 1)))});
    } else if (key == "goes wrong") {
        if (value != "race" && value != "race between lanes" && value != "deadlock") {
            throw OptionError(
                fmt::format("what goes wrong is a race, a race between lanes or a deadlock, not '{}'", value));
        }
        (value == "deadlock" ? h.deadlocks : h.racy) = true;
        h.lanes_race = value == "race between lanes";
    }
}
} // namespace

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> list;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            list.emplace_back(trimmed(text.substr(begin, i - begin)));
            begin = i + 1;
        } else {
            depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
        }
    }
    if (list.size() == 1 && list.front().empty()) {
        list.clear();
    }
    return list;
}

bool takes(const BlocksText& b, std::uint32_t threads) {
    const unsigned doublings = static_cast<unsigned>(std::bit_width(threads) - std::bit_width(b.least));
    return threads >= b.least && threads <= b.most && threads % b.multiple == 0 &&
           (!b.power_of_two || (std::has_single_bit(threads) && (b.factor == 2 || doublings % 2 == 0)));
}

std::string in_words(const BlocksText& b) {
    if (b.least == b.most) {
        return fmt::format("{}", b.least);
    }
    if (b.power_of_two && b.factor * b.least == b.most) {
        return fmt::format("{} or {}", b.least, b.most);
    }
    if (b.power_of_two) {
        return fmt::format("a power of {}, {} to {}", b.factor == 2 ? "two" : "four", b.least, b.most);
    }
    return fmt::format("a multiple of {}, {} to {}", b.multiple, b.least, b.most);
}

BlocksText blocks_from(std::string_view text) {
    BlocksText b;
    bool ranged = false;
    for (const std::string& part : listed(text)) {
        if (part == "powers of two" || part == "powers of four") {
            b.power_of_two = true;
            b.factor = part == "powers of two" ? 2 : 4;
        } else if (part.starts_with("multiples of ")) {
            b.multiple = number(std::string_view(part).substr(13));
        } else if (part != "any") {
            take_range(part, b.least, b.most);
            ranged = true;
        }
    }
    if (b.least < 1 || b.most > 1024 || b.multiple == 0 ||
        (!ranged && text.find("any") == std::string_view::npos && !b.power_of_two && b.multiple == 1)) {
        throw OptionError(fmt::format("'{}' has no block sizes; write powers of two, 1 to 1024", text));
    }
    return b;
}

KernelHeader read_header(std::string_view text) {
    constexpr std::size_t kLongest = 8192;
    KernelHeader header;
    std::string_view key;
    std::string value;
    std::uint32_t at = 0;
    const auto done = [&] {
        if (key.empty()) {
            return;
        }
        if (value.size() > kLongest) {
            throw HeaderError(at, fmt::format("line {}: '{}' is longer than {} characters", at, key, kLongest));
        }
        try {
            take(header, key, value);
        } catch (const HeaderError&) {
            throw;
        } catch (const OptionError& e) {
            throw HeaderError(at, fmt::format("line {}: {}: {}", at, key, e.what()));
        }
    };
    const auto goes_on = [&] {
        return value.empty() || value.ends_with(',') ||
               std::ranges::find(kOfSeveralLines, key) != kOfSeveralLines.end();
    };
    for (const Line& line : leading_comment(text)) {
        const auto begins = std::find_if(kKeys.begin(), kKeys.end(), [&](const char* k) {
            const std::string_view name(k);
            return line.text.starts_with(name) && line.text.size() > name.size() && line.text[name.size()] == ':';
        });
        if (begins != kKeys.end()) {
            done();
            key = *begins;
            value = trimmed(line.text.substr(key.size() + 1));
            at = line.number;
        } else if (!key.empty() && !line.text.empty() && !goes_on()) { // what follows is a comment like any other
            done();
            key = {};
        } else if (!key.empty() && !line.text.empty()) {
            value += value.empty() ? "" : " ";
            value += line.text;
        } else if (line.text.empty()) { // an empty line ends it
            done();
            key = {};
        }
    }
    done();
    return header;
}

} // namespace warptree::catalogue
