#include "app/run/array_fill.hpp"

#include "app/base/error.hpp"
#include "app/base/narrow_float.hpp"
#include "app/base/npy.hpp"
#include "app/base/number_list.hpp"
#include "app/base/random.hpp"
#include "app/base/regular_file.hpp"
#include "app/base/whole_file.hpp"
#include "app/run/choice/primes.hpp"
#include "app/simt/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace warptree::runs {

namespace {
template <class I> std::uint64_t cut(double number) {
    using Limits = std::numeric_limits<I>;
    const double clamped =
        std::isnan(number) ? 0
                           : std::clamp(number, static_cast<double>(Limits::min()), static_cast<double>(Limits::max()));
    const I value = clamped >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<I>(clamped);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

// Small numbers, readable in a cell, as for strategies.
double random_number(ValueType type, std::uint64_t seed, std::uint64_t i) {
    switch (type) {
    case ValueType::boolean: return static_cast<double>(mix(seed ^ mix(i)) & 1);
    case ValueType::f16:
    case ValueType::bf16:
    case ValueType::f32: return random_element<float>(seed, i);
    case ValueType::f64: return random_element<double>(seed, i);
    default:
        return is_signed(type) ? static_cast<double>(random_element<std::int32_t>(seed, i))
                               : static_cast<double>(random_element<std::uint32_t>(seed, i));
    }
}
} // namespace

std::uint64_t scalar_bits(ValueType type, double number) {
    switch (type) {
    case ValueType::none: return 0;
    case ValueType::boolean: return number != 0 ? 1 : 0;
    case ValueType::i8: return cut<std::int8_t>(number);
    case ValueType::u8: return cut<std::uint8_t>(number);
    case ValueType::i16: return cut<std::int16_t>(number);
    case ValueType::u16: return cut<std::uint16_t>(number);
    case ValueType::f16: return to_half(number);
    case ValueType::bf16: return to_bfloat16(number);
    case ValueType::i32: return cut<std::int32_t>(number);
    case ValueType::u32: return cut<std::uint32_t>(number);
    case ValueType::f32: return simt::bits_of(static_cast<float>(number));
    case ValueType::i64: return cut<std::int64_t>(number);
    case ValueType::u64: return cut<std::uint64_t>(number);
    case ValueType::f64: return simt::bits_of(number);
    case ValueType::pointer: return 0;
    }
    return 0;
}

double as_number(ValueType type, std::uint64_t bits) {
    switch (type) {
    case ValueType::f16: return half_value(static_cast<std::uint32_t>(bits));
    case ValueType::bf16: return bfloat16_value(static_cast<std::uint32_t>(bits));
    case ValueType::f32: return simt::f32(static_cast<std::uint32_t>(bits));
    case ValueType::f64: return simt::f64(bits);
    case ValueType::i8: return static_cast<std::int8_t>(bits);
    case ValueType::i16: return static_cast<std::int16_t>(bits);
    case ValueType::i32: return static_cast<std::int32_t>(bits);
    case ValueType::i64: return static_cast<double>(static_cast<std::int64_t>(bits));
    default: return static_cast<double>(bits);
    }
}

namespace {
// A fill that converts number(i), a double, to elements of the type.
template <class Number> simt::Allocation::Fill each(ValueType type, Number&& number) {
    return [type, number, size = bytes(type)](std::uint64_t first, std::uint64_t count, std::byte* to) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t bits = scalar_bits(type, number(first + i));
            std::memcpy(to + i * size, &bits, size);
        }
    };
}

// The largest prime that an array of the type gets: a sum of a thousand in half precision is still finite.
std::uint32_t largest_prime(ValueType type) {
    switch (type) {
    case ValueType::i8: return 127;
    case ValueType::u8: return 255;
    case ValueType::i16: return 32767;
    case ValueType::u16: return 65535;
    case ValueType::f16: return 100;
    default: return ~0U;
    }
}

