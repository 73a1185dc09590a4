#include "app/serve/site.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <zlib.h>

namespace warptree::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".wasm", "application/wasm"}, // else a browser does not compile it while it comes
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".webmanifest", "application/manifest+json"},
    {".ttf", "font/ttf"},
    {".otf", "font/otf"},
    {".cu", "text/plain; charset=utf-8"},
    {".cuh", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".deck", "text/plain; charset=utf-8"},
    {".lesson", "text/plain; charset=utf-8"},
};

std::string type_of(std::string_view name) {
    for (const auto& [end, type] : kTypes) {
        if (name.ends_with(end)) return std::string(type);
    }
    return "application/octet-stream";
}

std::shared_ptr<const std::string> deflated(const std::string& bytes) {
    constexpr int kGzip = 15 + 16, kLevel = 9, kMemory = 8;
    constexpr std::size_t kWorthIt = 512;
    if (bytes.size() < kWorthIt || bytes.size() > UINT32_MAX) return nullptr;
    z_stream stream{};
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) return nullptr;
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (!whole || out.size() > bytes.size() * 9 / 10) return nullptr;
    return std::make_shared<const std::string>(std::move(out));
}

// FNV-1a of 64 bits: it tells versions of a file apart, and guards nothing.
std::string tag_of(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return fmt::format("\"{:016x}-{:x}\"", hash, bytes.size());
}

} // namespace

SiteFile site_file(std::string_view name, std::string bytes) {
    SiteFile file;
    file.type = type_of(name);
    file.tag = tag_of(bytes);
    file.bytes = std::make_shared<const std::string>(std::move(bytes));
    file.deflated = deflated(*file.bytes);
    return file;
}

std::map<std::string, SiteFile> site_of(const fs::path& folder, const SiteLimits& limits) {
    std::map<std::string, SiteFile> files;
    std::uint64_t total = 0;
    try {
        const fs::path top = fs::canonical(folder);
        if (!fs::is_directory(top)) throw FileError(printable_path(folder.string()) + " is no folder");
        for (auto at = fs::recursive_directory_iterator(top, fs::directory_options::skip_permission_denied);
             at != fs::recursive_directory_iterator(); ++at) {
            const std::string name = at->path().filename().string();
            if (name.starts_with('.')) {
                if (at->is_directory()) at.disable_recursion_pending();
                continue;
            }
            if (!at->is_regular_file()) continue;
            const fs::path real = fs::canonical(at->path());
            if (std::mismatch(top.begin(), top.end(), real.begin(), real.end()).first != top.end()) continue;
            const std::string path = at->path().lexically_relative(top).generic_string();
            std::string bytes = read_whole(real, limits.bytes - total);
            total += bytes.size();
            if (files.size() == limits.files)
                throw FileError(
                    fmt::format("{} has more than {} files", printable_path(folder.string()), limits.files));
            files.emplace(path, site_file(path, std::move(bytes)));
        }
    } catch (const fs::filesystem_error& error) {
        throw FileError(printable_path(folder.string()) + ": " + error.code().message());
    }
    return files;
}

} // namespace warptree::serve
