#include "app/run/judge/listed_expectation.hpp"

#include "app/base/error.hpp"
#include "app/run/array_fill.hpp"
#include "app/theory/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace warptree::runs {

namespace {
using List = Expected::List;
using Reals = std::vector<long double>;

constexpr long double kEpsilon = 1e-5L; // added to the variance of layer-norm, as libraries do by default

constexpr std::array<std::pair<std::string_view, List>, 15> kLists{{{"argmax", List::argmax},
                                                                    {"argmin", List::argmin},
                                                                    {"mean", List::mean},
                                                                    {"variance", List::variance},
                                                                    {"sample-variance", List::sample_variance},
                                                                    {"mean-and-variance", List::mean_and_variance},
                                                                    {"softmax", List::softmax},
                                                                    {"layer-norm", List::layer_norm},
                                                                    {"histogram", List::histogram},
                                                                    {"compact", List::compact},
                                                                    {"compact-positive", List::compact_positive},
                                                                    {"top-k", List::top_k},
                                                                    {"sorted", List::sorted},
                                                                    {"sorted-descending", List::sorted_descending},
                                                                    {"row-sums", List::row_sums}}};

// A wanted element: its value, and what its rounding errors scale with.
struct Want {
    long double value = 0, scale = 0;
};
using Wants = std::vector<Want>;

Reals reals(const Numbers& numbers, std::uint64_t count) {
    Reals row;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, numbers.size()); ++i) {
        row.push_back(static_cast<long double>(as_number(numbers.type, numbers.bits[i])));
    }
    return row;
}

struct Moments {
    long double mean = 0, square = 0, scale = 0, largest = 0; // square: mean squared distance; scale: mean magnitude
};
Moments moments(const long double* x, std::size_t count) {
    Moments m;
    for (std::size_t i = 0; i < count; ++i) {
        m.mean += x[i] / static_cast<long double>(count);
        m.scale += std::fabs(x[i]) / static_cast<long double>(count);
        m.largest = std::max(m.largest, std::fabs(x[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
        m.square += (x[i] - m.mean) * (x[i] - m.mean) / static_cast<long double>(count);
    }
    return m;
}
Want variance(const Moments& m, long double factor) {
    return {m.square * factor, (m.square + m.largest * std::sqrt(m.square)) * factor};
}

void softmax(const long double* x, std::size_t count, Wants& to) {
    const long double most = *std::max_element(x, x + count);
    long double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += std::exp(x[i] - most);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const long double y = std::exp(x[i] - most) / sum;
        to.push_back({y, y * (1 + most - x[i]) + std::numeric_limits<float>::min()});
    }
}

void layer_norm(const long double* x, std::size_t count, Wants& to) {
    const Moments m = moments(x, count);
    const long double by = 1 / std::sqrt(m.square + kEpsilon);
    for (std::size_t i = 0; i < count; ++i) {
        const long double y = (x[i] - m.mean) * by;
        to.push_back({y, 1 + std::fabs(y) + m.largest * by});
    }
}

Wants histogram(const Reals& x, std::size_t bins) {
    Wants counts(bins);
    for (const long double value : x) {
        if (value >= 0 && value < static_cast<long double>(bins)) {
            counts[static_cast<std::size_t>(value)].value += 1;
        }
    }
    return counts;
}

Wants wanted(const Expected& e, const Reals& x, const Numbers* offsets, std::uint64_t results) {
    Wants all;
    const std::size_t n = x.size();
    switch (e.list) {
    case List::argmax:
    case List::argmin: {
        const auto at =
            e.list == List::argmax ? std::max_element(x.begin(), x.end()) : std::min_element(x.begin(), x.end());
        return {{static_cast<long double>(at - x.begin())}};
    }
    case List::mean: {
        const Moments m = moments(x.data(), n);
        return {{m.mean, m.scale}};
    }
    case List::variance: return {variance(moments(x.data(), n), 1)};
    case List::sample_variance: {
        const auto count = static_cast<long double>(n);
        return {variance(moments(x.data(), n), count / (count - 1))};
    }
    case List::mean_and_variance: {
        const Moments m = moments(x.data(), n);
        return {{m.mean, m.scale}, variance(m, 1)};
    }
    case List::softmax:
    case List::layer_norm: {
        const std::size_t columns = e.shape.empty() ? n : static_cast<std::size_t>(e.shape.front());
        for (std::size_t first = 0; first < n; first += columns) {
            (e.list == List::softmax ? softmax : layer_norm)(x.data() + first, std::min(columns, n - first), all);
        }
        return all;
    }
    case List::histogram: return histogram(x, results);
    case List::compact:
    case List::compact_positive:
        for (const long double value : x) {
            if (e.list == List::compact ? value != 0 : value > 0) {
                all.push_back({value});
            }
        }
        return all;
    case List::top_k: {
        Reals sorted = x;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        for (std::size_t i = 0; i < std::min<std::uint64_t>(n, results); ++i) {
            all.push_back({sorted[i]});
        }
        return all;
    }
    case List::sorted:
    case List::sorted_descending: {
        Reals sorted = x;
        std::sort(sorted.begin(), sorted.end());
        if (e.list == List::sorted_descending) {
            std::reverse(sorted.begin(), sorted.end());
        }
        for (const long double value : sorted) {
            all.push_back({value});
        }
        return all;
    }
    case List::row_sums:
        for (std::size_t row = 0; row + 1 < offsets->size(); ++row) {
            const double from = as_number(offsets->type, offsets->bits[row]),
                         to = as_number(offsets->type, offsets->bits[row + 1]);
            if (!(from >= 0) || !(to >= from) || !(to <= static_cast<double>(n))) {
                throw OptionError(fmt::format("row-sums: row {} is from {} to {}, of {} elements; the second input has "
                                              "where each row begins, ascending, and where the last one ends",
                                              row, from, to, n));
            }
            Want sum;
            for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
                sum.value += x[i];
                sum.scale += std::fabs(x[i]);
            }
            all.push_back(sum);
        }
        return all;
    case List::kernel:
    case List::file:
    case List::none: break;
    }
    return all;
}

// What was computed elsewhere; its rounding errors scale with the elements of the input, too.
Wants listed(const std::vector<std::uint64_t>& reference, ValueType type, const Reals& x) {
    const long double scale = x.empty() ? 0 : moments(x.data(), x.size()).scale;
    Wants all;
    for (const std::uint64_t bits : reference) {
        const auto value = static_cast<long double>(as_number(type, bits));
        all.push_back({value, std::max(std::fabs(value), scale)});
    }
    return all;
}

bool is_index(List list) { return list == List::argmax || list == List::argmin; }
// Whether the output may have more elements than the list, as the arrays of compactions do.
bool may_go_on(List list) { return list == List::compact || list == List::compact_positive; }
} // namespace

