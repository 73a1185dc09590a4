#include "app/run/judge/expectation.hpp"

#include "app/base/error.hpp"
#include "app/base/operators.hpp"
#include "app/base/printable.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/judge/listed_expectation.hpp"
#include "app/theory/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <utility>

namespace warptree::runs {

namespace {
// Whether numbers of a type are summed as elements of another: integers in any number, halves in floats.
bool converts(ValueType from, ElementType to) {
    return element_of(from) == to ||
           (from != ValueType::none && from != ValueType::pointer && (is_floating(to) || !is_floating(from)));
}

// `numbers` as elements of a type that they convert to.
Elements elements(const Numbers& numbers, ElementType type, std::uint64_t first, std::uint64_t count) {
    Elements e{type, {}};
    const std::uint64_t from = std::min<std::uint64_t>(first, numbers.size());
    e.resize(std::min<std::uint64_t>(count, numbers.size() - from));
    const bool same = element_of(numbers.type) == type;
    for (std::size_t i = 0; i < e.size(); ++i) {
        const std::uint64_t bits = numbers.bits[from + i];
        e.set_bits(i, same ? bits : visit_element(type, [&](auto t) {
                       using T = decltype(t);
                       return Scalar::of(static_cast<T>(as_number(numbers.type, bits))).bits;
                   }));
    }
    return e;
}

std::uint64_t combined(ElementType type, Operator op, std::uint64_t a, std::uint64_t b) {
    return visit_element(type, [&](auto t) {
        using T = decltype(t);
        return Scalar::of(apply(op, Scalar{type, a}.as<T>(), Scalar{type, b}.as<T>())).bits;
    });
}

// Combines neighbours in pairs, as the host does.
std::uint64_t folded(ElementType type, Operator op, std::vector<std::uint64_t> row) {
    while (row.size() > 1) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
            row[kept++] = combined(type, op, row[i], row[i + 1]);
        }
        if (row.size() % 2 == 1) {
            row[kept++] = row.back();
        }
        row.resize(kept);
    }
    return row.empty() ? 0 : row.front();
}

class Judge {
  public:
    Judge(Verdict& verdict, ElementType type) : verdict_(verdict), type_(type) {}
    void hold(std::uint64_t i, std::uint64_t got, const Reference& want) {
        double error = 0;
        const bool good = agrees({type_, got}, want, error);
        if (verdict_.pass) {
            verdict_.result = got;
            verdict_.reference = want.value.bits;
            verdict_.tolerance = want.tolerance;
            verdict_.error = !good ? error : std::max(error, verdict_.error);
        }
        if (!good && verdict_.pass) {
            verdict_.pass = false;
            verdict_.first_wrong = i;
        }
    }

  private:
    Verdict& verdict_;
    ElementType type_;
};
} // namespace

std::optional<ElementType> element_of(ValueType type) {
    switch (type) {
    case ValueType::i32: return ElementType::i32;
    case ValueType::u32: return ElementType::u32;
    case ValueType::i64:
    case ValueType::u64: return ElementType::i64;
    case ValueType::f32: return ElementType::f32;
    case ValueType::f64: return ElementType::f64;
    default: return std::nullopt;
    }
}

std::string expectation_list() {
    return fmt::format("{}, \"kernel NAME\" of the same file or {}",
                       fmt::join(kExpectations.begin(), kExpectations.end() - 1, ", "), kExpectations.back());
}

std::string expectation_name(std::string_view words) {
    if (words.starts_with("kernel ") || words.starts_with("file ") || words.find('(') != std::string_view::npos) {
        return std::string(words);
    }
    std::string name;
    for (const unsigned char c : words) {
        name += c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(c));
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kCalled{{
        {"inclusive-scan", "scan"},
        {"prefix-sum", "scan"},
        {"prefix-sums", "scan"},
        {"inclusive-prefix-sum", "scan"},
        {"cumsum", "scan"},
        {"exclusive-prefix-sum", "exclusive-scan"},
        {"prescan", "exclusive-scan"},
        {"maximum", "max"},
        {"minimum", "min"},
        {"add", "sum"},
        {"total", "sum"},
        {"average", "mean"},
        {"dot-product", "dot"},
        {"matmul", "matrix-product"},
        {"gemm", "matrix-product"},
        {"matrix-multiplication", "matrix-product"},
        {"sort", "sorted"},
        {"ascending", "sorted"},
        {"descending", "sorted-descending"},
    }};
    const auto called = std::ranges::find(kCalled, name, &std::pair<std::string_view, std::string_view>::first);
    const std::string known = called == kCalled.end() ? name : std::string(called->second);
    return is_expectation(known) ? known : std::string(words);
}

