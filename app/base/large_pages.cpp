#include "app/base/large_pages.hpp"

#include "app/base/sanitized.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib> // defines __GLIBC__
#include <mutex>
#include <new>

#include <pthread.h>
#include <sys/mman.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace warptree {

namespace {
constexpr std::size_t kMostKept = 512U << 20; // bytes
} // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int kMostOnHeap = 32 << 20; // bytes; more the library does not take
    mallopt(M_MMAP_THRESHOLD, kMostOnHeap);
    mallopt(M_TRIM_THRESHOLD, static_cast<int>(kMostKept));
#endif
}

} // namespace warptree

// (Emscripten has the name, but no pages.)
#if defined(MADV_HUGEPAGE) && !WARPTREE_SANITIZED && !defined(__EMSCRIPTEN__)

namespace warptree {

namespace {
constexpr std::size_t kLargePage = 2U << 20; // bytes

// All blocks, in use or kept. Each begins at a multiple of kLargePage, as hardly anything of the C library's does.
class LargeBlocks {
  public:
    LargeBlocks() { pthread_atfork(lock, unlock, unlock); }

    // nullptr: not from here.
    void* take(std::size_t asked) {
        const std::size_t bytes = (asked + kLargePage - 1) / kLargePage * kLargePage;
        const std::lock_guard guard(mutex_);
        Block* best = nullptr;
        Block* unused = nullptr;
        for (std::size_t i = 0; i < used_; ++i) {
            Block& b = blocks_[i];
            if (b.bytes == 0) {
                unused = &b;
            } else if (b.kept && b.bytes >= bytes && b.bytes / 2 <= bytes &&
                       (best == nullptr || b.bytes < best->bytes)) {
                best = &b;
            }
        }
        if (best != nullptr) {
            best->kept = false;
            kept_ -= best->bytes;
            return best->at;
        }
        if (unused == nullptr && used_ < blocks_.size()) {
            unused = &blocks_[used_++];
        }
        std::byte* const at = unused == nullptr ? nullptr : mapped(bytes);
        if (at != nullptr) {
            *unused = {at, bytes, false};
        }
        return at;
    }

    // false: not from here.
    bool give(void* at) {
        const std::lock_guard guard(mutex_);
        for (std::size_t i = 0; i < used_; ++i) {
            Block& b = blocks_[i];
            if (b.at != at || b.bytes == 0) {
                continue;
            }
            if (kept_ + b.bytes > kMostKept) {
                munmap(b.at, b.bytes);
                b = {};
            } else {
                b.kept = true;
                kept_ += b.bytes;
            }
            return true;
        }
        return false;
    }

  private:
    struct Block {
        std::byte* at = nullptr;
        std::size_t bytes = 0; // 0: no block
        bool kept = false;     // free, for the next who asks
    };

    static void lock();
    static void unlock();

    static std::byte* mapped(std::size_t bytes) {
        void* const room =
            mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) {
            return nullptr;
        }
        auto* const first = static_cast<std::byte*>(room);
        const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(room) % kLargePage) % kLargePage;
        if (before != 0) {
            munmap(first, before);
        }
        munmap(first + before + bytes, kLargePage - before);
        madvise(first + before, bytes, MADV_HUGEPAGE); // where it cannot, pages are small
        return first + before;
    }

    std::mutex mutex_;
    std::array<Block, 4096> blocks_{};
    std::size_t used_ = 0; // of blocks_, so far
    std::size_t kept_ = 0; // bytes
};

LargeBlocks& large_blocks() {
    alignas(LargeBlocks) static std::byte room[sizeof(LargeBlocks)];
    static LargeBlocks* const blocks = new (room) LargeBlocks; // never destroyed: what static objects hold ends later
    return *blocks;
}

void LargeBlocks::lock() { large_blocks().mutex_.lock(); }
void LargeBlocks::unlock() { large_blocks().mutex_.unlock(); }
} // namespace

} // namespace warptree

void* operator new(std::size_t bytes) {
    using warptree::kLargePage;
    while (true) {
        void* at = bytes >= kLargePage && bytes < SIZE_MAX / 2 ? warptree::large_blocks().take(bytes) : nullptr;
        if (at == nullptr) {
            at = std::malloc(bytes == 0 ? 1 : bytes);
        }
        if (at != nullptr) {
            return at;
        }
        if (std::new_handler handler = std::get_new_handler(); handler != nullptr) {
            handler();
        } else {
            throw std::bad_alloc();
        }
    }
}

void operator delete(void* at) noexcept {
    if (reinterpret_cast<std::uintptr_t>(at) % warptree::kLargePage != 0 || at == nullptr ||
        !warptree::large_blocks().give(at)) {
        std::free(at);
    }
}

void operator delete(void* at, std::size_t) noexcept { operator delete(at); }

#endif
