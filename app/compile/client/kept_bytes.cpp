#include "app/compile/client/kept.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::compile {
namespace {

constexpr std::string_view kMagic = "warptree programs 2\n";
constexpr const char* kTruncated = "the file of compiled kernels is truncated";

void put(std::string& out, std::string_view bytes) {
    for (unsigned b = 0; b < 32; b += 8) out += static_cast<char>(bytes.size() >> b & 0xFF);
    out += bytes;
}

std::string_view take(std::string_view& from) {
    std::size_t length = 0;
    if (from.size() < 4) throw CompileError(kTruncated);
    for (unsigned b = 0; b < 4; ++b) length |= std::size_t{static_cast<unsigned char>(from[b])} << (8 * b);
    from.remove_prefix(4);
    if (length > from.size()) throw CompileError(kTruncated);
    const std::string_view taken = from.substr(0, length);
    from.remove_prefix(length);
    return taken;
}

// FNV-1a; the text, by far the longest part of a key, takes eight bytes in it.
std::string hashed(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    std::string bytes;
    for (unsigned b = 0; b < 64; b += 8) bytes += static_cast<char>(hash >> b & 0xFF);
    return bytes;
}

void put_count(std::string& out, std::size_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

std::size_t take_count(std::string_view& from) {
    std::size_t number = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (from.empty()) throw CompileError(kTruncated);
        const auto byte = static_cast<unsigned char>(from.front());
        from.remove_prefix(1);
        number |= std::size_t{byte & 0x7FU} << shift;
        if (byte < 0x80) return number;
    }
    throw CompileError(kTruncated);
}

// The programs of a file are much alike, but megabytes apart, where gzip does not see it. So what was there before is
// referred to: the number of new bytes, these, the number of bytes to repeat, and unless it is 0, how far back they begin.
std::string packed(std::string_view bytes) {
    constexpr std::size_t kLeast = 16;                           // bytes to repeat
    constexpr unsigned kSlots = 20;                              // bits
    std::vector<std::uint32_t> places(std::size_t{1} << kSlots); // of bytes with that hash, plus 1
    const auto slot = [&](std::size_t at) {
        std::uint64_t a = 0, b = 0;
        std::memcpy(&a, bytes.data() + at, 8);
        std::memcpy(&b, bytes.data() + at + 8, 8);
        return ((a * 0x9E3779B97F4A7C15ULL) ^ (b * 0xC2B2AE3D27D4EB4FULL)) * 0x9E3779B97F4A7C15ULL >> (64 - kSlots);
    };
    std::string out;
    std::size_t fresh = 0; // first byte that is not written yet
    for (std::size_t at = 0; at + kLeast <= bytes.size();) {
        std::uint32_t& place = places[slot(at)];
        const std::size_t before = place == 0 ? at : place - 1;
        place = static_cast<std::uint32_t>(at + 1);
        std::size_t length = 0;
        while (before < at && at + length < bytes.size() && bytes[before + length] == bytes[at + length]) ++length;
        if (length < kLeast) {
            ++at;
            continue;
        }
        put_count(out, at - fresh);
        out += bytes.substr(fresh, at - fresh);
        put_count(out, length);
        put_count(out, at - before);
        at += length;
        fresh = at;
    }
    put_count(out, bytes.size() - fresh);
    out += bytes.substr(fresh);
    put_count(out, 0);
    return out;
}

std::string unpacked(std::string_view from) {
    constexpr std::size_t kMost = std::size_t{1} << 28; // bytes
    std::string out;
    for (;;) {
        const std::size_t fresh = take_count(from);
        if (fresh > from.size()) throw CompileError(kTruncated);
        out += from.substr(0, fresh);
        from.remove_prefix(fresh);
        const std::size_t length = take_count(from);
        if (length == 0) return out;
        const std::size_t back = take_count(from);
        if (back == 0 || back > out.size() || out.size() + length > kMost)
            throw CompileError("the file of compiled kernels is damaged");
        for (std::size_t i = 0; i < length; ++i) out += out[out.size() - back];
    }
}

} // namespace

std::string kept_key(const Request& request) {
    std::string key;
    put(key, request.name);
    put(key, hashed(request.text));
    for (const Define& d : request.defines) put(key, d.name + "=" + d.value);
    for (const std::string& instance : request.instances) put(key, instance);
    return key;
}

std::string kept_bytes(const KeptPrograms& programs) {
    std::string all;
    for (const auto& [key, bytes] : programs) {
        put(all, key);
        put(all, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return std::string(kMagic) + packed(all);
}

KeptPrograms kept_from(std::string_view bytes) {
    if (!bytes.starts_with(kMagic)) throw CompileError("the file of compiled kernels is of another version");
    const std::string all = unpacked(bytes.substr(kMagic.size()));
    bytes = all;
    KeptPrograms programs;
    while (!bytes.empty()) {
        const std::string_view key = take(bytes), program = take(bytes);
        programs[std::string(key)].assign(program.begin(), program.end());
    }
    return programs;
}

std::string kept_file(const std::string& kernel_file) { return "programs/" + kernel_file + ".kept"; }

} // namespace warptree::compile
