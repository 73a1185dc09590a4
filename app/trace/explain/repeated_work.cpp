#include "app/trace/explain/repeated_work.hpp"

#include "app/base/identifier.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace warptree {

namespace {
std::string without_blanks(std::string_view text) {
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out),
                 [](unsigned char c) { return std::isspace(c) == 0; });
    return out;
}

std::vector<std::string_view> identifiers(std::string_view text) {
    std::vector<std::string_view> all;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && in_identifier(text[end])) {
            ++end;
        }
        if (end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
            all.push_back(text.substr(at, end - at));
        }
        at = std::max(end, at + 1);
    }
    return all;
}

// What is between each pair of brackets.
std::vector<std::string_view> indices(std::string_view text) {
    std::vector<std::string_view> all;
    for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
        if (const std::size_t close = text.find(']', open); close != std::string_view::npos) {
            all.push_back(text.substr(open + 1, close - open - 1));
        }
    }
    return all;
}

enum class MadeOf { unknown, threads, loaded }; // threads: or the same in each of them

// Whether what is set at `at` is a loop's own variable that begins with a number: each thread counts through the same.
bool counts_from(std::string_view text, std::size_t at, std::string_view set) {
    const std::size_t open = text.find_last_of("(;{}", at),
                      word = open == std::string_view::npos ? open : text.find_last_not_of(" \t", open - 1);
    return word != std::string_view::npos && word >= 2 && text[open] == '(' && text.substr(word - 2, 3) == "for" &&
           set.find_first_not_of(" 0123456789") == std::string_view::npos;
}

// What a value is made of: the last that its names are set to before `end`.
MadeOf made_of(std::string_view text, std::string_view value, std::size_t end, int depth = 4) {
    if (value.find('[') != std::string_view::npos || value.find("atomic") != std::string_view::npos) {
        return MadeOf::loaded;
    }
    if (value.find_first_of("%/&") != std::string_view::npos) { // one for several threads, as of counters
        return MadeOf::unknown;
    }
    MadeOf found = MadeOf::unknown;
    for (const std::string_view name : identifiers(value)) {
        if (name == "threadIdx" || name == "blockIdx") {
            found = MadeOf::threads;
        }
        for (std::size_t at = text.rfind(name, end); depth > 0 && at != std::string_view::npos && at > 0;
             at = text.rfind(name, at - 1)) {
            const std::size_t next = text.find_first_not_of(" \t", at + name.size());
            if (in_identifier(text[at - 1]) || text[at - 1] == '.' || next >= end || text[next] != '=' ||
                text[next + 1] == '=') {
                continue;
            }
            const std::string_view set = text.substr(next + 1, text.find_first_of(";,", next) - next - 1);
            const MadeOf of_it = counts_from(text, at, set) ? MadeOf::threads : made_of(text, set, at, depth - 1);
            if (of_it == MadeOf::loaded) {
                return of_it;
            }
            found = of_it == MadeOf::threads ? of_it : found;
            break;
        }
    }
    return found;
}

// Takes an element out of a sum that it is a term of; false: it is not.
bool without_term(std::string& sum, std::string_view element) {
    int depth = 0;
    for (std::size_t at = 0; at < sum.size(); ++at) {
        const bool begins = depth == 0 && (at == 0 || sum[at - 1] == '+');
        depth += sum[at] == '(' || sum[at] == '[' ? 1 : sum[at] == ')' || sum[at] == ']' ? -1 : 0;
        const std::size_t end = at + element.size();
        if (!begins || sum.compare(at, element.size(), element) != 0 || (end == sum.size() && at == 0) ||
            (end < sum.size() && sum[end] != '+' && sum[end] != '-')) {
            continue;
        }
        at == 0 ? sum.erase(0, end + 1) : sum.erase(at - 1, element.size() + 1);
        return true;
    }
    return false;
}
} // namespace

std::string_view code_of(std::string_view text, std::uint32_t line) {
    std::size_t begin = 0;
    for (std::uint32_t l = 1; l < line; ++l) {
        begin = text.find('\n', begin);
        if (begin == std::string_view::npos) {
            return text.substr(0, 0);
        }
        ++begin;
    }
    const std::string_view row = text.substr(begin, text.find('\n', begin) - begin);
    return row.substr(0, row.find("//"));
}

bool is_of_block_scope(std::string_view text, std::uint32_t line) {
    const std::string_view row = code_of(text, line);
    const std::size_t name = row.find("atomic"),
                      end = row.find("_block", name == std::string_view::npos ? name : name + 1);
    return end != std::string_view::npos && row.find_first_of(" (", name) > end;
}

bool adds_the_same(std::string_view text, std::uint32_t line) {
    const std::string_view row = code_of(text, line);
    const auto begin = static_cast<std::size_t>(row.data() - text.data());
    // The sign behind an element: in the head of a loop stands another.
    std::size_t sign = std::string_view::npos;
    for (const std::string_view kind : {"+=", "-=", "++", "--"}) {
        for (std::size_t at = row.find(kind); at != std::string_view::npos; at = row.find(kind, at + 1)) {
            const std::size_t before = at == 0 ? std::string_view::npos : row.find_last_not_of(" \t", at - 1);
            if (before != std::string_view::npos && row[before] == ']') {
                sign = std::min(sign, at);
            }
        }
    }
    const std::size_t plain = row.find("] = ");
    const bool assigns = sign == std::string_view::npos && plain != std::string_view::npos;
    sign = assigns ? plain + 2 : sign;
    if (sign == std::string_view::npos) {
        return false;
    }
    // The element before the sign.
    const std::size_t close = row.find_last_not_of(" \t", sign - 1);
    std::size_t open = close;
    for (int depth = 1; depth > 0;) {
        if (open-- == 0) {
            return false;
        }
        depth += row[open] == ']' ? 1 : row[open] == '[' ? -1 : 0;
    }
    std::size_t name = open;
    while (name > 0 && in_identifier(row[name - 1])) {
        --name;
    }
    const std::string element = without_blanks(row.substr(name, close + 1 - name));
    const std::string_view index = row.substr(open + 1, close - open - 1);
    if (made_of(text, index, begin + name) != MadeOf::threads) {
        return false;
    }
    const bool counts = !assigns && row[sign] == row[sign + 1]; // ++
    std::string value =
        counts ? ""
               : without_blanks(row.substr(sign + (assigns ? 1 : 2), row.find(';', sign) - sign - (assigns ? 1 : 2)));
    if (assigns && !without_term(value, element)) { // a[i] = a[i] + b[i], a[i] = s * b[i] + a[i]
        return false;
    }
    const std::vector<std::string_view> loaded = indices(value);
    return loaded.empty()
               ? identifiers(value).empty() || identifiers(value) == std::vector<std::string_view>{"f"}
               : std::ranges::all_of(loaded, [&](std::string_view other) { return other == without_blanks(index); });
}

} // namespace warptree
