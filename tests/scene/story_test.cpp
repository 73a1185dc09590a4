// The story of a program as cells: what each says, which launch it stands for, and that words fit.
#include "app/trace/explain/origin.hpp"
#include "app/views/story.hpp"
#include "app/views/verdict.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::scene {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::kMeasure;

StoryEvent event(StoryKind kind, unsigned line, std::string name, std::uint64_t bytes = 0) {
    StoryEvent e;
    e.kind = kind;
    e.line = SourceLine::of(0, line);
    e.name = std::move(name);
    e.bytes = bytes;
    return e;
}

StoryEvent copy(CopyDirection direction, unsigned line, std::string to, std::string from, std::uint64_t bytes) {
    StoryEvent e = event(StoryKind::copy, line, std::move(to), bytes);
    e.other = std::move(from);
    e.direction = direction;
    return e;
}

// The launch stores element i of `to` in block i, which it traces up to `window`.
Launch launch(std::uint32_t grid, std::uint32_t window, std::uint64_t combines, bool second) {
    Launch l;
    l.kernel = "reduce";
    l.grid = grid;
    l.block = 32;
    l.window_count = window;
    Step step;
    step.label = "load";
    step.counters.combines = combines;
    l.steps = {step};
    Allocation in, part, out;
    in.name = "d_in";
    part.name = "d_part";
    out.name = "d_out";
    in.input = !second;
    part.output = !second;
    part.input = second;
    out.output = second;
    l.allocations = {in, part, out};
    for (std::uint32_t b = 0; b < window; ++b) {
        Output o;
        o.block = b;
        o.index = b;
        o.thread = 7;
        o.allocation = second ? 2 : 1;
        l.outputs.push_back(o);
    }
    return l;
}

// Two launches, of which the second adds what the first stored.
Trace two_launches() {
    Trace t;
    t.program.entry = "main";
    t.kernel = "reduce";
    t.expected = "none";
    t.sources = {{"lab.cu", ""}};
    t.launches = {launch(16, 8, 100, false), launch(1, 1, 400, true)};
    StoryEvent first = event(StoryKind::launch, 5, "reduce"), second = event(StoryKind::launch, 6, "reduce");
    first.text = "<<<16, 32>>>";
    first.launch = 0;
    second.text = "<<<1, 32>>>";
    second.launch = 1;
    StoryEvent back = copy(CopyDirection::device_to_host, 8, "sum", "d_out", 4), end = event(StoryKind::exit, 0, "");
    back.text = "4950";
    end.line = SourceLine::none();
    StoryEvent print = event(StoryKind::print, 0, "");
    print.text = "n 1024\nadding\nTEST PASS\n";
    t.program.printed = print.text;
    t.program.events = {event(StoryKind::allocate, 1, "d_in", 8ULL << 20),
                        copy(CopyDirection::host_to_device, 4, "d_in", "h_in", 1536),
                        first,
                        second,
                        event(StoryKind::wait, 7, "the device"),
                        back,
                        print,
                        event(StoryKind::free, 9, "d_in"),
                        event(StoryKind::free, 10, "d_out"),
                        end};
    return t;
}

std::vector<std::string> words(const Trace& trace) {
    std::vector<std::string> all;
    for (const StoryCell& cell : story_cells(trace)) {
        all.push_back(cell.title + " | " + cell.detail);
    }
    return all;
}

TEST(Story, SaysWhatHappensInOrder) {
    EXPECT_THAT(words(two_launches()),
                ElementsAre("d_in | 8 MB on the device", "h_in → d_in | copy 1.5 KB in",
                            "reduce<<<16, 32>>> | launch 1 · d_in → d_part",
                            "reduce<<<1, 32>>> | launch 2 · d_part → d_out", "d_out → sum | copy 4 B back: 4950",
                            "prints | n 1024 … TEST PASS", "free | d_in, d_out", "exit 0 | sum = 4950"));
    EXPECT_TRUE(story_cells(tests::trace_of({"sequential", 64, 64})).empty()) << "a kernel alone has no story";
}

