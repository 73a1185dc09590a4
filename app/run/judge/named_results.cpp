#include "app/run/judge/named_results.hpp"

#include "app/run/array_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace warptree::runs {

namespace {
using Row = std::vector<Wanted>;
using Input = Observed::Input;

constexpr std::uint64_t kMostOperations = 1U << 24; // for the reference of one form

Wanted whole(std::uint64_t value) {
    return {value, static_cast<long double>(value), static_cast<long double>(value), true};
}
Wanted real(long double value, long double scale) { return {0, value, scale, false}; }

Wanted plus(const Wanted& a, const Wanted& b) {
    return {a.bits + b.bits, a.real + b.real, a.scale + b.scale, a.whole && b.whole};
}
Wanted minus(const Wanted& a, const Wanted& b) {
    return {a.bits - b.bits, a.real - b.real, a.scale + b.scale, a.whole && b.whole};
}
Wanted times(const Wanted& a, const Wanted& b) {
    return {a.bits * b.bits, a.real * b.real, a.scale * b.scale, a.whole && b.whole};
}

} // namespace

Wanted element(const Numbers& numbers, std::uint64_t i) {
    Wanted w;
    w.real = static_cast<long double>(as_number(numbers.type, numbers.bits[i]));
    w.whole = !is_floating(numbers.type);
    if (numbers.type == ValueType::u64) {
        w.real = static_cast<long double>(numbers.bits[i]);
    } else if (numbers.type == ValueType::i64) {
        w.real = static_cast<long double>(static_cast<std::int64_t>(numbers.bits[i]));
    }
    w.bits = !w.whole                             ? 0
             : w.real < 0                         ? static_cast<std::uint64_t>(static_cast<std::int64_t>(w.real))
             : numbers.type == ValueType::boolean ? numbers.bits[i] & 1
                                                  : static_cast<std::uint64_t>(w.real);
    w.scale = std::fabs(w.real);
    return w;
}

Wanted applied(Operator op, Wanted all, const Wanted& x) {
    switch (op) {
    case Operator::sum:
    case Operator::sum_of_squares: return plus(all, x);
    case Operator::product: return times(all, x);
    case Operator::min: return x.real < all.real ? x : all;
    case Operator::max: return x.real > all.real ? x : all;
    case Operator::xor_: break;
    }
    all.bits ^= x.bits;
    all.real = static_cast<long double>(static_cast<std::int64_t>(all.bits));
    return all;
}

namespace {
// The applications of an operator to all elements; `map` changes each first.
template <class Map> Wanted folded(Operator op, const Numbers& numbers, std::uint64_t count, Map&& map) {
    Wanted all = map(element(numbers, 0));
    for (std::uint64_t i = 1; i < count; ++i) {
        all = applied(op, all, map(element(numbers, i)));
    }
    return all;
}

class Finder {
  public:
    explicit Finder(const Observed& run) : run_(run) {}

    std::vector<Form> all() {
        const auto has_rows = [&](std::size_t a) { return run_.inputs[a].used >= 2 * run_.n; };
        for (std::size_t a = 0; a < run_.inputs.size(); ++a) {
            if (has_rows(a)) { // of which a block's sum is no part of a larger one
                rows(a);
            }
        }
        for (std::size_t a = 0; a < run_.inputs.size(); ++a) {
            totals(a);
        }
        for (std::size_t a = 0; a < run_.inputs.size(); ++a) {
            for (std::size_t b = a + 1; b < run_.inputs.size(); ++b) {
                of_two(a, b);
            }
        }
        for (std::size_t a = 0; a < run_.inputs.size(); ++a) {
            positions_and_counts(a);
            scans(a);
            element_by_element(a);
            if (!has_rows(a)) {
                rows(a);
            }
        }
        for (std::size_t a = 0; a < run_.inputs.size(); ++a) {
            for (std::size_t b = 0; b < run_.inputs.size(); ++b) {
                if (a != b) {
                    products(a, b);
                    convolutions(a, b);
                    image_convolutions(a, b);
                }
            }
        }
        return std::move(found_);
    }

