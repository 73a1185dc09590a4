#include "app/run/remedy/costs.hpp"

#include "app/base/identifier.hpp"
#include "app/base/number_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {

// tile[T][T], whose columns are all in one bank. Of each array, and of all.
void pad_rows(const Statements& code, std::vector<Change>& found) {
    constexpr const char* kWords = "rows of one element more, so that a column is in as many banks";
    const std::string& bare = code.bare();
    std::vector<TextEdit> all;
    for (std::size_t at = find_word(bare, "__shared__", 0, bare.size()); at != std::string::npos;
         at = find_word(bare, "__shared__", at + 1, bare.size())) {
        const std::size_t end = std::min(bare.find(';', at), bare.size());
        for (std::size_t open = bare.find('[', at); open < end; open = bare.find('[', open)) {
            unsigned sides = 0;
            std::size_t last = open, past = open;
            for (; past < end && bare[past] == '['; past = past_bracket(bare, past)) {
                last = past;
                ++sides;
            }
            const std::string length = trimmed_part(bare, last + 1, past - 1);
            if (sides == 2 && !length.empty() && std::all_of(length.begin(), length.end(), in_identifier)) {
                std::uint64_t number = 0;
                all.push_back({last + 1, past - 1,
                               number_from(length, number) ? fmt::format("{}", number + 1) : length + " + 1"});
            }
            open = past;
        }
    }
    if (all.size() > 1) {
        found.push_back({kWords, all});
    }
    for (const TextEdit& one : all) {
        found.push_back({kWords, {one}});
    }
}

// int row = blockIdx.x …, col = blockIdx.y …: the other way round, as neighbours in x should be neighbours in a row.
void exchange_directions(const Statements& code, std::vector<Change>& found) {
    const std::string& bare = code.bare();
    constexpr std::array<std::string_view, 4> kNumbers = {"threadIdx.", "blockIdx.", "blockDim.", "gridDim."};
    std::vector<TextEdit> edits;
    bool x = false, y = false;
    for (const std::string_view number : kNumbers) {
        for (std::size_t at = bare.find(number); at != std::string::npos; at = bare.find(number, at + 1)) {
            const std::size_t side = at + number.size();
            const Statement* const s = code.innermost(at);
            if (s == nullptr || (bare[side] != 'x' && bare[side] != 'y')) {
                continue;
            }
            if (!declares(code, *s)) { // a tile's index
                return;
            }
            (bare[side] == 'x' ? x : y) = true;
            edits.push_back({side, side + 1, bare[side] == 'x' ? "y" : "x"});
        }
    }
    if (x && y) {
        found.push_back({"x along the rows, whose elements are neighbours", std::move(edits)});
    }
}

// for (s = 1; s < B; s *= 2) if (t % (2 * s) == 0) a[t] += a[t + s];
void make_neighbours(const Statements& code, std::vector<Change>& found) {
    const std::string& bare = code.bare();
    for (std::size_t at = find_word(bare, "for", 0, bare.size()); at != std::string::npos;
         at = find_word(bare, "for", at + 1, bare.size())) {
        const Statement* loop = nullptr;
        for (const Statement* s : code.around(at)) {
            loop = s->kind == Statement::Kind::loop && s->begin == at ? s : loop;
        }
        if (loop == nullptr) {
            continue;
        }
        const std::size_t first = bare.find(';', loop->condition_begin), second = bare.find(';', first + 1);
        if (first >= loop->condition_end || second >= loop->condition_end) {
            continue;
        }
        const std::size_t equals = assignment(bare, loop->condition_begin, first);
        if (equals == std::string::npos || trimmed_part(bare, equals + 1, first) != "1") {
            continue;
        }
        std::size_t name_end = bare.find_last_not_of(kBlanks, equals - 1) + 1, name = name_end;
        while (name > loop->condition_begin && in_identifier(bare[name - 1])) {
            --name;
        }
        const std::string s = bare.substr(name, name_end - name), test = trimmed_part(bare, first + 1, second),
                          step = trimmed_part(bare, second + 1, loop->condition_end);
        const bool doubles = step == s + " *= 2" || step == s + "*=2" || step == s + " <<= 1" ||
                             step == s + " = 2 * " + s || step == s + " = " + s + " * 2";
        const std::size_t less = test.find('<');
        const std::size_t remainder = bare.find('%', loop->condition_end);
        if (s.empty() || !doubles || less == std::string::npos || trimmed_part(test, 0, less) != s ||
            test[less + 1] == '=' || remainder >= loop->end) {
            continue;
        }
        const std::size_t open = bare.find_first_not_of(kBlanks, remainder + 1);
        if (open == std::string::npos || bare[open] != '(') {
            continue;
        }
        const std::size_t close = past_bracket(bare, open);
        const std::size_t zero = bare.find("== 0", close);
        const std::string by = trimmed_part(bare, open + 1, close - 1);
        std::size_t thread_end = bare.find_last_not_of(kBlanks, remainder - 1) + 1, thread = thread_end;
        while (thread > loop->begin && (in_identifier(bare[thread - 1]) || bare[thread - 1] == '.')) {
            --thread;
        }
        if (zero == std::string::npos || (by != "2 * " + s && by != "2*" + s && by != s + " * 2" && by != s + "*2") ||
            zero != bare.find_first_not_of(kBlanks, close)) {
            continue;
        }
        const std::string most = trimmed_part(test, less + 1, test.size());
        found.push_back({"neighbouring threads at work, by half of them less each time",
                         {{equals + 1, first, ' ' + most + " / 2"},
                          {first + 1, second, ' ' + s + " > 0"},
                          {second + 1, loop->condition_end, ' ' + s + " /= 2"},
                          {thread_end, zero + 4, " < " + s}}});
    }
}

void leave_out_barriers(const Statements& code, std::vector<Change>& found) {
    const std::string& bare = code.bare();
    std::vector<TextEdit> edits;
    for (std::size_t at = find_word(bare, "__syncthreads", 0, bare.size()); at != std::string::npos;
         at = find_word(bare, "__syncthreads", at + 1, bare.size())) {
        const Statement* const s = code.innermost(at);
        if (s == nullptr || s->begin != at) {
            continue;
        }
        edits.push_back(without(code, *s));
    }
    if (!edits.empty()) {
        found.push_back({"without barriers that order nothing", std::move(edits)});
    }
}
} // namespace

std::vector<Change> cheaper_changes(const Statements& code) {
    std::vector<Change> found;
    pad_rows(code, found);
    exchange_directions(code, found);
    make_neighbours(code, found);
    leave_out_barriers(code, found);
    return found;
}

} // namespace warptree::runs
