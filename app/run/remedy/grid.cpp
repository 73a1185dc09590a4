#include "app/run/remedy/grid.hpp"

#include "app/base/identifier.hpp"
#include "app/base/number_list.hpp"
#include "app/run/program/host_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {

bool begins_term(const std::string& bare, std::size_t at) {
    return in_identifier(bare[at]) && (at == 0 || !in_identifier(bare[at - 1]));
}
std::size_t term_end(const std::string& bare, std::size_t at, std::size_t end) {
    while (at < end && (in_identifier(bare[at]) || bare[at] == '.' || bare[at] == ':')) {
        ++at;
    }
    return at;
}
bool is_type(const std::string& word) {
    constexpr std::array<std::string_view, 7> kTypes = {"float", "double", "int", "unsigned", "long", "size_t", "dim3"};
    return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
}

// What the launch of a finding has as x, y and z, of its grid or its block: as written there, or where its variable is set.
class Sides {
  public:
    Sides(const Statements& code, const TextLaunch& launch, std::size_t which) : code_(code), bare_(code.bare()) {
        if (launch.shape.size() <= which) {
            return;
        }
        const auto [begin, end] = launch.shape[which];
        name_ = text_of(code, launch.shape[which]);
        if (!is_name(name_)) {
            all_ = name_.starts_with("dim3") ? bracketed(begin, end) : std::vector<TextRange>{launch.shape[which]};
            return;
        }
        std::vector<TextRange> members;
        for (std::size_t at = find_word(bare_, name_, 0, launch.begin); at != std::string::npos;
             at = find_word(bare_, name_, at + 1, launch.begin)) {
            const std::size_t next = bare_.find_first_not_of(kBlanks, at + name_.size());
            const std::size_t semicolon = std::min(bare_.find(';', at), launch.begin);
            const std::size_t set = bare_[next] == '=' ? bare_.find_first_not_of(kBlanks, next + 1) : next;
            if (bare_[set] == '{' || (set == next ? bare_[set] == '(' : bare_.compare(set, 4, "dim3") == 0)) {
                all_ = bracketed(next, semicolon);
            } else if (bare_[next] == '.' && assignment(bare_, next, semicolon) != std::string::npos &&
                       (bare_[next + 1] == 'x' || bare_[next + 1] == 'y')) {
                members.emplace_back(assignment(bare_, next, semicolon) + 1, semicolon);
            }
        }
        if (members.size() == 2) {
            all_ = members;
        }
    }

    const std::vector<TextRange>& all() const { return all_; }
    const std::string& name() const { return name_; }

    // "rows" of (rows + block.x - 1) / block.x, of cdiv(rows, 16) and of a variable that is set to such.
    std::optional<TextRange> divided(std::size_t side) const {
        TextRange range = all_[side];
        if (const std::string name = text_of(code_, range); is_name(name)) {
            for (std::size_t at = find_word(bare_, name, 0, range.first); at != std::string::npos;
                 at = find_word(bare_, name, at + 1, range.first)) {
                const std::size_t next = bare_.find_first_not_of(kBlanks, at + name.size());
                const std::size_t end = next == std::string::npos ? next : bare_.find(';', next);
                if (end < all_[0].first && bare_[next] == '=' && bare_[next + 1] != '=') {
                    const TextRange value = {next + 1, std::min(outside_brackets(bare_, ',', next + 1), end)};
                    if (bare_.find_first_of("/(", value.first) < value.second) {
                        range = value;
                    }
                }
            }
        }
        const std::set<std::string> divisors = divisors_in(range);
        for (std::size_t at = range.first; at < range.second; ++at) {
            if (!begins_term(bare_, at)) {
                continue;
            }
            const std::size_t end = term_end(bare_, at, range.second);
            const std::string term = bare_.substr(at, end - at);
            const std::size_t next = bare_.find_first_not_of(kBlanks, end);
            if ((next >= range.second || bare_[next] != '(') && !is_type(term) && !divisors.contains(term)) {
                return TextRange{at, end};
            }
            at = end - 1;
        }
        return std::nullopt;
    }

  private:
    std::vector<TextRange> bracketed(std::size_t from, std::size_t end) const {
        const std::size_t open = bare_.find_first_of("({", from);
        return open < end ? words_between(bare_, open + 1, past_bracket(bare_, open) - 1) : std::vector<TextRange>();
    }

    std::set<std::string> divisors_in(TextRange range) const {
        std::set<std::string> found;
        for (std::size_t slash = bare_.find('/', range.first); slash < range.second;
             slash = bare_.find('/', slash + 1)) {
            for (std::size_t at = slash + 1; at < range.second && bare_[at] != ')'; ++at) {
                if (begins_term(bare_, at)) {
                    const std::size_t end = term_end(bare_, at, range.second);
                    found.insert(bare_.substr(at, end - at));
                    if (!is_type(bare_.substr(at, end - at))) {
                        break;
                    }
                    at = end; // past the cast's bracket
                }
            }
        }
        return found;
    }

    const Statements& code_;
    const std::string& bare_;
    std::string name_;
    std::vector<TextRange> all_;
};

std::vector<TextLaunch> launches_of(const Statements& code, const Finding& finding) {
    std::vector<TextLaunch> all = launches_in(code);
    if (finding.line.known() && finding.line.file() == 0) {
        std::erase_if(all, [&](const TextLaunch& l) { return code.line_of(l.begin) != finding.line.line(); });
    }
    return all;
}

