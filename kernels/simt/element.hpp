// Element types, operators and a type-erased element value.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace warptree {

enum class ElementType : std::uint8_t { i32, u32, i64, f32, f64 };
// sum_of_squares maps before it combines: each element is squared as it is loaded, then summed.
enum class Operator : std::uint8_t { sum, product, min, max, xor_, sum_of_squares };

inline constexpr std::array kElementTypes{ElementType::i32, ElementType::u32, ElementType::i64, ElementType::f32,
                                          ElementType::f64};
inline constexpr std::array kOperators{Operator::sum, Operator::product, Operator::min,
                                       Operator::max, Operator::xor_,    Operator::sum_of_squares};

// Names as on the command line: "i32", "sum", "xor", "sum-of-squares", ...
std::string_view name(ElementType type);
std::string_view name(Operator op);
std::optional<ElementType> element_type_from(std::string_view text);
std::optional<Operator> operator_from(std::string_view text);

constexpr unsigned bytes(ElementType type) { return type == ElementType::i64 || type == ElementType::f64 ? 8U : 4U; }
constexpr bool is_floating(ElementType type) { return type == ElementType::f32 || type == ElementType::f64; }
// xor is defined on the bits of integers only.
constexpr bool supports(ElementType type, Operator op) { return op != Operator::xor_ || !is_floating(type); }

template <class T> struct ElementTypeOf;
template <> struct ElementTypeOf<std::int32_t> { static constexpr ElementType value = ElementType::i32; };
template <> struct ElementTypeOf<std::uint32_t> { static constexpr ElementType value = ElementType::u32; };
template <> struct ElementTypeOf<std::int64_t> { static constexpr ElementType value = ElementType::i64; };
template <> struct ElementTypeOf<float> { static constexpr ElementType value = ElementType::f32; };
template <> struct ElementTypeOf<double> { static constexpr ElementType value = ElementType::f64; };

// Calls f(T{}) with the C++ type of `type`.
template <class F> decltype(auto) visit_element(ElementType type, F&& f) {
    switch (type) {
    case ElementType::i32: return f(std::int32_t{});
    case ElementType::u32: return f(std::uint32_t{});
    case ElementType::i64: return f(std::int64_t{});
    case ElementType::f32: return f(float{});
    case ElementType::f64: break;
    }
    return f(double{});
}

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
