// Columns as text, shipped comparisons, counterparts across columns.
#include "app/base/error.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/compare/comparison.hpp"
#include "tests/support/scene_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

namespace warptree::session {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Kind = scene::Target::Kind;

void wait(Comparison& c) {
    c.start();
    for (int i = 0; i < 2000 && (!c.ready() || c.busy()); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        c.poll();
    }
    c.poll();
    ASSERT_TRUE(c.ready());
}

TEST(ColumnText, ReadsBackWhatItWrites) {
    for (const char* text : {"sequential", "sequential:block=128,type=f32", "interleaved-strided:banks=16",
                             "sequential:block=64,finish=relaunch,host-below=8", "hand-off:stop-at=64",
                             "missing-barrier:order=reverse", "scan-coarsened:batch=2"}) {
        EXPECT_EQ(column_text(apply(parse_column(text), {})), text);
    }
}

TEST(ColumnText, OfAKernelFileHasWhatItIsCalledWith) {
    const tests::TemporaryFolder folder;
    folder.write("mine.cu", "__global__ void k(int* out) {}\n");
    const std::string file = (folder.path() / "mine.cu").string();
    RunOptions base;
    base.strategy = "mine.cu"; // its name on the command line and in a trace
    for (const std::string rest :
         {"", ":block=16x16,expect=sum", ":kernel=k,grid=2,shared=64,arg.in=random:10,order=reverse",
          ":banks=16,parameter.batch=4,type=f32,finish=relaunch,host-below=8"}) {
        const RunOptions o = apply(parse_column(file + rest), base);
        EXPECT_EQ(apply(parse_column(column_text(o)), base), o) << rest;
    }
    EXPECT_EQ(apply(parse_column(file + ":block=64"), base).kernel.block, "64");
    EXPECT_THAT(
        [&] { apply(parse_column(file + ":batch=2"), base); },
        ThrowsMessage<OptionError>(HasSubstr("banks, kernel, grid, shared, expect, arg.NAME and parameter.NAME")));
}

TEST(ColumnText, SaysWhatIsWrong) {
    const auto refused = [](const std::string& text, const std::string& why) {
        EXPECT_THAT([&] { apply(parse_column(text), {}); }, ThrowsMessage<OptionError>(HasSubstr(why))) << text;
    };
    refused("sequentiel", "sequential");
    refused("sequential:block", "NAME=VALUE");
    refused("sequential:block=", "NAME=VALUE");
    refused("sequential:block=many", "1 to 1024");
    refused("sequential:type=f16", "f32");
    refused("sequential:banks=8", "16");
    refused("sequential:batch=4", "no option 'batch'");
    refused("sequential:strategy=first-add", "before the colon");
    refused("hand-off:stop-at=7000", "take");
    EXPECT_TRUE(parse_column("C:/odd, name.wtrace").is_file);
}

TEST(ColumnOptions, KeepWhatTheNextStrategyTakes) {
    RunOptions o = apply(parse_column("sequential:block=1024,type=f64,finish=relaunch"), {});
    change_strategy(o, "warp-atomic");
    EXPECT_EQ(o.type, ElementType::f64);
    EXPECT_FALSE(o.finish.has_value()) << "it finishes atomically";
    EXPECT_FALSE(refusal(o).has_value());
    o.n = 64; // keeps the matrix product small
    o.type = ElementType::i32;
    for (const StrategyInfo& info : strategies()) {
        change_strategy(o, info.id);
        EXPECT_FALSE(refusal(o).has_value()) << info.id;
        EXPECT_GE(column_options(o).size(), 6U);
    }
}

TEST(Presets, AreUsableAndCoverTheLadder) {
    std::set<std::string> ids;
    for (const Preset& p : presets()) {
        EXPECT_TRUE(ids.insert(p.id).second) << p.id;
        for (const std::string& text : p.columns) {
            RunOptions o = apply(parse_column(text), {});
            o.n = p.n;
            EXPECT_FALSE(refusal(o).has_value()) << p.id << " " << text;
            EXPECT_EQ(column_text(o), text) << "written as it is remembered";
        }
    }
    EXPECT_GE(ids.size(), 12U);
}

TEST(Presets, RefuseBadFiles) {
    const auto refused = [](const std::string& text, const std::string& why) {
        EXPECT_THAT([&] { parse_presets(text, "p.json"); }, ThrowsMessage<FileError>(HasSubstr(why)));
    };
    refused("{", "p.json");
    refused("{}", "not a list");
    const auto of = [](const std::string& comparison) {
        return R"({"format":"warptree.comparisons","version":1,"comparisons":[)" + comparison + "]}";
    };
    refused(of(R"({"id":"a"})"), "title");
    refused(of(R"({"id":"a","title":"A","n":64,"columns":["sequential"]})"), "comparison a: has 1");
    refused(of(R"({"id":"a","title":"A","n":64,"columns":["sequential","b"]})"), "comparison a:");
    refused(of(R"({"id":"a","title":"A","n":64,"align":"x","columns":["sequential","first-add"]})"), "align");
}

TEST(Comparison, FindsWhatIsMadeOfTheSameElements) {
    Comparison c([] {});
    c.set_columns({"interleaved-modulo:block=64", "interleaved-strided:block=64", "sequential:block=64"});
    wait(c);
    EXPECT_EQ(c.trees(0, 1), Trees::same);
    EXPECT_EQ(c.trees(0, 2), Trees::different);
    const Launch &a = c[0].trace->launches[0], &b = c[1].trace->launches[0];
    c.playback.go_to_place(3);
    for (std::uint32_t i = 0; i < a.nodes.size(); ++i) {
        const auto other = c.counterpart(0, {Kind::node, 0, 0, i, a.nodes[i].step}, 1);
        ASSERT_EQ(other.kind, Kind::node);
        EXPECT_EQ(b.nodes[other.index].bits, a.nodes[i].bits) << "sums of 0, 1, 2 … tell the sets apart";
        EXPECT_EQ(other.step, a.nodes[i].step);
    }
    // In a different tree: the last value of the same thread.
    const Launch& s = c[2].trace->launches[0];
    for (std::uint32_t i = 0; i < a.nodes.size(); ++i) {
        const auto other = c.counterpart(0, {Kind::node, 0, 0, i, a.nodes[i].step}, 2);
        if (a.nodes[i].kind == NodeKind::combine && a.nodes[i].step == 3) {
            ASSERT_EQ(other.kind, Kind::node);
            EXPECT_EQ(s.nodes[other.index].thread, a.nodes[i].thread);
            EXPECT_LE(s.nodes[other.index].step, 3);
        }
    }
    EXPECT_EQ(c.counterpart(0, {Kind::thread, 0, 0, 5, 3}, 2).index, 5U);
    EXPECT_EQ(c.counterpart(0, {Kind::request, 0, 0, 1, 3}, 2).kind, Kind::none);
    EXPECT_EQ(c.counterpart(0, {Kind::step, 0, 0, 2, 2}, 2).index, 2U) << "the second stage";
    EXPECT_EQ(c.counterpart(1, {}, 0).kind, Kind::none);
}

TEST(Comparison, LeavesOutWhatHasNoCounterpart) {
    Comparison c([] {});
    c.set_columns({"sequential:block=64", "sequential:block=32"});
    wait(c);
    EXPECT_EQ(c.counterpart(0, {Kind::thread, 0, 0, 40, 0}, 1).kind, Kind::none);
    EXPECT_EQ(c.counterpart(0, {Kind::warp, 0, 0, 1, 0}, 1).kind, Kind::none);
    EXPECT_EQ(c.counterpart(1, {Kind::warp, 0, 1, 0, 0}, 0).kind, Kind::none) << "there is no block 1";
}

TEST(Comparison, RemembersAndTakesBackOnlyWhatWorks) {
    Comparison c([] {});
    c.set_columns({"sequential:block=64,type=f32", "first-add:block=32", "scan-shared"});
    c.set_shared("n", "2^9");
    c.set_shared("op", "max");
    c.set_alignment(Alignment::combines);
    Comparison d([] {});
    d.restore(c.values());
    EXPECT_EQ(d.values(), c.values());
    EXPECT_EQ(d.n(), 512U);
    auto values = c.values();
    values["column-2"] = "first-add:block=nine";
    values["n"] = "none";
    Comparison e([] {});
    e.restore(values);
    EXPECT_EQ(e.size(), 2U);
    EXPECT_EQ(e[0].options.strategy, "interleaved-modulo") << "its own";
    EXPECT_EQ(e.n(), 64U);
}

TEST(Comparison, HasTwoToFourColumns) {
    Comparison c([] {});
    EXPECT_THROW(c.set_columns({"sequential"}), OptionError);
    EXPECT_THROW(c.set_columns({"sequential", "sequential", "sequential", "sequential", "sequential"}), OptionError);
    c.add();
    c.add();
    c.add();
    EXPECT_EQ(c.size(), 4U);
    c.remove();
    c.remove();
    c.remove();
    EXPECT_EQ(c.size(), 2U);
    c.set(0, "strategy", "first-add");
    EXPECT_THROW(c.set(0, "block", "0"), OptionError);
    wait(c);
    EXPECT_EQ(c[0].trace->options.strategy, "first-add");
}

TEST(Comparison, SaysWhatDoesNotRun) {
    Comparison c([] {});
    c.set_columns({"sequential:block=64", "warp-shuffle"});
    wait(c);
    c.set(0, "block", "33");
    EXPECT_THAT(c[0].error, HasSubstr("33"));
    c.set(0, "block", "32");
    EXPECT_EQ(c[0].error, "");
    wait(c);
    EXPECT_EQ(c[0].trace->block(), 32U);
}

} // namespace
} // namespace warptree::session
