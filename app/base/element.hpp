// Names of element types and operators, and a type-erased element value.
#pragma once

#include "app/base/element_type.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace warptree {

inline constexpr std::array kElementTypes{ElementType::i32, ElementType::u32, ElementType::i64, ElementType::f32,
                                          ElementType::f64};
inline constexpr std::array kOperators{Operator::sum, Operator::product, Operator::min,
                                       Operator::max, Operator::xor_,    Operator::sum_of_squares};

// Names as on the command line: "i32", "sum", "xor", "sum-of-squares", ...
std::string_view name(ElementType type);
std::string_view name(Operator op);
std::optional<ElementType> element_type_from(std::string_view text);
std::optional<Operator> operator_from(std::string_view text);

// One element of any type, kept as its bits (little-endian, upper bytes zero for 4-byte types).
struct Scalar {
    ElementType type = ElementType::i32;
    std::uint64_t bits = 0;

    template <class T> static Scalar of(T value) {
        Scalar s{ElementTypeOf<T>::value, 0};
        std::memcpy(&s.bits, &value, sizeof(T));
        return s;
    }
    template <class T> T as() const {
        T value;
        std::memcpy(&value, &bits, sizeof(T));
        return value;
    }
    double as_double() const {
        return visit_element(type, [this](auto t) { return static_cast<double>(as<decltype(t)>()); });
    }
    friend bool operator==(const Scalar&, const Scalar&) = default;
};

// Shortest text that reads back as the same value ("36", "0.1", "-inf").
std::string to_string(const Scalar& value);

} // namespace warptree