std::string expectation_for(std::string_view recognised) {
    struct Known {
        std::string_view begin, name;
    };
    constexpr std::array kKnown{Known{"the index of the largest ", "argmax"},
                                Known{"the index of the smallest ", "argmin"},
                                Known{"the dot product of ", "dot"},
                                Known{"the sum-of-squares of ", "sum-of-squares"},
                                Known{"the sum of each row of ", "row-sums"},
                                Known{"the sum of each ", ""},
                                Known{"the sum of the ", ""}, // magnitudes, differences
                                Known{"the mean of each ", ""},
                                Known{"the mean of ", "mean"},
                                Known{"the variance of ", "variance"},
                                Known{"the sample variance of ", "sample-variance"},
                                Known{"the softmax of ", "softmax"},
                                Known{"the inclusive scan of ", "scan"},
                                Known{"the exclusive scan of ", "exclusive-scan"},
                                Known{"the sum of ", "sum"},
                                Known{"the product of ", "product"},
                                Known{"the min of ", "min"},
                                Known{"the max of ", "max"},
                                Known{"the xor of ", "xor"}};
    if (recognised.ends_with(" in ascending order")) {
        return "sorted";
    }
    const auto known = std::ranges::find_if(kKnown, [&](const Known& k) { return recognised.starts_with(k.begin); });
    if (known == kKnown.end()) {
        return {};
    }
    const bool of_blocks = recognised.ends_with("block by block");
    return !of_blocks                        ? std::string(known->name)
           : known->name == "scan"           ? "block-scan"
           : known->name == "exclusive-scan" ? "exclusive-block-scan"
                                             : std::string(known->name);
}

bool is_expectation(std::string_view name) {
    constexpr std::string_view kShaped = "(";
    const std::string_view plain = name.substr(0, name.find(kShaped));
    return name.empty() || name.starts_with("kernel ") || name.starts_with("file ") ||
           std::ranges::find(kExpectations, plain) != kExpectations.end();
}

Expected expected_from(std::string_view text, std::optional<Operator> op) {
    using Kind = Expected::Kind;
    if (text.empty() || text == "none") {
        return {};
    }
    const Operator chosen = op.value_or(Operator::sum);
    if (text == "scan" || text == "exclusive-scan" || text == "block-scan" || text == "exclusive-block-scan") {
        return {Kind::scan, chosen, text.starts_with("exclusive"), text.find("block") != std::string_view::npos};
    }
    if (text == "dot") {
        return {Kind::dot};
    }
    if (text == "matrix-product") {
        return {Kind::matrix};
    }
    if (text == "segments") {
        return {Kind::segments, chosen};
    }
    for (const auto& [word, list] :
         {std::pair("kernel ", Expected::List::kernel), std::pair("file ", Expected::List::file)}) {
        if (text.starts_with(word)) {
            Expected expected{Kind::list};
            expected.list = list;
            expected.source = text.substr(std::string_view(word).size());
            return expected;
        }
    }
    if (const auto list = list_from(text)) {
        Expected expected{Kind::list};
        expected.list = *list;
        return expected;
    }
    if (const auto named = operator_from(text)) {
        return {Kind::total, op && *named == Operator::sum ? chosen : *named};
    }
    throw OptionError(
        fmt::format("'{}' is not known as an expected result; take {}", printable(text), expectation_list()));
}

