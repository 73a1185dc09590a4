// The shared-memory accesses of bench/bank_rules.cu, one per launch. The hardware counters for each show which bank
// rules a GPU follows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace warptree::bench {

// Version of program and patterns together, stored in recordings. In version 1, wide loads used one word of what they
// loaded, so the compiler narrowed them to 4 bytes.
inline constexpr int kBankRulesVersion = 2;

using Indices = std::array<std::uint32_t, 32>;
inline constexpr std::uint32_t kAll = 0xFFFFFFFFU;
inline constexpr std::uint32_t kElements = 2048; // of 16 bytes: 32 KiB

struct Pattern {
    unsigned bytes;     // per element: 4, 8 or 16
    bool store;         // else a load
    std::uint32_t mask; // active lanes
    Indices index;      // element of each lane
};

class Patterns {
  public:
    // All patterns for wide loads, whose rule is the one in question; samples for the others.
    std::vector<Pattern> make() {
        for (const unsigned bytes : {8U, 16U, 4U}) {
            for (const bool store : {false, true}) {
                bytes_ = bytes;
                store_ = store;
                const bool wide = bytes != 4;
                strides(wide && !store ? 34 : 17);
                random_ones(wide && !store ? 5 : 2);
                one_address();
                if (wide) {
                    shared_by_lanes(store);
                    broken_by_one_lane();
                    halves_and_quarters(store);
                    few_addresses(store ? 4 : 12);
                }
            }
        }
        for (const unsigned bytes : {8U, 16U}) {
            for (const bool store : {false, true}) {
                bytes_ = bytes;
                store_ = store;
                pair_rules(store ? 1 : 7);
            }
        }
        return std::move(all_);
    }

  private:
    std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    template <class F> void add(std::uint32_t mask, F&& index_of) {
        Pattern p{bytes_, store_, mask, {}};
        for (unsigned lane = 0; lane < 32; ++lane) {
            p.index[lane] = index_of(lane) % kElements;
        }
        if (mask != 0) {
            all_.push_back(p);
        }
    }
    Indices distinct(std::uint32_t below) {
        std::vector<std::uint32_t> pool(below);
        for (std::uint32_t i = 0; i < below; ++i) {
            pool[i] = i;
        }
        Indices out{};
        for (unsigned i = 0; i < 32; ++i) {
            std::swap(pool[i], pool[i + any(below - i)]);
            out[i] = pool[i];
        }
        return out;
    }

    void strides(unsigned most) {
        for (unsigned s = 0; s <= most; ++s) {
            add(kAll, [&](unsigned lane) { return s * lane; });
        }
        for (const std::uint32_t mask : {0x0000FFFFU, 0xFFFF0000U, 0x55555555U, 0x000000FFU, 0x00FF00FFU}) {
            for (const unsigned s : {1U, 2U, 8U}) {
                add(mask, [&](unsigned lane) { return s * lane; });
            }
        }
    }
    void random_ones(unsigned each) {
        for (unsigned bits = 1; bits <= 11; ++bits) {
            for (unsigned i = 0; i < each; ++i) {
                add(kAll, [&](unsigned) { return any(1U << bits); });
                add(random_(), [&](unsigned) { return any(1U << bits); });
                add(random_() & random_(), [&](unsigned) { return any(1U << bits); });
            }
        }
    }
    void one_address() {
        for (const std::uint32_t mask :
             {kAll,        0x0000FFFFU, 0xFFFF0000U, 0x000000FFU, 0x0000FF00U, 0x00FF0000U, 0xFF000000U,
              0x00FF00FFU, 0xFF0000FFU, 0x55555555U, 0xAAAAAAAAU, 0x33333333U, 0x0F0F0F0FU, 0x00000001U,
              0x00010001U, 0x80000001U, 0x01010101U, 0x7FFFFFFFU, 0xFFFFFFFEU, 0xFFFF7FFFU}) {
            add(mask, [&](unsigned) { return 7U; });
        }
        for (int i = 0; i < 8; ++i) {
            add(random_(), [&](unsigned) { return 5U; });
        }
    }
    // Lanes whose numbers differ only in the bits of `same` access the same element.
    void shared_by_lanes(bool few) {
        for (unsigned same = 1; same < 32; ++same) {
            if (few && (same & (same - 1)) != 0 && same != 3 && same != 31) {
                continue;
            }
            const Indices far = distinct(kElements), near = distinct(32);
            add(kAll, [&](unsigned lane) { return far[lane & ~same]; });
            add(kAll, [&](unsigned lane) { return near[lane & ~same]; });
            add(kAll, [&](unsigned lane) { return lane & ~same; });
            const std::uint32_t mask = random_() | random_();
            add(mask, [&](unsigned lane) { return far[lane & ~same]; });
            const std::uint32_t sparse = random_() & random_();
            add(sparse, [&](unsigned lane) { return near[lane & ~same]; });
        }
    }
    void broken_by_one_lane() {
        for (const unsigned same : {1U, 2U, 4U, 8U, 16U, 3U, 31U}) {
            for (const unsigned odd : {0U, 1U, 9U, 18U, 31U}) {
                const Indices near = distinct(32);
                add(kAll, [&](unsigned lane) { return lane == odd ? 40 + near[lane] : near[lane & ~same]; });
                add(kAll & ~(1U << odd), [&](unsigned lane) { return near[lane & ~same]; });
            }
        }
    }
    // A different structure in each half or quarter of the warp.
    void halves_and_quarters(bool few) {
        for (const unsigned low : {0U, 1U, 2U, 4U, 8U, 15U}) {
            for (const unsigned high : {0U, 1U, 2U, 4U, 8U, 15U}) {
                if (few && low != high && low != 0 && high != 0) {
                    continue;
                }
                const Indices near = distinct(64);
                add(kAll, [&](unsigned lane) { return near[lane & ~(lane < 16 ? low : high)]; });
            }
        }
        for (unsigned alike = 1; alike < 16; ++alike) { // quarters with shared elements, the others all distinct
            for (const unsigned same : {1U, 2U, 7U}) {
                const Indices near = distinct(64);
                add(kAll, [&](unsigned lane) { return near[(alike >> lane / 8 & 1U) != 0 ? lane & ~same : lane]; });
                if (!few) {
                    std::uint32_t mask = 0; // only those quarters are active
                    for (unsigned q = 0; q < 4; ++q) {
                        mask |= (alike >> q & 1U) != 0 ? 0xFFU << 8 * q : 0;
                    }
                    add(mask, [&](unsigned lane) { return near[lane & ~same]; });
                }
            }
        }
        for (const unsigned size : {4U, 8U, 16U}) { // groups that access the same elements in a different order
            for (int i = 0; i < 4; ++i) {
                const Indices near = distinct(64);
                std::array<unsigned, 16> order{};
                for (unsigned k = 0; k < size; ++k) {
                    order[k] = k;
                }
                std::shuffle(order.begin(), order.begin() + size, random_);
                add(kAll, [&](unsigned lane) {
                    return near[(lane & size) != 0 ? (lane / (2 * size)) * 2 * size + order[lane % size] : lane];
                });
            }
        }
    }
    // Two to four addresses, in one bank or several, assigned at random or in turn.
    void few_addresses(int each) {
        for (int i = 0; i < each; ++i) {
            for (const unsigned count : {2U, 3U, 4U}) {
                const unsigned apart = i % 2 == 0 ? 1 : 64;
                add(kAll, [&](unsigned) { return apart * any(count); });
                add(random_() | random_(), [&](unsigned) { return apart * any(count); });
            }
        }
        for (unsigned bit = 0; bit < 5; ++bit) {
            for (const unsigned apart : {1U, 64U}) {
                add(kAll, [&](unsigned lane) { return apart * (lane >> bit & 1U); });
                add(kAll,
                    [&](unsigned lane) { return apart * ((lane >> bit & 1U) + 2 * (lane >> (bit + 1) % 5 & 1U)); });
            }
        }
    }

