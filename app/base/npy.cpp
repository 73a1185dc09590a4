#include "app/base/npy.hpp"

#include "app/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace warptree::npy {

namespace {
constexpr std::size_t kPrefix = 10; // magic, version, header length

// The numbers of "(3, 4)"; false: it is no such list, or their product is too large.
bool read_shape(std::string_view shape, std::size_t item, Header& header) {
    header.dimensions = 0;
    header.count = 1;
    const auto skip_spaces = [&] { shape.remove_prefix(std::min(shape.find_first_not_of(' '), shape.size())); };
    for (skip_spaces(); !shape.starts_with(')'); skip_spaces()) {
        std::uint64_t length = 0;
        const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), length);
        if (error != std::errc{} || ++header.dimensions > 32 ||
            __builtin_mul_overflow(header.count, length, &header.count)) {
            return false;
        }
        shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
        skip_spaces();
        if (!shape.starts_with(',') && !shape.starts_with(')')) {
            return false;
        }
        shape.remove_prefix(shape.starts_with(',') ? 1 : 0);
    }
    return header.count <= std::numeric_limits<std::uint64_t>::max() / 2 / item;
}
} // namespace

std::size_t item_bytes(std::string_view dtype) {
    if (dtype.size() != 3) {
        return 0;
    }
    const char order = dtype[0], kind = dtype[1], size = dtype[2];
    const std::string_view kinds = size == '1' ? "biu" : size == '2' || size == '4' || size == '8' ? "iuf" : "";
    const bool known = kinds.find(kind) != std::string_view::npos && order == (size == '1' ? '|' : '<');
    return known ? static_cast<std::size_t>(size - '0') : 0;
}

Header read_header(std::string_view start) {
    if (!start.starts_with(kMagic.substr(0, 6))) {
        throw FileError("not an .npy file; save it with numpy.save");
    }
    if (!start.starts_with(kMagic)) {
        throw FileError("not a version 1 .npy file; save it with numpy.save");
    }
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(start[at])); };
    const std::size_t length = start.size() < kPrefix ? 0 : byte(8) | byte(9) << 8;
    if (start.size() < kPrefix + length || length == 0) {
        throw FileError("truncated .npy header");
    }
    const std::string_view text = start.substr(kPrefix, length);
    const auto after = [&](std::string_view key) {
        const auto at = text.find(key);
        return at == std::string_view::npos ? std::string_view{} : text.substr(at + key.size());
    };
    for (const std::string_view key : {"'descr'", "'fortran_order'", "'shape'"}) {
        if (text.find(key) != text.rfind(key)) {
            throw FileError(fmt::format("its header has {} twice; save it with numpy.save", key));
        }
    }
    Header header;
    const std::string_view descr = after("'descr': '");
    header.dtype = std::string(descr.substr(0, descr.find('\'')));
    header.bytes = kPrefix + length;
    const std::size_t item = item_bytes(header.dtype);
    if (item == 0) {
        throw FileError(fmt::format("its dtype '{}' is none of little-endian numbers; convert it with astype",
                                    printable(header.dtype)));
    }
    if (text.find("'fortran_order': False") == std::string_view::npos) {
        throw FileError("it is in Fortran order; convert it with numpy.ascontiguousarray");
    }
    if (!read_shape(after("'shape': ("), item, header)) {
        throw FileError("its shape is not a list of lengths; save it with numpy.save");
    }
    return header;
}

std::string header(std::string_view dtype, std::uint64_t count) {
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", dtype, count);
    text.append(63 - (kPrefix + text.size()) % 64, ' ');
    text += '\n';
    std::string out(kMagic);
    out += static_cast<char>(text.size() & 0xFF);
    out += static_cast<char>(text.size() >> 8);
    return out += text;
}

std::string encode(std::string_view dtype, std::uint64_t count, std::string_view data) {
    return header(dtype, count).append(data);
}

std::optional<Array> decode(std::string_view file) {
    try {
        const Header header = read_header(file);
        const std::string_view data = file.substr(header.bytes);
        if (header.dimensions == 1 && data.size() == header.count * item_bytes(header.dtype)) {
            return Array{header.dtype, header.count, data};
        }
    } catch (const FileError&) {
    }
    return std::nullopt;
}

} // namespace warptree::npy