Verdict judge(const Expected& expected, const std::vector<Numbers>& inputs, const Numbers& output, std::uint64_t n,
              std::uint64_t block, std::uint64_t blocks, std::uint64_t depth) {
    using Kind = Expected::Kind;
    if (expected.kind == Kind::list) {
        return judge_list(expected, inputs, output, n, depth);
    }
    Verdict v;
    const auto type = element_of(output.type);
    if (!type || inputs.empty() || !converts(inputs.front().type, *type) ||
        ((expected.kind == Kind::dot || expected.kind == Kind::matrix) && inputs.size() < 2)) {
        throw OptionError(fmt::format("the expected result does not fit this kernel's arrays: {}; take --expect none",
                                      output.type == ValueType::none ? "it stores no numbers"
                                      : !type ? fmt::format("results of type {} have no reference", name(output.type))
                                      : inputs.empty()    ? "it has no input"
                                      : inputs.size() < 2 ? "a product has two inputs"
                                                          : fmt::format("its input is {}, its output {}",
                                                                        name(inputs.front().type), name(output.type))));
    }
    Judge judge(v, *type);
    const Elements input = elements(inputs.front(), *type, 0, n);
    if (output.size() == 0) {
        v.pass = false;
        return v;
    }
    switch (expected.kind) {
    case Kind::none:
    case Kind::list: break;
    case Kind::total:
    case Kind::dot: {
        // One partial result per block, or a single result.
        std::vector<std::uint64_t> partials(output.bits.begin(),
                                            output.bits.begin() + static_cast<std::ptrdiff_t>(output.size()));
        v.host_combines = partials.size() - 1;
        const Operator op = expected.kind == Kind::dot                ? Operator::sum
                            : expected.op == Operator::sum_of_squares ? Operator::sum
                                                                      : expected.op;
        const std::uint64_t total = depth + static_cast<std::uint64_t>(std::bit_width(partials.size() - 1));
        const std::uint64_t first = partials.front(), result = folded(*type, op, std::move(partials));
        const Reference want = expected.kind == Kind::dot
                                   ? dot_reference(input, elements(inputs[1], *type, 0, n), total)
                                   : reference(input, expected.op, total);
        double error = 0;
        // The least or greatest of all stays that beside what was combined into it.
        const bool may_be_scratch = op != Operator::min && op != Operator::max;
        if (v.host_combines != 0 && may_be_scratch && !agrees({*type, result}, want, error) &&
            agrees({*type, first}, want, error)) {
            v.host_combines = 0; // a block has combined them all; the rest of the array is scratch
            judge.hold(0, first, want);
        } else {
            judge.hold(0, result, want);
        }
        v.first_wrong.reset();
        break;
    }
    case Kind::scan: {
        const std::uint64_t tile =
            expected.by_block ? std::max<std::uint64_t>(1, (n + blocks - 1) / blocks) : std::max<std::uint64_t>(n, 1);
        // A block's tile: one element per thread, or more if the grid requires it.
        const std::uint64_t part = !expected.by_block ? tile : expected.tile.value_or(std::max(tile, block));
        scan_references(input, expected.op, part, expected.exclusive, depth,
                        [&](std::uint64_t i, const Reference& want) {
                            if (i < output.size()) {
                                judge.hold(i, output.bits[i], want);
                            }
                        });
        if (output.size() < input.size()) {
            v.pass = false;
            v.first_wrong = v.first_wrong.value_or(output.size());
        }
        break;
    }
    case Kind::matrix: {
        if (expected.shape.size() != 3) {
            throw OptionError("write a matrix product as matrix-product(rows, inner, columns)");
        }
        const std::uint64_t rows = expected.shape[0], inner = expected.shape[1], columns = expected.shape[2];
        Numbers column{inputs[1].type, std::vector<std::uint64_t>(inner)};
        for (std::uint64_t c = 0; c < columns; ++c) {
            for (std::uint64_t k = 0; k < inner && k * columns + c < inputs[1].size(); ++k) {
                column.bits[k] = inputs[1].bits[k * columns + c];
            }
            const Elements b = elements(column, *type, 0, inner);
            for (std::uint64_t r = 0; r < rows; ++r) {
                const std::uint64_t i = r * columns + c;
                if (i < output.size()) {
                    judge.hold(i, output.bits[i],
                               dot_reference(elements(inputs.front(), *type, r * inner, inner), b, depth));
                }
            }
        }
        if (output.size() < rows * columns) {
            v.pass = false;
            v.first_wrong = v.first_wrong.value_or(output.size());
        }
        break;
    }
    case Kind::segments: {
        const std::uint64_t count = output.size(), length = (input.size() + count - 1) / count;
        for (std::uint64_t i = 0; i < count; ++i) {
            judge.hold(
                i, output.bits[i],
                reference(elements(inputs.front(), *type, i * length, std::min(length, n - std::min(n, i * length))),
                          expected.op, depth));
        }
        break;
    }
    }
    return v;
}

} // namespace warptree::runs
