#include "app/run/judge/recognition.hpp"

#include "app/run/array_fill.hpp"
#include "app/run/judge/named_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace warptree::runs {

namespace {
constexpr std::uint64_t kMostTried = 1U << 20; // elements
constexpr std::size_t kEnoughRuns = 3;         // the one that is shown and two others
constexpr std::string_view kModulo = ", modulo 2^";

// Unit roundoff of a type.
long double roundoff(ValueType type) {
    return type == ValueType::f16 ? 0x1p-11L : type == ValueType::f32 ? 0x1p-24L : 0x1p-53L;
}

long double as_real(ValueType type, std::uint64_t bits) {
    return type == ValueType::u64   ? static_cast<long double>(bits)
           : type == ValueType::i64 ? static_cast<long double>(static_cast<std::int64_t>(bits))
                                    : static_cast<long double>(as_number(type, bits));
}

// The largest finite number of a floating type.
long double largest(ValueType type) {
    return type == ValueType::f16   ? 65504.0L
           : type == ValueType::f32 ? static_cast<long double>(std::numeric_limits<float>::max())
                                    : static_cast<long double>(std::numeric_limits<double>::max());
}

// The bits that an integer type has room for.
std::uint64_t low(ValueType type, std::uint64_t bits) {
    const unsigned width = type == ValueType::boolean ? 1 : 8 * bytes(type);
    return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

class Match {
  public:
    Match(const Observed& run, const Form& form, const std::vector<Wanted>& wanted)
        : run_(run), form_(form), wanted_(wanted), type_(run.output.type) {
        // Rounding errors of a sum in a row are seldom larger than the root of its length.
        const auto length = static_cast<long double>(run.n);
        factor_ = (64 + static_cast<long double>(run.depth) + 2 * std::sqrt(length)) * roundoff(type_);
    }

    // combined: the output has partial results, which are combined first.
    bool holds(bool combined) const {
        const Numbers& out = run_.output;
        if (wanted_.empty() || out.size() == 0) {
            return false;
        }
        const bool single = out.size() == 1 || (out.size() == run_.blocks && rest_is_of_parts());
        switch (form_.place) {
        case Form::Place::first: return single && equal(out.bits.front(), wanted_.front());
        case Form::Place::any:
            return single && std::any_of(wanted_.begin(), wanted_.end(),
                                         [&](const Wanted& w) { return equal(out.bits.front(), w); });
        case Form::Place::partial:
            // A block's, or a warp's or a tile's.
            return combined ? out.size() * (out.size() == run_.blocks ? 2 : 4) <= elements() && folded()
                            : single && equal(out.bits.front(), wanted_.front());
        case Form::Place::each: return each();
        }
        return false;
    }

  private:
    // That were read, of the array of which most were: fewer than n, where one block works on a part.
    std::uint64_t elements() const {
        std::uint64_t most = 0;
        for (const auto& in : run_.inputs) {
            most = std::max(most, in.used);
        }
        return std::min(most, run_.n);
    }
    bool equal(std::uint64_t got, const Wanted& want) const {
        return is_floating(type_) ? near(as_real(type_, got), want)
                                  : want.whole && low(type_, got) == low(type_, want.bits);
    }

    bool near(long double got, const Wanted& want) const {
        if (std::isnan(want.real) || std::isnan(got)) {
            return std::isnan(want.real) && std::isnan(got);
        }
        if (std::isinf(got) || std::fabs(want.real) > largest(type_)) {
            return std::isinf(got) && want.scale >= largest(type_) / 2 && (got > 0) == (want.real > 0);
        }
        return std::fabs(got - want.real) <= factor_ * want.scale + std::numeric_limits<float>::denorm_min();
    }

    // All elements of the output; one more, as a scan's total, or zeros may follow.
    bool each() const {
        const Numbers& out = run_.output;
        if (wanted_.size() < 2 || out.size() < wanted_.size()) {
            return false;
        }
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (!equal(out.bits[i], wanted_[i])) {
                return false;
            }
        }
        return std::all_of(out.bits.begin() + static_cast<std::ptrdiff_t>(std::min(out.size(), wanted_.size() + 1)),
                           out.bits.end(), [](std::uint64_t bits) { return bits == 0; });
    }

    // What the operator makes of a part of an input.
    struct Part {
        Wanted result;
        bool any = false; // it has elements
    };
    std::vector<Part> parts_of(const Numbers& values, std::size_t length, std::size_t unit) const {
        std::vector<Part> parts(run_.output.size());
        for (std::size_t i = 0; i < length; ++i) {
            Part& part = parts[i / unit % parts.size()];
            const Wanted x = element(values, i);
            part.result = std::exchange(part.any, true) ? applied(form_.fold, part.result, x) : x;
        }
        return parts;
    }
    // Whether it fits the parts of some input, one an element of the output: as many elements in a row as make all parts, or a power
    // of two of them, as blocks and warps have, to one part after the other.
    template <class Fits> bool in_parts(const Fits& fits) const {
        return std::ranges::any_of(run_.inputs, [&](const Observed::Input& in) {
            const std::size_t length = std::min<std::size_t>(in.values.size(), run_.n), parts = run_.output.size();
            bool found = length != 0 && fits(parts_of(in.values, length, (length + parts - 1) / parts));
            for (std::size_t unit = 1; !found && unit < length; unit *= 2) {
                found = fits(parts_of(in.values, length, unit));
            }
            return found;
        });
    }
    // Where the first element of several is the result: whether the others are nothing, or the results of the blocks, which are
    // combined in the first. A value of each row is neither.
    bool rest_is_of_parts() const {
        const std::vector<std::uint64_t>& out = run_.output.bits;
        return std::all_of(out.begin() + 1, out.end(), [](std::uint64_t bits) { return bits == 0; }) ||
               (form_.place == Form::Place::partial && in_parts([&](const std::vector<Part>& parts) {
                    for (std::size_t k = 1; k < parts.size(); ++k) {
                        if (parts[k].any ? !equal(out[k], parts[k].result)
                                         : out[k] != 0 && !begins(as_real(type_, out[k]))) {
                            return false;
                        }
                    }
                    return true;
                }));
    }
    // Whether the output has the least or greatest of each part, or one of another part, as where what is past the end counts as the
    // first element. That its least element is that of all would say little of the others.
    bool has_each_part() const {
        return in_parts([&](const std::vector<Part>& parts) {
            for (std::size_t k = 0; k < parts.size(); ++k) {
                const std::uint64_t bits = run_.output.bits[k];
                const long double x = as_real(type_, bits), best = parts[k].result.real;
                if (!is_element(bits) || (parts[k].any && (form_.fold == Operator::min ? x > best : x < best))) {
                    return false;
                }
            }
            return true;
        });
    }
    // Whether a partial maximum or minimum can be one: an input has it, or no element took part.
    bool is_element(std::uint64_t bits) const {
        const long double x = as_real(type_, bits);
        return std::ranges::any_of(run_.inputs,
                                   [&](const Observed::Input& in) {
                                       for (std::size_t i = 0; i < std::min<std::size_t>(in.values.size(), run_.n);
                                            ++i) {
                                           if (as_real(in.values.type, in.values.bits[i]) == x) {
                                               return true;
                                           }
                                       }
                                       return false;
                                   }) ||
               begins(x);
    }
    // What a maximum or minimum begins with: an end of the type's range, or an infinity.
    bool begins(long double x) const {
        if (is_floating(type_)) {
            return std::fabs(x) >= largest(type_) ||
                   (type_ == ValueType::f64 && std::fabs(x) >= largest(ValueType::f32));
        }
        const int bits = static_cast<int>(8 * bytes(type_));
        const long double high = std::ldexp(1.0L, is_signed(type_) ? bits - 1 : bits);
        return x == high - 1 || x == (is_signed(type_) ? -high : 0);
    }

    // The partial results, combined as the host would.
    bool folded() const {
        const Numbers& out = run_.output;
        std::uint64_t bits = out.bits.front();
        long double real = as_real(type_, bits);
        if ((form_.fold == Operator::min || form_.fold == Operator::max) && !has_each_part()) {
            return false;
        }
        for (std::size_t i = 1; i < out.size(); ++i) {
            const long double x = as_real(type_, out.bits[i]);
            switch (form_.fold) {
            case Operator::product:
                bits *= out.bits[i];
                real *= x;
                break;
            case Operator::min:
            case Operator::max:
                if (form_.fold == Operator::min ? x < real : x > real) {
                    bits = out.bits[i];
                    real = x;
                }
                break;
            case Operator::xor_: bits ^= out.bits[i]; break;
            default: bits += out.bits[i]; real += x;
            }
        }
        return is_floating(type_) ? near(real, wanted_.front()) : equal(bits, wanted_.front());
    }

    const Observed& run_;
    const Form& form_;
    const std::vector<Wanted>& wanted_;
    ValueType type_;
    long double factor_ = 0;
};

// A number that differs where the wanted values do, as an output of that type holds them.
std::uint64_t print_of(ValueType type, const std::vector<Wanted>& wanted) {
    std::uint64_t hash = wanted.size();
    for (const Wanted& w : wanted) {
        hash = std::rotl(hash, 7) * 0x9E3779B97F4A7C15ULL +
               (is_floating(type) ? std::bit_cast<std::uint64_t>(double(w.real)) : low(type, w.bits));
    }
    return hash;
}

// Whether an output of integers has no room for a value: it then has it modulo 2^bits.
bool overflows(ValueType type, const std::vector<Wanted>& wanted) {
    if (is_floating(type) || type == ValueType::boolean) {
        return false;
    }
    const int bits = static_cast<int>(8 * bytes(type));
    const long double end = std::ldexp(1.0L, is_signed(type) ? bits - 1 : bits);
    return std::ranges::any_of(
        wanted, [&](const Wanted& w) { return w.whole && (w.real >= end || w.real < (is_signed(type) ? -end : 0)); });
}

// Whether the output has so few bits that one or another result has them by chance, or is no numbers but structures.
bool says_little(const Numbers& output) {
    constexpr std::size_t kEnough = 32;
    return output.type == ValueType::none || (output.type == ValueType::boolean && output.size() < kEnough);
}
} // namespace

