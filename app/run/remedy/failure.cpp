#include "app/run/remedy/failure.hpp"

#include "app/base/identifier.hpp"
#include "app/base/number_list.hpp"
#include "app/run/program/host_calls.hpp"
#include "app/trace/model/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warptree::runs {

namespace {
const Statement* innermost_loop(const Statements& code, std::size_t at) {
    const Statement* loop = nullptr;
    for (const Statement* s : code.around(at)) {
        loop = s->kind == Statement::Kind::loop ? s : loop;
    }
    return loop;
}

bool is_passed(const Statements& code, const TextLaunch& launch, const std::string& name) {
    return std::ranges::any_of(launch.words, [&](TextRange word) { return variable_in(text_of(code, word)) == name; });
}

// cudaMemset(total, 0, …) before a loop of launches that add to it.
void set_before_each_launch(const Statements& code, std::vector<Change>& found) {
    const std::vector<TextCall> sets = calls_of(code, "cudaMemset");
    for (const TextLaunch& launch : launches_in(code)) {
        const Statement* const loop = innermost_loop(code, launch.begin);
        const Statement* const body = loop == nullptr || loop->parts.empty() ? nullptr : &loop->parts.back();
        if (body == nullptr || !body->holds(launch.begin)) {
            continue;
        }
        for (const TextCall& set : sets) {
            const std::string name = set.words.empty() ? "" : variable_in(text_of(code, set.words[0]));
            const std::vector<const Statement*> outside = code.around(set.begin), around = code.around(launch.begin);
            if (name.empty() || set.begin > loop->begin || !is_passed(code, launch, name) || outside.empty() ||
                around.empty() || outside.front() != around.front()) {
                continue;
            }
            const std::string words = name + " set anew before each launch of the loop",
                              call = code.text().substr(set.begin, set.end - set.begin) + ';';
            const Statement* first = body;
            if (body->kind == Statement::Kind::block) {
                const auto holds = [&](const Statement& s) { return s.holds(launch.begin); };
                const auto own = std::find_if(body->parts.begin(), body->parts.end(), holds);
                if (own == body->parts.end()) {
                    continue;
                }
                first = &*own;
                found.push_back({words, {line_before(code, first->begin, call)}});
            } else {
                found.push_back({words, {{body->begin, body->begin, "{ " + call + ' '}, {body->end, body->end, " }"}}});
            }
        }
    }
}

// cudaMemcpy(h, b, …) behind launches between which a and b change places.
void copy_the_other(const Statements& code, std::vector<Change>& found) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const TextCall& call : calls_of(code, "swap")) {
        if (call.words.size() == 2) {
            pairs.emplace_back(text_of(code, call.words[0]), text_of(code, call.words[1]));
        }
    }
    const std::vector<TextLaunch> launches = launches_in(code);
    for (const TextLaunch& launch : launches) { // t = a; a = b; b = t;
        for (const TextRange& one : launch.words) {
            for (const TextRange& other : launch.words) {
                const std::string a = text_of(code, one), b = text_of(code, other);
                if (a != b && is_name(a) && is_name(b) && code.bare().find(a + " = " + b + ";") != std::string::npos) {
                    pairs.emplace_back(a, b);
                }
            }
        }
    }
    for (const TextCall& copy : calls_of(code, "cudaMemcpy")) {
        if (copy.words.size() < 4 || text_of(code, copy.words[3]) != "cudaMemcpyDeviceToHost") {
            continue;
        }
        const std::string from = text_of(code, copy.words[1]);
        for (const auto& [a, b] : pairs) {
            if (from == a || from == b) {
                const std::string& other = from == a ? b : a;
                found.push_back({"the other of the two arrays that change places",
                                 {{copy.words[1].first, copy.words[1].second, ' ' + other}}});
            }
        }
    }
}

// cudaMemset(least, 0, …) of what atomicMin makes smaller: no element is less than 0.
void begin_beyond(const Statements& code, std::vector<Change>& found) {
    const auto begins = [&](std::string_view atomic, const char* byte, const char* words) {
        if (find_word(code.bare(), atomic, 0, code.bare().size()) == std::string::npos) {
            return;
        }
        for (const TextCall& set : calls_of(code, "cudaMemset")) {
            if (set.words.size() >= 3 && text_of(code, set.words[1]) == "0") {
                found.push_back({words, {{set.words[1].first, set.words[1].second, std::string(" ") + byte}}});
            }
        }
    };
    begins("atomicMin", "0x7f", "a minimum that begins with more than all elements, 0x7f7f7f7f");
    begins("atomicMax", "0x80", "a maximum that begins with less than all elements, 0x80808080");
}

