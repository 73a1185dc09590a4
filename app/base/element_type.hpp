// Element types and operators as enums, which kernels need too. Everything else is in element.hpp.
#pragma once

#include <cstdint>

namespace warptree {

enum class ElementType : std::uint8_t { i32, u32, i64, f32, f64 };
// sum_of_squares maps before it combines: each element is squared as it is loaded, then summed.
enum class Operator : std::uint8_t { sum, product, min, max, xor_, sum_of_squares };

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

} // namespace warptree
