#include "app/gpu/code_cache.hpp"

#include "app/base/error.hpp"
#include "app/base/random.hpp"
#include "app/base/whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace warptree::gpu {

namespace fs = std::filesystem;

namespace {
constexpr std::string_view kBegins = "warptree kernel 1\n";

void put_number(std::string& to, std::uint64_t number) {
    for (int i = 0; i < 8; ++i) {
        to.push_back(static_cast<char>(number >> (8 * i)));
    }
}
void put_text(std::string& to, std::string_view text) {
    put_number(to, text.size());
    to += text;
}

std::optional<std::uint64_t> take_number(std::string_view& from) {
    if (from.size() < 8) {
        return std::nullopt;
    }
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) {
        number |= std::uint64_t{static_cast<unsigned char>(from[static_cast<std::size_t>(i)])} << (8 * i);
    }
    from.remove_prefix(8);
    return number;
}
std::optional<std::string> take_text(std::string_view& from) {
    const auto size = take_number(from);
    if (!size || *size > from.size()) {
        return std::nullopt;
    }
    std::string text(from.substr(0, *size));
    from.remove_prefix(*size);
    return text;
}

std::string check_of(std::string_view bytes) {
    CacheKey sum;
    sum.add(bytes);
    return sum.text();
}

fs::path usual_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return fs::path(value != nullptr ? value : "");
    };
    if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
        return cache / "warptree" / "kernels";
    }
    const fs::path home = variable("HOME");
    return home.is_absolute() ? home / ".cache" / "warptree" / "kernels" : fs::path();
}
} // namespace

void CacheKey::add(std::string_view part) {
    const auto byte = [this](unsigned char b) {
        first_ = (first_ ^ b) * 0x100000001B3ULL;
        second_ = mix(second_ + b + 1);
    };
    for (const char c : part) {
        byte(static_cast<unsigned char>(c));
    }
    const std::uint64_t size = part.size(); // so that "ab", "c" differs from "a", "bc"
    for (int i = 0; i < 8; ++i) {
        byte(static_cast<unsigned char>(size >> (8 * i)));
    }
}

std::string CacheKey::text() const { return fmt::format("{:016x}{:016x}", first_, second_); }

CodeCache::CodeCache(fs::path folder, std::uint64_t most)
    : folder_(folder.empty() ? usual_folder() : std::move(folder)), most_(most) {}

std::optional<CachedCode> CodeCache::find(const CacheKey& key) const {
    if (folder_.empty()) {
        return std::nullopt;
    }
    const fs::path path = file(key);
    std::string whole;
    try {
        whole = read_whole(path, most_);
    } catch (const FileError&) {
        return std::nullopt;
    }
    std::string_view rest = whole;
    if (!rest.starts_with(kBegins)) {
        return std::nullopt;
    }
    rest.remove_prefix(kBegins.size());
    const auto sum = take_text(rest);
    if (!sum || *sum != check_of(rest)) {
        return std::nullopt; // truncated or corrupt
    }
    CachedCode code;
    const auto seconds = take_number(rest), count = take_number(rest);
    for (std::uint64_t i = 0; count && i < *count; ++i) {
        auto symbol = take_text(rest);
        if (!symbol) {
            return std::nullopt;
        }
        code.symbols.push_back(std::move(*symbol));
    }
    auto image = take_text(rest);
    if (!seconds || !image) {
        return std::nullopt;
    }
    code.seconds = std::bit_cast<double>(*seconds);
    code.image = std::move(*image);
    std::error_code ignored;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored); // mark it as recently used
    return code;
}

void CodeCache::put(const CacheKey& key, const CachedCode& code) const {
    std::error_code error;
    if (folder_.empty() || (fs::create_directories(folder_, error), error)) {
        return;
    }
    std::string bytes;
    put_number(bytes, std::bit_cast<std::uint64_t>(code.seconds));
    put_number(bytes, code.symbols.size());
    for (const std::string& symbol : code.symbols) {
        put_text(bytes, symbol);
    }
    put_text(bytes, code.image);
    std::string whole(kBegins);
    put_text(whole, check_of(bytes));
    whole += bytes;
    if (whole.size() > most_) {
        return;
    }
    try {
        write_whole(file(key), whole);
        shrink();
    } catch (const FileError&) { // disk full or folder not writable: go on without a cache
    }
}

void CodeCache::shrink() const {
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        std::uint64_t bytes;
    };
    std::vector<Entry> all;
    std::uint64_t sum = 0;
    std::error_code error;
    for (const fs::directory_entry& e : fs::directory_iterator(folder_, error)) {
        std::error_code ignored;
        const auto bytes = e.file_size(ignored);
        const auto used = e.last_write_time(ignored);
        if (!ignored) {
            all.push_back({e.path(), used, bytes});
            sum += bytes;
        }
    }
    std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& e : all) {
        if (sum <= most_) {
            return;
        }
        if (fs::remove(e.path, error)) {
            sum -= e.bytes;
        }
    }
}

} // namespace warptree::gpu
