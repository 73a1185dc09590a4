#include "app/catalogue/launch_expression.hpp"

#include "app/base/error.hpp"
#include "app/base/expression.hpp"
#include "app/base/identifier.hpp"
#include "app/base/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

namespace warptree::catalogue {

namespace {
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) {
            return i;
        }
    }
    return std::string_view::npos;
}

// The position of `name(` as a whole word, from `from` on.
std::size_t find_call(std::string_view text, std::string_view name, std::size_t from) {
    for (std::size_t at = text.find(name, from); at != std::string_view::npos; at = text.find(name, at + 1)) {
        if ((at == 0 || !in_identifier(text[at - 1])) && at + name.size() < text.size() &&
            text[at + name.size()] == '(') {
            return at;
        }
    }
    return std::string_view::npos;
}

unsigned size_of(std::string_view type, std::string_view element) {
    const std::pair<std::string_view, unsigned> kSizes[] = {{"char", 1},
                                                            {"unsigned char", 1},
                                                            {"bool", 1},
                                                            {"short", 2},
                                                            {"__half", 2},
                                                            {"half", 2},
                                                            {"int", 4},
                                                            {"unsigned", 4},
                                                            {"unsigned int", 4},
                                                            {"float", 4},
                                                            {"double", 8},
                                                            {"long long", 8},
                                                            {"unsigned long long", 8},
                                                            {"size_t", 8},
                                                            {"int4", 16},
                                                            {"uint4", 16},
                                                            {"float2", 8},
                                                            {"int2", 8},
                                                            {"float4", 16},
                                                            {"double2", 16}};
    if (type == "T") {
        type = element;
    }
    for (const auto& [name, bytes] : kSizes) {
        if (name == type) {
            return bytes;
        }
    }
    throw OptionError(fmt::format("sizeof({}) is unknown here", printable(type)));
}

// ceil(a / b) becomes a call of two arguments, sizeof(type) a number: whole-number expressions have neither.
std::string rewritten(std::string text, std::string_view element) {
    for (std::size_t at = find_call(text, "sizeof", 0); at != std::string::npos; at = find_call(text, "sizeof", at)) {
        const std::size_t close = text.find(')', at);
        if (close == std::string::npos) {
            break;
        }
        const std::string number =
            std::to_string(size_of(std::string_view(text).substr(at + 7, close - at - 7), element));
        text.replace(at, close - at + 1, number);
    }
    for (std::size_t at = find_call(text, "ceil", 0); at != std::string::npos; at = find_call(text, "ceil", at + 1)) {
        const std::size_t close = closing(text, at + 4);
        int depth = 0;
        std::size_t slash = std::string::npos;
        for (std::size_t i = at + 5; i < std::min(close, text.size()); ++i) {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
            slash = text[i] == '/' && depth == 0 ? i : slash;
        }
        if (slash != std::string::npos) {
            text[slash] = ',';
        }
    }
    return text;
}
} // namespace

std::int64_t evaluate(std::string_view text, const Names& names, std::string_view element) {
    enum : std::uint32_t { kCeil, kMin, kMax, kFirstName };
    std::vector<std::int64_t> values;
    std::vector<std::string_view> keys;
    for (const auto& [name, value] : names) {
        keys.push_back(name);
        values.push_back(value);
    }
    ExpressionGrammar grammar;
    grammar.find = [&](std::string_view, std::string_view name) -> std::optional<ExpressionName> {
        if (name == "ceil") {
            return ExpressionName{kCeil, 1, 2};
        }
        if (name == "min" || name == "max") {
            return ExpressionName{name == "min" ? kMin : kMax, 2, 2};
        }
        const auto found = std::find(keys.begin(), keys.end(), name);
        if (found == keys.end()) {
            return std::nullopt;
        }
        return ExpressionName{kFirstName + static_cast<std::uint32_t>(found - keys.begin()), 0, 0};
    };
    grammar.operand = fmt::format("a number or one of {}", fmt::join(keys, ", "));
    std::string plain(text);
    try {
        plain = rewritten(plain, element);
        const IntegerExpression expression(plain, grammar);
        return expression.value(Overflow::refused, [&](std::uint32_t id, std::span<const std::int64_t> a) {
            switch (id) {
            case kCeil:
                if (a.size() == 2 && a[1] == 0) {
                    throw NoValue("a division by zero");
                }
                return a.size() == 1 ? a[0] : a[0] / a[1] + (a[0] % a[1] != 0 && (a[0] < 0) == (a[1] < 0) ? 1 : 0);
            case kMin: return std::min(a[0], a[1]);
            case kMax: return std::max(a[0], a[1]);
            default: return values[id - kFirstName];
            }
        });
    } catch (const OptionError& e) {
        std::string_view what = e.what();
        if (plain != text) { // a place in what it became is none in what was written
            what = what.substr(0, what.find(" at character "));
        }
        throw OptionError(fmt::format("'{}': {}", printable(text), what));
    }
}

