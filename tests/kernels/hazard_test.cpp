// Races are found whatever the order in which threads are fed, and only where there are any.
#include "kernels/trace/hazards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace warptree {
namespace {

SharedAccess at(std::uint32_t word, std::uint16_t thread, bool writes, std::uint16_t epoch = 0,
                std::uint16_t shuffles = 0) {
    return {word, thread, 0, epoch, shuffles, 1, writes};
}

std::vector<Hazard> find(std::vector<SharedAccess> accesses) {
    HazardFinder finder(64);
    const StepTable steps;
    for (const SharedAccess& a : accesses) {
        finder.note(a);
    }
    std::vector<Hazard> found;
    finder.end_interval(3, steps, found);
    return found;
}

TEST(Hazards, TwoReadersDoNotRace) { EXPECT_TRUE(find({at(5, 0, false), at(5, 1, false)}).empty()); }
TEST(Hazards, OneThreadDoesNotRaceWithItself) {
    EXPECT_TRUE(find({at(5, 0, true), at(5, 0, false), at(5, 0, true)}).empty());
}
TEST(Hazards, ReaderAndWriterRace) {
    const auto found = find({at(5, 40, false), at(5, 1, true)});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].word, 5U);
    EXPECT_EQ(found[0].block, 3U);
    EXPECT_EQ(found[0].first_thread, 1U);
    EXPECT_EQ(found[0].second_thread, 40U);
    EXPECT_TRUE(found[0].first_writes);
    EXPECT_FALSE(found[0].second_writes);
}
TEST(Hazards, AWarpBarrierOrdersLanesOfOneWarpOnly) {
    EXPECT_TRUE(find({at(5, 0, true, 0), at(5, 1, false, 1)}).empty());
    EXPECT_EQ(find({at(5, 0, true, 0), at(5, 32, false, 1)}).size(), 1U);
}
TEST(Hazards, AShuffleOrdersNothing) {
    const auto found = find({at(5, 0, true), at(5, 1, false, 0, 1)});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].across_shuffle);
    EXPECT_FALSE(find({at(5, 0, true), at(5, 1, false)})[0].across_shuffle);
    EXPECT_FALSE(find({at(5, 0, true), at(5, 32, false, 0, 1)})[0].across_shuffle) << "lanes of another warp";
    EXPECT_TRUE(find({at(5, 0, true), at(5, 1, false, 1, 1)}).empty()) << "a warp barrier lies between as well";
}
TEST(Hazards, DoNotDependOnTheOrderOfThreads) {
    std::mt19937 random(1);
    std::vector<SharedAccess> accesses;
    for (int i = 0; i < 200; ++i) {
        accesses.push_back(at(random() % 16, static_cast<std::uint16_t>(random() % 64), random() % 3 == 0,
                              static_cast<std::uint16_t>(random() % 3)));
    }
    const auto expected = find(accesses);
    EXPECT_FALSE(expected.empty());
    for (int i = 0; i < 20; ++i) {
        std::shuffle(accesses.begin(), accesses.end(), random);
        EXPECT_EQ(find(accesses), expected);
    }
}

} // namespace
} // namespace warptree