std::string rounded(const std::string& count, const std::string& by) {
    std::uint64_t number = 0;
    return number_from(by, number) && number > 0 ? fmt::format("({} + {}) / {}", count, number - 1, by)
                                                 : fmt::format("({0} + {1} - 1) / {1}", count, by);
}

std::vector<TextEdit> divisions(const std::string& bare, std::size_t from, std::size_t to) {
    std::vector<TextEdit> all;
    const auto term = [](char c) { return in_identifier(c) || c == '.'; };
    for (std::size_t slash = bare.find('/', from); slash < to; slash = bare.find('/', slash + 1)) {
        std::size_t left = slash, left_end = slash, right = slash + 1;
        while (left_end > from && bare[left_end - 1] == ' ') {
            --left_end;
        }
        for (left = left_end; left > from && term(bare[left - 1]); --left) {
        }
        right = bare.find_first_not_of(' ', right);
        std::size_t right_end = right;
        while (right_end < to && term(bare[right_end])) {
            ++right_end;
        }
        if (left == left_end || right == right_end) {
            continue;
        }
        const std::string n = bare.substr(left, left_end - left), by = bare.substr(right, right_end - right);
        all.push_back({left, right_end, "(" + n + " + " + by + " - 1) / " + by});
    }
    return all;
}

// All of them first: one side may divide by chance.
void round_up(const std::vector<TextEdit>& divisions, std::vector<Change>& out) {
    constexpr const char* kWords = "a grid that is rounded up";
    if (!divisions.empty()) {
        out.push_back({kWords, divisions});
    }
    for (const TextEdit& one : divisions) {
        out.push_back({kWords, {one}});
    }
}
} // namespace

std::vector<Change> swapped_sides(const Statements& code, const Finding& finding) {
    std::vector<Change> found;
    if (finding.text.find("x and y of the grid may be swapped") == std::string::npos) {
        return found;
    }
    for (const TextLaunch& launch : launches_of(code, finding)) {
        const Sides sides(code, launch, 0);
        if (sides.all().size() < 2) {
            continue;
        }
        const auto x = sides.divided(0), y = sides.divided(1);
        if (x && y && *x != *y) {
            found.push_back({"x and y the other way round",
                             {{x->first, x->second, text_of(code, *y)}, {y->first, y->second, text_of(code, *x)}}});
        }
    }
    return found;
}

std::vector<Change> blocks_in_z(const Statements& code, const Trace& trace, const Finding& finding) {
    std::vector<Change> found;
    const std::size_t deep = finding.text.find(" deep: ");
    if (deep == std::string::npos) {
        return found;
    }
    const std::size_t number = finding.text.rfind(' ', deep - 1) + 1;
    const std::string layers = finding.text.substr(number, deep - number);
    for (const TextLaunch& launch : launches_of(code, finding)) {
        const Sides grid(code, launch, 0), block(code, launch, 1);
        if (grid.all().empty() || block.all().size() < 3) {
            continue;
        }
        const std::string x = text_of(code, grid.all()[0]), threads = text_of(code, block.all()[2]);
        const bool by_member = is_name(block.name()) && x.find(block.name() + ".x") != std::string::npos;
        const std::string by = by_member ? block.name() + ".z" : threads;
        for (const StoryEvent& event : trace.program.events) {
            if (event.kind != StoryKind::launch || event.line != finding.line ||
                event.launch >= trace.launches.size()) {
                continue;
            }
            const auto& arguments = trace.launches[event.launch].arguments;
            for (std::size_t k = std::min(arguments.size(), launch.words.size()); k-- > 0;) {
                if (arguments[k].value != layers || arguments[k].count != 0) {
                    continue;
                }
                const std::string count = text_of(code, launch.words[k]);
                const std::string z = rounded(is_one_term(count) ? count : "(" + count + ")", by);
                const TextRange last = grid.all().back();
                found.push_back({"as many blocks in z as there are layers",
                                 {grid.all().size() > 2 ? TextEdit{last.first, last.second, " " + z}
                                                        : TextEdit{last.second, last.second,
                                                                   (grid.all().size() == 1 ? ", 1, " : ", ") + z}}});
            }
            break;
        }
    }
    return found;
}

// In a launch, or in what its variable is set to.
std::vector<Change> rounded_up(const Statements& code) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    for (std::size_t open = bare.find("<<<"); open != std::string::npos; open = bare.find("<<<", open + 3)) {
        std::size_t end = open + 3;
        while (end < bare.size() && bare[end] != ',' && bare[end] != ';') {
            end = bare[end] == '(' ? past_bracket(bare, end) : end + 1;
        }
        round_up(divisions(bare, open + 3, end), found);
        const std::string name = trimmed_part(bare, open + 3, end);
        if (!is_name(name)) {
            continue;
        }
        for (std::size_t at = find_word(bare, name, 0, open); at != std::string::npos;
             at = find_word(bare, name, at + 1, open)) {
            const std::size_t next = bare.find_first_not_of(" \t", at + name.size());
            if (next < open && (bare[next] == '=' || bare[next] == '(')) {
                round_up(divisions(bare, next + 1, std::min(bare.find(';', next), open)), found);
            }
        }
    }
    return found;
}

} // namespace warptree::runs
