#include "app/catalogue/kernel_text.hpp"

#include "app/base/identifier.hpp"
#include "app/base/whole_file.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

namespace warptree::catalogue {

namespace {
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The text with comments and literals blanked out; line ends stay, and so does the name in `#include "name"`.
std::string code_of(std::string_view text) {
    std::string code(text);
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
            code[i] = code[i] == '\n' ? '\n' : ' ';
        }
        return to;
    };
    for (std::size_t i = 0; i < text.size();) {
        if (text.substr(i, 2) == "//") {
            i = blank(i, std::min(text.find('\n', i), text.size()));
        } else if (text.substr(i, 2) == "/*") {
            i = blank(i, std::min(text.find("*/", i + 2), text.size() - 2) + 2);
        } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !in_identifier(text[i - 1])))) {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
                end += text[end] == '\\' ? 2 : 1;
            }
            const std::size_t line = text.rfind('\n', i) + 1; // npos + 1 is 0
            i = text.substr(line, i - line).find("#include") == std::string_view::npos ? blank(i, end + 1) : end + 1;
        } else {
            ++i;
        }
    }
    return code;
}

struct Span {
    std::size_t begin = 0, end = 0;
};

// How the kernel's final statement may begin.
constexpr std::string_view kStatement = "out[blockIdx.x] =";

struct Ending {
    Span statement;        // with its semicolon
    Span value;            // the value that it stores
    std::size_t brace = 0; // the brace that ends the kernel
};

// Finds the statement if the text has it once, with nothing but closing braces between it and the end of its function.
std::optional<Ending> ending(const std::string& code) {
    const std::size_t begin = code.find(kStatement);
    if (begin == std::string::npos || code.find(kStatement, begin + 1) != std::string::npos ||
        (begin > 0 && in_identifier(code[begin - 1]))) {
        return std::nullopt;
    }
    const std::size_t semicolon = code.find(';', begin);
    if (semicolon == std::string::npos) {
        return std::nullopt;
    }
    auto depth = std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(begin), '{') -
                 std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(begin), '}');
    for (std::size_t i = semicolon + 1; i < code.size(); ++i) {
        if (code[i] == '}' && --depth == 0) {
            std::size_t value = begin + kStatement.size();
            while (value < semicolon && is_space(code[value])) {
                ++value;
            }
            return Ending{{begin, semicolon + 1}, {value, semicolon}, i};
        }
        if (code[i] != '}' && !is_space(code[i])) {
            break;
        }
    }
    return std::nullopt;
}

// The names in lines of the form #include "name".
std::vector<std::string> included(const std::string& code) {
    std::vector<std::string> names;
    constexpr std::string_view kInclude = "#include \"";
    for (std::size_t at = code.find(kInclude); at != std::string::npos; at = code.find(kInclude, at + 1)) {
        const std::size_t from = at + kInclude.size();
        names.push_back(code.substr(from, code.find('"', from) - from));
    }
    return names;
}

std::optional<std::string> text_of(const std::filesystem::path& path) {
    constexpr std::uint64_t kMost = 1U << 20;
    try {
        return read_text(path, kMost);
    } catch (const FileError&) { // the compiler will say so
        return std::nullopt;
    }
}

bool has_operator(std::string_view text, const std::vector<std::filesystem::path>& folders,
                  std::set<std::string>& seen) {
    for (const std::string& name : included(code_of(text))) {
        if (name == "reduction.cuh") {
            return true;
        }
        if (name.find("..") != std::string::npos || name.starts_with("/") || !seen.insert(name).second) {
            continue;
        }
        for (const std::filesystem::path& folder : folders) {
            const std::optional<std::string> header = folder.empty() ? std::nullopt : text_of(folder / name);
            if (!header) {
                continue;
            }
            std::vector<std::filesystem::path> near = folders;
            near.front() = (folder / name).parent_path();
            if (has_operator(*header, near, seen)) {
                return true;
            }
            break;
        }
    }
    return false;
}

bool combines_to_one(const KernelHeader& header) { return operator_from(header.expect).has_value(); }
} // namespace

bool has_operator(std::string_view text, const std::string& folder, const std::string& shipped) {
    std::set<std::string> seen;
    return has_operator(text, {folder, folder, shipped}, seen);
}

std::vector<Finish> finishes(const KernelHeader& header, std::string_view text, bool with_operator) {
    std::vector<Finish> list;
    for (const std::string& name : header.finishes) {
        const std::optional<Finish> finish = finish_from(name);
        if (!finish) {
            throw OptionError("finish: '" + name + "' is not one; write host, relaunch, atomic or last-block");
        }
        list.push_back(*finish);
    }
    if (list.empty()) {
        list = {Finish::host};
        if (with_operator && combines_to_one(header) && ending(code_of(text))) {
            list = {Finish::host, Finish::relaunch, Finish::atomic, Finish::last_block};
        }
    }
    return list;
}

std::string finished_text(std::string_view text, Finish finish) {
    std::string made(text);
    if (finish != Finish::atomic && finish != Finish::last_block) {
        return made;
    }
    const std::string code = code_of(text);
    const std::optional<Ending> end = ending(code);
    if (!end) {
        return made;
    }
    if (finish == Finish::atomic) {
        const std::string value = made.substr(end->value.begin, end->value.end - end->value.begin);
        made.replace(end->statement.begin, end->statement.end - end->statement.begin, "atomic_op(out, " + value + ");");
    } else if (finish == Finish::last_block) {
        const std::size_t line = code.rfind('\n', end->brace) + 1;
        const bool alone =
            std::all_of(code.begin() + static_cast<std::ptrdiff_t>(line),
                        code.begin() + static_cast<std::ptrdiff_t>(end->brace), [](char c) { return is_space(c); });
        made.insert(alone ? line : end->brace,
                    alone ? "    finish_in_last_block(out);\n" : " finish_in_last_block(out); ");
        const std::size_t include = code.find("#include");
        made.insert(include == std::string::npos ? 0 : include, "#include \"reduce/last_block.cuh\"\n");
    }
    return made;
}

std::string mapped_text(std::string_view text) {
    const std::string code = code_of(text);
    for (std::size_t at = code.find("map("); at != std::string::npos; at = code.find("map(", at + 1)) {
        if (at == 0 || !in_identifier(code[at - 1])) {
            return std::string(text);
        }
    }
    std::string made;
    std::size_t done = 0;
    for (std::size_t at = code.find("in["); at != std::string::npos; at = code.find("in[", std::max(at + 1, done))) {
        if (at > 0 && (in_identifier(code[at - 1]) || code[at - 1] == '.' || code[at - 1] == '>')) {
            continue;
        }
        int depth = 0;
        std::size_t close = at + 2;
        for (; close < code.size(); ++close) {
            depth += code[close] == '[' ? 1 : code[close] == ']' ? -1 : 0;
            if (depth == 0) {
                break;
            }
        }
        if (close == code.size()) {
            break;
        }
        made += text.substr(done, at - done);
        made += "map(";
        made += text.substr(at, close + 1 - at);
        made += ")";
        done = close + 1;
    }
    return made + std::string(text.substr(done));
}

} // namespace warptree::catalogue