  private:
    using Length = std::function<std::uint64_t(const Observed&)>;
    struct Span {
        Length length;
        std::string name; // "in", "in[0..2047]"
    };

    // A scalar's name; its value where another has the same, as nothing tells them apart.
    std::string called(std::size_t s) const {
        const double value = run_.scalars[s].value;
        const auto same = [&](const Observed::Scalar& other) { return other.value == value; };
        return std::count_if(run_.scalars.begin(), run_.scalars.end(), same) == 1 ? run_.scalars[s].name
                                                                                  : fmt::format("{}", value);
    }

    void add(std::string text, Form::Place place, std::function<Row(const Observed&)> wanted,
             Operator fold = Operator::sum) {
        found_.push_back({std::move(text), place, fold, std::move(wanted)});
    }

    // The first n elements of an input, unless that is but a row of what the kernel reached; and all of it if that is another.
    std::vector<Span> spans(std::size_t a) const {
        const Input& in = run_.inputs[a];
        std::vector<Span> list;
        if (in.used < 2 * run_.n) { // else it has several rows
            list.push_back({[](const Observed& o) { return o.n; }, in.name});
        }
        if (in.used != run_.n && in.used > 1) {
            list.push_back(
                {[a](const Observed& o) { return o.inputs[a].used; }, fmt::format("{}[0..{}]", in.name, in.used - 1)});
        }
        return list;
    }
    static std::uint64_t within(std::uint64_t length, const Input& in) {
        return length <= in.values.size() ? length : 0;
    }

    void totals(std::size_t a) {
        const auto itself = [](const Wanted& x) { return x; };
        const auto squared = [](const Wanted& x) { return times(x, x); };
        for (const Span& span : spans(a)) {
            const auto count = [a, length = span.length](const Observed& o) { return within(length(o), o.inputs[a]); };
            for (const Operator op : kOperators) {
                if (op == Operator::xor_ && is_floating(run_.inputs[a].values.type)) {
                    continue;
                }
                const bool squares = op == Operator::sum_of_squares;
                add(
                    fmt::format("the {} of {}", name(op), span.name), Form::Place::partial,
                    [=](const Observed& o) -> Row {
                        const std::uint64_t n = count(o);
                        const Numbers& x = o.inputs[a].values;
                        return n == 0 ? Row{} : Row{squares ? folded(op, x, n, squared) : folded(op, x, n, itself)};
                    },
                    squares ? Operator::sum : op);
            }
            add(fmt::format("the sum of the magnitudes of {}", span.name), Form::Place::partial,
                [=](const Observed& o) -> Row {
                    const std::uint64_t n = count(o);
                    const auto magnitude = [](const Wanted& x) { return x.real < 0 ? minus({}, x) : x; };
                    return n == 0 ? Row{} : Row{folded(Operator::sum, o.inputs[a].values, n, magnitude)};
                });
            add(fmt::format("the mean of {}", span.name), Form::Place::first, [=](const Observed& o) -> Row {
                const std::uint64_t n = count(o);
                return n < 2 ? Row{} : Row{quotient(folded(Operator::sum, o.inputs[a].values, n, itself), n)};
            });
            add(fmt::format("the Euclidean norm of {}", span.name), Form::Place::first, [=](const Observed& o) -> Row {
                const std::uint64_t n = count(o);
                if (n < 2) {
                    return {};
                }
                const long double root = std::sqrt(folded(Operator::sum, o.inputs[a].values, n, squared).real);
                return {real(root, root)};
            });
            for (const bool sample : {false, true}) {
                add(fmt::format("the {} of {}", sample ? "sample variance" : "variance", span.name), Form::Place::first,
                    [=](const Observed& o) -> Row {
                        const std::uint64_t n = count(o);
                        if (n < 2) {
                            return {};
                        }
                        const Numbers& x = o.inputs[a].values;
                        const long double mean = folded(Operator::sum, x, n, itself).real / static_cast<long double>(n);
                        const auto deviation = [mean](const Wanted& v) {
                            const long double d = v.real - mean;
                            return real(d * d, v.real * v.real + mean * mean); // also where it is E[x²] − E[x]²
                        };
                        return {quotient(folded(Operator::sum, x, n, deviation), n - (sample ? 1 : 0))};
                    });
            }
        }
    }

