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

bool loses(AtomicOperation operation, ValueType type, std::uint64_t old, std::uint64_t value) {
    if (operation != AtomicOperation::add || type != ValueType::i32) {
        return false;
    }
    const std::int64_t exact = sign_extended(old, 4) + sign_extended(value, 4);
    return exact != static_cast<std::int32_t>(exact);
}

Finding overflow_of(std::uint64_t old, std::uint64_t value) {
    const std::int64_t a = sign_extended(old, 4), b = sign_extended(value, 4);
    return overflow_of(a, '+', b, a + b);
}

std::uint16_t StoreMaker::kind_of(std::uint32_t location, std::uint16_t flags) {
    const auto [it, added] = kind_numbers_.try_emplace(
        std::uint64_t{location} << 16 | flags, static_cast<std::uint16_t>(std::min<std::size_t>(kinds_.size(), kWord)));
    if (added && it->second != kWord) {
        kinds_.emplace_back(location, flags);
    }
    return it->second;
}

bool only_compares(const Note& a, const Note& b) {
    return (a.is(kWrites) && a.is(kChanges) && compares_alike(a, b)) ||
           (b.is(kWrites) && b.is(kChanges) && compares_alike(b, a));
}

bool is_guess(const Prepared& prepared, const Note& a, const Note& b) {
    const auto guess = [&](const Note& load, const Note& other) {
        return !load.is(kWrites) && !load.is(kAtomic) && other.is(kAtomic) && prepared.guesses(load.location);
    };
    return guess(a, b) || guess(b, a);
}

template <class Tell> void StoreMaker::note(const Note& now, const NotedStore& store, std::uint64_t at, Tell&& tell) {
    struct BetweenBlocks { // those within a block have been reported
        static bool stale(const Note&) { return false; }
        static bool ordered(const Note& before, const Note& now) { return before.block == now.block; }
    };
    Allocation& a = memory_[store.allocation];
    std::vector<Cell>& cells = cells_[store.allocation];
    const std::uint64_t granule = at >> shift_;
    if (granule >= cells.size()) {
        const std::uint64_t all = std::max<std::uint64_t>(granule + 1, a.bytes() >> shift_);
        memory_.budget().take((all - cells.size()) * sizeof(Cell), "who stored what in array " + a.shape().name);
        cells.resize(all);
    }
    Cell& cell = cells[granule];
    const std::uint16_t kind = kind_of(now.location, static_cast<std::uint16_t>(now.flags & ~kChanges));
    const auto changed = static_cast<std::uint16_t>(now.is(kChanges) ? kChanged : 0);
    const bool same = (cell.kind & ~kChanged) == kind && cell.block == now.block + 1;
    if (kind != kWord && (cell.block == 0 || same)) {
        cell = {now.block + 1, now.thread, static_cast<std::uint16_t>(kind | (cell.kind & kChanged) | changed)};
        return;
    }
    Word& word = words_[std::uint64_t{store.allocation} << 40 | granule];
    if (const unsigned before = cell.kind & ~kChanged; cell.block != 0 && before != kWord) {
        Note first;
        first.block = cell.block - 1;
        first.thread = cell.thread;
        first.location = kinds_[before].first;
        first.flags = static_cast<std::uint16_t>(kinds_[before].second | ((cell.kind & kChanged) != 0 ? kChanges : 0));
        std::memcpy(&first.value, a.data() + at, std::size_t{1} << shift_); // nobody has stored there since
        word.add(first, BetweenBlocks{}, tell);
    }
    cell = {now.block + 1, now.thread, kWord};
    word.add(now, BetweenBlocks{}, tell);
}

void StoreMaker::report(const Note& now, const Note& before, Severity severity, const NotedStore& store,
                        Findings& findings) {
    const Allocation& a = memory_[store.allocation];
    Finding f;
    f.kind = FindingKind::race_global;
    f.guess = is_guess(prepared_, now, before);
    f.compares = severity == Severity::risk && only_compares(now, before);
    f.severity = f.guess ? Severity::risk : severity;
    f.block = now.block;
    f.thread = now.thread;
    f.step = store.segment; // until the launch has steps
    f.line = line_at(program_, now.location);
    f.other_block = before.block;
    f.other_thread = before.thread;
    f.other_line = line_at(program_, before.location);
    f.writes = now.is(kWrites);
    f.other_writes = before.is(kWrites);
    f.array = a.shape().name;
    f.index = static_cast<std::int64_t>(a.element_at(store.offset));
    f.elements = a.shape().elements;
    findings.add(std::move(f));
}

