#include "app/simt/attempt.hpp"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace warptree::simt {

Attempt::~Attempt() {
    for (const std::span<std::byte> slab : slabs_) {
        munmap(slab.data(), slab.size());
        memory_.budget().give(slab.size());
    }
}

// Large pieces, in large pages where the system has them: a chunk by itself would cost as many faults as it has pages.
void* Attempt::zeros(std::size_t bytes) {
    constexpr std::size_t kFirst = 1U << 16, kMost = 1U << 24;
    if (slabs_.empty() || used_ + bytes > slabs_.back().size()) {
        const std::size_t size = slabs_.empty() ? kFirst : std::min(kMost, slabs_.back().size() * 4);
        memory_.budget().take(size, "who accessed what");
        void* const room = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) {
            memory_.budget().give(size);
            throw std::bad_alloc();
        }
#ifdef MADV_HUGEPAGE
        if (size == kMost) {
            madvise(room, size, MADV_HUGEPAGE);
        }
#endif
        slabs_.emplace_back(static_cast<std::byte*>(room), size);
        used_ = 0;
    }
    void* const out = slabs_.back().data() + used_;
    used_ += bytes;
    return out;
}

Attempt::Chunk& Attempt::make(std::uint32_t allocation, std::uint64_t number) {
    chunks_.resize(std::max<std::size_t>(chunks_.size(), allocation + std::size_t{1}));
    std::vector<Chunk>& list = chunks_[allocation];
    if (number >= list.size()) {
        list.resize(std::max<std::size_t>(number + 1, (memory_[allocation].bytes() >> (shift_ + kChunkShift)) + 1));
    }
    list[number].writes = static_cast<Row*>(zeros(sizeof(Row)));
    return list[number];
}

void Attempt::copy(Chunk& chunk, std::uint32_t allocation, std::uint64_t offset) {
    Allocation& a = memory_[allocation];
    const std::uint64_t first = first_byte(offset >> (shift_ + kChunkShift));
    const std::uint64_t bytes = std::min(a.bytes() - first, chunk_bytes());
    chunk.before = static_cast<std::byte*>(zeros(chunk_bytes()));
    std::copy_n(a.data() + first, bytes, chunk.before);
    if (a.is_whole()) {
        return;
    }
    if (a.untouched() && std::find(untouched_.begin(), untouched_.end(), allocation) == untouched_.end()) {
        untouched_.push_back(allocation);
    }
    chunk.initialised = a.initialised_words(first, bytes);
}

std::vector<bool> Attempt::stored() const {
    std::vector<bool> out(memory_.count());
    for (std::uint32_t allocation = 0; allocation < out.size() && allocation < chunks_.size(); ++allocation) {
        out[allocation] = std::any_of(chunks_[allocation].begin(), chunks_[allocation].end(),
                                      [](const Chunk& chunk) { return chunk.before != nullptr; });
    }
    return out;
}

std::optional<std::vector<std::byte>> Attempt::before(std::uint32_t allocation) const {
    constexpr std::uint64_t kMost = 1U << 16, kWordBits = 64;
    const Allocation& a = memory_[allocation];
    if (a.bytes() > kMost || !a.initialised(0, a.bytes())) {
        return std::nullopt;
    }
    std::vector<std::byte> out(a.data(), a.data() + a.bytes());
    for (std::uint64_t number = 0; number < chunks_[allocation].size(); ++number) {
        const Chunk& chunk = chunks_[allocation][number];
        if (chunk.before == nullptr) {
            continue;
        }
        const std::uint64_t first = first_byte(number), bytes = std::min(a.bytes() - first, chunk_bytes());
        std::copy_n(chunk.before, bytes, out.begin() + static_cast<std::ptrdiff_t>(first));
        for (std::uint64_t word = 0; word < chunk.initialised.size() && word * kWordBits < bytes; ++word) {
            const std::uint64_t rest = bytes - word * kWordBits;
            const std::uint64_t all = rest >= kWordBits ? ~0ULL : (1ULL << rest) - 1;
            if ((chunk.initialised[word] & all) != all) {
                return std::nullopt;
            }
        }
        if (std::find(untouched_.begin(), untouched_.end(), allocation) != untouched_.end()) {
            return std::nullopt;
        }
    }
    return out;
}

void Attempt::undo() {
    for (std::uint32_t allocation = 0; allocation < chunks_.size(); ++allocation) {
        for (std::uint64_t number = 0; number < chunks_[allocation].size(); ++number) {
            const Chunk& chunk = chunks_[allocation][number];
            if (chunk.before != nullptr) {
                Allocation& a = memory_[allocation];
                std::copy_n(chunk.before, std::min(a.bytes() - first_byte(number), chunk_bytes()),
                            a.data() + first_byte(number));
                a.restore_initialised(first_byte(number), chunk.initialised);
            }
        }
    }
    for (const std::uint32_t allocation : untouched_) {
        memory_[allocation].forget_initialised();
    }
}

} // namespace warptree::simt
