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

void Shadow::clear() {
    for (auto& [key, chunk] : chunks_) {
        for (Word& word : *chunk) {
            word.clear();
        }
        spare_.push_back(std::move(chunk));
    }
    chunks_.clear();
    latest_key_ = ~std::uint64_t{0};
}

} // namespace warptree::simt
