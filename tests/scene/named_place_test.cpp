// What the list of actions finds by name in the launch that is shown: threads, elements, steps.
#include "app/features/explore/named_place.hpp"

#include "app/features/explore/explore.hpp"
#include "tests/support/kernel_text.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace warptree::session {
namespace {

struct Shown {
    explicit Shown(const Trace& trace) { explore.show_file("", std::make_shared<const Trace>(trace)); }
    std::vector<std::string> titles(const std::string& typed) {
        std::vector<std::string> all;
        for (const window::Action& action : named_places(explore, typed)) {
            all.push_back(action.title);
        }
        return all;
    }
    std::string first(const std::string& typed) {
        const auto all = titles(typed);
        return all.empty() ? "" : all.front();
    }
    Explore explore{[] {}};
};

const char* const kRows =
    "__global__ void k(const int* in, int* out) {\n"
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  out[y * 16 + x] = in[y * 16 + x];\n}";

Trace rows() {
    return tests::run_text(kRows, [](RunOptions& o) {
        o.n = 256;
        o.block.reset();
        o.kernel.block = "8,4";
        o.kernel.grid = "2,4";
        o.window = {0, 8};
    });
}

TEST(NamedPlace, FindsAThreadByItsCoordinates) {
    Shown shown(rows());
    ASSERT_EQ(shown.explore.trace()->launches[0].block_shape[0], 8U);
    EXPECT_EQ(shown.first("thread 19 of block 3"), "Thread 19 (x 3, y 2) of block 3");
    for (const char* typed : {"thread (3,2) of block (1,1)", "thread (x 3, y 2) of block (x 1, y 1)",
                              "thread 3,2 block 1,1", "Thread (3, 2) of block 3", "t 19 block (1,1)"}) {
        EXPECT_EQ(shown.first(typed), "Thread 19 (x 3, y 2) of block 3") << typed;
    }
    named_places(shown.explore, "thread (3,2) of block (1,1)").front().act();
    EXPECT_EQ(shown.explore.selected.kind, scene::Target::Kind::thread);
    EXPECT_EQ(shown.explore.selected.index, 19U);
    EXPECT_EQ(shown.explore.selected.block, 3U);
}

TEST(NamedPlace, SaysWhatABlockAndAGridHaveInstead) {
    Shown shown(rows());
    EXPECT_EQ(shown.first("thread (8,2) of block (1,1)"), "a block has 8 × 4 threads here");
    EXPECT_EQ(shown.first("thread (1,2,3)"), "a block has 8 × 4 threads here");
    EXPECT_EQ(shown.first("thread (3,2) of block (2,0)"), "the grid has 2 × 4 blocks here");
    for (const char* typed : {"thread (3,2) of", "thread (3,2) of warp 1", "thread ,", "thread (3,2) block",
                              "thread 3,2 of block 99999999999"}) {
        EXPECT_TRUE(shown.titles(typed).empty()) << typed;
    }
}

TEST(NamedPlace, SaysWhatAnElementIsAndWhoStoresIt) {
    Shown shown(rows());
    EXPECT_EQ(shown.first("in[3]"), "in[3] = 3, as before the launch");
    EXPECT_EQ(shown.first("what is in[3]?"), shown.first("in[3]"));
    EXPECT_EQ(shown.first("out[3]"), "out[3] has no value yet");
    EXPECT_EQ(shown.first("who wrote in[3]"), "in[3]: no block that is traced stores it");
    const auto found = named_places(shown.explore, "Who wrote out[3]?");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found.front().title.starts_with("out[3] = 3, stored by thread 3 of block 0 in "))
        << found.front().title;
    found.front().act();
    EXPECT_EQ(shown.explore.selected.index, 3U);
    EXPECT_EQ(shown.explore.element, 3U);
    EXPECT_EQ(shown.first("out[3]"), found.front().title) << "the step in which it is stored";
}

} // namespace
} // namespace warptree::session
