// Arrays of a program's launch are said by the kernel's names, with the host's buffer in brackets, and found by both.
#include "app/trace/explain/array_names.hpp"

#include "app/features/explore/explore.hpp"
#include "app/features/explore/named_place.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/views/memory/memory.hpp"
#include "app/views/summary_kernel.hpp"
#include "app/views/warps/lifeline.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace warptree {
namespace {

// As a program's launch after std::swap(in, out): the host's buffers have one another's names.
Trace swapped() {
    Trace t = tests::run_text("__global__ void k(const int* in, int* out) {\n"
                              "  int i = threadIdx.x;\n  out[i] = in[i];\n  out[i % 8] = out[i % 8] + 1;\n}");
    Launch& l = t.launches[0];
    for (Allocation& a : l.allocations) {
        const std::string parameter = std::exchange(a.name, a.name == "in" ? "out" : "in");
        l.arguments.push_back({parameter, "int*", a.name, a.elements, false});
    }
    for (Finding& f : l.findings) {
        f.array = f.array == "in" ? "out" : "in";
    }
    t.outputs.clear();
    return t;
}

TEST(ArrayNames, AreThoseOfTheParametersThatPointToThem) {
    Launch l;
    l.allocations = {{"d", ValueType::i32},
                     {"b", ValueType::i32},
                     {"s", ValueType::i32},
                     {"whole", ValueType::i32},
                     {"table", ValueType::i32}};
    l.shared_arrays = {{"s"}};
    l.arguments = {{"data", "int*", "d"},     {"bins", "int*", "b"},           {"sums", "int*", "s"},
                   {"left", "int*", "whole"}, {"right", "int*", "whole + 16"}, {"n", "int", "128"}};
    EXPECT_EQ(kernel_name(l, "d") + buffer_note(l, "d"), "data (buffer d)");
    EXPECT_EQ(kernel_name(l, std::uint16_t{1}), "bins");
    for (const char* own : {"whole", "table", "s", "elsewhere", ""}) { // of two parameters, of none, of shared memory
        EXPECT_EQ(kernel_name(l, own), own);
        EXPECT_EQ(buffer_note(l, own), "");
    }
}

TEST(ArrayNames, AreSaidOfFindingsStepsAndElements) {
    const Trace t = swapped();
    const Launch& l = t.launches[0];
    const auto race = std::ranges::find_if(l.findings, [](const Finding& f) { return is_race(f.kind); });
    ASSERT_NE(race, l.findings.end());
    const std::string said = sentence(t, l, *race);
    EXPECT_THAT(said, testing::ContainsRegex("s out\\[[0-9]+\\] \\(buffer in\\) in line"));
    EXPECT_EQ(said.find("buffer"), said.rfind("buffer")) << said;
    std::uint32_t last = static_cast<std::uint32_t>(l.steps.size() - 1);
    EXPECT_THAT(scene::kernel_store_sentence(l, last), testing::HasSubstr(" to out (buffer in): "));
    std::string events;
    for (std::uint32_t step = 0; step <= last; ++step) {
        for (const scene::LifeEvent& e : scene::lifeline(t, {0, step, 1}, 0, 3)) {
            events += e.text + "\n";
        }
    }
    EXPECT_THAT(events, testing::HasSubstr("loads in[3] (buffer out)\n"));
    EXPECT_THAT(events, testing::HasSubstr("to out[3] (buffer in)\n"));
    for (const ArrayPlace& a : arrays_of(l)) {
        EXPECT_EQ(scene::element_words(t, 0, a, 5, {}).substr(0, a.name == "in" ? 18 : 18),
                  a.name == "in" ? "out[5] (buffer in)" : "in[5] (buffer out)");
    }
}

TEST(ArrayNames, FindAnElementByTheKernelsNameFirst) {
    session::Explore explore([] {});
    explore.show_file("", std::make_shared<const Trace>(swapped()));
    std::vector<std::string> titles;
    for (const window::Action& action : session::named_places(explore, "out[5]")) {
        titles.push_back(action.title);
    }
    EXPECT_THAT(titles, testing::ElementsAre(testing::StartsWith("out[5] (buffer in)"),
                                             testing::StartsWith("in[5] (buffer out)")));
    session::named_places(explore, "out[5]").front().act();
    EXPECT_EQ(explore.array, "in") << "what the parameter holds in this launch";
    EXPECT_EQ(explore.element, 5U);
}

} // namespace
} // namespace warptree