    static Wanted quotient(const Wanted& sum, std::uint64_t n) {
        return real(sum.real / static_cast<long double>(n), sum.scale / static_cast<long double>(n));
    }

    void of_two(std::size_t a, std::size_t b) {
        const std::string pair = fmt::format("{} and {}", run_.inputs[a].name, run_.inputs[b].name);
        const auto summed = [a, b](const Observed& o, auto&& term) -> Row {
            const std::uint64_t n = std::min(within(o.n, o.inputs[a]), within(o.n, o.inputs[b]));
            Wanted sum;
            for (std::uint64_t i = 0; i < n; ++i) {
                sum = plus(sum, term(element(o.inputs[a].values, i), element(o.inputs[b].values, i)));
            }
            return n == 0 ? Row{} : Row{sum};
        };
        const auto difference_squared = [](const Wanted& x, const Wanted& y) {
            return times(minus(x, y), minus(x, y));
        };
        const auto distance = [](const Wanted& x, const Wanted& y) {
            return x.real < y.real ? minus(y, x) : minus(x, y);
        };
        const auto mean = [](Row row, std::uint64_t n) { return row.empty() ? row : Row{quotient(row.front(), n)}; };
        add("the dot product of " + pair, Form::Place::partial,
            [=](const Observed& o) { return summed(o, [](const Wanted& x, const Wanted& y) { return times(x, y); }); });
        add("the sum of the squared differences of " + pair, Form::Place::partial,
            [=](const Observed& o) { return summed(o, difference_squared); });
        add("the mean squared error of " + pair, Form::Place::partial,
            [=](const Observed& o) { return mean(summed(o, difference_squared), o.n); });
        add("the sum of the distances of " + pair, Form::Place::partial,
            [=](const Observed& o) { return summed(o, distance); });
        add("the mean absolute error of " + pair, Form::Place::partial,
            [=](const Observed& o) { return mean(summed(o, distance), o.n); });
        const auto each = [a, b](const Observed& o, auto&& term) -> Row {
            const std::uint64_t n = std::min(within(o.n, o.inputs[a]), within(o.n, o.inputs[b]));
            Row row;
            for (std::uint64_t i = 0; i < n; ++i) {
                row.push_back(term(element(o.inputs[a].values, i), element(o.inputs[b].values, i)));
            }
            return row;
        };
        add(fmt::format("{} + {}, element by element", run_.inputs[a].name, run_.inputs[b].name), Form::Place::each,
            [=](const Observed& o) { return each(o, plus); });
        add(fmt::format("{} - {}, element by element", run_.inputs[a].name, run_.inputs[b].name), Form::Place::each,
            [=](const Observed& o) { return each(o, minus); });
        add(fmt::format("{} * {}, element by element", run_.inputs[a].name, run_.inputs[b].name), Form::Place::each,
            [=](const Observed& o) { return each(o, times); });
        for (std::size_t s = 0; s < run_.scalars.size(); ++s) {
            for (const bool first : {true, false}) {
                const auto& x = run_.inputs[first ? a : b];
                const auto& y = run_.inputs[first ? b : a];
                add(fmt::format("{} * {} + {}, element by element", called(s), x.name, y.name), Form::Place::each,
                    [=](const Observed& o) {
                        const Wanted factor = scalar(o, s);
                        return each(o, [&](const Wanted& u, const Wanted& v) {
                            return first ? plus(times(factor, u), v) : plus(times(factor, v), u);
                        });
                    });
            }
        }
    }

