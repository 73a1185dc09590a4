#include "app/run/remedy/sizes.hpp"

#include "app/base/identifier.hpp"
#include "app/run/program/host_calls.hpp"

#include <algorithm>
#include <set>

namespace warptree::runs {

namespace {
// Of n * sizeof(int), sizeof(int) * n: where n stands; {0, 0}: it is another size.
TextRange count_in(const std::string& bare, TextRange size) {
    const std::size_t measure = find_word(bare, "sizeof", size.first, size.second);
    if (measure == std::string::npos) {
        return {0, 0};
    }
    const std::size_t open = bare.find('(', measure);
    if (open >= size.second) {
        return {0, 0};
    }
    const std::size_t past = bare.find_first_not_of(kBlanks, past_bracket(bare, open));
    if (past < size.second && bare[past] == '*') {
        return {past + 1, size.second};
    }
    const std::size_t times = bare.find_last_not_of(kBlanks, measure - 1);
    return times > size.first && times < measure && bare[times] == '*' ? TextRange{size.first, times} : TextRange{0, 0};
}

// How many elements the host's array has, as the text says it: "n + 1"; empty: it does not.
std::string elements_of(const Statements& code, const std::string& name) {
    const std::string& bare = code.bare();
    const auto first_word = [&](std::size_t open) {
        const auto words = words_between(bare, open + 1, past_bracket(bare, open) - 1);
        return words.empty() ? TextRange{0, 0} : words.front();
    };
    for (std::size_t at = find_word(bare, name, 0, bare.size()); at != std::string::npos;
         at = find_word(bare, name, at + 1, bare.size())) {
        const std::size_t next = bare.find_first_not_of(kBlanks, at + name.size());
        const std::size_t last = at == 0 ? std::string::npos : bare.find_last_not_of(kBlanks, at - 1);
        if (next == std::string::npos || last == std::string::npos) {
            continue;
        }
        const Statement* const s = code.innermost(at);
        const bool declared = s != nullptr && s->kind == Statement::Kind::plain && s->begin != at &&
                              assignment(bare, s->begin, at) == std::string::npos &&
                              (in_identifier(bare[last]) || bare[last] == '>' || bare[last] == ',');
        if (declared && (bare[next] == '[' || ((bare[next] == '(' || bare[next] == '{') && bare[last] == '>'))) {
            return text_of(code, first_word(next));
        }
        if (bare[next] != '=' || bare[next + 1] == '=') {
            continue;
        }
        const std::size_t end = std::min({bare.find(';', next), outside_brackets(bare, ',', next), bare.size()});
        for (const std::string_view makes : {"malloc", "calloc", "new", "cudaMallocHost"}) {
            const std::size_t call = find_word(bare, makes, next, end);
            const std::size_t open = call == std::string::npos ? call : bare.find_first_of("([", call);
            if (open >= end) {
                continue;
            }
            TextRange size = first_word(open);
            if (makes == "malloc") {
                size = count_in(bare, size);
            }
            if (size.second != 0) {
                return text_of(code, size);
            }
        }
    }
    return {};
}
} // namespace

std::vector<Change> as_large_as_the_hosts(const Statements& code, const std::string& array) {
    const std::string& bare = code.bare();
    std::string count;
    std::vector<TextEdit> edits;
    std::vector<TextRange> sizes; // of what is allocated and copied to it
    for (const TextCall& call : calls_of(code, "cudaMalloc")) {
        if (call.words.size() == 2 && variable_in(text_of(code, call.words[0])) == array) {
            sizes.push_back(call.words[1]);
        }
    }
    for (const TextCall& call : calls_of(code, "cudaMemcpy")) {
        if (call.words.size() >= 3 && variable_in(text_of(code, call.words[0])) == array) {
            const std::string of_source = elements_of(code, variable_in(text_of(code, call.words[1])));
            count = of_source.empty() ? count : of_source;
            sizes.push_back(call.words[2]);
        }
    }
    if (count.starts_with('(') && past_bracket(count, 0) == count.size()) {
        count = count.substr(1, count.size() - 2);
    }
    if (count.empty()) {
        return {};
    }
    const std::string factor = is_one_term(count) ? count : "(" + count + ")";
    bool same_count = true; // they were counted as elements, and only bytes are missing
    for (const TextRange& size : sizes) {
        const TextRange n = count_in(bare, size);
        const std::string space = bare[size.first] == ' ' ? " " : "";
        if (n.second == 0) {
            if (const std::string name = text_of(code, size); is_name(name)) {
                same_count = same_count && name == count;
                edits.push_back({size.first, size.second, space + factor + " * sizeof(*" + array + ")"});
            }
        } else if (const std::string said = text_of(code, n); said != factor && said != count) {
            const std::size_t begin = bare.find_first_not_of(kBlanks, n.first),
                              end = bare.find_last_not_of(kBlanks, n.second - 1) + 1;
            same_count = false;
            edits.push_back({begin, end, factor});
        }
    }
    return edits.empty() ? std::vector<Change>()
                         : std::vector<Change>{{same_count ? "as many bytes as its elements have"
                                                           : "as many elements as the host's array has",
                                                std::move(edits)}};
}

std::vector<Change> sizes_of_arrays(const Statements& code, std::uint32_t line) {
    std::vector<Change> found;
    for (const std::string_view name : {"cudaMemcpy", "cudaMalloc", "cudaMemset"}) {
        const auto wrong = call_in(code, line, name);
        if (!wrong) {
            continue;
        }
        const auto size_of = [](std::string_view function) { return function == "cudaMalloc" ? 1U : 2U; };
        const std::size_t place = size_of(name);
        if (wrong->words.size() <= place) {
            continue;
        }
        std::set<std::string> arrays;
        for (std::size_t k = 0; k < (name == "cudaMemcpy" ? 2U : 1U); ++k) {
            arrays.insert(variable_in(text_of(code, wrong->words[k])));
        }
        for (const std::string_view other : {"cudaMalloc", "cudaMemcpy", "cudaMemset"}) {
            for (const TextCall& call : calls_of(code, other)) {
                if (call.begin == wrong->begin || call.words.size() <= size_of(other)) {
                    continue;
                }
                bool same = arrays.contains(variable_in(text_of(code, call.words[0])));
                same = same || (other == "cudaMemcpy" && arrays.contains(variable_in(text_of(code, call.words[1]))));
                if (same) {
                    const auto [begin, end] = wrong->words[place];
                    found.push_back({"as many bytes as the array has",
                                     {{begin, end, " " + text_of(code, call.words[size_of(other)])}}});
                }
            }
        }
        return found;
    }
    return found;
}

} // namespace warptree::runs
