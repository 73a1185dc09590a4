#include "app/compile/compiler_kept.hpp"

#include <algorithm>

namespace warptree::compile {
namespace {

constexpr std::string_view kMagic = "warptree programs 1\n";

void put(std::string& out, std::string_view bytes) {
    for (unsigned b = 0; b < 32; b += 8) out += static_cast<char>(bytes.size() >> b & 0xFF);
    out += bytes;
}

std::string_view take(std::string_view& from) {
    std::size_t length = 0;
    if (from.size() < 4) throw CompileError("the file of compiled kernels is truncated");
    for (unsigned b = 0; b < 4; ++b) length |= std::size_t{static_cast<unsigned char>(from[b])} << (8 * b);
    from.remove_prefix(4);
    if (length > from.size()) throw CompileError("the file of compiled kernels is truncated");
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
    std::string out(kMagic);
    for (const auto& [key, bytes] : programs) {
        put(out, key);
        put(out, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return out;
}

KeptPrograms kept_from(std::string_view bytes) {
    if (!bytes.starts_with(kMagic)) throw CompileError("the file of compiled kernels is of another version");
    bytes.remove_prefix(kMagic.size());
    KeptPrograms programs;
    while (!bytes.empty()) {
        const std::string_view key = take(bytes), program = take(bytes);
        programs[std::string(key)].assign(program.begin(), program.end());
    }
    return programs;
}

std::string kept_file(const std::string& kernel_file) { return "programs/" + kernel_file + ".kept"; }

} // namespace warptree::compile
