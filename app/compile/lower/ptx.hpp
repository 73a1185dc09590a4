// Parses inline assembly: PTX as written in asm() statements.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptree::compile::lowering::ptx {

// One operand as it is written. `$3` is the name of the statement's fourth operand in C++.
struct Operand {
    enum class Kind : std::uint8_t { name, number, address, list };
    Kind kind = Kind::name;
    std::string name;               // of a register; of an address: its base
    std::string second;             // a|b: b
    bool negated = false;           // !p
    std::uint64_t number = 0;       // its bits; of an address: the offset
    std::vector<std::string> names; // of a list
};

struct Statement {
    std::vector<std::string> words; // "ld", "global", "v4", "f32"
    std::vector<Operand> operands;
    std::string guard; // @p; empty: none
    bool guard_negated = false;

    bool has(llvm::StringRef word) const;
    llvm::StringRef op() const { return words.front(); }
    llvm::StringRef word(std::size_t i) const { return i < words.size() ? llvm::StringRef(words[i]) : ""; }
};

// u32, f64, b16, pred.
struct Type {
    enum class Kind : std::uint8_t { bits, is_signed, is_unsigned, floating, predicate };
    Kind kind = Kind::bits;
    unsigned bits = 32;
    bool floating() const { return kind == Kind::floating; }
    bool is_signed() const { return kind == Kind::is_signed; }
    std::uint8_t rows() const { return bits > 32 ? 2 : 1; }
};
std::optional<Type> type_of(llvm::StringRef word);
// The last word of a statement that is a type.
std::optional<Type> type_of(const Statement& statement);

// nullopt if the text is not a sequence of plain statements: labels and branches are not parsed. A declaration of
// registers becomes a statement ".reg" with the type in `words` and the names as operands.
std::optional<std::vector<Statement>> parse(llvm::StringRef text);

} // namespace warptree::compile::lowering::ptx
