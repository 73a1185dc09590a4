#include "app/run/choice/element_use.hpp"

#include "app/base/identifier.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <cctype>
#include <string>

namespace warptree::runs {

namespace {
std::size_t last_before(const std::string& bare, std::size_t at) {
    return at == 0 ? std::string::npos : bare.find_last_not_of(" \t\n", at - 1);
}

// a - b; not a - 2 * b, as of a stencil, nor a->b.
bool is_subtracted(const std::string& bare, std::size_t begin, std::size_t end) {
    const std::size_t minus = bare.find_first_not_of(" \t\n", end);
    if (minus != std::string::npos && bare[minus] == '-') {
        const std::size_t right = bare.find_first_not_of(" \t\n", minus + 1);
        if (right != std::string::npos && in_identifier(bare[right]) &&
            std::isdigit(static_cast<unsigned char>(bare[right])) == 0) {
            return true;
        }
    }
    const std::size_t before = last_before(bare, begin);
    if (before == std::string::npos || bare[before] != '-') {
        return false;
    }
    const std::size_t left = last_before(bare, before);
    return left != std::string::npos && (in_identifier(bare[left]) || bare[left] == ']');
}

bool is_part_of_place(const Statements& code, std::size_t begin, std::size_t end) {
    const Statement* const s = code.innermost(begin);
    if (s == nullptr) {
        return false;
    }
    int open = 0;
    for (std::size_t at = s->begin; at < begin; ++at) {
        open += code.bare()[at] == '[' ? 1 : code.bare()[at] == ']' ? -1 : 0;
    }
    return open > 0 || (s->kind == Statement::Kind::loop && begin < s->condition_end) ||
           is_subtracted(code.bare(), begin, end);
}
} // namespace

bool is_offset(const Statements& code, std::size_t begin, std::size_t end) {
    if (is_part_of_place(code, begin, end)) {
        return true;
    }
    const std::string& bare = code.bare();
    const Statement* const s = code.innermost(begin);
    const std::size_t equals = last_before(bare, begin);
    if (s == nullptr || equals == std::string::npos || equals <= s->begin || bare[equals] != '=') {
        return false;
    }
    const std::size_t last = last_before(bare, equals);
    std::size_t first = last + 1;
    while (first > s->begin && in_identifier(bare[first - 1])) {
        --first;
    }
    const std::string name = bare.substr(first, last + 1 - first);
    const std::size_t body_end = code.around(begin).front()->end;
    for (std::size_t at = name.empty() ? std::string::npos : find_word(bare, name, end, body_end);
         at != std::string::npos; at = find_word(bare, name, at + 1, body_end)) {
        if (is_part_of_place(code, at, at + name.size())) {
            return true;
        }
    }
    return false;
}

} // namespace warptree::runs
