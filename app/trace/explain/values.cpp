#include "app/trace/explain/values.hpp"

#include "app/base/type_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

namespace warptree {

namespace {
ValueType type_of(const Trace& trace, const Node& node) {
    return node.type == ValueType::none ? value_type_of(trace.options.type) : node.type;
}
} // namespace

float half_value(std::uint32_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 0x1FU, mantissa = half & 0x3FFU;
    if (exponent == 0) {
        const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(exponent == 31 ? sign | 0x7F800000U | mantissa << 13
                                               : sign | (exponent + 112U) << 23 | mantissa << 13);
}

std::string value_text(ValueType type, std::uint64_t bits) {
    if (type == ValueType::pointer) {
        return fmt::format("{:#x}", bits);
    }
    return visit_value(type, bits, [](auto value) { return fmt::format("{}", value); });
}

std::string value_text(ValueType type, std::uint64_t bits, int digits) {
    if (!is_floating(type)) {
        return value_text(type, bits);
    }
    return visit_value(type, bits,
                       [digits](auto value) { return fmt::format("{:.{}g}", static_cast<double>(value), digits); });
}

std::string value_text(const Trace& trace, const Node& node) { return value_text(type_of(trace, node), node.bits); }
std::string value_text(const Trace& trace, const Node& node, int digits) {
    return value_text(type_of(trace, node), node.bits, digits);
}

} // namespace warptree