TEST(Story, EndsWithWhyItDidNotEndByItself) {
    Trace t = two_launches();
    t.program.exit = 139;
    t.program.events.back().bytes = 139;
    t.program.events.back().text = "line 8: the host uses d_out, which is memory of the device";
    const StoryCell end = story_cells(t).back();
    EXPECT_EQ(end.title, "exit 139");
    EXPECT_THAT(end.detail, HasSubstr("d_out"));
    EXPECT_EQ(end.mark, StoryCell::Mark::fault);
    EXPECT_EQ(verdict(t).mark, RunVerdict::Mark::wrong);
}

TEST(Story, MarksTheCellWhereSomethingIsWrong) {
    Trace t = two_launches();
    Finding leak, direction;
    leak.kind = FindingKind::leak;
    leak.severity = Severity::risk;
    leak.text = "d_part is never freed";
    direction.kind = FindingKind::copy_direction;
    direction.line = SourceLine::of(0, 4);
    direction.text = "the wrong way";
    t.program.findings = {direction, leak};
    const auto cells = story_cells(t);
    EXPECT_EQ(cells[1].mark, StoryCell::Mark::fault);
    EXPECT_THAT(cells[1].told, HasSubstr("the wrong way"));
    EXPECT_EQ(cells.back().mark, StoryCell::Mark::risk);
    EXPECT_EQ(cells[2].mark, StoryCell::Mark::plain);
    EXPECT_EQ(story_cells(two_launches()).back().mark, StoryCell::Mark::good);
    t.program.findings = {direction};
    EXPECT_EQ(story_cells(t).back().mark, StoryCell::Mark::plain) << "exit 0 makes nothing good";
}

TEST(Story, BeginsAtTheLaunchWithTheMostCombines) {
    Trace t = two_launches();
    EXPECT_EQ(telling_launch(t), 1U);
    t.launches[0].steps[0].counters.combines = 400;
    EXPECT_EQ(telling_launch(t), 0U) << "of equals the first";
    t.launches[1].findings.emplace_back().severity = Severity::risk;
    EXPECT_EQ(telling_launch(t), 0U) << "it may be right";
    t.launches[1].findings.emplace_back().severity = Severity::fault;
    EXPECT_EQ(telling_launch(t), 1U) << "it is wrong";
    t.launches.clear();
    EXPECT_EQ(telling_launch(t), 0U);
}

TEST(Story, ScrollsNoFurtherThanNeeded) {
    const Trace t = two_launches();
    for (const float scale : {0.75F, 1.0F, 2.0F, 3.0F}) {
        const StoryRow row = lay_out_story(t, kMeasure, scale);
        for (const float width : {300 * scale, 700 * scale, 4000 * scale}) {
            for (const std::uint32_t launch : {0U, 1U}) {
                const float scroll = scroll_to_launch(row, launch, width, 0, scale);
                const auto& place = row.places[2 + launch];
                EXPECT_GE(place.x - scroll, 0) << scale << ' ' << width;
                EXPECT_LE(place.x + place.w - scroll, width) << scale << ' ' << width;
                EXPECT_EQ(scroll_to_launch(row, launch, width, scroll, scale), scroll) << "it stays where it is seen";
            }
        }
        EXPECT_EQ(clamped_scroll(row, row.width + 1, 50), 0);
    }
}

