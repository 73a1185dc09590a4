// What a kernel's outputs are compared with.
#pragma once

#include "app/base/options.hpp"
#include "app/base/value_type.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

// nullopt: not an element type. 64-bit unsigned numbers are treated as signed ones with the same bits.
std::optional<ElementType> element_of(ValueType type);

// Values of an array as numbers of an element type.
struct Numbers {
    ValueType type = ValueType::none;
    std::vector<std::uint64_t> bits;
    std::size_t size() const { return bits.size(); }
};

// What a result can be compared with, by name; matrix-product has its sides behind it: "matrix-product(m, k, n)".
inline constexpr std::array<std::string_view, 14> kExpectations{"sum",
                                                                "product",
                                                                "min",
                                                                "max",
                                                                "xor",
                                                                "sum-of-squares",
                                                                "dot",
                                                                "scan",
                                                                "exclusive-scan",
                                                                "block-scan",
                                                                "exclusive-block-scan",
                                                                "segments",
                                                                "matrix-product",
                                                                "none"};
// "sum, product, … or none".
std::string expectation_list();

// sum, product, min, max, xor, sum-of-squares: of the first input, in the first element or as partial results that the
// host combines; dot: of two inputs; scan, exclusive-scan: of the whole input; block-scan, exclusive-block-scan: of
// each block's tile; segments: one output each; matrix-product: of two inputs, row-major; none: nothing is checked.
struct Expected {
    enum class Kind : std::uint8_t { none, total, dot, scan, segments, matrix };
    Kind kind = Kind::none;
    Operator op = Operator::sum;
    bool exclusive = false, by_block = false;
    std::optional<std::uint64_t> tile = std::nullopt; // elements of a block's tile, if the header states it
    std::vector<std::uint64_t> shape = {};            // matrix: rows, length of a dot product, columns
};
// Throws OptionError that names the choices. `op`: the chosen operator, for a kernel that takes one.
Expected expected_from(std::string_view text, std::optional<Operator> op);

struct Verdict {
    bool pass = true;
    std::uint64_t result = 0, reference = 0; // bits of the first wrong element, else of the last
    double error = 0, tolerance = 0;
    std::optional<std::uint64_t> first_wrong;
    std::uint64_t host_combines = 0; // partial results combined
};

// output: only the elements that are results. depth: applications of the operator on the longest path.
Verdict judge(const Expected& expected, const std::vector<Numbers>& inputs, const Numbers& output, std::uint64_t n,
              std::uint64_t block, std::uint64_t blocks, std::uint64_t depth);

} // namespace warptree::runs
