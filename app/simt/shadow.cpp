#include "app/simt/shadow.hpp"

namespace warptree::simt {

Shadow::Chunk* Shadow::find(std::uint64_t key) {
    std::unique_ptr<Chunk>& chunk = chunks_[key];
    if (chunk == nullptr) {
        if (spare_.empty()) {
            chunk = std::make_unique<Chunk>();
        } else {
            chunk = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    return chunk.get();
}

void Shadow::spare(std::unique_ptr<Chunk> chunk) {
    for (Word& word : *chunk) {
        word.clear();
    }
    spare_.push_back(std::move(chunk));
}

void Shadow::clear() {
    for (auto& [key, chunk] : chunks_) {
        spare(std::move(chunk));
    }
    chunks_.clear();
    latest_key_ = ~std::uint64_t{0};
}

void Shadow::forget(std::uint32_t allocation, std::uint64_t granules) {
    for (std::uint64_t chunk = 0; chunk * kChunk < granules; ++chunk) {
        if (const auto found = chunks_.find(key_of(allocation, chunk)); found != chunks_.end()) {
            spare(std::move(found->second));
            chunks_.erase(found);
        }
    }
    latest_key_ = ~std::uint64_t{0};
}

} // namespace warptree::simt
