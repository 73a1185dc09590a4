// Compiled kernels of earlier runs, in the user's cache folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::gpu {

// A 128-bit hash of everything that determines the code.
class CacheKey {
  public:
    void add(std::string_view part);
    std::string text() const; // 32 hexadecimal digits

  private:
    std::uint64_t first_ = 0xCBF29CE484222325ULL, second_ = 0x9E3779B97F4A7C15ULL;
};

struct CachedCode {
    std::string image;
    std::vector<std::string> symbols;
    double seconds = 0; // compile time
    friend bool operator==(const CachedCode&, const CachedCode&) = default;
};

// One file per key; when the total exceeds `most` bytes, the least recently used are deleted. Nothing here throws:
// without a writable folder, nothing is cached.
class CodeCache {
  public:
    // Empty: $XDG_CACHE_HOME/warptree/kernels, else ~/.cache/warptree/kernels.
    explicit CodeCache(std::filesystem::path folder = {}, std::uint64_t most = 256ULL << 20);
    std::optional<CachedCode> find(const CacheKey& key) const;
    void put(const CacheKey& key, const CachedCode& code) const;

  private:
    std::filesystem::path file(const CacheKey& key) const { return folder_ / key.text(); }
    void shrink() const;

    std::filesystem::path folder_;
    std::uint64_t most_;
};

} // namespace warptree::gpu