    // What a lane's partner, lane ^ `apart`, does.
    enum class Partner : std::uint8_t { same, inactive, either };
    struct Pairs {
        std::uint32_t mask;
        Indices index;
    };
    // Every lane's partner accesses the same element, or is inactive, or either of these, chosen per pair. Elements are
    // random below 2^bits.
    Pairs paired(unsigned apart, Partner how, unsigned bits) {
        Pairs p{kAll, {}};
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned partner = lane ^ apart;
            if (partner < lane) {
                continue;
            }
            p.index[lane] = any(1U << bits);
            p.index[partner] = p.index[lane];
            if (how == Partner::inactive || (how == Partner::either && any(2) == 0)) {
                p.mask &= ~(1U << (any(2) == 0 ? lane : partner));
            }
        }
        return p;
    }
    void add(const Pairs& p) {
        add(p.mask, [&](unsigned lane) { return p.index[lane]; });
    }
    // Distinguishes possible pair rules: which lane is the partner, whether an inactive partner counts, and whether all
    // lanes of the warp must form pairs or only those of a part of it.
    void pair_rules(unsigned each) {
        for (unsigned i = 0; i < each; ++i) {
            const unsigned bits = 4 + i % 4;
            for (const unsigned apart : {1U, 2U, 3U, 4U, 8U, 16U, 31U}) {
                for (const Partner how : {Partner::same, Partner::inactive, Partner::either}) {
                    add(paired(apart, how, bits));
                }
            }
            for (const unsigned apart : {1U, 2U}) {
                // A single lane accesses a different element: the next one, one in the same bank, any.
                for (const unsigned by : {1U, 64U, 1U + any(60)}) {
                    Pairs p = paired(apart, Partner::same, bits);
                    p.index[any(32)] += by;
                    add(p);
                }
                Pairs one_more = paired(apart, Partner::inactive, bits); // but one pair is active with two elements
                const unsigned lane = any(32);
                one_more.mask |= 1U << lane | 1U << (lane ^ apart);
                one_more.index[lane] = one_more.index[lane ^ apart] + 1 + any(60);
                add(one_more);
                // One half or quarter of the warp forms pairs; the rest accesses distinct elements, or is inactive.
                for (const std::uint32_t part : {0x0000FFFFU, 0xFFFF0000U, 0x000000FFU << 8 * any(4)}) {
                    const Pairs p = paired(apart, Partner::either, bits);
                    const Indices rest = distinct(64);
                    add(p.mask | ~part, [&](unsigned l) { return (part >> l & 1U) != 0 ? p.index[l] : rest[l]; });
                    add(p.mask & part, [&](unsigned l) { return p.index[l]; });
                }
            }
            // Each lane matches one of its two partners, but not all lanes the same one.
            const Pairs next = paired(1, Partner::same, bits), over = paired(2, Partner::same, bits);
            for (const std::uint32_t part : {0x0000FFFFU, 0x00FF00FFU, 0x0F0F0F0FU, 0xFU << 4 * any(8)}) {
                add(kAll, [&](unsigned l) { return (part >> l & 1U) != 0 ? next.index[l] : over.index[l]; });
            }
        }
    }

    std::mt19937 random_{20};
    unsigned bytes_ = 4;
    bool store_ = false;
    std::vector<Pattern> all_;
};

} // namespace warptree::bench
