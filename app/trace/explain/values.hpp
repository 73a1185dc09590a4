// Values of a kernel's types, from their bits.
#pragma once

#include "app/base/narrow_float.hpp"
#include "app/trace/model/trace.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

// Calls f with the value as float, double, std::int64_t, or std::uint64_t (unsigned types, booleans, addresses).
template <class F> auto visit_value(ValueType type, std::uint64_t bits, F&& f) {
    switch (type) {
    case ValueType::f16: return f(half_value(static_cast<std::uint32_t>(bits)));
    case ValueType::bf16: return f(bfloat16_value(static_cast<std::uint32_t>(bits)));
    case ValueType::f32: return f(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ValueType::f64: return f(std::bit_cast<double>(bits));
    case ValueType::i8: return f(std::int64_t{static_cast<std::int8_t>(bits)});
    case ValueType::i16: return f(std::int64_t{static_cast<std::int16_t>(bits)});
    case ValueType::i32: return f(std::int64_t{static_cast<std::int32_t>(bits)});
    case ValueType::i64: return f(static_cast<std::int64_t>(bits));
    default: return f(bits);
    }
}

// "36", "0.1", "-inf".
std::string value_text(ValueType type, std::uint64_t bits);
// "s[5]", or "tile[3][1]" of an array of rows.
std::string element_name(const SharedArray& array, std::uint64_t index);
// The first `most` elements of an array that a kernel stored to, as far as they were kept.
std::vector<std::string> first_elements(const KernelOutput& output, std::size_t most);
// The same, with `digits` significant digits for floating-point values.
std::string value_text(ValueType type, std::uint64_t bits, int digits);
// Whether a value that was made of two others, in a way that nothing names, is their product.
bool is_product(const Trace& trace, const Launch& launch, const Node& node);
// The type of a node: its own if it has one, else the trace's.
std::string value_text(const Trace& trace, const Node& node);
std::string value_text(const Trace& trace, const Node& node, int digits);

} // namespace warptree
