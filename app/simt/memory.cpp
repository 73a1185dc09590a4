#include "app/simt/memory.hpp"

#include "app/base/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace warptree::simt {

namespace {
// An array of unstated size grows to at most this many elements, or twice its initial size if that is more. Each
// element also costs a Stored once the array is stored to.
constexpr std::uint64_t kMostGrown = 1ULL << 23;
constexpr std::uint64_t kPiece = 1ULL << 20; // elements filled between checks for cancellation
constexpr std::uint64_t kSmall = 1U << 11; // bytes: a kernel may ask for thousands of such, and a mapping each is dear
constexpr std::uint64_t kLarge = 1U << 22; // bytes: worth pages of 2 MB
} // namespace

Allocation::Allocation(Shape shape, Fill fill, MemoryBudget& budget, FilePart file)
    : shape_(std::move(shape)), fill_(std::move(fill)), budget_(budget), stored_(budget) {
    set_shift();
    const std::uint64_t asked = shape_.elements * shape_.element_bytes;
    reserved_ =
        std::max<std::uint64_t>(shape_.grows ? std::max(2 * asked, kMostGrown * shape_.element_bytes) : asked, 64);
    if (reserved_ <= kSmall && file.descriptor < 0) {
        data_ = static_cast<std::byte*>(std::calloc(reserved_, 1));
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        return;
    }
    // Pages are mapped when touched, so room to grow costs nothing until it is used.
#if defined(__EMSCRIPTEN__) // whose mmap sets all of it to zero: grow() does, as far as it is used
    void* const reserved = reserved_ > std::numeric_limits<std::size_t>::max()
                               ? nullptr
                               : std::malloc(static_cast<std::size_t>(reserved_));
    void* const room = reserved == nullptr ? MAP_FAILED : reserved;
#else
    void* const room =
        mmap(nullptr, reserved_, PROT_READ | PROT_WRITE,
             file.descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE,
             file.descriptor, static_cast<off_t>(file.offset));
#endif
    if (room == MAP_FAILED) {
        throw OptionError("array " + shape_.name + " needs " + std::to_string(reserved_) +
                          " bytes, which this machine does not have; take a smaller n");
    }
    data_ = static_cast<std::byte*>(room);
#ifdef MADV_HUGEPAGE
    if (file.descriptor < 0 && asked >= kLarge) {
        madvise(data_, asked, MADV_HUGEPAGE); // where it cannot, pages are small
    }
#endif
#if !defined(__EMSCRIPTEN__)
    mapped_ = true;
#endif
}

Allocation::~Allocation() {
    std::free(seen_loads_.load());
    std::free(seen_stores_.load());
    if (mapped_) {
        munmap(data_, reserved_);
    } else {
        std::free(data_);
    }
}

void Allocation::set_shift() {
    shift_ =
        std::has_single_bit(shape_.element_bytes) ? static_cast<unsigned>(std::countr_zero(shape_.element_bytes)) : 64;
}

void Allocation::retype(ValueType element, std::uint32_t element_bytes) {
    const std::uint64_t bytes = shape_.elements * shape_.element_bytes;
    if (element_bytes == 0 || bytes % element_bytes != 0 || stored_.any()) {
        return;
    }
    shape_.element = element;
    shape_.element_bytes = element_bytes;
    shape_.elements = bytes / element_bytes;
    set_shift();
}

namespace {
constexpr unsigned kWordBits = 64; // of a word
// Calls f(word, mask) for the words that hold the bits first to first + count; false from f ends it.
template <class F> void each_word(std::uint64_t first, std::uint64_t count, const F& f) {
    for (std::uint64_t at = first, end = first + count; at < end;) {
        const std::uint64_t in_word = at % kWordBits, many = std::min<std::uint64_t>(kWordBits - in_word, end - at);
        const std::uint64_t mask = (many == kWordBits ? ~0ULL : (1ULL << many) - 1) << in_word;
        if (!f(at / kWordBits, mask)) {
            return;
        }
        at += many;
    }
}
} // namespace

void Allocation::initialise(std::uint64_t first, std::uint64_t bytes) {
    if (is_whole() || bytes == 0 || first >= bytes_) {
        return;
    }
    initialised_.resize((bytes_ + kWordBits - 1) / kWordBits);
    whole_ = first == 0 && bytes >= bytes_ && !shape_.grows;
    changed_ = true;
    each_word(first, std::min(bytes, bytes_ - first), [&](std::uint64_t word, std::uint64_t mask) {
        initialised_[word] |= mask;
        return true;
    });
}

std::vector<std::uint64_t> Allocation::initialised_words(std::uint64_t first, std::uint64_t bytes) const {
    const auto word = [&](std::uint64_t byte) {
        return initialised_.begin() +
               static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(initialised_.size(), byte / kWordBits));
    };
    return {word(first), word(first + bytes + kWordBits - 1)};
}

