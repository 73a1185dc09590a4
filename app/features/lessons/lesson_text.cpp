#include "app/features/lessons/lesson_text.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <utility>

namespace warptree::session {

LessonText::LessonText(std::string_view text, const LessonExpression::Scope& scope) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{') {
            plain += text[i];
            continue;
        }
        if (i + 1 < text.size() && text[i + 1] == '{') {
            plain += '{';
            ++i;
            continue;
        }
        const std::size_t end = text.find('}', i);
        if (end == std::string_view::npos) {
            throw OptionError(
                fmt::format("'{}' has no closing brace; write {{{{ for a brace itself", printable(text.substr(i, 24))));
        }
        std::string_view inside = text.substr(i + 1, end - i - 1);
        Piece piece;
        piece.text = std::exchange(plain, {});
        piece.condition = inside.starts_with("if ");
        inside.remove_prefix(piece.condition ? 3 : 0);
        // "||" is the operator; a single bar ends the expression.
        std::size_t bar = inside.find('|');
        while (bar != std::string_view::npos && bar + 1 < inside.size() && inside[bar + 1] == '|') {
            bar = inside.find('|', bar + 2);
        }
        piece.value = LessonExpression(inside.substr(0, bar), scope);
        if (bar != std::string_view::npos) {
            const std::string_view words = inside.substr(bar + 1);
            const std::size_t second = words.find('|');
            if (second == std::string_view::npos) {
                throw OptionError(fmt::format("'{}' needs two texts, as in {{E|warp|warps}}", printable(inside)));
            }
            piece.counted = !piece.condition;
            piece.one = words.substr(0, second);
            piece.many = words.substr(second + 1);
        } else if (piece.condition) {
            throw OptionError(fmt::format("'if {}' needs two texts, as in {{if E|this|that}}", printable(inside)));
        }
        pieces_.push_back(std::move(piece));
        i = end;
    }
    if (!plain.empty()) {
        pieces_.push_back({plain, {}, false, false, {}, {}});
    }
}

std::string LessonText::filled(const LessonFacts& facts) const {
    std::string out;
    for (const Piece& piece : pieces_) {
        out += piece.text;
        if (piece.value.empty()) {
            continue;
        }
        const std::int64_t v = piece.value.value(facts);
        if (piece.condition) {
            out += v != 0 ? piece.one : piece.many;
            continue;
        }
        out += v < 0 ? "−" + scene::grouped(0 - static_cast<std::uint64_t>(v))
                     : scene::grouped(static_cast<std::uint64_t>(v));
        if (piece.counted) {
            out += " " + (v == 1 ? piece.one : piece.many);
        }
    }
    return out;
}

} // namespace warptree::session