    static Wanted scalar(const Observed& o, std::size_t s) {
        const double v = o.scalars[s].value;
        return {o.scalars[s].whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) : 0, v, std::fabs(v),
                o.scalars[s].whole};
    }

    void positions_and_counts(std::size_t a) {
        const std::string& in = run_.inputs[a].name;
        for (const bool largest : {true, false}) {
            add(fmt::format("the index of the {} element of {}", largest ? "largest" : "smallest", in),
                Form::Place::any, [=](const Observed& o) -> Row {
                    Row row;
                    long double best = 0;
                    for (std::uint64_t i = 0; i < within(o.n, o.inputs[a]); ++i) {
                        const long double x = element(o.inputs[a].values, i).real;
                        if (row.empty() || (largest ? x > best : x < best)) {
                            row.clear();
                            best = x;
                        }
                        if (x == best) {
                            row.push_back(whole(i));
                        }
                    }
                    return row;
                });
        }
        struct Test {
            const char* text;
            bool (*holds)(long double, long double);
        };
        static constexpr Test kTests[] = {
            {"that equal", [](long double x, long double s) { return x == s; }},
            {"greater than", [](long double x, long double s) { return x > s; }},
            {"less than", [](long double x, long double s) { return x < s; }},
            {"of at least", [](long double x, long double s) { return x >= s; }},
            {"of at most", [](long double x, long double s) { return x <= s; }},
        };
        for (std::size_t s = 0; s < run_.scalars.size(); ++s) {
            for (const Test& test : kTests) {
                add(fmt::format("the number of elements of {} {} {}", in, test.text, called(s)), Form::Place::partial,
                    [=, &test](const Observed& o) -> Row {
                        std::uint64_t count = 0;
                        for (std::uint64_t i = 0; i < within(o.n, o.inputs[a]); ++i) {
                            count += test.holds(element(o.inputs[a].values, i).real, o.scalars[s].value) ? 1 : 0;
                        }
                        return {whole(count)};
                    });
            }
        }
        if (!is_floating(run_.inputs[a].values.type)) {
            add(fmt::format("a histogram of {}", in), Form::Place::each, [=](const Observed& o) -> Row {
                Row row(o.output.size());
                for (std::uint64_t i = 0; i < within(o.n, o.inputs[a]); ++i) {
                    const Wanted x = element(o.inputs[a].values, i);
                    if (x.bits >= row.size()) {
                        return {};
                    }
                    row[x.bits] = plus(row[x.bits], whole(1));
                }
                return row.size() < 2 ? Row{} : row;
            });
        }
    }

    void scans(std::size_t a) {
        for (const bool by_block : {false, true}) {
            for (const bool exclusive : {false, true}) {
                add(fmt::format("the {} scan of {}{}", exclusive ? "exclusive" : "inclusive", run_.inputs[a].name,
                                by_block ? ", block by block" : ""),
                    Form::Place::each, [=](const Observed& o) -> Row {
                        const std::uint64_t n = within(o.n, o.inputs[a]);
                        const std::uint64_t share = (n + o.blocks - 1) / std::max<std::uint64_t>(o.blocks, 1);
                        const std::uint64_t tile = by_block ? std::max(share, o.block) : n;
                        Row row;
                        Wanted before;
                        for (std::uint64_t i = 0; i < n; ++i) {
                            const Wanted x = element(o.inputs[a].values, i);
                            before = i % tile == 0 ? Wanted{0, 0, 0, x.whole} : before;
                            const Wanted sum = plus(before, x);
                            row.push_back(exclusive ? before : sum);
                            before = sum;
                        }
                        return row.size() < 2 ? Row{} : row;
                    });
            }
        }
    }