std::optional<Expected::List> list_from(std::string_view name) {
    const auto* const at =
        std::find_if(kLists.begin(), kLists.end(), [&](const auto& entry) { return entry.first == name; });
    return at == kLists.end() ? std::nullopt : std::optional(at->second);
}

Verdict judge_list(const Expected& expected, const std::vector<Numbers>& inputs, const Numbers& output, std::uint64_t n,
                   std::uint64_t depth) {
    const std::optional<ElementType> type = element_of(output.type);
    const bool by_offsets = expected.list == List::row_sums;
    if (!type || (inputs.empty() && expected.reference.empty()) || (by_offsets && inputs.size() < 2)) {
        throw OptionError(fmt::format("the expected result does not fit this kernel's arrays: {}; take --expect none",
                                      !type            ? "it stores no numbers that have a reference"
                                      : inputs.empty() ? "it has no input"
                                                       : "row-sums takes the elements and the rows' beginnings"));
    }
    const Reals x = inputs.empty() ? Reals() : reals(inputs.front(), by_offsets ? inputs.front().size() : n);
    Verdict v;
    if (output.size() == 0 || (x.empty() && expected.reference.empty())) {
        v.pass = false;
        return v;
    }
    const bool given = expected.list == List::kernel || expected.list == List::file;
    if (given && expected.reference.empty()) {
        throw OptionError(
            fmt::format("the expected result is that of {}, which only the interpreter compares with; take "
                        "--expect none, or --backend cpu",
                        expected.source));
    }
    Wants list = given ? listed(expected.reference, output.type, x)
                       : wanted(expected, x, by_offsets ? &inputs[1] : nullptr, output.size());
    for (std::size_t i = 0; i < list.size() && v.pass; ++i) {
        visit_element(*type, [&](auto t) {
            using T = decltype(t);
            Want& want = list[i];
            if (i >= output.size()) {
                v.pass = false;
                v.first_wrong = i;
                v.result = 0;
                v.reference = Scalar::of(static_cast<T>(want.value)).bits;
                return;
            }
            const auto got = Scalar{*type, output.bits[i]}.template as<T>();
            if (is_index(expected.list)) { // any of several equal ones
                const auto at = static_cast<long double>(got);
                const bool inside = at >= 0 && at < static_cast<long double>(x.size());
                const auto place = inside ? static_cast<std::size_t>(at) : x.size();
                want.value = inside && x[place] == x[static_cast<std::size_t>(want.value)] ? at : want.value;
            }
            Reference reference{Scalar::of(static_cast<T>(want.value))};
            if constexpr (std::is_floating_point_v<T>) {
                const long double unit = std::numeric_limits<T>::epsilon() / 2;
                // Each of the operations on the longest path rounds once; functions by a few units.
                reference.tolerance = static_cast<double>(
                    want.scale * unit * (16 + static_cast<long double>(depth) + 2 * std::sqrt((long double)(n))));
            }
            double error = 0;
            const bool good = agrees({*type, output.bits[i]}, reference, error);
            v.result = output.bits[i];
            v.reference = reference.value.bits;
            v.tolerance = reference.tolerance;
            v.error = good ? std::max(error, v.error) : error;
            if (!good) {
                v.pass = false;
                v.first_wrong = i;
            }
        });
    }
    if (v.pass && list.empty()) {
        v.pass = may_go_on(expected.list);
    }
    return v;
}

} // namespace warptree::runs