// They repeat where they would exceed the type. negative: of signed types below zero, and the largest is not the first.
simt::Allocation::Fill primes_fill(ValueType type, unsigned place, bool negative) {
    constexpr std::size_t kApart = 41; // from one array's first prime to the next one's
    const double sign = negative && is_signed(type) ? -1 : 1;
    const std::uint64_t turned = negative ? 1 : 0; // neighbours
    return [type, place, sign, turned, size = bytes(type)](std::uint64_t first, std::uint64_t count, std::byte* to) {
        const std::uint64_t from = place * kApart;
        const auto all = primes(from + first + count + turned);
        const auto end = std::upper_bound(all->begin(), all->end(), largest_prime(type));
        const std::uint64_t period = end == all->end() ? kMostPrimes : static_cast<std::uint64_t>(end - all->begin());
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t bits = scalar_bits(type, sign * (*all)[(from + ((first + i) ^ turned)) % period]);
            std::memcpy(to + i * size, &bits, size);
        }
    };
}

// As words have them, so that counts of letters differ.
simt::Allocation::Fill letters_fill(ValueType type, unsigned place) {
    static constexpr std::string_view kText = "thequickbrownfoxjumpsoverthelazydogwhilepackedboxesmoveeastward";
    return each(type, [place](std::uint64_t i) {
        return static_cast<double>(kText[(i + 7 * std::uint64_t{place}) % kText.size()]);
    });
}
} // namespace

simt::Allocation::Fill array_fill(std::string_view fill, ValueType type, std::uint64_t seed, unsigned place) {
    if (fill == "zeros" || type == ValueType::pointer || type == ValueType::none) {
        return {};
    }
    const unsigned size = bytes(type);
    const bool negative = fill == "negative";
    if ((fill == "primes" || negative) && type != ValueType::boolean) {
        return primes_fill(type, place, negative);
    }
    if (fill == "largest" || fill == "smallest") {
        const double end = std::numeric_limits<double>::infinity() * (fill == "largest" ? 1 : -1);
        return each(type, [end](std::uint64_t) { return end; });
    }
    if (fill == "letters") {
        return letters_fill(type, place);
    }
    if (fill == "ones") {
        return each(type, [](std::uint64_t) { return 1.0; });
    }
    if (fill == "alternating") {
        return each(type, [type](std::uint64_t i) { return i % 2 == 0 ? 1.0 : is_signed(type) ? -1.0 : 0.0; });
    }
    if (fill == "pairs") {
        return each(type, [](std::uint64_t i) { return static_cast<double>(i / 2); });
    }
    if (fill == "flags") {
        return each(type, [](std::uint64_t i) { return i % 3 == 0 ? 1.0 : 0.0; });
    }
    if (fill == "states") {
        return each(type, [](std::uint64_t i) { // the same in no two rows of a power of two
            constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
            return static_cast<double>(((i + 1) * kMix >> 32) % 3);
        });
    }
    if (fill == "far" || fill == "unseen") {
        constexpr double kFar = 1e9;
        const double other = fill == "far" ? kFar : is_floating(type) || is_signed(type) ? -1 : kFar * kFar;
        return each(type, [other](std::uint64_t i) { return i % 4 == 3 ? 0.0 : other; });
    }
    if (fill == "triangular") { // where rows of 0, 1, 2 … elements begin
        return each(type, [](std::uint64_t i) { return static_cast<double>(i == 0 ? 0 : i * (i - 1) / 2); });
    }
    if (fill == "spaced") {
        constexpr double kRoom = 1024;
        return each(type, [](std::uint64_t i) { return static_cast<double>(i) * kRoom; });
    }
    if (fill == "empty") {
        return is_floating(type)
                   ? each(type, [](std::uint64_t) { return -1.0; })
                   : [size](std::uint64_t, std::uint64_t count, std::byte* to) { std::memset(to, 0xFF, count * size); };
    }
    if (fill == "falling") {
        return each(type, [](std::uint64_t i) { return static_cast<double>(i ^ 7U); });
    }
    if (fill == "random" || fill == "primes" || negative) {
        return each(type, [type, seed](std::uint64_t i) { return random_number(type, seed, i); });
    }
    // iota of integers wraps around.
    if (is_floating(type)) {
        return each(type, [](std::uint64_t i) { return static_cast<double>(i); });
    }
    return [size](std::uint64_t first, std::uint64_t count, std::byte* to) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t value = first + i;
            std::memcpy(to + i * size, &value, size);
        }
    };
}

