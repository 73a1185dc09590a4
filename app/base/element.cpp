#include "app/base/element.hpp"

#include <charconv>
#include <cmath>

namespace warptree {

std::string_view name(ElementType type) {
    switch (type) {
    case ElementType::i32: return "i32";
    case ElementType::u32: return "u32";
    case ElementType::i64: return "i64";
    case ElementType::f32: return "f32";
    case ElementType::f64: break;
    }
    return "f64";
}

std::string_view name(Operator op) {
    switch (op) {
    case Operator::sum: return "sum";
    case Operator::product: return "product";
    case Operator::min: return "min";
    case Operator::max: return "max";
    case Operator::xor_: return "xor";
    case Operator::sum_of_squares: break;
    }
    return "sum-of-squares";
}

std::optional<ElementType> element_type_from(std::string_view text) {
    for (ElementType type : kElementTypes) {
        if (name(type) == text) {
            return type;
        }
    }
    return {};
}

std::optional<Operator> operator_from(std::string_view text) {
    for (Operator op : kOperators) {
        if (name(op) == text) {
            return op;
        }
    }
    return {};
}

std::string to_string(const Scalar& value) {
    return visit_element(value.type, [&](auto zero) -> std::string {
        const auto v = value.as<decltype(zero)>();
        if constexpr (std::is_floating_point_v<decltype(zero)>) {
            if (std::isnan(v)) {
                return "nan"; // to_chars would show the sign of some
            }
        }
        std::array<char, 32> text;
        const auto end = std::to_chars(text.data(), text.data() + text.size(), v).ptr;
        return {text.data(), end};
    });
}

} // namespace warptree
