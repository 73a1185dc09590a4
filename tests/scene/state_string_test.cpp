// State strings: what they say, round trips, and what they refuse.
#include "app/features/explore/explore_state.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/packed_text.hpp"
#include "app/run/run.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace warptree::session {
namespace {

using ::testing::HasSubstr;

std::string why_no_state(const std::string& text) {
    try {
        StateString state = parse_state(text);
        take_looks(state);
        explore_state(state);
    } catch (const OptionError& refused) {
        return refused.what();
    }
    ADD_FAILURE() << "taken: " << text;
    return {};
}

TEST(StateString, IsReadAsWritten) {
    const ExploreState e = explore_state(parse_state("explore/sequential?n=2^6&block=64&step=3"));
    EXPECT_EQ(e.options.strategy, "sequential");
    EXPECT_EQ(e.options.n, 64U);
    EXPECT_EQ(e.options.block, 64U);
    EXPECT_EQ(e.step, 3U);
    EXPECT_EQ(e.part, 4U);
    EXPECT_EQ(e.selected, scene::Target{});
    EXPECT_EQ(to_string(state_string(e)), "explore/sequential?n=64&block=64&step=3");
    EXPECT_EQ(state_command(state_string(e)), "warptree --state 'explore/sequential?n=64&block=64&step=3'");
}

TEST(StateString, IsReadFromTheCommandThatIsCopied) {
    const ExploreState e = explore_state(parse_state("explore/sequential?n=64&block=64&step=3"));
    EXPECT_EQ(parse_state(state_command(state_string(e))), state_string(e));
    for (const char* const typed :
         {"warptree --state 'explore/sequential?n=64'", "  warptree  --state \"explore/sequential?n=64\"\n",
          "--state='explore/sequential?n=64'", "'explore/sequential?n=64'", "explore/sequential?n=64\n"}) {
        EXPECT_EQ(without_command(typed), "explore/sequential?n=64") << typed;
        EXPECT_EQ(parse_state(typed), parse_state("explore/sequential?n=64")) << typed;
    }
    EXPECT_EQ(without_command(""), "");
    EXPECT_EQ(without_command("'"), "'");
    for (const char* screen :
         {"--state--statel", "--statel", "--state", "\t--state--state"}) { // no option: a name that is none
        const StateString odd = parse_state(screen);
        EXPECT_EQ(parse_state(to_string(odd)), odd) << screen;
    }
    EXPECT_THAT(why_no_state("warptree --state ''"), HasSubstr("names no screen"));
}

TEST(StateString, SaysEveryOptionOfEveryStrategy) {
    for (const StrategyInfo& info : strategies()) {
        ExploreState e;
        e.options.strategy = info.id;
        e.options.n = 1000;
        e.options.block = info.blocks.least;
        e.options.input = InputKind::random;
        e.options.seed = ~0ULL;
        e.options.banks = 16;
        e.options.order = WarpOrder::reverse;
        e.options.window = {1, 3};
        e.options.type = !info.header.types.empty() ? ElementType::u32 : ElementType::i64;
        e.options.op = Operator::max;
        e.options.finish = info.finishes.back();
        e.frame = scene::Frame::free;
        e.camera = {2.25F, -140.5F, 60, 1.5F};
        for (const Parameter& p : info.parameters) {
            e.options.parameters[std::string(p.name)] = p.as_n ? 17 : p.most;
        }
        if (refusal(e.options)) {
            e.options.block = info.default_block;
            e.options.op = Operator::sum;
            e.options.type = taken_type(info);
        }
        if (refusal(e.options)) {
            e.options.parameters.clear();
        }
        ASSERT_EQ(refusal(e.options), std::nullopt) << info.id;
        e.step = 5;
        e.part = 2;
        e.selected = {scene::Target::Kind::thread, 0, 2, 31, 1};
        e.block = 2;
        e.warp = 1;
        e.request = 4;
        const std::string text = to_string(state_string(e));
        const ExploreState back = explore_state(parse_state(text));
        EXPECT_EQ(resolve(back.options), resolve(e.options)) << text;
        EXPECT_EQ(back.step, e.step);
        EXPECT_EQ(back.part, e.part);
        EXPECT_EQ(back.selected, e.selected) << text;
        EXPECT_EQ(back.block, e.block);
        EXPECT_EQ(back.warp, e.warp);
        EXPECT_EQ(back.request, e.request);
        EXPECT_EQ(to_string(state_string(back)), text);
    }
}

TEST(StateString, HoldsAnyTextOfAValue) {
    const StateString s{"stride-playground", "", {{"index", "2*s*t % 7 & 'x'"}, {"mask", "ffff0000"}, {"µ", "=?/"}}};
    const std::string text = to_string(s);
    EXPECT_EQ(parse_state(text), s);
    EXPECT_EQ(text.find('\''), std::string::npos) << "a shell quotes it whole";
    EXPECT_EQ(text.find(' '), std::string::npos);
    EXPECT_THAT(text, HasSubstr("index=2*s*t"));
    EXPECT_EQ(parse_state("theory"), (StateString{"theory", "", {}}));
    const StateString slash{"a/b", "c/d", {}};
    EXPECT_EQ(parse_state(to_string(slash)), slash);
    EXPECT_EQ(parse_state("theory/occupancy?block-x=16").subject, "occupancy");
}

TEST(StateString, OfAKernelFileSaysWhatItIsCalledWith) {
    ExploreState e;
    e.file = e.options.kernel.file = "/a folder/mine.cu";
    ask_for_elements(e.options, 96);
    ask_for_block(e.options, 64);
    ask_for_input(e.options, InputKind::random);
    e.options.type = ElementType::f32;
    e.options.op = Operator::max;
    e.options.finish = Finish::relaunch;
    e.options.host_below = 4;
    e.options.parameters["batch"] = 2;
    e.options.order = WarpOrder::reverse;
    e.options.kernel.kernel = "k<64>";
    e.options.kernel.arguments = {{"in", "random:10"}};
    EXPECT_EQ(explore_state(parse_state(to_string(state_string(e)))), e);
    EXPECT_THAT(why_no_state("explore?file=mine.cu&batch=2"), HasSubstr("a kernel file"));
    EXPECT_THAT(why_no_state("explore?file=mine.cu&parameter.batch=x"), HasSubstr("take a number"));
}

TEST(StateString, CarriesASource) {
    ExploreState e;
    e.file = e.options.kernel.file = "/a folder/mine.cu";
    EXPECT_FALSE(state_with_source(e)) << "no text is known";
    const std::string text = "// \xC3\xA4\n__global__ void k(int* a) {\n\ta[0] = '&' + 1;\n}\n";
    e.options.kernel.text = text;
    ask_for_elements(e.options, 96);
    const auto shared = state_with_source(e);
    ASSERT_TRUE(shared);
    const std::string string = to_string(*shared);
    EXPECT_EQ(string.find("folder"), std::string::npos) << string;
    EXPECT_EQ(string.find_first_of(" '\"&%", string.find("source=")), std::string::npos) << string;
    const ExploreState read = explore_state(parse_state(string));
    EXPECT_TRUE(read.carried);
    EXPECT_EQ(read.options.kernel.text, text);
    EXPECT_EQ(read.file, "mine.cu");
    EXPECT_EQ(read.options.n, 96U);
    EXPECT_EQ(to_string(parse_state(string)), string);

    std::string noise; // that does not deflate
    for (std::mt19937 any(1); noise.size() < 8000;) {
        noise += static_cast<char>('0' + any() % 64);
    }
    e.options.kernel.text = noise;
    EXPECT_FALSE(state_with_source(e)) << "too long for a link";
}

TEST(StateString, BoundsTheSourceThatItCarries) {
    const std::string packed = packed_text("__global__ void k() {}\n");
    EXPECT_EQ(explore_state(parse_state("explore?file=a.cu&source=" + packed)).options.kernel.text,
              "__global__ void k() {}\n");
    EXPECT_THAT(why_no_state("explore?file=a.cu&source=" + packed_text(std::string(1 << 20, 'a'))),
                HasSubstr("larger than 256 KB"));
    EXPECT_EQ(unpacked_text(packed_text(std::string(kMostUnpacked, 'a'))).size(), kMostUnpacked);
    EXPECT_THAT(why_no_state("explore?file=a.cu&source=" + packed.substr(0, packed.size() - 6)), HasSubstr("damaged"));
    EXPECT_THAT(why_no_state("explore?file=a.cu&source=%22" + packed), HasSubstr("damaged"));
    EXPECT_THAT(why_no_state("explore?file=a.cu&source=" + std::string(kMostRead + 1, 'A')), HasSubstr("longer than"));
    EXPECT_THAT(why_no_state("explore?file=a.cu&source=" + packed_text(std::string("a\0b", 3))), HasSubstr("no text"));
    for (const char* file : {"file=..%2Fa.cu&", "file=/tmp/a.cu&", "file=a.wtrace&", "file=a.txt&"}) {
        EXPECT_THAT(why_no_state(std::string("explore?") + file + "source=" + packed), HasSubstr("")) << file;
    }
    EXPECT_THAT(why_no_state("explore/sequential?source=" + packed), HasSubstr("file=mine.cu"));
}

TEST(StateString, IsStrict) {
    EXPECT_THAT(why_no_state(""), HasSubstr("names no screen"));
    EXPECT_THAT(why_no_state("?n=3"), HasSubstr("names no screen"));
    EXPECT_THAT(why_no_state("explore/"), HasSubstr("subject"));
    EXPECT_THAT(why_no_state("explore"), HasSubstr("names a strategy"));
    EXPECT_THAT(why_no_state("explore/sequental"), HasSubstr("nearest is 'sequential'"));
    EXPECT_THAT(why_no_state("explore/sequential?"), HasSubstr("KEY=VALUE"));
    EXPECT_THAT(why_no_state("explore/sequential?n"), HasSubstr("'n'"));
    EXPECT_THAT(why_no_state("explore/sequential?n="), HasSubstr("'n='"));
    EXPECT_THAT(why_no_state("explore/sequential?n=64&"), HasSubstr("KEY=VALUE"));
    EXPECT_THAT(why_no_state("explore/sequential?n=64&n=65"), HasSubstr("twice"));
    EXPECT_THAT(why_no_state("explore/sequential?n=-1"), HasSubstr("n=-1"));
    EXPECT_THAT(why_no_state("explore/sequential?n=99999999999999999999"), HasSubstr("take 1 to"));
    EXPECT_THAT(why_no_state("explore/sequential?block=48"), HasSubstr("power of two"));
    EXPECT_THAT(why_no_state("explore/sequential?batch=4"), HasSubstr("'batch'"));
    EXPECT_THAT(why_no_state("explore/sequential?speed=4"), HasSubstr("'speed'"));
    EXPECT_THAT(why_no_state("explore/sequential?part=5"), HasSubstr("1 to 4"));
    EXPECT_THAT(why_no_state("explore/sequential?select=node"), HasSubstr("KIND"));
    EXPECT_THAT(why_no_state("explore/sequential?select=leaf:0:0:1"), HasSubstr("KIND"));
    EXPECT_THAT(why_no_state("explore/sequential?select=node:0:0:x"), HasSubstr("select=x"));
    EXPECT_THAT(why_no_state("explore/sequential?file=a.wtrace"), HasSubstr("not both"));
    EXPECT_THAT(why_no_state("explore?file=a.wtrace&n=3"), HasSubstr("a recorded trace"));
    EXPECT_THAT(why_no_state("explore/sequential?scale=4"), HasSubstr("0.75 to 3"));
    EXPECT_THAT(why_no_state("explore/sequential?scale=nan"), HasSubstr("0.75 to 3"));
    EXPECT_THAT(why_no_state("explore/sequential?theme=blue"), HasSubstr("light"));
    EXPECT_THAT(why_no_state("explore/%4"), HasSubstr("%XX"));
    EXPECT_THAT(why_no_state("explore/%0A"), HasSubstr("control"));
    for (const char* text : {"explore/\x1b[2J", "a\nb", "explore/sequential?\x01=2"}) {
        const std::string why = why_no_state(text);
        EXPECT_EQ(why.find_first_of("\n\x1b\x01"), std::string::npos) << "one line, safe to print";
    }
}

TEST(StateString, TakesLooksAway) {
    StateString s = parse_state("explore/sequential?scale=1.5&theme=contrast");
    const StateLooks looks = take_looks(s);
    EXPECT_EQ(looks.theme, scene::ThemeName::contrast);
    EXPECT_EQ(looks.scale, 1.5F);
    EXPECT_TRUE(s.values.empty());
    EXPECT_FALSE(take_looks(s).theme);
}

TEST(StateString, GoesBackToWhereItWasTaken) {
    RunOptions o;
    o.strategy = "interleaved-strided";
    o.n = 1000;
    o.block = 128;
    o.finish = Finish::relaunch;
    const auto trace = std::make_shared<const Trace>(runs::run_any(o));
    Explore there([] {}), here([] {});
    there.options = o;
    there.show_file("", trace);
    here.show_file("", trace);
    for (std::uint32_t place = 0; place < there.playback.places(); ++place) {
        for (int part = 1; part <= 3; ++part) {
            there.playback.go_to_place(place, static_cast<float>(part) / 3);
            there.selected = {};
            there.select({scene::Target::Kind::thread, 0, place % 8, place % 128, place % 4});
            there.request = place % 2;
            const ExploreState state = explore_state(there);
            EXPECT_EQ(go_to(explore_state(parse_state(to_string(state_string(state)))), here), "");
            EXPECT_EQ(here.playback.place(), place);
            EXPECT_NEAR(here.playback.moment().phase, static_cast<float>(part) / 3, 1e-6F);
            EXPECT_EQ(here.selected, there.selected);
            EXPECT_EQ(here.block, there.block);
            EXPECT_EQ(here.warp, there.warp);
            EXPECT_EQ(here.request, there.request);
            EXPECT_EQ(to_string(state_string(explore_state(here))).substr(0, 8), "explore/");
        }
    }
    ExploreState beyond;
    beyond.step = 1000;
    EXPECT_THAT(go_to(beyond, here), HasSubstr("no step 1000"));
    EXPECT_EQ(here.playback.place() + 1, here.playback.places());
    beyond = {};
    beyond.selected = {scene::Target::Kind::node, 0, 0, 1U << 30, kNone};
    EXPECT_THAT(go_to(beyond, here), HasSubstr("not in this trace"));
    EXPECT_EQ(here.selected.kind, scene::Target::Kind::none);
    beyond = {};
    beyond.block = 900;
    EXPECT_THAT(go_to(beyond, here), HasSubstr("block 900"));
}

} // namespace
} // namespace warptree::session
