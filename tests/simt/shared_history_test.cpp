// What is kept in place must tell the same races as a Word for each granule, whatever comes in whatever order. So few
// kinds of accesses that a Word forgets none: which of two of the same time it would forget first is its own affair.
#include "app/simt/shared_history.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

namespace warptree::simt {
namespace {

struct Told {
    std::size_t granule = 0;
    Note before, now;
    Severity severity = Severity::fault;
};
auto key(const Told& t) {
    return std::tuple(t.granule, t.before.time, t.before.thread, t.before.location, t.before.flags, t.before.value,
                      t.now.time, t.now.thread, t.severity);
}

// Threads of one warp know of one another what happened before `settled`; those of lanes 0 to 3 also what happened
// before `known`.
struct Order {
    std::uint32_t settled = 0, known = 0;
    bool stale(const Note& n) const { return n.time < settled; }
    bool ordered(const Note& before, const Note& now) const {
        return stale(before) || (before.thread < 4 && now.thread < 4 && before.time < known);
    }
};

TEST(SharedHistory, TellsTheRacesThatAWordTells) {
    constexpr std::size_t kGranules = 5;
    std::mt19937 random(7);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    std::size_t races = 0, in_place = 0;
    for (int round = 0; round < 1000; ++round) {
        SharedHistory history;
        history.begin_block(kGranules, false);
        std::vector<Word> words(kGranules);
        std::vector<Told> expected, told;
        Order order{1, 1};
        std::uint32_t now_time = 1;
        const std::uint32_t threads = 1 + below(6), strong = below(3), places = strong == 0 ? 2 : 1;
        for (int step = 0; step < 200; ++step) {
            if (below(8) == 0) {
                order.known = ++now_time;
            }
            if (below(12) == 0) {
                order.settled = ++now_time;
            }
            Note now;
            now.time = now_time;
            now.location = below(places);
            now.thread = static_cast<std::uint16_t>(below(threads));
            const std::size_t granule = below(kGranules);
            if (below(2) == 0) {
                now.flags = static_cast<std::uint16_t>(kWrites | (below(2) == 0 ? kChanges : 0));
                now.value = below(2);
            }
            if (strong != 0 && below(3) == 0) {
                now.flags |= strong == 1 ? kAtomic : kVolatile;
            }
            const auto tell = [&](std::vector<Told>& to) {
                return [&to, granule, now](const Note& before, Severity severity) {
                    to.push_back({granule, before, now, severity});
                };
            };
            words[granule].add(now, order, tell(expected));
            in_place += history.add(granule, now, order, tell(told)) == nullptr ? 1 : 0;
            ASSERT_EQ(expected.size(), told.size()) << "round " << round << ", step " << step;
        }
        for (std::size_t k = 0; k < told.size(); ++k) {
            EXPECT_EQ(key(expected[k]), key(told[k])) << "round " << round << ", race " << k;
        }
        races += told.size();
    }
    EXPECT_GT(races, 1000U);
    EXPECT_GT(in_place, 1000U);
}

} // namespace
} // namespace warptree::simt