    void element_by_element(std::size_t a) {
        const std::string& in = run_.inputs[a].name;
        const auto each = [a](const Observed& o, auto&& term) {
            const std::uint64_t n = within(o.n, o.inputs[a]);
            Row row;
            for (std::uint64_t i = 0; i < n; ++i) {
                row.push_back(term(i, n));
            }
            return row.size() < 2 ? Row{} : row;
        };
        add("a copy of " + in, Form::Place::each, [=](const Observed& o) {
            return each(o, [&](std::uint64_t i, std::uint64_t) { return element(o.inputs[a].values, i); });
        });
        add(in + " in reverse", Form::Place::each, [=](const Observed& o) {
            return each(o, [&](std::uint64_t i, std::uint64_t n) { return element(o.inputs[a].values, n - 1 - i); });
        });
        for (const Span& span : spans(a)) { // also of the part that one block takes
            for (const bool ascending : {true, false}) {
                add(fmt::format("{} in {} order", span.name, ascending ? "ascending" : "descending"), Form::Place::each,
                    [=, length = span.length](const Observed& o) {
                        Row row;
                        for (std::uint64_t i = 0; i < within(length(o), o.inputs[a]); ++i) {
                            row.push_back(element(o.inputs[a].values, i));
                        }
                        std::sort(row.begin(), row.end(), [&](const Wanted& x, const Wanted& y) {
                            return ascending ? x.real < y.real : x.real > y.real;
                        });
                        return row.size() < 2 ? Row{} : row;
                    });
            }
        }
        add("the square of each element of " + in, Form::Place::each, [=](const Observed& o) {
            return each(o, [&](std::uint64_t i, std::uint64_t) {
                return times(element(o.inputs[a].values, i), element(o.inputs[a].values, i));
            });
        });
        for (std::size_t s = 0; s < run_.scalars.size(); ++s) {
            add(fmt::format("{} * {}, element by element", called(s), in), Form::Place::each, [=](const Observed& o) {
                return each(o, [&](std::uint64_t i, std::uint64_t) {
                    return times(scalar(o, s), element(o.inputs[a].values, i));
                });
            });
        }
        add("the softmax of " + in, Form::Place::each,
            [=](const Observed& o) { return softmax(o.inputs[a].values, 1, within(o.n, o.inputs[a])); });
    }

    static Row softmax(const Numbers& x, std::uint64_t rows, std::uint64_t columns) {
        Row row;
        for (std::uint64_t r = 0; r < rows && columns > 1; ++r) {
            long double most = element(x, r * columns).real, sum = 0;
            for (std::uint64_t c = 0; c < columns; ++c) {
                most = std::max(most, element(x, r * columns + c).real);
            }
            for (std::uint64_t c = 0; c < columns; ++c) {
                sum += std::exp(element(x, r * columns + c).real - most);
            }
            for (std::uint64_t c = 0; c < columns; ++c) {
                const long double at = element(x, r * columns + c).real - most;
                // A float exponential has an error of |x| roundings, and is 0 below -104.
                row.push_back(real(std::exp(at) / sum, std::exp(at) / sum * (1 + std::fabs(at)) + 1e-38L));
            }
        }
        return row;
    }

    // Sides of a matrix: the integer scalars, n and the number of blocks, by their numbers.
    std::vector<std::size_t> sides() const {
        std::vector<std::size_t> list;
        std::vector<std::uint64_t> seen;
        for (std::size_t s = 0; s <= run_.scalars.size() + 1 && list.size() < 5; ++s) {
            const std::uint64_t v = side(run_, s);
            if (v > 1 && std::find(seen.begin(), seen.end(), v) == seen.end()) {
                seen.push_back(v);
                list.push_back(s);
            }
        }
        return list;
    }
    static std::uint64_t side(const Observed& o, std::size_t s) {
        return s == o.scalars.size() + 1 ? o.blocks
               : s == o.scalars.size()   ? o.n
               : o.scalars[s].whole && o.scalars[s].value >= 1 && o.scalars[s].value < 1e6
                   ? static_cast<std::uint64_t>(o.scalars[s].value)
                   : 0;
    }
    static bool holds(const Input& in, std::uint64_t rows, std::uint64_t columns) {
        return rows != 0 && columns != 0 && rows * columns <= in.values.size() && in.used >= rows * columns;
    }