// Of an atomic that changes what nobody has written.
Finding StoreMaker::unwritten(const Note& now, const NotedStore& store) const {
    const Allocation& a = memory_[store.allocation];
    Finding f;
    f.kind = FindingKind::uninitialised;
    f.writes = true;
    f.block = now.block;
    f.thread = now.thread;
    f.step = store.segment; // until the launch has steps
    f.line = line_at(program_, now.location);
    f.bytes = store.bytes;
    f.array = a.shape().name;
    f.index = static_cast<std::int64_t>(a.element_at(store.offset));
    f.elements = a.shape().elements;
    return f;
}

Finding StoreMaker::overflow(const Note& now, const NotedStore& store, std::uint64_t old) const {
    Finding f = overflow_of(old, store.bits);
    f.block = now.block;
    f.thread = now.thread;
    f.step = store.segment; // until the launch has steps
    f.line = line_at(program_, now.location);
    return f;
}

bool StoreMaker::races_instead(const Finding& f) const {
    bool known = false, all = true; // of its array's elements, those that were stored to later
    for (const auto& [place, later] : unset_) {
        if (memory_[static_cast<std::uint32_t>(place >> 40)].shape().name == f.array) {
            known = true;
            all = all && later;
        }
    }
    return f.kind == FindingKind::uninitialised && f.writes && known && all;
}

void StoreMaker::make(std::uint32_t block, std::vector<NotedStore>& stores, Findings& findings) {
    struct Met {
        Note before;
        Severity severity;
    };
    std::vector<Met> met;
    for (NotedStore& s : stores) {
        Allocation& a = memory_[s.allocation];
        Note now;
        now.block = block;
        now.thread = s.thread;
        now.location = s.location;
        now.flags = s.flags;
        const bool writes = now.is(kWrites);
        std::uint64_t value = s.bits;
        if (writes) {
            std::uint64_t old = 0;
            std::memcpy(&old, a.data() + s.offset, s.bytes);
            value = s.atomic ? apply(s.operation, s.type, s.bytes, old, s.bits, 0) : s.bits;
            if (s.atomic && prepared_.tells_overflow() && loses(s.operation, s.type, old, s.bits)) {
                findings.add(overflow(now, s, old));
            }
            if (old != cut(value, s.bytes)) {
                now.flags |= kChanges | prepared_.comparisons().changed(old, value, s.bytes);
            }
            if (s.atomic && s.operation != compile::AtomicOperation::exchange && !a.initialised(s.offset, s.bytes)) {
                unset_.try_emplace(std::uint64_t{s.allocation} << 40 | a.element_at(s.offset), false);
                findings.add(unwritten(now, s));
            } else if (!s.atomic && !unset_.empty()) {
                const auto place = unset_.find(std::uint64_t{s.allocation} << 40 | a.element_at(s.offset));
                if (place != unset_.end()) {
                    place->second = true;
                }
            }
        }
        for (unsigned done = 0; done < s.bytes; done += 1U << shift_) {
            now.value = writes ? static_cast<std::uint32_t>(cut(value >> 8 * done, 1U << shift_)) : 0;
            note(now, s, s.offset + done, [&](const Note& before, Severity severity) {
                const auto known =
                    std::find_if(met.begin(), met.end(), [&](const Met& m) { return m.before.alike(before); });
                if (known == met.end()) {
                    met.push_back({before, severity});
                } else {
                    known->severity = std::min(known->severity, severity);
                }
            });
        }
        for (const Met& m : met) {
            report(now, m.before, m.severity, s, findings);
        }
        met.clear();
        if (writes) {
            std::memcpy(a.data() + s.offset, &value, s.bytes);
            a.initialise(s.offset, s.bytes);
            s.bits = value;
        }
    }
}

} // namespace warptree::simt
