// Why a hardware count differs from the prediction: the reason, from the kernel's disassembly, and the resulting count.
//
// assets/counters/explanations.json; a row's "counted" is a recorded number, or a C expression of
//   n, grid, block, warps (of a block), log2_block, bytes (of an element), predicted (of the field itself), and the
//   predicted count of any other field by its name.
// If the count depends on the execution order, "at_least" and "at_most" bound it instead.
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

// A count computed from the figures of a launch. Empty: none is stated.
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
// A difference is explained by an explanation of its field that gives exactly the count, or bounds that contain it.
std::vector<Difference> differences(const Row& row, const std::vector<Explanation>& explanations);

// Faults of the explanations, in words: those that explain no difference in the rows, and those whose value differs
// from a row's count, even if that equals the prediction.
std::vector<std::string> stale(std::span<const Row> rows, const std::vector<Explanation>& explanations);

} // namespace warptree::counters
