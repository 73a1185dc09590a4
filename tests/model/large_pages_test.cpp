#include "app/base/large_pages.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace warptree {
namespace {

// What is written is read again, whatever was there before, beside blocks of other sizes and on several threads.
TEST(LargePages, HoldWhatIsWritten) {
    keep_freed_memory();
    const auto fill_and_read = [](std::uint64_t seed) {
        std::vector<std::vector<std::uint64_t>> held;
        for (std::uint64_t round = 0; round < 20; ++round) {
            const std::size_t words = 1 + (seed * 7919 + round * 104729) % (3U << 18); // up to 6 MB
            std::vector<std::uint64_t> some(words);
            std::iota(some.begin(), some.end(), seed + round);
            held.push_back(std::move(some));
            if (round % 3 == 2) {
                held.erase(held.begin());
            }
            for (const std::vector<std::uint64_t>& v : held) {
                ASSERT_EQ(v.back(), v.front() + v.size() - 1);
                ASSERT_EQ(v[v.size() / 2], v.front() + v.size() / 2);
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
        threads.emplace_back(fill_and_read, seed);
    }
    fill_and_read(0);
    for (std::thread& t : threads) {
        t.join();
    }
}

TEST(LargePages, AreAsLargeAsAsked) {
    for (const std::size_t bytes : {(2U << 20) - 1, 2U << 20, (2U << 20) + 1, 5U << 20}) {
        const std::unique_ptr<std::uint8_t[]> room(new std::uint8_t[bytes]);
        room[0] = 1;
        room[bytes - 1] = 2;
        EXPECT_EQ(room[0] + room[bytes - 1], 3) << bytes;
    }
    if (!tests::kSanitized) { // which ends a program that asks for so much
        EXPECT_THROW(std::vector<std::uint8_t>(SIZE_MAX / 4), std::bad_alloc);
    }
}

} // namespace
} // namespace warptree