struct Recognition::Candidate {
    Form form;
    bool combined = false; // from partial results
    std::string text;
    std::vector<std::uint64_t> prints; // of the wanted values, a run each
    std::string modulo;                // ", modulo 2^32", where the run that is shown overflows
    bool varied() const {
        return std::any_of(prints.begin(), prints.end(), [&](std::uint64_t p) { return p != prints.front(); });
    }
};

Recognition::Recognition(const Observed& shown) : runs_(1) {
    if (shown.output.size() == 0 || says_little(shown.output) || shown.n > kMostTried ||
        shown.output.size() > 4 * kMostTried) {
        return;
    }
    for (Form& form : forms(shown)) {
        const std::vector<Wanted> wanted = form.wanted(shown);
        const Match match(shown, form, wanted);
        const std::size_t count = shown.output.size();
        const std::string modulo = overflows(shown.output.type, wanted)
                                       ? fmt::format("{}{}", kModulo, 8 * bytes(shown.output.type))
                                       : std::string();
        if (form.place == Form::Place::partial && count > 1 && match.holds(true)) {
            left_.push_back({form,
                             true,
                             fmt::format("{}, from {} partial results", form.text, count),
                             {print_of(shown.output.type, wanted)},
                             modulo});
        }
        if (match.holds(false)) {
            std::string text = form.text;
            left_.push_back({std::move(form), false, std::move(text), {print_of(shown.output.type, wanted)}, modulo});
        }
    }
}

Recognition::~Recognition() = default;
Recognition::Recognition(Recognition&&) noexcept = default;
Recognition& Recognition::operator=(Recognition&&) noexcept = default;

void Recognition::hold(const Observed& run) {
    ++runs_;
    std::erase_if(left_, [&](Candidate& c) {
        const std::vector<Wanted> wanted = c.form.wanted(run);
        c.prints.push_back(print_of(run.output.type, wanted));
        return !Match(run, c.form, wanted).holds(c.combined);
    });
}

bool Recognition::holds(std::string_view name) const {
    return std::ranges::find(left_, name.substr(0, name.find(kModulo)), &Candidate::text) != left_.end();
}

std::string Recognition::name() const {
    const auto found = std::find_if(left_.begin(), left_.end(), [](const Candidate& c) { return c.varied(); });
    return runs_ < kEnoughRuns || found == left_.end() ? std::string() : found->text + found->modulo;
}

} // namespace warptree::runs