simt::Allocation::Fill telling_fill(ValueType type, std::uint64_t seed, bool mixed, std::vector<double> more) {
    if (type == ValueType::pointer || type == ValueType::none) {
        return {};
    }
    double most = 0;
    for (const double value : more) {
        most = std::max(most, std::abs(value));
    }
    return each(type, [type, seed, mixed, most, more = std::move(more)](std::uint64_t i) {
        const std::uint64_t r = mix(seed ^ mix(i));
        if (mixed && !more.empty() && r % 5 == 0) {
            // Of both signs the largest magnitudes are negative, so that a maximum of magnitudes is no maximum.
            return r % 7 == 0 && is_signed(type) ? -1 - 1.5 * most : more[(r >> 8) % more.size()];
        }
        const double sign = mixed && is_signed(type) && (r >> 40 & 1) != 0 ? -1 : 1;
        if (type == ValueType::boolean) {
            return static_cast<double>(r >> 16 & 1);
        }
        const bool less = mixed && is_signed(type) && sign > 0; // as above
        if (is_floating(type)) {                                // the geometric mean is about 1
            return sign * static_cast<double>(32 + (r >> 16) % (less ? 63 : 71)) / 64;
        }
        const std::uint64_t kinds = !mixed ? 32 : bytes(type) == 1 ? 60 : 4000;
        return sign * static_cast<double>(2 * ((r >> 16) % (less ? kinds - kinds / 8 : kinds)) + 1);
    });
}

simt::Allocation::Fill fill_of(const compile::Parameter& parameter,
                               const std::function<simt::Allocation::Fill(ValueType type, unsigned k)>& of) {
    if (parameter.fields.empty()) {
        return of(parameter.element, 0);
    }
    struct Part {
        std::size_t offset, bytes;
        simt::Allocation::Fill fill;
    };
    std::vector<Part> parts;
    for (unsigned k = 0; k < parameter.fields.size(); ++k) {
        const compile::Parameter::Field& field = parameter.fields[k];
        if (simt::Allocation::Fill fill = of(field.type, k)) {
            parts.push_back({field.offset, bytes(field.type), std::move(fill)});
        }
    }
    if (parts.empty()) {
        return {};
    }
    return [parts, size = parameter.element_bytes](std::uint64_t first, std::uint64_t count, std::byte* to) {
        constexpr std::uint64_t kTogether = 1024;
        std::memset(to, 0, count * size);
        std::vector<std::byte> some;
        for (std::uint64_t done = 0; done < count; done += kTogether) {
            const std::uint64_t many = std::min(kTogether, count - done);
            for (const Part& part : parts) {
                some.resize(many * part.bytes);
                part.fill(first + done, many, some.data());
                for (std::uint64_t i = 0; i < many; ++i) {
                    std::memcpy(to + (done + i) * size + part.offset, some.data() + i * part.bytes, part.bytes);
                }
            }
        }
    };
}

simt::Allocation::Fill fill_of(const compile::Parameter& parameter, std::string_view fill, std::uint64_t seed,
                               unsigned place) {
    return fill_of(parameter, [&](ValueType type, unsigned k) {
        return array_fill(fill, type, seed + kSeedsApart * k, place + k);
    });
}

std::string path_beside(const std::string& kernel_file, std::string_view name) {
    if (kernel_file.empty()) {
        throw OptionError(fmt::format("{}: a file's header names arrays beside itself, and this text has no file yet; "
                                      "save it first",
                                      printable_path(name)));
    }
    try {
        return path_below(std::filesystem::absolute(kernel_file).parent_path(), name).string();
    } catch (const FileError& e) {
        throw OptionError(fmt::format("{}, or name it with --arg", e.what()));
    }
}

namespace {
// Before memory is taken for it: a file may be large and take no room on the disk.
void check_size(const std::string& path, std::uint64_t size, std::uint64_t most) {
    if (size > most) {
        throw FileError(
            fmt::format("{}: it is {}, and no more than {} fit into the memory that a run may take; --memory "
                        "allows more",
                        printable_path(path), simt::in_bytes(size), simt::in_bytes(most)));
    }
}
} // namespace

