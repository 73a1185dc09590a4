// Versions of the trace file: files of older versions still open.
#include "app/base/whole_file.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/sources.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace warptree {
namespace {

class TraceVersions : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove(path_); }
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("warptree-versions-" + std::to_string(getpid()) + ".wtrace");
};

// Files of version 2, recorded on an H200, in tests/golden/version-2.
TEST_F(TraceVersions, Version2StillOpens) {
    unsigned files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::golden_dir() / "version-2")) {
        if (entry.path().extension() != ".wtrace") {
            continue;
        }
        ++files;
        const auto entries = unpack(read_whole(entry.path()), 1U << 30);
        ASSERT_NE(entries.at("manifest.json").find("\"version\": 2"), std::string::npos) << entry.path();
        const Trace trace = load(entry.path());
        EXPECT_TRUE(trace.pass);
        EXPECT_TRUE(trace.sources.empty());
        EXPECT_TRUE(sources(trace).empty()) << "it keeps no text, and this program has none of its time";
        save(trace, path_);
        EXPECT_EQ(load(path_), trace) << entry.path();
    }
    EXPECT_EQ(files, 5U);
}

TEST_F(TraceVersions, Version2TellsPaddingAndProducts) {
    const std::filesystem::path folder = tests::golden_dir() / "version-2";
    const auto count = [](const Launch& l, auto wanted) {
        return std::count_if(l.nodes.begin(), l.nodes.end(), wanted);
    };
    const auto is_padding = [](const Node& n) { return n.padding && !n.useful; };
    const auto is_product = [](const Node& n) { return n.kind == NodeKind::product; };
    // 200 elements in blocks of 64: two of four blocks are kept, both full; the last, with 8 elements, is only counted.
    EXPECT_EQ(count(load(folder / "sequential_200_64_i32.wtrace").launches.front(), is_padding), 0);
    // 257 elements: one block of 128 threads takes 256, the next one: its 127 first adds and its tree are padding.
    const Trace unrolled = load(folder / "unroll_last_warp_257_128_f64.wtrace");
    ASSERT_EQ(unrolled.launches.front().grid, 2U);
    Trace anew = runs::run_any([&] {
        RunOptions o = unrolled.options;
        o.backend = Backend::cpu;
        return o;
    }());
    EXPECT_EQ(unrolled.launches.front().totals().padding_combines, anew.launches.front().totals().padding_combines);
    EXPECT_EQ(unrolled.launches.front().totals().useful_combines, anew.launches.front().totals().useful_combines);
    EXPECT_GT(anew.launches.front().totals().padding_combines, 127U);
    const Trace products = load(folder / "tiled_matmul_34_256_f32.wtrace");
    EXPECT_GT(count(products.launches.front(), is_product), 0);
    EXPECT_EQ(count(products.launches.front(), is_product),
              count(products.launches.front(), [](const Node& n) { return n.kind == NodeKind::combine; }));
}

TEST_F(TraceVersions, HoldTheTextItsLinesAreOf) {
    RunOptions o;
    o.strategy = "block-shuffle";
    o.n = 64;
    o.block = 64;
    o.backend = Backend::cpu;
    o.finish = Finish::last_block;
    Trace trace = runs::run_any(o);
    std::vector<std::string> paths;
    for (const SourceFile& file : trace.sources) {
        paths.push_back(file.path);
    }
    EXPECT_EQ(paths.front(), "block_shuffle.cu");
    EXPECT_THAT(paths, testing::IsSupersetOf({"warp_reduce.cuh", "reduce/last_block.cuh", "reduction.cuh"}));
    for (const SourceView& file : sources(trace)) {
        EXPECT_EQ(file.origin, SourceOrigin::recorded) << file.path;
    }
    trace.sources.front().text = "// another\n\x01 text \"of\" old\n";
    save(trace, path_);
    const Trace opened = load(path_);
    EXPECT_EQ(opened, trace);
    const auto files = sources(opened);
    EXPECT_EQ(files[0].origin, SourceOrigin::differs);
    EXPECT_EQ(files[0].text, trace.sources[0].text);
}

} // namespace
} // namespace warptree