void Allocation::restore_initialised(std::uint64_t first, const std::vector<std::uint64_t>& words) {
    for (std::uint64_t k = 0; k < words.size() && first / kWordBits + k < initialised_.size(); ++k) {
        initialised_[first / kWordBits + k] = words[k];
        whole_ = whole_ && words[k] == ~0ULL;
    }
}

void Allocation::forget_initialised() {
    initialised_.clear();
    whole_ = false;
}

bool Allocation::initialised(std::uint64_t first, std::uint64_t bytes) const {
    if (shape_.defined) {
        return true;
    }
    if (initialised_.empty() || first >= bytes_ || bytes > bytes_ - first) {
        return false;
    }
    bool all = true;
    if (whole_) {
        return all;
    }
    each_word(first, bytes, [&](std::uint64_t word, std::uint64_t mask) {
        all = (initialised_[word] & mask) == mask;
        return all;
    });
    return all;
}

void Allocation::mark(Marks& marks, std::uint64_t first, std::uint64_t bytes) {
    if (first >= bytes_) {
        return;
    }
    std::uint64_t* words = marks.load(std::memory_order_acquire);
    if (words == nullptr) {
        const std::lock_guard lock(growing_);
        words = marks.load(std::memory_order_relaxed);
        if (words == nullptr) {
            const std::uint64_t count = (reserved_ + kWordBits - 1) / kWordBits;
            budget_.take(count * sizeof(std::uint64_t), "what is read and written of array " + shape_.name);
            words = static_cast<std::uint64_t*>(std::calloc(count, sizeof(std::uint64_t)));
            if (words == nullptr) {
                throw std::bad_alloc();
            }
            marks.store(words, std::memory_order_release);
        }
    }
    each_word(first, std::min(bytes, bytes_ - first), [&](std::uint64_t word, std::uint64_t mask) {
        const std::atomic_ref at(words[word]);
        if ((at.load(std::memory_order_relaxed) & mask) != mask) {
            at.fetch_or(mask, std::memory_order_relaxed);
        }
        return true;
    });
}

Allocation::Spans Allocation::spans(const Marks& marks) const {
    Spans found;
    const std::uint64_t* const words = marks.load();
    for (std::uint64_t word = 0; words != nullptr && word < (bytes_ + kWordBits - 1) / kWordBits; ++word) {
        for (std::uint64_t bits = words[word], at = 0; bits != 0;) {
            const auto zeros = static_cast<unsigned>(std::countr_zero(bits));
            bits >>= zeros;
            at += zeros;
            const auto ones = static_cast<unsigned>(std::countr_one(bits));
            const std::uint64_t first = word * kWordBits + at;
            if (!found.empty() && found.back().second == first) {
                found.back().second = first + ones;
            } else {
                found.emplace_back(first, first + ones);
            }
            bits = ones == kWordBits ? 0 : bits >> ones;
            at += ones;
        }
    }
    return found;
}

void Allocation::forget(Marks& marks) {
    if (std::uint64_t* const words = marks.exchange(nullptr); words != nullptr) {
        budget_.give((reserved_ + kWordBits - 1) / kWordBits * sizeof(std::uint64_t));
        std::free(words);
    }
}

void Allocation::end_launch() {
    stored_.clear([this](std::uint64_t i) { initialise(i * shape_.element_bytes, shape_.element_bytes); });
    forget(seen_loads_);
    forget(seen_stores_);
    watched_ = false;
    loaded_ = 0;
    depths.clear();
    if (std::exchange(changed_, false) && !whole_ && !shape_.grows) {
        whole_ = initialised_.size() * kWordBits >= bytes_;
        each_word(0, whole_ ? bytes_ : 0,
                  [&](std::uint64_t word, std::uint64_t mask) { return whole_ = (initialised_[word] & mask) == mask; });
    }
}

bool Allocation::grow(std::uint64_t bytes, const std::atomic<bool>* cancel) {
    const std::lock_guard lock(growing_);
    if (bytes <= bytes_) {
        return true;
    }
    if (bytes > reserved_) {
        return false;
    }
    const std::uint64_t from = bytes_ / shape_.element_bytes;
    const std::uint64_t room = shape_.grows ? std::min(std::bit_ceil(bytes), reserved_) : bytes;
    const std::uint64_t to = room / shape_.element_bytes;
    budget_.take((to - from) * shape_.element_bytes, "array " + shape_.name);
#if defined(__EMSCRIPTEN__)
    std::memset(data_ + bytes_, 0, to * shape_.element_bytes - bytes_);
#endif
    for (std::uint64_t at = from; fill_ && at < to; at += kPiece) {
        if (cancel != nullptr && *cancel) {
            throw Cancelled();
        }
        fill_(at, std::min(kPiece, to - at), data_ + at * shape_.element_bytes);
    }
    bytes_ = to * shape_.element_bytes;
    return bytes <= bytes_;
}

std::uint64_t Allocation::bits_after_growth(std::uint64_t element) const {
    std::array<std::byte, sizeof(std::uint64_t)> its{};
    if (fill_ && shape_.element_bytes <= its.size()) {
        fill_(element, 1, its.data());
    }
    return std::bit_cast<std::uint64_t>(its);
}