// for (s = n / 2; s > 1; s /= 2): the round that combines the last two is left out.
void take_the_last_round(const Statements& code, std::vector<Change>& found) {
    const std::string& bare = code.bare();
    constexpr std::array<std::string_view, 4> kHalves = {"/= 2", "/=2", ">>= 1", ">>=1"};
    for (std::size_t at = find_word(bare, "for", 0, bare.size()); at != std::string::npos;
         at = find_word(bare, "for", at + 1, bare.size())) {
        const std::size_t open = bare.find('(', at), end = open == std::string::npos ? open : past_bracket(bare, open);
        const std::size_t more = end == std::string::npos ? end : bare.find("> 1", open);
        const auto halves = [&](std::string_view how) {
            const std::size_t found_at = bare.find(how, more);
            return found_at < end;
        };
        if (more < end && std::ranges::any_of(kHalves, halves)) {
            found.push_back({"the last round, too", {{more + 2, more + 3, "0"}}});
        }
    }
}

// Numbers of a launch in another order, as (columns, rows) of (rows, columns).
void exchange_numbers(const Statements& code, std::vector<Change>& found) {
    constexpr std::size_t kMost = 4; // numbers
    const std::vector<TextCall> allocations = calls_of(code, "cudaMalloc");
    for (const TextLaunch& launch : launches_in(code)) {
        std::vector<TextRange> numbers;
        for (const TextRange& word : launch.words) {
            const std::string text = text_of(code, word);
            const bool points = std::ranges::any_of(allocations, [&](const TextCall& call) {
                return !call.words.empty() && variable_in(text_of(code, call.words[0])) == text;
            });
            if (is_name(text) && !points) {
                numbers.push_back(word);
            }
        }
        for (std::size_t i = 0; numbers.size() <= kMost && i < numbers.size(); ++i) {
            for (std::size_t j = i + 1; j < numbers.size(); ++j) {
                const std::string a = text_of(code, numbers[i]), b = text_of(code, numbers[j]);
                const auto at = [&](TextRange word) { return code.bare().find_first_not_of(kBlanks, word.first); };
                if (a != b) {
                    found.push_back({fmt::format("{} and {} the other way round", a, b),
                                     {{at(numbers[i]), numbers[i].second, b}, {at(numbers[j]), numbers[j].second, a}}});
                }
            }
        }
    }
}
// <<<1, 128>>> of what has another number of elements: a thread each, or blocks for all; or a block as its kernel's text has it.
void shape_launches(const Statements& code, std::vector<Change>& found) {
    constexpr std::uint64_t kMost = 1024;
    const auto number_in = [&](TextRange range) {
        std::uint64_t number = 0;
        return number_from(text_of(code, range), number) && number <= kMost ? number : 0;
    };
    std::set<std::uint64_t> sizes; // powers of two in the text
    for (std::size_t at = 0; at < code.bare().size(); ++at) {
        if (std::isdigit(static_cast<unsigned char>(code.bare()[at])) == 0 ||
            (at != 0 && in_identifier(code.bare()[at - 1]))) {
            continue;
        }
        std::size_t end = at;
        while (end < code.bare().size() && in_identifier(code.bare()[end])) {
            ++end;
        }
        std::uint64_t number = 0;
        if (number_from(code.bare().substr(at, end - at), number) && number >= kWarpSize && number <= kMost &&
            std::has_single_bit(number)) {
            sizes.insert(number);
        }
        at = end;
    }
    for (const TextLaunch& launch : launches_in(code)) {
        if (launch.shape.size() < 2) {
            continue;
        }
        const TextRange grid = launch.shape[0], block = launch.shape[1];
        const std::uint64_t blocks = number_in(grid), threads = number_in(block);
        if (threads == 0) {
            continue;
        }
        for (const TextRange& word : launch.words) {
            const std::string n = text_of(code, word);
            if (blocks != 0 && is_name(n) && code.bare().find("int " + n) != std::string::npos) {
                found.push_back({"blocks for all elements",
                                 {{grid.first, grid.second, fmt::format("({} + {}) / {}", n, threads - 1, threads)}}});
            }
        }
        for (const std::uint64_t other : sizes) {
            if (other != threads) {
                found.push_back({fmt::format("{} threads a block", other),
                                 {{block.first, block.second, fmt::format(" {}", other)}}});
            }
        }
        for (const std::string_view n : {"n", "N"}) {
            if (blocks == 1 && find_word(code.bare(), n, 0, code.bare().size()) != std::string::npos) {
                found.push_back({"a thread for each element", {{block.first, block.second, ' ' + std::string(n)}}});
            }
        }
    }
}
} // namespace

std::vector<Change> failure_changes(const Statements& code) {
    std::vector<Change> found;
    set_before_each_launch(code, found);
    copy_the_other(code, found);
    begin_beyond(code, found);
    take_the_last_round(code, found);
    exchange_numbers(code, found);
    shape_launches(code, found);
    return found;
}

} // namespace warptree::runs
