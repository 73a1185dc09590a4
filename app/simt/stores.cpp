#include "app/simt/stores.hpp"

#include "app/base/narrow_float.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warptree::simt {

namespace {
using compile::AtomicOperation;

std::int64_t sign_extended(std::uint64_t value, unsigned bytes) {
    const unsigned shift = 64 - 8 * bytes;
    return static_cast<std::int64_t>(value << shift) >> shift;
}
std::uint64_t cut(std::uint64_t value, unsigned bytes) {
    return bytes == 8 ? value : value & ((1ULL << 8 * bytes) - 1);
}

// The result of f on numbers of a floating-point type; those of 16 bits are computed as float and rounded once more, which
// for a sum gives what rounding once does.
template <class F> std::uint64_t floating(ValueType type, std::uint64_t a, std::uint64_t b, F&& f) {
    const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
    switch (type) {
    case ValueType::f64: return std::bit_cast<std::uint64_t>(f(std::bit_cast<double>(a), std::bit_cast<double>(b)));
    case ValueType::f16: return to_half(f(half_value(x), half_value(y)));
    case ValueType::bf16: return to_bfloat16(f(bfloat16_value(x), bfloat16_value(y)));
    default: return std::bit_cast<std::uint32_t>(f(std::bit_cast<float>(x), std::bit_cast<float>(y)));
    }
}
} // namespace

std::uint64_t apply(AtomicOperation operation, ValueType type, unsigned bytes, std::uint64_t old, std::uint64_t value,
                    std::uint64_t expected) {
    const std::int64_t a = sign_extended(old, bytes), b = sign_extended(value, bytes);
    switch (operation) {
    case AtomicOperation::add: return cut(old + value, bytes);
    case AtomicOperation::sub: return cut(old - value, bytes);
    case AtomicOperation::min: return a < b ? old : value;
    case AtomicOperation::max: return a > b ? old : value;
    case AtomicOperation::umin: return std::min(old, value);
    case AtomicOperation::umax: return std::max(old, value);
    case AtomicOperation::fadd: return floating(type, old, value, [](auto x, auto y) { return x + y; });
    case AtomicOperation::fmin: return floating(type, old, value, [](auto x, auto y) { return y < x ? y : x; });
    case AtomicOperation::fmax: return floating(type, old, value, [](auto x, auto y) { return y > x ? y : x; });
    case AtomicOperation::and_: return old & value;
    case AtomicOperation::or_: return old | value;
    case AtomicOperation::xor_: return old ^ value;
    case AtomicOperation::exchange: return value;
    case AtomicOperation::compare_exchange: return old == expected ? value : old;
    case AtomicOperation::increment: return old >= value ? 0 : old + 1;
    case AtomicOperation::decrement: return old == 0 || old > value ? value : old - 1;
    }
    return old;
}

void Stores::begin_launch(std::uint64_t blocks) {
    sequence_ = 0;
    list_.clear();
    seen_.assign(noted_ ? 0 : blocks, {});
}
void Stores::release(std::uint32_t block) {
    if (!noted_) {
        seen_[block].released.push_back(next());
    }
}
void Stores::acquire(std::uint32_t block) {
    if (!noted_) {
        seen_[block].acquired = next();
    }
}
bool Stores::ordered(std::uint32_t storing_block, std::uint32_t stored, std::uint32_t block) const {
    const std::vector<std::uint32_t>& released = seen_[storing_block].released;
    const auto first = std::upper_bound(released.begin(), released.end(), stored);
    return first != released.end() && *first <= seen_[block].acquired;
}

void StoreMaker::make(std::uint32_t block, const std::vector<NotedStore>& stores, Findings& findings) {
    for (const NotedStore& s : stores) {
        Allocation& a = memory_[s.allocation];
        std::uint64_t old = 0;
        std::memcpy(&old, a.data() + s.offset, s.bytes);
        const std::uint64_t value = s.atomic ? apply(s.operation, s.type, s.bytes, old, s.bits, 0) : s.bits;
        std::memcpy(a.data() + s.offset, &value, s.bytes);
        const std::uint64_t element = s.offset / a.shape().element_bytes;
        std::vector<Writer>& writers = writers_[s.allocation];
        if (element >= writers.size()) {
            const std::uint64_t all = std::max<std::uint64_t>(element + 1, a.bytes() / a.shape().element_bytes);
            memory_.budget().take((all - writers.size()) * sizeof(Writer),
                                  "who stored what in array " + a.shape().name);
            writers.resize(all);
        }
        Writer& w = writers[element];
        const bool others = w.block != 0 && w.block != block + 1;
        if (others && !s.atomic && old != value) {
            Finding f;
            f.kind = FindingKind::race_global;
            f.block = block;
            f.thread = s.thread;
            f.line = line_at(program_, s.location);
            f.other_block = w.block - 1;
            f.other_thread = w.thread;
            f.other_line = line_at(program_, w.location);
            f.writes = f.other_writes = true;
            f.array = a.shape().name;
            f.index = static_cast<std::int64_t>(element);
            f.elements = a.shape().elements;
            findings.add(std::move(f));
        }
        if (!s.atomic) {
            w = {block + 1, s.location, s.thread};
        }
    }
}

} // namespace warptree::simt