Extent extent_of(std::string_view text, const Names& names, std::string_view element, const char* what) {
    std::string inner(text);
    if (inner.starts_with("dim3(") && inner.ends_with(")")) {
        inner = inner.substr(5, inner.size() - 6);
    }
    Extent extent{1, 1, 1};
    std::size_t begin = 0, k = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= inner.size(); ++i) {
        if (i != inner.size()) {
            depth += inner[i] == '(' ? 1 : inner[i] == ')' ? -1 : 0;
        }
        if (i == inner.size() || (inner[i] == ',' && depth == 0) ||
            (inner[i] == 'x' && depth == 0 && k < 2 && i > 0 &&
             std::isdigit(static_cast<unsigned char>(inner[i - 1])))) {
            if (k == 3) {
                throw OptionError(fmt::format("{} '{}' has more than three dimensions", what, printable(text)));
            }
            const std::int64_t value = evaluate(inner.substr(begin, i - begin), names, element);
            if (value < 1 || value > 0x7FFFFFFF) {
                throw OptionError(fmt::format("{} '{}' is {}; it must be 1 or more", what, printable(text), value));
            }
            extent[k++] = static_cast<std::uint32_t>(value);
            begin = i + 1;
        }
    }
    return extent;
}

std::optional<std::uint32_t> asked_block(const RunOptions& options) {
    if (options.block) {
        return options.block;
    }
    const std::string& text = options.kernel.block;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 1 ? std::optional(value) : std::nullopt;
}

std::string name_of(const ParameterText& p) {
    std::string name = p.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

bool takes(const ParameterText& p, std::uint32_t value) {
    return value >= p.least && value <= p.most && (!p.power_of_two || std::has_single_bit(value));
}

void check_parameters(std::span<const ParameterText> declared, const ParameterValues& asked, std::string_view of) {
    for (const auto& [name, value] : asked) {
        const auto p = std::find_if(declared.begin(), declared.end(),
                                    [&name = name](const ParameterText& candidate) { return candidate.name == name; });
        if (p == declared.end()) {
            throw OptionError(fmt::format("--{} does not apply to {}; leave it out", printable(name), of));
        }
        if (!takes(*p, value)) {
            throw OptionError(fmt::format("--{} {} is not usable; take {}{} to {}", name, value,
                                          p->power_of_two ? "a power of two, " : "", p->least, p->most));
        }
    }
}

void add_parameters(Names& names, const KernelHeader& header, const ParameterValues& asked, std::uint64_t n) {
    for (const ParameterText& p : header.parameters) {
        const auto found = asked.find(p.name);
        const std::int64_t value = found != asked.end() ? found->second : p.fallback;
        names[name_of(p)] = p.as_n && value == 0 ? static_cast<std::int64_t>(n) : value;
    }
}

void add_definitions(Names& names, const KernelHeader& header, std::string_view element) {
    for (const ArgumentText& definition : header.definitions) {
        names[definition.name] = evaluate(definition.value, names, element);
    }
}

std::uint64_t n_of(const KernelHeader& header, const RunOptions& options, std::uint64_t fallback) {
    if (options.kernel.n_given || header.n.empty()) {
        return options.kernel.n_given ? options.n : fallback;
    }
    const std::int64_t n = evaluate(header.n, {}, "int");
    if (n < 1 || n > static_cast<std::int64_t>(kMaxElements)) {
        throw OptionError(fmt::format("n '{}' is {}; it must be 1 to 2^31", printable(header.n), n));
    }
    return static_cast<std::uint64_t>(n);
}

} // namespace warptree::catalogue
