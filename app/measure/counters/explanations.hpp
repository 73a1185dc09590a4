// Why a hardware count differs from the prediction: in words, by the kernel's disassembly, and the count that follows.
//
// assets/counters/explanations.json; a row's "counted" is a number that was recorded, or a formula as in C over
//   n, grid, block, warps (of a block), log2_block, bytes (of an element), predicted (of the field itself), and the
//   predicted count of any other field by its name.
// If it depends on the hardware's order, "at_least" and "at_most" bound it instead.
#pragma once

#include "app/base/expression.hpp"
#include "app/measure/counters/counters.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::counters {

// A count computed from the facts of a launch. Empty: none is stated.
class Formula {
  public:
    Formula() = default;
    // Throws OptionError.
    explicit Formula(std::string_view text);
    bool empty() const { return expression_.empty(); }
    // Throws NoValue.
    std::int64_t value(const Row& row, std::uint64_t predicted) const;

  private:
    IntegerExpression expression_;
};

struct Explanation {
    std::string strategy;
    std::string field;       // a name of compared_fields()
    std::string type;        // "f64", ...; empty: every type
    std::uint32_t block = 0; // 0: every block size
    Formula counted;         // or bounds:
    Formula at_least, at_most;
    std::string why;
};

// Throws FileError: "file: reason".
std::vector<Explanation> load_explanations(const std::filesystem::path& file);

struct Difference {
    std::string_view field;
    std::uint64_t predicted = 0, counted = 0;
    std::string why;    // empty: not explained
    std::string denied; // another value that an explanation of this field gives, as "1840" or "3 to 9"; else empty
};
// A difference is explained by an explanation of its field that gives exactly the count.
std::vector<Difference> differences(const Row& row, const std::vector<Explanation>& explanations);

// What is wrong with explanations, in words: those that explain no difference in the rows, and those whose value
// differs from a row's count, whether that differs from the prediction or not.
std::vector<std::string> stale(std::span<const Row> rows, const std::vector<Explanation>& explanations);

} // namespace warptree::counters
