#include "app/simt/memory.hpp"

#include "app/base/error.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <sys/mman.h>

namespace warptree::simt {

namespace {
// An array of unstated size grows to at most this many elements, or twice its initial size if that is more. Each
// element also costs a Stored once the array is stored to.
constexpr std::uint64_t kMostGrown = 1ULL << 23;
constexpr std::uint64_t kPiece = 1ULL << 20; // elements filled between checks for cancellation
} // namespace

Allocation::Allocation(Shape shape, Fill fill, MemoryBudget& budget)
    : shape_(std::move(shape)), fill_(std::move(fill)), budget_(budget) {
    if (std::has_single_bit(shape_.element_bytes)) {
        shift_ = static_cast<unsigned>(std::countr_zero(shape_.element_bytes));
    }
    const std::uint64_t asked = shape_.elements * shape_.element_bytes;
    reserved_ =
        std::max<std::uint64_t>(shape_.grows ? std::max(2 * asked, kMostGrown * shape_.element_bytes) : asked, 64);
    // Pages are mapped when touched, so room to grow costs nothing until it is used.
    void* const room =
        mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        throw OptionError("array " + shape_.name + " needs " + std::to_string(reserved_) +
                          " bytes, which this machine does not have; take a smaller n");
    }
    data_ = static_cast<std::byte*>(room);
}

Allocation::~Allocation() { munmap(data_, reserved_); }

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
    const std::uint64_t noted = stored_.empty() ? 0 : sizeof(Stored);
    budget_.take((to - from) * (shape_.element_bytes + noted), "array " + shape_.name);
    for (std::uint64_t at = from; fill_ && at < to; at += kPiece) {
        if (cancel != nullptr && *cancel) {
            throw Cancelled();
        }
        fill_(at, std::min(kPiece, to - at), data_ + at * shape_.element_bytes);
    }
    if (!stored_.empty()) {
        stored_.resize(to);
    }
    bytes_ = to * shape_.element_bytes;
    return bytes <= bytes_;
}

void Allocation::touched(std::uint64_t bytes) {
    const std::lock_guard lock(growing_);
    reached_ = std::max(reached_, (bytes + shape_.element_bytes - 1) / shape_.element_bytes);
}

void Allocation::free() {
    freed_ = true;
    madvise(data_, reserved_, MADV_DONTNEED);
    budget_.give(bytes_ + stored_.size() * sizeof(Stored));
    stored_ = {};
    bytes_ = 0;
}

void Allocation::note_stores() {
    if (stored_.empty()) {
        budget_.take(bytes_ / shape_.element_bytes * sizeof(Stored), "who stored what in array " + shape_.name);
        stored_.resize(bytes_ / shape_.element_bytes);
    }
}

Memory::Memory(const compile::Program& program, std::uint64_t most) : budget_(most) {
    const auto function_address = [](std::uint32_t f) { return compile::kFunctionBase + f; };
    for (const compile::Global& g : program.globals) {
        Allocation::Shape shape;
        shape.name = g.name;
        shape.element = g.element;
        shape.element_bytes = std::max<std::uint32_t>(g.element_bytes, 1);
        shape.elements = (std::uint64_t{g.bytes} + shape.element_bytes - 1) / shape.element_bytes;
        shape.read_only = g.space == compile::Space::constant;
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

std::uint32_t Memory::add(Allocation::Shape shape, Allocation::Fill fill, const std::atomic<bool>* cancel) {
    if (allocations_.size() == compile::kMostAllocations) {
        throw OptionError("a launch may have at most 4096 arrays and global variables");
    }
    allocations_.push_back(std::make_unique<Allocation>(std::move(shape), std::move(fill), budget_));
    Allocation& added = *allocations_.back();
    added.grow(added.shape().elements * added.shape().element_bytes, cancel);
    return count() - 1;
}

Allocation* Memory::find(std::uint64_t address, std::int64_t& offset, std::uint32_t& index) {
    if (address < compile::kGlobalBase) {
        return nullptr;
    }
    const std::uint64_t place = (address - compile::kGlobalBase) >> compile::kAllocationBits;
    if (place >= allocations_.size()) {
        return nullptr;
    }
    index = static_cast<std::uint32_t>(place);
    offset = static_cast<std::int64_t>(address - compile::allocation_address(index));
    return allocations_[index].get();
}

} // namespace warptree::simt
