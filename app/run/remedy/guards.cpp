#include "app/run/remedy/guards.hpp"

#include "app/base/identifier.hpp"
#include "app/base/number_list.hpp"
#include "app/run/choice/element_use.hpp"
#include "app/run/choice/rows_index.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace warptree::runs {

namespace {

// "y < h": of a row or column, and what there is of them.
struct Limit {
    std::string what, count;
};

std::string without_blanks(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

class Guards {
  public:
    explicit Guards(const OutsideAccess& access)
        : a_(access), bare_(a_.code.bare()), around_(a_.code.around(a_.at)), in_(a_.code.innermost(a_.at)) {
        for (const KernelArgument& argument : a_.arguments) {
            const std::string& type = argument.type;
            const bool whole = type.find("int") != std::string::npos || type.find("size_t") != std::string::npos ||
                               type.find("long") != std::string::npos || type.find("unsigned") != std::string::npos;
            if (argument.count == 0 && whole && type.find('*') == std::string::npos) {
                counts_.push_back(argument.name);
                if (std::uint64_t value = 0; number_from(argument.value, value)) {
                    values_[argument.name] = value;
                }
            }
        }
    }

    std::vector<Change> all() {
        one_less();
        const std::size_t open = a_.array.empty() ? std::string::npos : bare_.find('[', a_.at);
        if (in_ == nullptr || open == std::string::npos || open >= in_->end ||
            find_word(bare_, a_.array, a_.at, a_.at + 1) != a_.at) {
            return std::move(found_);
        }
        const std::size_t close = past_bracket(bare_, open);
        if (close > in_->end) {
            return std::move(found_);
        }
        const std::string index = trimmed_part(a_.code.text(), open + 1, close - 1);
        both_of_two();
        for (std::size_t at = a_.at; at != std::string::npos && !a_.writes && !a_.two_dimensions;
             at = find_word(bare_, a_.array, at + 1, in_->end)) {
            if (const std::size_t bracket = bare_.find('[', at); bracket < in_->end) {
                both_ends(trimmed_part(bare_, bracket + 1, past_bracket(bare_, bracket) - 1));
            }
        }
        for (std::size_t at = a_.at; at != std::string::npos; at = find_word(bare_, a_.array, at + 1, in_->end)) {
            if (const std::size_t bracket = bare_.find('[', at); bracket < in_->end) {
                with_the_neighbour(trimmed_part(bare_, bracket + 1, past_bracket(bare_, bracket) - 1));
            }
        }
        if (one_before_the_end()) { // 0 in its place would leave the mistake
            return std::move(found_);
        }
        if (a_.two_dimensions) {
            of_rows(index, close);
        } else {
            for (const std::string& n : counts_of_all()) {
                if (std::find(counts_.begin(), counts_.end(), index) ==
                    counts_.end()) { // else a guard would keep out all
                    of_a_row(index, n, close);
                }
            }
        }
        return std::move(found_);
    }

  private:
    using Kind = Statement::Kind;

    void add(std::string words, std::vector<TextEdit> edits) { found_.push_back({std::move(words), std::move(edits)}); }

    // Numbers of the kernel that are the array's elements; where none is, those that are but for what it is rounded up by: another
    // that keeps the access inside, too, would leave out most of them.
    std::vector<std::string> counts_of_all() const {
        std::vector<std::string> exact, nearly;
        for (const std::string& count : counts_) {
            const auto value = values_.find(count);
            if (a_.elements != 0 && value != values_.end() && value->second == a_.elements) {
                exact.push_back(count);
            } else if (a_.elements == 0 || value == values_.end() ||
                       (value->second < a_.elements && value->second > a_.elements / 2)) {
                nearly.push_back(count);
            }
        }
        return exact.empty() ? nearly : exact;
    }

    // A loop from -r to r: with one step less it is another one.
    bool is_symmetric(const Statement& loop) const {
        const std::size_t equals = loop.kind == Kind::loop ? bare_.find('=', loop.begin) : std::string::npos;
        return equals < loop.condition_end && trimmed_part(bare_, equals + 1, loop.condition_end).starts_with('-');
    }

    bool returns(const Statement& s) const { // before the access, in a branch
        return s.kind == Kind::branch && s.end <= a_.at &&
               find_word(bare_, "return", s.condition_end, s.end) != std::string::npos;
    }

    // Each of a condition's signs that let one too many pass, and all of them at once.
    void one_less(const std::string& words, const std::vector<std::size_t>& signs, std::size_t length,
                  const std::string& with) {
        std::vector<TextEdit> all;
        for (const std::size_t at : signs) {
            add(words, {{at, at + length, with}});
            all.push_back({at, at + length, with});
        }
        if (all.size() > 1) {
            add(words, std::move(all));
        }
    }
    void one_less(std::size_t begin, std::size_t end) { // i <= n
        std::vector<std::size_t> signs;
        for (std::size_t at = bare_.find("<=", begin); at < end; at = bare_.find("<=", at + 1)) {
            signs.push_back(at);
        }
        one_less("one less: < for <=", signs, 2, "<");
    }

    // One too many: i <= n.
    void one_less() {
        for (std::size_t k = around_.size(); k-- > 0;) {
            if (around_[k]->condition_end != 0 && !is_symmetric(*around_[k])) {
                one_less(around_[k]->condition_begin, around_[k]->condition_end);
            }
            // An earlier return that lets one too many pass: if (i > n) return;
            for (const Statement& s : around_[k]->parts) {
                std::vector<std::size_t> signs;
                for (std::size_t more = bare_.find('>', s.condition_begin); returns(s) && more < s.condition_end;
                     more = bare_.find('>', more + 1)) {
                    if (std::string_view("=>").find(bare_[more + 1]) == std::string_view::npos &&
                        std::string_view("->").find(bare_[more - 1]) == std::string_view::npos) {
                        signs.push_back(more);
                    }
                }
                one_less("one less: >= for >", signs, 1, ">=");
            }
        }
        if (in_ != nullptr && in_->kind == Kind::plain) { // in the statement itself: i <= n ? a[i] : 0
            one_less(in_->begin, a_.at);
        }
    }

    // w - x, counted from the end, and min(x, w): the last is w - 1. Whether there are such, in the access or before it.
    bool one_before_the_end() {
        const std::size_t begin = body().begin, end = in_->end, had = found_.size();
        const auto less = [&](std::size_t at) {
            add("the last element is the one before the end", {{at, at, " - 1"}});
        };
        for (const std::string& count : counts_) {
            for (std::size_t at = find_word(bare_, count, begin, end); at != std::string::npos;
                 at = find_word(bare_, count, at + 1, end)) {
                const std::size_t past = at + count.size(), minus = bare_.find_first_not_of(' ', past);
                const std::size_t next =
                    minus < end && bare_[minus] == '-' ? bare_.find_first_not_of(' ', minus + 1) : end;
                const std::size_t open = bare_.rfind('[', at), close = bare_.rfind(']', at);
                const bool index =
                    open != std::string::npos && open > begin && (close == std::string::npos || close < open);
                const std::size_t before = bare_.find_last_not_of(" (", at - 1);
                if (next < end && in_identifier(bare_[next]) &&
                    std::isdigit(static_cast<unsigned char>(bare_[next])) == 0 &&
                    (index || bare_[before] == '=' || bare_[before] == '+')) {
                    less(past);
                }
            }
        }
        for (const std::string_view smaller : {"min", "clamp"}) {
            for (std::size_t at = find_word(bare_, smaller, begin, end); at != std::string::npos;
                 at = find_word(bare_, smaller, at + 1, end)) {
                const std::size_t open = at + smaller.size(), past = past_bracket(bare_, open);
                const std::size_t comma = bare_[open] == '(' ? bare_.rfind(',', past - 1) : std::string::npos;
                if (comma == std::string::npos || comma < open) {
                    continue;
                }
                const std::string last = trimmed_part(bare_, comma + 1, past - 1);
                if (std::find(counts_.begin(), counts_.end(), last) != counts_.end()) {
                    less(past - 1);
                }
            }
        }
        return found_.size() != had;
    }

    // Whether a loop's last part is of this variable: for (...; ...; i += 32).
    bool counts_by(const Statement& loop, const std::string& variable) const {
        const std::size_t last = bare_.rfind(';', loop.condition_end - 1);
        return !variable.empty() && std::all_of(variable.begin(), variable.end(), in_identifier) &&
               last > loop.condition_begin && find_word(bare_, variable, last, loop.condition_end) != std::string::npos;
    }

    // Where one of two limits was enough: x < w || y < h around the access, or x >= w && y >= h before a return.
    void both_of_two() {
        const auto change = [&](const Statement& s, std::string_view from, const std::string& to) {
            std::vector<TextEdit> edits;
            for (std::size_t at = bare_.find(from, s.condition_begin); at < s.condition_end;
                 at = bare_.find(from, at + 1)) {
                edits.push_back({at, at + from.size(), to});
            }
            if (!edits.empty()) {
                add(fmt::format("both limits: {} for {}", to, from), std::move(edits));
            }
        };
        for (std::size_t k = around_.size(); k-- > 0;) {
            if (around_[k]->kind == Kind::branch && a_.at >= around_[k]->condition_end) {
                change(*around_[k], "||", "&&");
            }
            for (const Statement& s : around_[k]->parts) {
                if (returns(s)) {
                    change(s, "&&", "||");
                }
            }
        }
    }

    // if (i == 0) … else …, where [i + 1] is read: i == 0 || i == n - 1. With [i - 1] the other way round.
    void both_ends(const std::string& index) {
        for (const std::string& n : counts_of_all()) {
            const auto change = [&](const Statement& s) {
                const std::string tested = without_blanks(condition(s));
                const std::size_t equals = tested.find("==");
                const std::string i = tested.substr(0, std::min(equals, tested.size()));
                if (equals == std::string::npos || !is_one_term(i) || find_word(index, i, 0, index.size()) != 0) {
                    return;
                }
                const std::string last = n + "-1", end = tested.substr(equals + 2);
                if (end == "0" && index.find('+') != std::string::npos) {
                    add("the last element as the first",
                        {{s.condition_end, s.condition_end, fmt::format(" || {} == {} - 1", i, n)}});
                } else if (end == last && index.find('-') != std::string::npos) {
                    add("the first element as the last", {{s.condition_begin, s.condition_begin, i + " == 0 || "}});
                }
            };
            for (const Statement* s : around_) {
                if (s->kind == Kind::branch && s->parts.size() == 2 && s->parts[1].holds(a_.at)) {
                    change(*s);
                }
                for (const Statement& part : s->parts) {
                    if (returns(part)) {
                        change(part);
                    }
                }
            }
        }
    }

    // i < n, where [i + 1] is accessed: i + 1 < n. Of what is stored, too, as without its neighbour there is no result.
    void with_the_neighbour(const std::string& index) {
        const std::size_t plus = index.find('+');
        const std::string name = plus == std::string::npos ? "" : trimmed_part(index, 0, plus);
        if (name.empty() || !is_one_term(index.substr(index.find_first_not_of(" +", plus))) || !is_one_term(name)) {
            return;
        }
        const auto change = [&](const Statement& s, std::string_view sign) {
            std::vector<TextEdit> edits;
            for (std::size_t at = find_word(bare_, name, s.condition_begin, s.condition_end); at != std::string::npos;
                 at = find_word(bare_, name, at + 1, s.condition_end)) {
                const std::size_t next = bare_.find_first_not_of(' ', at + name.size());
                if (bare_.compare(next, sign.size(), sign) == 0 && (sign != "<" || bare_[next + 1] != '=')) {
                    edits.push_back({at, at + name.size(), index});
                }
            }
            if (!edits.empty()) {
                add("the neighbour inside, too", std::move(edits));
            }
        };
        for (std::size_t k = around_.size(); k-- > 0;) {
            if (around_[k]->kind == Kind::branch && a_.at >= around_[k]->condition_end) {
                change(*around_[k], "<");
            }
            for (const Statement& s : around_[k]->parts) {
                if (returns(s)) {
                    change(s, ">=");
                }
            }
        }
    }

    std::string element(std::size_t close) const { return a_.code.text().substr(a_.at, close - a_.at); }

    void of_a_row(const std::string& index, const std::string& n, std::size_t close) {
        const std::string inside = index + " < " + n;
        // From the end: the last of n elements is n - 1.
        const std::size_t minus = index.find('-');
        const std::string whole = minus == std::string::npos ? "" : trimmed_part(index, 0, minus);
        if (!whole.empty() && std::find(counts_.begin(), counts_.end(), whole) != counts_.end()) {
            const std::size_t at = find_word(bare_, whole, bare_.find('[', a_.at), close);
            if (at != std::string::npos) {
                add("the last element is the one before the end", {{at + whole.size(), at + whole.size(), " - 1"}});
            }
            return;
        }
        if (!a_.writes && index.find('-') != std::string::npos && !is_offset(a_.code, a_.at, close)) {
            on_either_side(n, true);
            on_either_side(n, false);
        }
        // A loop over the elements ends with them: what else its body does would go on.
        for (std::size_t k = around_.size(); k-- > 0;) {
            const Statement& s = *around_[k];
            if (s.kind == Kind::loop && a_.at >= s.condition_end) {
                const std::size_t condition = bare_.find(';', s.condition_begin),
                                  end = condition < s.condition_end ? bare_.find(';', condition + 1) : condition;
                if (end < s.condition_end && counts_by(s, index)) {
                    add("a loop that ends with the elements", {{end, end, " && " + inside}});
                }
                break;
            }
        }
        if (in_->kind == Kind::plain && !declares(a_.code, *in_)) {
            add("a guard", {{in_->begin, in_->begin, "if (" + inside + ") "}});
        }
        if (in_->kind == Kind::branch && a_.at < in_->condition_end && a_.at >= in_->condition_begin) {
            add("a guard", {{in_->condition_begin, in_->condition_begin, inside + " && "}});
        }
        for (std::size_t k = around_.size(); k-- > 0;) { // what stands before the access decides, too
            if (around_[k]->kind == Kind::branch && a_.at >= around_[k]->condition_end) {
                add("a guard", {{around_[k]->condition_end, around_[k]->condition_end, " && " + inside}});
            }
        }
        if (!a_.writes && !is_offset(a_.code, a_.at, close)) {
            add("0 past the end", {{a_.at, close, "(" + inside + " ? " + element(close) + " : 0)"}});
        }
        if (around_.size() == 2) {
            add("threads past the end return",
                {line_before(a_.code, in_->begin, "if (" + index + " >= " + n + ") return;")});
        }
    }

    // Neighbours of the first and of the last element: all that the statement reads of the array. brief: only the side that the
    // sign in an index points to.
    void on_either_side(const std::string& n, bool brief) {
        std::vector<TextEdit> edits;
        for (std::size_t at = find_word(bare_, a_.array, in_->begin, in_->end); at != std::string::npos;
             at = find_word(bare_, a_.array, at + 1, in_->end)) {
            const std::size_t open = bare_.find_first_not_of(' ', at + a_.array.size());
            if (open >= in_->end || bare_[open] != '[') {
                continue;
            }
            const std::size_t close = past_bracket(bare_, open);
            const std::string index = trimmed_part(bare_, open + 1, close - 1);
            const bool left = index.find('-') != std::string::npos, right = index.find('+') != std::string::npos;
            if ((left || right) && at != in_->begin) {
                const std::string above = index + " >= 0", below = index + " < " + n;
                edits.push_back({at, close,
                                 fmt::format("({} ? {} : 0)",
                                             !brief || left == right ? above + " && " + below
                                             : left                  ? above
                                                                     : below,
                                             a_.code.text().substr(at, close - at))});
            }
        }
        if (!edits.empty()) {
            add("0 on either side", std::move(edits));
        }
    }

    // Of an index, or of a variable in it: int at = y * w + x;
    std::optional<RowsIndex> rows_behind(const std::string& index) const {
        if (auto rows = rows_of(index, counts_)) {
            return rows;
        }
        for (std::size_t at = 0; at < index.size(); ++at) {
            std::size_t end = at;
            while (end < index.size() && in_identifier(index[end])) {
                ++end;
            }
            const std::string word = index.substr(at, end - at);
            const std::size_t set = word.empty() ? std::string::npos : find_word(bare_, word, body().begin, a_.at);
            if (set != std::string::npos) {
                const std::size_t equals = bare_.find_first_not_of(' ', set + word.size());
                if (equals < body().end && bare_[equals] == '=' && bare_[equals + 1] != '=') {
                    const std::string rest = bare_.substr(equals + 1, body().end - equals - 1);
                    const std::size_t stop =
                        std::min({outside_brackets(rest, ';'), outside_brackets(rest, ','), rest.size()});
                    if (auto rows = rows_of(trimmed_part(rest, 0, stop), counts_)) {
                        return rows;
                    }
                }
            }
            at = end;
        }
        return std::nullopt;
    }

    const Statement& body() const { return *around_.front(); }

    // How many rows there may be, the likeliest first; where one number is all that the kernel gets, its square is meant.
    std::vector<std::string> heights(const std::string& width) const {
        std::vector<std::string> all;
        std::copy_if(counts_.begin(), counts_.end(), std::back_inserter(all),
                     [&](const std::string& c) { return c != width; });
        const auto named = [](std::string name) {
            std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
            return name == "h" || name == "m" || name.find("height") != std::string::npos ||
                   name.find("row") != std::string::npos || name == "ny";
        };
        std::stable_partition(all.begin(), all.end(), named);
        all.push_back(width);
        return all;
    }

    // Whether a condition has it already, with these words between.
    static bool has(const std::string& text, const Limit& limit, std::string_view sign) {
        const std::string wanted = without_blanks(limit.what) + std::string(sign) + limit.count;
        return without_blanks(text).find(wanted) != std::string::npos;
    }
    std::string condition(const Statement& s) const {
        return bare_.substr(s.condition_begin, s.condition_end - s.condition_begin);
    }
    static std::string joined(const std::vector<Limit>& limits, std::string_view sign, std::string_view between) {
        std::string text;
        for (const Limit& l : limits) {
            text += fmt::format("{}{} {} {}", text.empty() ? "" : between, l.what, sign, l.count);
        }
        return text;
    }

    void of_rows(const std::string& index, std::size_t close) {
        const auto rows = rows_behind(index);
        if (!rows) {
            return;
        }
        for (const std::string& height : heights(rows->width)) {
            const Limit column{rows->column, rows->width}, row{rows->row, height};
            beside_the_other(column, row);
            beside_the_other(row, column);
            std::vector<Limit> missing;
            for (const Limit& limit : {column, row}) {
                const std::string text = bare_.substr(body().begin, body().end - body().begin);
                if (!has(text, limit, "<") && !has(text, limit, ">=")) {
                    missing.push_back(limit);
                }
            }
            if (missing.empty()) {
                continue;
            }
            if (around_.size() >= 2) {
                add("threads outside return",
                    {line_before(a_.code, around_[1]->begin, "if (" + joined(missing, ">=", " || ") + ") return;")});
            }
            const std::string inside = joined(missing, "<", " && ");
            if (in_->kind == Kind::plain && !declares(a_.code, *in_)) {
                add("a guard", {{in_->begin, in_->begin, "if (" + inside + ") "}});
            }
            if (!a_.writes) {
                add("0 outside", {{a_.at, close, "(" + inside + " ? " + element(close) + " : 0)"}});
            }
        }
        by_another_access();
        if (counts_.size() <= 2) {
            of_neighbours(false);
            of_neighbours(true);
            of_all_accesses(false);
            of_all_accesses(true);
        }
    }

    // An access to the array of an argument that is of rows.
    struct RowsAccess {
        std::size_t at = 0, close = 0; // in the text
        RowsIndex rows;
    };
    // All of the kernel; nullopt: one of them is not understood.
    std::optional<std::vector<RowsAccess>> accesses() const {
        std::vector<RowsAccess> all;
        for (const KernelArgument& argument : a_.arguments) {
            if (argument.name.empty() || argument.type.find('*') == std::string::npos) {
                continue;
            }
            for (std::size_t at = find_word(bare_, argument.name, body().begin, body().end); at != std::string::npos;
                 at = find_word(bare_, argument.name, at + 1, body().end)) {
                const std::size_t open = bare_.find_first_not_of(' ', at + argument.name.size());
                if (open >= body().end || bare_[open] != '[') {
                    continue;
                }
                const std::size_t close = past_bracket(bare_, open);
                const auto rows = rows_behind(trimmed_part(bare_, open + 1, close - 1));
                const Statement* const s = a_.code.innermost(at);
                if (!rows || s == nullptr || s->kind != Kind::plain) {
                    return std::nullopt;
                }
                all.push_back({at, close, *rows});
            }
        }
        return all;
    }

    // The result's row and column say which threads have one.
    void by_another_access() {
        for (const RowsAccess& access : accesses().value_or(std::vector<RowsAccess>())) {
            for (const std::string& height : heights(access.rows.width)) {
                const std::vector<Limit> limits = {{access.rows.row, height}, {access.rows.column, access.rows.width}};
                if (around_.size() >= 2 &&
                    std::ranges::all_of(limits, [](const Limit& l) { return is_one_term(l.what); })) {
                    add("threads outside return",
                        {line_before(a_.code, around_[1]->begin, "if (" + joined(limits, ">=", " || ") + ") return;")});
                }
            }
        }
    }

    // A condition that has one limit gets the other.
    void beside_the_other(const Limit& there, const Limit& missing) {
        for (std::size_t k = around_.size(); k-- > 0;) {
            const Statement& s = *around_[k];
            if (s.kind == Kind::branch && a_.at >= s.condition_end && has(condition(s), there, "<") &&
                !has(condition(s), missing, "<")) {
                add("a guard", {{s.condition_end, s.condition_end, " && " + joined({missing}, "<", "")}});
            }
            for (const Statement& part : s.parts) {
                if (returns(part) && has(condition(part), there, ">=") && !has(condition(part), missing, ">=")) {
                    add("threads outside return",
                        {{part.condition_end, part.condition_end, " || " + joined({missing}, ">=", "")}});
                }
            }
        }
    }

    // A stencil's neighbours: what stands beside the first or last row or column is 0. square: width is the height, too.
    void of_neighbours(bool square) {
        std::vector<TextEdit> edits;
        for (const RowsAccess& access : accesses().value_or(std::vector<RowsAccess>())) {
            const std::string height = square ? access.rows.width : heights(access.rows.width).front();
            std::vector<std::string> inside;
            for (const Limit& limit : {Limit{access.rows.row, height}, Limit{access.rows.column, access.rows.width}}) {
                if (limit.what.find('-') != std::string::npos) {
                    inside.push_back(limit.what + " >= 0");
                }
                if (limit.what.find('+') != std::string::npos) {
                    inside.push_back(limit.what + " < " + limit.count);
                }
            }
            if (inside.empty()) {
                continue;
            }
            if (access.at == a_.code.innermost(access.at)->begin) { // it stores there
                return;
            }
            edits.push_back({access.at, access.close,
                             fmt::format("({} ? {} : 0)", fmt::join(inside, " && "),
                                         a_.code.text().substr(access.at, access.close - access.at))});
        }
        if (!edits.empty()) {
            add("0 beside the first and last rows and columns", std::move(edits));
        }
    }

    // Tiles that do not divide the rows: each access has limits of its own, and all threads go on to the barriers.
    void of_all_accesses(bool square) {
        std::vector<TextEdit> edits;
        for (const RowsAccess& access : accesses().value_or(std::vector<RowsAccess>())) {
            const RowsIndex& rows = access.rows;
            const std::string height = square ? rows.width : heights(rows.width).front();
            const std::string inside = joined({{rows.row, height}, {rows.column, rows.width}}, "<", " && ");
            if (access.at == a_.code.innermost(access.at)->begin) {
                edits.push_back({access.at, access.at, "if (" + inside + ") "});
            } else {
                edits.push_back(
                    {access.at, access.close,
                     "(" + inside + " ? " + a_.code.text().substr(access.at, access.close - access.at) + " : 0)"});
            }
        }
        if (edits.size() > 1) {
            add("a guard at every access, so that all threads reach the barriers", std::move(edits));
        }
    }

    const OutsideAccess& a_;
    const std::string& bare_;
    std::vector<const Statement*> around_;        // the access, from the kernel's body inwards
    const Statement* in_;                         // the innermost
    std::vector<std::string> counts_;             // whole numbers that the kernel gets
    std::map<std::string, std::uint64_t> values_; // theirs, as far as known
    std::vector<Change> found_;
};
} // namespace

std::vector<Change> guard_changes(const OutsideAccess& access) { return Guards(access).all(); }

} // namespace warptree::runs