void Allocation::touched(std::uint64_t bytes) {
    const std::lock_guard lock(growing_);
    reached_ = std::max(reached_, (bytes + shape_.element_bytes - 1) / shape_.element_bytes);
}

void Allocation::free() {
    freed_ = true;
    if (mapped_) {
        madvise(data_, reserved_, MADV_DONTNEED);
    }
    budget_.give(bytes_);
    stored_.forget();
    forget_initialised();
    initialised_.shrink_to_fit();
    depths = {};
    bytes_ = 0;
}

Memory::Memory(const compile::Program& program, std::uint64_t most, Constants constants) : budget_(most) {
    globals_ = static_cast<std::uint32_t>(program.globals.size());
    const auto function_address = [](std::uint32_t f) { return compile::kFunctionBase + f; };
    for (const compile::Global& g : program.globals) {
        Allocation::Shape shape;
        shape.name = g.name;
        shape.element = g.element;
        shape.element_bytes = std::max<std::uint32_t>(g.element_bytes, 1);
        shape.elements = (std::uint64_t{g.bytes} + shape.element_bytes - 1) / shape.element_bytes;
        shape.read_only = g.space == compile::Space::constant;
        const bool initial = !g.initial.empty() || !g.addresses.empty();
        shape.defined = !shape.read_only || initial || constants == Constants::defined;
        const std::uint32_t index = add(std::move(shape));
        std::byte* const data = (*this)[index].data();
        if (!g.initial.empty()) {
            std::memcpy(data, g.initial.data(), g.initial.size());
        }
        for (const compile::Global::Address& a : g.addresses) {
            const std::uint64_t address = a.function != compile::kNone ? function_address(a.function)
                                                                       : compile::allocation_address(a.global) +
                                                                             static_cast<std::uint64_t>(a.addend);
            std::memcpy(data + a.offset, &address, sizeof address);
        }
    }
}

std::vector<std::uint32_t>::const_iterator Memory::freed_first() const {
    return std::find_if(order_.begin(), order_.end(), [&](std::uint32_t i) { return allocations_[i]->freed(); });
}

std::uint32_t Memory::place(std::unique_ptr<Allocation> allocation) {
    std::uint32_t index = count();
    if (index == compile::kMostAllocations) {
        const auto freed = freed_first();
        if (freed == order_.end()) {
            throw OptionError("a launch may have at most 4096 arrays and global variables");
        }
        index = *freed;
        order_.erase(freed);
        allocations_[index] = std::move(allocation);
    } else {
        allocations_.push_back(std::move(allocation));
    }
    if (index >= globals_) {
        order_.push_back(index);
    }
    allocations_[index]->address = compile::allocation_address(index);
    return index;
}

std::uint32_t Memory::add(Allocation::Shape shape, Allocation::Fill fill, const std::atomic<bool>* cancel) {
    const std::uint32_t index = place(std::make_unique<Allocation>(std::move(shape), std::move(fill), budget_));
    Allocation& added = *allocations_[index];
    added.grow(added.shape().elements * added.shape().element_bytes, cancel);
    return index;
}

std::uint32_t Memory::add_shared(Allocation::Shape shape, FilePart file) {
    std::size_t number = shared_.size();
    if (number == compile::kMostHostAllocations) {
        const auto freed =
            std::find_if(shared_.begin(), shared_.end(), [&](std::uint32_t i) { return allocations_[i]->freed(); });
        if (freed == shared_.end()) {
            throw OptionError("a program may have at most 1024 arrays that host and device share");
        }
        number = static_cast<std::size_t>(freed - shared_.begin());
    }
    const std::uint32_t index =
        place(std::make_unique<Allocation>(std::move(shape), Allocation::Fill{}, budget_, file));
    Allocation& added = *allocations_[index];
    added.grow(added.shape().elements * added.shape().element_bytes);
    added.address = compile::host_address(static_cast<std::uint32_t>(number));
    shared_.resize(std::max(shared_.size(), number + 1));
    shared_[number] = index;
    return index;
}

void Memory::end_launch() {
    for (const std::unique_ptr<Allocation>& allocation : allocations_) {
        allocation->end_launch();
    }
}

Allocation* Memory::find(std::uint64_t address, std::int64_t& offset, std::uint32_t& index) {
    if (compile::is_host_address(address)) {
        const std::uint64_t number = (address - compile::kHostBase) >> compile::kAllocationBits;
        if (number >= shared_.size()) {
            return nullptr;
        }
        index = shared_[number];
    } else {
        if (address < compile::kGlobalBase) {
            return nullptr;
        }
        const std::uint64_t place = (address - compile::kGlobalBase) >> compile::kAllocationBits;
        if (place >= allocations_.size() ||
            allocations_[place]->address != compile::allocation_address(static_cast<std::uint32_t>(place))) {
            return nullptr;
        }
        index = static_cast<std::uint32_t>(place);
    }
    offset = static_cast<std::int64_t>(address - allocations_[index]->address);
    return allocations_[index].get();
}

} // namespace warptree::simt
