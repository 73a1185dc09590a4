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
inline constexpr std::array<std::string_view, 29> kExpectations{"sum",
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
                                                                "argmax",
                                                                "argmin",
                                                                "mean",
                                                                "variance",
                                                                "sample-variance",
                                                                "mean-and-variance",
                                                                "softmax",
                                                                "layer-norm",
                                                                "histogram",
                                                                "compact",
                                                                "compact-positive",
                                                                "top-k",
                                                                "sorted",
                                                                "sorted-descending",
                                                                "row-sums",
                                                                "matrix-product",
                                                                "none"};
// "sum, product, … or none".
std::string expectation_list();
// What is meant by words that a course may use, as "inclusive scan", "Prefix Sum" or "maximum": the name of it; others as they are.
std::string expectation_name(std::string_view words);
// With what a result that was recognised can be compared: "argmax" for "the index of the largest element of x"; empty: with nothing
// that has a name.
std::string expectation_for(std::string_view recognised);
// Whether a result can be compared with what is called so.
bool is_expectation(std::string_view name);

// sum, product, min, max, xor, sum-of-squares: of the first input, in the first element or as partial results that the
// host combines; dot: of two inputs; scan, exclusive-scan: of the whole input; block-scan, exclusive-block-scan: of
// each block's tile; segments: one output each; matrix-product: of two inputs, row-major; none: nothing is checked.
// argmax, argmin: the index, any of several equal ones; variance: mean squared distance from the mean; sample-variance: n - 1
// in place of n; mean-and-variance: in two elements; softmax, layer-norm: of all, or of rows: softmax(columns);
// histogram: the output's element k counts the input's elements k; compact: the elements that are not 0, in order;
// compact-positive: those above 0; top-k: the greatest, as many as the output has elements, descending; sorted,
// sorted-descending: all of them in order; row-sums: of the first input, whose rows begin where the second says.
struct Expected {
    enum class Kind : std::uint8_t { none, total, dot, scan, segments, matrix, list };
    enum class List : std::uint8_t {
        none,
        argmax,
        argmin,
        mean,
        variance,
        sample_variance,
        mean_and_variance,
        softmax,
        layer_norm,
        histogram,
        compact,
        compact_positive,
        top_k,
        sorted,
        sorted_descending,
        row_sums,
        kernel, // what another kernel of the file stores: "kernel NAME"
        file    // what a file has: "file PATH"
    };
    Kind kind = Kind::none;
    Operator op = Operator::sum;
    bool exclusive = false, by_block = false;
    std::optional<std::uint64_t> tile = std::nullopt; // elements of a block's tile, if the header states it
    std::vector<std::uint64_t> shape = {}; // matrix: rows, length of a dot product, columns; list: columns, or nothing
    List list = List::none;
    std::string source = {};                   // kernel, file: its name
    std::vector<std::uint64_t> reference = {}; // kernel, file: the elements, of the output's type
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