    void rows(std::size_t a) {
        const std::string& in = run_.inputs[a].name;
        const std::vector<std::size_t> all = sides();
        for (const std::size_t r : all) {
            for (const std::size_t c : all) {
                if (!holds(run_.inputs[a], side(run_, r), side(run_, c))) {
                    continue;
                }
                const auto lines = [=](const Observed& o, bool by_row, Operator op) -> Row {
                    const std::uint64_t height = side(o, r), width = side(o, c);
                    if (!holds(o.inputs[a], height, width)) {
                        return {};
                    }
                    Row row;
                    for (std::uint64_t i = 0; i < (by_row ? height : width); ++i) {
                        Numbers line{o.inputs[a].values.type, {}};
                        for (std::uint64_t k = 0; k < (by_row ? width : height); ++k) {
                            line.bits.push_back(o.inputs[a].values.bits[by_row ? i * width + k : k * width + i]);
                        }
                        row.push_back(folded(op, line, line.size(), [](const Wanted& x) { return x; }));
                    }
                    return row;
                };
                for (const Operator op : {Operator::sum, Operator::max, Operator::min}) {
                    for (const bool by_row : {true, false}) {
                        add(fmt::format("the {} of each {} of {}", name(op), by_row ? "row" : "column", in),
                            Form::Place::each, [=](const Observed& o) { return lines(o, by_row, op); });
                    }
                }
                for (const bool by_row : {true, false}) {
                    add(fmt::format("the mean of each {} of {}", by_row ? "row" : "column", in), Form::Place::each,
                        [=](const Observed& o) {
                            Row means = lines(o, by_row, Operator::sum);
                            for (Wanted& mean : means) {
                                mean = quotient(mean, side(o, by_row ? c : r));
                            }
                            return means;
                        });
                }
                add("the softmax of each row of " + in, Form::Place::each, [=](const Observed& o) {
                    return holds(o.inputs[a], side(o, r), side(o, c))
                               ? softmax(o.inputs[a].values, side(o, r), side(o, c))
                               : Row{};
                });
                add("the transpose of " + in, Form::Place::each, [=](const Observed& o) -> Row {
                    const std::uint64_t height = side(o, r), width = side(o, c);
                    Row row;
                    for (std::uint64_t i = 0; holds(o.inputs[a], height, width) && i < height * width; ++i) {
                        row.push_back(element(o.inputs[a].values, i % height * width + i / height));
                    }
                    return row;
                });
            }
        }
    }

    void products(std::size_t a, std::size_t b) {
        std::vector<std::size_t> all = sides();
        const std::string of = fmt::format(" of {} and {}", run_.inputs[a].name, run_.inputs[b].name);
        for (const std::size_t r : all) {
            for (const std::size_t k : all) {
                for (std::size_t at = 0; at <= all.size(); ++at) { // the last: one column
                    const bool vector = at == all.size();
                    const std::size_t c = vector ? 0 : all[at];
                    const std::uint64_t columns = vector ? 1 : side(run_, c);
                    if (!holds(run_.inputs[a], side(run_, r), side(run_, k)) ||
                        !holds(run_.inputs[b], side(run_, k), columns) ||
                        run_.output.size() < side(run_, r) * columns) {
                        continue;
                    }
                    add((vector ? "the matrix-vector product" : "the matrix product") + of, Form::Place::each,
                        [=](const Observed& o) {
                            return product(o.inputs[a], o.inputs[b], side(o, r), side(o, k), vector ? 1 : side(o, c));
                        });
                }
            }
        }
    }

