// The past accesses to global memory, by word or, where the program accesses less, by byte. Made in chunks where
// memory is touched.
#pragma once

#include "app/simt/history.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace warptree::simt {

class Shadow {
  public:
    // granule: the number of the word or byte within the allocation.
    Word& at(std::uint32_t allocation, std::uint64_t granule) {
        const std::uint64_t key = key_of(allocation, granule / kChunk);
        if (key != latest_key_) {
            latest_ = find(key);
            latest_key_ = key;
        }
        return (*latest_)[granule % kChunk];
    }
    std::uint64_t bytes() const { return chunks_.size() * sizeof(Chunk); }
    // Forgets all accesses.
    void clear();
    // Forgets those to the first `granules` of an allocation.
    void forget(std::uint32_t allocation, std::uint64_t granules);

  private:
    static constexpr std::size_t kChunk = 64; // words
    using Chunk = std::array<Word, kChunk>;
    static std::uint64_t key_of(std::uint32_t allocation, std::uint64_t chunk) {
        return std::uint64_t{allocation} << 40 | chunk;
    }
    Chunk* find(std::uint64_t key);
    void spare(std::unique_ptr<Chunk> chunk);

    std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
    std::vector<std::unique_ptr<Chunk>> spare_;
    std::uint64_t latest_key_ = ~std::uint64_t{0};
    Chunk* latest_ = nullptr;
};

} // namespace warptree::simt
