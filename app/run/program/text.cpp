#include "app/run/program/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include <cxxabi.h>

namespace warptree::runs {

namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!text.empty() && blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

// The end of a bracket that opens at the first character; npos: it does not close.
std::size_t closing(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            for (++i; i < text.size() && text[i] != c; ++i) {
                i += text[i] == '\\' ? 1 : 0;
            }
            continue;
        }
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (depth == 0) {
            return i;
        }
    }
    return std::string_view::npos;
}

std::vector<std::string_view> arguments_of(std::string_view inside) {
    std::vector<std::string_view> list;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= inside.size(); ++i) {
        if (i < inside.size() && (inside[i] == '(' || inside[i] == '[' || inside[i] == '{')) {
            const std::size_t end = closing(inside.substr(i));
            i = end == std::string_view::npos ? inside.size() : i + end;
        }
        if (i >= inside.size() || inside[i] == ',') {
            list.push_back(trimmed(inside.substr(begin, std::min(i, inside.size()) - begin)));
            begin = i + 1;
        }
    }
    return list;
}

// "(void **)&d_in" is d_in, "reinterpret_cast<void**>(&a[i])" is a[i], "v.data()" is v.
std::string variable_of(std::string_view text) {
    if (const std::size_t address = text.rfind('&'); address != std::string_view::npos) {
        text = trimmed(text.substr(address + 1));
    }
    while (!text.empty() && text.front() == '(') { // a cast, or a bracket around all
        const std::size_t end = closing(text);
        if (end == std::string_view::npos) {
            break;
        }
        text = end + 1 == text.size() ? trimmed(text.substr(1, end - 1)) : trimmed(text.substr(end + 1));
    }
    while (!text.empty() && (text.front() == '*' || text.front() == '&')) {
        text.remove_prefix(1);
    }
    std::size_t end = 0;
    while (end < text.size()) {
        if (in_name(text[end]) || text[end] == '.' || text[end] == ':') {
            ++end;
        } else if (text.substr(end).starts_with("->")) {
            end += 2;
        } else if (text[end] == '[') {
            const std::size_t close = closing(text.substr(end));
            if (close == std::string_view::npos) {
                break;
            }
            end += close + 1;
        } else {
            break;
        }
    }
    std::string name(text.substr(0, end));
    for (const std::string_view call : {".data", "->data", ".begin", ".get", "->get"}) {
        if (name.ends_with(call)) {
            name.resize(name.size() - call.size());
        }
    }
    const bool number = !name.empty() && name[0] >= '0' && name[0] <= '9';
    return number || name.starts_with("reinterpret_cast") || name.starts_with("static_cast") ? std::string() : name;
}

} // namespace

std::string argument_text_at(std::string_view text, std::uint32_t line, std::uint32_t column, unsigned number) {
    std::size_t at = 0;
    for (std::uint32_t l = 1; l < line; ++l) {
        at = text.find('\n', at);
        if (at == std::string_view::npos) {
            return {};
        }
        ++at;
    }
    at = std::min(text.size(), at + (column > 0 ? column - 1 : 0));
    // The call itself, or the first one inside a macro's brackets, within this statement.
    std::string_view rest = text.substr(at);
    rest = rest.substr(0, std::min(rest.find(';'), rest.size()));
    std::size_t name = rest.find("cuda");
    while (name != std::string_view::npos && name != 0 && in_name(rest[name - 1])) {
        name = rest.find("cuda", name + 4);
    }
    if (name == std::string_view::npos) {
        return {};
    }
    std::size_t open = name;
    while (open < rest.size() && in_name(rest[open])) {
        ++open;
    }
    if (open < rest.size() && rest[open] == '<') { // cudaMalloc<float>(…)
        open = rest.find('>', open);
        open = open == std::string_view::npos ? rest.size() : open + 1;
    }
    while (open < rest.size() && rest[open] != '(') {
        ++open;
    }
    if (open >= rest.size()) {
        return {};
    }
    const std::size_t end = closing(rest.substr(open));
    if (end == std::string_view::npos) {
        return {};
    }
    const std::vector<std::string_view> list = arguments_of(rest.substr(open + 1, end - 1));
    return number < list.size() ? std::string(list[number]) : std::string();
}

std::string argument_at(std::string_view text, std::uint32_t line, std::uint32_t column, unsigned number) {
    return variable_of(argument_text_at(text, line, column, number));
}

std::string kernel_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (text == nullptr) {
        return symbol; // extern "C"
    }
    // "void name<arguments>(parameters)": an instance has its type before its name.
    const std::string whole = text.get();
    std::size_t begin = 0, end = whole.size();
    int depth = 0;
    for (std::size_t i = 0; i < whole.size() && end == whole.size(); ++i) {
        depth += whole[i] == '<' ? 1 : whole[i] == '>' ? -1 : 0;
        if (depth == 0 && whole[i] == ' ') {
            begin = i + 1;
        } else if (depth == 0 && whole[i] == '(') {
            end = i;
        }
    }
    return whole.substr(begin, end - begin);
}

std::string may_lack(std::string_view text, bool has_arguments, bool has_files) {
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    std::string lacks;
    if (!has_arguments && (has("argv[") || has("argc"))) {
        lacks = "it looks at its arguments and was given none: they come after --";
    }
    if (!has_files && (has("open(") || has("fstream"))) {
        lacks += std::string(lacks.empty() ? "" : "; ") +
                 "it opens files and was given none: --data DIR is the folder that it may read";
    }
    return lacks;
}

std::uint32_t said_bytes(std::string_view size) {
    struct Scalar {
        std::string_view name;
        std::uint32_t bytes;
    };
    constexpr std::array kScalars = {Scalar{"char", 1},     Scalar{"short", 2},    Scalar{"half", 2},
                                     Scalar{"int", 4},      Scalar{"float", 4},    Scalar{"double", 8},
                                     Scalar{"unsigned", 4}, Scalar{"long long", 8}};
    constexpr std::string_view kSizeof = "sizeof(";
    const std::size_t begin = size.find(kSizeof), end = size.find(')', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos ||
        size.find("sizeof", end) != std::string_view::npos) {
        return 0;
    }
    const std::string_view name = size.substr(begin + kSizeof.size(), end - begin - kSizeof.size());
    const auto* const found = std::ranges::find(kScalars, name, &Scalar::name);
    return found == kScalars.end() ? 0 : found->bytes;
}

} // namespace warptree::runs