    static Row product(const Input& a, const Input& b, std::uint64_t rows, std::uint64_t inner, std::uint64_t columns) {
        if (!holds(a, rows, inner) || !holds(b, inner, columns) || rows * inner * columns > kMostOperations) {
            return {};
        }
        Row row;
        for (std::uint64_t i = 0; i < rows * columns; ++i) {
            Wanted sum;
            for (std::uint64_t k = 0; k < inner; ++k) {
                sum = plus(sum, times(element(a.values, i / columns * inner + k),
                                      element(b.values, k * columns + i % columns)));
            }
            row.push_back(sum);
        }
        return row;
    }

    void convolutions(std::size_t a, std::size_t b) {
        const std::string of = fmt::format(" of {} and {}", run_.inputs[a].name, run_.inputs[b].name);
        for (const bool padded : {false, true}) {
            for (const bool flipped : {false, true}) {
                add(fmt::format("the {}{}{}", flipped ? "convolution" : "correlation", of,
                                padded ? ", with zeros at the ends" : ""),
                    Form::Place::each, [=](const Observed& o) -> Row {
                        const Input &signal = o.inputs[a], &filter = o.inputs[b];
                        const std::uint64_t width = filter.used;
                        const std::uint64_t length = within(padded ? o.n : signal.used, signal);
                        if (width < 2 || width >= length || length * width > kMostOperations) {
                            return {};
                        }
                        Row row;
                        const std::uint64_t before = padded ? width / 2 : 0;
                        for (std::uint64_t i = 0; i < (padded ? length : length - width + 1); ++i) {
                            Wanted sum{0, 0, 0, !is_floating(signal.values.type) && !is_floating(filter.values.type)};
                            for (std::uint64_t k = 0; k < width; ++k) {
                                if (i + k >= before && i + k - before < length) {
                                    sum = plus(sum, times(element(signal.values, i + k - before),
                                                          element(filter.values, flipped ? width - 1 - k : k)));
                                }
                            }
                            row.push_back(sum);
                        }
                        return row;
                    });
            }
        }
    }

    // By a square filter of odd width.
    void image_convolutions(std::size_t a, std::size_t b) {
        const std::vector<std::size_t> all = sides();
        for (const std::size_t r : all) {
            for (const std::size_t c : all) {
                for (const bool flipped : {false, true}) {
                    add(fmt::format("the {} of {} and {} in two dimensions, with zeros at the edges",
                                    flipped ? "convolution" : "correlation", run_.inputs[a].name, run_.inputs[b].name),
                        Form::Place::each, [=](const Observed& o) {
                            return image(o.inputs[a], o.inputs[b], side(o, r), side(o, c), flipped);
                        });
                }
            }
        }
    }
    static Row image(const Input& in, const Input& filter, std::uint64_t height, std::uint64_t width, bool flipped) {
        const auto across = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(filter.used))));
        if (!holds(in, height, width) || across < 3 || across % 2 == 0 || across * across != filter.used ||
            across >= std::min(height, width) || height * width * filter.used > kMostOperations) {
            return {};
        }
        const std::uint64_t before = across / 2;
        Row row;
        for (std::uint64_t i = 0; i < height * width; ++i) {
            Wanted sum{0, 0, 0, !is_floating(in.values.type) && !is_floating(filter.values.type)};
            for (std::uint64_t k = 0; k < filter.used; ++k) {
                const std::uint64_t y = i / width + k / across, x = i % width + k % across; // and `before` more
                if (y >= before && y - before < height && x >= before && x - before < width) {
                    sum = plus(sum, times(element(in.values, (y - before) * width + x - before),
                                          element(filter.values, flipped ? filter.used - 1 - k : k)));
                }
            }
            row.push_back(sum);
        }
        return row;
    }

    const Observed& run_;
    std::vector<Form> found_;
};
} // namespace

std::vector<Form> forms(const Observed& run) { return Finder(run).all(); }

} // namespace warptree::runs
