#include "app/compile/lower/ptx.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <bit>

namespace warptree::compile::lowering::ptx {

bool Statement::has(llvm::StringRef word) const {
    for (const std::string& each : words)
        if (each == word) return true;
    return false;
}

std::optional<Type> type_of(llvm::StringRef word) {
    if (word == "pred") return Type{Type::Kind::predicate, 1};
    unsigned bits = 0;
    if (word.size() < 2 || word.substr(1).getAsInteger(10, bits)) return std::nullopt;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
    switch (word.front()) {
    case 'b': return Type{Type::Kind::bits, bits};
    case 's': return Type{Type::Kind::is_signed, bits};
    case 'u': return Type{Type::Kind::is_unsigned, bits};
    case 'f': return Type{Type::Kind::floating, bits};
    default: return std::nullopt;
    }
}

std::optional<Type> type_of(const Statement& statement) {
    for (auto word = statement.words.rbegin(); word != statement.words.rend(); ++word)
        if (const auto type = type_of(*word)) return type;
    return std::nullopt;
}

namespace {

class Parser {
  public:
    explicit Parser(llvm::StringRef text) : rest_(text) {}

    std::optional<std::vector<Statement>> run() {
        std::vector<Statement> statements;
        for (skip(); !rest_.empty() && good_; skip()) {
            if (take("{") || take("}") || take(";")) continue;
            statements.push_back(statement());
        }
        if (!good_) return std::nullopt;
        return statements;
    }

  private:
    void skip() {
        for (;;) {
            rest_ = rest_.ltrim();
            if (rest_.starts_with("//"))
                rest_ = rest_.drop_until([](char c) { return c == '\n'; });
            else if (rest_.starts_with("/*"))
                rest_ = rest_.split("*/").second;
            else
                return;
        }
    }
    bool take(llvm::StringRef what) {
        skip();
        return rest_.consume_front(what);
    }
    static bool in_word(char c) { return llvm::isAlnum(c) || c == '_' || c == '%' || c == '$' || c == '.' || c == ':'; }
    // A register or mnemonic. "shared::cta" has colons; a colon at the end marks a label, which is rejected.
    std::string word() {
        skip();
        const llvm::StringRef found = rest_.take_while(in_word);
        rest_ = rest_.drop_front(found.size());
        good_ &= !found.empty() && !found.ends_with(":");
        return found.str();
    }

    Statement statement() {
        Statement made;
        if (take("@")) {
            made.guard_negated = take("!");
            made.guard = word();
        }
        const std::string mnemonic = word();
        llvm::SmallVector<llvm::StringRef, 8> parts;
        llvm::StringRef(mnemonic).split(parts, '.', -1, false);
        for (const llvm::StringRef part : parts) made.words.push_back(part.str());
        if (mnemonic.starts_with(".")) made.words.front() = "." + made.words.front(); // .reg
        if (made.words.empty()) good_ = false;
        if (!good_) return made;
        skip();
        while (made.words.front() == ".reg" && rest_.starts_with(".")) { // ".reg .u64 a, b"
            made.words.push_back(word().substr(1));
            skip();
        }
        while (good_ && !rest_.empty() && !take(";")) {
            made.operands.push_back(operand());
            if (!take(",")) {
                good_ &= take(";") || rest_.empty() || rest_.starts_with("}");
                break;
            }
        }
        return made;
    }

    Operand operand() {
        Operand made;
        skip();
        if (take("[")) {
            made.kind = Operand::Kind::address;
            made.name = word();
            if (take("+")) made.number = take("-") ? ~number() + 1 : number();
            good_ &= take("]");
        } else if (take("{")) {
            made.kind = Operand::Kind::list;
            do made.names.push_back(word());
            while (good_ && take(","));
            good_ &= take("}");
        } else if (take("!")) {
            made.negated = true;
            made.name = word();
        } else if (take("-")) {
            made.kind = Operand::Kind::number;
            made.number = ~number() + 1;
        } else if (!rest_.empty() && llvm::isDigit(rest_.front())) {
            made.kind = Operand::Kind::number;
            made.number = number();
        } else {
            made.name = word();
            if (take("|")) made.second = word();
        }
        return made;
    }

    // 42, 0x1f, 7U, and the bits of a floating-point number: 0f3F800000, 0d..., 1.5
    std::uint64_t number() {
        std::string text = word();
        llvm::StringRef digits = text;
        std::uint64_t value = 0;
        if (digits.starts_with_insensitive("0f") || digits.starts_with_insensitive("0d")) {
            good_ &= !digits.drop_front(2).getAsInteger(16, value);
            return value;
        }
        digits.consume_back("U");
        if (digits.contains('.') && !digits.starts_with("0x")) {
            double number = 0;
            good_ &= !digits.getAsDouble(number);
            return std::bit_cast<std::uint64_t>(number);
        }
        good_ &= !digits.getAsInteger(0, value);
        return value;
    }

    llvm::StringRef rest_;
    bool good_ = true;
};

} // namespace

std::optional<std::vector<Statement>> parse(llvm::StringRef text) { return Parser(text).run(); }

} // namespace warptree::compile::lowering::ptx
