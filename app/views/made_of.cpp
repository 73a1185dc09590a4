#include "app/views/made_of.hpp"

#include "app/trace/explain/array_contents.hpp"
#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <type_traits>

namespace warptree::scene {

namespace {
ValueType type_of(const Trace& trace, const Node& n) {
    return n.type == ValueType::none ? value_type_of(trace.options.type) : n.type;
}

template <class T> std::optional<T> solved(Operation operation, T value, T known, bool known_first) {
    switch (operation) {
    case Operation::add: return value - known;
    case Operation::subtract: return known_first ? known - value : value + known;
    case Operation::multiply: // a least integer / -1 is no integer
        return known == 0 || (std::is_integral_v<T> && known == static_cast<T>(-1)) ? std::optional<T>()
                                                                                    : value / known;
    case Operation::minimum:
    case Operation::maximum: return value == known ? std::optional<T>() : value;
    default: return std::nullopt;
    }
}
template <class T> T applied(Operation operation, T a, T b) {
    return operation == Operation::add        ? a + b
           : operation == Operation::subtract ? a - b
           : operation == Operation::multiply ? a * b
           : operation == Operation::minimum  ? std::min(a, b)
                                              : std::max(a, b);
}

// The operand that no node produced, as bits of the value's type; nullopt: the value does not tell.
std::optional<std::uint64_t> other_operand(const Trace& trace, const Node& n, const Node& known, bool known_first) {
    const ValueType type = type_of(trace, n);
    if (type != type_of(trace, known)) {
        return std::nullopt;
    }
    const auto right = [&](auto value, auto other, auto one) {
        return value == (known_first ? applied(n.operation, one, other) : applied(n.operation, other, one));
    };
    if (type == ValueType::f32) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(n.bits));
        const auto one = std::bit_cast<float>(static_cast<std::uint32_t>(known.bits));
        const auto other = solved(n.operation, value, one, known_first);
        return other && right(value, *other, one) ? std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(*other))
                                                  : std::nullopt;
    }
    if (type == ValueType::f64) {
        const auto value = std::bit_cast<double>(n.bits), one = std::bit_cast<double>(known.bits);
        const auto other = solved(n.operation, value, one, known_first);
        return other && right(value, *other, one) ? std::optional<std::uint64_t>(std::bit_cast<std::uint64_t>(*other))
                                                  : std::nullopt;
    }
    if (is_floating(type) || type == ValueType::boolean || type == ValueType::pointer) {
        return std::nullopt;
    }
    const std::uint64_t mask = bytes(type) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes(type)) - 1;
    if (n.operation == Operation::xor_) {
        return (n.bits ^ known.bits) & mask;
    }
    // Sums and differences wrap around; of a product that did, the other factor is not known.
    if (n.operation == Operation::add || n.operation == Operation::subtract) {
        return *solved(n.operation, n.bits & mask, known.bits & mask, known_first) & mask;
    }
    return visit_value(type, n.bits, [&](auto value) -> std::optional<std::uint64_t> {
        using T = decltype(value);
        const auto one = visit_value(type, known.bits, [](auto v) { return static_cast<T>(v); });
        const auto other = solved<T>(n.operation, value, one, known_first);
        return other && applied(n.operation, *other, one) == value
                   ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*other) & mask)
                   : std::nullopt;
    });
}

// " (c[60])": the element of that value that the thread loads in the line, if there is one and it is not where `known` is from.
std::string place_of(const Trace& trace, std::uint32_t launch, const Node& n, const Node& known, std::uint64_t bits) {
    const Launch& l = trace.launches[launch];
    const unsigned lane = n.thread % kWarpSize;
    std::string found;
    for (const Request& r : l.requests) {
        const bool loads = r.kind == AccessKind::shared_load || (r.kind == AccessKind::global_load && !r.is_constant());
        if (!loads || r.block != n.block || r.step != n.step || r.warp != n.thread / kWarpSize ||
            (r.mask >> lane & 1U) == 0 || r.line != n.line) {
            continue;
        }
        const std::uint64_t element = l.index_of(r, lane), byte = element * r.bytes;
        const bool of_known =
            (known.word_allocation == r.allocation && known.word == element && known.word != kNone) ||
            (known.kind == NodeKind::leaf && known.allocation == r.allocation && known.element() == element);
        if (of_known) {
            continue;
        }
        for (const ArrayPlace& a : arrays_of(l)) {
            if (a.allocation != r.allocation || byte < a.offset || a.element_bytes != r.bytes ||
                (byte - a.offset) / a.element_bytes >= a.elements) {
                continue;
            }
            const std::uint64_t index = (byte - a.offset) / a.element_bytes;
            const ArrayElement held = contents(trace, launch, a, n.block, n.step, index, 1).front();
            if (held.has_value() && value_text(a.type, held.bits) == value_text(type_of(trace, n), bits)) {
                const std::string name = fmt::format(" ({}[{}])", kernel_name(l, a), index);
                if (!found.empty() && found != name) {
                    return "";
                }
                found = name;
            }
        }
    }
    return found;
}
} // namespace

std::string made_of(const Trace& trace, std::uint32_t launch, const Node& n) {
    const std::vector<Node>& nodes = trace.launches[launch].nodes;
    const bool left = n.left < nodes.size(), right = n.right() < nodes.size();
    const auto operand = [&](std::uint32_t i) { return value_text(trace, nodes[i]); };
    const bool unnamed =
        n.operation == Operation::none && n.kind == NodeKind::product && !is_product(trace, trace.launches[launch], n);
    if (unnamed || n.operation == Operation::function || (!left && !right)) {
        const std::string what =
            unnamed || n.operation == Operation::none ? "computed from" : std::string(name(n.operation)) + " of";
        return fmt::format("{} {}{}", what, left ? operand(n.left) : std::string("?"),
                           right ? " and " + operand(n.right()) : "");
    }
    const std::string_view what = n.operation != Operation::none ? name(n.operation)
                                  : n.kind == NodeKind::product  ? "product"
                                                                 : name(trace.options.op);
    if (left && right) {
        return fmt::format("{} of {} and {}", what, operand(n.left), operand(n.right()));
    }
    const Node& known = nodes[left ? n.left : n.right()];
    const auto bits = other_operand(trace, n, known, left);
    const std::string other = bits ? value_text(type_of(trace, n), *bits) + place_of(trace, launch, n, known, *bits)
                                   : std::string("a value of no element");
    return left ? fmt::format("{} of {} and {}", what, operand(n.left), other)
                : fmt::format("{} of {} and {}", what, other, operand(n.right()));
}

} // namespace warptree::scene
