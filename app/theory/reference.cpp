#include "app/theory/reference.hpp"

#include "app/base/operators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptree {

namespace {
// Sums of the positive and of the negative terms: bounds of every partial sum, in any order.
template <class T> class Terms {
  public:
    void add(long double v) { (v < 0 ? below_ : above_) += std::abs(v); }
    long double magnitude() const { return above_ + below_; }
    Reference allow(Reference r) const {
        const long double most = std::numeric_limits<T>::max() * (1 - 0x1p-10L); // rounding may overflow
        r.may_be_infinite[0] = above_ > most;
        r.may_be_infinite[1] = below_ > most;
        r.may_be_nan = r.may_be_infinite[0] && r.may_be_infinite[1];
        return r;
    }

  private:
    long double above_ = 0, below_ = 0;
};

// A product, and bounds of its partial products in any order.
template <class T> class Factors {
  public:
    void add(T x) {
        ++count_;
        value_ *= x;
        if (std::isfinite(value_) && value_ != 0) {
            int exponent = 0;
            value_ = std::frexp(value_, &exponent);
            exponent_ += exponent;
        }
        if (x != 0) {
            const double size = std::log2(std::abs(static_cast<double>(x))); // infinite for an infinite factor
            (size < 0 ? shrinks_ : grows_) += std::abs(size);
        }
    }
    Reference so_far() const {
        using Limits = std::numeric_limits<T>;
        constexpr double kSlack = 1; // margin on the exponents below, for rounding
        const auto exponent = static_cast<int>(std::clamp<std::int64_t>(exponent_, -1000000, 1000000));
        const T value = static_cast<T>(std::ldexp(value_, exponent));
        const auto n = static_cast<double>(count_);
        const bool zero = value_ == 0;
        const bool overflows = grows_ > Limits::max_exponent - kSlack;
        Reference r{Scalar::of(value), (n + 1) * (Limits::epsilon() / 2) * std::abs(static_cast<double>(value)) +
                                           n * Limits::denorm_min()};
        r.may_vanish = shrinks_ > 1 - Limits::min_exponent - kSlack;
        if (r.may_vanish) {
            r.tolerance += n * std::exp2(grows_ + std::log2(static_cast<double>(Limits::denorm_min())));
        }
        r.may_be_infinite[std::signbit(value_) ? 1 : 0] = overflows && !zero;
        r.may_be_nan = overflows && (zero || r.may_vanish);
        return r;
    }

  private:
    long double value_ = 1; // times 2^exponent_
    std::int64_t exponent_ = 0;
    std::uint64_t count_ = 0;
    double grows_ = 0, shrinks_ = 0; // sums of |log2 |x|| over |x| > 1 and over |x| < 1
};

// The combined value of the elements added so far.
template <class T, bool Floating = std::is_floating_point_v<T>> class Running {
  public:
    Running(Operator op, std::uint64_t) : op_(op), value_(identity<T>(op)) {}
    void add(T x) { value_ = apply(op_, value_, map(op_, x)); }
    Reference so_far() const { return {Scalar::of(value_), 0}; }

  private:
    Operator op_;
    T value_;
};

template <class T> class Running<T, true> {
  public:
    Running(Operator op, std::uint64_t depth)
        : op_(op), depth_(depth),
          chosen_(identity<T>(op == Operator::min || op == Operator::max ? op : Operator::sum)) {}

    void add(T x) {
        if (op_ == Operator::min || op_ == Operator::max) {
            chosen_ = apply(op_, chosen_, x);
            return;
        }
        if (op_ == Operator::product) {
            factors_.add(x);
            return;
        }
        const long double v = squares() ? static_cast<long double>(x) * x : x;
        const long double next = sum_ + v;
        lost_ += std::abs(sum_) >= std::abs(v) ? (sum_ - next) + v : (v - next) + sum_;
        sum_ = next;
        terms_.add(v);
    }

    Reference so_far() const {
        const double unit = std::numeric_limits<T>::epsilon() / 2;
        if (op_ == Operator::min || op_ == Operator::max) {
            return {Scalar::of(chosen_), 0};
        }
        if (op_ == Operator::product) {
            return factors_.so_far();
        }
        // An infinite or NaN sum has no compensation.
        const T value = static_cast<T>(std::isfinite(sum_) ? sum_ + lost_ : sum_);
        return terms_.allow({Scalar::of(value), static_cast<double>(terms_.magnitude()) * unit *
                                                    static_cast<double>(depth_ + (squares() ? 2 : 1))});
    }

  private:
    bool squares() const { return op_ == Operator::sum_of_squares; }
    Operator op_;
    std::uint64_t depth_;
    T chosen_;
    Factors<T> factors_;
    Terms<T> terms_;
    long double sum_ = 0, lost_ = 0;
};

template <class T> Reference of(const T* x, std::size_t n, Operator op, std::uint64_t depth) {
    Running<T> running(op, depth);
    std::for_each(x, x + n, [&](T v) { running.add(v); });
    return running.so_far();
}

using Tell = std::function<void(std::uint64_t, const Reference&)>;

// For each element, its prefix within the tile, including the element itself unless the scan is exclusive.
template <class T>
void of_scan(const T* x, std::uint64_t n, std::uint64_t tile, bool exclusive, Operator op, std::uint64_t depth,
             const Tell& tell) {
    for (std::uint64_t first = 0; first < n; first += tile) {
        Running<T> running(op, depth);
        for (std::uint64_t i = first; i < std::min(n, first + tile); ++i) {
            if (exclusive) {
                tell(i, running.so_far());
            }
            running.add(x[i]);
            if (!exclusive) {
                tell(i, running.so_far());
            }
        }
    }
}
} // namespace

