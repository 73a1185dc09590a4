#include "app/theory/banks/request_text.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/theory/banks/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warptree::banks {

namespace {
// The largest element index whose word number fits in 32 bits.
constexpr std::int64_t kMaxIndex = (1LL << 30) - 1;

template <class T> std::optional<T> whole(std::string_view text, int base = 10) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

[[noreturn]] void refuse(const char* option, const std::string& value, const char* works) {
    throw OptionError(fmt::format("{} '{}' is not usable; {}", option, printable(value), works));
}

void check_index(std::int64_t index, unsigned lane) {
    if (index < 0 || index > kMaxIndex) {
        throw OptionError(fmt::format("lane {} accesses element {}; indices must be 0 to {}", lane, index, kMaxIndex));
    }
}

// Sets the listed lanes; the others are inactive.
void take_lanes(const std::string& list, BankRequest& request) {
    unsigned lane = 0;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        const auto index = whole<std::int64_t>(std::string_view(list).substr(at, comma - at));
        if (!index || lane == 32) {
            refuse("--lanes", list, "take up to 32 element indices, as in 0,2,4");
        }
        check_index(*index, lane);
        request.index[lane++] = static_cast<std::uint32_t>(*index);
        at = comma + 1;
    }
    request.mask = lane == 32 ? 0xFFFFFFFFU : (1U << lane) - 1;
}

void take_expression(const RequestText& words, BankRequest& request) {
    const auto stride = whole<std::int64_t>(words.stride);
    if (!stride) {
        refuse("--stride", words.stride, "take a whole number");
    }
    const auto warp = whole<std::int64_t>(words.warp);
    if (!warp || *warp < 0 || *warp > 31) {
        refuse("--warp", words.warp, "take 0 to 31");
    }
    const Expression expression(words.index);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((request.mask >> lane & 1U) != 0) {
            const std::int64_t index = expression.value({*warp * 32 + lane, lane, *warp, *stride});
            check_index(index, lane);
            request.index[lane] = static_cast<std::uint32_t>(index);
        }
    }
}
} // namespace

BankRequest parse(const RequestText& words) {
    BankRequest request;
    request.store = words.store;
    if (words.bytes != "4" && words.bytes != "8" && words.bytes != "16") {
        refuse("--bytes", words.bytes, "take 4, 8 or 16");
    }
    request.bytes = *whole<unsigned>(words.bytes);
    if (words.banks != "32" && words.banks != "16") {
        refuse("--banks", words.banks, "take 32, or 16 for cc 1.x");
    }
    request.banks = *whole<int>(words.banks);
    if (words.index.empty() == words.lanes.empty()) {
        throw OptionError("a request needs either --index EXPR, as in '2*s*t', or --lanes i0,i1,...");
    }
    if (!words.lanes.empty()) {
        take_lanes(words.lanes, request);
    }
    if (!words.mask.empty()) {
        std::string_view digits = words.mask;
        digits.remove_prefix(digits.starts_with("0x") || digits.starts_with("0X") ? 2 : 0);
        const auto mask = whole<std::uint32_t>(digits, 16);
        if (!mask) {
            refuse("--mask", words.mask, "take up to 8 hexadecimal digits, as in ff or 0x0000ffff");
        }
        if (!words.lanes.empty() && (*mask & ~request.mask) != 0) {
            refuse("--mask", words.mask, "it has lanes that --lanes does not list");
        }
        request.mask = *mask;
    }
    if (!words.index.empty()) {
        take_expression(words, request);
    }
    return request;
}

} // namespace warptree::banks
