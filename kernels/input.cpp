#include "kernels/input.hpp"

#include "app/base/error.hpp"
#include "app/base/number_list.hpp"
#include "app/base/random.hpp"
#include "kernels/strategy.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <type_traits>

namespace warptree {

std::uint64_t Elements::bits(std::size_t i) const {
    std::uint64_t value = 0;
    const unsigned size = warptree::bytes(type);
    std::memcpy(&value, bytes.data() + i * size, size);
    return value;
}

void Elements::set_bits(std::size_t i, std::uint64_t value) {
    const unsigned size = warptree::bytes(type);
    std::memcpy(bytes.data() + i * size, &value, size);
}

namespace {
template <class T> void read_text(const std::string& text, const RunOptions& o, T* out) {
    read_numbers(text, o.input_file, o.n, name(ElementTypeOf<T>::value),
                 [out](std::string_view word, std::uint64_t i) { return number_from(word, out[i]); });
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw FileError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
    }
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) {
        throw FileError(fmt::format("{}: cannot be read", path));
    }
    return text;
}

// A one-dimensional, little-endian, C-order array of the very type.
template <class T> void read_npy(const std::string& text, const RunOptions& o, T* out) {
    constexpr std::size_t kPrefix = 10;
    const auto bad = [&](const std::string& why) -> FileError {
        return FileError(fmt::format("{}: {}", o.input_file, why));
    };
    if (text.size() < kPrefix || text[6] != 1) {
        throw bad("not a version 1 .npy file; save it with numpy.save");
    }
    const std::size_t header =
        static_cast<unsigned char>(text[8]) | static_cast<std::size_t>(static_cast<unsigned char>(text[9])) << 8;
    if (text.size() < kPrefix + header) {
        throw bad("truncated .npy header");
    }
    const std::string_view head = std::string_view(text).substr(kPrefix, header);
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    if (head.find(fmt::format("'<{}{}'", kind, sizeof(T))) == std::string_view::npos) {
        throw bad(fmt::format("its dtype is not {}; convert it with astype, or give its --type",
                              name(ElementTypeOf<T>::value)));
    }
    const std::size_t data = text.size() - kPrefix - header;
    if (data / sizeof(T) < o.n) {
        throw too_few_numbers(o.input_file, data / sizeof(T), o.n);
    }
    std::memcpy(out, text.data() + kPrefix + header, o.n * sizeof(T));
}
} // namespace

Elements make_input(const RunOptions& asked) {
    RunOptions o = asked;
    o.n = inputs_for(asked);
    Elements elements{o.type, {}};
    elements.resize(o.n);
    visit_element(o.type, [&](auto tag) {
        using T = decltype(tag);
        T* x = elements.as<T>();
        switch (o.input) {
        case InputKind::ones: std::fill_n(x, o.n, T(1)); break;
        case InputKind::iota:
            for (std::uint64_t i = 0; i < o.n; ++i) {
                x[i] = static_cast<T>(i);
            }
            break;
        case InputKind::alternating:
            for (std::uint64_t i = 0; i < o.n; ++i) {
                x[i] = i % 2 == 0 ? T(1) : std::is_unsigned_v<T> ? T(0) : static_cast<T>(-1);
            }
            break;
        case InputKind::random:
            for (std::uint64_t i = 0; i < o.n; ++i) {
                x[i] = random_element<T>(o.seed, i);
            }
            break;
        case InputKind::file: {
            const std::string text = read_file(o.input_file);
            text.starts_with("\x93NUMPY") ? read_npy(text, o, x) : read_text(text, o, x);
        }
        }
    });
    return elements;
}

} // namespace warptree