bool agrees(const Scalar& got, const Reference& want, double& error) {
    if (!is_floating(got.type)) {
        error = got == want.value ? 0 : 1;
        return error == 0;
    }
    const double g = got.as_double(), w = want.value.as_double();
    if (g == w || (std::isnan(g) && std::isnan(w))) {
        error = 0;
        return true;
    }
    error = std::isfinite(g) && std::isfinite(w) ? std::abs(g - w) : std::numeric_limits<double>::infinity();
    if (std::isnan(g)) {
        return want.may_be_nan;
    }
    if (std::isinf(g)) {
        return want.may_be_infinite[g < 0 ? 1 : 0];
    }
    const bool sign = g == 0 || w == 0 || std::signbit(g) == std::signbit(w);
    return std::isfinite(w) ? error <= want.tolerance && (sign || !want.may_vanish)
                            : want.may_vanish && (g == 0 || sign);
}

Reference reference(const Elements& input, Operator op, std::uint64_t depth) {
    return visit_element(input.type, [&](auto t) { return of(input.as<decltype(t)>(), input.size(), op, depth); });
}

void scan_references(const Elements& input, Operator op, std::uint64_t tile, bool exclusive, std::uint64_t depth,
                     const std::function<void(std::uint64_t, const Reference&)>& tell) {
    visit_element(input.type,
                  [&](auto t) { of_scan(input.as<decltype(t)>(), input.size(), tile, exclusive, op, depth, tell); });
}

Reference dot_reference(const Elements& a, const Elements& b, std::uint64_t depth) {
    return visit_element(a.type, [&](auto t) {
        using T = decltype(t);
        const std::size_t count = std::min(a.size(), b.size());
        const T *x = a.as<T>(), *y = b.as<T>();
        if constexpr (std::is_floating_point_v<T>) {
            Terms<T> terms;
            long double sum = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const long double product = static_cast<long double>(x[i]) * y[i];
                sum += product;
                terms.add(product);
            }
            const double unit = std::numeric_limits<T>::epsilon() / 2;
            return terms.allow({Scalar::of(static_cast<T>(sum)),
                                static_cast<double>(terms.magnitude()) * unit * static_cast<double>(depth + 3)});
        } else {
            T sum = 0;
            for (std::size_t i = 0; i < count; ++i) {
                sum = Sum::apply(sum, Product::apply(x[i], y[i]));
            }
            return Reference{Scalar::of(sum), 0};
        }
    });
}

} // namespace warptree
