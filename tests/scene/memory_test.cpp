// The elements of an array as a grid: where they stand, which are lit, and what is said of each.
#include "app/views/memory/memory.hpp"

#include "app/drawing/theme.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::scene {
namespace {

using tests::kMeasure;

const char* const kTwice =
    "__global__ void k(const int* in, int* out) {\n  __shared__ int s[4][8];\n"
    "  int x = threadIdx.x % 8, y = threadIdx.x / 8;\n  s[y][x] = in[threadIdx.x];\n"
    "  __syncthreads();\n  for (int d = 1; d < 3; ++d) {\n    if (x < d) s[y][x] += s[y][x + 2];\n"
    "    __syncthreads();\n  }\n  out[threadIdx.x] = s[y][x];\n}";

struct Shown {
    Trace trace;
    ViewContext context;
    std::vector<ArrayElement> elements;
    ShownArray array;
};

// After the step of that label.
void show(Shown& shown, const std::string& name, const std::string& label) {
    const Launch& l = shown.trace.launches[0];
    const auto at = std::ranges::find(l.steps, label, &Step::label);
    ASSERT_NE(at, l.steps.end()) << label;
    const auto step = static_cast<std::uint32_t>(at - l.steps.begin());
    const std::vector<ArrayPlace> all = arrays_of(l);
    const auto place = std::ranges::find(all, name, &ArrayPlace::name);
    ASSERT_NE(place, all.end()) << name;
    shown.elements = contents(shown.trace, 0, *place, 0, step, 0, place->elements);
    shown.array = {*place, &shown.elements, 0, std::nullopt};
    shown.context.trace = &shown.trace;
    shown.context.moment = {0, step, 1};
    shown.context.theme = &theme(ThemeName::dark);
    shown.context.measure = &kMeasure;
}

std::size_t lit(const Drawing& drawing) {
    return static_cast<std::size_t>(
        std::ranges::count(drawing.layers[0].boxes, theme(ThemeName::dark).accent_fill, &Box::fill));
}

TEST(Memory, HasARowOfTheArrayInARow) {
    Shown shown{tests::run_text(kTwice), {}, {}, {}};
    show(shown, "s", "d = 2");
    const Rect area{10, 20, 600, 200};
    const MemoryGrid grid = memory_grid(shown.context, area, shown.array);
    EXPECT_EQ(grid.columns, 8U);
    EXPECT_EQ(grid.all_rows, 4U);
    for (std::uint64_t k = 0; k < 32; ++k) { // there and back
        const Rect cell = grid.rect_of(k);
        EXPECT_EQ(grid.element_at({cell.x + cell.w / 2, cell.y + cell.h / 2}), k);
    }
    EXPECT_FALSE(grid.element_at({area.x, area.y}).has_value());
    const Drawing drawing = draw_memory(shown.context, area, shown.array);
    EXPECT_EQ(lit(drawing), 8U) << "two of each row are stored in the step";
    EXPECT_EQ(element_words(shown.trace, 0, shown.array.place, 9, shown.elements[9]).substr(0, 25),
              "s[1][1] = 20\nstored by th");
    // The cell of an element is its thread's.
    const Rect cell = grid.rect_of(17);
    const Target target = drawing.at({cell.x + 4, cell.y + 4});
    EXPECT_EQ(target.kind, Target::Kind::thread);
    EXPECT_EQ(target.index, 17U);
}

TEST(Memory, ShowsWhatWasThereBeforeTheLaunch) {
    Shown shown{tests::run_text(kTwice), {}, {}, {}};
    show(shown, "in", "d = 1");
    EXPECT_EQ(element_words(shown.trace, 0, shown.array.place, 7, shown.elements[7]),
              "in[7] = 7\nas before the launch");
    EXPECT_EQ(lit(draw_memory(shown.context, {0, 0, 400, 120}, shown.array)), 0U);
}

TEST(Memory, WritesNumbersInFullWhereTheyHaveRoom) {
    Shown shown{tests::run_text("__global__ void k(const int* in, int* out) {\n"
                                "  out[threadIdx.x] = 12345 + in[threadIdx.x] * 60000000;\n}"),
                {},
                {},
                {}};
    show(shown, "out", "store");
    const auto drawn = [&](float width) {
        std::vector<std::string> all;
        for (const Text& text : tests::texts(draw_memory(shown.context, {0, 0, width, 400}, shown.array))) {
            all.push_back(text.text);
        }
        return all;
    };
    EXPECT_EQ(std::ranges::count(drawn(700), "12345"), 1);
    EXPECT_EQ(std::ranges::count(drawn(700), "60012345"), 1);
    EXPECT_EQ(std::ranges::count(drawn(700), "1.9G"), 1) << "for 1860012345 there is none";
}

TEST(Memory, ScrollsNoFurtherThanItsEnd) {
    Shown shown{tests::run_text(kTwice), {}, {}, {}};
    show(shown, "in", "d = 1");
    shown.array.first_row = 1000;
    const MemoryGrid grid = memory_grid(shown.context, {0, 0, 90, 50}, shown.array);
    EXPECT_EQ(grid.first_row + grid.rows, grid.all_rows);
}

} // namespace
} // namespace warptree::scene
