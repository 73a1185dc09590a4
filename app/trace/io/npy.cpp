#include "app/trace/io/npy.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warptree::npy {

namespace {
constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t kPrefix = 10; // magic, version, header length
} // namespace

std::size_t item_bytes(std::string_view dtype) {
    if (dtype == "|u1") {
        return 1;
    }
    if (dtype.size() != 3 || dtype[0] != '<') {
        return 0;
    }
    const char kind = dtype[1], size = dtype[2];
    const bool known = (kind == 'u' && (size == '2' || size == '4' || size == '8')) ||
                       ((kind == 'i' || kind == 'f') && (size == '4' || size == '8'));
    return known ? static_cast<std::size_t>(size - '0') : 0;
}

std::string encode(std::string_view dtype, std::uint64_t count, std::string_view data) {
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", dtype, count);
    header.append(63 - (kPrefix + header.size()) % 64, ' ');
    header += '\n';
    std::string out(kMagic);
    out += static_cast<char>(header.size() & 0xFF);
    out += static_cast<char>(header.size() >> 8);
    return out.append(header).append(data);
}

std::optional<Array> decode(std::string_view file) {
    if (!file.starts_with(kMagic) || file.size() < kPrefix) {
        return std::nullopt;
    }
    const std::size_t length =
        static_cast<unsigned char>(file[8]) | static_cast<std::size_t>(static_cast<unsigned char>(file[9])) << 8;
    if (file.size() < kPrefix + length) {
        return std::nullopt;
    }
    const std::string_view header = file.substr(kPrefix, length);
    const auto after = [&](std::string_view key) {
        const auto at = header.find(key);
        return at == std::string_view::npos ? std::string_view{} : header.substr(at + key.size());
    };
    Array array;
    const std::string_view descr = after("'descr': '");
    array.dtype = std::string(descr.substr(0, descr.find('\'')));
    const std::size_t item = item_bytes(array.dtype);
    const std::string_view shape = after("'shape': (");
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), array.count);
    const auto used = static_cast<std::size_t>(end - shape.data());
    if (item == 0 || error != std::errc{} || !shape.substr(used).starts_with(",)") ||
        header.find("'fortran_order': False") == std::string_view::npos) {
        return std::nullopt;
    }
    array.data = file.substr(kPrefix + length);
    if (array.data.size() % item != 0 || array.data.size() / item != array.count) {
        return std::nullopt;
    }
    return array;
}

} // namespace warptree::npy