std::vector<std::byte> read_npy(const std::string& path, ValueType type, std::uint64_t& count, std::uint64_t most) {
    RegularFile file(path);
    const auto bad = [&](const std::string& why) {
        return FileError(fmt::format("{}: {}", printable_path(path), why));
    };
    check_size(path, file.bytes(), most);
    std::string start(npy::kMostHeaderBytes, '\0');
    start.resize(file.read(start.data(), start.size()));
    npy::Header header;
    try {
        header = npy::read_header(start);
    } catch (const FileError& e) {
        throw bad(e.what());
    }
    const char kind = type == ValueType::boolean ? 'b' : is_floating(type) ? 'f' : is_signed(type) ? 'i' : 'u';
    const unsigned each = bytes(type);
    if (each == 0) {
        throw bad("the kernel does not say what type its elements have");
    }
    if (header.dtype != fmt::format("{}{}{}", each == 1 ? '|' : '<', kind, each)) {
        throw bad(fmt::format("its dtype '{}' is not {}; convert it with astype", header.dtype, name(type)));
    }
    const std::uint64_t stated = header.count * each;
    if (file.bytes() != header.bytes + stated) {
        throw bad(fmt::format("its header states {} elements, and the file has {} bytes for them; save it again",
                              header.count, file.bytes() < header.bytes ? 0 : file.bytes() - header.bytes));
    }
    std::vector<std::byte> data(stated);
    const std::size_t there = std::min<std::uint64_t>(start.size() - header.bytes, stated);
    std::copy_n(reinterpret_cast<const std::byte*>(start.data()) + header.bytes, there, data.begin());
    if (file.read(reinterpret_cast<char*>(data.data()) + there, stated - there) != stated - there) {
        throw bad("it became shorter while it was read");
    }
    count = header.count;
    return data;
}

namespace {
// Parses the word as a number of type T into `bits`; false: it is not one.
template <class T> bool parsed(std::string_view word, std::uint64_t& bits) {
    T value{};
    const bool good = number_from(word, value);
    bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return good;
}
bool bits_from(std::string_view word, ValueType type, std::uint64_t& bits) {
    switch (type) {
    case ValueType::i8: return parsed<std::int8_t>(word, bits);
    case ValueType::u8: return parsed<std::uint8_t>(word, bits);
    case ValueType::i16: return parsed<std::int16_t>(word, bits);
    case ValueType::u16: return parsed<std::uint16_t>(word, bits);
    case ValueType::i32: return parsed<std::int32_t>(word, bits);
    case ValueType::u32: return parsed<std::uint32_t>(word, bits);
    case ValueType::i64: return parsed<std::int64_t>(word, bits);
    case ValueType::u64: return parsed<std::uint64_t>(word, bits);
    case ValueType::f32: return parsed<float>(word, bits);
    default: {
        const bool good = parsed<double>(word, bits);
        bits = scalar_bits(type, simt::f64(bits));
        return good;
    }
    }
}
} // namespace

std::vector<std::byte> read_input(const std::string& path, ValueType type, std::uint64_t count, std::uint64_t most) {
    const std::size_t size = bytes(type);
    std::array<char, 6> start{};
    RegularFile file(path);
    check_size(path, file.bytes(), most);
    if (file.read(start.data(), start.size()) == start.size() &&
        npy::kMagic.starts_with(std::string_view(start.data(), start.size()))) {
        std::uint64_t there = 0;
        std::vector<std::byte> data = read_npy(path, type, there, most);
        if (there < count) {
            throw too_few_numbers(path, there, count);
        }
        data.resize(count * size);
        return data;
    }
    const std::string text = read_text(path, most);
    std::vector<std::byte> data(count * size);
    read_numbers(text, path, count, name(type), [&](std::string_view word, std::uint64_t i) {
        std::uint64_t value = 0;
        const bool good = bits_from(word, type, value);
        std::memcpy(data.data() + i * size, &value, size);
        return good;
    });
    return data;
}

} // namespace warptree::runs
