#include "app/base/options.hpp"

#include <array>
#include <charconv>

namespace warptree {
namespace {

template <class Enum, std::size_t N>
std::optional<Enum> from_name(std::string_view text, const std::array<Enum, N>& all) {
    for (Enum value : all) {
        if (name(value) == text) {
            return value;
        }
    }
    return {};
}

// All of `text` as decimal digits.
std::optional<std::uint64_t> parse_digits(std::string_view text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) {
        return {};
    }
    return value;
}

std::optional<std::uint64_t> times(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) {
        return {};
    }
    return product;
}

std::optional<std::uint64_t> power(std::uint64_t base, std::uint64_t exponent) {
    if (base <= 1) {
        return exponent == 0 ? 1 : base;
    }
    std::optional<std::uint64_t> result = 1;
    for (; exponent > 0 && result; --exponent) { // 64 rounds at most: base is 2 or more
        result = times(*result, base);
    }
    return result;
}

} // namespace

std::string_view name(Finish finish) {
    switch (finish) {
    case Finish::host: return "host";
    case Finish::relaunch: return "relaunch";
    case Finish::atomic: return "atomic";
    case Finish::last_block: break;
    }
    return "last-block";
}

std::string_view name(Backend backend) {
    switch (backend) {
    case Backend::automatic: return "auto";
    case Backend::cpu: return "cpu";
    case Backend::cuda: break;
    }
    return "cuda";
}

std::string_view name(WarpOrder order) {
    switch (order) {
    case WarpOrder::in_order: return "in-order";
    case WarpOrder::reverse: return "reverse";
    case WarpOrder::random: return "random";
    case WarpOrder::lockstep: break;
    }
    return "lockstep";
}

std::string_view name(InputKind input) {
    switch (input) {
    case InputKind::ones: return "ones";
    case InputKind::iota: return "iota";
    case InputKind::random: return "random";
    case InputKind::alternating: return "alternating";
    case InputKind::file: break;
    }
    return "file";
}

std::optional<Finish> finish_from(std::string_view text) {
    return from_name(text, std::array{Finish::host, Finish::relaunch, Finish::atomic, Finish::last_block});
}

std::optional<Backend> backend_from(std::string_view text) {
    return from_name(text, std::array{Backend::automatic, Backend::cpu, Backend::cuda});
}

std::optional<WarpOrder> warp_order_from(std::string_view text) { return from_name(text, kWarpOrders); }

void ask_for_elements(RunOptions& options, std::uint64_t n) {
    options.n = n;
    options.kernel.n_given = options.kernel.given();
}

void ask_for_block(RunOptions& options, std::uint32_t block) {
    if (options.kernel.given()) {
        options.kernel.block = std::to_string(block);
        options.block.reset();
    } else {
        options.block = block;
    }
}

void ask_for_input(RunOptions& options, InputKind input) {
    options.input = input;
    options.kernel.input_given = options.kernel.given();
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    if (const auto caret = text.find('^'); caret != std::string_view::npos) {
        const auto base = parse_digits(text.substr(0, caret));
        const auto exponent = parse_digits(text.substr(caret + 1));
        return base && exponent ? power(*base, *exponent) : std::nullopt;
    }
    std::uint64_t unit = 1;
    if (!text.empty()) {
        switch (text.back()) {
        case 'k':
        case 'K': unit = 1ULL << 10; break;
        case 'm':
        case 'M': unit = 1ULL << 20; break;
        case 'g':
        case 'G': unit = 1ULL << 30; break;
        default: break;
        }
    }
    if (unit != 1) {
        text.remove_suffix(1);
    }
    const auto digits = parse_digits(text);
    return digits ? times(*digits, unit) : std::nullopt;
}

} // namespace warptree