TEST(Story, WordsStayInTheirCellsAndLaunchesAreTargets) {
    const Trace t = two_launches();
    for (const float height : {kLowStory, kStoryHeight}) {
        ViewContext context;
        context.trace = &t;
        context.theme = &theme(ThemeName::dark);
        context.measure = &kMeasure;
        context.moment.launch = 1;
        const StoryRow row = lay_out_story(t, kMeasure, 1);
        const Rect area{10, 20, row.width + 5, height};
        const Drawing d = draw_story(context, area, row, 0);
        ASSERT_EQ(d.layers[0].boxes.size(), row.cells.size());
        for (const Text& text : d.layers[0].texts) {
            const float end = text.anchor.x + kMeasure.width(text.text, text.face, text.size);
            const auto inside = std::count_if(d.layers[0].boxes.begin(), d.layers[0].boxes.end(), [&](const Box& b) {
                return text.anchor.x > b.rect.x && end < b.rect.right();
            });
            EXPECT_EQ(inside, 1) << text.text;
            EXPECT_EQ(text.text.find("…") != std::string::npos, text.text.find("n 1024") == 0) << text.text;
        }
        ASSERT_EQ(d.hits.size(), 2U);
        EXPECT_EQ(d.hits[1].target.launch, 1U);
        const Rect& there = d.hits[1].rect;
        EXPECT_EQ(cell_at(row, area, 0, {there.x + 3, there.y + 3}), 3U);
        EXPECT_EQ(cell_at(row, area, 0, {there.x - 3, there.y + 3}), kNone) << "an arrow is no cell";
    }
}

TEST(Origin, IsTheLastStoreOrCopyBeforeTheLaunch) {
    Trace t = two_launches();
    const auto third = origin_of(t, 1, 1, 3);
    ASSERT_TRUE(third && third->output != nullptr);
    EXPECT_EQ(third->launch, 0U);
    EXPECT_EQ(origin_text(t, third), "thread 7 of block 3 stores it in launch 1 (reduce)");
    const auto untraced = origin_of(t, 1, 1, 12);
    ASSERT_TRUE(untraced);
    EXPECT_EQ(untraced->output, nullptr) << "a block beyond the window";
    EXPECT_EQ(origin_text(t, untraced), "of an array that launch 1 writes");
    EXPECT_EQ(origin_text(t, origin_of(t, 0, 0, 5)), "copied from h_in in line 4");
    EXPECT_FALSE(origin_of(t, 0, 1, 0)) << "nothing wrote it before";
    t.program.events.insert(t.program.events.begin() + 3, copy(CopyDirection::host_to_device, 6, "d_part", "h", 4));
    EXPECT_EQ(origin_text(t, origin_of(t, 1, 1, 3)), "copied from h in line 6") << "later than the launch";
}

TEST(Verdict, SaysWhatMattersMost) {
    Trace t = two_launches();
    EXPECT_EQ(verdict(t).text, "TEST PASS · exit 0");
    EXPECT_EQ(verdict(t).mark, RunVerdict::Mark::right);
    t.program.printed = "sum 3\nTEST FAIL\n";
    EXPECT_EQ(verdict(t).mark, RunVerdict::Mark::wrong);
    t.program.printed = "sum 3";
    EXPECT_EQ(verdict(t).mark, RunVerdict::Mark::unchecked);
    Finding race;
    race.kind = FindingKind::race_shared;
    t.launches[0].findings = {race, race};
    EXPECT_EQ(verdict(t).text, "2 races · sum 3 · exit 0");
    Finding leak;
    leak.kind = FindingKind::leak;
    leak.severity = Severity::risk;
    t.program.findings = {leak};
    EXPECT_EQ(verdict(t).text, "2 races · sum 3 · exit 0 · leak (risk)") << "risks come last";
    EXPECT_TRUE(goes_wrong(t.launches[0], 0));
    EXPECT_FALSE(goes_wrong(t.launches[1], 0));

    const Trace& right = tests::trace_of({"sequential", 64, 64});
    EXPECT_EQ(verdict(right).text, "right: 2016");
    Trace wrong = right;
    wrong.pass = false;
    wrong.result.bits += 1;
    EXPECT_EQ(verdict(wrong).text, "wrong: 2017, expected 2016");
    EXPECT_EQ(verdict(wrong).mark, RunVerdict::Mark::wrong);
}

} // namespace
} // namespace warptree::scene
